"""Sums, means and other reductions of RaggedTensors over their axes, and over segments of their rows.

Source: tensorflow/python/ops/ragged/ragged_math_ops.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import array_shape, checks, math_reduce
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import ones_like, zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather, where_v2
from icefloe.lib.array_shape import shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import cumsum
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_functional import map_flat_values
from icefloe.lib.ragged_layout import expand_dims
from icefloe.lib.ragged_partition import maximum, row_splits_to_segment_ids
from icefloe.lib.ragged_range import range
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, is_ragged, matching_splits

_Segments = Callable[..., Any]


def _segment_op(op: str) -> _Segments:
    return lambda data, ids, count, name=None, **more: apply_op(op, data, ids, count, name=name, **more)


_SUM, _PROD = _segment_op("UnsortedSegmentSum"), _segment_op("UnsortedSegmentProd")
_MIN, _MAX = _segment_op("UnsortedSegmentMin"), _segment_op("UnsortedSegmentMax")


def _over_segments(op: _Segments, data: Any, ids: Any, count: Any, name: str | None = None, **more: Any) -> Any:
    if not (is_ragged(data) or is_ragged(ids)):
        return op(data, ids, count, name=name, **more)
    with name_scope(name, "RaggedSegment", [data, ids, count]):
        data = as_tensor_or_ragged(data, name="data")
        ids = as_tensor_or_ragged(ids, name="segment_ids")
        matching_splits(data, ids)
        if ids.dtype not in (datatypes.int32, datatypes.int64):
            raise ValueError("segment_ids must have dtype int32 or int64.")
        if isinstance(ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise ValueError(  # noqa: TRY004
                    "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not."
                )
            said = "segment_ids.shape must be a prefix of data.shape"
            check = checks.assert_equal(ids.row_splits, data.row_splits, message=said)
            with control_dependencies([check]):
                return _over_segments(op, data.values, ids.values, count, **more)
        lengths = data.row_splits[1:] - data.row_splits[:-1]
        out_lengths = maximum(_MAX(lengths, ids, count), 0)
        out_splits = concat([zeros([1], out_lengths.dtype), cumsum(out_lengths)], axis=0)
        starts = gather(out_splits, ids)
        limits = starts + lengths
        out_index = range(starts, limits).values
        values = _over_segments(op, data.values, out_index, out_splits[-1], **more)
        return RaggedTensor.from_row_splits(values, out_splits, validate=False)


def _segmented(op: _Segments, scope: str, what: str) -> Callable[..., Any]:
    def over(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return _over_segments(op, data, segment_ids, num_segments, name or scope)

    over.__doc__ = f"Return the {what} of the rows of each segment, column by column."
    return over


segment_sum = _segmented(_SUM, "RaggedSegmentSum", "sum")
segment_prod = _segmented(_PROD, "RaggedSegmentProd", "product")
segment_min = _segmented(_MIN, "RaggedSegmentMin", "least")
segment_max = _segmented(_MAX, "RaggedSegmentMax", "greatest")


def _ones_of(data: Any) -> Any:
    if not isinstance(data, RaggedTensor):
        return ones_like(data)
    flat = ones_like(data.flat_values)
    return RaggedTensor.from_nested_row_splits(flat, data.nested_row_splits, validate=False)


def segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Return the mean of the rows of each segment, column by column."""
    return _per_count("RaggedSegmentMean", lambda count: count, data, segment_ids, num_segments, name)


def segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Return the sum of the rows of each segment divided by the root of their number, column by column."""
    root = _segment_root
    return _per_count("RaggedSegmentSqrtN", root, data, segment_ids, num_segments, name)


def _segment_root(count: Tensor) -> Any:
    return apply_op("Sqrt", count)


def _per_count(
    scope: str, of_count: Callable[[Any], Any], data: Any, ids: Any, num_segments: Any, name: str | None
) -> Any:
    with name_scope(name, scope, [data, ids, num_segments]):
        total = segment_sum(data, ids, num_segments)
        count = segment_sum(_ones_of(data), ids, num_segments)
        if isinstance(total, RaggedTensor):
            return total.with_flat_values(total.flat_values / of_count(count.flat_values))
        return total / of_count(count)


def reduce_rows(
    reduce: Callable[..., Any],
    segments: _Segments,
    ragged: Any,
    axis: Any,
    keepdims: Any,
    name: str | None = None,
    **more: Any,
) -> Any:
    """Return a reduction of `ragged` over `axis`: an integer, a list, a known tensor, or None for all.

    reduce: that of a tensor. segments: that of segments of rows. more: further arguments of both.

    Raises: ValueError if the axis is not known or none of it.
    """
    if not is_ragged(ragged):
        return reduce(ragged, axis, keepdims=keepdims, name=name, **more)
    if isinstance(axis, Tensor):
        axis = get_static_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
        axis = axis.tolist()
    if axis is None:
        result = reduce(ragged.flat_values, None, keepdims=keepdims, name=name, **more)
        for _ in ragged.shape[1:] if keepdims else ():
            result = array_shape.expand_dims(result, axis=0)
        return result
    with name_scope(name, "RaggedReduce", [ragged, axis]):
        if isinstance(axis, (tuple, list)):
            if not axis:
                return ragged
            if len(axis) > 1:
                ndims = ragged.shape.ndims
                axes = [positive_axis(a, ndims, f"axis[{i}]", "rank(input_tensor)") for i, a in enumerate(axis)]
                axes.sort()
                inner = reduce_rows(reduce, segments, ragged, axes[-1], keepdims, **more)
                return reduce_rows(reduce, segments, inner, axes[:-1], keepdims, **more)
            axis = axis[0]
        ragged = as_tensor_or_ragged(ragged, name="rt_input")
        axis = positive_axis(axis, ragged.shape.ndims, ndims_name="rank(input_tensor)")
        if axis > 1:
            return ragged.with_values(reduce_rows(reduce, segments, ragged.values, axis - 1, keepdims, **more))
        count: Any
        if axis == 0:
            lengths = ragged.row_splits[1:] - ragged.row_splits[:-1]
            count = maximum(math_reduce.reduce_max(lengths), 0)
            ids = range(lengths).values
        else:
            count = shape(ragged.row_splits)[0] - 1
            ids = row_splits_to_segment_ids(ragged.row_splits)
        result = _over_segments(segments, ragged.values, ids, count, **more)
        if not keepdims:
            return result
        return (expand_dims if isinstance(result, RaggedTensor) else array_shape.expand_dims)(result, axis=axis)


def _reduction(reduce: Callable[..., Any], segments: _Segments, scope: str, what: str) -> Callable[..., Any]:
    def over(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = renamed("axis", axis, "reduction_indices", reduction_indices)
        keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        return reduce_rows(reduce, segments, input_tensor, axis, keepdims, name or scope)

    over.__doc__ = f"Return the {what} of a RaggedTensor over `axis`, default of all values."
    return over


reduce_sum = _reduction(math_reduce.reduce_sum, _SUM, "RaggedReduceSum", "sum")
reduce_prod = _reduction(math_reduce.reduce_prod, _PROD, "RaggedReduceProd", "product")
reduce_min = _reduction(math_reduce.reduce_min, _MIN, "RaggedReduceMin", "least value")
reduce_max = _reduction(math_reduce.reduce_max, _MAX, "RaggedReduceMax", "greatest value")


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """Return the mean of a RaggedTensor over `axis`, default of all values."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    with name_scope(name, "RaggedReduceMean", [input_tensor, axis]):
        total = reduce_sum(input_tensor, axis, keepdims)
        count = reduce_sum(_ones_of(input_tensor), axis, keepdims)
        if isinstance(total, RaggedTensor):
            mean = total.flat_values / count.flat_values
            return RaggedTensor.from_nested_row_splits(mean, total.nested_row_splits, validate=False)
        return total / count


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """Return log(sum(exp(x))) of a RaggedTensor over `axis`, default of all values, computed without overflow."""
    from icefloe.lib.ragged_elementwise import binary, unary

    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))

    def each(op: Callable[[Any], Any], x: Any) -> Any:
        return unary(op, x) if is_ragged(x) else op(x)

    def both(op: str, x: Any, y: Any) -> Any:
        def apply(a: Any, b: Any) -> Any:
            return apply_op(op, a, b)

        return binary(apply, x, y) if is_ragged(x) or is_ragged(y) else apply(x, y)

    def finite(x: Any) -> Any:
        return apply_op("StopGradient", where_v2(apply_op("IsFinite", x), x, 0))

    def exp(x: Any) -> Any:
        return apply_op("Exp", x)

    def log(x: Any) -> Any:
        return apply_op("Log", x)

    with name_scope(name, "ReduceLogSumExp", [input_tensor]):
        ragged = as_tensor_or_ragged(input_tensor, name="input_tensor")
        if isinstance(axis, int) and is_ragged(ragged.values):
            where = positive_axis(axis, ragged.shape.rank)
            if where > 1:
                return ragged.with_values(reduce_logsumexp(ragged.values, where - 1, keepdims))
        kept = each(finite, reduce_max(ragged, axis, keepdims=True))
        total = reduce_sum(each(exp, both("Sub", ragged, kept)), axis, keepdims=keepdims)
        shift = kept if keepdims else each(finite, reduce_max(ragged, axis))
        return both("AddV2", each(log, total), shift)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Return the variance of a RaggedTensor over `axis`, default of all values. Raises: ValueError if it is complex."""
    from icefloe.lib.ragged_elementwise import binary, unary

    with name_scope(name, "RaggedReduceVariance", [input_tensor, axis]):
        ragged = as_tensor_or_ragged(input_tensor, name="input_tensor")
        if ragged.dtype.is_complex:
            raise ValueError("reduce_variance is not supported for RaggedTensors with complex dtypes.")

        def square(x: Any) -> Any:
            return unary(lambda t: apply_op("Square", t), x) if is_ragged(x) else apply_op("Square", x)

        mean_of_square = reduce_mean(square(ragged), axis=axis, keepdims=keepdims)
        square_of_mean = square(reduce_mean(ragged, axis=axis, keepdims=keepdims))
        difference = mean_of_square - square_of_mean
        return binary(maximum, difference, 0) if is_ragged(difference) else maximum(difference, 0)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Return the standard deviation of a RaggedTensor over `axis`, default of all values."""
    from icefloe.lib.ragged_elementwise import unary

    with name_scope(name, "RaggedReduceStd", [input_tensor, axis]):
        variance = reduce_variance(input_tensor, axis=axis, keepdims=keepdims)
        return unary(_segment_root, variance) if is_ragged(variance) else _segment_root(variance)


def _all_or_any(scope: str, reduce: Callable[..., Any], what: str) -> Callable[..., Any]:
    def over(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = renamed("axis", axis, "reduction_indices", reduction_indices)
        keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        with name_scope(name, scope, [input_tensor, axis]):
            counted = reduce(map_flat_values(cast, input_tensor, datatypes.int32), axis, keepdims)
            return map_flat_values(cast, counted, datatypes.bool)

    over.__doc__ = f"Return whether {what} of the values over `axis`, default of all, is true."
    return over


reduce_all = _all_or_any("RaggedReduceAll", reduce_prod, "each")
reduce_any = _all_or_any("RaggedReduceAny", reduce_sum, "any")
