"""Binary files of other kinds that no magic number at their start tells, so that every reader can name them."""

from __future__ import annotations

import struct

from icefloe import errors
from icefloe.wire import message
from icefloe.wire.crc import crc32c, mask

_ONNX_FIELDS = frozenset((1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25))


def is_tflite(head: bytes) -> bool:
    """Whether a file begins as a TensorFlow Lite model."""
    return head[2:8] == b"\0\0TFL3"


def first_record(head: bytes) -> bytes | None:
    """Return what there is in `head` of a TFRecord file's first record, or None if it is no such file.

    A record is its length, the checksum of the length, data, the checksum of the data.
    """
    if len(head) < 16:
        return None
    length, stored = struct.unpack("<QI", head[:12])
    return head[12 : 12 + length] if mask(crc32c(head[:8])) == stored else None


def onnx_producer(head: bytes, size: int) -> str | None:
    """Return the producer of an ONNX model of `size` bytes, "" where it names none, or None if it is no such model.

    It is told by its first fields: 1 ir_version, 2 producer_name, 7 graph, 8 opset_import.
    """
    fields: list[message.Field] = []
    try:
        for f in message.fields(head, 0, size):
            fields.append(f)
            if f.end >= len(head) or len(fields) > 8:
                break
    except (errors.DataLossError, IndexError):
        return None
    types = {f.number: f.wire_type for f in fields}
    # ir_version is a small number: one byte of a varint.
    if not fields or fields[0].number != 1 or fields[0].wire_type != 0 or fields[0].end - fields[0].payload != 1:
        return None
    if not types.keys() <= _ONNX_FIELDS or not any(types.get(n) == 2 for n in (2, 7, 8)) or types.get(2, 2) != 2:
        return None
    return next((head[f.payload : f.end].decode("utf-8", "replace") for f in fields if f.number == 2), "")


def record_kind(head: bytes) -> str | None:
    """Return in words what file of records begins as `head` does, or None."""
    record = first_record(head)
    if record is None:
        return None
    return "an event file" if b"brain.Event:" in record[:32] else "a TFRecord file"


def foreign_kind(data: bytes) -> str | None:
    """Return in words what kind of other file `data` is, or None."""
    head = bytes(data[: 1 << 16])
    if is_tflite(head):
        return "a TensorFlow Lite model"
    if head[257:262] == b"ustar":
        return "a tar archive"
    records = record_kind(head)
    if records is not None:
        return records
    producer = onnx_producer(head, len(data))
    # A SavedModel and a tensor have a message in the place of the producer's name.
    return "an ONNX model" if producer and producer.isprintable() and "\ufffd" not in producer else None
