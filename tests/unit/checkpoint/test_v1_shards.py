"""What the shards of a V1 checkpoint say of one tensor, each its part."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe import errors, open_checkpoint
from icefloe.checkpoint.entries import encode_shape
from icefloe.checkpoint.slices import encode_key, encode_slice, parse_slice
from icefloe.checkpoint.v1 import reader as v1_reader
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.datatypes import as_dtype
from icefloe.wire import message
from icefloe.wire.sstable import TableWriter


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


def test_no_memory_is_taken_for_parts_that_a_few_bytes_claim_to_be(tmp_path, monkeypatch):
    shape, half = (1 << 34,), 1 << 33
    parts = [parse_slice(f"{start},{half}") for start in (0, half)]
    meta = message.encode_bytes(1, b"v") + message.encode_bytes(2, encode_shape(shape)) + message.encode_int(3, 1)
    meta += b"".join(message.encode_bytes(4, encode_slice(part)) for part in parts)
    with open(tmp_path / "m", "wb") as file:
        table = TableWriter(file.write)
        table.add(b"", message.encode_bytes(1, message.encode_bytes(1, meta)))
        for part in parts:
            data = message.encode_bytes(3, message.encode_bytes(5, np.ones(6, np.float32).tobytes()))
            head = message.encode_bytes(1, b"v") + message.encode_bytes(2, encode_slice(part))
            table.add(encode_key(b"v", part), message.encode_bytes(2, head + data))
        table.finish()
    monkeypatch.setattr(v1_reader, "_empty", lambda shape, entry: pytest.fail(f"memory for {shape}"))
    with pytest.raises(errors.DataLossError, match="tensor v, slice"):
        open_checkpoint(tmp_path / "m")["v"]
