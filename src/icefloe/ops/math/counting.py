"""Counts of values as sparse tensors: one row of counts for each row of a dense, sparse or ragged tensor.

Source: tensorflow/core/kernels/count_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text
from icefloe.ops.math.row_partition import row_of_each

# The attr value that means none is set.
_UNSET = -1


def _count(
    rows: Any, values: Any, weights: Any, row_count: int | None, minlength: int, maxlength: int, *, binary: bool
) -> tuple[Any, Any, Any]:
    """Return (indices, counts, dense shape) of the values in each row; of a vector where `row_count` is None.

    Raises: InvalidArgumentError for a negative value.
    """
    if np.any(values < 0):
        raise errors.InvalidArgumentError("Input values must all be non-negative")
    values = values.astype(np.int64)
    size = max(int(values.max(initial=0)) + 1, minlength)
    if maxlength != _UNSET:
        size = maxlength
        kept = values < maxlength
        rows, values = rows[kept], values[kept]
        weights = weights[kept] if weights.size else weights
    # Pairs of row and value in order, each once, and which of them an input belongs to.
    order = np.lexsort((values, rows))
    first = np.ones(len(order), bool)
    sorted_rows, sorted_values = rows[order], values[order]
    first[1:] = (sorted_rows[1:] != sorted_rows[:-1]) | (sorted_values[1:] != sorted_values[:-1])
    starts = np.flatnonzero(first)
    if binary:
        counts = np.ones(len(starts), weights.dtype)
    elif not weights.size:
        counts = np.diff(np.append(starts, len(order))).astype(weights.dtype)
    elif len(starts):
        counts = np.add.reduceat(weights[order], starts, dtype=weights.dtype)
    else:
        counts = np.zeros(0, weights.dtype)
    if row_count is None:
        return sorted_values[starts][:, None], counts, np.array([size], np.int64)
    indices = np.stack([sorted_rows[starts], sorted_values[starts]], axis=1).astype(np.int64)
    return indices, counts, np.array([row_count, size], np.int64)


def _check_weights(weights: Any, values: Any, text: str) -> None:
    if np.size(weights) and np.shape(weights) != np.shape(values):
        raise errors.InvalidArgumentError(text.format(shape_text(np.shape(weights)), shape_text(np.shape(values))))


_OF_VALUES = "Weights and values must have the same shape. Weight shape: {}; values shape: {}"


@kernel("DenseCountSparseOutput")
def dense_count(values: Any, weights: Any, *, minlength: int, maxlength: int, binary_output: bool) -> tuple[Any, ...]:
    """Return the counts of a vector, or of each row of a matrix."""
    _check_weights(weights, values, "Weights and data must have the same shape. Weight shape: {}; data shape: {}")
    if np.ndim(values) not in (1, 2):
        raise errors.InvalidArgumentError(
            f"Input must be a 1 or 2-dimensional tensor. Got: {shape_text(np.shape(values))}"
        )
    flat, weight = np.ravel(values), np.ravel(weights)
    if np.ndim(values) == 1:
        return _count(np.zeros(len(flat), int), flat, weight, None, minlength, maxlength, binary=binary_output)
    count, columns = values.shape
    rows = np.repeat(np.arange(count), columns)
    return _count(rows, flat, weight, count, minlength, maxlength, binary=binary_output)


@kernel("SparseCountSparseOutput")
def sparse_count(
    indices: Any,
    values: Any,
    dense_shape: Any,
    weights: Any,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
) -> tuple[Any, ...]:
    """Return the counts of a sparse vector's values, or for each first index those of the others."""
    if np.ndim(indices) != 2 or np.ndim(values) != 1 or np.ndim(dense_shape) != 1:
        raise errors.InvalidArgumentError("Input indices must be a matrix, values and dense_shape vectors")
    if not len(dense_shape):
        raise errors.InvalidArgumentError("The shape argument requires at least one element.")
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(
            f"Number of values must match first dimension of indices.Got {len(values)} values, "
            f"indices shape: {shape_text(indices.shape)}"
        )
    if indices.shape[1] != len(dense_shape):
        raise errors.InvalidArgumentError(
            f"Index rank ({indices.shape[1]}) and shape rank ({len(dense_shape)}) do not match"
        )
    _check_weights(weights, values, _OF_VALUES)
    outside = np.argwhere((indices < 0) | (indices >= dense_shape))
    if len(outside):
        at, axis = outside[0]
        raise errors.InvalidArgumentError(
            f"Invalid index value at {at}: dimension {axis} has value {indices[at, axis]} which is not in "
            f"[0, {dense_shape[axis]}) (as given by dense shape {dense_shape.tolist()})"
        )
    one = len(dense_shape) == 1
    rows = np.zeros(len(values), int) if one else indices[:, 0]
    count = None if one else int(dense_shape[0])
    return _count(rows, values, np.ravel(weights), count, minlength, maxlength, binary=binary_output)


@kernel("RaggedCountSparseOutput")
def ragged_count(
    splits: Any, values: Any, weights: Any, *, minlength: int, maxlength: int, binary_output: bool
) -> tuple[Any, ...]:
    """Return the counts of each row of a ragged matrix."""
    _check_weights(weights, values, _OF_VALUES)
    if np.ndim(splits) != 1 or np.ndim(values) != 1 or len(splits) < 2:
        raise errors.InvalidArgumentError("Must provide at least 2 elements for the splits argument")
    if splits[0] != 0:
        raise errors.InvalidArgumentError(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != len(values):
        raise errors.InvalidArgumentError(
            f"Splits must end with the number of values, got {splits[-1]} instead of {len(values)}"
        )
    rows = row_of_each(np.diff(np.maximum.accumulate(splits)))
    return _count(rows, values, np.ravel(weights), len(splits) - 1, minlength, maxlength, binary=binary_output)


@shape("DenseCountSparseOutput")
def dense_count_shape(c: ShapeContext) -> list[Any]:
    values, weights = c.shape(0), c.shape(1)
    if values and weights and weights != (0,) and None not in (values[0], weights[0]) and weights[0] != values[0]:
        merge(weights, values)
    rank = None if values is None else len(values)
    return [(None, rank), (None,), (rank,)]


@shape("SparseCountSparseOutput")
def sparse_count_shape(c: ShapeContext) -> list[Any]:
    dense = c.shape(2)
    rank = None if not dense or dense[0] is None else min(dense[0], 2)
    return [(None, rank), (None,), (rank,)]


@shape("RaggedCountSparseOutput")
def ragged_count_shape(c: ShapeContext) -> list[Any]:
    known = None if c.shape(1) is None else 2
    return [(None, known), (None,), (known,)]
