"""Transformations that hand elements on or leave some out: prefetch, options, assertions, errors, repeated ones."""

from __future__ import annotations

import time
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
    Through,
)


class Passing(OneInput):
    """The elements as they are. kind: TensorFlow's name of what it would change about how they are made."""

    def __init__(self, source: Dataset, kind: str, spec: Spec | None = None) -> None:
        super().__init__(source, spec)
        self.name = kind

    def __repr__(self) -> str:
        return f"{self.name}DatasetOp::Dataset"

    def iterator(self, context: Context) -> Iterator:
        return Through(self.source.iterator(context))

    def get(self, index: int, context: Context) -> Element:
        return self.source.get(index, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class Slow(OneInput):
    """The elements, each after a pause of so many seconds."""

    kind = "Sleep"

    def __init__(self, source: Dataset, seconds: float) -> None:
        super().__init__(source)
        self.seconds = seconds

    def iterator(self, context: Context) -> Iterator:
        return _SlowIterator(self, context)


class _SlowIterator(Through):
    def __init__(self, dataset: Slow, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._seconds = dataset.seconds
        self._context = context

    def next(self) -> Element | None:
        left = self._seconds
        while left > 0:
            self._context.check()
            time.sleep(min(left, 0.05))
            left -= 0.05
        return self.source.next()


class AssertCardinality(OneInput):
    """The elements; an error if they are not as many as said."""

    kind = "AssertCardinality"

    def __init__(self, source: Dataset, size: int, spec: Spec) -> None:
        super().__init__(source, spec)
        self.size = size

    def iterator(self, context: Context) -> Iterator:
        return _AssertCardinalityIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return self.size

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(index, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


def _elements(count: int) -> str:
    if count == INFINITE:
        return "an infinite number of elements"
    if count == UNKNOWN:
        return "an unknown number of elements"
    return "1 element" if count == 1 else f"{count} elements"


class _AssertCardinalityIterator(Through):
    def __init__(self, dataset: AssertCardinality, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._expected = dataset.size
        self._seen = 0

    def next(self) -> Element | None:
        element = self.source.next()
        if element is not None:
            self._seen += 1
        if element is None and self._seen != self._expected:
            raise errors.FailedPreconditionError(
                f"Input dataset was expected to contain {_elements(self._expected)} but contained only "
                f"{_elements(self._seen)}."
            )
        if 0 <= self._expected < self._seen:
            raise errors.FailedPreconditionError(
                f"Input dataset was expected to contain {_elements(self._expected)} but contained at least "
                f"{_elements(self._seen)}."
            )
        return element

    def save(self) -> State:
        return {"seen": self._seen, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._seen = int(state["seen"])


# So many failures in a row are no bad elements, but an input that fails for ever, such as a missing file.
_MOST_FAILURES = 1_000_000


class IgnoreErrors(OneInput):
    """The elements that can be had; errors in between are left out. A million in a row are an error all the same."""

    kind = "IgnoreErrors"

    def iterator(self, context: Context) -> Iterator:
        return _IgnoreErrorsIterator(self.source.iterator(context), context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _IgnoreErrorsIterator(Ending):
    def __init__(self, source: Iterator, context: Context) -> None:
        super().__init__(source)
        self._context = context

    def next(self) -> Element | None:
        failures = 0
        while self.source is not None:
            try:
                element = self.source.next()
            except errors.OpError:
                # What ends the run is no error of an element.
                self._context.check()
                failures += 1
                if failures == _MOST_FAILURES:
                    raise
                continue
            if element is None:
                self.source = None
            return element
        return None


class Unique(OneInput):
    """The elements that did not come before. They are of one component."""

    kind = "Unique"

    def __init__(self, source: Dataset) -> None:
        if len(source.spec.dtypes) != 1:
            raise errors.InvalidArgumentError("UniqueDataset only supports inputs with a single component.")
        name = source.spec.dtypes[0].name
        if name not in ("int32", "int64", "string"):
            raise errors.InvalidArgumentError(
                "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` component; "
                f"got {name}."
            )
        super().__init__(source)

    def iterator(self, context: Context) -> Iterator:
        return _UniqueIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


def _key(component: Any) -> Any:
    array = np.asarray(component)
    return array.shape, tuple(array.reshape(-1).tolist()) if array.dtype.hasobject else array.tobytes()


class _UniqueIterator(Ending):
    def __init__(self, dataset: Unique, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._seen: dict[Any, Any] = {}
        self._context = context

    def next(self) -> Element | None:
        while self.source is not None:
            element = self.source.next()
            if element is None:
                self.source, self._seen = None, {}
                return None
            key = _key(element[0])
            if key not in self._seen:
                self._seen[key] = element[0]
                return element
            self._context.check()
        return None

    def save(self) -> State:
        return {"seen": tuple(self._seen.values()), **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._seen = {_key(value): value for value in state["seen"]}


class Generator(Dataset):
    """state = init(); then next(*state) until it raises OutOfRangeError; then finalize(*state).

    Each function comes with what it captured.
    """

    kind = "Generator"

    def __init__(self, init: Any, following: Any, finalize: Any, spec: Spec) -> None:
        super().__init__(spec)
        self.functions = init, following, finalize

    def iterator(self, context: Context) -> Iterator:
        return _GeneratorIterator(self, context)


class _GeneratorIterator(Iterator):
    def __init__(self, dataset: Generator, context: Context) -> None:
        init, following, finalize = dataset.functions
        self._init, self._finalize = context.bind_plain(*init), context.bind_plain(*finalize)
        self._next = context.bind(*following)
        self._state: list[Any] | None = None
        self._is_over = False

    def next(self) -> Element | None:
        if self._is_over:
            return None
        if self._state is None:
            self._state = self._init(())
        try:
            return tuple(self._next(self._state))
        except errors.OutOfRangeError:
            state, self._state, self._is_over = self._state, None, True
            self._finalize(state)
            return None

    def save(self) -> State:
        raise errors.UnimplementedError("GeneratorDataset does not support checkpointing.")
