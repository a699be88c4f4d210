"""Values and rows kept by a mask, or sorted into partitions.

Source: tensorflow/python/ops/ragged/ragged_array_ops.py, ragged_where_op.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

from icefloe import datatypes
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.lib import array_select, checks
from icefloe.lib.array_join import concat as dense_concat
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import expand_dims, reshape, shape
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import cumprod, range
from icefloe.lib.math_reduce import count_nonzero
from icefloe.lib.math_segment import argsort
from icefloe.lib.ragged_concat import concat, splits_match
from icefloe.lib.ragged_functional import map_flat_values
from icefloe.lib.ragged_gather import gather
from icefloe.lib.ragged_partition import lengths_to_splits, row_splits_to_segment_ids
from icefloe.lib.ragged_reduce import reduce_sum
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, matching_splits, row_count


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Return the values of `data` where `mask` is true, in the rows they were in; either may be ragged.

    Raises: ValueError if the rank of the mask is 0 or not known.
    """
    with name_scope(name, "RaggedMask", [data, mask]):
        data = as_tensor_or_ragged(data, name="data")
        mask = as_tensor_or_ragged(mask, datatypes.bool, name="mask")
        dtype, _ = matching_splits(data, mask)
        if mask.shape.ndims is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if mask.shape.ndims == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(mask, RaggedTensor):
            return _by_ragged_mask(data, mask, dtype)
        if isinstance(data, RaggedTensor) and mask.shape.ndims == 1:
            lengths = data.row_lengths()
            splits = lengths_to_splits(array_select.boolean_mask(lengths, mask))
            ids = row_splits_to_segment_ids(data.row_splits)
            values = boolean_mask(data.values, array_select.gather(mask, ids))
            return RaggedTensor.from_row_splits(values, splits, validate=False)
        if isinstance(data, RaggedTensor):
            depth = min(data.ragged_rank, mask.shape.ndims - 1)
            mask = RaggedTensor.from_tensor(mask, ragged_rank=depth, row_splits_dtype=data.row_splits.dtype)
            return boolean_mask(data, mask)
        return _by_tensor(data, mask, dtype)


def _by_ragged_mask(data: Any, mask: RaggedTensor, dtype: Any) -> Any:
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank, row_splits_dtype=mask.row_splits.dtype)
    found = splits_match([mask.nested_row_splits, data.nested_row_splits[: mask.ragged_rank]])
    with control_dependencies(found):
        splits = []
        inner: Any = mask
        while isinstance(inner, RaggedTensor):
            if (inner.shape.ndims or 0) > 2:
                splits.append(inner.row_splits)
            else:
                kept = map_flat_values(cast, inner, dtype=dtype)
                splits.append(lengths_to_splits(reduce_sum(kept, axis=1)))
            inner = inner.values
            data = data.values
        values = boolean_mask(data, inner)
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _by_tensor(data: Any, mask: Any, dtype: Any) -> Any:
    values: Any = array_select.boolean_mask(data, mask)
    ndims = mask.shape.ndims
    if ndims >= 2:
        lengths = reshape(count_nonzero(mask, axis=-1, dtype=dtype), [-1])
        values = RaggedTensor.from_row_lengths(values, lengths, validate=False)
        if ndims > 2:
            sizes = shape(mask, out_type=dtype)
            counts = cumprod(sizes) + 1
            for dim in builtins.range(ndims - 3, -1, -1):
                each = sizes[dim + 1]
                values = RaggedTensor.from_row_splits(values, range(counts[dim]) * each, validate=False)
    return values


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> Any:
    """Return row i with the values of `data` whose partition is i, in their order.

    partitions: integers from 0, of the shape of `data` or of its first dimensions. Raises: ValueError if they do not
    fit.
    """
    with name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        data = as_tensor_or_ragged(data, name="data")
        dtype = data.row_splits.dtype if isinstance(data, RaggedTensor) else None
        partitions = as_tensor_or_ragged(partitions, name="partitions", preferred_dtype=dtype)
        num_partitions = convert_to_tensor(num_partitions, name="num_partitions", preferred_dtype=partitions.dtype)
        if dtype is not None:
            partitions = map_flat_values(cast, partitions, dtype)
        num_partitions = cast(num_partitions, partitions.dtype)
        rank = partitions.shape.ndims
        if rank is None:
            raise ValueError("partitions must have known rank.")
        num_partitions.shape.assert_has_rank(0)
        partitions.shape.assert_is_compatible_with(data.shape[:rank])
        if rank == 0:
            return RaggedTensor.from_value_rowids(
                stack([data]), stack([partitions]), nrows=num_partitions, validate=False
            )
        if rank == 1:
            order = argsort(partitions, stable=True)
            ids = array_select.gather(partitions, order)
            values = gather(data, order) if isinstance(data, RaggedTensor) else array_select.gather(data, order)
            found = [
                checks.assert_less(ids[-1:], num_partitions, message="partitions must be less than num_partitions"),
                checks.assert_non_negative(partitions, message="partitions must be non-negative."),
            ]
            with control_dependencies(found):
                return RaggedTensor.from_value_rowids(values, ids, nrows=num_partitions, validate=False)
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, row_splits_dtype=partitions.dtype, ragged_rank=1)
        if not isinstance(partitions, RaggedTensor):
            partitions = RaggedTensor.from_tensor(
                partitions, row_splits_dtype=partitions.dtype, ragged_rank=max(data.ragged_rank, rank - 1)
            )
        said = "data and partitions have incompatible ragged shapes"
        check = checks.assert_equal(data.row_splits, partitions.row_splits, message=said)
        with control_dependencies([check]):
            return stack_dynamic_partitions(data.values, partitions.values, num_partitions)


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """Return the values of each partition. Raises: TypeError if their number is no integer."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    rows = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [rows[i] for i in builtins.range(num_partitions)]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Return `x` where `condition` holds, else `y`; without these, the places where it holds.

    Raises: ValueError if only one is given or their shapes do not match.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope("RaggedWhere", name, [condition, x, y]):
        condition = as_tensor_or_ragged(condition, name="condition")
        if x is None:
            return _places(condition)
        x = as_tensor_or_ragged(x, name="x")
        y = as_tensor_or_ragged(y, name="y")
        matching_splits(condition, x, y)
        if all(isinstance(t, RaggedTensor) for t in (condition, x, y)):
            return map_flat_values(array_select.where, condition, x, y)
        if isinstance(condition, RaggedTensor):
            raise ValueError("Input shapes do not match.")  # noqa: TRY004
        condition.shape.assert_has_rank(1)
        both = concat([x, y], axis=0)
        dtype = both.row_splits.dtype
        x_rows, y_rows = row_count(x, dtype), row_count(y, dtype)
        return gather(both, array_select.where(condition, range(x_rows), x_rows + range(y_rows)))


def _places(condition: Any) -> Any:
    if not isinstance(condition, RaggedTensor):
        return array_select.where(condition)
    inner = _places(condition.values)
    condition = condition.with_row_splits_dtype(inner.dtype)
    first = inner[:, 0]
    rows = array_select.gather(condition.value_rowids(), first)
    columns = first - array_select.gather(condition.row_splits, rows)
    return dense_concat([expand_dims(rows, 1), expand_dims(columns, 1), inner[:, 1:]], axis=1)
