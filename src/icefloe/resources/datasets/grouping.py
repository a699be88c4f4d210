"""Transformations that gather elements: windows of neighbours, groups of one key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import variant
from icefloe.resources.datasets.base import (
    INFINITE,
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
)
from icefloe.resources.datasets.components import stack_elements
from icefloe.resources.datasets.flattening import single_dataset
from icefloe.resources.datasets.sources import Elements
from icefloe.resources.elements import shape_of


def _span(size: int, stride: int) -> int:
    """Return how many neighbours a window of `size` elements, `stride` apart, reaches over."""
    return (size - 1) * stride + 1


class Window(OneInput):
    """Windows of `size` elements, `stride` apart, each `shift` further on: a dataset for each component.

    drop_remainder: leave out windows at the end that have fewer elements.

    Raises: InvalidArgumentError unless all three are positive.
    """

    kind = "Window"

    def __init__(self, source: Dataset, size: int, shift: int, stride: int, drop_remainder: bool) -> None:
        for name, value in (("Window size", size), ("Window shift", shift), ("Window stride", stride)):
            if value <= 0:
                raise errors.InvalidArgumentError(f"{name} must be greater than zero.")
        count = len(source.spec.dtypes)
        super().__init__(source, Spec((variant,) * count, ((),) * count))
        self.size = size
        self.shift = shift
        self.stride = stride
        self.drop_remainder = drop_remainder

    def iterator(self, context: Context) -> Iterator:
        return _WindowIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        count = self.source.cardinality(context)
        if count < 0:
            return count
        if self.drop_remainder:
            rest = count - _span(self.size, self.stride)
            return 0 if rest < 0 else rest // self.shift + 1
        return -(-count // self.shift)

    def window(self, elements: Sequence[Element]) -> Element:
        """Return what stands for a window of these elements."""
        spec = self.source.spec
        columns = zip(*elements)
        return tuple(
            [
                Elements([(c,) for c in column], Spec((dtype,), (shape,)))
                for column, dtype, shape in zip(columns, spec.dtypes, spec.shapes)
            ]
        )


class SlidingWindow(Window):
    """Windows of `size` elements as batches."""

    kind = "SlidingWindow"

    def __init__(self, source: Dataset, size: int, shift: int, stride: int, drop_remainder: bool) -> None:
        super().__init__(source, size, shift, stride, drop_remainder)
        shapes = tuple([None if s is None else (None, *s) for s in source.spec.shapes])
        self.spec = Spec(source.spec.dtypes, shapes)

    def window(self, elements: Sequence[Element]) -> Element:
        return stack_elements(elements)


class _WindowIterator(Ending):
    def __init__(self, dataset: Window, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._dataset = dataset
        self._context = context
        # Elements that are drawn and still needed; an error in place of an element that failed.
        self._buffer: list[Element | errors.OpError] = []

    def next(self) -> Element | None:
        dataset = self._dataset
        span = _span(dataset.size, dataset.stride)
        while self.source is not None and len(self._buffer) < span:
            element = self._draw(self.source)
            if element is None:
                self.source = None
            else:
                self._buffer.append(element)
        if not self._buffer or (dataset.drop_remainder and len(self._buffer) < span):
            self._buffer = []
            return None
        chosen = self._buffer[: span : dataset.stride]
        self._shift()
        for element in chosen:
            if isinstance(element, errors.OpError):
                raise element
        return dataset.window([e for e in chosen if not isinstance(e, errors.OpError)])

    def _draw(self, source: Iterator) -> Element | errors.OpError | None:
        self._context.check()
        try:
            return source.next()
        except errors.OpError as error:
            return error

    def _shift(self) -> None:
        shift = self._dataset.shift
        for _ in range(shift - len(self._buffer)):
            if self.source is None or self._draw(self.source) is None:
                self.source = None
                break
        del self._buffer[:shift]

    def save(self) -> State:
        kept = [
            {"code": e.error_code, "message": e.message} if isinstance(e, errors.OpError) else e for e in self._buffer
        ]
        return {"buffer": kept, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._buffer = []
        for kept in state["buffer"]:
            if isinstance(kept, dict):
                cls = errors.exception_type_from_error_code(kept["code"])
                self._buffer.append(cls(kept["message"]))
            else:
                self._buffer.append(tuple(kept))


def int_scalar(results: Sequence[Any], function: str) -> int:
    """Return the one scalar int64 in a function's results. Raises: InvalidArgumentError if it is something else."""
    if len(results) != 1 or shape_of(results[0]) != () or getattr(results[0], "dtype", None) != "int64":
        raise errors.InvalidArgumentError(f"`{function}` must return a scalar int64.")
    return int(results[0])


Captured = tuple[Function, Sequence[Any]]

# Names of the codes in messages, `INVALID_ARGUMENT` for 3.
_CODES = {value: name for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)}


class GroupByWindow(OneInput):
    """The elements of `reduce(key, group)`, for each group of `window_size(key)` elements whose `key` is equal.

    key, reduce, window_size: functions with what they captured. Groups come as they fill; what is left at the end in
    the order of keys.
    """

    kind = "GroupByWindow"

    def __init__(self, source: Dataset, key: Captured, reduce: Captured, window_size: Captured, spec: Spec) -> None:
        super().__init__(source, spec)
        self.key = key
        self.reduce = reduce
        self.window_size = window_size

    def iterator(self, context: Context) -> Iterator:
        return _GroupByWindowIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return INFINITE if self.source.cardinality(context) == INFINITE else UNKNOWN


class _GroupByWindowIterator(Ending):
    def __init__(self, dataset: GroupByWindow, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._key = context.bind_plain(*dataset.key)
        self._reduce = context.bind(*dataset.reduce)
        self._window_size = context.bind_plain(*dataset.window_size)
        self._spec = dataset.source.spec
        self._context = context
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        # The group that is given out, and the position in what `reduce` made of it.
        self._current: tuple[int, Iterator] | None = None

    def next(self) -> Element | None:
        while True:
            if self._current is not None:
                element = self._current[1].next()
                if element is not None:
                    return element
                del self._groups[self._current[0]]
                self._current = None
            self._context.check()
            if self.source is not None:
                full = self._fill(self.source)
            elif self._groups:
                full = min(self._groups)
            else:
                return None
            if full is not None:
                self._flush(full)

    def _fill(self, source: Iterator) -> int | None:
        """Draw elements until a group is full, and return its key; None at the end of the input."""
        while (element := source.next()) is not None:
            key = int_scalar(self._key(element), "key_func")
            size = self._sizes.get(key)
            if size is None:
                size = int_scalar(self._window_size([np.int64(key)]), "window_size_func")
                if size <= 0:
                    raise errors.InvalidArgumentError(f"Window size must be greater than zero, but got {size}.")
                self._sizes[key] = size
            group = self._groups.setdefault(key, [])
            group.append(element)
            if len(group) == size:
                return key
            self._context.check()
        self.source = None
        return None

    def _flush(self, key: int) -> None:
        """Begin to give out a group. It stays among the others until all of it is out, also when `reduce` fails."""
        try:
            results = self._reduce([np.int64(key), Elements(list(self._groups[key]), self._spec)])
        except errors.OpError as error:
            raise errors.InternalError(
                f"Got error code {_CODES[error.error_code]} and message: {{\n{error.message}\n}} "
                "from running the user-defined function `reduce_func`"
            ) from error
        self._current = key, single_dataset(results).iterator(self._context)

    def save(self) -> State:
        current = self._current
        return {
            "groups": [[key, list(group)] for key, group in self._groups.items()],
            "sizes": [[key, size] for key, size in self._sizes.items()],
            "current": None if current is None else [current[0], current[1].save()],
            **super().save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self._groups = {int(key): [tuple(e) for e in group] for key, group in state["groups"]}
        self._sizes = {int(key): int(size) for key, size in state["sizes"]}
        if state["current"] is not None:
            key, inner = state["current"]
            self._flush(int(key))
            assert self._current is not None
            self._current[1].restore(inner)


class GroupByReducer(OneInput):
    """finalize(state) for each key, in order, where state = reduce(state, element) over its elements, from init(key).

    Each function comes with what it captured.
    """

    kind = "GroupByReducer"

    def __init__(
        self, source: Dataset, key: Captured, init: Captured, reduce: Captured, finalize: Captured, spec: Spec
    ) -> None:
        super().__init__(source, spec)
        self.functions = key, init, reduce, finalize

    def iterator(self, context: Context) -> Iterator:
        return _GroupByReducerIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _GroupByReducerIterator(Ending):
    def __init__(self, dataset: GroupByReducer, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._key, self._init, self._reduce, self._finalize = [context.bind_plain(*f) for f in dataset.functions]
        self._context = context
        self._states: dict[int, list[Any]] = {}

    def next(self) -> Element | None:
        while self.source is not None:
            element = self.source.next()
            if element is None:
                self.source = None
                break
            key = int_scalar(self._key(element), "key_func")
            if key not in self._states:
                self._states[key] = self._init([np.int64(key)])
            self._states[key] = self._reduce([*self._states[key], *element])
            self._context.check()
        if not self._states:
            return None
        return tuple(self._finalize(self._states.pop(min(self._states))))

    def save(self) -> State:
        return {"states": [[key, tuple(state)] for key, state in self._states.items()], **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._states = {int(key): list(kept) for key, kept in state["states"]}
