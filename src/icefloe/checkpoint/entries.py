"""The two records of a bundle's index: the header under the empty key, and an entry per tensor, decoded when asked.

Entry, in the order in which it is written (proto3, zeros left out):
    1 dtype: enum   2 shape: TensorShapeProto, always there   3 shard_id: int32   4 offset: int64   5 size: int64
    6 crc32c: fixed32, masked   7 slices: repeated TensorSliceProto, in the entry of a partitioned tensor only

Source: tensorflow/core/protobuf/tensor_bundle.proto.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from icefloe import datatypes, errors
from icefloe.checkpoint.slices import TensorSlice, decode_slice, encode_slice
from icefloe.datatypes import DType
from icefloe.wire import message
from icefloe.wire.coding import decode_varint, to_signed64
from icefloe.wire.crc import unmask

LITTLE, BIG = 0, 1
# The version that TensorFlow's readers have; a file may demand a newer one.
VERSION = 1
_MAX_INT64 = (1 << 63) - 1
_WIRE_TYPES = {
    1: message.VARINT,
    2: message.BYTES,
    3: message.VARINT,
    4: message.VARINT,
    5: message.VARINT,
    6: message.FIXED32,
    7: message.BYTES,
}
# dtype, shape, shard, offset, size, masked crc, slices
_Fields = tuple[int, tuple[int, ...], int, int, int, int, tuple[TensorSlice, ...]]


@dataclass(frozen=True, slots=True)
class Header:
    """What holds for the whole bundle. `version` is the VersionDef as bytes, kept as it was read."""

    num_shards: int
    endianness: int = LITTLE
    version: bytes = b"\x08\x01"

    def encode(self) -> bytes:
        return (
            message.encode_int(1, self.num_shards)
            + message.encode_int(2, self.endianness)
            + (message.encode_bytes(3, self.version) if self.version else b"")
        )


def decode_header(raw: bytes) -> Header:
    """Return the header of a bundle.

    Raises: DataLossError if it is malformed, InvalidArgumentError if it says that readers of this version must not
    read it.
    """
    num_shards, endianness, version = 0, LITTLE, b""
    try:
        for number, wire_type, value, stop in message.scan(raw):
            if number == 1 and wire_type == message.VARINT:
                num_shards = to_signed64(value)
            elif number == 2 and wire_type == message.VARINT:
                endianness = value
            elif number == 3 and wire_type == message.BYTES:
                version = raw[value:stop]
        check_version(version)
    except errors.DataLossError:
        raise errors.DataLossError("Entry for key  not parseable.") from None
    if not 0 <= num_shards < 1 << 31:
        raise errors.DataLossError(f"the header says that there are {num_shards} shards")
    if endianness not in (LITTLE, BIG):
        raise errors.DataLossError(f"the header gives an unknown byte order, {endianness}")
    return Header(num_shards, endianness, version)


def check_version(version: bytes) -> None:
    """Check that a VersionDef allows readers of this version. Raises: InvalidArgumentError if not, DataLossError if
    it is malformed.
    """
    min_consumer, bad_consumers = _consumers(version)
    if min_consumer > VERSION:
        raise errors.InvalidArgumentError(
            f"Checkpoint min consumer version {min_consumer} above current version {VERSION} for TensorFlow 2.21.0.  "
            "Please upgrade TensorFlow."
        )
    if VERSION in bad_consumers:
        raise errors.InvalidArgumentError(
            f"Checkpoint disallows consumer version {VERSION}.  "
            "Please upgrade TensorFlow: this version is likely buggy."
        )


def _consumers(version: bytes) -> tuple[int, list[int]]:
    """Return min_consumer and bad_consumers of a VersionDef."""
    min_consumer = 0
    bad: list[int] = []
    for number, wire_type, value, stop in message.scan(version):
        if number == 2 and wire_type == message.VARINT:
            min_consumer = to_signed64(value)
        elif number == 3 and wire_type == message.VARINT:
            bad.append(value)
        elif number == 3 and wire_type == message.BYTES:
            while value < stop:
                item, value = decode_varint(version, value, stop)
                bad.append(item)
    return min_consumer, bad


def decode_shape(buf: bytes, pos: int = 0, end: int | None = None) -> tuple[int, ...] | None:
    """Return the sizes in a TensorShapeProto, -1 for an unknown one, or None for unknown rank. Raises:
    DataLossError.
    """
    shape = []
    for number, wire_type, value, stop in message.scan(buf, pos, end):
        if number == 2 and wire_type == message.BYTES:
            size = 0
            for field, kind, number_value, _ in message.scan(buf, value, stop):
                if field == 1 and kind == message.VARINT:
                    size = to_signed64(number_value)
            shape.append(size)
        elif number == 3 and wire_type == message.VARINT and value:
            return None
    return tuple(shape)


def encode_shape(shape: tuple[int, ...]) -> bytes:
    """Return a fully known shape as a TensorShapeProto."""
    return b"".join(message.encode_bytes(2, message.encode_int(1, size)) for size in shape)


# The bytes of dtype and shape, in the usual form `08 dtype 12 size shape` -> what they say. Most entries of a
# checkpoint share a few of these; forgotten when there are too many.
_HEADS: dict[bytes, tuple[int, tuple[int, ...]]] = {}
_MAX_HEADS = 4096


class Entry:
    """What the index says about one tensor, or about one slice of one.

    dtype: DType.   shape: tuple of int, the full shape.   shard, offset, size: where its bytes lie.
    crc: CRC32C of the bytes (unmasked).   slices: of a partitioned tensor, the TensorSlices that are stored; else
    empty.

    Damage shows when an attribute is asked for. Raises: DataLossError if the entry is malformed, UnimplementedError
    for a dtype that is not known.
    """

    __slots__ = ("_name", "_raw", "_fields")

    def __init__(self, name: str, raw: bytes) -> None:
        self._name = name
        self._raw = raw
        self._fields: _Fields | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def raw(self) -> bytes:
        """The BundleEntryProto as stored."""
        return self._raw

    def _head(self) -> tuple[int, tuple[int, ...]]:
        """Return dtype number and shape. Raises: DataLossError if they are impossible."""
        raw = self._raw
        known = _HEADS.get(raw[: 4 + raw[3]]) if len(raw) > 3 else None
        if known is None:
            known = self._decoded()[:2]
            if len(raw) > 3 and raw[0] == 0x08 and raw[2] == 0x12 and raw[3] < 0x80:
                if len(_HEADS) >= _MAX_HEADS:
                    _HEADS.clear()
                _HEADS[raw[: 4 + raw[3]]] = known
        return known

    def _decoded(self) -> _Fields:
        if self._fields is None:
            try:
                self._fields = _decode_usual(self._raw) or _decode_fields(self._raw)
            except _InvalidShapeError as e:
                raise errors.DataLossError(f"Invalid tensor shape: {self._name} {e.message}") from None
            except errors.DataLossError as e:
                raise errors.DataLossError(f"Entry for key {self._name} not parseable.", hint=e.message) from None
        return self._fields

    @property
    def dtype_number(self) -> int:
        """The DataType number, which may be one that is not known."""
        return self._head()[0]

    @property
    def dtype(self) -> DType:
        number = self._head()[0]
        if not 0 < number < 100:
            raise errors.DataLossError(f"Entry for key {self._name} not parseable: dtype {number}.")
        try:
            return datatypes.as_dtype(number)
        except TypeError:
            raise errors.UnimplementedError(
                f"tensor {self._name!r} has the dtype number {number}, which is not known"
            ) from None

    @property
    def shape(self) -> tuple[int, ...]:
        raw = self._raw
        try:  # as `_head`, without its call: lists of shapes are what most readers of an index want
            return _HEADS[raw[: 4 + raw[3]]][1]
        except (KeyError, IndexError):
            return self._head()[1]

    @property
    def shard(self) -> int:
        return self._decoded()[2]

    @property
    def offset(self) -> int:
        return self._decoded()[3]

    @property
    def size(self) -> int:
        """Size in bytes in the data file; of a partitioned tensor, 0: its slices have entries of their own."""
        return self._decoded()[4]

    @property
    def masked_crc(self) -> int:
        """The checksum as stored."""
        return self._decoded()[5]

    @property
    def crc(self) -> int:
        return unmask(self._decoded()[5])

    @property
    def slices(self) -> tuple[TensorSlice, ...]:
        return self._decoded()[6]

    @property
    def is_sliced(self) -> bool:
        """Whether the tensor is partitioned: stored as slices."""
        return bool(self._decoded()[6])

    @property
    def num_elements(self) -> int:
        return math.prod(self.shape)

    def __repr__(self) -> str:
        try:
            dtype, shape = self.dtype.name, self.shape
            if self.is_sliced:
                return f"<Entry {dtype} {list(shape)} in {len(self.slices)} slices>"
            return f"<Entry {dtype} {list(shape)} shard {self.shard} offset {self.offset} size {self.size}>"
        except errors.OpError as e:
            return f"<Entry {e.message}>"


def _decode_usual(raw: bytes) -> _Fields | None:
    """Return the fields of an unpartitioned entry in the form in which TensorFlow writes it, or None if it is any
    other.
    """
    if len(raw) < 9 or raw[0] != 0x08 or raw[2] != 0x12 or raw[3] >= 0x80 or raw[-5] != 0x35:
        return None
    pos = 4 + raw[3]
    end = len(raw) - 5
    head = _HEADS.get(raw[:pos])
    if head is None:
        return None
    places = [0, 0, 0]
    for i, tag in enumerate((0x18, 0x20, 0x28)):
        if pos < end and raw[pos] == tag:
            value = shift = 0
            while True:
                pos += 1
                if pos >= end or shift > 56:
                    return None
                byte = raw[pos]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    break
                shift += 7
            places[i] = value
            pos += 1
    if pos != end or places[0] >> 31:
        return None
    return *head, places[0], places[1], places[2], int.from_bytes(raw[-4:], "little"), ()


class _InvalidShapeError(errors.DataLossError):
    """The shape of an entry is unknown or has a negative size."""


def _decode_fields(raw: bytes) -> _Fields:
    dtype = shard = offset = size = 0
    crc = 0  # left out by proto3 where the masked CRC happens to be 0
    shape: tuple[int, ...] | None = ()
    slices: list[TensorSlice] = []
    seen = 0
    for number, wire_type, value, stop in message.scan(raw):
        if number not in _WIRE_TYPES:
            continue
        if number != 7:
            if seen & 1 << number:
                raise errors.DataLossError(f"field {number} is given twice")
            seen |= 1 << number
        if wire_type != _WIRE_TYPES[number]:
            raise errors.DataLossError(f"field {number} has wire type {wire_type}")
        if number == 1:
            dtype = value
        elif number == 2:
            shape = decode_shape(raw, value, stop)
        elif number == 3:
            shard = to_signed64(value)
        elif number == 4:
            offset = to_signed64(value)
        elif number == 5:
            size = to_signed64(value)
        elif number == 6:
            crc = value
        else:
            slices.append(decode_slice(raw, value, stop))
    if not 0 <= shard < 1 << 31 or offset < 0 or size < 0 or offset + size > _MAX_INT64:
        raise errors.DataLossError(f"impossible place: shard {shard}, offset {offset}, size {size}")
    if shape is None or (shape and min(shape) < 0):
        raise _InvalidShapeError("of unknown rank" if shape is None else "[" + ",".join(map(str, shape)) + "]")
    return dtype, shape, shard, offset, size, crc, tuple(slices)


def encode_entry(
    dtype: int,
    shape: tuple[int, ...],
    *,
    shard: int = 0,
    offset: int = 0,
    size: int = 0,
    masked_crc: int = 0,
    slices: tuple[TensorSlice, ...] | list[TensorSlice] = (),
) -> bytes:
    """Return a BundleEntryProto, byte for byte as TensorFlow serializes it."""
    parts = [
        message.encode_int(1, dtype),
        message.encode_bytes(2, encode_shape(shape)),
        message.encode_int(3, shard),
        message.encode_int(4, offset),
        message.encode_int(5, size),
        message.encode_fixed32_field(6, masked_crc),
    ]
    parts += [message.encode_bytes(7, encode_slice(s)) for s in slices]
    return b"".join(parts)
