"""What a source checkpoint holds, piece by piece: a piece is a whole tensor or one slice of a partitioned one.

A piece of a V2 checkpoint is read in windows and its checksum verified when the last has been handed out. Pieces of
other formats are read whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from icefloe import errors
from icefloe.checkpoint import contents
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.files import is_url
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice, volume
from icefloe.datatypes import DType
from icefloe.wire.crc import crc32c

# Bytes of a source that are in memory at a time.
WINDOW = 4 << 20
OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stored piece. `chosen` is None for a whole tensor; `shape` is the piece's own."""

    reader: CheckpointReader
    name: str
    dtype: DType
    shape: tuple[int, ...]
    chosen: TensorSlice | None
    entry: Entry

    @property
    def bundle(self) -> BundleReader | None:
        """The reader where it is that of a V2 checkpoint."""
        return self.reader if isinstance(self.reader, BundleReader) else None

    @property
    def is_object(self) -> bool:
        """Whether the elements are strings or variants."""
        return bool(self.dtype.numpy.hasobject)

    @property
    def can_be_copied(self) -> bool:
        """Whether the stored bytes are those of the same tensor in a little-endian V2 checkpoint."""
        bundle = self.bundle
        if bundle is None:
            return False
        return bundle.byte_order == "little" or (self.dtype.size == 1 and not self.is_object)

    @property
    def place(self) -> tuple[int, int, int]:
        """What to order pieces by for the order of their bytes; an empty piece comes before the one at its place."""
        return self.entry.shard, self.entry.offset, self.entry.size

    @property
    def stored_bytes(self) -> int:
        """Bytes in the data file, or of the elements where the format has no such file."""
        if self.bundle is not None:
            return self.entry.size
        return 0 if self.is_object else volume(self.shape) * self.dtype.size

    def array(self) -> np.ndarray:
        """Return the piece, checksum verified. Raises: as `CheckpointReader.read`."""
        if self.chosen is None:
            return self.reader.read(self.name)
        return self.reader.read_slice(self.name, self.chosen)

    def windows(self, size: int = WINDOW) -> Iterator[np.ndarray]:
        """Yield the elements in C order, flat, in arrays of about `size` bytes; each is valid until the next.

        Raises: DataLossError after the last if the checksum is wrong.
        """
        bundle = self.bundle
        if bundle is None or self.is_object:
            yield from windows_of(self.array(), size)
            return
        source = bundle.data_file(self.name, self.entry)
        element = self.dtype.size
        step = max(size // element, 1) * element
        # Over a network several windows are asked for at once.
        ahead = max(source.window // step, 1) * step if source.is_remote else step
        buffer = np.empty(min(ahead, self.entry.size), np.uint8)
        crc = pos = 0
        while pos < self.entry.size:
            raw = buffer[: min(ahead, self.entry.size - pos)]
            source.read_into(raw.data, self.entry.offset + pos)
            crc = crc32c(raw, crc)
            pos += len(raw)
            values = raw.view(self.dtype.numpy)
            if bundle.byte_order == "big":
                contents.swap_bytes(values)
            for start in range(0, values.size, step // element):
                yield values[start : start + step // element]
        bundle.check_sum(self.name, self.entry, crc)

    def part(self, first: int, count: int, size: int = WINDOW) -> Iterator[np.ndarray]:
        """Yield `count` elements from number `first` as `windows` does, without a checksum: that is of the whole."""
        bundle = self.bundle
        assert bundle is not None
        assert not self.is_object
        source = bundle.data_file(self.name, self.entry)
        element = self.dtype.size
        step = max(size // element, 1)
        for start in range(first, first + count, step):
            raw = np.empty(min(step, first + count - start) * element, np.uint8)
            source.read_into(raw.data, self.entry.offset + start * element)
            window = raw.view(self.dtype.numpy)
            if bundle.byte_order == "big":
                contents.swap_bytes(window)
            yield window


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a source: its pieces in the order in which the index lists them; `shard` is the number in its own
    entry.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    pieces: tuple[Piece, ...]
    shard: int

    @property
    def is_sliced(self) -> bool:
        return self.pieces[0].chosen is not None

    @property
    def stored_bytes(self) -> int:
        return sum(p.stored_bytes for p in self.pieces)

    @property
    def is_float(self) -> bool:
        return self.dtype.is_floating


@dataclass(slots=True)
class Contents:
    """All tensors of a source by name, in the order of their bytes in the data files.

    by_name: that order is the one of the names, as a Saver writes; else, as of objects, it has a meaning of its own.
    """

    reader: CheckpointReader
    tensors: dict[str, Tensor] = field(default_factory=dict)
    by_name: bool = True

    def __getitem__(self, name: str) -> Tensor:
        found = self.tensors.get(name)
        if found is None:
            raise self.reader.missing(name)
        return found

    @property
    def shards(self) -> int:
        if not isinstance(self.reader, BundleReader):
            return 1
        if not is_url(self.reader.prefix):
            return self.reader.num_shards
        # There a save that replaces one of as many data files makes one more, which is empty.
        used = max((p.entry.shard for t in self.tensors.values() for p in t.pieces if p.entry.size), default=0)
        return max(used + 1, 1)

    @property
    def stored_bytes(self) -> int:
        return sum(t.stored_bytes for t in self.tensors.values())


def contents_of(reader: CheckpointReader) -> Contents:
    """Return what an open checkpoint holds, after checking that its data files hold it.

    Raises: DataLossError, OutOfRangeError or NotFoundError if bytes that the index names are not there, or are
    those of two tensors.
    """
    found = [_tensor(reader, name, entry) for name, entry in reader.entries.items()]
    found.sort(key=lambda t: t.pieces[0].place)
    out = Contents(reader, {t.name: t for t in found})
    if isinstance(reader, BundleReader):
        _check_places(reader, found)
        places = sorted((p.place, i) for i, t in enumerate(found) for p in t.pieces)
        keys = [to_key(t.name) for t in found]
        out.by_name = all(a[0] != b[0] or keys[i] <= keys[j] for (a, i), (b, j) in itertools.pairwise(places))
    return out


def _tensor(reader: CheckpointReader, name: str, entry: Entry) -> Tensor:
    dtype, shape = entry.dtype, entry.shape
    if not entry.is_sliced:
        return Tensor(name, dtype, shape, (Piece(reader, name, dtype, shape, None, entry),), entry.shard)
    pieces = []
    for chosen in entry.slices:
        part = reader.index.slice_entry(name, chosen) if isinstance(reader, BundleReader) else entry
        part_shape = chosen.shape(shape)
        if part is not entry and (part.dtype != dtype or part.shape != part_shape or part.is_sliced):
            raise errors.DataLossError(f"slice {chosen} of tensor {name} differs from the tensor in dtype or shape")
        pieces.append(Piece(reader, name, dtype, part_shape, chosen, part))
    return Tensor(name, dtype, shape, tuple(pieces), entry.shard)


def _check_places(reader: BundleReader, tensors: list[Tensor]) -> None:
    sizes: dict[int, int] = {}
    total = 0
    for tensor in tensors:
        for piece in tensor.pieces:
            sizes[piece.entry.shard] = reader.data_file(tensor.name, piece.entry).size
            total += piece.entry.size
    if total > sum(sizes.values()):
        raise errors.DataLossError(
            f"the tensors take {total} bytes, the data files have {sum(sizes.values())}: tensors share bytes",
            path=reader.prefix,
        )


def windows_of(array: np.ndarray, size: int = WINDOW) -> Iterator[np.ndarray]:
    """Yield the elements of an array in C order, flat, in arrays of about `size` bytes."""
    flat = np.ascontiguousarray(array).reshape(-1)
    step = max(size // max(array.itemsize, 1), 1)
    for start in range(0, flat.size, step):
        yield flat[start : start + step]
