"""`icefloe ckpt stats`, `diff`, `verify`, `rescue`, `state`, `prune`, `clean`: what they print and their exit codes."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe

CHECKING = ["stats", "diff", "verify", "rescue", "state", "prune", "clean"]


@pytest.fixture
def prefix(tmp_path):
    icefloe.save_checkpoint(
        tmp_path / "m-1", {"w": np.float32([[1, 2], [3, np.nan]]), "b": np.float32([0, 0]), "step": np.int64(1)}
    )
    return tmp_path / "m-1"


@pytest.mark.parametrize("command", CHECKING)
def test_help_teaches_with_examples(cli, command):
    result = cli("ckpt", command, "--help")
    assert result.code == 0
    assert f"icefloe ckpt {command}" in result.out
    assert "Examples:" in result.out
    assert f"  {command} " in cli("ckpt", "--help").out


def test_stats(cli, prefix):
    result = cli("ckpt", "stats", prefix, "--bins", "3")
    assert result.code == 0
    assert result.out == (
        "name  dtype    shape  min  max  mean       std  nan  inf  zeros  histogram\n"
        "b     float32  [2]      0    0     0         0    0    0      2   █\n"
        "step  int64    []       1    1     1         0    0    0      0   █\n"
        "w     float32  [2,2]    1    3     2  0.816497    1    0      0  ███\n"
        "3 tensors, 7 elements, 32 B; 1 NaN, 0 Inf\n"
    )
    large = cli("ckpt", "stats", prefix, "w", "--histogram", "--bins", "2").out.splitlines()
    assert large[0] == "w  float32 [2,2]"
    assert large[-1].split() == ["2", "…", "3", "2", "█" * 50]
    data = cli("ckpt", "stats", prefix, "--json", "--sort", "nan", "--bins", "0").json()
    assert [t["name"] for t in data["tensors"]] == ["w", "b", "step"]
    assert data["tensors"][0]["shape"] == [2, 2]
    assert cli("ckpt", "stats", prefix, "nothing").code == 1


def test_diff(cli, prefix, tmp_path):
    other = tmp_path / "m-2"
    icefloe.save_checkpoint(other, {"w": np.float32([[1, 2], [3, 4]]), "b": np.float32([0, 0]), "step": np.int64(3)})
    same = cli("ckpt", "diff", prefix, prefix)
    assert (same.code, same.out) == (0, "3 tensors: 3 equal\n")
    result = cli("ckpt", "diff", prefix, other)
    assert result.code == 1
    assert result.out == (
        "   name  what                              max|Δ|  ‖Δ‖/‖a‖  changed\n"
        "!  step  int64 []                               2        2   1 of 1\n"
        "!  w     float32 [2,2], 1 NaN in one only       0        0   1 of 4\n"
        "3 tensors: 1 equal, 2 changed\n"
    )
    data = cli("ckpt", "diff", prefix, other, "--json").json()
    assert data["equal"] is False
    assert [t["status"] for t in data["tensors"]] == ["equal", "changed", "changed"]
    assert "=  b" in cli("ckpt", "diff", prefix, other, "--all").out
    assert cli("ckpt", "diff", prefix, tmp_path / "none").code == 1
    assert cli("ckpt", "diff", prefix, other, "--map", "nonsense").code == 1


def test_verify(cli, prefix):
    result = cli("ckpt", "verify", prefix)
    assert result.code == 0
    assert result.out.endswith("ok: 3 tensors, 32 B checked\n")
    assert cli("ckpt", "verify", "-q", prefix).out == ""
    data = cli("ckpt", "verify", prefix, "--json").json()
    assert data["ok"] is True
    assert data["intact"] == ["b", "step", "w"]
    path = prefix.with_name("m-1.data-00000-of-00001")
    path.write_bytes(path.read_bytes()[:-1])
    result = cli("ckpt", "verify", prefix)
    assert result.code == 1
    assert "DAMAGED: 2 problems; 2 of 3 tensors whole" in result.out
    assert "cause: " in result.out
    assert cli("ckpt", "verify", "-q", prefix).code == 1
    nothing = cli("ckpt", "verify", prefix.with_name("nothing"))
    assert (nothing.code, nothing.out) == (1, "")


def test_verify_shows_some_of_many_problems(cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {f"v{i:02}": np.float32([i + 1]) for i in range(40)})
    path = tmp_path / "m.data-00000-of-00001"
    path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    assert "and 20 more" in cli("ckpt", "verify", tmp_path / "m").out
    assert cli("ckpt", "verify", tmp_path / "m", "--all").out.count("damaged:") == 40


def test_rescue(cli, prefix, tmp_path):
    result = cli("ckpt", "rescue", prefix, tmp_path / "out", "--json")
    assert result.code == 0
    assert result.json()["kept"] == ["w", "b", "step"]
    again = cli("ckpt", "rescue", prefix, tmp_path / "out")
    assert again.code == 1
    assert "already" in again.err
    assert cli("ckpt", "rescue", prefix, tmp_path / "out", "--overwrite").out.endswith("3 tensors, 32 B\n")


def test_state_prune_and_clean(cli, prefix, tmp_path):
    assert cli("ckpt", "state", tmp_path, "--rebuild", "--json").json()["changed"] is True
    shown = cli("ckpt", "state", tmp_path)
    assert shown.out == f"{tmp_path}/checkpoint\n        path  step  remark\nlatest  m-1      1\n"
    result = cli("ckpt", "prune", tmp_path, "--json").json()
    assert (result["dry_run"], result["deleted"]) == (True, [])
    (tmp_path / "m-2.index.tmp-0123456789abcdef").write_bytes(b"")
    assert "would go" in cli("ckpt", "clean", tmp_path).out
    assert cli("ckpt", "clean", tmp_path, "--yes", "--json").json()["removed"][0]["kind"] == "temporary"
    assert cli("ckpt", "clean", tmp_path).out == "0 files to remove, 0 B\n"
    assert cli("ckpt", "clean", tmp_path / "nowhere").code == 1
