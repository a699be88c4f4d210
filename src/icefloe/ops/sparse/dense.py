"""Sparse tensors made dense, and their empty rows filled: SparseToDense, SparseFillEmptyRows and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.ops.sparse.components import check_bounds, row_order
from icefloe.shapes import Dims, shape_text


@kernel("SparseToDense")
def sparse_to_dense(indices: Any, sizes: Any, values: Any, default: Any, *, validate_indices: bool) -> Array:
    """A tensor of shape `sizes` with `values` (one for all, or one each) at `indices`, else `default`.

    indices: [n, rank], or [n] for a vector, or a scalar. validate_indices: refuse repeated or disordered indices.
    """
    if np.ndim(indices) > 2:
        raise errors.InvalidArgumentError(
            f"sparse_indices should be a scalar, vector, or matrix, got shape {shape_text(np.shape(indices))}"
        )
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError(f"output_shape must be rank 1, got shape {shape_text(np.shape(sizes))}")
    rows = np.asarray(indices).reshape(-1, 1) if np.ndim(indices) < 2 else indices
    count, rank = rows.shape
    if len(sizes) != rank:
        raise errors.InvalidArgumentError(
            f"output_shape has incorrect number of elements: {len(sizes)} should be: {rank}"
        )
    if np.ndim(values) and np.shape(values) != (count,):
        raise errors.InvalidArgumentError(
            f"sparse_values has incorrect shape {shape_text(np.shape(values))}, should be [] or [{count}]"
        )
    if np.ndim(default):
        raise errors.InvalidArgumentError("default_value should be a scalar.")
    target = check_shape(sizes.tolist(), values.dtype)
    if validate_indices:
        check_bounds(rows, target)
        _check_order(rows)
    elif ((rows < 0) | (rows >= target)).any():
        raise errors.InvalidArgumentError(f"Indices are not valid (out of bounds).  Shape: {shape_text(target)}")
    result = np.full(target, default.item() if default.dtype == object else default, values.dtype)
    place = tuple(rows.T) if rank else (np.zeros(count, np.int64),)
    (result if rank else result.reshape(1))[place] = (
        values.item() if not np.ndim(values) and values.dtype == object else values
    )
    return result


def _check_order(rows: Array) -> None:
    """Raise InvalidArgumentError naming the first row that does not follow, in row-major order, the one before it."""
    if len(rows) < 2:
        return
    order = row_order(rows)
    repeated = (rows[1:] == rows[:-1]).all(axis=1)
    if np.array_equal(order, np.arange(len(rows))) and not repeated.any():
        return
    differs = rows[1:] != rows[:-1]
    column = np.argmax(differs, axis=1)
    step = np.arange(len(rows) - 1)
    back = differs.any(axis=1) & (rows[1:][step, column] < rows[:-1][step, column])
    first = int(np.argmax(back | repeated)) + 1
    what = "repeated" if repeated[first - 1] else "out of order. Many sparse ops require sorted indices."
    shown = shape_text(tuple(rows[first].tolist()))
    note = "" if repeated[first - 1] else "\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
    raise errors.InvalidArgumentError(f"indices[{first}] = {shown} is {what}{note}")


@shape("SparseToDense")
def sparse_to_dense_shape(c: ShapeContext) -> list[Dims]:
    with_rank_at_most(c.shape(0), 2)
    with_rank(c.shape(1), 1)
    return [c.shape_value(1)]


@kernel("SparseFillEmptyRows")
def sparse_fill_empty_rows(indices: Any, values: Any, sizes: Any, default: Any) -> tuple[Array, Array, Array, Array]:
    """The elements in order of rows, with `default` at the start of each row that has none.

    Also which rows had none, and for each element where it is now.
    """
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError(f"dense_shape must be a vector, saw: {shape_text(np.shape(sizes))}")
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError(f"indices must be a matrix, saw: {shape_text(np.shape(indices))}")
    if np.ndim(values) != 1:
        raise errors.InvalidArgumentError(f"values must be a vector, saw: {shape_text(np.shape(values))}")
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(
            f"The length of `values` ({len(values)}) must match the first dimension of `indices` ({len(indices)})."
        )
    if len(sizes) != indices.shape[1]:
        raise errors.InvalidArgumentError(
            f"The length of `dense_shape` ({len(sizes)}) must match the second dimension of `indices`"
            f" ({indices.shape[1]})."
        )
    if np.ndim(default):
        raise errors.InvalidArgumentError(f"default_value must be a scalar, saw: {shape_text(np.shape(default))}")
    if not len(sizes):
        raise errors.InvalidArgumentError("Dense shape cannot be empty.")
    (count,) = check_shape(sizes[:1].tolist(), np.dtype(np.int64))
    if not count and len(indices):
        raise errors.InvalidArgumentError(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(indices)}"
        )
    rows = indices[:, 0]
    bad = (rows < 0) | (rows >= count)
    if bad.any():
        first = int(np.argmax(bad))
        raise errors.InvalidArgumentError(f"indices({first}, 0) is invalid: {rows[first]} >= {count}")
    present = np.bincount(rows, minlength=count)
    empty = np.flatnonzero(present == 0)
    filler = np.zeros((empty.size, indices.shape[1]), np.int64)
    filler[:, 0] = empty
    everything = np.concatenate([indices, filler])
    order = np.argsort(everything[:, 0], kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    fill = np.full(empty.size, default.item() if default.dtype == object else default, values.dtype)
    indicator = present == 0
    if not count:
        # TensorFlow leaves these empty then.
        return np.zeros((0, indices.shape[1]), np.int64), values[:0], np.zeros(0, bool), np.zeros(0, np.int64)
    return everything[order], np.concatenate([values, fill])[order], indicator, place[: len(indices)]


@shape("SparseFillEmptyRows")
def sparse_fill_empty_rows_shape(c: ShapeContext) -> list[Dims]:
    n, rank = with_rank(c.shape(0), 2)
    (count,) = with_rank(c.shape(1), 1)
    (length,) = with_rank(c.shape(2), 1)
    with_rank(c.shape(3), 0)
    sizes = c.shape_value(2)
    rows = sizes[0] if sizes else None
    return [
        (None, rank if rank is not None else length),
        (None,),
        (rows,),
        (n if n is not None else count,),
    ]


@kernel("SparseFillEmptyRowsGrad")
def sparse_fill_empty_rows_grad(places: Any, gradient: Any) -> tuple[Array, Array]:
    """The gradient at each element's place, and the sum of those at no element's: the default's."""
    if np.ndim(places) != 1:
        raise errors.InvalidArgumentError(f"reverse_index_map must be a vector, saw: {shape_text(np.shape(places))}")
    if np.ndim(gradient) != 1:
        raise errors.InvalidArgumentError(f"grad_values must be a vector, saw: {shape_text(np.shape(gradient))}")
    size = len(gradient)
    bad = (places < 0) | (places >= size)
    if bad.any():
        raise errors.InvalidArgumentError(
            f"Elements in reverse index must be in [0, {size}) but got {places[np.argmax(bad)]}"
        )
    rest = np.ones(size, bool)
    rest[places] = False
    return gradient[places], np.asarray(gradient[rest].sum(dtype=gradient.dtype))


@shape("SparseFillEmptyRowsGrad")
def sparse_fill_empty_rows_grad_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(1), 1)
    return [with_rank(c.shape(0), 1), ()]
