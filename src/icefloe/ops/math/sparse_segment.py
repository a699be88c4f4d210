"""Segment reductions of rows picked by indices, and their gradients: sum, mean, sum over the root of the count.

Source: tensorflow/core/kernels/segment_reduction_ops_impl.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank, with_rank_at_least
from icefloe.ops.math.axes import constant_size
from icefloe.ops.math.grouping import count_groups, sorted_ids, sum_groups, widened

Divisor = Callable[[Any], Any]

# What a segment's sum is divided by, from the number of its rows.
_DIVISORS: dict[str, Divisor | None] = {"Sum": None, "Mean": lambda n: n, "SqrtN": np.sqrt}


def _divided(rows: Any, by: Any) -> Any:
    return rows / by.reshape((len(by),) + (1,) * (rows.ndim - 1)).astype(rows.dtype)


def _check_vectors(indices: Any, ids: Any) -> None:
    for name, v in (("indices", indices), ("segment_ids", ids)):
        if np.ndim(v) != 1:
            raise errors.InvalidArgumentError(f"{name} should be a vector.")
    if len(indices) != len(ids):
        raise errors.InvalidArgumentError("segment_ids and indices should have same size.")


def _reduce(data: Any, indices: Any, ids: Any, count: int | None, divisor: Divisor | None) -> Any:
    if np.ndim(data) < 1:
        raise errors.InvalidArgumentError("Shape must be at least rank 1")
    _check_vectors(indices, ids)
    bad = np.flatnonzero((indices < 0) | (indices >= len(data)))
    segments = sorted_ids(ids)
    if count is not None:
        if segments > count:
            raise errors.InvalidArgumentError("segment ids must be < num_segments")
        segments = count
    if bad.size:
        raise errors.InvalidArgumentError(f"Bad: indices[{bad[0]}] == {indices[bad[0]]} out of range [0, {len(data)})")
    total = sum_groups(data[indices].astype(widened(data.dtype), copy=False), ids, segments)
    if divisor is not None:
        total = _divided(total, divisor(np.maximum(count_groups(ids, segments), 1)))
    return total.astype(data.dtype, copy=False)


def _gradient_rows(grad: Any, indices: Any, ids: Any, size: Any, divisor: Divisor | None) -> Any:
    """Return what each index receives: the gradient of its segment, divided as the segment's sum was."""
    if np.ndim(size):
        raise errors.InvalidArgumentError("output_dim0 should be a scalar.")
    if not np.ndim(grad):
        raise errors.InvalidArgumentError("Shape must be at least rank 1 but is rank 0")
    _check_vectors(indices, ids)
    count = len(grad)
    if ids.size:
        if int(ids[-1]) >= count:
            raise errors.InvalidArgumentError("Invalid number of segments")
        bad = np.flatnonzero((ids < 0) | (ids >= count))
        if bad.size:
            raise errors.InvalidArgumentError(f"Segment id {ids[bad[0]]} out of range [0, {count}).")
        bad = np.flatnonzero((indices < 0) | (indices >= size))
        if bad.size:
            raise errors.InvalidArgumentError(f"Index {indices[bad[0]]} out of range [0, {int(size)}).")
    rows = grad.astype(widened(grad.dtype), copy=False)
    if divisor is not None:
        rows = _divided(rows, divisor(np.maximum(count_groups(ids, count), 1)))
    return rows[ids]


def _register(name: str, divisor: Divisor | None) -> None:
    def segments(data: Any, indices: Any, ids: Any) -> Any:
        return _reduce(data, indices, ids, None, divisor)

    def segments_of_number(data: Any, indices: Any, ids: Any, num_segments: Any) -> Any:
        if np.ndim(num_segments):
            raise errors.InvalidArgumentError(
                f"num_segments should be a scalar, not shape {shape_text(np.shape(num_segments))}"
            )
        if num_segments < 0:
            raise errors.InvalidArgumentError("segment ids must be >= 0")
        return _reduce(data, indices, ids, int(num_segments), divisor)

    def gradient(grad: Any, indices: Any, ids: Any, size: Any) -> Any:
        rows = _gradient_rows(grad, indices, ids, size, divisor)
        return sum_groups(rows, indices, int(size)).astype(grad.dtype, copy=False)

    def sparse_gradient(grad: Any, indices: Any, ids: Any, size: Any) -> Any:
        rows = _gradient_rows(grad, indices, ids, size, divisor)
        unique, position = np.unique(indices, return_inverse=True)
        return sum_groups(rows, position, len(unique)).astype(grad.dtype, copy=False), unique

    kernel(f"SparseSegment{name}")(segments)
    kernel(f"SparseSegment{name}WithNumSegments")(segments_of_number)
    kernel(f"SparseSegment{name}Grad")(gradient)
    kernel(f"SparseSegment{name}GradV2")(sparse_gradient)
    shape(f"SparseSegment{name}")(_shape)
    shape(f"SparseSegment{name}WithNumSegments", f"SparseSegment{name}Grad")(_sized_shape)
    shape(f"SparseSegment{name}GradV2")(_sparse_shape)


def _rest(c: ShapeContext) -> Any:
    data = with_rank_at_least(c.shape(0), 1)
    merge(with_rank(c.shape(1), 1), with_rank(c.shape(2), 1))
    return None if data is None else data[1:]


def _shape(c: ShapeContext) -> list[Any]:
    rest = _rest(c)
    return [None if rest is None else (None, *rest)]


def _sized_shape(c: ShapeContext) -> list[Any]:
    rest, size = _rest(c), constant_size(c, 3, "Cannot specify a negative value for num_segments")
    return [None if rest is None else (size, *rest)]


def _sparse_shape(c: ShapeContext) -> list[Any]:
    return [*_shape(c), (None,)]


for _name, _divisor in _DIVISORS.items():
    _register(_name, _divisor)
