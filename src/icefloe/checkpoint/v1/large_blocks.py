"""A block of a string table that is too large to be held beside what is decoded from it: read once, from front to back.

A V1 checkpoint holds a tensor in one record, so a block may be as large as the largest tensor. `BlockStream` gives its
bytes to whoever scans it, keeps a window of them and computes the checksum on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

from icefloe.checkpoint.files import Source
from icefloe.checkpoint.transfer import PIECE, read_summed
from icefloe.errors import DataLossError
from icefloe.wire.coding import decode_fixed32, decode_varint
from icefloe.wire.crc import combine, crc32c, unmask
from icefloe.wire.sstable import BLOCK_TRAILER_SIZE, RAW, BlockHandle

# A block from this size on is streamed.
LARGE = 1 << 20
_WINDOW = 16 << 10
# What is kept of the bytes that `fill` handed out: a varint may have begun in them.
_KEPT = 16


class BlockStream:
    """The contents of an uncompressed block as a sequence of bytes, to be read forward only.

    `stream[i]` and `stream[a:b]` are bytes, `fill` reads many of them to where they belong. What lies more than a few
    bytes before the last byte read is gone.
    """

    def __init__(self, source: Source, handle: BlockHandle) -> None:
        self._source = source
        self._handle = handle
        self._begin = 0  # where the window begins in the block
        self._window: bytes | memoryview = b""
        self._crc = 0  # of all bytes up to the end of the window

    def __len__(self) -> int:
        return self._handle.size

    @property
    def _end(self) -> int:
        return self._begin + len(self._window)

    @overload
    def __getitem__(self, key: int) -> int: ...

    @overload
    def __getitem__(self, key: slice) -> bytes: ...

    def __getitem__(self, key: int | slice) -> int | bytes:
        if isinstance(key, int):
            place = key - self._begin
            if not 0 <= place < len(self._window):
                self._advance(key)
                place = key - self._begin
            return self._window[place]
        start, stop, _ = key.indices(self._handle.size)
        if start >= stop:
            return b""
        if stop > self._end and stop - start <= _WINDOW // 2:
            self._advance(start)
        if stop <= self._end:
            return bytes(self._window[start - self._begin : stop - self._begin])
        out = bytearray(stop - start)
        self.fill(start, memoryview(out))
        return bytes(out)

    def fill(self, start: int, out: memoryview) -> None:
        """Fill `out` with the bytes from `start` on. Raises: OutOfRangeError if the file has become shorter."""
        if start > self._end:
            self._skip(start)
        there = min(max(self._end - start, 0), len(out))
        out[:there] = self._window[start - self._begin : start - self._begin + there]
        rest = out[there:]
        if rest:
            crc = read_summed(self._source, self._handle.offset + start + there, rest)
            self._crc = combine(self._crc, crc, len(rest))
            self._window = bytes(out[-_KEPT:])
            self._begin = start + len(out) - len(self._window)

    def _advance(self, place: int) -> None:
        """Move the window so that it holds `place` and what follows."""
        if place >= self._end:
            self._skip(place)
        assert place >= self._begin, "a block is read forward only"
        kept = self._window[place - self._begin :]
        size = min(_WINDOW, self._handle.size - self._end)
        read = self._source.read(self._handle.offset + self._end, size)
        self._crc = crc32c(read, self._crc)
        self._begin, self._window = place, bytes(kept) + read

    def _skip(self, place: int) -> None:
        """Read up to `place`, for the checksum alone."""
        buffer = memoryview(bytearray(min(PIECE, max(place - self._end, 0))))
        while self._end < place:
            piece = buffer[: place - self._end]
            self._source.read_into(piece, self._handle.offset + self._end)
            self._crc = crc32c(piece, self._crc)
            self._begin, self._window = self._end + len(piece), b""

    def finish(self) -> None:
        """Read the rest. Raises: DataLossError if the bytes of the block are not those that were written."""
        self._skip(self._handle.size)
        trailer = self._source.read(self._handle.offset + self._handle.size, BLOCK_TRAILER_SIZE)
        if crc32c(trailer[:1], self._crc) != unmask(decode_fixed32(trailer, 1)):
            raise DataLossError("block checksum mismatch", offset=self._handle.offset)


def is_streamed(source: Source, handle: BlockHandle) -> bool:
    """Whether a block is large and not compressed."""
    if handle.size < LARGE or handle.offset + handle.size >= source.size:
        return False
    return source.read(handle.offset + handle.size, 1)[0] == RAW


def check_block(source: Source, handle: BlockHandle) -> None:
    """Check the checksum of a block of any size. Raises: DataLossError."""
    BlockStream(source, handle).finish()


def find_value(source: Source, handle: BlockHandle, stream: BlockStream, key: bytes) -> tuple[int, int] | None:
    """Return where in a block the value of `key` begins and ends, or None if it has no such key.

    Raises: DataLossError if a length is impossible.
    """
    for found, start, stop in _entries(source, handle, stream):
        if found >= key:
            return (start, stop) if found == key else None
    return None


def _entries(source: Source, handle: BlockHandle, stream: BlockStream) -> Iterator[tuple[bytes, int, int]]:
    """Yield the key of each entry, and where its value begins and ends; see `wire.block`."""
    size = handle.size
    num_restarts = decode_fixed32(source.read(handle.offset + size - 4, 4), 0)
    limit = size - 4 - 4 * num_restarts
    if limit < 0:
        raise DataLossError(f"bad block contents: {num_restarts} restart points in {size} bytes")
    pos, key = 0, b""
    while pos < limit:
        shared, pos = decode_varint(stream, pos, limit)
        unshared, pos = decode_varint(stream, pos, limit)
        length, pos = decode_varint(stream, pos, limit)
        start = pos + unshared
        stop = start + length
        if stop > limit or shared > len(key):
            raise DataLossError("bad entry in block")
        following = key[:shared] + stream[pos:start]
        if following <= key and key:
            raise DataLossError("keys in block are not in increasing order")
        key, pos = following, stop
        yield key, start, stop
