"""What a damaged or odd file says reaches the user as it is meant: names, hints, and no control of the terminal."""

import json

import numpy as np
import pytest

import icefloe
from cases.damage import write_crafted
from icefloe import ckpt, errors
from icefloe.checkpoint.entries import encode_entry
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.wire.crc import crc32c, mask

NAMES = [
    b"plain",
    b"\xff\xfe",
    b"n\0l",
    "ü/\u202egnp".encode(),
    b"a\nb",
    b"\x1b[2J\x1b]0;x\x07",
    b"../../x",
    b" ",
    b"[red]",
]


@pytest.fixture
def odd_names(tmp_path):
    crc = mask(crc32c(bytes(4)))
    entries = {
        name: encode_entry(1, (1,), offset=4 * i, size=4, masked_crc=crc) for i, name in enumerate(sorted(NAMES))
    }
    write_crafted(tmp_path / "m", entries, bytes(4 * len(NAMES)))
    return tmp_path / "m"


@pytest.mark.parametrize(
    "args",
    [("ls",), ("ls", "-l"), ("tree",), ("cat",), ("stats",), ("verify",), ("verify", "--all"), ("rescue", "out")],
)
def test_names_of_any_bytes_are_shown(odd_names, args, cli, tmp_path):
    command, *more = args
    more = [tmp_path / "out"] if more == ["out"] else more
    result = cli("ckpt", command, odd_names, *more)
    assert result.code == 0
    shown = result.out + result.err
    assert not any(c in shown for c in "\x1b\0\x07\u202e")
    if command in ("ls", "tree", "cat", "stats"):
        assert r"\udcff\udcfe" in shown and r"a\nb" in shown and "[red]" in shown and "ü" in shown


@pytest.mark.parametrize("args", [("ls",), ("tree",), ("cat",), ("stats",), ("verify",)])
def test_names_of_any_bytes_in_json(odd_names, args, cli):
    result = cli("ckpt", args[0], odd_names, "--json")
    assert result.code == 0
    json.loads(result.out)
    if args[0] == "ls":
        assert {row["name"].encode("utf-8", "surrogateescape") for row in json.loads(result.out)["tensors"]} == set(
            NAMES
        )


def test_an_error_about_such_a_name(odd_names, cli):
    result = cli("ckpt", "cat", odd_names, "\x1b[31mno")
    assert result.code == 1 and "\x1b" not in result.err and r"\x1b[31mno" in result.err


def test_a_differing_name(odd_names, cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "other", {"plain": np.ones(1, np.float32)})
    result = cli("ckpt", "diff", odd_names, tmp_path / "other")
    assert result.code == 1 and "\x1b" not in result.out


@pytest.fixture
def old(tmp_path):
    writer = V1Writer(tmp_path / "m")
    for i in range(6):
        writer.add(f"w{i}", np.full(80_000, i, np.float32))
    writer.finish()
    return tmp_path / "m"


@pytest.mark.parametrize("left", [0.4, 0.99])
def test_a_cut_file_of_the_old_format_is_known(old, left, cli, tmp_path):
    raw = old.read_bytes()
    old.write_bytes(raw[: int(len(raw) * left)])
    with pytest.raises(errors.DataLossError, match="by its beginning a V1 checkpoint") as caught:
        icefloe.open_checkpoint(old)
    assert "icefloe ckpt rescue" in str(caught.value)
    assert "by its beginning a V1 checkpoint" in cli("identify", old).out
    assert cli("ckpt", "verify", old).code == 1
    assert cli("ckpt", "rescue", old, tmp_path / "out").code == 0
    assert int(icefloe.open_checkpoint(tmp_path / "out")["w0"][0]) == 0


def test_other_files_that_begin_with_zeros_are_not_taken_for_it(tmp_path):
    for content in (
        b"\0\0",
        b"\0\0\x0a\x0a",
        b"\0\0\1\0\x0a" + bytes(100),
        b"\0\0\x80" * 40,
        b"\0\0\x05\x0a\xff\x0a" * 20,
    ):
        (tmp_path / "x").write_bytes(content)
        assert icefloe.identify(tmp_path / "x").kind != "cut_v1"


def test_a_cut_index_comes_with_what_to_do(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"v": 1})
    raw = (tmp_path / "m.index").read_bytes()
    (tmp_path / "m.index").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(errors.DataLossError, match="icefloe ckpt verify"):
        icefloe.open_checkpoint(tmp_path / "m")


def test_a_shard_beyond_the_last(tmp_path):
    write_crafted(tmp_path / "m", {b"a": encode_entry(1, (1,), shard=9, size=4)}, bytes(4))
    reader = icefloe.open_checkpoint(tmp_path / "m")
    with reader, pytest.raises(errors.DataLossError, match="names data file 9, counted from 0, of 1"):
        reader["a"]
    assert "shard 9" in ckpt.verify(tmp_path / "m").problems[0].message


def test_a_malformed_entry_is_listed_with_its_file(tmp_path, cli):
    write_crafted(tmp_path / "m", {b"a": b"\xff\xff"}, bytes(4))
    assert f"{tmp_path}/m" in cli("ckpt", "ls", tmp_path / "m").err
