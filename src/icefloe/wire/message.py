"""Protobuf's wire form, field by field: for the few small messages that are read or written by the thousand.

    field := varint (number << 3 | wire_type) value
    value := varint (type 0) | 8 bytes (1) | varint size, bytes (2) | 4 bytes (5)

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from icefloe.errors import DataLossError
from icefloe.wire.coding import Buffer, ByteSequence, decode_varint, encode_varint, from_signed64

VARINT = 0
FIXED64 = 1
BYTES = 2
_START_GROUP = 3
_END_GROUP = 4
FIXED32 = 5
_MAX_FIELD = (1 << 29) - 1
_MAX_GROUPS = 100


class Field(NamedTuple):
    """One field as it stands in the bytes: number and wire type, where tag, payload and end are."""

    number: int
    wire_type: int
    start: int
    payload: int
    end: int


def fields(data: Buffer, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """Yield where the fields of the message in `data[start:end]` are, groups included, without decoding values.

    Raises: DataLossError at the byte that cannot be.
    """
    end = len(data) if end is None else end
    pos = start
    while pos < end:
        begin = pos
        byte = data[pos]
        if byte < 0x80:
            tag, pos = byte, pos + 1
        else:
            tag, pos = decode_varint(data, pos, end)
        number, wire_type = tag >> 3, tag & 7
        payload = pos
        if wire_type == BYTES:
            size, payload = decode_varint(data, pos, end)
            pos = payload + size
        elif wire_type == _START_GROUP:
            pos = _skip_group(data, pos, end, number)
        else:
            pos = _skip_scalar(data, pos, end, wire_type, begin)
        if number == 0 or pos > end:
            what = "field 0" if number == 0 else f"field {number} ends {pos - end} bytes past the end"
            raise DataLossError(f"not a protocol buffer: {what}", offset=begin)
        yield Field(number, wire_type, begin, payload, pos)


def _skip_scalar(data: Buffer, pos: int, end: int, wire_type: int, begin: int) -> int:
    if wire_type == VARINT:
        return decode_varint(data, pos, end)[1]
    if wire_type == FIXED64:
        return pos + 8
    if wire_type == FIXED32:
        return pos + 4
    raise DataLossError(f"not a protocol buffer: wire type {wire_type}", offset=begin)


def _skip_group(data: Buffer, pos: int, end: int, number: int) -> int:
    """Return where the group of `number` that begins at `pos` ends; nested groups are counted, not recursed into."""
    open_groups = [number]
    while open_groups:
        begin = pos
        tag, pos = decode_varint(data, pos, end)
        field, wire_type = tag >> 3, tag & 7
        if wire_type == BYTES:
            size, pos = decode_varint(data, pos, end)
            pos += size
        elif wire_type == _START_GROUP:
            open_groups.append(field)
        elif wire_type == _END_GROUP:
            if open_groups.pop() != field:
                raise DataLossError("not a protocol buffer: a group does not end", offset=begin)
        else:
            pos = _skip_scalar(data, pos, end, wire_type, begin)
        if pos > end or len(open_groups) > _MAX_GROUPS:
            raise DataLossError("not a protocol buffer: a group does not end", offset=begin)
    return pos


def scan(buf: ByteSequence, pos: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
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
    return encode_head(number, len(value)) + value


def encode_head(number: int, size: int) -> bytes:
    """Return what comes before the `size` bytes of field `number`, a string, bytes or sub-message."""
    return encode_varint(number << 3 | BYTES) + encode_varint(size)


def encode_fixed32_field(number: int, value: int) -> bytes:
    """Return field `number` as a fixed32: nothing where it is 0, as proto3 has it."""
    return encode_varint(number << 3 | FIXED32) + value.to_bytes(4, "little") if value else b""
