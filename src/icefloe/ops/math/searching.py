"""Places and ranks: buckets, bounds in sorted rows, n-th elements, inverse permutations.

Source: tensorflow/core/kernels/bucketize_op.cc, searchsorted_op.cc, nth_element_op.cc, transpose_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, unchanged, with_rank, with_rank_at_least
from icefloe.ops.math.axes import constant_size

Function = Callable[..., Any]


@kernel("Bucketize", factory=True)
def bucketize(*, boundaries: tuple[float, ...]) -> Function:
    """Return for each element how many boundaries are at most it.

    Raises: InvalidArgumentError for unsorted boundaries.
    """
    limits = np.array(boundaries, np.float32)
    if np.any(limits[1:] < limits[:-1]):
        raise errors.InvalidArgumentError("Expected sorted boundaries")

    def buckets(x: Any) -> Any:
        return np.searchsorted(limits, x, side="right").astype(np.int32)

    return buckets


shape("Bucketize")(unchanged)


def _sortable(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def _bounds(side: Literal["left", "right"], rows: Any, values: Any, out_type: DType) -> Any:
    for name, v in (("sorted_inputs", rows), ("values", values)):
        if np.ndim(v) != 2:
            raise errors.InvalidArgumentError(f"Shape must be rank 2 but is rank {np.ndim(v)} for `{name}` argument")
    if len(rows) != len(values):
        raise errors.InvalidArgumentError("Leading dim_size of both tensors must match.")
    rows, values = _sortable(rows), _sortable(values)
    out = np.empty(values.shape, out_type.numpy)
    for i, row in enumerate(rows):
        out[i] = np.searchsorted(row, values[i], side=side)
    if values.dtype.kind == "f":
        # C++ compares NaN as equal to everything, numpy as the greatest value.
        out[np.isnan(values)] = 0 if side == "left" else rows.shape[1]
    return out


@kernel("LowerBound")
def lower_bound(rows: Any, values: Any, *, out_type: DType) -> Any:
    """Return for each value the first place in its sorted row where it can be put."""
    return _bounds("left", rows, values, out_type)


@kernel("UpperBound")
def upper_bound(rows: Any, values: Any, *, out_type: DType) -> Any:
    """Return for each value the last place in its sorted row where it can be put."""
    return _bounds("right", rows, values, out_type)


@shape("LowerBound", "UpperBound")
def bounds_shape(c: ShapeContext) -> list[Any]:
    rows, values = c.shape(0), c.shape(1)
    for s in (rows, values):
        if s is not None:
            with_rank(s, 2)
    return [values]


@kernel("NthElement")
def nth_element(x: Any, n: Any, *, reverse: bool) -> Any:
    """Return the n-th least (with `reverse` greatest) element along the last axis, counted from 0."""
    if np.ndim(n):
        raise errors.InvalidArgumentError(f"N must be scalar but has rank {np.ndim(n)}")
    if n < 0:
        raise errors.InvalidArgumentError(f"n must be non-negative but is {int(n)}")
    if np.ndim(x) < 1:
        raise errors.InvalidArgumentError(f"Input must be at least rank 1 but is rank {np.ndim(x)}")
    size = x.shape[-1]
    if n >= size:
        raise errors.InvalidArgumentError(f"Input must have last dimension > n = {int(n)}")
    place = size - 1 - int(n) if reverse else int(n)
    return np.partition(_sortable(x), place, axis=-1)[..., place].astype(x.dtype)


@shape("NthElement")
def nth_element_shape(c: ShapeContext) -> list[Any]:
    if c.shape(1):
        raise errors.InvalidArgumentError(f"Input must be scalar but has rank {len(c.shape(1) or ())}")
    x, n = with_rank_at_least(c.shape(0), 1), constant_size(c, 1)
    if x is None:
        return [None]
    if n is not None and x[-1] is not None and x[-1] <= n:
        raise errors.InvalidArgumentError(f"Input must have last dimension > n = {int(n)} but is {x[-1]}")
    return [x[:-1]]


@kernel("InvertPermutation")
def invert_permutation(x: Any) -> Any:
    """Return y with y[x[i]] = i. Raises: InvalidArgumentError unless x holds each of 0 .. n - 1 once."""
    if np.ndim(x) != 1:
        raise errors.InvalidArgumentError("invert_permutation expects a 1D vector.")
    outside = x[(x < 0) | (x >= len(x))]
    if outside.size:
        raise errors.InvalidArgumentError(f"{outside[0]} is not between 0 and {len(x)}")
    out = np.full(len(x), -1, x.dtype)
    out[x] = np.arange(len(x), dtype=x.dtype)
    if np.any(out < 0):
        _, first = np.unique(x, return_index=True)
        again = np.setdiff1d(np.arange(len(x)), first)
        raise errors.InvalidArgumentError(f"{x[again[0]]} is duplicated in the input.")
    return out


@shape("InvertPermutation")
def invert_permutation_shape(c: ShapeContext) -> list[Any]:
    return [with_rank(c.shape(0), 1)]
