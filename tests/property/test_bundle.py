"""What is written comes back, however it is laid out in memory, in shards or in slices."""

import itertools
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from icefloe import datatypes, errors
from icefloe.checkpoint import open_checkpoint, save_checkpoint, transfer
from icefloe.checkpoint.merge import merge_checkpoints
from icefloe.checkpoint.slices import TensorSlice, decode_key, decode_slice, encode_key, encode_slice, parse_slice
from icefloe.checkpoint.writer import BundleWriter
from icefloe.wire.sstable import Table, TableWriter
from unit.checkpoint.samples import NUMERIC, numbers, same

QUICK = settings(max_examples=40, deadline=None)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda fd: None)
        yield


@st.composite
def arrays(draw):
    """An array of any dtype, in any layout: transposed, strided, reversed, of the other byte order."""
    if draw(st.booleans()) and draw(st.booleans()):
        items = draw(st.lists(st.binary(max_size=40), max_size=12))
        out = np.empty(len(items), object)
        out[:] = items
        return out
    dtype = draw(st.sampled_from(NUMERIC))
    array = numbers(dtype, draw(SHAPES), draw(st.integers(0, 1000)))
    if array.ndim and draw(st.booleans()):
        array = array.transpose(draw(st.permutations(range(array.ndim))))
    if array.ndim and draw(st.booleans()):
        array = array[:: draw(st.sampled_from((-1, 2, -3)))]
    if array.dtype.kind in "iufc" and array.dtype.isbuiltin == 1 and draw(st.booleans()):
        array = array.astype(array.dtype.newbyteorder("S"))
    return array


def plain(array):
    native = datatypes.as_dtype(array.dtype).numpy
    return np.ascontiguousarray(array, native).reshape(array.shape)


@QUICK
@given(st.dictionaries(NAMES, arrays(), max_size=8), st.integers(1, 4), st.booleans())
def test_round_trip(tensors, shards, mmap):
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(Path(folder) / "c", tensors, shards=shards)
        with open_checkpoint(Path(folder) / "c", mmap=mmap) as reader:
            assert list(reader) == sorted(tensors, key=lambda n: n.encode())
            for name, value in tensors.items():
                got = reader[name]
                assert same(got, plain(value))
                assert got.flags.writeable != mmap


@QUICK
@given(st.data())
def test_slices_reassemble(data):
    """Cut a tensor on a grid, store the pieces in any order and in several bundles, merge, and read any box of it."""
    dtype = data.draw(st.sampled_from(NUMERIC))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6))
    value = numbers(dtype, shape, 3)
    axes = [sorted({0, n, *data.draw(st.lists(st.integers(0, n), max_size=2))}) for n in shape]
    boxes = list(itertools.product(*(itertools.pairwise(cuts) for cuts in axes)))
    boxes = data.draw(st.permutations(boxes))
    count = data.draw(st.integers(1, min(3, len(boxes))))
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / f"part{i}" for i in range(count)]
        for i, part in enumerate(parts):
            with BundleWriter(part) as writer:
                for box in boxes[i::count]:
                    chosen = TensorSlice(tuple((a, b - a) for a, b in box))
                    writer.add_slice("w", shape, chosen, value[tuple(slice(a, b) for a, b in box)])
        merge_checkpoints(parts, Path(folder) / "c")
        reader = open_checkpoint(Path(folder) / "c")
        assert same(reader["w"], value)
        starts = [data.draw(st.integers(0, n - 1)) for n in shape]
        ends = [data.draw(st.integers(a + 1, n)) for a, n in zip(starts, shape)]
        wanted = TensorSlice(tuple((a, b - a) for a, b in zip(starts, ends)))
        got = reader.read_slice("w", wanted)
        assert same(got, np.ascontiguousarray(value[tuple(map(slice, starts, ends))]))
        if len(boxes) > 1 and count > 1:
            with pytest.raises(errors.InvalidArgumentError, match="sufficient slices"):
                partly(folder, boxes[::count], shape, value)["w"]


def partly(folder, boxes, shape, value):
    with BundleWriter(Path(folder) / "partly") as writer:
        for box in boxes:
            chosen = TensorSlice(tuple((a, b - a) for a, b in box))
            writer.add_slice("w", shape, chosen, value[tuple(slice(a, b) for a, b in box)])
    return open_checkpoint(Path(folder) / "partly")


@QUICK
@given(st.data())
def test_a_slice_of_a_whole_tensor_is_that_part_of_it(data):
    value = numbers(data.draw(st.sampled_from(NUMERIC)), data.draw(hnp.array_shapes(max_dims=3, max_side=7)), 5)
    starts = [data.draw(st.integers(0, n - 1)) for n in value.shape]
    ends = [data.draw(st.integers(a + 1, n)) for a, n in zip(starts, value.shape)]
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(Path(folder) / "c", {"before": np.int8(1), "w": value})
        chosen = TensorSlice(tuple((a, b - a) for a, b in zip(starts, ends)))
        for mmap in (False, True):
            got = open_checkpoint(Path(folder) / "c", mmap=mmap).read_slice("w", chosen)
            assert same(got, value[tuple(map(slice, starts, ends))])


@QUICK
@given(arrays(), st.integers(1, 40))
def test_windows_are_the_elements_in_order(array, size):
    if array.dtype.hasobject:
        return
    native = datatypes.as_dtype(array.dtype).numpy
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "PIECE", max(size, native.itemsize))
        windows = list(transfer.windows(array, native))
    assert b"".join(w.tobytes() for w in windows) == plain(array).tobytes()
    assert all(w.nbytes <= max(size, native.itemsize) and w.dtype == native for w in windows)


@QUICK
@given(st.dictionaries(st.binary(max_size=20), st.binary(max_size=60), max_size=40), st.integers(1, 300))
def test_tables_of_any_keys(pairs, block_size):
    pieces = []
    writer = TableWriter(pieces.append, block_size=block_size)
    for key in sorted(pairs):
        writer.add(key, pairs[key])
    writer.finish()
    table = Table(b"".join(pieces))
    assert dict(table.items()) == pairs
    assert all(table.get(key) == value for key, value in pairs.items())


EXTENTS = st.one_of(
    st.just((0, -1)),
    st.tuples(st.integers(0, 1 << 61), st.integers(1, 1 << 61)),
    st.tuples(st.just(0), st.integers(1, 9)),
)


@QUICK
@given(st.binary(max_size=20), st.lists(EXTENTS, max_size=5))
def test_slice_keys_and_messages(name, extents):
    chosen = TensorSlice(tuple(extents))
    assert decode_key(encode_key(name, chosen)) == (name, chosen)
    assert decode_slice(encode_slice(chosen)) == chosen
    assert parse_slice(str(chosen)) == chosen
