"""Stacks of defaults, one per thread: the default graph, the default session, and others a `with` block sets."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class DefaultStack(threading.local, Generic[T]):
    """A stack whose top is the default; each thread has its own.

    With `enforce_nesting`, leaving a block whose object is not on top raises, as TensorFlow does for its stacks.
    """

    def __init__(self, what: str = "object", *, enforce_nesting: bool = True) -> None:
        super().__init__()
        self.what = what
        self.enforce_nesting = enforce_nesting
        self.stack: list[T] = []

    def top(self) -> T | None:
        """Return the innermost object, or None if the stack is empty."""
        return self.stack[-1] if self.stack else None

    def push(self, item: T) -> None:
        self.stack.append(item)

    def remove(self, item: T) -> None:
        """Take `item` off.

        Raises: AssertionError if nesting is enforced and another object is on top.
        """
        if self.enforce_nesting and self.stack and self.stack[-1] is not item:
            raise AssertionError(
                f"Nesting violated for {self.what} stack: leaving {item!r}, but {self.stack[-1]!r} is on top"
            )
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i] is item:
                del self.stack[i]
                return

    @contextlib.contextmanager
    def using(self, item: T) -> Iterator[T]:
        """Make `item` the default inside the block."""
        self.push(item)
        try:
            yield item
        finally:
            self.remove(item)

    def is_cleared(self) -> bool:
        return not self.stack

    def reset(self) -> None:
        self.stack = []


# The default Graph and Session objects; typed as object because this floor knows neither class.
GRAPHS: DefaultStack[object] = DefaultStack("graph")
SESSIONS: DefaultStack[object] = DefaultStack("session")
