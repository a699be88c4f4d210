"""Resource variables that must have a value. Registers nothing."""

from __future__ import annotations

from typing import Any

from icefloe.resources import ResourceVariable


def existing(cell: ResourceVariable) -> Any:
    """Return the array of a resource variable. Raises: NotFoundError if it has none."""
    array = cell.array
    if array is None:
        raise cell.missing()
    return array
