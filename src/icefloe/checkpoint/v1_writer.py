"""Writes a V1 checkpoint of one file, byte for byte as TensorFlow's Save and SaveSlices do; see `v1_reader` for the
layout.

Records are sorted by key and the first lists all tensors: what is added is held until the file is written, or with
`add_lazy` is asked for then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.checkpoint.entries import encode_shape
from icefloe.checkpoint.index import to_key, to_name
from icefloe.checkpoint.single_file import new_file
from icefloe.checkpoint.slices import TensorSlice, encode_key, encode_slice
from icefloe.checkpoint.typed_values import encode_values, word
from icefloe.checkpoint.values import to_tensor
from icefloe.datatypes import DType
from icefloe.wire import message
from icefloe.wire.sstable import TableWriter

_VERSIONS = b"\x08\x01"
_MAX_RECORD = (1 << 31) - 1


class V1Writer:
    """A V1 checkpoint to be written to `path` by `finish`.

    Raises: InvalidArgumentError for a value it cannot hold, InternalError if slices of one tensor differ in shape or
    type.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._tensors: dict[bytes, tuple[tuple[int, ...], DType, list[TensorSlice]]] = {}
        self._data: dict[bytes, tuple[bytes, TensorSlice, Callable[[], np.ndarray], DType]] = {}

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
    ) -> None:
        """Take a whole tensor, or one slice of it, that `load` gives when it is written, one at a time."""
        shape = tuple(map(int, full_shape))
        self._put(to_key(name), shape, chosen or TensorSlice.full(len(shape)), dtype, load)

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
        self._data.setdefault(encode_key(key, chosen), (key, chosen, load, dtype))

    def finish(self) -> None:
        """Write the file; its directory is made. Until it is complete, a former one stays.

        Raises: what the file system says.
        """
        files.make_directory(os.path.split(self._path)[0])
        with new_file(self._path) as write:
            table = TableWriter(write)
            table.add(b"", message.encode_bytes(1, self._meta()))
            for key in sorted(self._data):
                table.add(key, self._record(*self._data[key]))
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

    def _record(self, key: bytes, chosen: TensorSlice, load: Callable[[], np.ndarray], dtype: DType) -> bytes:
        content = encode_values(load(), dtype)
        if len(content) + len(key) + 1024 > _MAX_RECORD:
            raise errors.InvalidArgumentError(
                "Tensor slice is too large to serialize (conservative estimate: "
                f"{len(content) + len(key) + 1024} bytes)"
            )
        saved = (
            (message.encode_bytes(1, key) if key else b"")
            + message.encode_bytes(2, encode_slice(chosen))
            + message.encode_bytes(3, content)
        )
        return message.encode_bytes(2, saved)
