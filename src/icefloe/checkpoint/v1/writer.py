"""Writes a V1 checkpoint of one file, byte for byte as TensorFlow's Save and SaveSlices do; see `v1.reader` for the
layout.

Records are sorted by key and the first lists all tensors: what is added is held until the file is written, or with
`add_lazy` is asked for then.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.checkpoint.entries import encode_shape
from icefloe.checkpoint.index import to_key, to_name
from icefloe.checkpoint.single_file import new_file
from icefloe.checkpoint.slices import TensorSlice, encode_key, encode_slice
from icefloe.checkpoint.v1.typed_values import can_encode, encode_values, packed, packed_head, packed_size, word
from icefloe.checkpoint.values import to_tensor
from icefloe.datatypes import DType
from icefloe.wire import message
from icefloe.wire.sstable import TableWriter

_VERSIONS = b"\x08\x01"
_MAX_RECORD = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class _Saved:
    """A slice to be written. pieces: give its elements, flat, as often as asked; None where `load` gives it whole."""

    key: bytes
    chosen: TensorSlice
    dtype: DType
    count: int
    load: Callable[[], np.ndarray]
    pieces: Callable[[], Iterable[np.ndarray]] | None


class V1Writer:
    """A V1 checkpoint to be written to `path` by `finish`.

    Raises: InvalidArgumentError for a value it cannot hold, InternalError if slices of one tensor differ in shape or
    type.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._tensors: dict[bytes, tuple[tuple[int, ...], DType, list[TensorSlice]]] = {}
        self._data: dict[bytes, _Saved] = {}

    def add(self, name: str | bytes, value: Any) -> None:
        """Take a whole tensor; its array must not change until `finish`."""
        key = to_key(name)
        dtype, array = to_tensor(to_name(key), value)
        self._put(key, array.shape, TensorSlice.full(array.ndim), dtype, lambda: array)

    def add_lazy(
        self,
        name: str | bytes,
        dtype: DType,
        full_shape: Sequence[int],
        load: Callable[[], np.ndarray],
        chosen: TensorSlice | None = None,
        pieces: Callable[[], Iterable[np.ndarray]] | None = None,
    ) -> None:
        """Take a whole tensor, or one slice of it, that `load` gives when it is written, one at a time.

        pieces: gives its elements in flat pieces, from the first on each time; a large tensor of numbers is then never
        held whole.
        """
        shape = tuple(map(int, full_shape))
        self._put(to_key(name), shape, chosen or TensorSlice.full(len(shape)), dtype, load, pieces)

    def add_slice(self, name: str | bytes, full_shape: Sequence[int], chosen: TensorSlice, value: Any) -> None:
        """Take one slice of a tensor of `full_shape`; its array must not change until `finish`."""
        key, shape = to_key(name), tuple(map(int, full_shape))
        dtype, array = to_tensor(to_name(key), value)
        if array.shape != chosen.shape(shape):
            raise errors.InvalidArgumentError(
                f"slice {chosen} of tensor {to_name(key)!r}: expected shape {list(chosen.shape(shape))}, "
                f"got {list(array.shape)}"
            )
        self._put(key, shape, chosen, dtype, lambda: array)

    def _put(
        self,
        key: bytes,
        shape: tuple[int, ...],
        chosen: TensorSlice,
        dtype: DType,
        load: Callable[[], np.ndarray],
        pieces: Callable[[], Iterable[np.ndarray]] | None = None,
    ) -> None:
        former = self._tensors.setdefault(key, (shape, dtype, []))
        if former[0] != shape:
            raise errors.InternalError(
                f"Mismatching shapes: existing tensor = {list(former[0])}, trying to add name {to_name(key)}, "
                f"shape = {list(shape)}"
            )
        if former[1] != dtype:
            raise errors.InternalError(
                f"Mismatching types: existing type = {word(former[1])}, trying to add name {to_name(key)}, "
                f"type = {word(dtype)}"
            )
        former[2].append(chosen)
        saved = _Saved(key, chosen, dtype, math.prod(chosen.shape(shape)), load, pieces)
        self._data.setdefault(encode_key(key, chosen), saved)

    def finish(self) -> None:
        """Write the file; its directory is made. Until it is complete, a former one stays.

        Raises: what the file system says.
        """
        files.make_directory(os.path.split(self._path)[0])
        with new_file(self._path) as write:
            table = TableWriter(write)
            table.add(b"", message.encode_bytes(1, self._meta()))
            for key in sorted(self._data):
                self._add(table, key, self._data[key])
            table.finish()

    def _meta(self) -> bytes:
        parts = []
        for key, (shape, dtype, stored) in self._tensors.items():
            meta = [
                message.encode_bytes(1, key) if key else b"",
                message.encode_bytes(2, encode_shape(shape)),
                message.encode_int(3, dtype.as_datatype_enum),
            ]
            meta += [message.encode_bytes(4, encode_slice(s)) for s in stored]
            parts.append(message.encode_bytes(1, b"".join(meta)))
        return b"".join((*parts, message.encode_bytes(2, _VERSIONS)))

    @staticmethod
    def _add(table: TableWriter, key: bytes, saved: _Saved) -> None:
        if saved.pieces is None or saved.dtype.numpy.hasobject or not can_encode(saved.dtype):
            table.add(key, b"".join(_record(saved, encode_values(saved.load(), saved.dtype))))
            return
        varies = packed_size(saved.dtype, 1, ()) == 0
        size = packed_size(saved.dtype, saved.count, saved.pieces() if varies else ())
        field = packed_head(saved.dtype, size)
        head = _record_head(saved, len(field) + size) + field
        if table.has_own_block(key, len(head) + size):
            table.add_pieces(key, len(head) + size, itertools.chain((head,), packed(saved.dtype, saved.pieces())))
        else:
            table.add(key, head + b"".join(packed(saved.dtype, saved.pieces())))


def _record(saved: _Saved, content: bytes) -> tuple[bytes, bytes]:
    return _record_head(saved, len(content)), content


def _record_head(saved: _Saved, size: int) -> bytes:
    """Return a record up to the `size` bytes of its values. Raises: InvalidArgumentError if they are too many."""
    if size + len(saved.key) + 1024 > _MAX_RECORD:
        raise errors.InvalidArgumentError(
            "Tensor slice is too large to serialize (conservative estimate: "
            f"{size + len(saved.key) + 1024} bytes): {to_name(saved.key)}"
        )
    head = (message.encode_bytes(1, saved.key) if saved.key else b"") + message.encode_bytes(
        2, encode_slice(saved.chosen)
    )
    head += message.encode_head(3, size)
    return message.encode_head(2, len(head) + size) + head
