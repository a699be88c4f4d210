"""`IteratorResource`, what an iterator's handle refers to: a place for an iterator that runs start and draw from."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator as Iterable
from contextlib import contextmanager
from typing import Any

from icefloe import errors
from icefloe.resources.datasets.base import (
    Context,
    Dataset,
    Element,
    Iterator,
    Spec,
    State,
    check_shapes,
    check_types,
)
from icefloe.resources.datasets.randomness import SeedGenerator

# Seconds between two looks at whether the run is to end, while another thread draws from the iterator.
_PAUSE = 0.02
_numbers = itertools.count(1)


class IteratorResource:
    """A place for an iterator over elements of `spec`; no dtypes there mean any. Safe to use from several threads."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.number = next(_numbers)
        self._dataset: Dataset | None = None
        self._context = Context()
        self._iterator: Iterator | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"IteratorResource({self.number})"

    @contextmanager
    def _alone(self, run: Any) -> Iterable[None]:
        """Wait for the other threads that use the iterator. Raises: what ends the run meanwhile."""
        while not self._lock.acquire(timeout=_PAUSE):
            if run is not None:
                run.check()
        try:
            yield
        finally:
            self._lock.release()

    def start(self, dataset: Dataset, run: Any) -> None:
        """Put an iterator at the first element of `dataset` here.

        Raises: InvalidArgumentError if its elements are not of this resource's kind.
        """
        self._check(dataset)
        context = Context(run)
        iterator = dataset.iterator(context)
        with self._alone(run):
            self._dataset, self._context, self._iterator = dataset, context, iterator

    def _check(self, dataset: Dataset) -> None:
        if self.spec.dtypes:
            check_types(self.spec.dtypes, dataset.spec.dtypes)
            check_shapes(self.spec.shapes, dataset.spec.shapes)

    def next(self, run: Any) -> Element | None:
        """Return the next element, or None at the end. Raises: FailedPreconditionError if there is no iterator."""
        with self._alone(run):
            if self._iterator is None:
                raise errors.FailedPreconditionError(
                    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before getting the next element."
                )
            self._context.run = run
            try:
                self._context.check()
                return self._iterator.next()
            finally:
                self._context.run = None

    def save(self, run: Any) -> State:
        """Return the iterator's position. Raises: FailedPreconditionError if there is none."""
        with self._alone(run):
            if self._iterator is None:
                raise errors.FailedPreconditionError(
                    "Save() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before saving it."
                )
            assert self._dataset is not None
            drawn = [generator.drawn for generator in _generators(self._dataset)]
            return {"iterator": self._iterator.save(), "generators": drawn}

    def restore(self, state: State, run: Any) -> None:
        """Go to a saved position in the dataset that is here.

        Raises: FailedPreconditionError if there is none; InvalidArgumentError if the position is not one of it.
        """
        with self._alone(run):
            if self._dataset is None:
                raise errors.FailedPreconditionError(
                    "Restore() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before restoring it."
                )
            context = Context(run)
            iterator = self._dataset.iterator(context)
            try:
                iterator.restore(state["iterator"])
                # Iterators that were used up told nothing of the seeds of the next ones.
                for generator, drawn in zip(_generators(self._dataset), state["generators"], strict=True):
                    generator.reset(int(drawn))
            except (KeyError, TypeError, IndexError, ValueError, AttributeError, AssertionError) as error:
                if isinstance(error, errors.OpError):
                    raise
                raise errors.InvalidArgumentError(
                    f"the saved state is not one of an iterator over {self._dataset!r}: {error}"
                ) from error
            self._context, self._iterator = context, iterator

    def output_spec(self) -> Spec:
        """Return the kind of elements: that of the dataset where there is one, else that of the resource."""
        return self.spec if self._dataset is None else self._dataset.spec


def _generators(dataset: Dataset) -> list[SeedGenerator]:
    """Return what gives seeds to a dataset and those it is made of."""
    found: dict[int, SeedGenerator] = {}
    seen: set[int] = set()
    pending = [dataset]
    while pending:
        current = pending.pop()
        if id(current) not in seen:
            seen.add(id(current))
            pending += current.inputs
            seeds = getattr(current, "seeds", None)
            if isinstance(seeds, SeedGenerator):
                found[id(seeds)] = seeds
    return list(found.values())


class HandleTable:
    """Iterators by the strings that stand for their handles."""

    def __init__(self) -> None:
        self._iterators: weakref.WeakValueDictionary[bytes, IteratorResource] = weakref.WeakValueDictionary()

    def text(self, iterator: IteratorResource) -> bytes:
        """Return the string of an iterator."""
        text = b"icefloe iterator %d" % iterator.number
        self._iterators[text] = iterator
        return text

    def find(self, text: bytes) -> IteratorResource:
        """Return the iterator of a string. Raises: InvalidArgumentError if there is none."""
        found = self._iterators.get(text)
        if found is None:
            raise errors.InvalidArgumentError(
                "Could not parse string_handle. Please check that the string_handle was produced by "
                "IteratorToStringHandle in this session."
            )
        return found
