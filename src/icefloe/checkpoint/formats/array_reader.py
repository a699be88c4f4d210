"""What readers of array files share: entries, names, slices, and how a side entry turns stored arrays back into
tensors.
"""

from __future__ import annotations

import contextlib
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.converting.layouts import Original
from icefloe.checkpoint.entries import encode_entry
from icefloe.checkpoint.formats.side_entry import Note, SideEntry
from icefloe.checkpoint.index import Entries
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice
from icefloe.datatypes import DType
from icefloe.machine import memory


@dataclass(frozen=True, slots=True)
class Stored:
    """An array in a file: its name there, what it is as it stands there, and where its bytes begin, where that is
    known.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    offset: int = 0


class ArrayReader(CheckpointReader):
    """An open file of arrays. A subclass finds what is stored, calls `_take` once, and reads arrays as they stand.

    partition: key -> slices in which the checkpoint held a tensor that was converted; see `side_entry`. originals:
    key -> what a tensor was that has another name or layout here.
    """

    def __init__(self, path: str) -> None:
        self.prefix = path
        self.left_out = {}
        self.partition: Mapping[str, tuple[TensorSlice, ...]] = {}
        self.originals: Mapping[str, Original] = {}
        self._stored: dict[str, Stored] = {}
        self._notes: dict[str, Note] = {}
        self._objects: dict[str, np.ndarray] = {}
        self._other_names: dict[str, tuple[str, ...]] = {}

    def _take(self, stored: Mapping[str, Stored], side: SideEntry | None) -> None:
        """Make the entries: `stored` by key, changed back to what the side entry says that they were."""
        found: dict[str, tuple[DType, tuple[int, ...], int]] = {}
        notes = {} if side is None else side.tensors
        for key, item in stored.items():
            note = notes.get(item.name)
            if note is None:
                found[key] = (item.dtype, item.shape, item.offset)
                self._stored[key] = item
                continue
            if not _fits(item, note):
                raise errors.DataLossError(
                    f"array {item.name} is {item.dtype.name} {list(item.shape)}, which cannot be the {note.dtype.name} "
                    f"{list(note.shape)} that the side entry says it is",
                    path=self.prefix,
                )
            if note.name in found:
                raise errors.DataLossError(f"two arrays are said to be {note.name}", path=self.prefix)
            found[note.name] = (note.dtype, note.shape, item.offset)
            self._stored[note.name] = item
            self._notes[note.name] = note
        if side is not None:
            for name, array in side.objects.items():
                if name in found:
                    raise errors.DataLossError(f"two tensors have the name {name}", path=self.prefix)
                found[name] = (side.object_dtypes[name], array.shape, 0)
                self._objects[name] = array
            self.partition = {name: slices for name, slices in side.slices.items() if name in found}
            self.originals = {name: original for name, original in side.originals.items() if name in found}
            for name, original in self.originals.items():
                if not original.fits(found[name][1]):
                    raise errors.DataLossError(
                        f"tensor {name} of shape {list(found[name][1])} cannot be the {original.layout or 'same'} "
                        f"{list(original.shape)} that the side entry says it was",
                        path=self.prefix,
                    )
            ordered = [name for name in side.order if name in found]
            found = {name: found[name] for name in dict.fromkeys((*ordered, *found))}
        self.entries = Entries(
            {
                name: encode_entry(
                    dtype.as_datatype_enum,
                    shape,
                    offset=offset,
                    size=0 if dtype.numpy.hasobject else math.prod(shape) * dtype.size,
                )
                for name, (dtype, shape, offset) in found.items()
            }
        )

    @abstractmethod
    def _load(self, item: Stored) -> np.ndarray:
        """Return a stored array in memory of its own, in native byte order."""

    def _load_rows(self, item: Stored, start: int, stop: int) -> np.ndarray:
        """Return rows of an array of rank 1 or more."""
        return self._load(item)[start:stop]

    def _pieces(self, item: Stored) -> Iterator[np.ndarray]:
        """Yield the elements of a numeric array, flat in C order and native byte order; each piece but the last is a
        multiple of 16 bytes.
        """
        yield self._load(item).reshape(-1)

    def _other_keys(self, name: str) -> tuple[str, ...]:
        return self._other_names.get(name) or super()._other_keys(name)

    @property
    def names(self) -> Mapping[str, str]:
        """Every name that means one tensor -> its key."""
        others = {name: keys[0] for name, keys in self._other_names.items() if len(keys) == 1}
        return others | dict(super().names)

    def read(self, name: str) -> np.ndarray:
        name = self.find(name)
        if name in self._objects:
            return self._objects[name].copy()
        with self._context(name):
            return self._as_noted(name, self._load(self._stored[name]), self.entries[name].shape)

    def _as_noted(self, name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        note = self._notes.get(name)
        if note is None:
            return array
        if note.dtype.numpy.hasobject:
            return array.reshape(shape)
        flat = np.ascontiguousarray(array).reshape(-1)
        return flat.view(note.dtype.numpy).reshape(shape)

    def read_slice(self, name: str, chosen: TensorSlice) -> np.ndarray:
        name = self.find(name)
        shape = self.entries[name].shape
        index = chosen.index(shape)
        if name in self._objects or not shape or 0 in shape or index[0] == slice(0, shape[0]):
            return np.array(self.read(name)[index])
        with self._context(name):
            part = self._load_rows(self._stored[name], index[0].start, index[0].stop)
            rows = self._as_noted(name, part, (index[0].stop - index[0].start, *shape[1:]))
        return np.array(rows[(slice(None), *index[1:])])

    def stream(self, name: str) -> Iterator[np.ndarray]:
        name = self.find(name)
        if self.entries[name].dtype.numpy.hasobject:
            yield self.read(name).reshape(-1)
            return
        note = self._notes.get(name)
        with self._context(name):
            for piece in self._pieces(self._stored[name]):
                yield piece if note is None else piece.view(note.dtype.numpy)

    @contextlib.contextmanager
    def _context(self, name: str) -> Iterator[None]:
        try:
            yield
        except errors.OpError as e:
            if name not in e.message:
                e.message = f"tensor {name}: {e.message}"
            raise e.add_context(path=self.prefix) from None


def _fits(item: Stored, note: Note) -> bool:
    """Whether a stored array can be, bit for bit, what a note says."""
    if item.dtype.numpy.hasobject or note.dtype.numpy.hasobject:
        return item.dtype == note.dtype and math.prod(item.shape) == math.prod(note.shape)
    if math.prod(item.shape) * item.dtype.size != math.prod(note.shape) * note.dtype.size:
        return False
    # Rows are read on their own, so both must have the same.
    return item.shape[: len(note.shape)] == note.shape


def empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return an array to be filled. Raises: UnimplementedError or ResourceExhaustedError if there cannot be one."""
    try:
        return memory.empty(shape, dtype)
    except ValueError as e:
        raise errors.UnimplementedError(f"a shape that numpy cannot hold: {e}") from None
    except MemoryError:
        raise errors.ResourceExhaustedError(f"no memory for an array of shape {list(shape)}") from None


def native_dtype(dtype: np.dtype) -> DType | None:
    """Return the DType of a numpy dtype of either byte order, None where there is none."""
    if dtype.hasobject or dtype.names or dtype.subdtype is not None or dtype.kind in "mMSU":
        return None
    if dtype.kind == "V":
        return None
    try:
        return datatypes.as_dtype(dtype.newbyteorder("="))
    except TypeError:
        return None
