"""Transformations that call a function on each element: map, filter, take_while, scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.resources.datasets.base import (
    UNKNOWN,
    Context,
    Dataset,
    Element,
    Ending,
    Function,
    Iterator,
    OneInput,
    Spec,
    State,
    Through,
)
from icefloe.resources.elements import shape_of


def truth(results: Sequence[Any], complaint: str) -> bool:
    """Return the one scalar bool in a predicate's results. Raises: InvalidArgumentError if it is something else."""
    if len(results) != 1 or shape_of(results[0]) != () or getattr(results[0], "dtype", None) != np.bool_:
        raise errors.InvalidArgumentError(complaint)
    return bool(results[0])


class Map(OneInput):
    """`function(*element, *captured)` of each element.

    preserve_cardinality: a function that raises OutOfRangeError is an error; else it ends the sequence.
    """

    kind = "Map"

    def __init__(
        self,
        source: Dataset,
        function: Function,
        captured: Sequence[Any],
        spec: Spec,
        preserve_cardinality: bool = False,
        kind: str = "Map",
    ) -> None:
        super().__init__(source, spec)
        self.function = function
        self.captured = captured
        self.preserve_cardinality = preserve_cardinality
        self._kind = kind

    def __repr__(self) -> str:
        return f"{self._kind}DatasetOp::Dataset"

    def iterator(self, context: Context) -> Iterator:
        return _MapIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return self.source.cardinality(context) if self.preserve_cardinality else UNKNOWN

    def get(self, index: int, context: Context) -> Element:
        element = self.source.get(index, context)
        return tuple(context.memo(self, lambda: context.bind(self.function, self.captured))(element))

    def check_index(self, index: int, context: Context) -> None:
        self.source.check_index(index, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _MapIterator(Through):
    def __init__(self, dataset: Map, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._call = context.bind(dataset.function, dataset.captured)
        self._preserves = dataset.preserve_cardinality

    def next(self) -> Element | None:
        element = self.source.next()
        if element is None:
            return None
        try:
            return tuple(self._call(element))
        except errors.OutOfRangeError as error:
            if self._preserves:
                raise kept_length_error(error) from error
            return None


def kept_length_error(error: errors.OpError) -> errors.OpError:
    """Return the error for a function that ends a sequence whose length was promised."""
    return errors.InvalidArgumentError(f"Function invocation produced OutOfRangeError: {error.message}")


class Filter(OneInput):
    """The elements for which `predicate(*element, *captured)` is true."""

    kind = "Filter"

    def __init__(self, source: Dataset, predicate: Function, captured: Sequence[Any], spec: Spec) -> None:
        super().__init__(source, spec)
        self.predicate = predicate
        self.captured = captured

    def iterator(self, context: Context) -> Iterator:
        return _FilterIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _FilterIterator(Through):
    def __init__(self, dataset: Filter, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._call = context.bind_plain(dataset.predicate, dataset.captured)
        self._context = context

    def next(self) -> Element | None:
        while (element := self.source.next()) is not None:
            if truth(self._call(element), "Filter predicate `predicate` must return a scalar bool."):
                return element
            self._context.check()
        return None


class LastComponent(OneInput):
    """The elements whose last component, a scalar bool, is true; without that component."""

    kind = "FilterByLastComponent"

    def iterator(self, context: Context) -> Iterator:
        return _LastComponentIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _LastComponentIterator(Through):
    def __init__(self, dataset: LastComponent, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._context = context

    def next(self) -> Element | None:
        while (element := self.source.next()) is not None:
            if truth(element[-1:], "Filter predicate `predicate` must return a scalar bool."):
                return element[:-1]
            self._context.check()
        return None


class TakeWhile(OneInput):
    """The elements before the first for which `predicate(*element, *captured)` is false."""

    kind = "TakeWhile"

    def __init__(self, source: Dataset, predicate: Function, captured: Sequence[Any], spec: Spec) -> None:
        super().__init__(source, spec)
        self.predicate = predicate
        self.captured = captured

    def iterator(self, context: Context) -> Iterator:
        return _TakeWhileIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _TakeWhileIterator(Ending):
    def __init__(self, dataset: TakeWhile, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._call = context.bind_plain(dataset.predicate, dataset.captured)

    def next(self) -> Element | None:
        if self.source is None:
            return None
        element = self.source.next()
        if element is None or not truth(self._call(element), "`predicate` must returns a scalar bool tensor."):
            self.source = None
            return None
        return element


class Scan(OneInput):
    """(state, outputs) = function(*state, *element, *captured), for each element: the outputs."""

    kind = "Scan"

    def __init__(
        self,
        source: Dataset,
        function: Function,
        initial: Sequence[Any],
        captured: Sequence[Any],
        spec: Spec,
        preserve_cardinality: bool,
    ) -> None:
        super().__init__(source, spec)
        self.function = function
        self.initial = initial
        self.captured = captured
        self.preserve_cardinality = preserve_cardinality

    def iterator(self, context: Context) -> Iterator:
        return _ScanIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return self.source.cardinality(context) if self.preserve_cardinality else UNKNOWN


class _ScanIterator(Iterator):
    def __init__(self, dataset: Scan, context: Context) -> None:
        self._source = dataset.source.iterator(context)
        self._call = context.bind(dataset.function, dataset.captured)
        self._state = list(dataset.initial)
        self._preserves = dataset.preserve_cardinality
        self._results = len(dataset.initial) + len(dataset.spec.dtypes)

    def next(self) -> Element | None:
        element = self._source.next()
        if element is None:
            return None
        try:
            results = self._call([*self._state, *element])
        except errors.OutOfRangeError as error:
            if self._preserves:
                raise kept_length_error(error) from error
            return None
        if len(results) != self._results:
            raise errors.InvalidArgumentError(
                f"The function of a scan must return {self._results} values, state and outputs; got {len(results)}"
            )
        count = len(self._state)
        self._state = results[:count]
        return tuple(results[count:])

    def save(self) -> State:
        return {"input": self._source.save(), "state": tuple(self._state)}

    def restore(self, state: State) -> None:
        self._source.restore(state["input"])
        self._state = list(state["state"])
