"""Tables on a terminal and in a pipe, sizes, progress bars, arrays as text."""

from __future__ import annotations

import sys

import click
import numpy as np
import pytest

from icefloe_cli import output
from icefloe_cli.output import Table, bytes_text, count, fields, shape_text
from icefloe_cli.printing import array_text
from icefloe_cli.values import read_value, split_feed


def table() -> Table:
    made = Table(["name", "size"], right=frozenset((1,)))
    made.add("a/very/long/name/of/a/variable/in/a/deep/scope", "1 B")
    made.add("[bold]b[/bold]", "12 kB")
    return made


def test_plain_table_is_whole(capsys):
    table().show("title")
    assert capsys.readouterr().out == (
        "title\n"
        "name                                             size\n"
        "a/very/long/name/of/a/variable/in/a/deep/scope    1 B\n"
        "[bold]b[/bold]                                  12 kB\n"
    )


@pytest.mark.parametrize("width", [30, 100])
def test_terminal_table_fits_its_width(capsys, monkeypatch, width):
    """Long names fold; nothing is taken for markup."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table().show()
    lines = capsys.readouterr().out.splitlines()
    text = "".join(line.strip().split("  ")[0] for line in lines)
    assert "a/very/long/name/of/a/variable/in/a/deep/scope" in text
    assert "[bold]b[/bold]" in "".join(lines)
    assert max(len(click.unstyle(line)) for line in lines) <= width


def test_a_table_that_is_too_wide_for_a_terminal_keeps_its_names(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    made = Table(["name", *"abcdefgh"])
    made.add("layer/kernel", *["12345678"] * 8)
    made.show()
    assert "layer/kernel  12345678" in capsys.readouterr().out


def test_control_characters_and_other_bytes_are_escaped(capsys):
    made = Table(["name", "size"])
    made.add("a\x1b[2J\n\u202e", "1 B")
    made.add(b"\xff".decode(errors="surrogateescape"), "2 B")
    made.show()
    assert capsys.readouterr().out.splitlines()[1:] == [r"a\x1b[2J\n\u202e  1 B", r"\udcff            2 B"]


def test_fields_are_aligned_and_empty_ones_left_out(capsys):
    fields([("a", "1"), ("long name", "two\nlines"), ("none", "")])
    assert capsys.readouterr().out == "a          1\nlong name  two\n           lines\n"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234567, "1.23 MB"), (5 * 10**12, "5 TB"), (2 * 10**15, "2000 TB")],
)
def test_sizes(size, text):
    assert bytes_text(size) == text


def test_words():
    assert (count(1, "node"), count(2000, "node"), count(2, "entry")) == ("1 node", "2,000 nodes", "2 entries")
    assert (shape_text(None), shape_text([]), shape_text([2, None])) == ("?", "[]", "[2,?]")


def test_progress_bar_only_on_a_terminal(capsys, monkeypatch):
    with output.progress("work", 10) as advance:
        advance(3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with output.progress("quick", 10) as advance:
        advance(3)
    assert "quick" not in capsys.readouterr().err
    started = []
    monkeypatch.setattr(output, "PROGRESS_DELAY", 0)
    from rich.progress import Progress

    start = Progress.start
    monkeypatch.setattr(Progress, "start", lambda self: (start(self), started.append(True)))
    with output.progress("slow", 10) as advance:
        while not started:
            pass
        advance(3)
    assert "slow" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(1.5), "1.5"),
        (np.array([b"a", "ä".encode(), b"\xff"], object), "['a', 'ä', b'\\xff']"),
        (b"scalar", "'scalar'"),
        (np.array([(1,), (2,)], [("qint8", "i1")]), "[1, 2]"),
        (np.zeros((0, 2)), "[]"),
    ],
)
def test_arrays_as_text(value, text):
    assert array_text(value) == text


def test_feeds():
    assert split_feed("a:0=b=c") == ("a:0", "b=c")
    assert (read_value("1.5"), read_value('"1.5"'), read_value("[1, [2]]"), read_value("plain")) == (
        1.5,
        "1.5",
        [1, [2]],
        "plain",
    )
    for text in ("novalue", "=1"):
        with pytest.raises(click.BadParameter):
            split_feed(text)


def test_feed_files_that_hold_something_else(tmp_path):
    (tmp_path / "x.npy").write_text("no array")
    (tmp_path / "x.npz").write_text("no archive")
    (tmp_path / "x.h5").write_text("no hdf5")
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "x.txt").write_text("1")
    np.save(tmp_path / "o.npy", np.array([{}], object), allow_pickle=True)
    np.savez(tmp_path / "two.npz", a=1, b=2)
    for name in ("x.npy", "x.npz", "x.h5", "x.json", "x.txt", "o.npy", "two.npz", "two.npz:c", "gone.npy"):
        with pytest.raises(click.BadParameter):
            read_value(f"@{tmp_path}/{name}")
