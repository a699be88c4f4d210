"""URLs of other kinds: in memory, of this machine, of protocols that are not there."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import icefloe
from cli.conftest import cli as cli
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import files
from icefloe.checkpoint.merge import merge_checkpoints

VALUES = {"a/w": np.arange(6, dtype=np.float32).reshape(2, 3), "s": np.array([b"x", b"yy"], object)}


@pytest.fixture
def memory():
    import fsspec

    store = fsspec.filesystem("memory")
    yield store
    store.store.clear()


@pytest.mark.parametrize(
    "text, expected",
    [
        ("s3://b/p", True),
        ("memory://x", True),
        ("simplecache::s3://b/p", True),
        ("HTTP://h/p", True),
        ("/a/b", False),
        ("c://x", False),
        ("a/s3://b", False),
        ("name:0", False),
        ("a::b", False),
    ],
)
def test_what_is_a_url(text, expected):
    assert files.is_url(text) is expected


def test_memory(memory):
    save_checkpoint("memory://d/m", VALUES)
    with open_checkpoint("memory://d/m") as reader:
        np.testing.assert_array_equal(reader["a/w"], VALUES["a/w"])
        assert reader["s"].tolist() == [b"x", b"yy"]
    assert ckpt.verify("memory://d/m").ok
    assert open_checkpoint("memory://d").prefix == "memory://d/m"


def test_the_bytes_are_those_of_a_file(memory, tmp_path):
    save_checkpoint("memory://d/m", VALUES, shards=2)
    save_checkpoint(tmp_path / "m", VALUES, shards=2)
    for path in tmp_path.iterdir():
        assert memory.cat(f"/d/{path.name}") == path.read_bytes()


@pytest.mark.parametrize("first, second", [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_overwriting_with_another_number_of_shards(memory, first, second):
    save_checkpoint("memory://d/m", VALUES, shards=first)
    save_checkpoint("memory://d/m", {"b": np.ones(3)}, shards=second)
    assert list(open_checkpoint("memory://d/m")) == ["b"]
    assert len(memory.ls("/d")) == 1 + second + (first == second)
    assert ckpt.verify("memory://d/m").ok


def test_edits_in_place(memory):
    save_checkpoint("memory://d/m", {**VALUES, "a/w/Adam": np.zeros((2, 3), np.float32)})
    ckpt.rename("memory://d/m", None, ["s,^a/,b/,"])
    ckpt.slim("memory://d/m")
    ckpt.cast("memory://d/m", None, "float16")
    with open_checkpoint("memory://d/m") as reader:
        assert reader["b/w"].dtype == np.float16 and "b/w/Adam" not in reader
    assert ckpt.verify("memory://d/m").ok
    for _ in range(3):  # the number of data files does not grow with every edit
        ckpt.set("memory://d/m", {"s": np.array([b"z", b"y"], object)})
    assert len(memory.ls("/d")) <= 3 and ckpt.verify("memory://d/m").ok


def test_what_is_there(memory):
    save_checkpoint("memory://d/m-3", VALUES)
    ckpt.convert("memory://d/m-3", "memory://d/x.npz")
    ckpt.convert("memory://d/m-3", "memory://d/old", to="v1")
    kinds = {
        "memory://d/m-3": "checkpoint",
        "memory://d/m-3.index": "checkpoint",
        "memory://d/x.npz": "npz",
        "memory://d/old": "v1_checkpoint",
        "memory://d": "checkpoint_directory",
        "memory://d/none": "missing",
    }
    assert {url: icefloe.identify(url).kind for url in kinds} == kinds


def test_a_path_that_was_a_url():
    with pytest.raises(errors.NotFoundError, match="give it as text"):
        open_checkpoint(Path("s3://bucket/m"))


def test_the_command(memory, cli, tmp_path):
    save_checkpoint("memory://d/m", {**VALUES, "a/w/Adam": np.zeros((2, 3), np.float32)})
    for words in (
        ("ckpt", "ls", "memory://d/m"),
        ("ckpt", "tree", "memory://d/m"),
        ("ckpt", "cat", "memory://d/m", "a/w[0:1,:]"),
        ("ckpt", "stats", "memory://d/m"),
        ("ckpt", "verify", "memory://d/m"),
        ("ckpt", "diff", "memory://d/m", "memory://d/m"),
        ("ckpt", "rename", "memory://d/m", "memory://d/n", "-s", "s,a/,b/,"),
        ("ckpt", "extract", "memory://d/m", "memory://d/part", "a/w"),
        ("ckpt", "report", "memory://d/m", "-o", "memory://d/page.html"),
        ("convert", "memory://d/m", "memory://d/x.npz"),
        ("convert", "memory://d/x.npz", tmp_path / "x.safetensors"),
        ("identify", "memory://d/m"),
        ("inspect", "memory://d/m"),
    ):
        result = cli(*words)
        assert result.code == 0, (words, result)
    gone = cli("ckpt", "ls", "memory://d/none")
    assert gone.code == 1 and "memory://d/none" in gone.err


def test_merging_moves_data_files(memory):
    save_checkpoint("memory://d/p0", {"a": np.ones(2)})
    save_checkpoint("memory://d/p1", {"b": np.zeros(2)})
    merge_checkpoints(["memory://d/p0", "memory://d/p1"], "memory://d/all")
    assert list(open_checkpoint("memory://d/all")) == ["a", "b"]
    assert sorted(name.rpartition("/")[2] for name in memory.find("/d")) == [
        "all.data-00000-of-00002",
        "all.data-00001-of-00002",
        "all.index",
    ]


def test_rescue(memory):
    save_checkpoint("memory://d/m", {**VALUES, "z": np.ones(100)})
    data = bytearray(memory.cat("/d/m.data-00000-of-00001"))
    data[-5] ^= 1
    memory.pipe("/d/m.data-00000-of-00001", bytes(data))
    assert ckpt.verify("memory://d/m").damaged == ["z"]
    ckpt.rescue("memory://d/m", "memory://d/good")
    assert list(open_checkpoint("memory://d/good")) == ["a/w", "s"]


def test_file_urls_are_paths(tmp_path):
    save_checkpoint(f"file://{tmp_path}/m", VALUES)
    assert (tmp_path / "m.index").is_file()
    assert open_checkpoint(f"file://{tmp_path}/m").prefix == str(tmp_path / "m")
    ckpt.convert(f"local://{tmp_path}/m", f"file://{tmp_path}/m.npz")
    assert (tmp_path / "m.npz").is_file()


def test_a_cache_in_front_of_a_store(memory, tmp_path):
    save_checkpoint("memory://d/m", VALUES)
    with open_checkpoint("simplecache::memory://d/m") as reader:
        np.testing.assert_array_equal(reader["a/w"], VALUES["a/w"])


def test_a_protocol_that_nobody_knows():
    with pytest.raises(errors.UnimplementedError, match="nosuch"):
        open_checkpoint("nosuch://bucket/m")


def test_a_protocol_whose_package_is_missing(monkeypatch):
    from fsspec.registry import _registry

    monkeypatch.delitem(_registry, "gs", raising=False)
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(errors.UnimplementedError, match="(?i)install"):
        open_checkpoint("gs://bucket/m")


def test_without_fsspec():
    code = """
import sys
sys.modules["fsspec"] = None
import icefloe
try:
    icefloe.open_checkpoint("s3://b/p")
except icefloe.errors.UnimplementedError as e:
    print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "icefloe[remote]" in done.stdout, done.stderr


def test_paths_of_this_machine_import_no_fsspec(tmp_path):
    save_checkpoint(tmp_path / "m", VALUES)
    code = (
        f"import sys, icefloe; icefloe.open_checkpoint({str(tmp_path / 'm')!r})['a/w']; "
        "print([m for m in sys.modules if m.split('.')[0] in ('fsspec', 'dask')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("former", [False, True])
def test_two_writers_of_one_prefix(memory, former):
    """The second is told, and what the first wrote stays whole."""
    url = "memory://d/m"
    if former:
        save_checkpoint(url, {"v": np.zeros(3)})

    class Meanwhile(dict):
        def items(self):
            yield "v", np.ones(4)
            save_checkpoint(url, VALUES)
            yield "w", np.ones(5)

    with pytest.raises(errors.AbortedError, match="another writer"):
        save_checkpoint(url, Meanwhile(a=1))
    assert ckpt.verify(url).ok
    assert sorted(open_checkpoint(url)) == sorted(VALUES)
    assert len(memory.find("/d")) == 1 + open_checkpoint(url).num_shards
