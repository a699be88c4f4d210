"""`Barrier`: collects the components of tuples by key, and gives tuples that are complete.

Tuples come out in the order in which their keys first came in: each call that brings new keys gives them one number,
counted from the lowest int64.

Source: tensorflow/core/kernels/barrier_ops.cc.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.resources.elements import fits, stacked
from icefloe.resources.queue import UNBOUNDED, PriorityQueue, ended
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text


class Barrier:
    """A barrier for tuples with components of `dtypes` and `shapes`. Messages call it `name`."""

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims]) -> None:
        self.name = name
        self.dtypes = tuple(dtypes)
        self.shapes = tuple(shapes)
        self._ready = PriorityQueue(
            f"{name}_queue", (datatypes.int64, datatypes.string, *dtypes), ((), (), *shapes), UNBOUNDED
        )
        self._incomplete: dict[bytes, list[Any]] = {}
        self._next = -(2**63)
        self._is_closed = False
        self._is_cancelled = False
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<Barrier {self.name!r}: {self.ready_size} ready, {self.incomplete_size} incomplete>"

    @property
    def ready_size(self) -> int:
        """The number of complete tuples."""
        return self._ready.size

    @property
    def incomplete_size(self) -> int:
        """The number of keys whose tuples lack a component."""
        return len(self._incomplete)

    def close(self) -> None:
        """Cancel what waits, as when the barrier is deleted."""
        self._ready.close()

    def insert_many(self, component: int, keys: Any, values: Any) -> Pending:
        """Give the component of number `component` to the tuples of `keys`: `values[i]` to that of `keys[i]`.

        Raises: InvalidArgumentError for a key that has this component already and values without elements;
        CancelledError if the barrier is closed, unless the keys are those of incomplete tuples.
        """
        names = keys.reshape(-1).tolist()
        if names and not values.size:
            raise errors.InvalidArgumentError(
                f"Tensors with no elements are not supported {self.name}: received shape {shape_text(values.shape)}"
            )
        with self._lock:
            if self._is_closed and (self._is_cancelled or (names and not self._incomplete)):
                raise errors.CancelledError(
                    f"Barrier {self.name} is closed.  Pending enqueues cancelled: {int(self._is_cancelled)}.  "
                    f"Number of new insertions: {len(names)}.  Number of incomplete keys: {len(self._incomplete)}."
                )
            number, complete = self._next, []
            try:
                for i, name in enumerate(names):
                    element = self._insert(name, component, i, values[i, ...].copy(), number)
                    if element is not None:
                        complete.append(element)
            finally:
                pending = self._enqueue(complete)
        return pending

    def _insert(self, name: bytes, component: int, i: int, value: Any, number: int) -> list[Any] | None:
        """Return the element of the ready queue that this completes, if any."""
        element = self._incomplete.get(name)
        if element is None:
            if self._is_closed:
                raise errors.CancelledError(
                    f"Barrier {self.name} is closed, but attempted to insert a brand new key: "
                    f"{name.decode(errors='replace')}.  Pending enqueues cancelled: {int(self._is_cancelled)}.  "
                    f"Insertion index: {i}.  Number of incomplete keys: {len(self._incomplete)}."
                )
            element = self._incomplete[name] = [np.int64(number), *[None] * len(self.dtypes)]
            self._next = number + 1
        if element[1 + component] is not None:
            raise errors.InvalidArgumentError(
                f"Key {name.decode(errors='replace')} already has a value for component {component} "
                f"in barrier {self.name}"
            )
        element[1 + component] = value
        if any(part is None for part in element):
            return None
        del self._incomplete[name]
        for at, (part, dims) in enumerate(zip(element[1:], self.shapes), 2):
            if not fits(dims, part.shape):
                raise errors.InvalidArgumentError(
                    f"Shape mismatch in tuple component {at}. Expected {shape_text(dims)}, got {shape_text(part.shape)}"
                )
        return [element[0], np.array(name, object), *element[1:]]

    def _enqueue(self, complete: list[list[Any]]) -> Pending:
        if not complete:
            return ended()
        columns = zip(zip(*complete), self._ready.dtypes)
        batches = [stacked(column, column[0].shape, dtype) for column, dtype in columns]
        pending = self._ready.enqueue_many(batches)
        if self._is_closed and not self._incomplete:
            self._ready.start_closing(False)  # nothing can come any more
        return pending

    def take_many(self, count: int, small: bool) -> Pending:
        """Take `count` tuples: indices, keys and each component as batches. small: fewer will do if it is closed.

        Raises: OutOfRangeError if the barrier is closed and cannot have so many any more.
        """
        with self._lock:
            if self._is_closed:
                available = self.ready_size
                if small:
                    count = min(count, available)
                else:
                    available += self.incomplete_size
                if available < max(count, 1):
                    raise errors.OutOfRangeError(
                        f"Barrier '{self.name}' is closed and has insufficient elements "
                        f"(requested {count}, total size {available})"
                    )
        return self._ready.dequeue_many(count, small)

    def start_closing(self, cancel_pending_enqueues: bool) -> Pending:
        """Let no new keys in. cancel_pending_enqueues: forget those whose tuples are incomplete.

        Raises: CancelledError if it is closed already, unless this is the first to cancel.
        """
        with self._lock:
            if self._is_closed and (self._is_cancelled or not cancel_pending_enqueues):
                raise errors.CancelledError(f"Barrier '{self.name}' is already closed.")
            self._is_closed = True
            self._is_cancelled = cancel_pending_enqueues
            if cancel_pending_enqueues or not self._incomplete:
                self._incomplete.clear()
                if not self._ready.is_closed:
                    return self._ready.start_closing(cancel_pending_enqueues)
        return ended()
