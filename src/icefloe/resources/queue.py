"""Queues of tuples of tensors: first in first out, padding, by priority, shuffled.

What cannot be done at once waits in line: enqueues while the queue is full, dequeues while it has too little. Each line
is served in order, so a dequeue of ten that has three of them lets none of one pass. Closing stands in the line of
enqueues too, and so lets those before it through.

Source: tensorflow/core/kernels/queue_base.cc, fifo_queue.cc, padding_fifo_queue.cc, priority_queue.cc,
random_shuffle_queue_op.cc (rules, messages, order).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.philox.stream import Stream
from icefloe.resources.elements import fits, shape_of, stacked, zeros
from icefloe.resources.heap import pop_heap, push_heap
from icefloe.resources.waiting import Arena, Attempt, Pending, Progress
from icefloe.shapes import Dims, shape_text

Element = tuple[Any, ...]

_ENQUEUE, _DEQUEUE = 0, 1
UNBOUNDED = 2**31 - 1


class _Enqueue(Attempt):
    """Elements to put in: `left` more."""

    __slots__ = ("elements", "left")

    def __init__(self, queue: Queue, count: int, elements: Iterator[Element]) -> None:
        super().__init__(queue, _ENQUEUE, queue._enqueue)
        self.elements = elements
        self.left = count


class _Dequeue(Attempt):
    """A request for `left` elements more. small: fewer will do once the queue is closed. taken: those it has."""

    __slots__ = ("_put_back", "is_batch", "left", "small", "taken")

    def __init__(self, queue: Queue, count: int, small: bool, is_batch: bool) -> None:
        super().__init__(queue, _DEQUEUE, queue._dequeue)
        self._put_back = queue._put_back
        self.left = count
        self.small = small
        self.is_batch = is_batch
        self.taken: list[Element] = []

    def withdraw(self) -> None:
        """Put back what was taken: TensorFlow loses it when an attempt is cancelled."""
        taken, self.taken = self.taken, []
        self._put_back(taken)


class Queue(Arena):
    """A queue whose elements have one component of each of `dtypes`.

    shapes: of the components, or None where they were not given. capacity: the number of elements it holds at most.

    The methods that put in and take out return what is to be waited for; its result is None, a tuple of components, or
    a tuple of batches.
    """

    kind = "FIFOQueue"

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims], capacity: int) -> None:
        """shapes: none, or one for each dtype. capacity: negative for any."""
        super().__init__(("Enqueue", "Dequeue"))
        self.name = name
        self.dtypes = tuple(dtypes)
        self.shapes = tuple(shapes)
        self.capacity = UNBOUNDED if capacity < 0 else capacity
        self.is_closed = False

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} of {self.size}{', closed' if self.is_closed else ''}>"

    # What holds the elements

    _elements: Any

    @property
    def size(self) -> int:
        """The number of elements in it."""
        return len(self._elements)

    def _put(self, element: Element) -> None:
        raise NotImplementedError

    def _take(self) -> Element:
        raise NotImplementedError

    def _put_back(self, elements: Sequence[Element]) -> None:
        """Put elements back that were taken in this order."""
        raise NotImplementedError

    def _reserved(self) -> int:
        """Return how many elements must stay while the queue is open."""
        return 0

    # Putting in

    def enqueue(self, components: Sequence[Any], fresh: Sequence[bool] = ()) -> Attempt:
        """Put one element in. fresh: of which components the memory may be kept.

        Raises: InvalidArgumentError for other shapes than the queue's.
        """
        for i, value in enumerate(components):
            if self.shapes:
                self._check_component(i, self.shapes[i], shape_of(value))
        kept = fresh or (False,) * len(components)
        element = tuple([value if own else _copy(value) for value, own in zip(components, kept)])
        return self.submit(_Enqueue(self, 1, iter((element,))))

    def enqueue_many(self, components: Sequence[Any]) -> Pending:
        """Put the slices of the components along their first axis in.

        Raises: InvalidArgumentError for other shapes than the queue's, or components of different lengths.
        """
        shapes = [shape_of(value) for value in components]
        if not all(shapes):
            at = next(i for i, shape in enumerate(shapes) if not shape)
            raise errors.InvalidArgumentError(
                f"Shape mismatch in tuple component {at}. Expected an element for each of a batch, got []"
            )
        count = shapes[0][0]
        for i, shape in enumerate(shapes):
            if self.shapes:
                dims = self.shapes[i]
                self._check_component(i, None if dims is None else (count, *dims), shape)
            elif shape[0] != count:
                raise errors.InvalidArgumentError(
                    "All input tensors must have the same size in the 0th dimension. "
                    f"Component {i} has {shape[0]}, and should have {count}"
                )
        if not count:
            return ended()
        return self.submit(_Enqueue(self, count, self._slices(components)))

    def _slices(self, components: Sequence[Any]) -> Iterator[Element]:
        """Yield the slices one by one, each its own memory: what is left of a batch does not keep the batch."""
        columns = [_rows(value, dtype) for value, dtype in zip(components, self.dtypes)]
        return zip(*columns)

    def _check_component(self, i: int, expected: Dims, got: tuple[int, ...]) -> None:
        if expected != got and not fits(expected, got):
            raise errors.InvalidArgumentError(
                f"Shape mismatch in tuple component {i}. Expected {shape_text(expected)}, got {shape_text(got)}"
            )

    def _enqueue(self, attempt: _Enqueue) -> Progress:
        if self.is_closed:
            attempt.end(error=errors.CancelledError(f"{self.kind} '{self.name}' is closed."))
            return Progress.ENDED
        progress = Progress.NONE
        while self.size < self.capacity:
            self._put(next(attempt.elements))
            attempt.left -= 1
            progress = Progress.SOME
            if not attempt.left:
                attempt.end()
                return Progress.ENDED
        return progress

    # Taking out

    def dequeue(self) -> Attempt:
        """Take one element."""
        return self.submit(_Dequeue(self, 1, False, False))

    def dequeue_many(self, count: int, small: bool = False) -> Pending:
        """Take `count` elements as batches. small: fewer, but one at least, if the queue is closed and has no more.

        Raises: InvalidArgumentError if the queue was made without shapes.
        """
        self._check_batches()
        if not count:
            shapes = [[d or 0 for d in dims or ()] for dims in self.shapes]
            return ended(tuple([zeros((0, *shape), dtype) for shape, dtype in zip(shapes, self.dtypes)]))
        return self.submit(_Dequeue(self, count, small, True))

    def _check_batches(self) -> None:
        if not self.shapes:
            raise errors.InvalidArgumentError(
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )

    def _dequeue(self, attempt: _Dequeue) -> Progress:
        size = self.size
        if self.is_closed and size < attempt.left:
            attempt.withdraw()
            if attempt.small and self.size:
                attempt.left = size = self.size
            elif attempt.small and self._lines[_ENQUEUE]:
                return Progress.SOME  # they see next that the queue is closed, and may have put something in before
            else:
                attempt.end(error=self._insufficient(attempt.left, size))
                return Progress.ENDED
        progress = Progress.NONE
        available = size if self.is_closed else size - self._reserved()
        while available > 0:
            available -= 1
            progress = Progress.SOME
            attempt.taken.append(self._take())
            attempt.left -= 1
            if not attempt.left:
                attempt.end(self._batched(attempt.taken) if attempt.is_batch else attempt.taken[0])
                return Progress.ENDED
        return progress

    def _insufficient(self, wanted: int, size: int) -> errors.OutOfRangeError:
        return errors.OutOfRangeError(
            f"{self.kind} '{self.name}' is closed and has insufficient elements "
            f"(requested {wanted}, current size {size})"
        )

    def _batched(self, taken: Sequence[Element]) -> Element:
        return tuple(
            [
                stacked(column, tuple(dims or ()), dtype)  # type: ignore[arg-type]
                for column, dims, dtype in zip(zip(*taken), self.shapes, self.dtypes)
            ]
        )

    # Closing

    def start_closing(self, cancel_pending_enqueues: bool) -> Pending:
        """Let nothing more in once what waits to be put in is in; with `cancel_pending_enqueues` that is given up."""
        if not cancel_pending_enqueues:
            return self.submit(Attempt(self, _ENQUEUE, self._close))
        with self._lock:
            self.is_closed = True
            self._cancel_lines((_ENQUEUE,))
        return ended()

    def _close(self, attempt: Attempt) -> Progress:
        if self.is_closed:
            attempt.end(error=errors.CancelledError(f"Queue '{self.name}' is already closed."))
        self.is_closed = True
        attempt.end()
        return Progress.ENDED


def ended(result: Any = None) -> Pending:
    """Return something that has ended."""
    made = Pending()
    made.end(result)
    return made


def _rows(value: Any, dtype: DType) -> Iterator[Any]:
    """Yield copies of the rows of an array; of a vector its items, as scalar tensors."""
    if value.ndim > 1:
        return (row.copy() for row in value)
    if dtype.name == "string":
        return (value[i, ...].copy() for i in range(len(value)))
    return iter(value)


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


class FIFOQueue(Queue):
    """First in, first out."""

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims], capacity: int) -> None:
        super().__init__(name, dtypes, shapes, capacity)
        self._elements: deque[Element] = deque()

    def _put(self, element: Element) -> None:
        self._elements.append(element)

    def _take(self) -> Element:
        return self._elements.popleft()

    def _put_back(self, elements: Sequence[Element]) -> None:
        self._elements.extendleft(reversed(elements))


class PaddingFIFOQueue(FIFOQueue):
    """First in, first out; batches are as large as the largest element where a shape leaves a size open."""

    kind = "PaddingFIFOQueue"

    def _check_batches(self) -> None:
        """Any shapes that make the queue will do."""

    def _batched(self, taken: Sequence[Element]) -> Element:
        columns = zip(zip(*taken), self.shapes, self.dtypes)
        return tuple([_padded(column, dims or (), dtype) for column, dims, dtype in columns])


def _padded(column: Sequence[Any], dims: Sequence[int | None], dtype: DType) -> Any:
    if None not in dims:
        return stacked(column, tuple(dims), dtype)  # type: ignore[arg-type]
    if len(dims) > 4:
        raise errors.UnimplementedError(f"CopyElementToLargerSlice Unhandled rank: {len(dims)}")
    sizes = np.array([value.shape for value in column])
    shape = [int(sizes[:, i].max()) if d is None else d for i, d in enumerate(dims)]
    made = zeros((len(column), *shape), dtype)
    for i, value in enumerate(column):
        made[i][tuple([slice(n) for n in value.shape])] = value
    return made


class PriorityQueue(Queue):
    """Elements come out by their first component, an int64, the lowest first.

    A batch is taken at once, so that it is in order; those of one priority come in the order of TensorFlow's heap. A
    batch that may be small gets what a closed queue has left; TensorFlow loses that and raises.
    """

    kind = "PriorityQueue"

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims], capacity: int) -> None:
        super().__init__(name, dtypes, shapes, capacity)
        self._elements: list[tuple[int, Element]] = []

    def _put(self, element: Element) -> None:
        if np.ndim(element[0]):
            raise errors.InvalidArgumentError(
                f"Expected the priority element to be a scalar, but received shape: {shape_text(shape_of(element[0]))}"
            )
        push_heap(self._elements, (int(element[0]), element))

    def _take(self) -> Element:
        return pop_heap(self._elements)[1]

    def _put_back(self, elements: Sequence[Element]) -> None:
        for element in elements:
            self._put(element)

    def _check_batches(self) -> None:
        if not self.shapes:
            raise errors.InvalidArgumentError(
                "PriorityQueue's DequeueMany requires the components to have specified shapes."
            )

    def _dequeue(self, attempt: _Dequeue) -> Progress:
        size = self.size
        if size < attempt.left:
            if not self.is_closed:
                return Progress.NONE
            if not size or not attempt.small:
                attempt.end(error=self._insufficient(attempt.left, size))
                return Progress.ENDED
        return super()._dequeue(attempt)


class RandomShuffleQueue(Queue):
    """Elements come out in random order; while it is open, `min_after_dequeue` stay, to be mixed with."""

    kind = "RandomShuffleQueue"

    def __init__(
        self,
        name: str,
        dtypes: Sequence[DType],
        shapes: Sequence[Dims],
        capacity: int,
        min_after_dequeue: int = 0,
        seeds: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(name, dtypes, shapes, capacity)
        self.min_after_dequeue = min_after_dequeue
        self.seeds = seeds
        self._elements: list[Element] = []
        self._draw = words(Stream.from_seeds(*seeds))

    def _put(self, element: Element) -> None:
        self._elements.append(element)

    def _take(self) -> Element:
        elements = self._elements
        at = self._draw() % len(elements)
        elements[at], elements[-1] = elements[-1], elements[at]
        return elements.pop()

    def _put_back(self, elements: Sequence[Element]) -> None:
        self._elements.extend(reversed(elements))

    def _reserved(self) -> int:
        return self.min_after_dequeue


def words(stream: Stream, chunk: int = 256) -> Callable[[], int]:
    """Return a function that gives the words of a stream one by one."""
    left: list[int] = []

    def draw() -> int:
        if not left:
            left.extend(reversed(stream.reserve(chunk // 4).words(chunk).tolist()))
        return left.pop()

    return draw
