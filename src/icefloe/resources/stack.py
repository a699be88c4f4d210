"""`Stack`: tensors pushed by one part of a run and popped by another."""

from __future__ import annotations

import threading
from typing import Any

from icefloe import errors
from icefloe.datatypes import DType


class Stack:
    """A stack of at most `max_size` tensors of dtype `elem_type`; negative: of any number. Lives as long as its run."""

    __slots__ = ("_items", "_lock", "elem_type", "max_size", "name")

    def __init__(self, elem_type: DType, name: str, max_size: int = -1) -> None:
        self.elem_type = elem_type
        self.name = name
        self.max_size = max_size
        self._items: list[Any] | None = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Stack {self.name!r} {self.elem_type.name}>"

    def _open(self) -> list[Any]:
        if self._items is None:
            raise errors.InvalidArgumentError(f"Stack[{self.name}] has already been closed.")
        return self._items

    def push(self, value: Any) -> None:
        """Put a value on top. Raises: InvalidArgumentError if the stack is full or closed."""
        with self._lock:
            items = self._open()
            if 0 <= self.max_size <= len(items):
                raise errors.InvalidArgumentError(f"Stack[{self.name}] overflowed its max_size ({self.max_size})")
            items.append(value)

    def pop(self) -> Any:
        """Take the value on top. Raises: InvalidArgumentError if the stack is empty or closed."""
        with self._lock:
            items = self._open()
            if not items:
                raise errors.InvalidArgumentError(f"Stack[{self.name}] is empty when calling Pop().")
            return items.pop()

    def close(self) -> None:
        """Drop all values; pushing and popping fail from now on."""
        with self._lock:
            self._items = None
