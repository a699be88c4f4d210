"""Writes a V2 checkpoint, byte for byte as TensorFlow does: data in the order in which tensors are added, the index
sorted.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents, files, slices
from icefloe.checkpoint.arguments import as_whole
from icefloe.checkpoint.commit import begin
from icefloe.checkpoint.entries import Header, encode_entry
from icefloe.checkpoint.flushing import Flusher
from icefloe.checkpoint.index import to_key, to_name
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.transfer import write_summed
from icefloe.checkpoint.values import to_tensor
from icefloe.datatypes import DType
from icefloe.wire.crc import crc32c, mask
from icefloe.wire.sstable import TableWriter

# Small tensors are gathered to one write of this size.
_BUFFER_SIZE = 1 << 20


class _Shard:
    """One data file being written."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self._path = path
        self._buffer = bytearray()
        self._flusher = Flusher(fd, path)
        self.size = 0

    def write(self, data: bytes | memoryview) -> None:
        self.size += len(data)
        if len(self._buffer) + len(data) > _BUFFER_SIZE:
            self.flush()
        if len(data) >= _BUFFER_SIZE:
            self._put(data)
        else:
            self._buffer += data

    def flush(self) -> None:
        if self._buffer:
            self._put(self._buffer)
            self._buffer = bytearray()

    def _put(self, data: bytes | bytearray | memoryview) -> None:
        files.write(self._fd, data, self._path)
        self._flusher.wrote(len(data))

    def finish(self) -> None:
        self.flush()
        self._flusher.finish()

    def abandon(self) -> None:
        self._flusher.stop()


class BundleWriter:
    """A V2 checkpoint under way, to be used in a `with` block.

        with BundleWriter("dir/model.ckpt") as writer:
            writer.add("w", array)

    Tensors are written as they are added. Leaving the block commits: until then, and after an exception, what was
    under the prefix stays. The directory is made if its parent exists.

    prefix: path without suffix.   shards: how many data files; `add` fills the one that has the fewest bytes.

    Raises: InvalidArgumentError for a bad value or a name that was added before; what the file system says.
    """

    def __init__(self, prefix: str | os.PathLike[str], *, shards: int = 1) -> None:
        shards = as_whole(shards, "shards")
        if not 0 < shards <= 99999:
            raise errors.InvalidArgumentError(f"expected 1 to 99999 shards, got {shards}")
        self.prefix = os.fsdecode(prefix)
        self._count = shards
        self._entries: dict[bytes, bytes] = {}
        # A partitioned tensor's own entry grows with every slice: dtype, full shape, slices.
        self._sliced: dict[bytes, tuple[DType, tuple[int, ...], list[TensorSlice]]] = {}
        self._transaction = begin(self.prefix)
        self._total = self._transaction.count(shards)
        self._state = "open"
        self._shards: list[_Shard] = []
        try:
            for i in range(shards):
                self._shards.append(_Shard(*self._transaction.create_shard(i, self._total)))
        except BaseException:
            self.abandon()
            raise

    def add(self, name: str | bytes, value: Any, *, dtype: DType | None = None) -> None:
        """Store a tensor. `dtype` tells what an object array is where it has no elements: string by default."""
        self._check_open()
        self._store(_tensor_key(name), *_typed(name, value, dtype))

    def add_stream(self, name: str | bytes, dtype: DType, shape: Sequence[int], pieces: Iterable[np.ndarray]) -> None:
        """Store a numeric tensor whose elements come in C order in arrays of any size; none is held longer than it
        takes to write it.

        Raises: as `add`; InvalidArgumentError if `pieces` give more or fewer elements than `shape` has.
        """
        self._check_open()
        key = _tensor_key(name)

        def write(shard: _Shard) -> int:
            crc = 0
            for piece in pieces:
                data = np.ascontiguousarray(piece, dtype.numpy).reshape(-1).view(np.uint8).data
                crc = crc32c(data, crc)
                shard.write(data)
            return crc

        self._put(key, dtype, tuple(map(int, shape)), write)

    def add_slice(
        self,
        name: str | bytes,
        full_shape: Sequence[int],
        chosen: TensorSlice,
        value: Any,
        *,
        dtype: DType | None = None,
    ) -> None:
        """Store one slice of a tensor of `full_shape`; a slice that covers all of it is stored as the tensor.

        Raises: InvalidArgumentError also if `value` has not the slice's shape, or dtype or full shape differ from
        those of an earlier slice.
        """
        self._check_open()
        key, shape = _tensor_key(name), tuple(map(int, full_shape))
        element, array = _typed(name, value, dtype)
        expected = chosen.shape(shape)
        if array.shape != expected:
            raise errors.InvalidArgumentError(
                f"slice {chosen} of tensor {to_name(key)!r}: expected shape {list(expected)}, got {list(array.shape)}"
            )
        if chosen.covers(shape):
            self._store(key, element, array)
            return
        if key in self._entries:
            raise _duplicate(key)
        stored = self._sliced.setdefault(key, (element, shape, []))
        if stored[:2] != (element, shape):
            raise errors.InvalidArgumentError(
                f"slices of tensor {to_name(key)!r} differ: {stored[0].name} {list(stored[1])} and "
                f"{element.name} {list(shape)}"
            )
        self._store(slices.encode_key(key, chosen), element, array)
        stored[2].append(chosen)

    def _store(self, key: bytes, dtype: DType, array: np.ndarray) -> None:
        def write(shard: _Shard) -> int:
            if dtype not in (datatypes.string, datatypes.variant):
                return write_summed(array, dtype.numpy, shard.write)
            encode = contents.encode_strings if dtype == datatypes.string else contents.encode_variants
            pieces, _, crc = encode(array.reshape(-1).tolist())
            for piece in pieces:
                shard.write(piece)
            return crc

        self._put(key, dtype, array.shape, write)

    def _put(self, key: bytes, dtype: DType, shape: tuple[int, ...], write: Callable[[_Shard], int]) -> None:
        """Write a tensor by `write(shard)`, which returns the CRC for its entry."""
        if key in self._entries or key in self._sliced:
            raise _duplicate(key)
        number = min(range(self._count), key=lambda i: self._shards[i].size) if self._count > 1 else 0
        shard = self._shards[number]
        offset = shard.size
        try:
            crc = write(shard)
            size = shard.size - offset
            if not dtype.numpy.hasobject and size != math.prod(shape) * dtype.size:
                raise errors.InvalidArgumentError(
                    f"tensor {to_name(key)!r}: {size} bytes for {dtype.name} {list(shape)}"
                )
        except BaseException:
            self._state = "failed"  # the data file now ends in the middle of a tensor
            raise
        self._entries[key] = encode_entry(
            dtype.as_datatype_enum, shape, shard=number, offset=offset, size=size, masked_crc=mask(crc)
        )

    def _check_open(self) -> None:
        if self._state != "open":
            raise errors.FailedPreconditionError(f"{self.prefix}: this writer is {self._state}")

    def finish(self) -> None:
        """Write the index and commit. After a failure nothing of this save is left, unless the commit was done
        already.
        """
        self._check_open()
        self._state = "failed"
        try:
            for shard in self._shards:
                shard.finish()
            for key, (dtype, shape, chosen) in self._sliced.items():
                self._entries[key] = encode_entry(dtype.as_datatype_enum, shape, slices=chosen)
            self._transaction.write_index(encode_index(Header(self._total), self._entries))
            self._transaction.commit(self._total)
        except BaseException:
            self.abandon()
            raise
        self._state = "finished"

    def abandon(self) -> None:
        """Give up: remove what was written. Nothing happens after `finish`."""
        if self._state in ("open", "failed"):
            self._state = "abandoned"
            for shard in self._shards:
                shard.abandon()
            self._transaction.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None and self._state == "open":
            self.finish()
        else:
            self.abandon()


def _typed(name: str | bytes, value: Any, dtype: DType | None) -> tuple[DType, np.ndarray]:
    text = to_name(name) if isinstance(name, bytes) else name
    found, array = to_tensor(text, value)
    if dtype is not None and found != dtype:
        if array.size or not array.dtype.hasobject:
            raise errors.InvalidArgumentError(f"tensor {text!r}: expected {dtype.name}, got {found.name}")
        found = dtype
    return found, array


def _tensor_key(name: str | bytes) -> bytes:
    key = to_key(name)
    if not key or slices.is_slice_key(key):
        raise errors.InvalidArgumentError(
            f"{name!r} cannot be the name of a tensor: it is empty or begins with a zero byte"
        )
    return key


def _duplicate(key: bytes) -> errors.OpError:
    if slices.is_slice_key(key):
        name, chosen = slices.decode_key(key)
        what = f"slice {chosen} of {to_name(name)}"
    else:
        what = to_name(key)
    return errors.InvalidArgumentError(f"Adding duplicate key: {what}")


def encode_index(header: Header, entries: dict[bytes, bytes]) -> bytes:
    """Return the bytes of an index file that holds serialized `entries` by key."""
    pieces: list[bytes | memoryview] = []
    table = TableWriter(pieces.append)
    table.add(b"", header.encode())
    for key in sorted(entries):
        table.add(key, entries[key])
    table.finish()
    return b"".join(pieces)
