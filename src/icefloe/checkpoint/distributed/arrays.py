"""The tensors of a checkpoint as lazy Dask arrays: a chunk is read, by ranges, where it is computed."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.distributed.scheduling import absolute, import_dask
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice

_KEPT_OPEN = 16
_open: OrderedDict[str, CheckpointReader] = OrderedDict()
_lock = threading.Lock()


def to_dask(reader: CheckpointReader, name: str, chunks: Any) -> Any:
    """Return one tensor as a `dask.array.Array`; see `CheckpointReader.to_dask`."""
    dask = import_dask()
    key = reader.find(name)
    entry = reader.entries[key]
    stored = StoredArray(absolute(reader.prefix), key, entry)
    element = stored.dtype
    if element.hasobject or not stored.shape or 0 in stored.shape:
        chunks = stored.shape
    elif chunks == "auto":
        chunks = _rows(stored.shape, element.itemsize, dask.utils.parse_bytes(dask.config.get("array.chunk-size")))
    label = f"{key}-{dask.base.tokenize(stored.prefix, key, stored.fingerprint, chunks)}"
    empty = np.empty((0,) * len(stored.shape), element)
    return dask.array.from_array(
        stored, chunks=chunks, name=label, lock=False, asarray=True, meta=empty, inline_array=True
    )


def _rows(shape: tuple[int, ...], itemsize: int, limit: int) -> tuple[int, ...]:
    """Return a chunk of at most `limit` bytes that is one range of the file if it can be: whole last dimensions."""
    chunk = list(shape)
    for i in range(len(shape)):
        rest = math.prod(chunk[i + 1 :]) * itemsize
        chunk[i] = max(min(shape[i], limit // max(rest, 1)), 1)
        if chunk[i] > 1 or rest <= limit:
            break
    return tuple(chunk)


class StoredArray:
    """What Dask cuts chunks from: a tensor of a checkpoint, told by its place. It can be pickled; a process opens the
    checkpoint when it first reads, and keeps it open.
    """

    def __init__(self, prefix: str, name: str, entry: Entry) -> None:
        self.prefix = prefix
        self.name = name
        self.shape = entry.shape
        self.dtype = entry.dtype.numpy
        self.ndim = len(self.shape)
        self.fingerprint = _fingerprint(entry)

    def __getitem__(self, index: Any) -> np.ndarray:
        """Raises: as `CheckpointReader.read`; AbortedError if the checkpoint was replaced since the array was made."""
        index = index if isinstance(index, tuple) else (index,)
        reader = self._reader()
        known = all(isinstance(i, slice | int | list | np.ndarray) for i in index)
        if self.dtype.hasobject or len(index) != self.ndim or not known:
            return np.asarray(reader.read(self.name)[index])
        bounds: list[tuple[int, int]] = []
        rest: list[Any] = []
        for one, size in zip(index, self.shape):
            if isinstance(one, list | np.ndarray):
                numbers = np.arange(size)[np.asarray(one)]
                low, high = (int(numbers.min()), int(numbers.max()) + 1) if numbers.size else (0, 0)
                bounds.append((low, high))
                rest.append(numbers - low)
                continue
            chosen = range(size)[one]
            if isinstance(chosen, int):
                bounds.append((chosen, chosen + 1))
                rest.append(0)
            elif not len(chosen):
                bounds.append((0, 0))
                rest.append(slice(None))
            else:
                low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1]) + 1
                bounds.append((low, high))
                rest.append(slice(None, None, chosen.step))
        if any(a == b for a, b in bounds):
            return np.empty(tuple(b - a for a, b in bounds), self.dtype)[tuple(rest)]
        if isinstance(reader, BundleReader):
            return np.asarray(reader.read_box(self.name, bounds)[tuple(rest)])
        part = reader.read_slice(self.name, TensorSlice(tuple((a, b - a) for a, b in bounds)))
        return np.asarray(part[tuple(rest)])

    def _reader(self) -> CheckpointReader:
        with _lock:
            reader = _open.get(self.prefix)
            if reader is None or not self._is_in(reader):
                reader = _open[self.prefix] = open_checkpoint(self.prefix)
                while len(_open) > _KEPT_OPEN:
                    _open.popitem(last=False)  # closed with its last use
            _open.move_to_end(self.prefix)
        if not self._is_in(reader):
            raise errors.AbortedError(
                f"tensor {self.name} is another one by now: the checkpoint was replaced",
                path=self.prefix,
                hint="Open it again.",
            )
        return reader

    def _is_in(self, reader: CheckpointReader) -> bool:
        return self.name in reader.entries and _fingerprint(reader.entries[self.name]) == self.fingerprint


def _fingerprint(entry: Entry) -> tuple[Any, ...]:
    """Return what two tensors of one name and different contents do not share, as far as the index tells."""
    return (entry.dtype_number, entry.shape, entry.shard, entry.offset, entry.size, entry.masked_crc)
