"""A bundle as a big-endian machine writes it, made on this one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from icefloe.checkpoint.entries import BIG, Header, encode_entry
from icefloe.checkpoint.writer import encode_index
from icefloe.wire.coding import encode_varint
from icefloe.wire.crc import crc32c, mask
from unit.checkpoint.samples import Write


def _swapped(value: np.ndarray) -> tuple[bytes, int]:
    """Return the bytes of a tensor and the CRC of its entry."""
    if not value.dtype.hasobject:
        size = value.dtype.itemsize // (2 if value.dtype.kind == "c" else 1)
        raw = np.frombuffer(value.tobytes(), f"u{size}").byteswap().tobytes()
        return raw, crc32c(raw)
    items = value.reshape(-1).tolist()
    crc = crc32c(b"".join(len(x).to_bytes(4, "big") for x in items))
    checksum = mask(crc).to_bytes(4, "big")
    tail = checksum + b"".join(items)
    return b"".join(encode_varint(len(x)) for x in items) + tail, crc32c(tail, crc)


def swap_bundle(writes: Iterable[Write], prefix: Path) -> None:
    entries = {}
    data = b""
    for write in writes:
        raw, crc = _swapped(write.value)
        entries[write.name.encode()] = encode_entry(
            write.dtype.as_datatype_enum, write.value.shape, offset=len(data), size=len(raw), masked_crc=mask(crc)
        )
        data += raw
    Path(f"{prefix}.data-00000-of-00001").write_bytes(data)
    Path(f"{prefix}.index").write_bytes(encode_index(dataclasses.replace(Header(1), endianness=BIG), entries))
