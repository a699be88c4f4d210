"""Riegeli files for tests, with hashes of zero: they are not checked."""

from __future__ import annotations

import cramjam

from icefloe.wire.coding import encode_varint

# The first 64 bytes of every file, from the format's description.
HEAD = bytes.fromhex(
    "83af70d10d884a3f0000000000000000400000000000000091bac23c9287e1a90000000000000000e19f13c0e9b1c37273" + "00" * 15
)


def _compressed(data: bytes, kind: str) -> bytes:
    if not kind:
        return data
    codec = {"b": cramjam.brotli.compress, "z": cramjam.zstd.compress, "s": cramjam.snappy.compress_raw}[kind]
    return encode_varint(len(data)) + bytes(codec(data))


def chunk(records: list[bytes], kind: str = "", type_: bytes = b"r") -> bytes:
    """Return a chunk of records, without block headers; kind: "", "b", "z" or "s"."""
    sizes = _compressed(b"".join(encode_varint(len(record)) for record in records), kind)
    data = (kind.encode() or b"\0") + encode_varint(len(sizes)) + sizes + _compressed(b"".join(records), kind)
    header = bytes(8) + len(data).to_bytes(8, "little") + bytes(8) + type_
    return header + len(records).to_bytes(7, "little") + sum(map(len, records)).to_bytes(8, "little") + data


def with_block_headers(head: bytes, rest: bytes) -> bytes:
    """Return `rest` after `head`, with the 24 bytes of a block header at each multiple of 65,536."""
    out = bytearray(head)
    while rest:
        if len(out) % 65536 == 0:
            out += bytes(24)
        room = 65536 - len(out) % 65536
        out += rest[:room]
        rest = rest[room:]
    return bytes(out)


def riegeli_file(records: list[bytes], kind: str = "b") -> bytes:
    """Return a file with one chunk of records."""
    return with_block_headers(HEAD, chunk(records, kind)) if records else HEAD
