"""Numbers and strings as bytes: varints, fixed-width integers, and the order-preserving code of slice keys.

    varint          little-endian groups of 7 bits, the high bit set on all but the last; at most 10 bytes, 64 bits
    fixed32         4 bytes, little-endian
    ordered number  one byte n, then n big-endian bytes without leading zeros
    ordered string  0x00 -> 00 ff, 0xff -> ff 00, other bytes as they are; then 00 01
    ordered signed  n bytes of big-endian two's complement, its n-1 leading header bits as in UTF-8 xored in, so that
    bytes sort as numbers do

Source: leveldb util/coding.h, tensorflow/core/lib/strings/ordered_code.h.
"""

from __future__ import annotations

from typing import Protocol, overload

from icefloe.errors import DataLossError

Buffer = bytes | bytearray | memoryview


class ByteSequence(Protocol):
    """Bytes that are looked at one after another: a buffer, or what reads them when they are asked for."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, key: int, /) -> int: ...

    @overload
    def __getitem__(self, key: slice, /) -> Buffer: ...


MAX_VARINT_SIZE = 10
_MAX_UINT64 = (1 << 64) - 1


def encode_varint(value: int) -> bytes:
    """Return `value`, 0 to 2**64 - 1, as a varint."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def decode_varint(buf: ByteSequence, pos: int, end: int | None = None) -> tuple[int, int]:
    """Return `(value, next_pos)` for the varint at byte `pos`; `end` is where the bytes stop, by default `len(buf)`.

    Raises: DataLossError if the bytes end early or the value exceeds 64 bits.
    """
    if end is None:
        end = len(buf)
    value = shift = 0
    while pos < end:
        byte = buf[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > _MAX_UINT64:
                break
            return value, pos
        shift += 7
        if shift == 7 * MAX_VARINT_SIZE:
            break
    raise DataLossError("truncated or overlong varint", offset=pos)


def encode_fixed32(value: int) -> bytes:
    """Return `value`, 0 to 2**32 - 1, as 4 little-endian bytes."""
    return value.to_bytes(4, "little")


def decode_fixed32(buf: ByteSequence, pos: int) -> int:
    """Return the 4 little-endian bytes at `pos` as a number. Raises: DataLossError if there are fewer."""
    if pos < 0 or pos + 4 > len(buf):
        raise DataLossError("truncated 32-bit number", offset=pos)
    return int.from_bytes(buf[pos : pos + 4], "little")


def to_signed64(value: int) -> int:
    """Return the int64 that has the 64 bits of the unsigned `value`, as protobuf stores an int64 or int32."""
    return value - (1 << 64) if value >> 63 else value


def from_signed64(value: int) -> int:
    """Return the unsigned number that has the 64 bits of the int64 `value`."""
    return value & _MAX_UINT64


def encode_ordered_number(value: int) -> bytes:
    """Return `value`, 0 to 2**64 - 1, so that byte order is number order."""
    size = (value.bit_length() + 7) // 8
    return bytes((size,)) + value.to_bytes(size, "big")


def decode_ordered_number(buf: Buffer, pos: int) -> tuple[int, int]:
    """Return `(value, next_pos)`. Raises: DataLossError if the bytes end early, are more than 8 or have a leading
    zero.
    """
    if pos >= len(buf):
        raise DataLossError("truncated ordered number", offset=pos)
    size = buf[pos]
    end = pos + 1 + size
    if size > 8 or end > len(buf) or (size and not buf[pos + 1]):
        raise DataLossError("malformed ordered number", offset=pos)
    return int.from_bytes(buf[pos + 1 : end], "big"), end


_STRING_END = b"\x00\x01"


def encode_ordered_string(value: bytes) -> bytes:
    """Return `value` escaped and terminated so that byte order of the codes is that of the strings."""
    # Split at 0xff first, so that the 00 of its escape is not escaped again.
    parts = [part.replace(b"\x00", b"\x00\xff") for part in value.split(b"\xff")]
    return b"\xff\x00".join(parts) + _STRING_END


def decode_ordered_string(buf: bytes, pos: int) -> tuple[bytes, int]:
    """Return `(string, next_pos)`. Raises: DataLossError if there is no terminator or an escape is unknown."""
    out = bytearray()
    size = len(buf)
    while pos + 1 < size:
        byte = buf[pos]
        if byte == 0x00:
            following = buf[pos + 1]
            if following == 0x01:
                return bytes(out), pos + 2
            if following != 0xFF:
                break
            out.append(0x00)
            pos += 2
        elif byte == 0xFF:
            if buf[pos + 1] != 0x00:
                break
            out.append(0xFF)
            pos += 2
        else:
            out.append(byte)
            pos += 1
    raise DataLossError("malformed ordered string", offset=pos)


_SIGNED_HEADERS = (
    b"",
    b"\x80\x00",
    b"\xc0\x00",
    b"\xe0\x00",
    b"\xf0\x00",
    b"\xf8\x00",
    b"\xfc\x00",
    b"\xfe\x00",
    b"\xff\x00",
    b"\xff\x80",
    b"\xff\xc0",
)


def encode_ordered_signed(value: int) -> bytes:
    """Return the int64 `value` so that byte order is number order: n bytes hold -2**(7n-1) to 2**(7n-1) - 1."""
    size = (value if value >= 0 else ~value).bit_length() // 7 + 1
    out = bytearray(value.to_bytes(size, "big", signed=True))
    header = _SIGNED_HEADERS[size]
    out[0] ^= header[0]
    if size > 1:
        out[1] ^= header[1]
    return bytes(out)


def decode_ordered_signed(buf: Buffer, pos: int) -> tuple[int, int]:
    """Return `(value, next_pos)`. Raises: DataLossError if the bytes end early or are no shortest code."""
    if pos >= len(buf):
        raise DataLossError("truncated ordered number", offset=pos)
    first = buf[pos]
    negative = first < 0x80
    head = (first << 8 | (buf[pos + 1] if pos + 1 < len(buf) else 0)) ^ (0xFFFF if negative else 0)
    size = 0  # how many leading ones: the number of bytes
    while size < 10 and head & (0x8000 >> size):
        size += 1
    end = pos + size
    if end > len(buf):
        raise DataLossError("truncated ordered number", offset=pos)
    raw = bytearray(buf[pos:end])
    header = _SIGNED_HEADERS[size]
    raw[0] ^= header[0]
    if size > 1:
        raw[1] ^= header[1]
    value = int.from_bytes(raw, "big", signed=True)
    if not -(1 << 63) <= value < 1 << 63 or encode_ordered_signed(value) != bytes(buf[pos:end]):
        raise DataLossError("malformed ordered number", offset=pos)
    return value, end
