"""Reductions over axes.

Every one takes `axis` (None: all axes; an int, a list or a tensor; negative counts from the end) and `keepdims`, and
the old spellings `reduction_indices` and `keep_dims`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import zeros
from icefloe.lib.array_diagonal import matrix_diag_part
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import rank, reshape
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, subtract
from icefloe.lib.math_range import range as range_


def _axes(x: Any, axis: Any) -> Any:
    if axis is not None:
        return axis
    known = getattr(getattr(x, "shape", None), "rank", None)
    return constant(np.arange(known, dtype=np.int32)) if known else range_(0, rank(x))


def _reduce(op: str, input_tensor: Any, axis: Any, keepdims: Any, name: str | None) -> Tensor:
    keep = bool(keepdims)
    result = apply_op(op, input_tensor, _axes(input_tensor, axis), keep_dims=keep, name=name)
    return _scalar_if_all(result, axis, keep)


def _scalar_if_all(result: Tensor, axis: Any, keepdims: bool) -> Tensor:
    if axis is None and not keepdims and not result.shape.is_fully_defined():
        result.set_shape(())
    return result


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the sum over `axis`."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Sum", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the mean over `axis`; of integers, the sum divided and rounded towards zero."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Mean", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the product over `axis`."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Prod", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the least element over `axis`."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Min", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the greatest element over `axis`."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Max", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return whether all elements over `axis` hold."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("All", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return whether any element over `axis` holds."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return _reduce("Any", input_tensor, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), name)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return the square root of the sum of squares over `axis`."""
    return _reduce("EuclideanNorm", input_tensor, axis, keepdims, name)


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return log(sum(exp(x))) over `axis`, computed without overflow."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        greatest = reduce_max(input_tensor, axis=axis, keepdims=True)
        shift = apply_op("StopGradient", where_v2(apply_op("IsFinite", greatest), greatest, 0))
        summed = reduce_sum(apply_op("Exp", subtract(input_tensor, shift)), axis=axis, keepdims=keep)
        result = apply_op("Log", summed)
        if not keep:
            shift = reshape(shift, apply_op("Shape", result))
        return _scalar_if_all(add(result, shift, name=scope), axis, keep)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Return the variance (divided by N) over `axis`. Raises: TypeError for integers."""
    with name_scope(name or "reduce_variance"):
        input_tensor = convert_to_tensor(input_tensor)
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {means.dtype}.")
        diff = input_tensor - means
        if diff.dtype.is_complex:
            squared = apply_op("Real", apply_op("Mul", apply_op("Conj", diff), diff), Tout=diff.dtype.real_dtype)
        else:
            squared = apply_op("Square", diff)
        return reduce_mean(squared, axis=axis, keepdims=keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Return the standard deviation (divided by N) over `axis`. Raises: TypeError for integers."""
    with name_scope(name or "reduce_std"):
        input_tensor = convert_to_tensor(input_tensor)
        return apply_op("Sqrt", reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = datatypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Tensor:
    """Return how many elements over `axis` are not 0 (not False, not empty)."""
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    input = renamed("input", input, "input_tensor", input_tensor)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(name, "count_nonzero", [input]):
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_bool:
            predicate = input
        else:
            predicate = apply_op("NotEqual", input, zeros([], dtype=input.dtype))
        return cast(reduce_sum(cast(predicate, datatypes.int64), axis=axis, keepdims=keepdims), dtype)


def trace(x: Any, name: str | None = None) -> Tensor:
    """Return the sums of the main diagonals of matrices."""
    with name_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return reduce_sum(matrix_diag_part(x), [-1], name=scope)


def _arg(op: str, input: Any, axis: Any, name: str | None, dimension: Any, output_type: Any) -> Tensor:
    axis = renamed("axis", axis, "dimension", dimension)
    if axis is None:
        axis = 0
    return apply_op(op, input, axis, output_type=output_type, name=name)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = datatypes.int64
) -> Tensor:
    """Return the position of the first greatest element along `axis` (default 0)."""
    axis = renamed("axis", axis, "dimension", dimension)
    if isinstance(axis, Tensor):
        if not axis.dtype.is_integer or axis.dtype in (datatypes.uint32, datatypes.uint64):
            raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported")
        if axis.dtype.size < 4:
            axis = cast(axis, datatypes.int32)
    return _arg("ArgMax", input, axis, name, None, output_type)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = datatypes.int64
) -> Tensor:
    """Return the position of the first least element along `axis` (default 0)."""
    return _arg("ArgMin", input, axis, name, dimension, output_type)
