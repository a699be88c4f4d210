"""Gathering within batches, and repeating elements: compositions of simpler ops."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import all_dimensions, meshgrid, ones, sequence_mask, zeros
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_select import boolean_mask, gather
from icefloe.lib.array_shape import expand_dims, rank, reshape, shape, squeeze, transpose
from icefloe.lib.constants import convert_to_int_tensor
from icefloe.shapes import TensorShape


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Return `params[i.., indices[i.., j]]`: a gather along the last axis of `indices`, all axes before it being
    batch axes.

    Raises: ValueError if the rank of `indices` is unknown.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.shape.rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return _batch_gather(params, indices, indices.shape.rank)


def _batch_gather(params: Tensor, indices: Tensor, ndims: int) -> Tensor:
    batch_dims = ndims - 1
    indices_shape = shape(indices)
    params_shape = shape(params)
    flat = indices
    dtype = indices.dtype.base_dtype
    stride = ones((), dtype=dtype)
    sizes = apply_op("Cast", params_shape, DstT=dtype)
    for dim in range(batch_dims, 0, -1):
        size = sizes[dim - 1]
        stride *= sizes[dim]
        start, step = zeros((), dtype=dtype), ones((), dtype=dtype)
        offsets = apply_op("Range", start, size, step)
        offsets *= stride
        offset_shape = stack([1] * (dim - 1) + [size] + [1] * (ndims - dim), axis=0)
        flat += reshape(offsets, offset_shape)
    flat_indices = reshape(flat, [-1])
    outer = params_shape[batch_dims + 1 :]
    inner_size = apply_op("Prod", params_shape[: batch_dims + 1], [0])
    flat_params = reshape(params, concat([[inner_size], outer], axis=0))
    result = reshape(gather(flat_params, flat_indices), concat([indices_shape, outer], axis=0))
    known = indices.shape[:batch_dims].merge_with(params.shape[:batch_dims])
    known = known.concatenate(indices.shape[batch_dims:]).concatenate(params.shape[batch_dims + 1 :])
    result.set_shape(known)
    return result


def batch_gather_nd(
    params: Any, indices: Any, batch_dims: int, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """Return `gather_nd` applied to each of the batches that the first `batch_dims` axes number.

    Raises: TypeError, ValueError if `batch_dims` does not fit the ranks.
    """
    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if not isinstance(batch_dims, int):
            raise TypeError(f"Argument `batch_dims` must be an int; got {batch_dims}")
        if batch_dims < 0:
            raise ValueError("tf.gather_nd does not allow negative batch_dims.")
        for what, tensor in (("indices", indices), ("params", params)):
            if tensor.shape.rank is not None and batch_dims >= tensor.shape.rank:
                raise ValueError(
                    f"Argument `batch_dims` = {batch_dims} must be less than rank(`{what}`) = {tensor.shape.rank}"
                )
        alone = batch_dims == 0
        if alone:
            params, indices, batch_dims = expand_dims(params, 0), expand_dims(indices, 0), 1
        params_shape = shape(params)
        indices_shape = shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = apply_op("Prod", batch_shape, [0])
        internal = rank(indices) - batch_dims - 1
        internal_shape = indices_shape[batch_dims:-1]
        ranges = [
            apply_op("Cast", apply_op("Range", 0, apply_op("Cast", size, DstT=datatypes.int32), 1), DstT=indices.dtype)
            for size in unstack(batch_shape, axis=0)
        ]
        mesh = meshgrid(*ranges, indexing="ij")
        grid = transpose(stack([reshape(x, shape=(-1,)) for x in mesh], axis=0))
        grid_shape = shape(grid)
        grid = reshape(grid, concat([grid_shape[:1], ones(internal, dtype=grid_shape.dtype), grid_shape[1:]], axis=0))
        grid = apply_op("Tile", grid, concat(((1,), internal_shape, (1,)), axis=0))
        flat_shape = concat(([batch_size], indices_shape[batch_dims:]), axis=0)
        flat_indices = reshape(indices, shape=flat_shape)
        full = concat((grid, flat_indices), axis=-1)
        out = apply_op("GatherNd", params, full, bad_indices_policy=bad_indices_policy)
        out_shape = shape(out)
        out = reshape(out, shape=concat((batch_shape, out_shape[1:]), axis=0))
        return squeeze(out, axis=0) if alone else out


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Return `input` with its elements along `axis` (default: of the flattened tensor) repeated, each by its own count.

    Raises: TypeError, ValueError if `axis` or the length of `repeats` does not fit.
    """
    if axis is None:
        input = reshape(input, [-1])
        axis = 0
    if not isinstance(axis, int):
        raise TypeError(f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis).__name__}")
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        repeats = convert_to_int_tensor(repeats, name="repeats")
        repeats.shape.with_rank_at_most(1)
        data = _with_nonzero_rank(data)
        data_shape = shape(data, out_type=repeats.dtype)
        axis = _positive_axis(axis, data.shape.rank)
        if repeats.shape.num_elements() == 1:
            repeats = reshape(repeats, [])
            tiled = _tile_one_axis(expand_dims(data, axis + 1), axis + 1, repeats)
            known = concat([data_shape[:axis], [repeats * data_shape[axis]], data_shape[axis + 1 :]], axis=0)
            return reshape(tiled, known)
        if repeats.shape.rank == 1:
            data.shape[axis : axis + 1].assert_is_compatible_with(repeats.shape)
        return _repeat_each(data, data_shape, repeats, axis)


def _repeat_each(data: Tensor, data_shape: Tensor, repeats: Tensor, axis: int) -> Tensor:
    repeats = apply_op("BroadcastTo", repeats, [data_shape[axis]])
    original = repeats
    if repeats.shape.rank != axis + 1:
        repeats_shape = shape(repeats)
        repeats_rank = rank(repeats)
        full = concat([data_shape[: axis + 1 - repeats_rank], repeats_shape], axis=0)
        repeats = apply_op("BroadcastTo", repeats, full)
        repeats.set_shape([None] * (axis + 1))
    most = apply_op("Max", repeats, all_dimensions(repeats))
    most = apply_op("Maximum", convert_to_tensor(0, name="zero", dtype=most.dtype), most)
    mask = sequence_mask(repeats, most)
    tiled = _tile_one_axis(expand_dims(data, axis + 1), axis + 1, most)
    result = boolean_mask(tiled, mask)
    if axis != 0:
        total = apply_op("Sum", original, apply_op("Range", 0, rank(original), 1))
        result = reshape(result, concat([data_shape[:axis], [total], data_shape[axis + 1 :]], axis=0))
    if data.shape.rank is not None:
        new_size = 0 if repeats.shape.as_list()[0] == 0 else None
        result.set_shape(data.shape[:axis].concatenate(TensorShape([new_size])).concatenate(data.shape[axis + 1 :]))
    return result


def _positive_axis(axis: int, ndims: int | None) -> int:
    if ndims is None:
        if axis < 0:
            raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"axis={axis} out of bounds: expected {-ndims}<=axis<{ndims}")
    return axis % ndims


def _with_nonzero_rank(data: Tensor) -> Tensor:
    if data.shape.rank is None:
        data_shape = shape(data)
        data_rank = rank(data)
        return reshape(data, concat([[1], data_shape], axis=0)[-data_rank:])
    return stack([data]) if data.shape.rank == 0 else data


def _tile_one_axis(data: Tensor, axis: int, multiple: Any) -> Tensor:
    if data.shape.rank is not None:
        multiples: Any = [1] * data.shape.rank
        multiples[axis] = multiple
    else:
        each = ones(rank(data), datatypes.int32)
        multiples = concat([each[:axis], [multiple], each[axis + 1 :]], axis=0)
    return apply_op("Tile", data, multiples)
