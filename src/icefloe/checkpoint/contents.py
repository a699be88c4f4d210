"""The bytes of a tensor in a data file, for the element types that are not plain memory: strings and variants.

    string   length: varint64 per element, checksum: fixed32, the strings one after the other
             checksum: masked CRC of the lengths, each as uint32 (uint64 above 2**32 - 1); the entry's CRC goes on
             over the 4 stored bytes and the strings, so it is no CRC of the file's bytes
    variant  per element: length: varint64, VariantTensorDataProto, checksum: fixed32
             one CRC runs over the length as uint64, the message and, once masked and stored, the 4 checksum bytes

In a big-endian file the lengths enter the CRC in that order and the stored checksums are in it.
Source: tensorflow/core/util/tensor_bundle/tensor_bundle.cc (WriteStringTensor, WriteVariantTensor, ReadStringTensor).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from icefloe import errors
from icefloe.wire.coding import Buffer, decode_varint, encode_varint
from icefloe.wire.crc import crc32c, mask, unmask

ByteOrder = Literal["little", "big"]
_MAX_UINT32 = (1 << 32) - 1


def decode_strings(raw: bytes, count: int, order: ByteOrder = "little") -> tuple[list[bytes], int]:
    """Return `(strings, crc)`: `count` strings from the bytes of a string tensor, and the CRC that the entry must have.

    Raises: DataLossError if the lengths are damaged or do not add up.
    """
    if count > len(raw):
        raise errors.DataLossError(f"{count} strings cannot be in {len(raw)} bytes")
    lengths, pos = _decode_lengths(raw, count)
    crc = _lengths_crc(lengths, order)
    if pos + 4 > len(raw):
        raise errors.DataLossError("truncated string tensor")
    stored = unmask(int.from_bytes(raw[pos : pos + 4], order))
    if stored != crc:
        raise errors.DataLossError(f"The length checksum does not match: expected {stored:08d} but actual is {crc:08d}")
    if pos + 4 + sum(lengths) != len(raw):
        raise errors.DataLossError(f"strings of {sum(lengths)} bytes in a tensor that has {len(raw) - pos - 4}")
    crc = crc32c(memoryview(raw)[pos:], crc)
    ends = list(itertools.accumulate(lengths, initial=pos + 4))
    return [raw[a:b] for a, b in itertools.pairwise(ends)], crc


def _decode_lengths(raw: bytes, count: int) -> tuple[list[int], int]:
    head = raw[:count]
    if head.isascii():  # every length is below 128: one byte each
        return list(head), count
    lengths = []
    pos = 0
    for _ in range(count):
        length = raw[pos] if pos < len(raw) else 0x80
        if length < 0x80:
            pos += 1
        else:
            length, pos = decode_varint(raw, pos)
        lengths.append(length)
    return lengths, pos


def _lengths_crc(lengths: Sequence[int], order: ByteOrder) -> int:
    mark = "<" if order == "little" else ">"
    if not lengths or max(lengths) <= _MAX_UINT32:
        return crc32c(np.array(lengths, mark + "u4").view(np.uint8))
    crc = 0
    for length in lengths:
        crc = crc32c(length.to_bytes(4 if length <= _MAX_UINT32 else 8, order), crc)
    return crc


def encode_strings(values: Sequence[bytes]) -> tuple[Iterator[bytes], int, int]:
    """Return `(pieces, size, crc)` of a string tensor: its bytes in pieces, their number, and the CRC for its entry."""
    lengths = [len(v) for v in values]
    head = bytes(lengths) if not lengths or max(lengths) < 0x80 else b"".join(map(encode_varint, lengths))
    crc = _lengths_crc(lengths, "little")
    checksum = mask(crc).to_bytes(4, "little")
    crc = crc32c(checksum, crc)
    for value in values:
        crc = crc32c(value, crc)
    return itertools.chain((head, checksum), values), len(head) + 4 + sum(lengths), crc


def decode_variants(raw: bytes, count: int) -> tuple[list[Any], int]:
    """Return `(messages, crc)`: `count` VariantTensorDataProto messages, and the CRC that the entry must have.

    Raises: DataLossError if a length, checksum or message is damaged.
    """
    from google.protobuf.message import DecodeError

    from icefloe.proto import VariantTensorDataProto

    if count * 5 > len(raw):
        raise errors.DataLossError(f"{count} variants cannot be in {len(raw)} bytes")
    out = []
    crc = pos = 0
    for i in range(count):
        size, start = decode_varint(raw, pos)
        end = start + size
        if end + 4 > len(raw):
            raise errors.DataLossError("truncated variant tensor")
        crc = crc32c(raw[start:end], crc32c(size.to_bytes(8, "little"), crc))
        pos = end + 4
        stored = unmask(int.from_bytes(raw[end:pos], "little"))
        if stored != crc:
            raise errors.DataLossError(
                f"The checksum after Variant {i} does not match. Expected: {stored:08d} Actual: {crc:08d}"
            )
        crc = crc32c(raw[end:pos], crc)
        try:
            out.append(VariantTensorDataProto.FromString(raw[start:end]))
        except DecodeError as e:
            raise errors.DataLossError(f"variant {i} is no VariantTensorDataProto: {e}") from None
    if pos != len(raw):
        raise errors.DataLossError(f"{len(raw) - pos} bytes follow the last variant")
    return out, crc


def encode_variants(messages: Iterable[Any]) -> tuple[Iterator[bytes], int, int]:
    """Return `(pieces, size, crc)` of a variant tensor of VariantTensorDataProto messages."""
    pieces: list[bytes] = []
    crc = 0
    for message in messages:
        data = message.SerializeToString(deterministic=True)
        crc = crc32c(data, crc32c(len(data).to_bytes(8, "little"), crc))
        checksum = mask(crc).to_bytes(4, "little")
        crc = crc32c(checksum, crc)
        pieces += (encode_varint(len(data)), data, checksum)
    return iter(pieces), sum(map(len, pieces)), crc


def swap_bytes(array: np.ndarray) -> None:
    """Reverse, in place, the bytes of every number in a contiguous array; the halves of complex numbers on their
    own.
    """
    dtype = array.dtype
    size = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    if size > 1:
        array.reshape(-1).view(np.uint8).reshape(-1).view(f"u{size}").byteswap(inplace=True)


def as_bytes(array: np.ndarray) -> memoryview:
    """Return the memory of a contiguous array as bytes, whatever its dtype."""
    return array.reshape(-1).view(np.uint8).data


__all__ = [
    "Buffer",
    "ByteOrder",
    "as_bytes",
    "decode_strings",
    "decode_variants",
    "encode_strings",
    "encode_variants",
    "swap_bytes",
]
