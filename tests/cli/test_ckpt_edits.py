"""The commands that edit checkpoints: arguments, what they print, exit codes."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe

EDITING = Path(__file__).resolve().parents[2] / "fixtures" / "editing"
COMMANDS = ["rename", "slim", "cast", "average", "merge", "set", "resize", "reshard", "extract"]


@pytest.fixture
def source(tmp_path):
    for path in EDITING.glob("train.*"):
        shutil.copy(path, tmp_path)
    return tmp_path / "train"


def names(prefix):
    with icefloe.open_checkpoint(prefix) as reader:
        return list(reader)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_with_examples(command, cli):
    got = cli("ckpt", command, "--help")
    assert got.code == 0
    assert f"icefloe ckpt {command} " in got.out
    assert "--dry-run" in got.out
    assert command in cli("ckpt", "--help").out


def test_rename(source, cli):
    got = cli("ckpt", "rename", source, "-s", "s,^net/,new/,", "--dry-run")
    assert got.code == 0
    assert "net/w/Adam -> new/w/Adam" in got.out
    assert f"would write {source}: 13 tensors" in got.out
    assert "net/w" in names(source)
    out = source.with_name("out")
    got = cli("ckpt", "rename", source, out, "--prefix", "p/", "--meta", "--strip-devices", "--json")
    data = got.json()
    assert data["renamed"]["net/w"] == "p/net/w"
    assert data["meta"] == f"{out}.meta"
    assert data["copied"] == data["bytes"]
    assert out.with_suffix(".meta").exists()
    (source.parent / "map.csv").write_text("net/w,w\nnothing,n\n")
    got = cli("ckpt", "rename", source, "--map", source.parent / "map.csv", "--regex", "^net/", "--replace", "q/")
    assert "no tensor matches 1 name of the map: nothing" in got.err
    assert {"w", "q/b", "q/w/Adam"} <= set(names(source))


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        ([], 1, "no rule"),
        (["-s", "s/.*/x/"], 1, "same name"),
        (["-s", "nonsense"], 1, "expected a rule"),
        (["--regex", "a"], 2, "belong together"),
        (["--prefix", "a", "--strip-devices"], 2, "--meta"),
        (["out", "-o", "other", "--prefix", "a"], 2, "two outputs"),
        (["--map", "none.json"], 1, "none.json"),
    ],
)
def test_rename_refuses(arguments, code, message, source, cli):
    before = sorted(source.parent.iterdir())
    got = cli("ckpt", "rename", source, *arguments)
    assert got.code == code
    assert message in got.err
    assert sorted(source.parent.iterdir()) == before


def test_slim(source, cli):
    got = cli("ckpt", "slim", source, "--ema", "use", "--keep-step", "--drop", "zz*")
    assert got.code == 0
    assert "no tensor matches 1 pattern: zz*" in got.err
    assert "net/w/Adam_1  (optimizer slot)" in got.out
    assert "without a moving average, kept as they are (2):\n  net/b\n  net/p\n" in got.out
    assert names(source) == ["global_step", "net/b", "net/p", "net/w"]


def test_cast(source, cli):
    got = cli("ckpt", "cast", source, "--to", "half", "--only", "net/w", "--from", "float32", "--json")
    assert got.json()["cast"]["net/w"]["after"] == "float16"
    icefloe.ckpt.set(source, {"net/b": 1e30})
    got = cli("ckpt", "cast", source, "--to", "float16")
    assert "3 values are too large" in got.err
    assert "What is lost" in got.out
    assert cli("ckpt", "cast", source, "--to", "string").code == 1
    assert cli("ckpt", "cast", source).code == 2


def test_average_and_merge(source, cli):
    out = source.with_name("out")
    got = cli("ckpt", "average", out, source, EDITING / "later", "--weights", "1,3")
    assert "averaged 12 tensors of 2 checkpoints" in got.out
    assert cli("ckpt", "average", out, source, "--weights", "1,x").code == 2
    assert cli("ckpt", "average", out, source, "--weights", "1,2").code == 1
    got = cli("ckpt", "merge", out, f"{source}=a", f"{out}=b/c", "--json")
    assert len(got.json()["names"]) == 26
    assert "b/c/net/w" in names(out)
    got = cli("ckpt", "merge", out, source, EDITING / "later")
    assert got.code == 1
    assert "13 names are in several checkpoints" in got.err
    assert cli("ckpt", "merge", out, source, EDITING / "later", "--prefer", "last").code == 0


def test_set(source, cli):
    np.save(source.parent / "x.npy", np.ones((2, 3)))
    got = cli("ckpt", "set", source, "global_step=0", f"net/w=@{source.parent}/x.npy", "new=[1,2]", "--dtype", "int8")
    assert "changed (2):\n  global_step\n  net/w\nadded (1):\n  new\n" in got.out
    with icefloe.open_checkpoint(source) as reader:
        assert reader["global_step"] == 0
        assert reader["net/w"].tolist() == np.ones((2, 3)).tolist()
        assert reader["new"].dtype == np.int8
    assert cli("ckpt", "set", source, "net/w").code == 2
    assert cli("ckpt", "set", source, "a=1", "a=2").code == 2
    got = cli("ckpt", "set", source, "net/ww=1", "--only-existing")
    assert got.code == 1
    assert "net/w" in got.err


def test_resize_and_reshard(source, cli):
    got = cli("ckpt", "resize", source, "net/p=8", "--init", "normal:3", "--dry-run")
    assert "net/p/Adam_1  [5,2] -> [8,2]" in got.out
    assert cli("ckpt", "resize", source, "net/p").code == 2
    assert cli("ckpt", "resize", source, "net/p=3", "--axis", "5").code == 1
    out = source.with_name("out")
    got = cli("ckpt", "reshard", source, out, "--max-shard-bytes", "0.1KiB", "--partition", "net/w=3,1")
    assert got.code == 0
    assert len(list(out.parent.glob("out.data-*"))) == 3
    with icefloe.open_checkpoint(out) as reader:
        assert len(reader.entries["net/w"].slices) == 3
    got = cli("ckpt", "reshard", out, "--shards", "1", "--unpartition", "*", "--json")
    assert sorted(got.json()["unpartitioned"]) == ["net/p", "net/p/Adam", "net/p/Adam_1", "net/w"]
    assert cli("ckpt", "reshard", source).code == 2
    assert cli("ckpt", "reshard", source, "--max-shard-bytes", "many").code == 2
    assert cli("ckpt", "reshard", source, "--partition", "net/w").code == 2


def test_extract(source, cli):
    got = cli("ckpt", "extract", source, source.with_name("part"), "net/", "--skip", "*Adam*")
    assert "extracted (4):" in got.out
    assert names(source.with_name("part")) == ["net/b", "net/p", "net/w", "net/w/ExponentialMovingAverage"]
    assert cli("ckpt", "extract", source, source.with_name("w.npz"), "net/w").code == 0
    with np.load(source.with_name("w.npz")) as arrays:
        assert arrays.files == ["net/w"]
    got = cli("ckpt", "extract", source, source.with_name("x"), "net/ww")
    assert got.code == 1
    assert "Did you mean" in got.err
