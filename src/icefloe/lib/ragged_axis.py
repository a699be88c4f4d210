"""An axis of a tensor, counted from the front."""

from __future__ import annotations

from typing import Any


def positive_axis(axis: Any, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """Return `axis` counted from the front. Raises: TypeError, ValueError if it is no axis of so many."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
    return axis % ndims
