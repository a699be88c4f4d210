"""Elements kept in files after the first time they were made, in TensorFlow's layout.

The files are a checkpoint whose tensors are named for element and component: `      7_0`, the element's number padded
to seven places and the component's to as many as the largest needs.

Source: tensorflow/core/kernels/data/cache_dataset_ops.cc.
"""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.writer import BundleWriter
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, OneInput, Spec, State
from icefloe.resources.manager import ResourceManager

_PLACES = 7


class FileCache(OneInput):
    """The elements of the input, which is iterated once only: they are kept in files that start with `prefix`."""

    kind = "Cache"

    def __init__(self, source: Dataset, prefix: str, spec: Spec, manager: ResourceManager) -> None:
        super().__init__(source, spec)
        self.prefix = prefix
        self._manager = manager
        self._component_places = len(str(max(len(spec.dtypes) - 1, 0)))

    def iterator(self, context: Context) -> Iterator:
        if self.is_written():
            self._manager.check_file(self.prefix, "read")
            return _Reading(self)
        self._manager.check_file(self.prefix, "write")
        return _Writing(self, context)

    def is_written(self) -> bool:
        """Return whether all elements are in files."""
        return os.path.exists(f"{self.prefix}.index")

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(index, context)

    def name(self, index: int, component: int) -> str:
        """Return the name of a tensor in the files."""
        return f"{index:>{_PLACES}}_{component:>{self._component_places}}"


class _Reading(Iterator):
    def __init__(self, dataset: FileCache) -> None:
        self._dataset = dataset
        self._reader: BundleReader | None = BundleReader(dataset.prefix)
        self._at = 0

    def next(self) -> Element | None:
        if self._reader is None:
            return None
        dataset = self._dataset
        if dataset.name(self._at, 0) not in self._reader:
            self._reader.close()
            self._reader = None
            return None
        names = [dataset.name(self._at, i) for i in range(len(dataset.spec.dtypes))]
        self._at += 1
        return tuple([_loaded(self._reader.read(name)) for name in names])

    def save(self) -> State:
        return {"at": self._at}

    def restore(self, state: State) -> None:
        self._at = int(state["at"])


def _loaded(array: Any) -> Any:
    return array[()] if array.ndim == 0 and not array.dtype.hasobject else array


class _Writing(Iterator):
    def __init__(self, dataset: FileCache, context: Context) -> None:
        self._dataset = dataset
        self._context = context
        self._source = dataset.source.iterator(context)
        self._writer: BundleWriter | None = None
        self._written = 0
        self._is_over = False

    def next(self) -> Element | None:
        if self._is_over:
            return None
        element = self._source.next()
        dataset = self._dataset
        if element is None:
            self._writing().finish()
            self._is_over = True
            return None
        if self._written >= 10**_PLACES:
            raise errors.InvalidArgumentError(f"Upper bound for file cache exceeded: {10**_PLACES} elements")
        writer = self._writing()
        for i, (value, dtype) in enumerate(zip(element, dataset.spec.dtypes)):
            if dtype.name in ("variant", "resource"):
                raise errors.UnimplementedError(f"component {i} is a {dtype.name}, which a file cache cannot hold")
            writer.add(dataset.name(self._written, i), np.asarray(value), dtype=dtype)
        self._written += 1
        return element

    def _writing(self) -> BundleWriter:
        if self._writer is None:
            self._writer = BundleWriter(self._dataset.prefix)
        return self._writer

    def __del__(self) -> None:
        if self._writer is not None and not self._is_over:
            self._writer.abandon()

    def save(self) -> State:
        return {"at": self._written}

    def restore(self, state: State) -> None:
        """Draw as many elements again, so that they get into the files."""
        for _ in itertools.repeat(None, int(state["at"])):
            if self.next() is None:
                break
            self._context.check()
