"""Rows and values of RaggedTensors picked by their indices.

Source: tensorflow/python/ops/ragged/ragged_gather_ops.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.lib.array_batch_gather import repeat
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather as dense_gather
from icefloe.lib.array_select import gather_nd as dense_gather_nd
from icefloe.lib.array_shape import expand_dims as dense_expand_dims
from icefloe.lib.array_shape import rank, reshape, shape
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import cumprod, range
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, matching_splits
from icefloe.shapes import dimension_value


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Return the slices of `params` along `axis` (default `batch_dims`) at `indices`; either may be ragged.

    Raises: ValueError if axis, batch_dims and the ranks do not fit.
    """
    with name_scope(name, "RaggedGather", [params, indices]):
        params = as_tensor_or_ragged(params, name="params")
        indices = as_tensor_or_ragged(indices, name="indices")
        matching_splits(params, indices)
        if batch_dims != indices.shape.rank:
            batch_dims = positive_axis(
                batch_dims, indices.shape.rank, axis_name="batch_dims", ndims_name="rank(indices)"
            )
        if params.shape.rank is not None and batch_dims >= params.shape.rank:
            raise ValueError("batch_dims must be less than rank(params)")
        axis = positive_axis(batch_dims if axis is None else axis, params.shape.rank, ndims_name="rank(params)")
        if axis < batch_dims:
            raise ValueError("axis must be greater than or equal to batch_dims")
        if indices.shape.rank is not None and not 0 <= batch_dims <= indices.shape.rank:
            raise ValueError(f"batch_dims={batch_dims} must be between 0 and rank(indices)={indices.shape.rank}")
        return _gather(params, indices, axis, batch_dims)


def gather_as_v1(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = 0,
    batch_dims: int = 0,
) -> Any:
    """Return `gather` with the arguments in TensorFlow 1's order."""
    return gather(params, indices, validate_indices, axis, batch_dims, name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return slices picked along the last axis of `indices`."""
    return gather(params, indices, batch_dims=-1, name=name)


def _gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    params_ragged, indices_ragged = isinstance(params, RaggedTensor), isinstance(indices, RaggedTensor)
    if not (params_ragged or indices_ragged):
        return dense_gather(params, indices, axis=axis, batch_dims=batch_dims)
    if batch_dims > 0:
        return _batch_gather(params, indices, axis, batch_dims)
    if axis > 0:
        return _axis_gather(params, indices, axis)
    if indices_ragged:
        return indices.with_values(_gather(params, indices.values, 0, 0))
    if indices.shape.ndims is None:
        raise ValueError("rank(indices) must be known statically")
    out_rank = indices.shape.ndims + len(params.nested_row_splits) - 1
    made = apply_op(
        "RaggedGather",
        list(params.nested_row_splits),
        params.flat_values,
        indices,
        OUTPUT_RAGGED_RANK=out_rank,
    )
    result = RaggedTensor.from_nested_row_splits(
        made.output_dense_values, list(made.output_nested_splits), validate=False
    )
    if indices.shape.ndims > 1:
        # TensorFlow notes the sizes of the indices on the result, where nothing reads them; the nodes stay.
        sizes = shape(indices, out_type=params.row_splits.dtype)
        counts = cumprod(sizes)
        for dim in builtins.range(indices.shape.ndims - 1):
            counts[dim], sizes[dim + 1]
    return result


def _batch_gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    if not params.shape[:batch_dims].is_compatible_with(indices.shape[:batch_dims]):
        raise ValueError(
            f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape {params.shape}"
        )
    if batch_dims > 1:
        if not isinstance(params, RaggedTensor):
            if indices.uniform_row_length is None:
                raise ValueError(
                    "batch shape from indices does not match params shape: ragged indices dimension corresponds to "
                    "uniform params dimension"
                )
            params = RaggedTensor.from_tensor(params, ragged_rank=1, row_splits_dtype=indices.row_splits.dtype)
        if not isinstance(indices, RaggedTensor):
            if params.uniform_row_length is None:
                raise ValueError(
                    "batch shape from indices does not match params shape: ragged params dimension corresponds to "
                    "uniform indices dimension"
                )
            indices = RaggedTensor.from_tensor(indices, ragged_rank=1, row_splits_dtype=params.row_splits.dtype)
        return params.with_values(_gather(params.values, indices.values, axis - 1, batch_dims - 1))
    if axis > 1:
        if not isinstance(indices, RaggedTensor):
            adjusted: Any = params.with_values(repeat(indices, params.row_lengths(), 0))
        else:
            if not isinstance(params, RaggedTensor):
                params = RaggedTensor.from_tensor(params, ragged_rank=1, row_splits_dtype=indices.row_splits.dtype)
            rows = params.with_values(repeat(range(params.nrows()), params.row_lengths()))
            adjusted = _gather(indices, rows, 0, 0)
        return _batch_gather(params, adjusted, axis, batch_dims + 1)
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    flat = _without_first_dimension(params)
    starts = _of_rank(_row_starts(params, indices.dtype), indices.shape.ndims)
    return _gather(flat, indices + starts, axis - 1, 0)


def _axis_gather(params: Any, indices: Any, axis: int) -> Any:
    if axis > 1:
        if not isinstance(params, RaggedTensor):
            params = RaggedTensor.from_tensor(params, ragged_rank=1, row_splits_dtype=indices.row_splits.dtype)
        return params.with_values(_gather(params.values, indices, axis - 1, 0))
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    flat = _without_first_dimension(params)
    starts = _of_rank(_row_starts(params, indices.dtype), indices.shape.ndims + 1)
    return _gather(flat, indices + starts, axis - 1, 0)


def _without_first_dimension(t: Any) -> Any:
    if isinstance(t, RaggedTensor):
        return t.values
    return reshape(t, concat([[-1], shape(t)[2:]], axis=0))


def _row_starts(t: Any, dtype: Any) -> Any:
    if isinstance(t, RaggedTensor):
        return cast(t.row_starts(), dtype)
    sizes = shape(t, out_type=dtype)
    return range(sizes[0]) * sizes[1]


def _of_rank(t: Any, ndims: int) -> Any:
    """Return `t` with dimensions of size 1 added at its end."""
    if isinstance(t, RaggedTensor):
        return t.with_values(_of_rank(t, ndims - 1))
    old = shape(t)
    new = ones([ndims - rank(t)], old.dtype)
    return reshape(t, concat([old, new], axis=0))


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """Return the elements or slices of `params` at the index vectors in the last axis of `indices`.

    Raises: ValueError for batch_dims, or where the index vectors' length is not known.
    """
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if not any(isinstance(t, RaggedTensor) for t in (params, indices)):
        return dense_gather_nd(params, indices, name=name, bad_indices_policy=bad_indices_policy)
    if bad_indices_policy not in ("", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    with name_scope(name, "RaggedGatherNd", [params, indices]):
        params = as_tensor_or_ragged(params, name="params")
        indices = as_tensor_or_ragged(indices, name="indices")
        matching_splits(params, indices)
        ndims = indices.shape.ndims
        if ndims is None:
            raise ValueError("indices.rank be statically known.")
        if ndims == 0:
            raise ValueError("indices.rank must be at least 1.")
        if isinstance(indices, RaggedTensor) and ndims == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        length = dimension_value(indices.shape[-1])
        if length is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if ndims > 2:
            return _gather_nd_below(params, indices, ndims)
        return _gather_nd_rows(params, indices, ndims, length)


def _gather_nd_below(params: Any, indices: Any, ndims: int) -> Any:
    dense = not isinstance(indices, RaggedTensor)
    if dense:
        dtype = params.row_splits.dtype
        indices = RaggedTensor.from_tensor(indices, ragged_rank=ndims - 2, row_splits_dtype=dtype)
    result: Any = indices.with_flat_values(gather_nd(params, indices.flat_values))
    if dense and isinstance(result, RaggedTensor) and result.ragged_rank == ndims - 2:
        return result.to_tensor()
    return result


def _gather_nd_rows(params: RaggedTensor, indices: Any, ndims: int, length: int) -> Any:
    if length == 0:
        from icefloe.lib.ragged_layout import expand_dims, tile

        params_rank = params.ragged_rank + rank(params.flat_values)
        for _ in builtins.range(ndims - 1):
            params = expand_dims(params, axis=0)
        multiples = concat([shape(indices)[:-1], ones([params_rank], datatypes.int32)], axis=0)
        return tile(params, multiples)
    if length == 1:
        return gather(params, reshape(indices, [-1]))
    indices = cast(indices, params.row_splits.dtype)
    places = dense_gather(params.row_splits, indices[..., 0])
    places += indices[..., 1]
    values = params.values
    for dim in builtins.range(2, length):
        if not isinstance(values, RaggedTensor):
            places = dense_expand_dims(places, axis=1)
            places = concat([places, indices[..., dim:]], axis=1)
            return dense_gather_nd(values, places)
        places = dense_gather(values.row_starts(), places)
        places += indices[..., dim]
        values = values.values
    return gather(values, places)


def gather_nd_as_v1(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Any:
    """Return `gather_nd` with the arguments in TensorFlow 1's order."""
    return gather_nd(params, indices, batch_dims, name, bad_indices_policy=bad_indices_policy)
