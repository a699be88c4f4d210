"""Reads HDF5 files: those of Keras, models and weights, those that `convert` writes, and any other's datasets; and
.keras archives, whose weights are an HDF5 file.

Datasets in other files, virtual ones and links are left out: a file must not make its reader open others. What a
dataset claims to hold is checked against the bytes that the file has for it before memory is taken.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.formats import archive, hdf5_attributes, keras_names, side_entry
from icefloe.checkpoint.formats.archive import Window
from icefloe.checkpoint.formats.array_reader import ArrayReader, Stored, native_dtype
from icefloe.checkpoint.formats.side_entry import Note, SideEntry, load_json
from icefloe.checkpoint.reading import WINDOW
from icefloe.datatypes import DType

_T = TypeVar("_T")
# A dataset for which the file has no bytes is all fill value; one that is larger than this is refused.
_MAX_UNWRITTEN = 64 << 20
_MAX_RATIO, _LARGE = 200, 256 << 20
_MAX_CONFIG = 16 << 20
WEIGHTS = "model.weights.h5"


@contextlib.contextmanager
def _damage(path: str) -> Iterator[None]:
    """Make of whatever HDF5's library raises for a damaged file one error that names it."""
    try:
        yield
    except errors.OpError as e:
        raise e.add_context(path=path) from None
    except MemoryError:
        raise errors.ResourceExhaustedError("no memory for what the file says it holds", path=path) from None
    except Exception as e:
        raise errors.DataLossError(f"a damaged HDF5 file: {e or type(e).__name__}", path=path) from None


class Hdf5Reader(ArrayReader):
    """The HDF5 file at `path`. Weights of Keras have the names that `keras_names` describes, with `:0` or without, and
    are found by their path in the file too; other datasets are called by their path.

    Raises: DataLossError if it cannot be read as HDF5.
    """

    format = "h5"
    _layer_names: ClassVar[dict[str, str]] = {}

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._source = Source(path)
        try:
            with _damage(path):
                self._file = self._opened()
                self._take(*self._look())
        except BaseException:
            self.close()
            raise

    def _opened(self) -> Any:
        import h5py

        # By its path, the library would refuse a file that the program has open with other settings of its own.
        return h5py.File(io.BufferedReader(Window(self._source)), "r")

    def close(self) -> None:
        file = self.__dict__.get("_file")
        if file is not None:
            file.close()
        self._source.close()

    def _look(self) -> tuple[dict[str, Stored], SideEntry | None]:
        import h5py

        paths: list[str] = []
        notes: dict[str, DType] = {}
        found: dict[str, Stored] = {}
        given: dict[str, str] = {}
        left_out: dict[str, str] = {}
        damaged: set[str] = set()
        seen: list[str] = []
        self._file.visit(seen.append)
        for path in seen:
            try:
                item = self._file[path]
                if not isinstance(item, h5py.Dataset):
                    continue
                dtype = self._checked_dtype(item)
                noted = None if dtype == datatypes.string else hdf5_attributes.text(item, "dtype")
                if noted is not None and (said := _named_dtype(noted, item.dtype.itemsize)) is not None:
                    notes[path] = said
                    dtype = dtype or said
                if dtype is None:
                    raise errors.UnimplementedError(f"elements of type {item.dtype} are no tensor's")
                shape = tuple(item.shape) if item.shape is not None else None
                if shape is None:
                    raise errors.UnimplementedError("it has no elements and no shape")
                if (name := hdf5_attributes.text(item, "name")) is not None:
                    given[path] = name
            except errors.OpError as e:
                left_out[path] = e.message
                if isinstance(e, errors.DataLossError):
                    damaged.add(path)
                continue
            except Exception as e:  # one damaged object; see `_damage`
                left_out[path] = f"damaged: {e or type(e).__name__}"
                damaged.add(path)
                continue
            paths.append(path)
            found[path] = Stored(path, dtype, shape)
        self.left_out, self._damaged = left_out, damaged
        side = self._side()
        if side is None and notes:
            side = SideEntry()
        names = self._names(paths, given, left_out)
        for path, dtype in notes.items():
            if side is not None:
                side.tensors.setdefault(path, Note(names[path], dtype, found[path].shape))
        ordered = sorted(paths, key=lambda p: self._ranks.get(p, len(self._ranks)))
        return {names[path]: found[path] for path in ordered}, side

    @property
    def file(self) -> Any:
        """The open `h5py.File`."""
        return self._file

    def places(self) -> dict[str, str]:
        """Return key -> path in the file of every dataset."""
        return {key: item.name for key, item in self._stored.items()}

    def _side(self) -> SideEntry | None:
        raw = hdf5_attributes.text(self._file, side_entry.NAME)
        return None if raw is None else side_entry.decode(raw)

    def _names(self, paths: list[str], given: dict[str, str], left_out: dict[str, str]) -> dict[str, str]:
        """Return path -> key, and note the other names of each."""
        weights = list(keras_names.listed(self._file, paths))
        self._ranks = {path: i for i, (path, _, _) in enumerate(weights)}
        wanted = {path: weight.removesuffix(":0") for path, weight, _ in weights}
        layers = {path: layer for path, _, layer in weights}
        if not wanted:
            wanted = keras_names.numbered(self._file, paths, self._layer_names)
            self._ranks = {path: i for i, path in enumerate(sorted(paths, key=_natural))}
        wanted = {path: given.get(path) or wanted.get(path, path) for path in paths}
        for path in _repeated(wanted):
            wanted[path] = f"{layers[path]}/{wanted[path]}" if path in layers else path
        for path in _repeated(wanted):
            wanted[path] = path
        others: dict[str, list[str]] = {}
        for path, key in wanted.items():
            last = path.rpartition("/")[2].removesuffix(":0")
            more = {path, path.removesuffix(":0"), f"{key}:0"}
            if path in layers:
                more |= {f"{layers[path]}/{last}", f"{layers[path]}/{last}:0"}
            for name in more - {key}:
                others.setdefault(name, []).append(key)
        taken = set(wanted.values())
        self._other_names = {name: tuple(keys) for name, keys in others.items() if name not in taken}
        return wanted

    def _checked_dtype(self, dataset: Any) -> DType | None:
        """Return the DType of a dataset; None where it has none of its own.

        Raises: UnimplementedError or DataLossError if its elements are not in this file.
        """
        import h5py

        if dataset.external or dataset.is_virtual:
            raise errors.UnimplementedError("its elements are in another file")
        size = dataset.size or 0
        # A string of variable length is a reference of 16 bytes in the file.
        total = size * (
            16 if h5py.check_vlen_dtype(dataset.dtype) or dataset.dtype.hasobject else dataset.dtype.itemsize
        )
        stored, end = dataset.id.get_storage_size(), self._file_size()
        if total and (stored > end or (dataset.chunks is None and stored not in (0, total))):
            raise errors.DataLossError(f"{total} bytes of elements, of which the file holds {stored}")
        if (not stored and total > _MAX_UNWRITTEN) or (total > _LARGE and total > stored * _MAX_RATIO):
            raise errors.DataLossError(f"{stored} bytes are said to hold {total}: taken for an attack")
        if h5py.check_string_dtype(dataset.dtype) is not None:
            return datatypes.string
        return native_dtype(dataset.dtype)

    def _file_size(self) -> int:
        return self._source.size

    def _dataset(self, item: Stored) -> Any:
        if not self._file:
            raise errors.FailedPreconditionError(f"{self.prefix}: the checkpoint is closed")
        return self._file[item.name]

    def _read_from(self, read: Callable[[], _T]) -> _T:
        with _damage(self.prefix):
            return read()

    def _load(self, item: Stored) -> np.ndarray:
        return self._read_from(lambda: _native(self._dataset(item)[()], item))

    def _load_rows(self, item: Stored, start: int, stop: int) -> np.ndarray:
        return self._read_from(lambda: _native(self._dataset(item)[start:stop], item))

    def _pieces(self, item: Stored) -> Iterator[np.ndarray]:
        size = int(np.prod(item.shape, dtype=np.int64)) * max(item.dtype.size, 1)
        if not item.shape or size <= WINDOW:
            yield self._load(item).reshape(-1)
            return
        step = max(WINDOW // (size // item.shape[0]), 1)
        for start in range(0, item.shape[0], step):
            yield self._load_rows(item, start, min(start + step, item.shape[0])).reshape(-1)


class KerasReader(Hdf5Reader):
    """The weights in the .keras archive at `path`. Raises: DataLossError if it is damaged, NotFoundError if there are
    none.
    """

    format = "keras"

    def _opened(self) -> Any:
        import h5py

        members = {m.name: m for m in archive.members(self._source)}
        weights = members.get(WEIGHTS)
        if weights is None:
            raise errors.NotFoundError(f"the archive holds no {WEIGHTS}")
        archive.check(self._source, weights)
        self._size = weights.size
        config = members.get("config.json")
        if config is not None and config.size <= _MAX_CONFIG:
            # Only names come from it: a file whose config is damaged has its weights still.
            with contextlib.suppress(errors.OpError):
                data = load_json(b"".join(archive.inflated(self._source, config)), "config.json")
                self._layer_names = keras_names.layer_names(data)  # type: ignore[misc]
        if weights.method == archive.STORED:
            return h5py.File(io.BufferedReader(Window(self._source, weights.start, weights.size)), "r")
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the reader)
        for piece in archive.inflated(self._source, weights):
            self._spool.write(piece)
        self._spool.seek(0, os.SEEK_SET)
        return h5py.File(self._spool, "r")

    def close(self) -> None:
        super().close()
        spool = self.__dict__.get("_spool")
        if spool is not None:
            spool.close()

    def _file_size(self) -> int:
        return self._size


def _named_dtype(name: str, itemsize: int) -> DType | None:
    """Return the dtype that the attribute of a dataset names, if its elements can be the dataset's bits."""
    try:
        dtype = datatypes.as_dtype(name)
    except TypeError:
        return None
    return dtype if dtype.size == itemsize and not dtype.numpy.hasobject else None


def _native(array: Any, item: Stored) -> np.ndarray:
    array = np.asarray(array)
    if item.dtype == datatypes.string:
        out = np.empty(array.size, object)
        out[:] = [v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
        return out.reshape(array.shape)
    if array.dtype.kind == "V":
        return np.ascontiguousarray(array).view(item.dtype.numpy)
    return np.ascontiguousarray(array, item.dtype.numpy).reshape(array.shape)


def _repeated(names: Mapping[str, str]) -> list[str]:
    """Return the keys whose value another key has too."""
    counts = Counter(names.values())
    return [key for key, name in names.items() if counts[name] > 1]


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() and part.isascii() else (-1, part) for part in path.split("/")]
