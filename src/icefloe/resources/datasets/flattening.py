"""Transformations that join several datasets: one for each element of an input, or given ones that a selector names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import errors
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
    as_dataset,
)
from icefloe.resources.elements import shape_of


def single_dataset(results: Sequence[Any]) -> Dataset:
    """Return the one dataset in a function's results. Raises: InvalidArgumentError if there is something else."""
    if len(results) != 1:
        raise errors.InvalidArgumentError("Function must return a single scalar of dtype DT_VARIANT.")
    return as_dataset(results[0])


class FlatMap(OneInput):
    """The elements of the datasets `function(*element, *captured)`, one dataset after the other."""

    kind = "FlatMap"

    def __init__(self, source: Dataset, function: Function, captured: Sequence[Any], spec: Spec) -> None:
        super().__init__(source, spec)
        self.function = function
        self.captured = captured

    def iterator(self, context: Context) -> Iterator:
        return _FlatMapIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        if context is None or self.source.cardinality(context) < 0:
            return UNKNOWN
        sizes = [dataset.cardinality(context) for dataset in self._parts(context)]
        if UNKNOWN in sizes:
            return UNKNOWN
        return INFINITE if INFINITE in sizes else sum(sizes)

    def _parts(self, context: Context) -> list[Dataset]:
        """Return the datasets of all elements of the input."""

        def make() -> list[Dataset]:
            call = context.bind_plain(self.function, self.captured)
            iterator, found = self.source.iterator(context), list[Dataset]()
            while (element := iterator.next()) is not None:
                found.append(single_dataset(call(element)))
                context.check()
            return found

        parts: list[Dataset] = context.memo(self, make)
        return parts

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        left = index
        for dataset in self._parts(context):
            size = dataset.cardinality(context)
            if left < size:
                return dataset.get(left, context)
            left -= size
        raise errors.OutOfRangeError(f"Index out of range [0, {index - left}):{index}")

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _FlatMapIterator(Ending):
    def __init__(self, dataset: FlatMap, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._call = context.bind_plain(dataset.function, dataset.captured)
        self._context = context
        self._made_of: Element = ()
        self._inner: Iterator | None = None

    def next(self) -> Element | None:
        while self.source is not None:
            if self._inner is not None:
                element = self._inner.next()
                if element is not None:
                    return element
                self._inner = None
                self._context.check()
            given = self.source.next()
            if given is None:
                self.source = None
                return None
            self._open(given)
        return None

    def _open(self, given: Element) -> None:
        self._inner = single_dataset(self._call(given)).iterator(self._context)
        self._made_of = given

    def save(self) -> State:
        inner = self._inner
        return {
            "element": None if inner is None else self._made_of,
            "inner": None if inner is None else inner.save(),
            **super().save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        if state["element"] is not None:
            self._open(tuple(state["element"]))
            assert self._inner is not None
            self._inner.restore(state["inner"])


class Interleave(OneInput):
    """The elements of the datasets `function(*element, *captured)`: `block` from each of `cycle` of them in turn.

    Raises: InvalidArgumentError unless both are positive.
    """

    kind = "Interleave"

    def __init__(
        self,
        source: Dataset,
        function: Function,
        captured: Sequence[Any],
        cycle: int,
        block: int,
        spec: Spec,
        *,
        is_parallel: bool = False,
    ) -> None:
        if cycle <= 0:
            raise errors.InvalidArgumentError("cycle_length must be greater than zero.")
        if block <= 0:
            raise errors.InvalidArgumentError("block_length must be greater than zero.")
        super().__init__(source, spec)
        self.function = function
        self.captured = captured
        self.cycle = cycle
        self.block = block
        self.is_parallel = is_parallel

    def iterator(self, context: Context) -> Iterator:
        return _InterleaveIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        """As TensorFlow has it: only the parallel form says that it has no end."""
        is_endless = self.is_parallel and self.source.cardinality(context) == INFINITE
        return INFINITE if is_endless else UNKNOWN


class _InterleaveIterator(Ending):
    numbers = ("place", "taken")

    def __init__(self, dataset: Interleave, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._call = context.bind_plain(dataset.function, dataset.captured)
        self._context = context
        self._cycle, self._block = dataset.cycle, dataset.block
        # What is open: place in the cycle -> (element it was made of, iterator).
        self._open: dict[int, tuple[Element, Iterator]] = {}
        self.place = self.taken = 0

    def next(self) -> Element | None:
        while self.source is not None or self._open:
            found = self._open.get(self.place)
            if found is not None:
                element = found[1].next()
                if element is not None:
                    self.taken += 1
                    if self.taken == self._block:
                        self._advance()
                    return element
                del self._open[self.place]
                self._advance()
                self._context.check()
            elif self.source is not None:
                given = self.source.next()
                if given is None:
                    self.source = None
                else:
                    self._open[self.place] = given, self._made(given)
            else:
                self._advance_to_open()
        return None

    def _made(self, given: Element) -> Iterator:
        return single_dataset(self._call(given)).iterator(self._context)

    def _advance(self) -> None:
        self.taken = 0
        self.place = (self.place + 1) % self._cycle

    def _advance_to_open(self) -> None:
        """Move to the next place where something is open; a cycle may be far longer than what is open in it."""
        self.taken = 0
        self.place = min((p for p in self._open if p > self.place), default=min(self._open))

    def save(self) -> State:
        inner = [[place, given, inner.save()] for place, (given, inner) in self._open.items()]
        return {"open": inner, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        for place, given, saved in state["open"]:
            inner = self._made(tuple(given))
            inner.restore(saved)
            self._open[int(place)] = tuple(given), inner


class DirectedInterleave(Dataset):
    """From several datasets of one kind, each time the next element of that which `selector` names.

    stop_on_empty: the first that is used up ends all; else it is passed over.
    """

    kind = "DirectedInterleave"

    def __init__(self, selector: Dataset, datasets: Sequence[Dataset], stop_on_empty: bool, spec: Spec) -> None:
        shape = selector.spec.shapes[0] if len(selector.spec.dtypes) == 1 else None
        if [d.name for d in selector.spec.dtypes] != ["int64"] or shape not in (None, ()):
            raise errors.InvalidArgumentError("The selector input must be a dataset of scalar int64 elements.")
        for i, dataset in enumerate(datasets):
            if dataset.spec.dtypes != datasets[0].spec.dtypes:
                raise errors.InvalidArgumentError(
                    f"All inputs must have the same output_dtypes. First input has types "
                    f"{_names(datasets[0])}, and input {i} has types {_names(dataset)}."
                )
        super().__init__(spec, selector, *datasets)
        self.stop_on_empty = stop_on_empty

    def iterator(self, context: Context) -> Iterator:
        return _DirectedIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        """As TensorFlow has it: one input without end is enough, whatever the selector says."""
        return INFINITE if INFINITE in [d.cardinality(context) for d in self.inputs[1:]] else UNKNOWN


def _names(dataset: Dataset) -> str:
    return "[" + ", ".join(d.name for d in dataset.spec.dtypes) + "]"


class _DirectedIterator(Ending):
    """`source` is the selector."""

    def __init__(self, dataset: DirectedInterleave, context: Context) -> None:
        selector, *sources = [d.iterator(context) for d in dataset.inputs]
        super().__init__(selector)
        self._sources: list[Iterator | None] = list(sources)
        self._stops = dataset.stop_on_empty
        self._context = context

    def next(self) -> Element | None:
        while self.source is not None:
            chosen = self.source.next()
            if chosen is None:
                self._end()
                return None
            if shape_of(chosen[0]) != ():
                raise errors.InvalidArgumentError("The selector must give scalars.")
            index = int(chosen[0])
            if not 0 <= index < len(self._sources):
                raise errors.InvalidArgumentError(f"Selector index out of range: {index} >= {len(self._sources)}")
            source = self._sources[index]
            if source is None:
                self._context.check()
                continue
            element = source.next()
            if element is not None:
                return element
            self._sources[index] = None
            if self._stops or not any(self._sources):
                self._end()
        return None

    def _end(self) -> None:
        self.source = None
        self._sources = [None] * len(self._sources)

    def save(self) -> State:
        return {"inputs": [None if s is None else s.save() for s in self._sources], **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        for i, (source, saved) in enumerate(zip(self._sources, state["inputs"], strict=True)):
            if saved is None:
                self._sources[i] = None
            elif source is not None:
                source.restore(saved)
