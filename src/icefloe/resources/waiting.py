"""Waiting without holding anything up: what a step waits for, and resources whose attempts take turns.

A `Pending` ends once, with a result or an error, in whatever thread makes it end. A kernel registered as `waits` is a
generator function that yields the Pending it waits for and is resumed when that has ended:

    @kernel("QueueDequeueV2", waits=True)
    def dequeue(queue):
        return (yield from queue.dequeue().outcome())

So a waiting step costs no thread. What wakes a run is the Pending's own list of listeners; nobody polls.

An `Arena` is a resource on which attempts are made that may have to wait: to put something into a queue that is full,
to take something from an empty one. Attempts of one kind stand in a line. Whenever the state changes, those in front
are tried again, under the arena's lock; they keep what they have got so far.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from enum import Enum
from typing import Any

from icefloe import errors


class Pending:
    """Something that will end."""

    __slots__ = ("_listener", "done", "error", "result")

    def __init__(self) -> None:
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._listener: Callable[[], object] | None = None

    def listen(self, listener: Callable[[], object]) -> None:
        """Have `listener` called when this ends; at once if it has, and perhaps twice. It must not block.

        There is one listener: the last one given.
        """
        self._listener = listener
        if self.done:
            listener()

    def end(self, result: Any = None, error: BaseException | None = None) -> None:
        """End this with a result or an error, unless it has ended."""
        if not self.done:
            self.result, self.error = result, error
            self.done = True
            listener = self._listener
            if listener is not None:
                listener()

    def cancel(self) -> None:
        """Give up waiting, if that is possible; then this has ended with a CancelledError."""

    def outcome(self) -> Generator[Pending, None, Any]:
        """Wait, as kernels do, and return the result or raise the error. A generator that is closed has given up."""
        try:
            while not self.done:
                yield self
        finally:
            self.cancel()
        if self.error is not None:
            raise self.error
        return self.result


class Progress(Enum):
    """What came of trying an attempt: nothing, a part of it, or its end."""

    NONE = 0
    SOME = 1
    ENDED = 2


class Attempt(Pending):
    """One attempt in a line of an arena.

    step: called with the attempt under the arena's lock; it does what can be done, and ends the attempt where that is
    the last of it.
    """

    __slots__ = ("_arena", "_step", "line")

    def __init__(self, arena: Arena, line: int, step: Callable[[Any], Progress]) -> None:
        super().__init__()
        self._arena = arena
        self._step = step
        self.line = line

    def advance(self) -> Progress:
        """Do what can be done. The lock is held."""
        return self._step(self)

    def withdraw(self) -> None:
        """Put back what was taken for an attempt that is given up. The lock is held."""

    def cancel(self) -> None:
        """Give up, unless this has ended."""
        if not self.done:
            self._arena.cancel(self)


class Arena:
    """A resource on which attempts wait in lines.

    lines: what the attempts of each line are called in errors. in_order: only the front of a line is tried; else each
    that stands in it, as they do not wait for the same thing.
    """

    def __init__(self, lines: tuple[str, ...], *, in_order: bool = True) -> None:
        # An attempt may be given up by the cycle collector, in the middle of anything this thread does: hence a lock
        # that its holder can take again, and `_is_flushing`.
        self._lock = threading.RLock()
        self._names = lines
        self._lines: tuple[deque[Attempt], ...] = tuple([deque() for _ in lines])
        self._in_order = in_order
        self._is_flushing = False
        self._is_stale = False

    def submit(self, attempt: Attempt) -> Attempt:
        """Put an attempt at the end of its line and try."""
        with self._lock:
            self._lines[attempt.line].append(attempt)
            self._flush()
        return attempt

    def changed(self) -> None:
        """Try again: the state has changed."""
        with self._lock:
            self._flush()

    def cancel(self, attempt: Attempt) -> None:
        """End an attempt with a CancelledError, unless it has ended; it puts back what it has taken."""
        with self._lock:
            attempt.end(error=self._cancelled(attempt.line))
            if not self._is_flushing and attempt in self._lines[attempt.line]:
                self._lines[attempt.line].remove(attempt)
                attempt.withdraw()
            self._flush()

    def close(self) -> None:
        """Cancel all attempts that wait, as when the resource is deleted."""
        self._cancel_lines(range(len(self._lines)))

    def _cancel_lines(self, lines: Iterable[int]) -> None:
        """Cancel all attempts of some lines before any other is tried."""
        with self._lock:
            for line in lines:
                for attempt in list(self._lines[line]):
                    attempt.end(error=self._cancelled(line))
            self._flush()

    def _cancelled(self, line: int) -> errors.CancelledError:
        return errors.CancelledError(f"{self._names[line]} operation was cancelled")

    def _flush(self) -> None:
        self._is_stale = True
        if self._is_flushing:
            return
        self._is_flushing = True
        try:
            while self._is_stale:
                self._is_stale = False
                for line in self._lines:
                    if self._advance_front(line) if self._in_order else self._advance_any(line):
                        self._is_stale = True
        finally:
            self._is_flushing = False

    def _advance_front(self, line: deque[Attempt]) -> bool:
        """Try the attempts of a line from the front to the first that has to wait; return whether any got on."""
        moved = False
        while line:
            front = line[0]
            if front.done:
                front.withdraw()
                progress = Progress.ENDED
            else:
                progress = self._try(front)
            if progress is not Progress.ENDED:
                return moved or progress is Progress.SOME
            moved = True
            line.popleft()
        return moved

    def _advance_any(self, line: deque[Attempt]) -> bool:
        moved = False
        for attempt in list(line):
            if attempt.done or self._try(attempt) is Progress.ENDED:
                line.remove(attempt)
                moved = True
        return moved

    def _try(self, attempt: Attempt) -> Progress:
        try:
            return attempt.advance()
        except Exception as error:
            attempt.end(error=error)
            return Progress.ENDED
