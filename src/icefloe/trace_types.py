"""What traced functions ask of an argument's type, answered by a value that holds no tensor."""

from __future__ import annotations

from typing import Any


class WithoutTensors:
    """The part of a dtype or shape that lets it be an argument of a traced function."""

    __slots__ = ()

    def placeholder_value(self, placeholder_context: Any) -> None:
        """Return None."""

    def from_tensors(self, tensors: Any) -> None:
        """Return None."""

    def to_tensors(self, value: Any) -> list[Any]:
        """Return an empty list."""
        return []

    def flatten(self) -> list[Any]:
        """Return an empty list."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Return `value`, which must be None. Raises: AssertionError if it is not."""
        if value is not None:
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value
