"""Staging areas: a buffer of tuples of tensors, and a map from int64 keys to such tuples, both perhaps bounded.

Putting in waits for room, taking out for the tuple asked for. Each waits for its own, so nobody stands in line.

Source: tensorflow/core/kernels/stage_op.cc, map_stage_op.cc. Unlike there, what waits can be cancelled, and looking at
a tuple of a map does not change how much memory the map thinks it holds.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.resources.bucket_order import in_bucket_order
from icefloe.resources.waiting import Arena, Attempt, Progress

Element = tuple[Any, ...]

_PUT, _TAKE = 0, 1
# What TensorFlow needs for a string beside its bytes.
_STRING = 24


class _Staging(Arena):
    """What both kinds have in common. capacity, memory_limit: how many tuples and bytes they hold; 0 for any."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        super().__init__(("Stage", "Unstage"), in_order=False)
        self.capacity = capacity
        self.memory_limit = memory_limit
        self._bytes = 0

    @property
    def size(self) -> int:
        """The number of tuples that can be taken."""
        raise NotImplementedError

    def _when(self, line: int, is_possible: Callable[[], bool], act: Callable[[], Any]) -> Attempt:
        """Return an attempt to `act` as soon as that is possible. What `act` raises ends the attempt."""

        def step(attempt: Attempt) -> Progress:
            if not is_possible():
                return Progress.NONE
            attempt.end(act())
            return Progress.ENDED

        return self.submit(Attempt(self, line, step))

    def _check_limit(self, count: int) -> None:
        if 0 < self.memory_limit < count:
            raise errors.ResourceExhaustedError(
                f"Attempted to insert tensors with combined size of '{count}' bytes into Staging Area "
                f"with a memory limit of '{self.memory_limit}'."
            )

    def _has_memory(self, count: int) -> bool:
        return not self.memory_limit or self._bytes + count <= self.memory_limit

    def _has_room(self, count: int) -> bool:
        return self._has_memory(count) and (not self.capacity or self.size < self.capacity)


def _size_of(values: Sequence[Any]) -> int:
    total = 0
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype == object:
            total += sum(_STRING + len(item) for item in value.reshape(-1).tolist() if isinstance(item, bytes))
        elif isinstance(value, (np.ndarray, np.generic)):
            total += value.nbytes
    return total


class Buffer(_Staging):
    """A buffer of tuples, first in first out."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        super().__init__(capacity, memory_limit)
        self._elements: deque[Element] = deque()

    @property
    def size(self) -> int:
        return len(self._elements)

    def put(self, values: Element) -> Attempt:
        """Put a tuple in. Raises: ResourceExhaustedError if it can never fit."""
        count = _size_of(values)
        self._check_limit(count)

        def act() -> None:
            self._bytes += count
            self._elements.append(values)

        return self._when(_PUT, lambda: self._has_room(count), act)

    def get(self) -> Attempt:
        """Take the first tuple."""

        def act() -> Element:
            element = self._elements.popleft()
            self._bytes -= _size_of(element)
            return element

        return self._when(_TAKE, lambda: bool(self._elements), act)

    def peek(self, index: int) -> Attempt:
        """Return the tuple of a number, without taking it."""
        return self._when(_TAKE, lambda: 0 <= index < len(self._elements), lambda: self._elements[index])

    def clear(self) -> None:
        """Drop all tuples."""
        with self._lock:
            self._elements.clear()
            self._bytes = 0
            self.changed()


class StagingMap(_Staging):
    """A map of tuples of `length` components, which may come and go one by one.

    is_ordered: which tuple is taken where no key is asked for is that of the lowest key, else any.
    """

    def __init__(self, length: int, capacity: int, memory_limit: int, is_ordered: bool) -> None:
        super().__init__(capacity, memory_limit)
        self.length = length
        self.is_ordered = is_ordered
        self._complete: dict[int, list[Any]] = {}
        self._incomplete: dict[int, list[Any]] = {}

    @property
    def size(self) -> int:
        return len(self._complete)

    @property
    def incomplete_size(self) -> int:
        """The number of keys whose tuples lack a component."""
        return len(self._incomplete)

    def put(self, key: int, indices: Sequence[int], values: Element) -> Attempt:
        """Give the components of numbers `indices` to the tuple of `key`.

        Raises: InvalidArgumentError for indices that do not increase, here or when the attempt is made for those out
        of range or given already; ResourceExhaustedError if the values can never fit.
        """
        _check_order(indices)
        count = _size_of(values)
        self._check_limit(count)
        if len(indices) == self.length:

            def act() -> None:
                # A key that is there keeps its tuple, as in TensorFlow's map, but the bytes are counted.
                self._complete.setdefault(key, list(values))
                self._bytes += count

            return self._when(_PUT, lambda: self._has_room(count), act)
        return self._when(_PUT, lambda: self._has_memory(count), lambda: self._put_parts(key, indices, values, count))

    def _put_parts(self, key: int, indices: Sequence[int], values: Element, count: int) -> None:
        element = list(self._incomplete.get(key) or [_NOTHING] * self.length)
        for index, value in zip(indices, values):
            self._check_index(key, index)
            if element[index] is not _NOTHING:
                raise errors.InvalidArgumentError(
                    f"The tensor for index '{index}' for key '{key}' was already initialized '{self.length}'."
                )
            element[index] = value
        self._bytes += count
        if any(part is _NOTHING for part in element):
            self._incomplete[key] = element
        else:
            self._incomplete.pop(key, None)
            self._complete.setdefault(key, element)

    def peek(self, key: int, indices: Sequence[int]) -> Attempt:
        """Return components of the tuple of `key`, without taking them."""
        _check_order(indices)
        return self._when(_TAKE, lambda: key in self._complete, lambda: self._parts(key, indices))

    def pop(self, key: int, indices: Sequence[int]) -> Attempt:
        """Take components of the tuple of `key`; the tuple is gone when all were taken."""
        _check_order(indices)
        return self._when(_TAKE, lambda: key in self._complete, lambda: self._take(key, indices))

    def pop_any(self, indices: Sequence[int]) -> Attempt:
        """Take components of a tuple; the result is its key and these."""
        _check_order(indices)

        def act() -> tuple[np.int64, Element]:
            if self.is_ordered:
                key = min(self._complete)
            else:
                key = in_bucket_order(self._complete, lambda k: k & (2**64 - 1))[0]
            return np.int64(key), self._take(key, indices)

        return self._when(_TAKE, lambda: bool(self._complete), act)

    def _check_index(self, key: int, index: int) -> None:
        if not 0 <= index < self.length:
            raise errors.InvalidArgumentError(f"Index '{index}' for key '{key}' was out of bounds '{self.length}'.")

    def _parts(self, key: int, indices: Sequence[int]) -> Element:
        element = self._complete[key]
        for index in indices:
            self._check_index(key, index)
            if element[index] is _NOTHING:
                raise errors.InvalidArgumentError(
                    f"Tensor at index '{index}' for key '{key}' has already been removed."
                )
        return tuple([element[index] for index in indices])

    def _take(self, key: int, indices: Sequence[int]) -> Element:
        taken = self._parts(key, indices)
        element = self._complete[key]
        for index in indices:
            element[index] = _NOTHING
        if all(part is _NOTHING for part in element):
            del self._complete[key]
        self._bytes -= _size_of(taken)
        return taken

    def clear(self) -> None:
        """Drop all tuples."""
        with self._lock:
            self._complete.clear()
            self._incomplete.clear()
            self._bytes = 0
            self.changed()


_NOTHING = object()


def _check_order(indices: Sequence[int]) -> None:
    if not len(indices):
        raise errors.InvalidArgumentError("Indices are empty")
    if any(a >= b for a, b in itertools.pairwise(indices)):
        raise errors.InvalidArgumentError("Indices are not strictly ordered")
