"""SparseTensors joined, split, reshaped, reordered, transposed, filled up."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib import array_select
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import fill, ones_like, zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather, where_v2
from icefloe.lib.array_shape import expand_dims, reshape, shape, transpose
from icefloe.lib.array_shape import rank as rank_
from icefloe.lib.checks import assert_equal, assert_less_equal
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import identity, with_dependencies
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_max
from icefloe.lib.sparse_convert import as_sparse, parts, sparse_tensor_to_dense
from icefloe.shapes import TensorShape, dimension_at_index, unknown_shape


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Return SparseTensors joined along `axis`.

    expand_nonconcat_dim: whether the other axes may differ in size; the result has the largest.

    Raises: ValueError if its other spelling is given, as in TensorFlow; TypeError for what is no SparseTensor.
    """
    expand = renamed("expand_nonconcat_dims", expand_nonconcat_dim, "expand_nonconcat_dim", expand_nonconcat_dims)
    axis = renamed("axis", axis, "concat_dim", concat_dim)
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    inputs = [as_sparse(sp_input) for sp_input in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    sizes = [x.dense_shape for x in inputs]
    if expand:
        largest = reduce_max(concat([reshape(size, [1, -1]) for size in sizes], 0), 0)
        sizes = [_expanded(largest, size, axis) for size in sizes]
    indices, values = [x.indices for x in inputs], [x.values for x in inputs]
    result = apply_op("SparseConcat", indices, values, sizes, concat_dim=axis, name=name)
    static = _static_concat([x.shape for x in inputs], axis, expand)
    if all(x.shape.is_fully_defined() for x in inputs):
        return SparseTensor(result[0], result[1], convert_to_tensor(static, dtype=datatypes.int64))
    output = SparseTensor(*result)
    output.set_shape(TensorShape(static))
    return output


def _expanded(largest: Tensor, size: Tensor, axis: int) -> Tensor:
    if axis == -1:
        return concat([largest[:axis], size[-1:], []], 0)
    return concat([largest[:axis], size[axis : axis + 1], largest[axis + 1 :]], 0)


def _static_concat(static: list[TensorShape], axis: int, expand: bool) -> Any:
    if any(x.rank is None for x in static):
        return unknown_shape()
    columns: list[list[Any]] = [list(column) for column in zip(*(x.as_list() for x in static))]
    result = [None if None in column else max(column) for column in columns] if expand else static[0].as_list()
    result[axis] = None if None in columns[axis] else sum(columns[axis])
    return result


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return a SparseTensor with its elements in row-major order."""
    sp_input = as_sparse(sp_input)
    indices, values = apply_op("SparseReorder", *parts(sp_input), name=name)
    if sp_input.shape.is_fully_defined():
        return SparseTensor(indices, values, sp_input.shape.as_list())
    output = SparseTensor(indices, values, identity(sp_input.dense_shape))
    output.set_shape(sp_input.shape)
    return output


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Return a SparseTensor of another dense shape, of which one size may be -1. Raises: ValueError if it cannot be."""
    sp_input = as_sparse(sp_input)
    shape = cast(shape, dtype=datatypes.int64)
    with name_scope(name, "SparseReshape", [sp_input]) as name:
        indices, new_shape = apply_op("SparseReshape", sp_input.indices, sp_input.dense_shape, shape, name=name)
        static = constant_value_as_shape(shape)
        if static.rank is not None and sp_input.shape.is_fully_defined():
            known = _static_reshape(sp_input.shape.as_list(), static.as_list(), get_static_value(shape))
            if known is not None:
                new_shape = constant(known, dtype=datatypes.int64)
        return SparseTensor(indices, identity(sp_input.values), new_shape)


def _static_reshape(old: Any, new: Any, given: Any) -> Any:
    if given is not None and sum(size == -1 for size in given) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
    total = np.prod(old)
    implied = new.count(None)
    if implied > 1 or (implied and 0 in new):
        return None
    result = list(new)
    if implied:
        at = result.index(None)
        result[at] = int(total // np.prod(new[:at] + new[at + 1 :]))
    if np.prod(result) != total:
        raise ValueError(
            f"Cannot reshape a tensor with {total:.0f} elements to shape {new} ({np.prod(result):.0f} elements)."
        )
    return result


class _Missing:
    def __repr__(self) -> str:
        return "KeywordRequired()"


def sparse_split(
    keyword_required: Any = _Missing(),  # noqa: B008 (has no state)
    sp_input: Any = None,
    num_split: int | None = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """Return `num_split` SparseTensors of a SparseTensor cut along `axis`; all arguments by keyword."""
    if not isinstance(keyword_required, _Missing):
        raise ValueError("Keyword arguments are required for this function.")  # noqa: TRY004 (as TensorFlow)
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    assert num_split is not None
    axis = renamed("axis", axis, "split_dim", split_dim)
    pieces = apply_op("SparseSplit", axis, *parts(as_sparse(sp_input)), num_split=num_split, name=name)
    return [SparseTensor(*piece) for piece in zip(*pieces)]


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Return the block of a SparseTensor that begins at `start`, counted from there."""
    sp_input = as_sparse(sp_input)
    start = convert_to_tensor(start, datatypes.int64)
    size = convert_to_tensor(size, datatypes.int64)
    with name_scope(name, "SparseSlice", [sp_input]) as name:
        return SparseTensor(*apply_op("SparseSlice", *parts(sp_input), start, size, name=name))


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Return a SparseTensor with its axes in the order `perm`, default reversed."""
    with name_scope(name, "SparseTranspose", [sp_input]):
        if perm is None:
            ndims = sp_input.shape.rank
            if ndims is not None:
                perm = ndims - 1 - np.arange(0, ndims, 1)
            else:
                count: Any = rank_(sp_input)
                perm = count - 1 - range(0, count, 1)
        indices = transpose(gather(transpose(sp_input.indices), perm))
        order = get_static_value(convert_to_tensor(perm))
        if order is not None and sp_input.shape.is_fully_defined():
            old = sp_input.shape.as_list()
            dense_shape: Any = [old[i] for i in order] + old[len(order) :]
        else:
            dense_shape = gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, dense_shape))


def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Return a SparseTensor with an axis of size 1 more, default the last."""
    ndims: Any = sp_input.dense_shape.shape[0]
    if ndims is None:
        ndims = shape(sp_input.dense_shape)[0]
    axis = -1 if axis is None else axis
    with name_scope(name, "expand_dims", [sp_input]):
        if isinstance(axis, Integral):
            axis = convert_to_tensor(axis, name="axis", dtype=datatypes.int32)
        elif not isinstance(axis, Tensor):
            raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
        axis = where_v2(axis >= 0, axis, axis + ndims + 1)
        count = shape(sp_input.indices)[0]
        place = zeros([count, 1], dtype=datatypes.int64)
        before = array_select.slice(sp_input.indices, [0, 0], [-1, axis])
        after = array_select.slice(sp_input.indices, [0, axis], [-1, -1])
        indices = concat([before, place, after], axis=1)
        before = array_select.slice(sp_input.dense_shape, [0], [axis])
        after = array_select.slice(sp_input.dense_shape, [axis], [-1])
        one = convert_to_tensor([1], name="new_shape", dtype=datatypes.int64)
        return SparseTensor(indices, sp_input.values, concat([before, one, after], axis=0))


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return a SparseTensor of the elements where `to_retain`, a bool for each, is True."""
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    to_retain.shape.assert_has_rank(1)
    if sp_input.values.shape.rank is not None:
        sp_input.values.shape.dims[0].assert_is_compatible_with(dimension_at_index(to_retain.shape, 0))
    kept = reshape(where_v2(to_retain), [-1])
    indices = gather(sp_input.indices, kept)
    values = gather(sp_input.values, kept)
    return SparseTensor(indices, values, identity(sp_input.dense_shape))


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Return a SparseTensor of a larger dense shape, default the smallest that holds its elements.

    Raises: ValueError if `new_shape` is known to be smaller.
    """
    sp_input = as_sparse(sp_input)
    indices, values, old_shape = (identity(part) for part in parts(sp_input))
    if new_shape is None:
        last = reduce_max(indices, axis=0)
        zero = constant(0, dtype=datatypes.int64)
        return SparseTensor(indices, values, apply_op("Maximum", zero, add(last, ones_like(old_shape))))
    new_shape = convert_to_tensor(new_shape)
    new_shape.shape.assert_has_rank(1)
    new_shape = cast(new_shape, datatypes.int64)
    dimension_at_index(new_shape.shape, 0).assert_is_compatible_with(dimension_at_index(old_shape.shape, 0))
    known = get_static_value(new_shape)
    if known is not None and sp_input.shape.is_fully_defined():
        sizes = np.array(sp_input.shape.as_list())
        if not np.all(sizes <= known):
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
                f"({sizes}), sp_input.shape ({known})."
            )
        return SparseTensor(indices, values, known)
    new_shape = with_dependencies([assert_equal(shape(old_shape), shape(new_shape))], new_shape)
    new_shape = with_dependencies([assert_less_equal(old_shape, new_shape)], new_shape)
    return SparseTensor(indices, values, new_shape)


def sparse_fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """Return a SparseTensor with `default_value` first in rows without elements, and whether each row was so."""
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default_value = convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        indices, values, empty, _ = apply_op("SparseFillEmptyRows", *parts(sp_input), default_value)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Return `sp_values` with the ids of `sp_ids`, one SparseTensor or several, as its last indices.

    vocab_size: the size of that axis, or of each. Raises: TypeError, ValueError if the arguments do not fit.
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids = [sp_ids]
        if not isinstance(vocab_size, (Tensor, Integral)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
        vocab_size = [vocab_size]
    else:
        if not isinstance(sp_ids, Iterable):
            raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
        wrong = [] if isinstance(vocab_size, Iterable) else [vocab_size]
        wrong = wrong or [size for size in vocab_size if not isinstance(size, (Tensor, Integral))]
        if wrong:
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(wrong[0])}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name, "SparseMerge", [sp_ids, sp_values]):
        sp_ids = [as_sparse(x) for x in sp_ids]
        sp_values = as_sparse(sp_values)
        ids = [expand_dims(cast(x.values, datatypes.int64), axis=1) for x in sp_ids]
        sizes = [cast(size, datatypes.int64) for size in vocab_size]
        indices = concat([sp_ids[0].indices[:, :-1], *ids], 1)
        dense_shape = concat([sp_ids[0].dense_shape[:-1], sizes], 0)
        result = SparseTensor(indices, sp_values.values, dense_shape)
        if already_sorted:
            return result
        result = sparse_reorder(result)
        return SparseTensor(result.indices, result.values, dense_shape)


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Return a bool tensor that is True at each id of `sp_input`, along a last axis of `vocab_size`."""
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as name:
        count = shape(sp_input.indices)[0]
        values = fill(expand_dims(count, 0), True)
        marked = sparse_merge(sp_input, SparseTensor(sp_input.indices, values, sp_input.dense_shape), vocab_size, name)
        return sparse_tensor_to_dense(marked, default_value=False, validate_indices=False, name=name)
