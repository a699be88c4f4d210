"""Deleting a checkpoint, stopped at any file-system call: readers find all of it or nothing, and what is left goes."""

import os

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.checkpoint import commit
from unit.checkpoint.stopping import Machine

VALUES = {f"v{i}": np.arange(i + 1, dtype=np.float32) for i in range(5)}


@pytest.fixture
def prefix(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", VALUES, shards=3)
    return str(tmp_path / "m")


def is_whole(prefix):
    """Whether the checkpoint is all there. Fails if it is there in part."""
    try:
        with icefloe.open_checkpoint(prefix) as reader:
            return {name: reader[name].tolist() for name in reader} == {n: v.tolist() for n, v in VALUES.items()}
    except errors.NotFoundError:
        return False


def test_a_reader_finds_all_or_nothing(prefix):
    seen = []
    machine = Machine(watch=lambda: seen.append(is_whole(prefix)))
    with machine.running():
        commit.delete_checkpoint(prefix)
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {True, False}
    assert os.listdir(os.path.dirname(prefix)) == []


@pytest.mark.parametrize("at", range(1, 10))
def test_what_is_left_is_removed_or_restored(prefix, at, tmp_path):
    machine = Machine(at)
    with machine.running():
        commit.delete_checkpoint(prefix)
    assert machine.struck
    was_whole = is_whole(prefix)
    icefloe.ckpt.clean(tmp_path, dry_run=False, older_than=0)
    assert is_whole(prefix) == was_whole
    assert len(os.listdir(tmp_path)) == (4 if was_whole else 0)
    commit.delete_checkpoint(prefix)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("at", range(1, 10))
def test_the_next_save_removes_what_is_left(prefix, at, tmp_path):
    with Machine(at).running():
        commit.delete_checkpoint(prefix)
    icefloe.save_checkpoint(prefix, {"w": 1.0})
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.index"]


def test_where_nothing_can_be_renamed(prefix, tmp_path, monkeypatch):
    def refused(source, target):
        raise errors.PermissionDeniedError(f"{source}; Operation not permitted")

    monkeypatch.setattr(commit.files, "rename", refused)
    commit.delete_checkpoint(prefix)
    assert os.listdir(tmp_path) == []
