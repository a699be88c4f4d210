"""Segment reductions: rows that share an id are combined, with ids sorted or not.

Source: tensorflow/core/kernels/segment_reduction_ops_impl.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank, with_rank_at_least
from icefloe.ops.math.axes import constant_size
from icefloe.ops.math.grouping import count_groups, reduce_groups, sorted_ids, sum_groups, widened


def _checked(data: Any, ids: Any) -> int:
    if np.ndim(ids) != 1:
        raise errors.InvalidArgumentError("segment_ids should be a vector.")
    if np.ndim(data) < 1:
        raise errors.InvalidArgumentError("input must be at least rank 1")
    if len(ids) != len(data):
        raise errors.InvalidArgumentError("segment_ids should be the same size as dimension 0 of input.")
    return sorted_ids(ids)


def _sorted_segments(op: str, ufunc: np.ufunc, empty: int) -> None:
    def segments(data: Any, ids: Any) -> Any:
        return reduce_groups(ufunc, data, ids, _checked(data, ids), empty)

    kernel(op)(segments)
    shape(op)(sorted_segment_shape)


@kernel("SegmentMean")
def segment_mean(data: Any, ids: Any) -> Any:
    """Return the mean of each segment, 0 for an empty one; integers are rounded toward zero."""
    count = _checked(data, ids)
    if data.dtype.kind in "iu":
        total = sum_groups(data, ids, count)
        wide = total.astype(np.uint64 if data.dtype.kind == "u" else np.int64)
        sizes = _per_row(np.maximum(count_groups(ids, count), 1), total).astype(wide.dtype)
        quotient = wide // sizes
        quotient += ((wide < 0) & (quotient * sizes != wide)).astype(wide.dtype)
        return quotient.astype(data.dtype)
    total = sum_groups(data.astype(widened(data.dtype), copy=False), ids, count)
    sizes = _per_row(np.maximum(count_groups(ids, count), 1), total).astype(total.real.dtype)
    return (total / sizes).astype(data.dtype, copy=False)


def _per_row(values: Any, rows: Any) -> Any:
    return values.reshape((len(values),) + (1,) * (rows.ndim - 1))


def sorted_segment_shape(c: ShapeContext) -> list[Any]:
    """One row per segment, how many is known only when run; the other axes are those of the data."""
    data = with_rank_at_least(c.shape(0), 1)
    with_rank(c.shape(1), 1)
    return [None if data is None else (None, *data[1:])]


_sorted_segments("SegmentSum", np.add, 0)
_sorted_segments("SegmentProd", np.multiply, 1)
_sorted_segments("SegmentMin", np.minimum, 0)
_sorted_segments("SegmentMax", np.maximum, 0)
shape("SegmentMean")(sorted_segment_shape)


def _unsorted_segments(op: str, ufunc: np.ufunc, empty: str) -> None:
    """Register an op; `empty` names the value of an empty segment: a number, or an end of the dtype's range."""

    def segments(data: Any, ids: Any, num_segments: Any) -> Any:
        if np.ndim(num_segments):
            raise errors.InvalidArgumentError(
                f"num_segments should be a scalar, not shape {shape_text(np.shape(num_segments))}"
            )
        prefix = np.shape(data)[: np.ndim(ids)]
        if prefix != np.shape(ids):
            raise errors.InvalidArgumentError(
                f"data.shape = {shape_text(np.shape(data))} does not start with"
                f" segment_ids.shape = {shape_text(np.shape(ids))}"
            )
        count = int(num_segments)
        if count < 0:
            raise errors.InvalidArgumentError(f"Input num_segments == {count} must not be negative.")
        flat = np.ravel(ids)
        if np.size(data) and flat.size and flat.max() >= count:
            at = int(np.flatnonzero(flat >= count)[0])
            where = ",".join(map(str, np.unravel_index(at, np.shape(ids))))
            raise errors.InvalidArgumentError(f"segment_ids[{where}] = {flat[at]} is out of range [0, {count})")
        rows = np.reshape(data, (flat.size, *np.shape(data)[np.ndim(ids) :]))
        dtype = datatypes.as_dtype(data.dtype)
        if empty not in ("min", "max"):
            return reduce_groups(ufunc, rows, flat, count, int(empty))
        limit = data.dtype.type(getattr(dtype, empty))
        return reduce_groups(ufunc, rows, flat, count, limit)

    kernel(op)(segments)
    shape(op)(unsorted_segment_shape)


def unsorted_segment_shape(c: ShapeContext) -> list[Any]:
    """[num_segments] and the axes of the data that the ids do not index."""
    data, ids, count = c.shape(0), c.shape(1), constant_size(c, 2)
    if data is None or ids is None:
        return [None]
    if len(ids) > len(data):
        raise errors.InvalidArgumentError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for m, n in zip(data, ids):
        if m is not None and n is not None and m != n:
            raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {m} and {n}")
    return [(count, *data[len(ids) :])]


_unsorted_segments("UnsortedSegmentSum", np.add, "0")
_unsorted_segments("UnsortedSegmentProd", np.multiply, "1")
_unsorted_segments("UnsortedSegmentMax", np.fmax, "min")
_unsorted_segments("UnsortedSegmentMin", np.fmin, "max")
