"""How often each value occurs in each row, as a sparse tensor: DenseCount-, SparseCount-, RaggedCountSparseOutput."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims, shape_text


def _check_weights(weights: Any, values: Any, what: str) -> bool:
    """Return whether there are weights."""
    if not np.size(weights):
        return False
    if np.shape(weights) != np.shape(values):
        raise errors.InvalidArgumentError(
            f"Weights and {what} must have the same shape. Weight shape: {shape_text(np.shape(weights))}; {what} shape:"
            f" {shape_text(np.shape(values))}"
        )
    return True


def _count(
    row: Array,
    rows: int | None,
    values: Array,
    weights: Array | None,
    least: int,
    most: int,
    binary: bool,
    dtype: DType,
) -> tuple[Array, Array, Array]:
    """Return the sparse counts of `values`, each in row `row`; `rows` None gives a vector."""
    if values.size and values.min() < 0:
        raise errors.InvalidArgumentError("Input values must all be non-negative")
    highest = int(values.max()) if values.size else 0
    limited = most >= 0  # -1 is no limit, 0 leaves everything out
    width = most if limited else max(highest + 1, least)
    kept = values < most if limited else np.ones(values.shape, bool)
    pairs = np.stack([row[kept], values[kept].astype(np.int64)], axis=1)
    places, which = np.unique(pairs, axis=0, return_inverse=True)
    if binary:
        counts = np.ones(len(places), dtype.numpy)
    else:
        counts = np.zeros(len(places), dtype.numpy)
        np.add.at(counts, which.reshape(-1), 1 if weights is None else weights[kept])
    if rows is None:
        return places[:, 1:], counts, np.array([width], np.int64)
    return places, counts, np.array([rows, width], np.int64)


@kernel("DenseCountSparseOutput")
def dense_count(
    values: Any, weights: Any, *, minlength: int, maxlength: int, binary_output: bool, output_type: DType
) -> tuple[Array, Array, Array]:
    """Count, or sum the weights of, each value in a vector or in each row of a matrix.

    minlength: the least width of the result. maxlength: values from there on are left out. binary_output: 1 for what
    occurs at all.
    """
    if not 1 <= np.ndim(values) <= 2:
        raise errors.InvalidArgumentError(
            f"Input must be a 1 or 2-dimensional tensor. Got: {shape_text(np.shape(values))}"
        )
    weighted = _check_weights(weights, values, "data")
    rows = len(values) if values.ndim == 2 else None
    row = np.repeat(np.arange(rows or 1), values.shape[-1])
    return _count(
        row,
        rows,
        values.reshape(-1),
        weights.reshape(-1) if weighted else None,
        minlength,
        maxlength,
        binary_output,
        output_type,
    )


@kernel("SparseCountSparseOutput")
def sparse_count(
    indices: Any,
    values: Any,
    sizes: Any,
    weights: Any,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
    output_type: DType,
) -> tuple[Array, Array, Array]:
    """The same for a sparse vector, or the rows of a sparse matrix."""
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError(
            f"Input indices must be a 2-dimensional tensor. Got: {shape_text(np.shape(indices))}"
        )
    if np.ndim(values) != 1:
        raise errors.InvalidArgumentError(f"Input values must be a vector. Got: {shape_text(np.shape(values))}")
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError(f"Input shape must be a vector. Got: {shape_text(np.shape(sizes))}")
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(
            f"Number of values must match first dimension of indices.Got {len(values)} values, indices shape:"
            f" {shape_text(indices.shape)}"
        )
    if len(sizes) != indices.shape[1]:
        raise errors.InvalidArgumentError(
            "Number of dimensions must match second dimension of indices."
            f"Got {len(sizes)} dimensions, indices shape: {shape_text(indices.shape)}"
        )
    if not len(sizes):
        raise errors.InvalidArgumentError("Shape tensor must not be empty")
    bad = (indices < 0) | (indices >= sizes)
    if bad.any():
        at, dim = np.argwhere(bad)[0].tolist()
        raise errors.InvalidArgumentError(
            f"Invalid index value at {at}: dimension {dim} has value {indices[at, dim]} which is not in"
            f" [0, {sizes[dim]}) (as given by dense shape Tensor<type: int64 shape: [{len(sizes)}] values:"
            f" {' '.join(map(str, sizes.tolist()))}>"
        )
    weighted = _check_weights(weights, values, "values")
    flat = len(sizes) == 1
    row = np.zeros(len(values), np.int64) if flat else indices[:, 0]
    rows = None if flat else int(sizes[0])
    return _count(row, rows, values, weights if weighted else None, minlength, maxlength, binary_output, output_type)


@kernel("RaggedCountSparseOutput")
def ragged_count(
    splits: Any, values: Any, weights: Any, *, minlength: int, maxlength: int, binary_output: bool, output_type: DType
) -> tuple[Array, Array, Array]:
    """The same for the rows of a ragged tensor."""
    if np.ndim(splits) != 1 or len(splits) < 2:
        raise errors.InvalidArgumentError("Must provide at least 2 elements for the splits argument")
    if splits[0] != 0:
        raise errors.InvalidArgumentError(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != np.size(values):
        raise errors.InvalidArgumentError(
            f"Splits must end with the number of values, got {splits[-1]} instead of {np.size(values)}"
        )
    weighted = _check_weights(weights, values, "values")
    row = np.searchsorted(np.maximum.accumulate(splits), np.arange(values.size), "right") - 1
    return _count(
        row,
        len(splits) - 1,
        values,
        weights if weighted else None,
        minlength,
        maxlength,
        binary_output,
        output_type,
    )


@shape("DenseCountSparseOutput")
def dense_count_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    rank = None if known is None else len(known)
    return [(None, rank), (None,), (rank,)]


@shape("SparseCountSparseOutput")
def sparse_count_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    rank = None if known is None or len(known) != 2 or known[1] is None else min(known[1], 2)
    return [(None, rank), (None,), (rank,)]


@shape("RaggedCountSparseOutput")
def ragged_count_shape(c: ShapeContext) -> list[Dims]:
    return [(None, 2), (None,), (2,)]
