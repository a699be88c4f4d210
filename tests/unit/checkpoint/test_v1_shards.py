"""What the shards of a V1 checkpoint say of one tensor, each its part."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe import errors, open_checkpoint
from icefloe.checkpoint.slices import parse_slice
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.datatypes import as_dtype


def shard(tmp_path, number, value, shape, part):
    writer = V1Writer(tmp_path / f"m-{number:05d}-of-00002")
    writer.add_lazy("v", as_dtype(value.dtype), shape, lambda: value, part)
    writer.finish()


def test_parts_in_two_files(tmp_path):
    value = np.arange(8, dtype=np.float32).reshape(4, 2)
    shard(tmp_path, 0, value[:1], (4, 2), parse_slice("0,1:-"))
    shard(tmp_path, 1, value[1:], (4, 2), parse_slice("1,3:-"))
    reader = open_checkpoint(tmp_path / "m")
    assert np.array_equal(reader["v"], value)
    assert np.array_equal(reader.read_slice("v", parse_slice("0,2:1,1")), value[:2, 1:])


@pytest.mark.parametrize(
    ("other", "shape"),
    [(np.zeros((3, 2), np.int32), (4, 2)), (np.zeros((3, 2), np.float32), (5, 2))],
    ids=["dtype", "shape"],
)
def test_shards_that_contradict_each_other(tmp_path, other, shape):
    shard(tmp_path, 0, np.zeros((1, 2), np.float32), (4, 2), parse_slice("0,1:-"))
    shard(tmp_path, 1, other, shape, parse_slice("1,3:-"))
    with pytest.raises(errors.InternalError, match="tensor v has different types or shapes in different places"):
        open_checkpoint(tmp_path / "m")


def test_a_part_of_a_tensor_without_elements(tmp_path):
    writer = V1Writer(tmp_path / "m")
    writer.add("v", np.zeros((4, 0), np.int32))
    writer.finish()
    part = open_checkpoint(tmp_path / "m").read_slice("v", parse_slice("1,2:-"))
    assert part.shape == (2, 0)
    assert part.dtype == np.int32
