"""Counts of values: bincounts of dense, sparse and ragged tensors, and histograms of fixed bins.

Source: tensorflow/core/kernels/bincount_op.cc, histogram_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.math.axes import constant_size

_NEGATIVE = "size ({}) must be non-negative"


def _size(size: Any) -> int:
    if np.ndim(size):
        raise errors.InvalidArgumentError(f"Shape must be rank 0 but is rank {np.ndim(size)}")
    if size < 0:
        raise errors.InvalidArgumentError(f"size ({int(size)}) must be non-negative")
    return int(size)


def _count_rows(rows: Any, values: Any, weights: Any, shape_of: tuple[int, int], to: np.dtype, binary: bool) -> Any:
    """Return how often (or with which total weight) each value in [0, size) occurs in each row; others are dropped.

    rows: which row each value belongs to. weights: one for each value, or empty. shape_of: (number of rows, size).
    """
    count, size = check_shape(shape_of, to)
    values = values.astype(np.int64)
    kept = (values >= 0) & (values < size)
    cells = (rows * size + values)[kept]
    if binary or not weights.size:
        counts = np.bincount(cells, minlength=count * size)
        return (counts > 0 if binary else counts).astype(to).reshape(count, size)
    if weights.shape != values.shape:
        raise errors.InvalidArgumentError(
            f"`weights` must have one value for each of `values`, or none: got {weights.size}, expected {values.size}"
        )
    if to.kind in "iu":  # exact beyond 2**53, and wrapping around
        out = np.zeros(count * size, to)
        np.add.at(out, cells, weights[kept])
        return out.reshape(count, size)
    return np.bincount(cells, weights[kept], count * size).astype(to).reshape(count, size)


@kernel("Bincount")
def bincount(values: Any, size: Any, weights: Any) -> Any:
    """Return the counts, or total weights, of 0 .. size - 1; values from size on are dropped.

    Raises: InvalidArgumentError for a negative value or size.
    """
    bins = _size(size)
    if np.any(values < 0):
        raise errors.InvalidArgumentError("Input arr must be non-negative!")
    if weights.size and weights.size != values.size:
        raise errors.InvalidArgumentError("Input indices and weights must have the same size.")
    return _count_rows(0, np.ravel(values), np.ravel(weights), (1, bins), weights.dtype, False)[0]


@shape("Bincount")
def bincount_shape(c: ShapeContext) -> list[Any]:
    return [(constant_size(c, 1, _NEGATIVE),)]


@kernel("DenseBincount")
def dense_bincount(values: Any, size: Any, weights: Any, *, binary_output: bool) -> Any:
    """Return the counts of a vector, or of each row of a matrix; with `binary_output` only whether a value occurs."""
    bins = _size(size)
    if np.ndim(values) > 2:
        raise errors.InvalidArgumentError(f"Shape must be at most rank 2 but is rank {np.ndim(values)}")
    if not (np.shape(weights) == np.shape(values) or np.size(weights) == 0):
        raise errors.InvalidArgumentError(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
            f"equal to 1. Received {shape_text(np.shape(weights))}"
        )
    if np.any(values < 0):
        if np.ndim(values) < 2:
            raise errors.InvalidArgumentError("Input arr must be non-negative!")
        first = values[values < 0][0]
        raise errors.InvalidArgumentError(f"Input 'in' must be non-negative! Negative input value found: {int(first)}")
    flat, weight = np.ravel(values), np.ravel(weights)
    if np.ndim(values) < 2:
        return _count_rows(0, flat, weight, (1, bins), weights.dtype, binary_output)[0]
    rows = np.repeat(np.arange(values.shape[0]), values.shape[1])
    return _count_rows(rows, flat, weight, (values.shape[0], bins), weights.dtype, binary_output)


@shape("DenseBincount")
def dense_bincount_shape(c: ShapeContext) -> list[Any]:
    values = with_rank_at_most(c.shape(0), 2)
    bins = constant_size(c, 1, _NEGATIVE)
    if values is None:
        return [None]
    return [(values[0], bins) if len(values) == 2 else (bins,)]


@kernel("SparseBincount")
def sparse_bincount(
    indices: Any, values: Any, dense_shape: Any, size: Any, weights: Any, *, binary_output: bool
) -> Any:
    """Return the counts of a sparse vector's values, or of each row of a sparse matrix."""
    bins = _size(size)
    if np.ndim(indices) != 2 or np.ndim(values) != 1 or np.ndim(dense_shape) != 1:
        raise errors.InvalidArgumentError("expected a matrix of indices, a vector of values and a vector of sizes")
    if len(indices) != len(values):
        raise errors.InvalidArgumentError(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match"
        )
    if indices.shape[1] != len(dense_shape):
        raise errors.InvalidArgumentError(
            f"Index rank ({indices.shape[1]}) and shape rank ({len(dense_shape)}) do not match"
        )
    outside = np.flatnonzero(((indices < 0) | (indices >= dense_shape)).any(axis=1))
    if outside.size:
        at = int(outside[0])
        raise errors.InvalidArgumentError(
            f"Sparse index tuple indices[{at}, :] = {indices[at].tolist()} is out of bounds"
        )
    if len(dense_shape) == 1:
        if np.any(values < 0):
            raise errors.InvalidArgumentError("Input must be non-negative")
        return _count_rows(0, values, weights, (1, bins), weights.dtype, binary_output)[0]
    rows = check_shape((int(dense_shape[0]), bins), weights.dtype)
    return _count_rows(indices[:, 0], values, weights, (rows[0], bins), weights.dtype, binary_output)


@shape("SparseBincount")
def sparse_bincount_shape(c: ShapeContext) -> list[Any]:
    indices, dense_rank = c.shape(0), c.shape(2)
    c.constant(3)  # which the message then names
    with_rank(c.shape(3), 0)
    if indices and dense_rank and len(indices) == 2 and None not in (indices[1], dense_rank[0]):
        if indices[1] != dense_rank[0]:
            raise errors.InvalidArgumentError("Input must be less than rank 2")
    bins, dense = constant_size(c, 3, _NEGATIVE), c.shape_value(2)
    if dense is None:
        return [None]
    return [(bins,) if len(dense) == 1 else (dense[0], bins)]


@kernel("RaggedBincount")
def ragged_bincount(splits: Any, values: Any, size: Any, weights: Any, *, binary_output: bool) -> Any:
    """Return the counts of each row of a ragged matrix: row i is values[splits[i]:splits[i + 1]]."""
    bins = _size(size)
    ends = np.ravel(splits)
    if ends.size == 0:
        raise errors.InvalidArgumentError("Splits must be non-empty")
    if ends[0] != 0:
        raise errors.InvalidArgumentError(f"Splits must start with 0, not with {ends[0]}")
    values, weights = np.ravel(values), np.ravel(weights)
    if ends[-1] != len(values):
        raise errors.InvalidArgumentError(
            f"Splits must end with the number of values, got {ends[-1]} instead of {len(values)}"
        )
    if np.any(values < 0):
        raise errors.InvalidArgumentError("Input must be non-negative")
    rows = np.searchsorted(np.maximum.accumulate(ends), np.arange(len(values)), side="right") - 1
    return _count_rows(rows, values, weights, (len(ends) - 1, bins), weights.dtype, binary_output)


@shape("RaggedBincount")
def ragged_bincount_shape(c: ShapeContext) -> list[Any]:
    splits, size = with_rank(c.shape(0), 1), c.constant(2)
    rows = None if splits[0] is None else max(splits[0] - 1, 0)
    if size is None or np.ndim(size) or size < 0:
        return [(rows, None)]
    return [(rows, int(size))]


@kernel("HistogramFixedWidth")
def histogram_fixed_width(values: Any, value_range: Any, nbins: Any, *, dtype: DType) -> Any:
    """Return the counts of equal bins over [low, high); values outside go to the first and last bin.

    Raises: InvalidArgumentError for NaN, an empty range or no bins.
    """
    if np.ndim(value_range) != 1:
        raise errors.InvalidArgumentError("value_range should be a vector.")
    if len(value_range) != 2:
        raise errors.InvalidArgumentError("value_range should be a vector of 2 elements.")
    if np.ndim(nbins):
        raise errors.InvalidArgumentError("nbins should be a scalar.")
    low, high = value_range[0], value_range[1]
    if not low < high:
        raise errors.InvalidArgumentError(
            f"value_range should satisfy value_range[0] < value_range[1], but got '[{low:g}, {high:g}]'"
        )
    if nbins <= 0:
        raise errors.InvalidArgumentError(f"nbins should be a positive number, but got '{int(nbins)}'")
    flat = np.ravel(values)
    if flat.dtype.kind == "f" and np.isnan(flat).any():
        raise errors.InvalidArgumentError("Histogram values must not contain NaN")
    (bins,) = check_shape((int(nbins),), dtype.numpy)
    step = (float(high) - float(low)) / bins
    index = np.minimum((np.maximum(flat, low).astype(np.float64) - float(low)) / step, bins - 1)
    return np.bincount(index.astype(np.int64), minlength=bins).astype(dtype.numpy)


@shape("HistogramFixedWidth")
def histogram_fixed_width_shape(c: ShapeContext) -> list[Any]:
    (two,) = with_rank(c.shape(1), 1)
    if two not in (None, 2):
        raise errors.InvalidArgumentError(f"Dimension must be 2 but is {two}")
    with_rank(c.shape(2), 0)
    nbins = c.constant(2)
    if nbins is not None and nbins <= 0:
        raise errors.InvalidArgumentError(f"Requires nbins > 0: {int(nbins)}")
    return [(None if nbins is None else int(nbins),)]
