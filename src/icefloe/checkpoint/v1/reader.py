"""Reads a V1 checkpoint: one file, or shards, each a sorted string table of saved slices.

    ""          -> SavedTensorSlices{1 meta: SavedTensorSliceMeta{1 repeated SavedSliceMeta, 2 versions}}
    slice key   -> SavedTensorSlices{2 data: SavedSlice{1 name, 2 slice, 3 data: TensorProto}}
    SavedSliceMeta{1 name, 2 shape, 3 type, 4 repeated slice}

Every tensor is a slice, a whole one with all extents full. Source: tensorflow/core/util/saved_tensor_slice.proto,
tensor_slice_reader.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import assembly, names, object_graph, slices
from icefloe.checkpoint.entries import Entry, check_version, decode_shape, encode_entry
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import Entries, to_key, to_name
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice, as_slice
from icefloe.checkpoint.v1.large_blocks import BlockStream, find_value, is_streamed
from icefloe.checkpoint.v1.typed_values import Bytes, InMemory, decode_values
from icefloe.datatypes import DType
from icefloe.machine import memory
from icefloe.wire import message
from icefloe.wire.sstable import MAX_SNAPPY_RATIO, BlockHandle, Table

_E = TypeVar("_E", bound=errors.OpError)


class Records(Protocol):
    """What is asked of a table."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of `key`, or None."""


@dataclass(slots=True)
class _Tensor:
    """What the meta records say of one tensor; `places` maps a slice to the number of the file that holds it."""

    shape: tuple[int, ...]
    dtype: int
    places: dict[TensorSlice, int] = field(default_factory=dict)


class V1Reader(CheckpointReader):
    """The V1 checkpoint in `paths`, one file or all shards; `prefix` is what to call it.

    Raises: DataLossError or InternalError, with TensorFlow's text, if a file is no V1 checkpoint or its meta record
    is damaged.
    """

    format = "V1"

    def __init__(self, prefix: str, paths: Sequence[str]) -> None:
        self.prefix = prefix
        self._sources: list[Source] = []
        self._tables: list[Table | Records] = []
        self._tensors: dict[str, _Tensor] = {}
        self._lost = names.missing_v1_shards(paths)
        for path in paths:
            self._open(path)
        self.entries = Entries({name: _entry_of(t) for name, t in sorted(self._tensors.items())})

    def _open(self, path: str) -> None:
        source = Source(path)
        self._sources.append(source)
        try:
            table = self._table(source)
        except errors.DataLossError as e:
            raise errors.DataLossError(
                f"Unable to open table file {path}: DATA_LOSS: {e.message}: perhaps your file is in a different file "
                "format and you need to use a different restore operator?",
                path=path,
                offset=e.offset,
            ) from None
        self._tables.append(table)
        try:
            record = table.get(b"")
            if record is None:
                raise errors.DataLossError("there is no meta record")
            self._read_meta(record)
        except errors.DataLossError as e:
            raise errors.InternalError(
                f"Failed to find the saved tensor slices at the beginning of the checkpoint file: {path}: {e.message}",
                path=path,
                offset=e.offset,
            ) from None
        except errors.InvalidArgumentError as e:
            raise e.add_context(path=path) from None

    def _table(self, source: Source) -> Table | Records:
        """Return the table in an open file. Raises: DataLossError if it is none."""
        return Table(source.read, source.size)

    def _read_meta(self, record: bytes) -> None:
        for number, wire_type, value, stop in message.scan(record):
            if number != 1 or wire_type != message.BYTES:
                continue
            for inner, kind, start, end in message.scan(record, value, stop):
                if kind == message.BYTES and inner == 1:
                    self._read_tensor(record, start, end)
                elif kind == message.BYTES and inner == 2:
                    check_version(record[start:end])

    def _read_tensor(self, record: bytes, pos: int, end: int) -> None:
        name, dtype = "", 0
        shape: tuple[int, ...] | None = ()
        found: list[TensorSlice] = []
        for number, wire_type, value, stop in message.scan(record, pos, end):
            if number == 1 and wire_type == message.BYTES:
                name = to_name(record[value:stop])
            elif number == 2 and wire_type == message.BYTES:
                shape = decode_shape(record, value, stop)
            elif number == 3 and wire_type == message.VARINT:
                dtype = value
            elif number == 4 and wire_type == message.BYTES:
                found.append(slices.decode_slice(record, value, stop))
        if shape is None or (shape and min(shape) < 0):
            raise errors.DataLossError(f"tensor {name} has an impossible shape")
        tensor = self._tensors.setdefault(name, _Tensor(shape, dtype))
        if (tensor.shape, tensor.dtype) != (shape, dtype):
            raise errors.DataLossError(f"tensor {name} has different types or shapes in different places")
        for chosen in found:
            try:
                chosen.shape(shape)
            except errors.InternalError as e:
                raise errors.DataLossError(f"tensor {name}: {e.message}") from None
            tensor.places.setdefault(chosen, len(self._tables) - 1)

    def missing(self, name: str) -> errors.NotFoundError:
        error = super().missing(name)
        if name == object_graph.KEY:
            return error
        error.message = f'Tensor name "{name}" not found in checkpoint files {self.prefix}'
        error.path = None
        return self._with_lost(error)

    def _with_lost(self, error: _E) -> _E:
        """Add to an error what else may be the cause: files that are missing."""
        if self._lost:
            more = f" and {len(self._lost) - 1} more" if len(self._lost) > 1 else ""
            said = f"{self._lost[0]}{more} {'are' if more else 'is'} missing."
            error.hint = said if error.hint is None else f"{said} {error.hint}"
        return error

    def close(self) -> None:
        for source in self._sources:
            source.close()

    def read(self, name: str) -> np.ndarray:
        return self._read(self.find(name), None)

    def read_slice(self, name: str, chosen: TensorSlice) -> np.ndarray:
        return self._read(self.find(name), as_slice(chosen))

    def _read(self, name: str, chosen: TensorSlice | None) -> np.ndarray:
        entry = self.entries[name]
        try:
            return self._assemble(name, entry, TensorSlice.full(len(entry.shape)) if chosen is None else chosen)
        except errors.InvalidArgumentError as e:
            raise self._with_lost(e.add_context(path=self.prefix)) from None
        except errors.OpError as e:
            raise e.add_context(path=self.prefix) from None

    def _assemble(self, name: str, entry: Entry, chosen: TensorSlice) -> np.ndarray:
        tensor = self._tensors[name]
        if chosen in tensor.places:
            return self._read_stored(name, tensor, entry, chosen)
        if 0 in entry.shape:
            # No elements, so nothing to cover: any stored slice that is the whole tensor will do.
            whole = next((s for s in tensor.places if s.covers(entry.shape)), None)
            if whole is not None:
                return self._read_stored(name, tensor, entry, whole)[chosen.index(entry.shape)]
        sizes, pieces = assembly.pieces(name, entry.shape, list(tensor.places), chosen)
        if not self._may_hold(name, tensor, entry, [piece.stored for piece in pieces]):
            for piece in pieces:  # one of them tells what is wrong, before memory is taken for all
                self._read_stored(name, tensor, entry, piece.stored)
        array = _empty(sizes, entry)
        for piece in pieces:
            view = array[piece.target]
            if view.flags.c_contiguous and view.shape == piece.stored.shape(entry.shape) and not view.dtype.hasobject:
                self._read_stored(name, tensor, entry, piece.stored, view.reshape(-1))
            else:
                view[...] = self._read_stored(name, tensor, entry, piece.stored)[piece.origin]
        return array

    def _may_hold(self, name: str, tensor: _Tensor, entry: Entry, stored: Sequence[TensorSlice]) -> bool:
        """Whether the blocks that must hold some slices are large enough for as many elements."""
        claimed: dict[tuple[int, BlockHandle], int] = {}
        for chosen in stored:
            number = tensor.places[chosen]
            table = self._tables[number]
            handle = table.block_of(slices.encode_key(to_key(name), chosen)) if isinstance(table, Table) else None
            if handle is None:
                return False
            place = (number, handle)
            claimed[place] = claimed.get(place, 0) + slices.volume(chosen.shape(entry.shape))
        return all(count <= MAX_SNAPPY_RATIO * handle.size for (_, handle), count in claimed.items())

    def _read_stored(
        self, name: str, tensor: _Tensor, entry: Entry, stored: TensorSlice, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return a slice that is stored; it is read into `out`, flat, if that is given."""
        number = tensor.places[stored]
        path = self._sources[number].path
        shape = stored.shape(entry.shape)
        try:
            key = slices.encode_key(to_key(name), stored)
            return self._decode(number, key, entry.dtype, slices.volume(shape), out).reshape(shape)
        except MemoryError:
            raise errors.ResourceExhaustedError(
                f"no memory for tensor {name}, slice {stored}: a V1 checkpoint holds it in one record", path=path
            ) from None
        except errors.DataLossError as e:
            raise errors.DataLossError(
                f"tensor {name}, slice {stored}: {e.message}", path=path, offset=e.offset
            ) from None
        except ValueError as e:
            raise errors.UnimplementedError(
                f"tensor {name} has a shape that numpy cannot hold: {e}", path=path
            ) from None

    def _decode(self, number: int, key: bytes, dtype: DType, count: int, out: np.ndarray | None) -> np.ndarray:
        table, source = self._tables[number], self._sources[number]
        if isinstance(table, Table):
            handle = table.block_of(key)
            if handle is not None and is_streamed(source, handle):
                table.check_place(handle)
                return _decode_streamed(source, handle, key, dtype, count, out)
        record = table.get(key)
        if record is None:
            raise errors.DataLossError("the file has no such slice")
        return _decode_record(InMemory(record), 0, len(record), dtype, count, out)


def _decode_streamed(
    source: Source, handle: BlockHandle, key: bytes, dtype: DType, count: int, out: np.ndarray | None
) -> np.ndarray:
    """As `_decode_record`, for a record that is looked up in a large block, without holding the block."""
    stream = BlockStream(source, handle)
    try:
        place = find_value(source, handle, stream, key)
        if place is None:
            raise errors.DataLossError("the file has no such slice")
        array = _decode_record(stream, *place, dtype, count, out)
    except errors.DataLossError as e:
        stream.finish()  # a wrong checksum says more than what follows from it
        e.offset = handle.offset
        raise
    stream.finish()
    return array


def _decode_record(raw: Bytes, pos: int, end: int, dtype: DType, count: int, out: np.ndarray | None) -> np.ndarray:
    """Return the elements in the data record `raw[pos:end]`, flat. Raises: DataLossError if it holds no or other
    data.
    """
    for number, wire_type, value, stop in message.scan(raw, pos, end):
        if number == 2 and wire_type == message.BYTES:
            for inner, kind, start, last in message.scan(raw, value, stop):
                if inner == 3 and kind == message.BYTES:
                    return decode_values(raw, dtype, count, start, last, out)
    raise errors.DataLossError("the record holds no data")


def _empty(shape: tuple[int, ...], entry: Entry) -> np.ndarray:
    try:
        return memory.empty(shape, entry.dtype.numpy)
    except MemoryError:
        raise errors.ResourceExhaustedError(f"no memory for tensor {entry.name} of shape {list(shape)}") from None
    except ValueError as e:
        raise errors.UnimplementedError(f"tensor {entry.name} has a shape that numpy cannot hold: {e}") from None


def _entry_of(tensor: _Tensor) -> bytes:
    """Return a bundle's entry that says the same; the size is that of the elements in memory."""
    stored = list(tensor.places)
    sliced = stored if len(stored) != 1 or not stored[0].covers(tensor.shape) else []
    try:
        dtype = datatypes.as_dtype(tensor.dtype)
        size = 0 if dtype.numpy.hasobject or sliced else slices.volume(tensor.shape) * dtype.size
    except TypeError:
        size = 0
    shard = next(iter(tensor.places.values()), 0)
    return encode_entry(
        tensor.dtype, tensor.shape, shard=0 if sliced else shard, size=min(size, (1 << 62)), slices=sliced
    )
