"""Elements chosen by a condition or a position: Where, Select, SelectV2, OneHot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, broadcast_shapes, merge
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, boxed, unboxed
from icefloe.shapes import Dims, shape_text


@kernel("Where")
def where(x: Any) -> Array:
    """The positions of the elements that are not zero, one a row: int64 [n, rank]."""
    x = np.asarray(x)
    if not 1 <= x.ndim <= 8:
        raise errors.InvalidArgumentError(f"WhereOp : Unhandled input dimensions: {x.ndim}")
    if x.dtype.kind == "V":
        x = x.astype(bool)
    elif x.dtype == np.float16:
        raise errors.UnimplementedError("No WhereOp available for float16/half type on CPU")
    return np.stack(np.nonzero(x), axis=-1).astype(np.int64, copy=False)


@shape("Where")
def where_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    return [(None, None if known is None else len(known))]


# Arrays with fewer elements cost less with `np.where`.
_MANY = 1 << 12
_BITS = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}


def chosen(condition: Any, a: Array, b: Array) -> Array:
    """Return `np.where(condition, a, b)`, of large arrays of numbers by their bits.

    A choice by element has the processor guess, which takes five times as long where it cannot.
    """
    bits = _BITS.get(a.dtype.itemsize)
    if (
        a.size < _MANY
        or bits is None
        or a.dtype != b.dtype
        or a.dtype.hasobject
        or not isinstance(condition, np.ndarray)
        or condition.dtype != np.bool_
        or not condition.shape == a.shape == b.shape
        or not (a.flags.c_contiguous and b.flags.c_contiguous and condition.flags.c_contiguous)
    ):
        return np.where(condition, a, b)
    out = np.empty(a.shape, a.dtype)
    holds, left, right, made = (condition.reshape(-1), *(x.reshape(-1).view(bits) for x in (a, b, out)))
    for start in range(0, a.size, _MANY):
        part = slice(start, start + _MANY)
        mask = np.negative(holds[part].view(np.int8)).astype(bits, copy=False)  # all ones where it holds
        block = np.bitwise_xor(left[part], right[part], out=made[part])
        block &= mask
        block ^= right[part]
    return out


@kernel("Select")
def select(condition: Any, t: Any, e: Any) -> Any:
    """`t` where `condition` holds, else `e`.

    The condition has their shape, or is a scalar, or a vector that chooses whole rows.
    """
    a, b = boxed(t), boxed(e)
    if a.shape != b.shape:
        raise errors.InvalidArgumentError(
            f"'then' and 'else' must have the same size.  but received: {shape_text(a.shape)} vs. {shape_text(b.shape)}"
        )
    holds = np.asarray(condition)
    if holds.ndim == 1 and holds.shape != a.shape:
        if not a.ndim:
            raise errors.InvalidArgumentError(f"'then' must be at least a vector, but saw shape: {shape_text(a.shape)}")
        if a.shape[0] != holds.size:
            raise errors.InvalidArgumentError(
                f"Number of batches of 'then' must match size of 'cond', but saw: {a.shape[0]} vs. {holds.size}"
            )
        holds = holds.reshape(holds.size, *(1,) * (a.ndim - 1))
    elif holds.ndim and holds.shape != a.shape:
        raise errors.InvalidArgumentError(
            "Inputs to operation Select of type Select must have the same size and shape."
            f"  Input 0: {shape_text(holds.shape)} != input 1: {shape_text(a.shape)}"
        )
    return unboxed(chosen(holds, a, b))


@shape("Select")
def select_shape(c: ShapeContext) -> list[Dims]:
    both = merge(c.shape(1), c.shape(2))
    holds = c.shape(0)
    if holds is None or not holds or both is None:
        return [both if both is not None or holds is None or len(holds) < 2 else holds]
    if len(holds) == 1 and len(both) != 1:
        if not both:
            raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(both)}")
        return [(*(merge(holds, both[:1]) or ()), *both[1:])]
    return [merge(holds, both)]


@kernel("SelectV2")
def select_v2(condition: Any, t: Any, e: Any) -> Any:
    """`t` where `condition` holds, else `e`, all three broadcast together."""
    a, b = boxed(t), boxed(e)
    try:
        return unboxed(chosen(condition, a, b))
    except ValueError:
        raise errors.InvalidArgumentError(
            f"condition {shape_text(np.shape(condition))}, then {shape_text(a.shape)}, and else {shape_text(b.shape)}"
            " must be broadcastable"
        ) from None


@shape("SelectV2")
def select_v2_shape(c: ShapeContext) -> list[Dims]:
    return [broadcast_shapes(c.shape(0), broadcast_shapes(c.shape(1), c.shape(2)))]


@kernel("OneHot")
def one_hot(indices: Any, depth: Any, on: Any, off: Any, *, axis: int) -> Array:
    """`on` at each index along a new dimension `axis` of size `depth`, else `off`.

    An index outside of it marks nothing.
    """
    indices = np.asarray(indices)
    if axis != -1 and not 0 <= axis <= indices.ndim:
        raise errors.InvalidArgumentError(
            f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}"
        )
    for name, value in (("depth", depth), ("on_value", on), ("off_value", off)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"{name} must be a scalar, but got: {shape_text(np.shape(value))}")
    size = int(depth)
    if size < 0:
        raise errors.InvalidArgumentError(f"depth must be non-negative, got: {size}")
    at = indices.ndim if axis == -1 else axis
    before, after = indices.shape[:at], indices.shape[at:]
    target = check_shape((*before, size, *after), on.dtype)
    values = indices.reshape(math.prod(before), math.prod(after))
    result = np.full(target, off.item() if off.dtype == object else off, on.dtype)
    row, column = np.nonzero((values >= 0) & (values < size))
    result.reshape(values.shape[0], size, values.shape[1])[row, values[row, column], column] = (
        on.item() if on.dtype == object else on
    )
    return result


@shape("OneHot")
def one_hot_shape(c: ShapeContext) -> list[Dims]:
    axis = c.attr("axis")
    if axis < -1:
        raise errors.InvalidArgumentError("axis must be >= -1")
    for i in (1, 2, 3):
        if c.shape(i):
            raise errors.InvalidArgumentError(f"Shape must be rank 0 but is rank {len(c.shape(i) or ())}")
    depth = c.constant(1)
    size = None if depth is None else int(depth)
    if size is not None and size < 0:
        raise errors.InvalidArgumentError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {size}"
        )
    known = c.shape(0)
    if known is None:
        return [None]
    if axis > len(known):
        return [None]  # TensorFlow finds out when the op runs
    at = len(known) if axis == -1 else axis
    return [(*known[:at], size, *known[at:])]
