"""Sums over segments, counts of values, histograms, sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import tensor_scatter_nd_update
from icefloe.lib.array_shape import rank, reshape, shape, shape_internal, size, transpose
from icefloe.lib.checks import Assert
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import with_dependencies
from icefloe.lib.math_cast import cast
from icefloe.lib.math_clip import clip_by_value
from icefloe.lib.math_elementwise import truediv
from icefloe.lib.math_range import range as range_
from icefloe.lib.math_reduce import reduce_max


def _segment_sizes(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """Return how many rows each segment has, at least 1, shaped to divide the sums."""
    num_segments = convert_to_tensor(num_segments)
    each = ones(shape_internal(segment_ids), dtype=data.dtype)
    counts = apply_op("UnsortedSegmentSum", each, segment_ids, num_segments)
    first = num_segments[None]
    inner = ones([rank(data) - rank(segment_ids)], dtype=num_segments.dtype)
    counts = reshape(counts, concat([first, inner], axis=0))
    return apply_op("Maximum", counts, 1)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Return the means of the rows of each segment, 0 for a segment without rows."""
    with name_scope(name, "UnsortedSegmentMean"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_sizes(data, segment_ids, num_segments)
        return apply_op("UnsortedSegmentSum", data, segment_ids, num_segments) / counts


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Return the sums of the rows of each segment divided by the square root of their number."""
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_sizes(data, segment_ids, num_segments)
        total = apply_op("UnsortedSegmentSum", data, segment_ids, num_segments)
        return total / apply_op("Sqrt", counts)


def _sparse_segment(
    op: str, data: Any, indices: Any, ids: Any, num_segments: Any, sparse_gradient: bool, name: str | None
) -> Tensor:
    if num_segments is not None:
        return apply_op(
            f"{op}WithNumSegments", data, indices, ids, num_segments, sparse_gradient=sparse_gradient, name=name
        )
    return apply_op(op, data, indices, ids, sparse_gradient=sparse_gradient, name=name)


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Return the sums of the rows `indices` of `data` over segments."""
    return _sparse_segment("SparseSegmentSum", data, indices, segment_ids, num_segments, sparse_gradient, name)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Return the means of the rows `indices` of `data` over segments."""
    return _sparse_segment("SparseSegmentMean", data, indices, segment_ids, num_segments, sparse_gradient, name)


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Return the sums of the rows `indices` of `data` over segments, divided by the square roots of their numbers."""
    return _sparse_segment("SparseSegmentSqrtN", data, indices, segment_ids, num_segments, sparse_gradient, name)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = datatypes.int32
) -> Tensor:
    """Return how often each integer from 0 occurs in `arr`, or the sums of their `weights`.

    minlength, maxlength: the least and the greatest length of the result.
    """
    with name_scope("bincount"):
        arr = convert_to_tensor(arr, name="arr")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        if not arr.dtype.is_integer:
            arr = cast(arr, datatypes.int32)
        nonempty = size(arr) > 0
        length = cast(nonempty, arr.dtype) * (reduce_max(arr) + 1)
        if minlength is not None:
            length = apply_op("Maximum", convert_to_tensor(minlength, name="minlength", dtype=arr.dtype), length)
        if maxlength is not None:
            length = apply_op("Minimum", convert_to_tensor(maxlength, name="maxlength", dtype=arr.dtype), length)
        if weights is not None:
            weights = reshape(weights, [-1])
        arr = reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype=dtype or arr.dtype)
        return apply_op("DenseBincount", arr, length, weights, binary_output=False)


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = datatypes.int32, name: str | None = None
) -> Tensor:
    """Return for each value the number of its bin among `nbins` equal ones over `value_range`."""
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        values_shape = shape(values)
        values = reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=datatypes.int32, name="nbins")
        check = Assert(apply_op("Greater", nbins, 0), [f"nbins {nbins} must > 0"])
        nbins = with_dependencies([check], nbins)
        count = cast(nbins, values.dtype)
        scaled = truediv(values - value_range[0], value_range[1] - value_range[0], name="scaled_values")
        indices = apply_op("Floor", count * scaled, name="indices")
        indices = cast(clip_by_value(indices, 0, count - 1), datatypes.int32)
        return reshape(indices, values_shape)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = datatypes.int32, name: str | None = None
) -> Tensor:
    """Return how many values fall into each of `nbins` equal bins over `value_range`, the outer bins open-ended."""
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return apply_op("HistogramFixedWidth", values, value_range, nbins, dtype=dtype, name=scope)


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """Return `values` sorted along `axis`; direction: ASCENDING or DESCENDING. Raises: ValueError for another one."""
    with name_scope(name, "sort"):
        return _sorted(values, axis, direction, positions=False)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """Return the positions that sort `values` along `axis`; equal elements keep their order, whatever `stable` says."""
    with name_scope(name, "argsort"):
        return _sorted(values, axis, direction, positions=True)


def _sorted(values: Any, axis: Any, direction: str, *, positions: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    axis = convert_to_tensor(axis, name="axis")
    known = get_static_value(axis)
    if known is None or axis.shape.rank not in (None, 0):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(values, int(known), positions)
    dtype = values.dtype
    if dtype.is_unsigned:
        found = _descending(dtype.max - values, int(known), positions)
        return found if positions else dtype.max - found
    if dtype.is_integer:
        found = _descending(-values - 1, int(known), positions)
        return found if positions else -found - 1
    found = _descending(-values, int(known), positions)
    return found if positions else -found


def _descending(values: Tensor, axis: int, positions: bool) -> Tensor:
    k = shape(values)[axis]
    values_rank = rank(values)
    known = values.shape.rank
    order: Any = None
    if axis != -1 and axis + 1 != known:
        place: Any = axis if axis >= 0 else axis + (known or values_rank)
        if known is not None:
            swapped = np.r_[np.arange(place), [known - 1], np.arange(place + 1, known - 1), [place]]
            order = constant(swapped, name="transposition")
        else:
            order = tensor_scatter_nd_update(
                range_(values_rank), [[place], [values_rank - 1]], [values_rank - 1, place]
            )
        values = transpose(values, order)
    top, indices = apply_op("TopKV2", values, k, sorted=True)
    result = indices if positions else top
    return result if order is None else transpose(result, order)
