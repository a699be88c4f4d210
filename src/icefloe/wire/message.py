"""Protobuf's wire form, field by field: for the few small messages that are read or written by the thousand.

    field := varint (number << 3 | wire_type) value
    value := varint (type 0) | 8 bytes (1) | varint size, bytes (2) | 4 bytes (5)

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator

from icefloe.errors import DataLossError
from icefloe.wire.coding import Buffer, decode_varint, encode_varint, from_signed64

VARINT = 0
FIXED64 = 1
BYTES = 2
FIXED32 = 5
_MAX_FIELD = (1 << 29) - 1


def scan(buf: Buffer, pos: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
    """Yield `(number, wire_type, value, stop)` of each field of the message in `buf[pos:end]`.

    For VARINT and fixed types `value` is the number; for BYTES the content is `buf[value:stop]`. `stop` is where the
    field ends.

    Raises: DataLossError where the bytes are no message (groups are refused: no message of TensorFlow has them).
    """
    if end is None:
        end = len(buf)
    while pos < end:
        start = pos
        tag, pos = decode_varint(buf, pos, end)
        number, wire_type = tag >> 3, tag & 7
        if not 0 < number <= _MAX_FIELD:
            raise DataLossError(f"field number {number} in a message", offset=start)
        if wire_type == VARINT:
            value, pos = decode_varint(buf, pos, end)
        elif wire_type == BYTES:
            size, value = decode_varint(buf, pos, end)
            pos = value + size
        elif wire_type in (FIXED32, FIXED64):
            size = 4 if wire_type == FIXED32 else 8
            value = int.from_bytes(buf[pos : pos + size], "little")
            pos += size
        else:
            raise DataLossError(f"wire type {wire_type} in a message", offset=start)
        if pos > end:
            raise DataLossError("a field runs past the end of its message", offset=start)
        yield number, wire_type, value, pos


def encode_int(number: int, value: int) -> bytes:
    """Return field `number` as an int32, int64 or enum: nothing where it is 0, as proto3 has it."""
    return encode_varint(number << 3) + encode_varint(from_signed64(value)) if value else b""


def encode_present_int(number: int, value: int) -> bytes:
    """Return field `number` as an int64 that is written even where it is 0: a member of a oneof."""
    return encode_varint(number << 3) + encode_varint(from_signed64(value))


def encode_bytes(number: int, value: bytes) -> bytes:
    """Return field `number` as a string, bytes or sub-message; it is written even where it is empty."""
    return encode_varint(number << 3 | BYTES) + encode_varint(len(value)) + value


def encode_fixed32_field(number: int, value: int) -> bytes:
    """Return field `number` as a fixed32: nothing where it is 0, as proto3 has it."""
    return encode_varint(number << 3 | FIXED32) + value.to_bytes(4, "little") if value else b""
