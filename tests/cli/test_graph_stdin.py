"""Graphs on standard input."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import icefloe

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "freezing" / "averages"
META = (FOLDER / "model.meta").read_bytes()
FROZEN = (FOLDER / "frozen_by_tensorflow.pb").read_bytes()


@pytest.mark.parametrize("form", ["meta", "pb", "pbtxt", "json"])
def test_any_form_of_one_file(cli: Any, tmp_path: Path, form: str) -> None:
    path = icefloe.save_graph(icefloe.load_graph(META), tmp_path / f"g.{form}")
    expected = cli("graph", "io", path, "--json").json()
    found = cli("graph", "io", "-", "--json", stdin=Path(path).read_bytes()).json()
    assert found.pop("graph") == "-"
    expected.pop("graph")
    assert found == expected


COMMANDS = [
    ("io", "-"),
    ("ops", "-", "--fetch", "y"),
    ("dot", "-"),
    ("diff", "-", FOLDER / "model.meta"),
    ("match", "-", FOLDER / "model"),
    ("freeze", "-", FOLDER / "model", "--fetch", "y"),
    ("strip", "-", "--fetch", "y"),
    ("extract", "-", "--fetch", "y"),
    ("optimize", "-", "--fetch", "y"),
    ("fix", "-", "--fetch", "y"),
    ("downgrade", "-", "--to", "1.15", "--fetch", "y"),
    ("cast", "-", "--fetch", "y"),
    ("rename", "-", "x=renamed", "--fetch", "y"),
    ("unconst", "-", "prefix", "--fetch", "y", "--min-bytes", 1),
    ("stitch", "-", FOLDER / "model.meta", "--join", "x=y", "--prefix", "second"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda a: a[0])
def test_every_command_takes_it(cli: Any, tmp_path: Path, arguments: tuple[Any, ...], monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    writes = arguments[0] not in ("io", "ops", "dot", "diff", "match", "unconst")
    result = cli("graph", *arguments, *(["-o", "out.pb"] if writes else []), stdin=META)
    assert (result.code, result.err if result.code else "") == (0, "")
    if writes:
        assert icefloe.load_graph("out.pb").get_operations()


def test_a_graph_too_broken_to_load_is_fixed(cli: Any, tmp_path: Path) -> None:
    definition = icefloe.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    definition.node.add(name="y", op="Neg", input=["x", "^gone"]).attr["T"].type = 1
    out = tmp_path / "f.pb"
    result = cli("graph", "fix", "-", "-o", out, stdin=definition.SerializeToString())
    assert result.code == 0, result.err
    with icefloe.Session(graph=icefloe.load_graph(out)) as session:
        assert session.run("y:0", {"x:0": 2}) == -2


def test_commands_are_joined_by_pipes(cli: Any) -> None:
    script = "import sys; from icefloe_cli.main import main; main(sys.argv[1:])"
    first = [sys.executable, "-c", script, "graph", "strip", "-", "--fetch", "y", "-o", "-"]
    stripped = subprocess.run(first, input=META, capture_output=True, check=True).stdout
    result = cli("graph", "io", "-", "--json", stdin=stripped).json()
    assert [i["name"] for i in result["inputs"]] == ["x:0", "training:0"]


def test_run(cli: Any) -> None:
    definition = icefloe.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    definition.node.add(name="y", op="Neg", input=["x"]).attr["T"].type = 1
    data = definition.SerializeToString()
    result = cli("run", "-", "--feed", "x=[1,2]", "--fetch", "y", stdin=data)
    assert (result.code, "-2" in result.out) == (0, True), result.err
    result = cli("run", "-", "--feed", "x=-", "--fetch", "y", stdin=data)
    assert result.code == 2
    assert "stdin: no JSON" in result.err


@pytest.mark.parametrize(
    ("stdin", "code", "text"),
    [
        (b"", 2, "standard input, which is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), 1, "standard input: expected a graph, got"),
        (FROZEN[:-20], 1, "standard input at byte"),
    ],
)
def test_what_is_no_graph(cli: Any, stdin: bytes, code: int, text: str) -> None:
    result = cli("graph", "io", "-", stdin=stdin)
    assert result.code == code
    assert text in result.err
    assert "Traceback" not in result.err


def test_twice(cli: Any) -> None:
    result = cli("graph", "diff", "-", "-", stdin=META)
    assert result.code == 2
    assert "one graph only" in result.err


def test_a_terminal() -> None:
    script = "import sys; from icefloe_cli.main import main; main(sys.argv[1:])"
    ours, theirs = pty.openpty()
    try:
        result = subprocess.run(
            [sys.executable, "-c", script, "graph", "io", "-"], stdin=theirs, capture_output=True, text=True, timeout=60
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert result.returncode == 2
    assert "cat frozen.pb | icefloe graph io -" in result.stderr
