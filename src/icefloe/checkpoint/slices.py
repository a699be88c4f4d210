"""Slices of a tensor: one extent per dimension, as text, as TensorSliceProto and as the key of an index entry.

    spec     "6 2 2,2:0,2": the full shape, then `start,length` or `-` per dimension joined by colons
    key      number 0, name, rank, then start and length of each extent in ordered code; a full extent is (0, -1)

An extent that is written out (`0,6` of 6) covers the same elements as `-` but is another key: both forms are kept as
they are.
Source: tensorflow/core/framework/tensor_slice.cc, tensorflow/core/util/saved_tensor_slice_util.cc.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefloe.errors import DataLossError, InternalError, InvalidArgumentError
from icefloe.wire import message
from icefloe.wire.coding import (
    Buffer,
    decode_ordered_number,
    decode_ordered_signed,
    decode_ordered_string,
    encode_ordered_number,
    encode_ordered_signed,
    encode_ordered_string,
    to_signed64,
)

FULL = -1  # the length of an extent that covers its whole dimension
_MAX_INT64 = (1 << 63) - 1
_NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """A box of a tensor: `extents` holds `(start, length)` per dimension, (0, FULL) for a whole one."""

    extents: tuple[tuple[int, int], ...]

    @classmethod
    def full(cls, rank: int) -> TensorSlice:
        return cls(((0, FULL),) * rank)

    @property
    def is_full(self) -> bool:
        return all(length == FULL for _, length in self.extents)

    def __str__(self) -> str:
        return ":".join("-" if length == FULL else f"{start},{length}" for start, length in self.extents)

    def shape(self, full_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of this slice of a tensor of `full_shape`.

        Raises: InternalError if the rank differs or an extent is out of bounds.
        """
        if len(full_shape) != len(self.extents):
            raise InternalError(f"Mismatching ranks: shape = {_text(full_shape)}, slice = {self}")
        out = []
        for d, ((start, length), size) in enumerate(zip(self.extents, full_shape)):
            if length == FULL:
                out.append(size)
            elif start + length <= size:
                out.append(length)
            else:
                raise InternalError(
                    f"Extent in dimension {d} out of bounds: shape = {_text(full_shape)}, slice = {self}"
                )
        return tuple(out)

    def bounds(self, full_shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Return `(start, stop)` per dimension. Raises: as `shape`."""
        sizes = self.shape(full_shape)
        return tuple((start, start + size) for (start, _), size in zip(self.extents, sizes))

    def index(self, full_shape: tuple[int, ...]) -> tuple[slice, ...]:
        """Return the numpy index of this slice. Raises: as `shape`."""
        return tuple(slice(start, stop) for start, stop in self.bounds(full_shape))

    def covers(self, full_shape: tuple[int, ...]) -> bool:
        """Whether the slice is the whole tensor. Raises: as `shape`."""
        return self.shape(full_shape) == tuple(full_shape)


def as_slice(value: object) -> TensorSlice:
    """Return a TensorSlice that was given. Raises: TypeError for what is none."""
    if not isinstance(value, TensorSlice):
        raise TypeError(
            f"expected a TensorSlice, got {type(value).__name__}; `ckpt.read_part` takes an index as numpy does"
        )
    return value


def _text(shape: tuple[int, ...]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def parse_slice(text: str) -> TensorSlice:
    """Return the slice that `text`, such as `-:0,10`, describes. Raises: InvalidArgumentError as TensorFlow does."""
    extents = []
    for item in filter(None, text.split(":")):  # as TensorFlow does, which takes "-:" for "-"
        if item == "-":
            extents.append((0, FULL))
            continue
        numbers = item.split(",")
        if len(numbers) != 2 or not all(_NUMBER.fullmatch(n) for n in numbers):
            raise InvalidArgumentError(f"Expected a pair of numbers or '-' but got '{item}': string = {text}")
        start, length = map(int, numbers)
        if start < 0 or length <= 0 or start + length > _MAX_INT64:
            raise InvalidArgumentError(
                f"Expected non-negative start and positive length but got start = {start}, length = {length}: "
                f"string = {text}"
            )
        extents.append((start, length))
    return TensorSlice(tuple(extents))


def parse_spec(spec: str) -> tuple[tuple[int, ...], TensorSlice]:
    """Return `(full shape, slice)` of a `shape_and_slice` text that is not empty.

    Raises: InvalidArgumentError if it is malformed or the slice does not fit the shape (InternalError where
    TensorFlow says so).
    """
    *sizes, slice_text = spec.split(" ")
    if not sizes:
        raise InvalidArgumentError(f"Need least two elements in shape_and_slice specification: {spec}")
    chosen = parse_slice(slice_text)
    shape = []
    for size in sizes:
        if not _NUMBER.fullmatch(size) or int(size) > _MAX_INT64:
            raise InvalidArgumentError(f"Non numerical dimension in shape_and_slice: {spec}")
        if int(size) < 0:
            raise InvalidArgumentError(f"Dimension {size} must be >= 0")
        shape.append(int(size))
    chosen.shape(tuple(shape))
    return tuple(shape), chosen


def encode_key(name: bytes, chosen: TensorSlice) -> bytes:
    """Return the key under which the index holds the entry of a slice."""
    out = [encode_ordered_number(0), encode_ordered_string(name), encode_ordered_number(len(chosen.extents))]
    for start, length in chosen.extents:
        out += (encode_ordered_signed(start), encode_ordered_signed(length))
    return b"".join(out)


def is_slice_key(key: bytes) -> bool:
    """Whether an index key is that of a slice; names of tensors never begin with a zero byte."""
    return key[:1] == b"\0"


def decode_key(key: bytes) -> tuple[bytes, TensorSlice]:
    """Return `(name, slice)` of a slice's key. Raises: DataLossError if it is none."""
    zero, pos = decode_ordered_number(key, 0)
    name, pos = decode_ordered_string(key, pos)
    rank, pos = decode_ordered_number(key, pos)
    if zero != 0 or rank > len(key):
        raise DataLossError("malformed key of a tensor slice")
    extents = []
    for _ in range(rank):
        start, pos = decode_ordered_signed(key, pos)
        length, pos = decode_ordered_signed(key, pos)
        extents.append(_checked(start, length))
    if pos != len(key):
        raise DataLossError("malformed key of a tensor slice")
    return name, TensorSlice(tuple(extents))


def _checked(start: int, length: int) -> tuple[int, int]:
    if length == FULL and start == 0:
        return start, length
    if start < 0 or length <= 0 or start + length > _MAX_INT64:
        raise DataLossError(f"impossible extent of a tensor slice: start {start}, length {length}")
    return start, length


def encode_slice(chosen: TensorSlice) -> bytes:
    """Return the slice as a TensorSliceProto."""
    out = []
    for start, length in chosen.extents:
        extent = b"" if length == FULL else message.encode_int(1, start) + message.encode_present_int(2, length)
        out.append(message.encode_bytes(1, extent))
    return b"".join(out)


def decode_slice(buf: Buffer, pos: int = 0, end: int | None = None) -> TensorSlice:
    """Return the slice of the TensorSliceProto in `buf[pos:end]`. Raises: DataLossError if it is malformed."""
    extents = []
    for number, wire_type, value, stop in message.scan(buf, pos, end):
        if number != 1 or wire_type != message.BYTES:
            continue
        start, length = 0, FULL
        for field, kind, number_value, _ in message.scan(buf, value, stop):
            if kind == message.VARINT and field == 1:
                start = to_signed64(number_value)
            elif kind == message.VARINT and field == 2:
                length = to_signed64(number_value)
        extents.append(_checked(start, length))
    return TensorSlice(tuple(extents))


def check_disjoint(slices: Sequence[TensorSlice], full_shape: tuple[int, ...]) -> None:
    """Check that no element is in two of `slices`. Raises: InternalError as TensorFlow does."""
    if len(slices) < 2:
        return
    if not full_shape:
        raise InternalError(f"Overlapping slices: existing slice = {slices[0]}, new slice = {slices[1]}")
    bounds = np.array([s.bounds(full_shape) for s in slices], np.int64)
    starts, stops = bounds[:, :, 0], bounds[:, :, 1]
    # Sweep along the axis that tells most slices apart, comparing only those whose extents there meet.
    axis = max(range(len(full_shape)), key=lambda d: len(np.unique(starts[:, d])))
    active = np.empty(0, np.intp)
    for i in np.argsort(starts[:, axis], kind="stable").tolist():
        active = active[stops[active, axis] > starts[i, axis]]
        meets = ((starts[active] < stops[i]) & (starts[i] < stops[active])).all(axis=1)
        if meets.any():
            first, second = sorted((i, int(active[meets][0])))
            raise InternalError(f"Overlapping slices: existing slice = {slices[first]}, new slice = {slices[second]}")
        active = np.append(active, i)


def volume(shape: tuple[int, ...]) -> int:
    """Return how many elements a tensor of `shape` has."""
    return math.prod(shape)
