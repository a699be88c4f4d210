"""The elements of a tensor as a TensorProto's typed field, the form in which V1 checkpoints hold them.

Which field and how, by dtype; small integers are varints in int_val, half is its 16 bits there in half_val, complex
numbers are pairs.
Source: tensorflow/core/framework/tensor.proto, tensorflow/core/util/saved_tensor_slice_util.h.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.contents import as_bytes, swap_bytes
from icefloe.datatypes import DType
from icefloe.machine import memory
from icefloe.wire import message
from icefloe.wire.coding import MAX_VARINT_SIZE, ByteSequence

_WINDOW = 1 << 20
_DECODED = 1 << 17  # bytes of varints that are decoded at once
_TRUSTED = 1 << 16  # elements that are given memory before it is clear whether they are there
_CONTENT = 4
_STRINGS = 8
# Field of the elements, and the numpy type of its numbers where they are of fixed size; None for varints.
_FIELDS: dict[str, tuple[int, str | None]] = {
    "float32": (5, "<f4"),
    "float64": (6, "<f8"),
    "complex64": (9, "<f4"),
    "complex128": (12, "<f8"),
    "int64": (10, None),
    "bool": (11, None),
    "float16": (13, None),
    "bfloat16": (13, None),
    "uint32": (16, None),
    "uint64": (17, None),
    **dict.fromkeys(("int32", "uint8", "int8", "int16", "uint16"), (7, None)),
    **dict.fromkeys(("qint8", "quint8", "qint16", "quint16", "qint32"), (7, None)),
}
# What TensorFlow's writer of V1 files has no code for, beside what has no field at all, uint32 and uint64.
_REFUSED = frozenset(("bfloat16", "qint16", "quint16"))


class Bytes(ByteSequence, Protocol):
    """A serialized message that gives many bytes at once to where they belong."""

    def fill(self, start: int, out: memoryview, /) -> None:
        """Fill `out` with the bytes from `start` on."""


class InMemory(bytes):
    """A serialized message that is held as a whole."""

    __slots__ = ()

    def fill(self, start: int, out: memoryview, /) -> None:
        """Fill `out` with the bytes from `start` on."""
        out[:] = memoryview(self)[start : start + len(out)]


def decode_values(
    raw: Bytes, dtype: DType, count: int, pos: int, end: int, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the `count` elements in the TensorProto that is serialized in `raw[pos:end]`, flat, in `out` or in memory
    of their own.

    Raises: DataLossError if there are more or fewer, UnimplementedError for a dtype that has no such field.
    """
    if dtype == datatypes.string:
        return _decode_strings(raw, count, pos, end)
    field, fixed = _FIELDS.get(dtype.name, (0, None))
    if field and count > _TRUSTED:
        # An element is at least as long as this; so what a false count asks for is bounded by what is there.
        _check_enough(end - pos, count * (dtype.size if fixed else 1), count)
    target = _Target(dtype, count, fixed, out)
    for number, wire_type, value, stop in message.scan(raw, pos, end):
        if number == _CONTENT and wire_type == message.BYTES and stop > value and not dtype.numpy.hasobject:
            return target.take_content(raw, value, stop)
        if number != field or not field:
            continue
        if wire_type == message.BYTES:
            if fixed:
                target.take_fixed(raw, value, stop)
            else:
                target.take_varints(raw, value, stop)
        elif wire_type == message.VARINT and not fixed:
            target.put(_narrowed(np.array([value], np.uint64), dtype))
        elif fixed and wire_type == (message.FIXED32 if fixed == "<f4" else message.FIXED64):
            target.put_bytes(value.to_bytes(np.dtype(fixed).itemsize, "little"))
        else:
            raise errors.DataLossError(f"field {number} of a TensorProto has wire type {wire_type}")
    if not field and count:
        raise errors.UnimplementedError(f"a V1 checkpoint with elements of type {dtype.name}")
    return target.finish()


def _decode_strings(raw: Bytes, count: int, pos: int, end: int) -> np.ndarray:
    strings = [
        bytes(raw[value:stop])
        for n, kind, value, stop in message.scan(raw, pos, end)
        if n == _STRINGS and kind == message.BYTES
    ]
    _check_count(len(strings), count)
    array = np.empty(count, object)
    array[:] = strings
    return array


class _Target:
    """The flat array that elements are put in, one run after another; `out` where there is one already.

    It is made when the first element comes. Numbers are counted: two for a complex element.
    """

    def __init__(self, dtype: DType, count: int, fixed: str | None, out: np.ndarray | None) -> None:
        self._dtype = dtype
        self._count = count
        self._size = np.dtype(fixed).itemsize if fixed else dtype.size  # bytes of a number
        self._expected = count * dtype.size // self._size
        self._done = 0
        self._out = out

    @property
    def _array(self) -> np.ndarray:
        if self._out is None:
            self._out = memory.empty((self._count,), self._dtype.numpy)
        return self._out

    def _run(self, count: int) -> memoryview:
        """Return the memory of the next `count` numbers. Raises: DataLossError if that is more than there may be."""
        start = self._done
        self._done += count
        if self._done > self._expected:
            _check_count(self._done, self._expected)
        return as_bytes(self._array)[start * self._size : self._done * self._size]

    def take_content(self, raw: Bytes, value: int, stop: int) -> np.ndarray:
        """Take all elements as their bytes in memory, whatever came before; return the array."""
        _check_count(stop - value, self._count * self._dtype.size)
        self._done = 0
        raw.fill(value, self._run(self._expected))
        return self._array

    def take_fixed(self, raw: Bytes, value: int, stop: int) -> None:
        """Take a packed field of numbers of fixed size."""
        if (stop - value) % self._size:
            raise errors.DataLossError("a packed field ends in the middle of a number")
        run = self._run((stop - value) // self._size)
        raw.fill(value, run)
        _to_native(run, self._size)

    def put_bytes(self, number: bytes) -> None:
        """Take one little-endian number."""
        run = self._run(1)
        run[:] = number
        _to_native(run, self._size)

    def take_varints(self, raw: Bytes, value: int, stop: int) -> None:
        """Take a packed field of varints."""
        for numbers in _varints(raw, value, stop, self._dtype):
            self.put(numbers)

    def put(self, numbers: np.ndarray) -> None:
        """Take elements of the dtype."""
        self._run(numbers.size)[:] = as_bytes(numbers)

    def finish(self) -> np.ndarray:
        """Return the array. Raises: DataLossError if elements are missing."""
        _check_count(self._done, self._expected)
        return self._array


def _to_native(run: memoryview, size: int) -> None:
    if sys.byteorder == "big":
        swap_bytes(np.frombuffer(run, f"u{size}"))


def _narrowed(numbers: np.ndarray, dtype: DType) -> np.ndarray:
    """Return the low bits of uint64 `numbers` as elements of `dtype`."""
    if dtype == datatypes.bool:
        return numbers != 0
    return numbers.astype(f"u{dtype.size}").view(dtype.numpy)


def _check_count(found: int, expected: int) -> None:
    if found != expected:
        raise errors.DataLossError(f"expected {expected} values in a saved slice, got {found}")


def _check_enough(size: int, needed: int, count: int) -> None:
    if size < needed:
        raise errors.DataLossError(f"expected {count} values in a saved slice, got {size} bytes")


def _varints(raw: Bytes, pos: int, end: int, dtype: DType) -> Iterator[np.ndarray]:
    """Yield the varints in `raw[pos:end]` as elements of `dtype`, window by window: in between each takes tens of
    bytes.
    """
    while pos < end:
        data = np.frombuffer(raw[pos : min(pos + _DECODED, end)], np.uint8)
        ends = np.flatnonzero(data < 0x80)
        if not ends.size:
            raise errors.DataLossError("a packed field ends in the middle of a varint")
        size = int(ends[-1]) + 1
        if data.size - size >= MAX_VARINT_SIZE:
            raise errors.DataLossError("an overlong varint in a packed field")
        pos += size
        if ends.size == size:  # one byte each
            yield _narrowed(data.astype(np.uint64), dtype)
            continue
        starts = np.concatenate(([0], ends[:-1] + 1))
        lengths = ends - starts + 1
        if lengths.max() > MAX_VARINT_SIZE:
            raise errors.DataLossError("an overlong varint in a packed field")
        numbers = (data[starts] & 0x7F).astype(np.uint64)
        longer = np.arange(starts.size)
        for group in range(1, int(lengths.max())):
            longer = longer[lengths[longer] > group]
            numbers[longer] |= (data[starts[longer] + group] & 0x7F).astype(np.uint64) << np.uint64(7 * group)
        yield _narrowed(numbers, dtype)


def can_encode(dtype: DType) -> bool:
    """Whether a V1 checkpoint can hold elements of a dtype."""
    if dtype == datatypes.string:
        return True
    return dtype.name in _FIELDS and dtype.name not in _REFUSED and dtype.name not in ("uint32", "uint64")


def encode_values(array: np.ndarray, dtype: DType) -> bytes:
    """Return the elements as TensorFlow's V1 writer does: the typed field alone of a TensorProto, nothing where
    there are none.

    Raises: InvalidArgumentError or UnimplementedError for a dtype that a V1 checkpoint cannot hold.
    """
    flat = np.ascontiguousarray(array, dtype.numpy).reshape(-1)
    if dtype == datatypes.string:
        return b"".join(message.encode_bytes(_STRINGS, value) for value in flat.tolist())
    if dtype.name in _REFUSED:
        raise errors.UnimplementedError(f"Saving data type {word(dtype)} not yet supported")
    if not can_encode(dtype):
        raise errors.InvalidArgumentError(
            f"Tensor slice serialization not implemented for dtype {dtype.as_datatype_enum}"
        )
    if not flat.size:
        return b""
    return packed_head(dtype, packed_size(dtype, flat.size, [flat])) + b"".join(packed(dtype, [flat]))


def packed_head(dtype: DType, size: int) -> bytes:
    """Return what comes before the `size` bytes of the typed field; nothing where there are none."""
    return message.encode_head(_FIELDS[dtype.name][0], size) if size else b""


def packed_size(dtype: DType, count: int, pieces: Iterable[np.ndarray]) -> int:
    """Return how many bytes `packed` gives for `count` elements; pieces are looked at where that depends on values."""
    if _FIELDS[dtype.name][1]:
        return count * dtype.size
    return sum(int(_varint_lengths(numbers).sum()) for piece in pieces for numbers in _windows(dtype, piece))


def packed(dtype: DType, pieces: Iterable[np.ndarray]) -> Iterator[bytes | memoryview]:
    """Yield the content of the typed field that holds the elements of all pieces, which are flat."""
    for piece in pieces:
        if _FIELDS[dtype.name][1]:
            yield as_bytes(np.ascontiguousarray(piece, dtype.numpy))
        else:
            for numbers in _windows(dtype, piece):
                yield _varint_window(numbers)


def _windows(dtype: DType, flat: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the elements as uint64, as many at once as take no more than a few MB."""
    step = _WINDOW // 8
    for i in range(0, flat.size, step):
        window = np.ascontiguousarray(flat[i : i + step], dtype.numpy)
        if dtype == datatypes.bool:
            yield window.astype(np.uint64)
        elif dtype.name == "float16":
            yield window.view(np.uint16).astype(np.uint64)
        else:
            plain = window.view(window.dtype[0]) if window.dtype.names else window
            yield plain.astype(np.int64).view(np.uint64)


def _varint_lengths(numbers: np.ndarray) -> np.ndarray:
    lengths = np.ones(numbers.size, np.intp)
    largest = int(numbers.max(initial=0)).bit_length()
    for group in range(1, -(-largest // 7)):
        lengths += numbers >= np.uint64(1 << (7 * group))
    return lengths


def _varint_window(numbers: np.ndarray) -> bytes:
    if numbers.max(initial=0) < 0x80:
        return numbers.astype(np.uint8).tobytes()
    lengths = _varint_lengths(numbers)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    out = np.empty(int(ends[-1]), np.uint8)
    for group in range(int(lengths.max())):
        has = lengths > group
        low = (numbers[has] >> np.uint64(7 * group)).astype(np.uint8) & 0x7F
        out[starts[has] + group] = low | ((lengths[has] > group + 1) * np.uint8(0x80))
    return out.tobytes()


def word(dtype: DType) -> str:
    """Return TensorFlow's C++ name of a dtype, as its messages have it."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
