"""Writes a rescued checkpoint: one data file, of copied bytes and of values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents, files, slices
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.commit import begin
from icefloe.checkpoint.entries import BIG, Entry, Header, encode_entry
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.flushing import Flusher
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.writer import encode_index
from icefloe.wire.crc import crc32c, mask

_WINDOW = 4 << 20
_BUFFER = 1 << 20


class RescueWriter:
    """A V2 checkpoint under way, in the byte order that `header` says. `finish` makes it the one that readers find.

    size: bytes of tensor data so far.
    """

    def __init__(self, prefix: str, header: Header, progress: Progress | None = None) -> None:
        self._header = header
        self._progress = progress
        self._entries: dict[bytes, bytes] = {}
        self.size = 0
        self._buffer = bytearray()
        self._transaction = begin(prefix)
        self._count = self._transaction.count(1)
        try:
            self._fd, self._path = self._transaction.create_shard(0, self._count)
        except BaseException:
            self._transaction.abandon()
            raise
        self._flusher = Flusher(self._fd, self._path)

    def _write(self, data: bytes | memoryview) -> None:
        self.size += len(data)
        if len(self._buffer) + len(data) > _BUFFER:
            self._flush()
        if len(data) > _BUFFER:
            files.write(self._fd, data, self._path)
            self._flusher.wrote(len(data))
        else:
            self._buffer += data
        if self._progress is not None:
            self._progress(len(data))

    def _flush(self) -> None:
        files.write(self._fd, self._buffer, self._path)
        self._flusher.wrote(len(self._buffer))
        self._buffer = bytearray()

    def copy(self, label: str, key: bytes, entry: Entry, source: Source) -> None:
        """Copy the bytes of an entry, whose checksum holds. Raises: AbortedError if it does not any more."""
        offset = self.size
        crc = 0
        summed = entry.dtype_number not in (datatypes.string.as_datatype_enum, datatypes.variant.as_datatype_enum)
        for pos in range(0, entry.size, _WINDOW):
            data = source.read(entry.offset + pos, min(_WINDOW, entry.size - pos))
            crc = crc32c(data, crc)
            self._write(data)
        if summed and crc != entry.crc:
            raise errors.AbortedError(f"tensor {label} changed while it was copied", path=source.path)
        self._put(key, entry.dtype_number, entry.shape, offset, entry.masked_crc)

    def copy_slice(self, name: str, part: TensorSlice, entry: Entry, source: Source) -> None:
        """Copy one slice of a partitioned tensor."""
        self.copy(f"{name} slice {part}", slices.encode_key(to_key(name), part), entry, source)

    def _put(self, key: bytes, dtype: int, shape: tuple[int, ...], offset: int, masked_crc: int) -> None:
        self._entries[key] = encode_entry(dtype, shape, offset=offset, size=self.size - offset, masked_crc=masked_crc)

    def add(self, name: str, reader: CheckpointReader) -> None:
        """Write a tensor of an open checkpoint. Raises: as `CheckpointReader.read`; then nothing of it is listed."""
        entry = reader.entries[name]
        offset = self.size
        crc = 0
        if entry.dtype.numpy.hasobject:
            crc = self._objects(name, entry.dtype_number, reader.read(name))
        else:
            for window in reader.stream(name):
                crc = self._numbers(window, crc)
        self._put(to_key(name), entry.dtype_number, entry.shape, offset, mask(crc))

    def add_slice(self, name: str, part: TensorSlice, entry: Entry, value: np.ndarray) -> None:
        """Write one slice of a partitioned tensor."""
        offset = self.size
        if value.dtype.hasobject:
            crc = self._objects(name, entry.dtype_number, value)
        else:
            crc = self._numbers(value.reshape(-1), 0)
        self._put(slices.encode_key(to_key(name), part), entry.dtype_number, entry.shape, offset, mask(crc))

    def _numbers(self, value: np.ndarray, crc: int) -> int:
        array = np.ascontiguousarray(value)
        if self._header.endianness == BIG:
            array = array.copy()
            contents.swap_bytes(array)
        data = contents.as_bytes(array)
        self._write(data)
        return crc32c(data, crc)

    def _objects(self, name: str, dtype: int, value: np.ndarray) -> int:
        if self._header.endianness == BIG:
            raise errors.UnimplementedError(f"tensor {name}: filling strings into a big-endian checkpoint")
        encode = contents.encode_strings if dtype == datatypes.string.as_datatype_enum else contents.encode_variants
        pieces, _, crc = encode(value.reshape(-1).tolist())
        for piece in pieces:
            self._write(piece)
        return crc

    def finish_slices(self, name: str, entry: Entry) -> None:
        """List a partitioned tensor whose slices were written."""
        self._entries[to_key(name)] = encode_entry(entry.dtype_number, entry.shape, slices=entry.slices)

    def drop(self, name: str) -> None:
        """Forget the slices of a partitioned tensor."""
        key = to_key(name)
        for other in [k for k in self._entries if slices.is_slice_key(k) and slices.decode_key(k)[0] == key]:
            del self._entries[other]

    def finish(self) -> None:
        """Commit. Raises: what the file system says."""
        self._flush()
        self._flusher.finish()
        self._transaction.write_index(encode_index(replace(self._header, num_shards=self._count), self._entries))
        self._transaction.commit(self._count)

    def abandon(self) -> None:
        """Remove what was written; a former checkpoint stays."""
        self._flusher.stop()
        self._transaction.abandon()
