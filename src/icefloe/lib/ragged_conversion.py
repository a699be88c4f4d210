"""RaggedTensors from tensors and SparseTensors, and back; dimensions merged.

Source: tensorflow/python/ops/ragged/ragged_tensor.py (nodes and names).
"""

from __future__ import annotations

import builtins
import functools
import operator
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones, sequence_mask, zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import boolean_mask, gather, where
from icefloe.lib.array_shape import expand_dims, rank, reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import Assert
from icefloe.lib.constants import convert_to_int_tensor
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal, not_equal
from icefloe.lib.math_range import cumprod, cumsum, range
from icefloe.lib.math_reduce import reduce_all, reduce_any, reduce_max, reduce_prod, reduce_sum
from icefloe.lib.ragged_partition import RowPartition, maximum, minimum
from icefloe.lib.ragged_tensor import RaggedTensor
from icefloe.shapes import TensorShape, as_shape, dimension_at_index


def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, name: str | None, row_splits_dtype: Any
) -> Any:
    """Return the rows of `tensor`; see `RaggedTensor.from_tensor`."""
    dtype = datatypes.as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.shape.rank is not None and tensor.shape.rank < 2:
            raise ValueError(
                "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                f"dimensions. Received argument `tensor` with rank {tensor.shape.rank}."
            )
        tensor.shape.with_rank_at_least(ragged_rank + 1)
        sizes = shape_of(tensor, out_type=dtype)
        ncols = sizes[1]
        if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
            return _of_nested_lengths(tensor, lengths, ragged_rank)
        if ragged_rank > 1:
            return _of_outer_dimensions(tensor, sizes, lengths, padding, ragged_rank, dtype)
        if padding is not None:
            lengths = _lengths_without_padding(tensor, padding, ncols, dtype)
        if lengths is not None:
            lengths = convert_to_int_tensor(lengths, "lengths", dtype)
            lengths.shape.assert_has_rank(1)
            lengths = minimum(lengths, ncols)
            lengths = maximum(lengths, 0)
            limits = cumsum(lengths)
            splits = concat([zeros([1], dtype), limits], axis=0)
            mask = sequence_mask(lengths, maxlen=ncols)
            return RaggedTensor.from_row_splits(boolean_mask(tensor, mask), splits, validate=False)
        values = reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], axis=0))
        rows = [dimension_at_index(tensor.shape, i).value for i in (0, 1)]
        nrows, ncols = (sizes[i] if n is None else constant(n, dtype) for i, n in enumerate(rows))
        return RaggedTensor.from_uniform_row_length(values, ncols, nrows=nrows, validate=False)


def _of_nested_lengths(tensor: Tensor, lengths: Any, ragged_rank: int) -> Any:
    if ragged_rank not in (1, len(lengths)):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
            f"{len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    everything = ones([reduce_sum(lengths[-1])], dtype=datatypes.bool)
    mask = RaggedTensor.from_nested_row_lengths(everything, lengths, validate=False)
    kept = boolean_mask(tensor, mask.to_tensor(default_value=False))
    return RaggedTensor.from_nested_row_lengths(kept, lengths, validate=False)


def _of_outer_dimensions(
    tensor: Tensor, sizes: Tensor, lengths: Any, padding: Any, ragged_rank: int, dtype: datatypes.DType
) -> Any:
    """Divide the dimensions below the outer ones, which are uniform, and put those around it."""
    outer: Any
    if tensor.shape.is_fully_defined():
        known: Any = tensor.shape.as_list()
        outer = np.cumprod(known)
        flat_shape: Any = [outer[ragged_rank - 1], *known[ragged_rank:]]
        sizes_known: Any = known
    else:
        outer = cumprod(sizes)
        flat_shape = concat([[outer[ragged_rank - 1]], sizes[ragged_rank:]], axis=0)
        sizes_known = sizes
    result = RaggedTensor.from_tensor(reshape(tensor, flat_shape), lengths, padding, row_splits_dtype=dtype)
    for axis in reversed(builtins.range(1, ragged_rank)):
        size = dimension_at_index(tensor.shape, axis).value
        length = sizes_known[axis] if size is None else constant(size, dtype)
        result = RaggedTensor.from_uniform_row_length(result, length, nrows=outer[axis - 1], validate=False)
    return result


def _lengths_without_padding(tensor: Tensor, padding: Any, ncols: Tensor, dtype: datatypes.DType) -> Tensor:
    padding = convert_to_tensor(padding, name="padding", dtype=tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_padding = equal(padding, tensor)
    ndims = rank(tensor)
    inner = range(2, ndims)
    whole = cond(ndims > 2, lambda: reduce_all(is_padding, axis=inner), lambda: is_padding)
    whole.set_shape(TensorShape([None, None]))
    whole.set_shape(tensor.shape[:2])
    kept = cast(apply_op("LogicalNot", whole), dtype)
    return reduce_max(kept * expand_dims(range(1, ncols + 1), 0), axis=1)


def to_tensor(ragged: RaggedTensor, default_value: Any, name: str | None, shape: Any) -> Tensor:
    """Return a tensor that holds all rows; see `RaggedTensor.to_tensor`."""
    with name_scope(name, "RaggedToTensor", [ragged, default_value, shape]):
        if default_value is not None:
            default_value = convert_to_tensor(default_value, name="default_value", dtype=ragged.dtype)
        types, tensors = zip(*_partition_pairs(ragged))
        if default_value is None:
            default_value = zeros((), ragged.dtype)
        listed = isinstance(shape, (list, tuple))
        if listed and any(isinstance(v, Tensor) for v in shape) and all(isinstance(v, (int, Tensor)) for v in shape):
            shape = stack(shape)
        wanted = _shape_tensor(shape, tensors[0].dtype)
        tensor: Tensor = apply_op(
            "RaggedTensorToTensor",
            wanted,
            ragged.flat_values,
            default_value,
            list(tensors),
            row_partition_types=list(types),
        )
        known = ragged.shape
        if known.rank is not None and not isinstance(shape, Tensor):
            given = as_shape(shape)
            if given.rank is not None:
                pairs = zip(given.as_list(), known.as_list())
                known = TensorShape([b if a is None else a for a, b in pairs])
            tensor.set_shape(known)
        return tensor


def _partition_pairs(ragged: RaggedTensor) -> list[tuple[str, Tensor]]:
    first, *rest = ragged._nested_row_partitions
    if first.has_value_rowids():
        pairs = [("FIRST_DIM_SIZE", first.nrows()), ("VALUE_ROWIDS", first.value_rowids())]
    else:
        pairs = [("ROW_SPLITS", first.row_splits())]
    return [*pairs, *(_inner_pair(partition) for partition in rest)]


def _inner_pair(partition: RowPartition) -> tuple[str, Tensor]:
    if partition.has_value_rowids():
        return "VALUE_ROWIDS", partition.value_rowids()
    return "ROW_SPLITS", partition.row_splits()


def _shape_tensor(shape: Any, dtype: datatypes.DType) -> Tensor:
    if isinstance(shape, Tensor):
        return shape if shape.dtype in (datatypes.int64, datatypes.int32) else cast(shape, dtype)
    known = as_shape(shape)
    if not known:
        return constant(-1, dtype=dtype)
    return constant([-1 if n is None else n for n in known.as_list()], dtype=dtype)


def from_sparse(st_input: Any, name: str | None, row_splits_dtype: Any) -> RaggedTensor:
    """Return the rows of a SparseTensor; see `RaggedTensor.from_sparse`."""
    dtype = datatypes.as_dtype(row_splits_dtype)
    if not isinstance(st_input, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
    with name_scope(name, "RaggedFromSparse", [st_input]):
        sparse = convert_to_tensor_or_sparse_tensor(st_input, name="st_input")
        ranks = [
            sparse.dense_shape.shape.as_list()[0] if sparse.dense_shape.shape.ndims is not None else None,
            sparse.indices.shape.as_list()[1] if sparse.indices.shape.ndims is not None else None,
        ]
        if 2 not in ranks:
            raise ValueError("rank(st_input) must be 2.")
        with control_dependencies([_right_ragged(sparse.indices)]):
            segment_ids = cast(sparse.indices[:, 0], dtype)
            num_segments = cast(sparse.dense_shape[0], dtype)
            return RaggedTensor.from_value_rowids(sparse.values, segment_ids, num_segments, validate=False)


def _right_ragged(indices: Tensor) -> Any:
    """Return a check that each row of a sparse tensor holds its first columns."""
    prefix = indices[:, :-1]
    last = indices[:, -1]
    changed = reduce_any(not_equal(prefix[1:], prefix[:-1]), axis=1)
    follows = where(changed, equal(last[1:], 0), equal(last[1:], last[:-1] + 1))
    fits = apply_op("LogicalAnd", reduce_all(equal(last[:1], 0)), reduce_all(follows))
    return Assert(fits, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])


def to_sparse(ragged: RaggedTensor, name: str | None) -> SparseTensor:
    """Return a SparseTensor of the values of `ragged`."""
    with name_scope(name, "RaggedToSparse", [ragged]):
        parts = apply_op("RaggedTensorToSparse", list(ragged.nested_row_splits), ragged.flat_values, name=name)
        return SparseTensor(*parts)


def from_variant(
    variant: Any,
    dtype: Any,
    output_ragged_rank: int,
    input_ragged_rank: int | None = None,
    row_splits_dtype: Any = datatypes.int64,
    name: str | None = None,
) -> Any:
    """Return the RaggedTensor that variants hold, a tensor where `output_ragged_rank` is 0.

    Raises: ValueError if the ranks do not add up.
    """
    variant = convert_to_tensor(variant, name="variant", dtype=datatypes.variant)
    ndims = variant.shape.ndims
    if ndims is not None and input_ragged_rank is not None and output_ragged_rank != input_ragged_rank + ndims:
        raise ValueError(
            f"Argument `output_ragged_rank` ({output_ragged_rank}) must be equal to `input_ragged_rank` + "
            f"`variant.shape.ndims` ({input_ragged_rank} + {ndims})."
        )
    given = -1 if input_ragged_rank is None else input_ragged_rank
    with name_scope(name, "RaggedFromVariant", [variant]):
        parts = apply_op(
            "RaggedTensorFromVariant",
            variant,
            input_ragged_rank=given,
            output_ragged_rank=max(output_ragged_rank, 0),
            Tvalues=dtype,
            Tsplits=row_splits_dtype,
            name=name,
        )
        return RaggedTensor.from_nested_row_splits(
            parts.output_dense_values, list(parts.output_nested_splits), validate=False
        )


def to_variant(value: Any, batched_input: bool = False, name: str | None = None) -> Tensor:
    """Return a variant that holds a RaggedTensor, or with `batched_input` one for each of its rows."""
    with name_scope(name, "RaggedToVariant", [value]):
        splits = list(value.nested_row_splits)
        result: Tensor = apply_op(
            "RaggedTensorToVariant", splits, value.flat_values, batched_input=batched_input, name=name
        )
        return result


def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    """Return `value`, a tensor or a RaggedTensor, with the dimensions of a range, counted from the front, as one."""
    if outer_axis == inner_axis:
        return value
    while outer_axis == 0 and isinstance(value, RaggedTensor):
        value = value.values
        inner_axis -= 1
        if inner_axis == 0:
            return value
    if not isinstance(value, RaggedTensor):
        if value.shape.is_fully_defined():
            old: Any = value.shape.as_list()
            return reshape(value, [*old[:outer_axis], -1, *old[inner_axis + 1 :]])
        old = shape_of(value)
        return reshape(value, concat([old[:outer_axis], [-1], old[inner_axis + 1 :]], axis=0))
    if outer_axis > 1:
        return value.with_values(merge_dims(value.values, outer_axis - 1, inner_axis - 1))
    values, splits = value.values, value.row_splits
    for axis in builtins.range(outer_axis, inner_axis):
        if isinstance(values, RaggedTensor):
            splits = gather(values.row_splits, splits)
            values = values.values
            continue
        count = inner_axis - axis + 1
        flat: Any
        if values.shape.is_fully_defined():
            old = values.shape.as_list()
            new_shape: Any = [-1, *old[count:]]
            flat = functools.reduce(operator.mul, old[1:count], 1)
        else:
            old = shape_of(values)
            new_shape = concat([[-1], old[count:]], axis=0)
            flat = cast(reduce_prod(old[1:count]), splits.dtype)
        values = reshape(values, new_shape)
        splits = splits * flat
        break
    return RaggedTensor.from_row_splits(values, splits)
