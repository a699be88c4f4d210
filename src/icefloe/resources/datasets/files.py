"""Datasets of what is in files, one file after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from icefloe import errors
from icefloe.datatypes import string
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, Spec, State
from icefloe.resources.datasets.record_files import Reader

Opener = Callable[[str], Reader]


class Files(Dataset):
    """The pieces that `opener` finds in each file. kind: TensorFlow's name.

    offsets: where to begin in each file, or None for its start.
    skips_damage: after an error in a file, go on with the next file.
    """

    def __init__(
        self,
        paths: Sequence[str],
        opener: Opener,
        kind: str,
        *,
        offsets: Sequence[int] | None = None,
        skips_damage: bool = False,
    ) -> None:
        super().__init__(Spec((string,), ((),)))
        self.paths = paths
        self.opener = opener
        self.name = kind
        self.offsets = offsets
        self.skips_damage = skips_damage

    def __repr__(self) -> str:
        return f"{self.name}DatasetOp::Dataset"

    def iterator(self, context: Context) -> Iterator:
        return _FilesIterator(self, context)


class _FilesIterator(Iterator):
    def __init__(self, dataset: Files, context: Context) -> None:
        self._dataset = dataset
        self._context = context
        self._file = 0
        self._reader: Reader | None = None

    def next(self) -> Element | None:
        while self._file < len(self._dataset.paths):
            reader = self._reader or self._open()
            try:
                data = reader.read()
            except errors.OpError:
                if self._dataset.skips_damage:
                    self._leave()
                raise
            if data is not None:
                return (np.array(data, object),)
            self._leave()
            self._context.check()
        return None

    def _open(self) -> Reader:
        dataset = self._dataset
        self._reader = reader = dataset.opener(dataset.paths[self._file])
        if dataset.offsets is not None:
            reader.seek(dataset.offsets[self._file])
        return reader

    def _leave(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None
        self._file += 1

    def __del__(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def save(self) -> State:
        return {"file": self._file, "at": None if self._reader is None else self._reader.position()}

    def restore(self, state: State) -> None:
        self._file = int(state["file"])
        if state["at"] is not None:
            self._open().seek(int(state["at"]))
