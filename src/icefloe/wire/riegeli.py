"""Riegeli/records files: a sequence of records, in compressed chunks.

    file   := chunk*, with a block header of 24 bytes at every multiple of 65,536
    chunk  := header_hash: fixed64, data_size: fixed64, data_hash: fixed64, type: u8, num_records: 7 bytes,
              decoded_data_size: fixed64, data, padding
    'r'    := compression: u8, size of compressed_sizes: varint, compressed_sizes, compressed_values
    sizes  := a varint per record; values: the records, one after another

The first chunk is the file's signature, of 64 bytes that are always the same. A compressed part begins with its size
after decompression. Hashes (HighwayHash) are not checked: sizes, counts and decompression are. Transposed chunks are
not read.

Source: https://github.com/google/riegeli/blob/master/doc/riegeli_records_file_format.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from icefloe.errors import DataLossError, UnimplementedError
from icefloe.wire.coding import decode_varint

SIGNATURE = bytes.fromhex("83af70d10d884a3f0000000000000000400000000000000091bac23c9287e1a9")
_BLOCK = 1 << 16
_BLOCK_HEADER = 24
_USABLE = _BLOCK - _BLOCK_HEADER
_HEADER = 40
_RECORDS = 0x72
_TRANSPOSED = 0x74
_IGNORED = frozenset((0x73, 0x6D, 0x70))  # signature, metadata, padding
# Ours: a part says how large it is before it is decompressed; brotli of constant data reaches about this ratio.
_MAX_RATIO = 1 << 20
_MAX_PART = 1 << 33


def is_riegeli(data: bytes) -> bool:
    """Whether `data` is, or begins as, a Riegeli file."""
    return data.startswith(SIGNATURE)


def records(data: bytes) -> Iterator[bytes]:
    """Yield the records of a file.

    Raises: DataLossError where it is damaged or cut short; UnimplementedError for transposed chunks.
    """
    if not is_riegeli(data):
        raise DataLossError("not a Riegeli file: it does not begin with the signature")
    pos = 0
    while pos < len(data):
        header, _ = _take(data, pos, _HEADER)
        size = int.from_bytes(header[8:16], "little")
        kind, count = header[24], int.from_bytes(header[25:32], "little")
        decoded = int.from_bytes(header[32:40], "little")
        if size > len(data):
            raise DataLossError(f"a chunk of {size} bytes in a file of {len(data)}", offset=pos)
        if kind == _RECORDS:
            chunk, _ = _take(data, pos, _HEADER + size)
            yield from _simple_chunk(chunk[_HEADER:], count, decoded, pos)
        elif kind == _TRANSPOSED:
            raise UnimplementedError("a transposed chunk of a Riegeli file", offset=pos)
        elif kind not in _IGNORED:
            raise DataLossError(f"a chunk of type {kind:#04x}", offset=pos)
        end = max(_with_overhead(pos, _HEADER + size), _chunk_boundary(pos + count))
        if end <= pos:
            raise DataLossError("a chunk without length", offset=pos)
        pos = end


def _with_overhead(pos: int, size: int) -> int:
    """Return where `size` bytes end that begin at `pos`, with the block headers between them."""
    return pos + size + (size + (pos + _USABLE - 1) % _BLOCK) // _USABLE * _BLOCK_HEADER


def _chunk_boundary(pos: int) -> int:
    """Return `pos`, or where the next chunk may begin if `pos` is in or right after a block header."""
    return pos + max(-pos % _BLOCK - (_USABLE - 1), 0)


def _take(data: bytes, pos: int, size: int) -> tuple[bytes, int]:
    """Return `size` bytes from `pos` on without block headers, and where they end."""
    parts: list[bytes] = []
    start, left = pos, size
    while left:
        if pos % _BLOCK == 0:
            pos += _BLOCK_HEADER
        part = data[pos : pos + min(left, _BLOCK - pos % _BLOCK)]
        if not part:
            raise DataLossError("the file ends inside a chunk", offset=start)
        parts.append(part)
        left -= len(part)
        pos += len(part)
    return b"".join(parts), pos


def _simple_chunk(data: bytes, count: int, decoded: int, offset: int) -> list[bytes]:
    try:
        kind = data[0]
        size, pos = decode_varint(data, 1)
        sizes = _decompress(kind, data[pos : pos + size])
        values = _decompress(kind, data[pos + size :])
    except (DataLossError, IndexError) as error:
        raise DataLossError(f"a chunk of records is damaged: {error}", offset=offset) from None
    if len(values) != decoded or count > len(sizes):
        raise DataLossError(f"a chunk of {len(values)} bytes, its header says {decoded}", offset=offset)
    out, at, begin = [], 0, 0
    for _ in range(count):
        length, at = decode_varint(sizes, at)
        if length > len(values) - begin:
            raise DataLossError("a record ends outside its chunk", offset=offset)
        out.append(values[begin : begin + length])
        begin += length
    if begin != len(values) or at != len(sizes):
        raise DataLossError("the sizes of records do not add up", offset=offset)
    return out


def _decompress(kind: int, data: bytes) -> bytes:
    if kind == 0:
        return data
    import cramjam

    codec = {"b": cramjam.brotli, "z": cramjam.zstd, "s": cramjam.snappy}.get(chr(kind))
    if codec is None:
        raise DataLossError(f"compression of type {kind:#04x}")
    size, pos = decode_varint(data, 0)
    if size > _MAX_PART or size > (len(data) - pos) * _MAX_RATIO:
        raise DataLossError(f"{len(data) - pos} bytes cannot hold {size}")
    if size == 0:
        return b""
    out = bytearray(size)
    into = codec.decompress_raw_into if codec is cramjam.snappy else codec.decompress_into
    try:
        written = into(data[pos:], out)
    except cramjam.DecompressionError as error:
        raise DataLossError(f"cannot be decompressed: {error}") from None
    if written != size:
        raise DataLossError(f"{written} bytes after decompression, expected {size}")
    return bytes(out)
