"""Distinct values in the order they first appear: Unique, UniqueWithCounts and their V2 forms, ListDiff."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims

_MINUS_ZERO = 1e-300  # less than any 16-bit float but zero


def _distinct(rows: Array) -> tuple[Array, Array, Array]:
    """Return where each distinct row first appears, which of these each row equals, and how often each is met.

    The distinct rows are in the order of appearance. A NaN equals nothing, itself neither, as in TensorFlow's hash map.

    rows: [n, width].
    """
    if rows.dtype == object:
        return _distinct_objects(rows)
    if rows.dtype.kind == "V" or rows.dtype == np.float16:
        # Its 16-bit floats are hashed by their bits: -0 gets a number of its own.
        wide = rows.astype(np.float64)
        rows = np.where((wide == 0) & np.signbit(wide), _MINUS_ZERO, wide)
    if rows.shape[1] == 1 and (found := _distinct_integers(rows[:, 0])) is not None:
        return found
    if rows.shape[1] == 1:
        _, first, inverse, counts = np.unique(
            rows[:, 0], return_index=True, return_inverse=True, return_counts=True, equal_nan=False
        )
    elif rows.shape[1]:
        _, first, inverse, counts = np.unique(
            rows, return_index=True, return_inverse=True, return_counts=True, axis=0, equal_nan=False
        )
    else:
        few = min(len(rows), 1)
        return np.zeros(few, np.int64), np.zeros(len(rows), np.int64), np.full(few, len(rows))
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return first[order], rank[inverse.reshape(-1)], counts[order]


# A table of all numbers in range may have so many places for each element; more are found by sorting.
_SPREAD = 8


def _distinct_integers(x: Array) -> tuple[Array, Array, Array] | None:
    """As `_distinct` of one column, by a table of all numbers in range; None where that would be large."""
    if x.dtype.kind not in "iu" or not x.size:
        return None
    low, high = int(x.min()), int(x.max())
    if high - low >= _SPREAD * x.size + 1024:
        return None
    keys = (x - x.dtype.type(low)).astype(np.int64) if x.dtype.kind == "u" else x.astype(np.int64) - low
    where = np.empty(high - low + 1, np.int64)
    where[keys[::-1]] = np.arange(x.size - 1, -1, -1)  # the last write stays: the first place
    first = np.flatnonzero(where[keys] == np.arange(x.size))
    where[keys[first]] = np.arange(first.size)
    inverse = where[keys]
    return first, inverse, np.bincount(inverse, minlength=first.size)


def _distinct_objects(rows: Array) -> tuple[Array, Array, Array]:
    seen: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    inverse = np.empty(len(rows), np.int64)
    for i, row in enumerate(map(tuple, rows.tolist())):
        number = seen.setdefault(row, len(seen))
        if number == len(first):
            first.append(i)
        inverse[i] = number
    return np.array(first, np.int64), inverse, np.bincount(inverse, minlength=len(first))


def _unique(x: Array, axis: int, out_idx: DType) -> tuple[Array, Array, Array]:
    first, inverse, counts = _distinct(np.moveaxis(x, axis, 0).reshape(x.shape[axis], _width(x.shape, axis)))
    return np.take(x, first, axis), inverse.astype(out_idx.numpy), counts.astype(out_idx.numpy)


def _width(sizes: tuple[int, ...], axis: int) -> int:
    return math.prod(size for i, size in enumerate(sizes) if i != axis)


def _check_vector(x: Array) -> Array:
    x = np.asarray(x)
    if x.ndim != 1:
        raise errors.InvalidArgumentError("unique expects a 1D vector.")
    return x


@kernel("Unique")
def unique(x: Any, *, out_idx: DType) -> tuple[Array, Array]:
    """The distinct elements of the vector `x`, and for each element which of them it is."""
    return _unique(_check_vector(x), 0, out_idx)[:2]


@kernel("UniqueWithCounts")
def unique_with_counts(x: Any, *, out_idx: DType) -> tuple[Array, Array, Array]:
    return _unique(_check_vector(x), 0, out_idx)


def _unique_along(x: Any, axis: Any, out_idx: DType) -> tuple[Array, Array, Array]:
    x = np.asarray(x)
    if np.ndim(axis) != 1:
        raise errors.InvalidArgumentError("axis expects a 1D vector.")
    if not axis.size:
        return _unique(_check_vector(x), 0, out_idx)
    if axis.size > 1:
        raise errors.InvalidArgumentError("axis does not support input tensors larger than 1 elements")
    at = int(axis[0])
    wrapped = at + x.ndim if at < 0 else at
    if not 0 <= wrapped < x.ndim:
        raise errors.InvalidArgumentError(f"axis has to be between [0, {x.ndim})")
    return _unique(x, wrapped, out_idx)


@kernel("UniqueV2")
def unique_v2(x: Any, axis: Any, *, out_idx: DType) -> tuple[Array, Array]:
    """The distinct slices of `x` along the one dimension in the vector `axis`, which may be empty for a vector."""
    return _unique_along(x, axis, out_idx)[:2]


@kernel("UniqueWithCountsV2")
def unique_with_counts_v2(x: Any, axis: Any, *, out_idx: DType) -> tuple[Array, Array, Array]:
    return _unique_along(x, axis, out_idx)


@shape("Unique", "UniqueWithCounts")
def unique_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    # TensorFlow lets any rank pass here; the kernel refuses what is no vector.
    index = known if known is None or len(known) == 1 else (None,)
    shapes: list[Dims] = [(None,), index, (None,)]
    return shapes[: c.num_outputs]


@shape("UniqueV2", "UniqueWithCountsV2")
def unique_v2_shape(c: ShapeContext) -> list[Dims]:
    known, axis = c.shape(0), c.constant(1)
    with_rank(c.shape(1), 1)
    y: Dims = None
    count: int | None = None
    if known is not None:
        at = None if axis is None or axis.size != 1 else int(axis[0])
        if axis is not None and not axis.size:
            at = 0
        if at is not None and not -len(known) <= at < len(known):
            raise errors.InvalidArgumentError(f"axis has to be between [0, {len(known)})")
        if at is None:
            y = (None,) * len(known)
        else:
            y = tuple(None if i == at % len(known) else size for i, size in enumerate(known))
            count = known[at]
    shapes: list[Dims] = [y, (count,), (None,)]
    return shapes[: c.num_outputs]


@kernel("ListDiff")
def list_diff(x: Any, y: Any, *, out_idx: DType) -> tuple[Array, Array]:
    """The elements of the vector `x` that are not in `y`, in order, and where they stand in `x`."""
    for name, a in (("x", x), ("y", y)):
        if np.ndim(a) != 1:
            raise errors.InvalidArgumentError(f"{name} should be a 1D vector.")
    if x.dtype == object:
        known = set(y.tolist())
        kept = np.array([i for i, item in enumerate(x.tolist()) if item not in known], np.int64)
    elif x.dtype.kind == "V":
        kept = np.nonzero(~np.isin(x.astype(np.float32), y.astype(np.float32)))[0]
    else:
        kept = np.nonzero(~np.isin(x, y))[0]
    return x[kept], kept.astype(out_idx.numpy)


@shape("ListDiff")
def list_diff_shape(c: ShapeContext) -> list[Dims]:
    return [(None,), (None,)]
