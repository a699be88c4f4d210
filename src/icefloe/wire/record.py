"""The frame of a TFRecord file: how one record stands in it.

    record := length: fixed64, masked crc of length: fixed32, data, masked crc of data: fixed32

Source: tensorflow/core/lib/io/record_writer.cc.
"""

from __future__ import annotations

from icefloe.wire.crc import crc32c, mask


def frame(data: bytes) -> bytes:
    """Return `data` as a record."""
    size = len(data).to_bytes(8, "little")
    checks = [mask(crc32c(part)).to_bytes(4, "little") for part in (size, data)]
    return b"".join((size, checks[0], data, checks[1]))
