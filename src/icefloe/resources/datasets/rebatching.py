"""Transformations that take batches apart, and cut them anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.resources.datasets.base import (
    INFINITE,
    UNKNOWN,
    Context,
    Dataset,
    Element,
    Ending,
    Iterator,
    OneInput,
    Spec,
    State,
)
from icefloe.resources.datasets.components import row
from icefloe.resources.elements import shape_of
from icefloe.shapes import shape_text


def _batch_rows(element: Element) -> int:
    """Return the number of rows of a batch. Raises: InvalidArgumentError if components differ in it."""
    sizes = []
    for component in element:
        shape = shape_of(component)
        if not shape:
            raise errors.InvalidArgumentError("Cannot unbatch an input with scalar components.")
        sizes.append(shape[0])
    if len(set(sizes)) > 1:
        raise errors.InvalidArgumentError("Input element must have the same batch size in each component.")
    return sizes[0]


class Unbatch(OneInput):
    """The rows of each element.

    Raises: InvalidArgumentError if a component is known to be a scalar.
    """

    kind = "Unbatch"

    def __init__(self, source: Dataset) -> None:
        shapes = source.spec.shapes
        if any(shape == () for shape in shapes):
            raise errors.InvalidArgumentError("Cannot unbatch an input with scalar components.")
        super().__init__(source, Spec(source.spec.dtypes, tuple([None if s is None else s[1:] for s in shapes])))

    def iterator(self, context: Context) -> Iterator:
        return _UnbatchIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size, rows = self.source.cardinality(context), self._rows()
        if size <= 0:
            return size
        return UNKNOWN if rows is None else size * rows

    def _rows(self) -> int | None:
        """Return the number of rows of each element, if that is known."""
        known = {shape[0] for shape in self.source.spec.shapes if shape and shape[0] is not None}
        return known.pop() if len(known) == 1 else None

    def get(self, index: int, context: Context) -> Element:
        rows = self._rows()
        if not rows:
            return super().get(index, context)
        batch, place = divmod(index, rows)
        return tuple([row(c, place) for c in self.source.get(batch, context)])


class _UnbatchIterator(Ending):
    numbers = ("at", "size")

    def __init__(self, dataset: Unbatch, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._context = context
        self._batch: Element = ()
        self.at = self.size = 0

    def next(self) -> Element | None:
        while self.source is not None:
            if self.at < self.size:
                self.at += 1
                return tuple([row(c, self.at - 1) for c in self._batch])
            self.at = self.size = 0
            batch = self.source.next()
            if batch is None:
                self.source, self._batch = None, ()
                return None
            self.size = _batch_rows(batch)
            self._batch = batch
            self._context.check()
        return None

    def save(self) -> State:
        return {"batch": self._batch if self.at < self.size else (), **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._batch = tuple(state["batch"])
        if self.at < self.size and self.size != _batch_rows(self._batch):
            raise ValueError("the saved batch has another size")


class Rebatch(OneInput):
    """The rows of all elements in batches of the sizes in turn; a size may be 0.

    drop_remainder: leave out a last batch that is too small.

    Raises: InvalidArgumentError for a negative size.
    """

    kind = "Rebatch"

    def __init__(self, source: Dataset, sizes: Sequence[int], drop_remainder: bool, spec: Spec) -> None:
        if not sizes or min(sizes) < 0:
            raise errors.InvalidArgumentError(f"Batch sizes must be greater than or equal to zero, got {list(sizes)}.")
        super().__init__(source, spec)
        self.sizes = sizes
        self.drop_remainder = drop_remainder

    def iterator(self, context: Context) -> Iterator:
        return _RebatchIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        return size if size == INFINITE else UNKNOWN


class _RebatchIterator(Ending):
    """`_batch` is the element that rows are taken from, from `at` on."""

    numbers = ("turn", "at")

    def __init__(self, dataset: Rebatch, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._dataset = dataset
        self._context = context
        self._batch: Element | None = None
        self.turn = self.at = 0

    def next(self) -> Element | None:
        if self.source is None:
            return None
        sizes = self._dataset.sizes
        wanted = sizes[self.turn % len(sizes)]
        parts: list[Element] = []
        missing = wanted
        while missing or not parts:
            if self._batch is None or (missing and self.at == _batch_rows(self._batch)):
                if not self._draw():
                    break
                continue
            end = min(self.at + missing, _batch_rows(self._batch))
            parts.append(tuple([c[self.at : end] for c in self._batch]))
            missing -= end - self.at
            self.at = end
        if not parts or (missing and self._dataset.drop_remainder):
            return None
        self.turn += 1
        return parts[0] if len(parts) == 1 else tuple([_join(column, i) for i, column in enumerate(zip(*parts))])

    def _draw(self) -> bool:
        """Take the next element to take rows from; return whether there was one."""
        batch = None if self.source is None else self.source.next()
        if batch is None:
            self.source = None
            return False
        _batch_rows(batch)
        self._batch, self.at = batch, 0
        self._context.check()
        return True

    def save(self) -> State:
        return {"batch": self._batch, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._batch = None if state["batch"] is None else tuple(state["batch"])


def _join(column: Sequence[Any], component: int) -> Any:
    """Return parts of batches as one. Raises: FailedPreconditionError if their rows have different shapes."""
    first = column[0].shape[1:]
    for i, part in enumerate(column):
        if part.shape[1:] != first:
            raise errors.FailedPreconditionError(
                f"Cannot batch rows with different shapes in component {component}. First part had rows of shape "
                f"{shape_text(first)} and part {i} rows of shape {shape_text(part.shape[1:])}."
            )
    return np.concatenate(column)


class Split(OneInput):
    """Each element's rows in `parts` batches, as equal as they can be.

    Raises: InvalidArgumentError unless `parts` is positive.
    """

    kind = "LegacyRebatch"

    def __init__(self, source: Dataset, parts: int, spec: Spec) -> None:
        if parts <= 0:
            raise errors.InvalidArgumentError("num_replicas must be greater than zero.")
        super().__init__(source, spec)
        self.parts = parts

    def iterator(self, context: Context) -> Iterator:
        return _SplitIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        return size if size <= 0 else UNKNOWN


class _SplitIterator(Ending):
    numbers = ("at", "part")

    def __init__(self, dataset: Split, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._parts = dataset.parts
        self._batch: Element = ()
        self.at = self.part = 0

    def next(self) -> Element | None:
        if not self._batch:
            if self.source is None:
                return None
            batch = self.source.next()
            if batch is None:
                self.source = None
                return None
            _batch_rows(batch)
            self._batch, self.at, self.part = batch, 0, 0
        rows = _batch_rows(self._batch)
        # The first ones are as large as an equal share rounded up; the last ones may be empty.
        share = -(-rows // self._parts)
        end = min(self.at + share, rows)
        element = tuple([c[self.at : end] for c in self._batch])
        self.at = end
        self.part += 1
        if self.part == self._parts:
            self._batch = ()
        return element

    def save(self) -> State:
        return {"batch": self._batch, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._batch = tuple(state["batch"])
