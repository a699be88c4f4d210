"""Reads a V2 checkpoint: the index when it is opened, a tensor or slice when it is asked for.

A reader keeps what it opened: the index and the data files of one moment, even when a save replaces them meanwhile.
Only where there are more data files than it keeps open can it meet those of a later save; it then says so
(AbortedError) and not that data are lost.
"""

from __future__ import annotations

import mmap as mmap_module
import os
from collections.abc import Iterator, Sequence

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import assembly, boxes, commit, contents, files
from icefloe.checkpoint.commit import Location
from icefloe.checkpoint.entries import BIG, Entry
from icefloe.checkpoint.files import Source, identity
from icefloe.checkpoint.index import Index, read_index
from icefloe.checkpoint.locating.near_files import missing_part
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.checkpoint.reading import WINDOW, CheckpointReader
from icefloe.checkpoint.slices import TensorSlice, as_slice
from icefloe.checkpoint.transfer import PIECE, read_summed
from icefloe.machine import memory
from icefloe.wire.crc import crc32c

# As many data files are opened with the index, so that all are of one moment; further ones when they are needed.
_MAX_OPEN_AT_ONCE = 64
_MAX_ATTEMPTS = 10


class BundleReader(CheckpointReader):
    """The V2 checkpoint under `prefix`.

    mmap: hand out read-only views of the mapped file where the stored bytes are the tensor's memory; each tensor's
    checksum is checked when it is first asked for, `read_slice` checks none. A file that is cut while it is mapped
    kills the process.

    Raises: NotFoundError if there is none, DataLossError or InvalidArgumentError if its index cannot be read.
    """

    def __init__(self, prefix: str | os.PathLike[str], *, mmap: bool = False) -> None:
        self.prefix = os.fspath(prefix)
        self._mmap = mmap
        self._closed = False
        self._shards: dict[int, Source] = {}
        self._maps: dict[int, mmap_module.mmap] = {}
        self._checked: set[tuple[int, int, int]] = set()  # (shard, offset, size) of what was summed up under a map
        self._open()
        self.entries = self._index.entries

    def _open(self) -> None:
        for attempt in range(_MAX_ATTEMPTS):
            location = commit.locate(self.prefix)
            if location is None:
                raise errors.NotFoundError(
                    f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {self.prefix}"
                )
            final = attempt == _MAX_ATTEMPTS - 1
            self._release()
            try:
                source = Source(location.index)
            except errors.NotFoundError:
                if final:
                    raise
                continue
            try:
                self._location, self._identity = location, source.identity
                index = read_index(source)
            except errors.OpError:
                if final or not self._is_replaced():
                    raise
                continue
            finally:
                source.close()
            self._index = index
            self._order: contents.ByteOrder = "big" if index.header.endianness == BIG else "little"
            if files.is_url(self.prefix):
                return  # there nothing is held by being open: a data file is asked for when it is needed
            for shard in range(min(index.header.num_shards, _MAX_OPEN_AT_ONCE)):
                found = _open_shard(location, shard, index.header.num_shards)
                if found is not None:
                    self._shards[shard] = found
            if final or not self._is_replaced():
                return

    def _is_replaced(self) -> bool:
        """Whether another save has taken the prefix since the index was read."""
        location = commit.locate(self.prefix)
        return location is None or identity(location.index) != self._identity

    @property
    def num_shards(self) -> int:
        return self._index.header.num_shards

    @property
    def index(self) -> Index:
        """The decoded index, with the entries of slices."""
        return self._index

    @property
    def byte_order(self) -> contents.ByteOrder:
        """The order of the bytes of a number in the data files."""
        return self._order

    def data_file(self, name: str, entry: Entry) -> Source:
        """Return the data file that holds the bytes of an entry, one of a whole tensor or of a slice.

        Raises: NotFoundError if it is missing, OutOfRangeError if it ends before them, DataLossError if their number
        does not fit the shape.
        """
        return self._place(name, entry)

    def check_sum(self, name: str, entry: Entry, crc: int) -> None:
        """Check `crc`, computed over the bytes of an entry. Raises: DataLossError, or AbortedError if the checkpoint
        was replaced.
        """
        self._check(name, entry, self._shard(entry.shard), crc)

    def close(self) -> None:
        self._closed = True
        self._release()

    def _release(self) -> None:
        for source in self._shards.values():
            source.close()
        self._shards.clear()
        self._maps.clear()  # a map lives on as long as a view of it does

    def read(self, name: str) -> np.ndarray:
        return self._read(self.find(name), None)

    def read_slice(self, name: str, chosen: TensorSlice) -> np.ndarray:
        return self._read(self.find(name), as_slice(chosen))

    def stream(self, name: str) -> Iterator[np.ndarray]:
        name = self.find(name)
        entry = self.entries[name]
        try:
            if entry.dtype.numpy.hasobject:
                yield self._read_entry(name, entry).reshape(-1)
            elif entry.is_sliced:
                yield from self._stream_slices(name, entry)
            else:
                yield from self._stream_entry(name, entry)
        except errors.OpError as e:
            raise self._explained(e) from None

    def _stream_entry(self, name: str, entry: Entry) -> Iterator[np.ndarray]:
        source = self._place(name, entry)
        element = entry.dtype.numpy
        window = np.empty(max(min(max(WINDOW, source.window), entry.size) // element.itemsize, 1), element)
        crc = 0
        for start in range(0, entry.size, window.nbytes):
            piece = window[: min(window.nbytes, entry.size - start) // element.itemsize]
            data = contents.as_bytes(piece)
            source.read_into(data, entry.offset + start)
            crc = crc32c(data, crc)
            if self._order == "big":
                contents.swap_bytes(piece)
            yield piece
        self._check(name, entry, source, crc)

    def _stream_slices(self, name: str, entry: Entry) -> Iterator[np.ndarray]:
        """Yield a partitioned tensor: part by part where it is cut along its first dimension only, else at once."""
        stored = sorted(entry.slices, key=lambda s: s.extents)
        bounds = [s.bounds(entry.shape) for s in stored]
        ends = [0, *(b[0][1] for b in bounds)]
        in_rows = all(b[1:] == tuple((0, n) for n in entry.shape[1:]) for b in bounds)
        if not in_rows or [b[0][0] for b in bounds] != ends[:-1] or ends[-1] != entry.shape[0]:
            yield self._assemble(name, entry, TensorSlice.full(len(entry.shape))).reshape(-1)
            return
        for chosen in stored:
            part = self._index.slice_entry(name, chosen)
            _check_part(name, entry, chosen, part)
            yield from self._stream_entry(name, part)

    def _read(self, name: str, chosen: TensorSlice | None) -> np.ndarray:
        entry = self.entries[name]
        try:
            if chosen is not None:
                array = self._read_slice(name, entry, chosen)
            elif entry.is_sliced:
                array = self._assemble(name, entry, TensorSlice.full(len(entry.shape)))
            else:
                array = self._read_entry(name, entry)
        except errors.OpError as e:
            raise self._explained(e) from None
        if self._mmap:
            array.flags.writeable = False
        return array

    def _read_slice(self, name: str, entry: Entry, chosen: TensorSlice) -> np.ndarray:
        shape = entry.shape
        sizes = chosen.shape(shape)
        if not entry.is_sliced:
            if sizes == shape:
                return self._read_entry(name, entry)
            return self._cut(name, entry, chosen)
        if chosen in entry.slices:
            part = self._index.slice_entry(name, chosen)
            _check_part(name, entry, chosen, part)
            return self._read_entry(name, part)
        return self._assemble(name, entry, chosen)

    # One entry

    def _shard(self, number: int) -> Source:
        if self._closed:
            raise errors.FailedPreconditionError("the checkpoint is closed", path=self.prefix)
        source = self._shards.get(number)
        if source is None:
            count = self.num_shards
            if number >= count:
                raise errors.DataLossError(f"the index names data file {number}, counted from 0, of {count}")
            found = _open_shard(self._location, number, count)
            if found is None:
                if self._is_replaced():
                    raise self._replaced()
                path = self._location.shard_candidates(number, count)[-1]
                raise errors.NotFoundError(f"{path}; No such file or directory", hint=missing_part(path))
            source = self._shards[number] = found
        return source

    def _explained(self, error: errors.OpError) -> errors.OpError:
        is_gone = isinstance(error, errors.NotFoundError) and files.is_url(self.prefix)
        if is_gone and self._is_replaced():  # a file at a URL is not held by being open
            return self._replaced()
        return error.add_context(path=self._location.index)

    def _replaced(self) -> errors.OpError:
        return errors.AbortedError(
            "the checkpoint was replaced or deleted while it was being read", path=self.prefix, hint="Open it again."
        )

    def _place(self, name: str, entry: Entry) -> Source:
        """Return the data file of an entry, after checking that the entry's bytes are in it and its size fits its
        shape.
        """
        source = self._shard(entry.shard)
        if not entry.dtype.numpy.hasobject:
            expected = entry.num_elements * entry.dtype.size
            if entry.size != expected:
                raise errors.DataLossError(
                    f"Invalid size in bundle entry: key {name}; stored size {entry.size}; expected size {expected}"
                )
        if entry.offset + entry.size > source.size:
            if self._is_replaced():
                raise self._replaced()
            raise errors.OutOfRangeError(
                f"Read less bytes than requested: tensor {name} is at bytes {entry.offset} to "
                f"{entry.offset + entry.size}, the file ends at {source.size}",
                path=source.path,
                hint=_hint(source.path),
            )
        return source

    def _read_entry(self, name: str, entry: Entry) -> np.ndarray:
        source = self._place(name, entry)
        if entry.dtype.numpy.hasobject:
            return self._read_objects(name, entry, source)
        if self._mmap and entry.size and self._order == "little" and not source.is_remote:
            return self._view(name, entry, source, checked=True)
        array = _empty(name, entry.shape, entry.dtype.numpy)
        self._fill(name, entry, source, array)
        return array

    def _fill(self, name: str, entry: Entry, source: Source, array: np.ndarray) -> None:
        """Read the bytes of an entry into `array`, contiguous and of its shape."""
        self._check(name, entry, source, read_summed(source, entry.offset, contents.as_bytes(array)))
        if self._order == "big":
            contents.swap_bytes(array)

    def _read_objects(self, name: str, entry: Entry, source: Source) -> np.ndarray:
        raw = source.read(entry.offset, entry.size)
        try:
            if entry.dtype == datatypes.string:
                values, crc = contents.decode_strings(raw, entry.num_elements, self._order)
            elif entry.dtype == datatypes.variant and self._order == "little":
                values, crc = contents.decode_variants(raw, entry.num_elements)
            else:
                raise errors.UnimplementedError(
                    f"tensor {name}: {entry.dtype.name} elements cannot be read from a checkpoint, or not from one in "
                    f"{self._order}-endian byte order"
                )
        except errors.DataLossError as e:
            if self._is_replaced():
                raise self._replaced() from None
            e.message = f"tensor {name}: {e.message}"
            e.offset = entry.offset
            raise e.add_context(path=source.path) from None
        self._check(name, entry, source, crc)
        array = _empty(name, (entry.num_elements,), np.dtype(object))
        array[:] = values
        return _reshaped(name, array, entry.shape)

    def _view(self, name: str, entry: Entry, source: Source, *, checked: bool) -> np.ndarray:
        mapped = self._maps.get(entry.shard)
        if mapped is None:
            mapped = self._maps[entry.shard] = mmap_module.mmap(source.fileno(), 0, access=mmap_module.ACCESS_READ)
        if entry.offset + entry.size > len(mapped):
            raise errors.OutOfRangeError(f"Read less bytes than requested: tensor {name}", path=source.path)
        place = (entry.shard, entry.offset, entry.size)
        if checked and place not in self._checked:
            with memoryview(mapped) as whole, whole[entry.offset : entry.offset + entry.size] as data:
                self._check(name, entry, source, crc32c(data))
            self._checked.add(place)
        array = np.frombuffer(mapped, entry.dtype.numpy, entry.num_elements, entry.offset)
        return _reshaped(name, array, entry.shape)

    def _check(self, name: str, entry: Entry, source: Source, crc: int) -> None:
        if crc == entry.crc:
            return
        if (source.is_remote or len(self._shards) < self.num_shards) and self._is_replaced():
            raise self._replaced()
        raise errors.DataLossError(
            f"TensorBundle at {self.prefix} shard {entry.shard} ({entry.size} bytes): Checksum does not match: "
            f"stored {entry.crc:08d} vs. calculated on the restored bytes {crc}: tensor {name}",
            path=source.path,
            offset=entry.offset,
            hint=_hint(source.path),
        )

    # Slices

    def _cut(self, name: str, entry: Entry, chosen: TensorSlice) -> np.ndarray:
        """Return a slice of a tensor that is stored whole."""
        shape = entry.shape
        index = chosen.index(shape)
        source = self._place(name, entry)
        may_map = self._mmap and not source.is_remote
        if may_map and entry.size and self._order == "little" and not entry.dtype.numpy.hasobject:
            return self._view(name, entry, source, checked=False)[index]
        if source.is_remote and not entry.dtype.numpy.hasobject:
            return self._box(entry, source, chosen.bounds(shape))
        if entry.dtype.numpy.hasobject or any(s != slice(0, n) for s, n in zip(index[1:], shape[1:])):
            return self._read_entry(name, entry)[index].copy()
        return self._cut_rows(name, entry, source, index[0].start, index[0].stop)

    def read_box(self, name: str, bounds: Sequence[tuple[int, int]]) -> np.ndarray:
        """Return the elements `bounds`, (start, stop) for each dimension, of a numeric tensor, reading no more than
        their surroundings. What is less than a stored piece has no checksum and is not checked.

        Raises: as `read`; InvalidArgumentError for bounds that do not fit the shape, or if the stored slices do not
        cover them.
        """
        name = self.find(name)
        entry = self.entries[name]
        bounds = boxes.as_bounds(bounds, entry.shape)
        try:
            if entry.dtype.numpy.hasobject or all(b == (0, n) for b, n in zip(bounds, entry.shape)):
                return self._read(name, None)[tuple(slice(a, b) for a, b in bounds)]
            if not entry.is_sliced:
                return self._box(entry, self._place(name, entry), bounds)
            chosen = TensorSlice(tuple((a, b - a) for a, b in bounds))
            sizes, pieces = assembly.pieces(name, entry.shape, entry.slices, chosen)
            array = _empty(name, sizes, entry.dtype.numpy)
            for piece in pieces:
                part = self._index.slice_entry(name, piece.stored)
                _check_part(name, entry, piece.stored, part)
                inside = [(s.start, s.stop) for s in piece.origin]
                array[piece.target] = self._box(part, self._place(name, part), inside)
        except errors.OpError as e:
            raise self._explained(e) from None
        return array

    def _box(self, entry: Entry, source: Source, bounds: Sequence[tuple[int, int]]) -> np.ndarray:
        array = boxes.read_box(source, entry.offset, entry.shape, entry.dtype.numpy, bounds)
        if self._order == "big":
            contents.swap_bytes(array)
        return array

    def _cut_rows(self, name: str, entry: Entry, source: Source, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop`: the whole tensor goes through a window for the checksum, the rows are kept."""
        array = _empty(name, (stop - start, *entry.shape[1:]), entry.dtype.numpy)
        out = contents.as_bytes(array)
        row = entry.size // entry.shape[0]
        first, last = start * row, stop * row
        window = memoryview(bytearray(min(PIECE, entry.size)))
        crc = pos = 0
        while pos < entry.size:
            if pos < first or pos >= last:
                edge = first if pos < first else entry.size
                piece = window[: min(len(window), edge - pos)]
            else:
                piece = out[pos - first : min(pos + PIECE, last) - first]
            source.read_into(piece, entry.offset + pos)
            crc = crc32c(piece, crc)
            pos += len(piece)
        self._check(name, entry, source, crc)
        if self._order == "big":
            contents.swap_bytes(array)
        return array

    def _assemble(self, name: str, entry: Entry, chosen: TensorSlice) -> np.ndarray:
        """Return a slice of a partitioned tensor, put together from those that are stored."""
        sizes, pieces = assembly.pieces(name, entry.shape, entry.slices, chosen)
        parts = [(piece, self._index.slice_entry(name, piece.stored)) for piece in pieces]
        shards: dict[int, int] = {}
        for piece, part in parts:
            _check_part(name, entry, piece.stored, part)
            shards[part.shard] = self._place(name, part).size
        if sum(part.size for _, part in parts) > sum(shards.values()):
            raise errors.DataLossError(f"slices of tensor {name} share bytes")
        array = _empty(name, sizes, entry.dtype.numpy)
        for piece, part in parts:
            view = array[piece.target]
            if view.flags.c_contiguous and view.shape == part.shape and not view.dtype.hasobject:
                self._fill(name, part, self._place(name, part), view)
            else:
                view[...] = self._read_entry(name, part)[piece.origin]
        return array


def _check_part(name: str, entry: Entry, stored: TensorSlice, part: Entry) -> None:
    if part.dtype != entry.dtype or part.shape != stored.shape(entry.shape) or part.is_sliced:
        raise errors.DataLossError(
            f"slice {stored} of tensor {name}: expected {entry.dtype.name} {list(stored.shape(entry.shape))}, "
            f"got {part.dtype.name} {list(part.shape)}"
        )


def _hint(path: str) -> str | None:
    """Return what a data file is where it is something else."""
    try:
        finding = sniff(path)
    except errors.OpError:  # it is gone by now
        return None
    return None if finding.kind == "data_shard" else f"This is {finding.description}."


def _open_shard(location: Location, shard: int, count: int) -> Source | None:
    for path in location.shard_candidates(shard, count):
        try:
            return Source(path)
        except errors.NotFoundError:
            continue
    return None


def _empty(name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    try:
        return memory.empty(shape, dtype)
    except ValueError as e:
        raise errors.UnimplementedError(f"tensor {name} has a shape that numpy cannot hold: {e}") from None
    except MemoryError:
        raise errors.ResourceExhaustedError(f"no memory for tensor {name} of shape {list(shape)}") from None


def _reshaped(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return array.reshape(shape)
    except ValueError as e:
        raise errors.UnimplementedError(f"tensor {name} has a shape that numpy cannot hold: {e}") from None
