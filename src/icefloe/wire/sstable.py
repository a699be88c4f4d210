"""Sorted string table: an immutable file of sorted key-value pairs, read by binary search.

    file    := data_block* metaindex_block index_block footer
    block   := contents, type: u8, crc: fixed32 (masked, over contents + type)
    index   := last-key-or-separator -> handle
    handle  := offset: varint64, size: varint64 (without type and crc)

Writes uncompressed blocks, as TensorFlow does; reads uncompressed and snappy.
Source: leveldb doc/table_format.md, table/table_builder.cc; tensorflow/core/lib/io/table_builder.cc for when blocks
end.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from icefloe.errors import DataLossError
from icefloe.wire.block import BlockBuilder, decode_block
from icefloe.wire.coding import Buffer, decode_varint, encode_fixed32, encode_varint
from icefloe.wire.crc import crc32c, mask, unmask
from icefloe.wire.magic import TABLE_MAGIC as TABLE_MAGIC

# Footer, fixed size, last bytes of the file:
#     metaindex_handle, index_handle, zeros up to 40 bytes, magic: fixed64
FOOTER_SIZE = 48
BLOCK_TRAILER_SIZE = 1 + 4
BLOCK_SIZE = 262144
RESTART_INTERVAL = 16
RAW, SNAPPY = 0, 1
# A snappy tag of 3 bytes gives at most 64 bytes; a claim beyond that is refused before memory is taken.
MAX_SNAPPY_RATIO = 22

Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class BlockHandle:
    """Where a block lies: byte offset in the file, size in bytes without the trailer."""

    offset: int
    size: int

    def encode(self) -> bytes:
        return encode_varint(self.offset) + encode_varint(self.size)


def _decode_handle(buf: bytes, pos: int = 0) -> tuple[BlockHandle, int]:
    offset, pos = decode_varint(buf, pos)
    size, pos = decode_varint(buf, pos)
    return BlockHandle(offset, size), pos


class Table:
    """A table to read: `source` is its bytes, or a callable `read(offset, size) -> bytes` over a file of `size` bytes.

    The index is read at once, data blocks when they are needed. Every block's CRC is checked, and blocks must follow
    each other without overlap, so the work is bounded by the size of the file.

    Raises: DataLossError if the footer or index is damaged.
    """

    def __init__(self, source: Buffer | Read, size: int | None = None) -> None:
        if callable(source):
            if size is None:
                raise TypeError("a callable source needs the size of the file")
            self._read: Read = source
            self._size = size
        else:
            view = memoryview(source)
            self._read = lambda offset, count: bytes(view[offset : offset + count])
            self._size = len(view)
        self.separators: list[bytes] = []
        self.handles: list[BlockHandle] = []
        self._read_index()

    def _read_index(self) -> None:
        if self._size < FOOTER_SIZE:
            raise DataLossError("file is too short to be an sstable")
        footer = self._read(self._size - FOOTER_SIZE, FOOTER_SIZE)
        if int.from_bytes(footer[-8:], "little") != TABLE_MAGIC:
            raise DataLossError("not an sstable (bad magic number)")
        _, pos = _decode_handle(footer)
        index, _ = _decode_handle(footer, pos)
        end = 0
        for separator, value in zip(*decode_block(self.read_block(index))):
            handle, _ = _decode_handle(value)
            if handle.offset < end:
                raise DataLossError("blocks of the sstable overlap", offset=handle.offset)
            end = handle.offset + handle.size + BLOCK_TRAILER_SIZE
            self.separators.append(separator)
            self.handles.append(handle)
        if end > index.offset and self.handles:
            raise DataLossError("blocks of the sstable overlap", offset=index.offset)

    def read_block(self, handle: BlockHandle) -> bytes:
        """Return the contents of a block, uncompressed. Raises: DataLossError if it is damaged."""
        offset, size = handle.offset, handle.size
        self.check_place(handle)
        raw = self._read(offset, size + BLOCK_TRAILER_SIZE)
        if len(raw) != size + BLOCK_TRAILER_SIZE:
            raise DataLossError("truncated block read", offset=offset)
        stored = unmask(int.from_bytes(raw[-4:], "little"))
        if crc32c(memoryview(raw)[:-4]) != stored:
            raise DataLossError("block checksum mismatch", offset=offset)
        if raw[size] == RAW:
            return raw[:size]
        if raw[size] == SNAPPY:
            return _uncompress(raw[:size], offset)
        raise DataLossError(f"bad block type {raw[size]}", offset=offset)

    def check_place(self, handle: BlockHandle) -> None:
        """Raise DataLossError if a block would not end before the footer does."""
        if handle.offset + handle.size + BLOCK_TRAILER_SIZE > self._size - FOOTER_SIZE:
            raise DataLossError("truncated block read", offset=handle.offset)

    def blocks(self) -> Iterator[tuple[list[bytes], list[bytes]]]:
        """Yield the keys and the values of each data block, in order.

        Raises: DataLossError if a block is damaged or the keys do not strictly increase.
        """
        last: bytes | None = None
        for handle in self.handles:
            try:
                keys, values = decode_block(self.read_block(handle))
            except DataLossError as e:
                # A position inside a block means nothing to whoever looks at the file.
                e.offset = handle.offset
                raise
            if keys:
                if last is not None and keys[0] <= last:
                    raise DataLossError("keys of the sstable are not in increasing order", offset=handle.offset)
                last = keys[-1]
            yield keys, values

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield all `(key, value)` pairs, in order. Raises: as `blocks`."""
        for keys, values in self.blocks():
            yield from zip(keys, values)

    def block_of(self, key: bytes) -> BlockHandle | None:
        """Return the block that holds `key` if any does; None where all keys are less."""
        i = bisect.bisect_left(self.separators, key)
        return None if i == len(self.handles) else self.handles[i]

    def get(self, key: bytes) -> bytes | None:
        """Return the value of `key`, or None; reads one block."""
        handle = self.block_of(key)
        if handle is None:
            return None
        keys, values = decode_block(self.read_block(handle))
        j = bisect.bisect_left(keys, key)
        return values[j] if j < len(keys) and keys[j] == key else None


def _uncompress(data: bytes, offset: int) -> bytes:
    import cramjam

    size, _ = decode_varint(data, 0)
    if size > MAX_SNAPPY_RATIO * len(data):
        raise DataLossError("corrupted compressed block contents", offset=offset)
    try:
        out = bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError:
        raise DataLossError("corrupted compressed block contents", offset=offset) from None
    if len(out) != size:
        raise DataLossError("corrupted compressed block contents", offset=offset)
    return out


class TableWriter:
    """Writes a table: `write(bytes)` is called with consecutive pieces of the file.

    Keys are added in strictly increasing order of their bytes.
    """

    def __init__(
        self,
        write: Callable[[bytes | memoryview], object],
        *,
        block_size: int = BLOCK_SIZE,
        restart_interval: int = RESTART_INTERVAL,
    ) -> None:
        self._write = write
        self._block_size = block_size
        self._interval = restart_interval
        self._block = BlockBuilder(restart_interval)
        self._index = BlockBuilder(1)
        self._pending: BlockHandle | None = (
            None  # a finished block whose index key waits for the next block's first key
        )
        self._last_key: bytes | None = None
        self._offset = 0

    def add(self, key: bytes, value: bytes) -> None:
        """Append an entry. Raises: ValueError if `key` does not come after the last one."""
        self._begin(key, len(value))
        self._block.add(key, value)
        if self._block.estimated_size >= self._block_size:
            self._end_block()

    def has_own_block(self, key: bytes, size: int) -> bool:
        """Whether a value of so many bytes gets a block of its own."""
        return len(key) + size >= 2 * self._block_size

    def add_pieces(self, key: bytes, size: int, pieces: Iterable[bytes | memoryview]) -> None:
        """Append an entry that gets a block of its own, whose value of `size` bytes comes in pieces.

        Raises: ValueError if `key` does not come after the last one, or the pieces have another size in all.
        """
        assert self.has_own_block(key, size)
        self._begin(key, size)
        offset, crc = self._offset, 0
        head = encode_varint(0) + encode_varint(len(key)) + encode_varint(size) + key
        restarts = encode_fixed32(0) + encode_fixed32(1)
        for piece in itertools.chain((head,), pieces, (restarts,)):
            crc = crc32c(piece, crc)
            self._put(piece)
        if self._offset - offset != len(head) + size + len(restarts):
            raise ValueError(f"expected a value of {size} bytes, got {self._offset - offset - len(head) - 8}")
        self._pending = self._end_contents(offset, crc)

    def _begin(self, key: bytes, size: int) -> None:
        if self._last_key is not None:
            if key <= self._last_key:
                raise ValueError(f"keys must increase: {key!r} comes after {self._last_key!r}")
            if self.has_own_block(key, size):
                self._end_block()
        if self._pending is not None:
            assert self._last_key is not None
            self._index.add(_separator(self._last_key, key), self._pending.encode())
            self._pending = None
        self._last_key = key

    def finish(self) -> int:
        """Write what is left and the footer; return the size of the file in bytes."""
        self._end_block()
        metaindex = self._write_block(BlockBuilder(self._interval).finish())
        if self._pending is not None:
            assert self._last_key is not None
            self._index.add(_successor(self._last_key), self._pending.encode())
            self._pending = None
        index = self._write_block(self._index.finish())
        footer = (metaindex.encode() + index.encode()).ljust(FOOTER_SIZE - 8, b"\0")
        self._put(footer + TABLE_MAGIC.to_bytes(8, "little"))
        return self._offset

    def _end_block(self) -> None:
        if self._block:
            self._pending = self._write_block(self._block.finish())

    def _write_block(self, contents: bytes) -> BlockHandle:
        offset = self._offset
        self._put(contents)
        return self._end_contents(offset, crc32c(contents))

    def _end_contents(self, offset: int, crc: int) -> BlockHandle:
        """Write the trailer of a block whose contents begin at `offset` and have this CRC."""
        handle = BlockHandle(offset, self._offset - offset)
        self._put(bytes((RAW,)) + encode_fixed32(mask(crc32c(bytes((RAW,)), crc))))
        return handle

    def _put(self, data: bytes | memoryview) -> None:
        self._write(data)
        self._offset += len(data)


def _separator(last: bytes, following: bytes) -> bytes:
    """Return a short key k with last <= k < following."""
    for i, (a, b) in enumerate(zip(last, following)):
        if a != b:
            # `a + 1 < b` also keeps a below 0xff.
            return last[:i] + bytes((a + 1,)) if a + 1 < b else last
    return last


def _successor(last: bytes) -> bytes:
    """Return a short key that is not less than `last`."""
    for i, byte in enumerate(last):
        if byte != 0xFF:
            return last[:i] + bytes((byte + 1,))
    return last
