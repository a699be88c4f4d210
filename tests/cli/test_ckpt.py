"""`icefloe ckpt ls` and `ckpt cat`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import icefloe

PLAIN = """\
name  dtype    shape  size
b     float32  [3]    12 B
step  int64    []      8 B
w     float32  [2,3]  24 B
3 tensors, 10 elements, 44 B
"""


@pytest.mark.parametrize(
    "spelling",
    ["model.ckpt-3", "model.ckpt-3.index", "model.ckpt-3.data-00000-of-00001", "model.ckpt-3.meta", "checkpoint", "."],
)
def test_ls_by_any_spelling(cli, savers, spelling):
    result = cli("ckpt", "ls", savers / "plain" / spelling)
    assert (result.code, result.out, result.err) == (0, PLAIN, "")


def test_ls_of_partitioned_and_long(cli, savers):
    assert cli("ckpt", "ls", "-l", savers / "partitioned").out == (
        "name     dtype    shape              size  shard  offset  crc32c\n"
        "columns  float32  [2,4] in 2 slices  32 B\n"
        "rows     float32  [7,2] in 3 slices  56 B\n"
        "whole    float64  [2]                16 B      0      88  3726ddd9\n"
        "3 tensors, 24 elements, 104 B\n"
    )


def test_ls_of_the_old_format(cli, savers):
    assert "a     float32  [2,2]" in cli("ckpt", "ls", savers / "old_format" / "model.ckpt-3").out
    assert cli("ckpt", "ls", savers / "old_format_sharded" / "model.ckpt-3").out.endswith(
        "4 tensors, 6 elements, 28 B\n"
    )


def test_ls_patterns_and_order(cli, savers):
    assert [line.split()[0] for line in cli("ckpt", "ls", savers / "mixed", "scope/*").out.splitlines()[1:-1]] == [
        "scope/a",
        "scope/inner/s",
    ]
    by_size = cli("ckpt", "ls", savers / "plain", "--sort", "size").out.splitlines()[1:-1]
    assert [line.split()[0] for line in by_size] == ["w", "b", "step"]


def test_ls_json(cli, savers):
    data = cli("ckpt", "ls", savers / "plain", "--json").json()
    assert data["schema"] == "icefloe.ckpt.ls/1"
    assert data["checkpoint"] == str(savers / "plain" / "model.ckpt-3")
    assert data["tensors"][1] == {"name": "step", "dtype": "int64", "shape": [], "bytes": 8, "shard": 0, "slices": []}
    sliced = cli("ckpt", "ls", savers / "partitioned", "--json").json()["tensors"][1]
    assert sliced["slices"] == ["0,3:0,2", "3,2:0,2", "5,2:0,2"]


def test_cat(cli, savers):
    result = cli("ckpt", "cat", savers / "mixed", "scope/*", "h")
    assert result.code == 0
    assert result.out == (
        "scope/a  float32 [2,3]\n[[0., 1., 2.],\n [3., 4., 5.]]\n"
        "scope/inner/s  string [2]\n['p', 'qq']\n"
        "h  float16 [3]\n[1., 2., 3.]\n"
    )


def test_cat_all_and_one_scalar(cli, savers):
    assert cli("ckpt", "cat", savers / "plain", "step").out == "step  int64 []\n7\n"
    whole = cli("ckpt", "cat", savers / "plain").out
    assert whole.startswith("b  float32 [3]\n")
    assert "\nstep  int64 []\n7\nw  float32 [2,3]\n" in whole


@pytest.mark.parametrize(
    ("index", "value"), [("1", [4, 5, 6]), ("0:1,-1", [3]), (":,::2", [[1, 3], [4, 6]]), ("...,0", [1, 4]), ("1,2", 6)]
)
def test_cat_slices(cli, savers, index, value):
    assert cli("ckpt", "cat", savers / "plain", "w", "--slice", index, "--json").json()["tensors"][0]["value"] == value


def test_cat_bad_slices(cli, savers):
    assert cli("ckpt", "cat", savers / "plain", "w", "--slice", "x").code == 2
    result = cli("ckpt", "cat", savers / "plain", "w", "--slice", "9")
    assert (result.code, result.err) == (
        1,
        "icefloe: w, shape [2,3]: index 9 is out of bounds for axis 0 with size 2\n",
    )


def test_cat_missing_name(cli, savers):
    result = cli("ckpt", "cat", savers / "mixed", "scope/inner/t")
    assert result.code == 1
    assert "Key scope/inner/t not found in checkpoint" in result.err
    assert "Did you mean" in result.err


def test_cat_shortens_unless_full(cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"x": np.arange(1000)})
    assert "..." in cli("ckpt", "cat", tmp_path / "m", "x").out
    full = cli("ckpt", "cat", tmp_path / "m", "x", "--full").out
    assert "..." not in full
    assert " 500," in full


def test_cat_json_of_every_kind_of_value(cli, tmp_path):
    values = {
        "floats": np.float32([1.5, np.nan, np.inf, -np.inf]),
        "complex": np.complex64([1 + 2j]),
        "bfloat16": np.array([1.5, 2], ml_dtypes.bfloat16),
        "int4": np.array([-8, 7], ml_dtypes.int4),
        "bool": np.array([True, False]),
        "text": np.array(["ä".encode(), b""], object),
        "bytes": np.array([b"\xff\x00"], object),
        "scalar": np.float64(2),
        "empty": np.zeros((0, 2), np.int32),
    }
    icefloe.save_checkpoint(tmp_path / "m", values)
    found = {t.pop("name"): t for t in cli("ckpt", "cat", tmp_path / "m", "--json").json()["tensors"]}
    assert found == {
        "floats": {"dtype": "float32", "shape": [4], "value": [1.5, "NaN", "Infinity", "-Infinity"]},
        "complex": {"dtype": "complex64", "shape": [1], "value": [[1.0, 2.0]]},
        "bfloat16": {"dtype": "bfloat16", "shape": [2], "value": [1.5, 2.0]},
        "int4": {"dtype": "int4", "shape": [2], "value": [-8, 7]},
        "bool": {"dtype": "bool", "shape": [2], "value": [True, False]},
        "text": {"dtype": "string", "shape": [2], "value": ["ä", ""]},
        "bytes": {"dtype": "string", "shape": [1], "encoding": "base64", "value": ["/wA="]},
        "scalar": {"dtype": "float64", "shape": [], "value": 2.0},
        "empty": {"dtype": "int32", "shape": [0, 2], "value": []},
    }


def test_damaged_data_is_named(cli, savers, tmp_path):
    for path in (savers / "plain").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    data = tmp_path / "model.ckpt-3.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-4] + b"\0\0\0\0")
    result = cli("ckpt", "cat", tmp_path, "w")
    assert result.code == 1
    assert "Checksum does not match" in result.err
    assert cli("ckpt", "cat", tmp_path, "b").code == 0


def test_ls_and_tree_say_that_nothing_matches(cli, savers):
    for command in ("ls", "tree"):
        result = cli("ckpt", command, savers / "plain" / "model.ckpt-3", "no*such", "other")
        assert result.code == 0 and "no name matches no*such or other" in result.err
