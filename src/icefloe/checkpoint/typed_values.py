"""The elements of a tensor as a TensorProto's typed field, the form in which V1 checkpoints hold them.

Which field and how, by dtype; small integers are varints in int_val, half is its 16 bits there in half_val, complex
numbers are pairs.
Source: tensorflow/core/framework/tensor.proto, tensorflow/core/util/saved_tensor_slice_util.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.contents import as_bytes
from icefloe.datatypes import DType
from icefloe.wire import message
from icefloe.wire.coding import MAX_VARINT_SIZE, Buffer

_WINDOW = 1 << 20
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


def decode_values(raw: Buffer, dtype: DType, count: int) -> np.ndarray:
    """Return the `count` elements in a serialized TensorProto, flat, in memory of their own.

    Raises: DataLossError if there are more or fewer, UnimplementedError for a dtype that has no such field.
    """
    if dtype == datatypes.string:
        strings = [
            bytes(raw[value:stop])
            for n, kind, value, stop in message.scan(raw)
            if n == _STRINGS and kind == message.BYTES
        ]
        _check_count(len(strings), count)
        array = np.empty(count, object)
        array[:] = strings
        return array
    field, fixed = _FIELDS.get(dtype.name, (0, None))
    parts: list[np.ndarray] = []
    for number, wire_type, value, stop in message.scan(raw):
        if number == _CONTENT and wire_type == message.BYTES and stop > value and not dtype.numpy.hasobject:
            _check_count(stop - value, count * dtype.size)
            return np.frombuffer(raw, dtype.numpy, count, value).copy()
        if number != field or not field:
            continue
        if wire_type == message.BYTES:
            parts += [_fixed(raw, value, stop, fixed)] if fixed else _varints(raw, value, stop, dtype)
        elif wire_type == message.VARINT and not fixed:
            parts.append(_narrowed(np.array([value], np.uint64), dtype))
        elif fixed and wire_type in (message.FIXED32, message.FIXED64):
            size = 4 if wire_type == message.FIXED32 else 8
            parts.append(np.frombuffer(value.to_bytes(size, "little"), fixed[:2] + str(size)))
        else:
            raise errors.DataLossError(f"field {number} of a TensorProto has wire type {wire_type}")
    if not field and count:
        raise errors.UnimplementedError(f"a V1 checkpoint with elements of type {dtype.name}")
    return _converted(parts, dtype, fixed, count)


def _converted(parts: list[np.ndarray], dtype: DType, fixed: str | None, count: int) -> np.ndarray:
    per_element = 2 if dtype.is_complex else 1
    _check_count(sum(len(p) for p in parts), count * per_element)
    if not parts:
        return np.empty(0, dtype.numpy)
    numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return numbers.astype(fixed[1:], copy=True).view(dtype.numpy) if fixed else numbers


def _narrowed(numbers: np.ndarray, dtype: DType) -> np.ndarray:
    """Return the low bits of uint64 `numbers` as elements of `dtype`."""
    if dtype == datatypes.bool:
        return numbers != 0
    return numbers.astype(f"u{dtype.size}").view(dtype.numpy)


def _check_count(found: int, expected: int) -> None:
    if found != expected:
        raise errors.DataLossError(f"expected {expected} values in a saved slice, got {found}")


def _fixed(raw: Buffer, pos: int, end: int, form: str) -> np.ndarray:
    size = np.dtype(form).itemsize
    if (end - pos) % size:
        raise errors.DataLossError("a packed field ends in the middle of a number")
    return np.frombuffer(raw, form, (end - pos) // size, pos)


def _varints(raw: Buffer, pos: int, end: int, dtype: DType) -> Iterator[np.ndarray]:
    """Yield the varints in `raw[pos:end]` as elements of `dtype`, window by window: in between each takes tens of
    bytes.
    """
    while pos < end:
        data = np.frombuffer(raw, np.uint8, min(end - pos, _WINDOW), pos)
        ends = np.flatnonzero(data < 0x80)
        if not ends.size:
            raise errors.DataLossError("a packed field ends in the middle of a varint")
        size = int(ends[-1]) + 1
        pos += size
        if ends.size == size:  # one byte each
            yield _narrowed(data.astype(np.uint64), dtype)
            continue
        starts = np.concatenate(([0], ends[:-1] + 1))
        lengths = ends - starts + 1
        if lengths.max() > MAX_VARINT_SIZE:
            raise errors.DataLossError("an overlong varint in a packed field")
        place = np.arange(size) - np.repeat(starts, lengths)
        groups = (data[:size] & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
        yield _narrowed(np.bitwise_or.reduceat(groups, starts), dtype)


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
