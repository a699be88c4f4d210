"""Old spellings of arguments that TensorFlow 1 still takes: `keep_dims`, `reduction_indices`, `dim`."""

from __future__ import annotations

from typing import Any


def renamed(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Return the value of an argument that has an old and a new spelling.

    Raises: ValueError if both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value
