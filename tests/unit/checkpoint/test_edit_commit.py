"""Wherever an edit stops, the old checkpoint or the new one is there, whole, and a failed one leaves no files."""

import itertools
import os
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from icefloe import ckpt, errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.editing import shard_file
from unit.checkpoint.stopping import Machine

OLD = {"a": np.arange(9, dtype=np.float32), "b": np.ones((3, 2), np.float32), "b/Adam": np.zeros((3, 2), np.float32),
       "s": np.array([b"x", b"yy"], object), "global_step": np.int64(4)}  # fmt: skip
META = Path(__file__).resolve().parents[3] / "fixtures" / "editing" / "train.meta"

EDITS = {
    "rename": lambda p: ckpt.rename(p, rules=["s/^/n_/"]),
    "rename_meta": lambda p: ckpt.rename(p, rules=["s/^/n_/"], meta=True),
    "slim": lambda p: ckpt.slim(p),
    "cast": lambda p: ckpt.cast(p, dtype="half"),
    "set": lambda p: ckpt.set(p, {"a": 7}),
    "resize": lambda p: ckpt.resize(p, {"b": 5}),
    "reshard": lambda p: ckpt.reshard(p, shards=3),
    "merge": lambda p: ckpt.merge(p, [(p, "one"), (p, "two")]),
    "average": lambda p: ckpt.average(p, [p, p], weights=[1, 0]),
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """The order of calls is what is tested, not that the disk has the data; and all copies go through the kernel."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    monkeypatch.setattr(shard_file, "_SMALL", 0)


def start(folder, name):
    folder.mkdir()
    prefix = folder / "m"
    save_checkpoint(prefix, OLD, shards=2 if name != "merge" else 1)
    if name == "rename_meta":
        shutil.copy(META, folder / "m.meta")
    return prefix


def contents(prefix):
    with open_checkpoint(prefix) as reader:
        return {n: (reader[n].dtype, reader[n].tolist()) for n in reader}


def listing(folder):
    return sorted(p.name for p in folder.iterdir())


def finished(tmp_path, name):
    """Return the contents and files after an edit that nothing stops."""
    prefix = start(tmp_path / "whole", name)
    before, old_files = contents(prefix), listing(prefix.parent)
    EDITS[name](prefix)
    after, new_files = contents(prefix), listing(prefix.parent)
    # An average with itself and a new number of data files hold the same tensors as before.
    assert before != after or name in ("average", "reshard")
    return before, after, old_files, new_files


@pytest.mark.parametrize("name", EDITS)
def test_no_space_at_every_call(name, tmp_path):
    before, after, old_files, _ = finished(tmp_path, name)
    for at in itertools.count(1):
        prefix = start(tmp_path / str(at), name)
        machine = Machine(at, "full")
        failed = False
        with machine.running():
            try:
                EDITS[name](prefix)
            except errors.ResourceExhaustedError:
                failed = True
        if not machine.struck:
            break
        found = contents(prefix)
        if not failed:  # only what tidies up afterwards may fail in silence
            assert found == after
        elif found == before and before != after:
            assert listing(prefix.parent) == old_files, f"after call {at}"
        else:
            assert found == after
        ckpt.rename(prefix, rules=["s/^/z_/"])  # the next edit tidies up
        assert not [n for n in listing(prefix.parent) if ".tmp-" in n or ".commit-" in n], f"after call {at}"
    assert at > 12


@pytest.mark.parametrize("what", ["kill", "torn"])
@pytest.mark.parametrize("name", ["rename", "cast", "merge", "reshard"])
def test_killed_at_every_call(name, what, tmp_path):
    before, after, _, new_files = finished(tmp_path, name)
    seen = []
    for at in itertools.count(1):
        prefix = start(tmp_path / str(at), name)
        machine = Machine(at, what)
        with machine.running():
            EDITS[name](prefix)
        if not machine.struck:
            break
        found = contents(prefix)
        assert found in (before, after), f"after call {at}"
        seen.append(found == after)
        if found == before and before != after:
            EDITS[name](prefix)
            assert contents(prefix) == after
            assert listing(prefix.parent) == new_files, f"after call {at}"
    assert seen == sorted(seen) or before == after


def test_an_npz_is_written_at_once_or_not(tmp_path):
    save_checkpoint(tmp_path / "m", {"a": OLD["a"], "b": OLD["b"]})
    target = tmp_path / "out.npz"
    target.write_bytes(b"old")
    for at in itertools.count(1):
        machine = Machine(at, "full")
        with machine.running():
            try:
                ckpt.extract(tmp_path / "m", target, "*")
            except errors.ResourceExhaustedError:
                assert target.read_bytes() == b"old" or zipfile.is_zipfile(target)
                assert listing(tmp_path) == ["m.data-00000-of-00001", "m.index", "out.npz"]
        if not machine.struck:
            break
    with np.load(target) as arrays:
        assert sorted(arrays.files) == ["a", "b"]


def test_a_damaged_source_leaves_the_old_checkpoint(tmp_path):
    save_checkpoint(tmp_path / "m", OLD)
    data = tmp_path / "m.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[2] ^= 1  # in `a`
    data.write_bytes(raw)
    index = (tmp_path / "m.index").read_bytes()
    for edit in (
        lambda: ckpt.cast(tmp_path / "m", dtype="half"),
        lambda: ckpt.resize(tmp_path / "m", {"a": 12}),
        lambda: ckpt.rename(tmp_path / "m", prefix="p/", verify=True),
        lambda: ckpt.extract(tmp_path / "m", tmp_path / "x.npz", "a"),
    ):
        with pytest.raises(errors.DataLossError, match="Checksum does not match.*tensor a"):
            edit()
        assert listing(tmp_path) == ["m.data-00000-of-00001", "m.index"]
        assert (tmp_path / "m.index").read_bytes() == index
        assert data.read_bytes() == bytes(raw)
    # A copy takes the wrong checksum along: the damage stays to be seen, and the rest to be read.
    ckpt.rename(tmp_path / "m", tmp_path / "copy", prefix="p/")
    with open_checkpoint(tmp_path / "copy") as reader:
        assert reader["p/b"].tolist() == OLD["b"].tolist()
        with pytest.raises(errors.DataLossError):
            reader["p/a"]


def test_missing_bytes_are_found_before_anything_is_written(tmp_path):
    save_checkpoint(tmp_path / "m", OLD)
    os.truncate(tmp_path / "m.data-00000-of-00001", 20)
    with pytest.raises(errors.OutOfRangeError, match="ends at 20"):
        ckpt.rename(tmp_path / "m", tmp_path / "new" / "m", prefix="p/")
    assert listing(tmp_path) == ["m.data-00000-of-00001", "m.index"]


def test_tensors_that_share_bytes_are_refused(tmp_path):
    """A small file must not become a large one."""
    from icefloe.checkpoint.entries import Header, encode_entry
    from icefloe.checkpoint.writer import encode_index

    (tmp_path / "m.data-00000-of-00001").write_bytes(bytes(4000))
    entries = {f"v{i:04d}".encode(): encode_entry(1, (1000,), size=4000) for i in range(1000)}
    (tmp_path / "m.index").write_bytes(encode_index(Header(1), entries))
    with pytest.raises(errors.DataLossError, match="share bytes"):
        ckpt.rename(tmp_path / "m", prefix="p/")
