"""What the shape rules of ops on variables share. Registers nothing."""

from __future__ import annotations

from icefloe import errors
from icefloe.graph.shape_inference import ShapeContext, merge
from icefloe.ops.wording import dtype_name
from icefloe.shapes import Dims


def handle_shape(c: ShapeContext, i: int, dtype_attr: str | None = None) -> Dims:
    """Return the shape behind the resource handle that is input `i`.

    Raises: InvalidArgumentError if the handle's dtype is known and is not that of attr `dtype_attr`.
    """
    found = c.handle(i)
    if found is None:
        return None
    dtype, shape = found
    if dtype_attr is not None:
        wanted = c.attr(dtype_attr)
        if wanted != dtype:
            raise errors.InvalidArgumentError(
                f"Trying to read variable with wrong dtype. Expected {dtype_name(dtype)} got {dtype_name(wanted)}"
            )
    return shape


def variable_shape(c: ShapeContext, i: int) -> Dims:
    """Return the shape of the variable that is input `i`, whether a reference or a resource handle."""
    return handle_shape(c, i) if c.dtype(i).name == "resource" else c.shape(i)


def require_scalar(c: ShapeContext, i: int) -> None:
    """Raise InvalidArgumentError if input `i` is known to be no scalar."""
    shape = c.shape(i)
    if shape:
        raise errors.InvalidArgumentError(f"Shape must be rank 0 but is rank {len(shape)}")


def merged(*shapes: Dims) -> Dims:
    """Return what all of `shapes` together tell. Raises: InvalidArgumentError if they contradict each other."""
    result: Dims = None
    for shape in shapes:
        result = merge(result, shape)
    return result
