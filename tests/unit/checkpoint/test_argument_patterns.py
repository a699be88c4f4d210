"""A single pattern may be given without a list; what is none is refused by type, before anything is written."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe
from icefloe import ckpt


@pytest.fixture
def prefix(tmp_path):
    path = str(tmp_path / "m")
    icefloe.save_checkpoint(path, {"dense/w": np.ones((2, 3), np.float32), "b": np.zeros(3, np.float32)})
    return path


def test_one_pattern_is_not_taken_for_its_letters(prefix, tmp_path):
    assert [row.name for row in ckpt.ls(prefix, "dense/*").rows] == ["dense/w"]
    assert [row.name for row in ckpt.tree(prefix, "b")[0].rows] == ["b"]
    assert [tensor.name for tensor in ckpt.stats(prefix, "dense/*").tensors] == ["dense/w"]
    assert [tensor.name for tensor in ckpt.diff(prefix, prefix, "b").tensors] == ["b"]
    ckpt.extract(prefix, tmp_path / "one", "dense/*")
    assert list(icefloe.open_checkpoint(tmp_path / "one")) == ["dense/w"]


def test_one_pattern_of_names_to_keep(tmp_path):
    for step in (1, 2, 3):
        icefloe.save_checkpoint(str(tmp_path / f"m-{step}"), {"x": np.int64(step)})
    found = ckpt.prune(tmp_path, keep=1, patterns="*-1")
    assert [one.prefix.rpartition("-")[2] for one in found.deleted] == ["2"]


@pytest.mark.parametrize("wrong", [7, [7], [b"b"], None, [None]], ids=repr)
def test_what_is_no_pattern_is_refused(prefix, tmp_path, wrong):
    calls = [
        lambda: ckpt.ls(prefix, wrong),
        lambda: ckpt.stats(prefix, wrong),
        lambda: ckpt.diff(prefix, prefix, wrong),
        lambda: ckpt.extract(prefix, tmp_path / "new", wrong),
        lambda: ckpt.slim(prefix, tmp_path / "new", drop=wrong),
        lambda: ckpt.average(tmp_path / "new", [prefix], last=wrong),
        lambda: ckpt.prune(tmp_path, patterns=wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="expected names or patterns"):
            call()
    assert not list(tmp_path.glob("new*"))


def test_mappings_and_several_checkpoints_are_asked_for(prefix, tmp_path):
    with pytest.raises(TypeError, match="expected a mapping from names to values, got str"):
        ckpt.set(prefix, "b=1", tmp_path / "new")
    with pytest.raises(TypeError, match="expected a mapping from patterns to numbers of rows, got list"):
        ckpt.resize(prefix, ["b"], tmp_path / "new")
    with pytest.raises(icefloe.errors.InvalidArgumentError, match="expected zeros, mean"):
        ckpt.resize(prefix, {"b": 5}, tmp_path / "new", init=3)
    with pytest.raises(TypeError, match="expected several checkpoints, got the path"):
        ckpt.average(tmp_path / "new", prefix)
    assert not list(tmp_path.glob("new*"))
