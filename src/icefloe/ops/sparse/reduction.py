"""Sparse tensors reduced along dimensions, and softmax over their rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.ops.sparse.components import row_order, starts_of_groups
from icefloe.shapes import Dims, shape_text


def _check(indices: Any, values: Any, sizes: Any) -> None:
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError(
            f"Input sp_indices should be a matrix but received shape: {shape_text(np.shape(indices))}"
        )
    if np.ndim(values) != 1 or np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError(
            "Inputs sp_values and sp_shape should be vectors but received shapes:"
            f" {shape_text(np.shape(values))} and {shape_text(np.shape(sizes))}"
        )
    if len(indices) != len(values):
        raise errors.InvalidArgumentError(
            "indices and values rows (indexing dimension) must match."
            f" (indices = {len(indices)}, values = {len(values)})"
        )
    if indices.shape[1] != len(sizes):
        raise errors.InvalidArgumentError(f"Index rank ({indices.shape[1]}) and shape rank ({len(sizes)}) do not match")
    if math.prod(sizes.tolist()) > 2**63 - 1:
        raise errors.InvalidArgumentError(
            f"Shape {shape_text(tuple(sizes.tolist()))} would have more than 2**63 - 1 elements"
        )


def _reduced(
    indices: Any, values: Any, sizes: Any, axes: Any, function: np.ufunc, keep_dims: bool
) -> tuple[Array, Array, list[int]]:
    """Return the places, in order, that have elements, their reductions, and the shape of the result."""
    _check(indices, values, sizes)
    rank = len(sizes)
    if np.ndim(axes) > 1:
        raise errors.InvalidArgumentError(
            f"Expected reduction_axes to be a scalar or a vector; got shape: {shape_text(np.shape(axes))}"
        )
    gone = set()
    for axis in np.ravel(axes).tolist():
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
        gone.add(axis % rank)
    kept = [i for i in range(rank) if i not in gone]
    rows = indices[:, kept]
    order = row_order(rows)
    rows = rows[order]
    starts = starts_of_groups(rows)
    totals = values[:0] if not starts.size else function.reduceat(values[order], starts)
    places = rows[starts]
    target = [int(sizes[i]) for i in kept]
    if keep_dims:
        wide = np.zeros((len(places), rank), np.int64)
        wide[:, kept] = places
        places = wide
        target = [1 if i in gone else int(size) for i, size in enumerate(sizes.tolist())]
    return places, totals.astype(values.dtype, copy=False), target


def _dense(places: Array, totals: Array, target: list[int]) -> Array:
    """Return the reduction as a dense tensor, zeros where there were no elements."""
    result = np.zeros(check_shape(target, totals.dtype), totals.dtype)
    if not target:
        if totals.size:
            result[()] = totals[0]
        return result
    # TensorFlow looks at where an element is written alone, not at each of its indices.
    strides = np.cumprod([1, *target[:0:-1]], dtype=np.int64)[::-1]
    with np.errstate(over="ignore"):
        flat = places @ strides
    bad = np.flatnonzero((flat < 0) | (flat >= result.size))
    if bad.size:
        raise errors.InternalError(
            f"Obtained a write index of {flat[bad[0]]} which is outside of bounds of [0, {result.size})"
        )
    result.ravel()[flat] = totals
    return result


@kernel("SparseReduceSum")
def sparse_reduce_sum(indices: Any, values: Any, sizes: Any, axes: Any, *, keep_dims: bool) -> Array:
    """The sum of the elements along `axes`, as a dense tensor."""
    return _dense(*_reduced(indices, values, sizes, axes, np.add, keep_dims))


@kernel("SparseReduceMax")
def sparse_reduce_max(indices: Any, values: Any, sizes: Any, axes: Any, *, keep_dims: bool) -> Array:
    """The largest element along `axes`; 0 where there is none."""
    return _dense(*_reduced(indices, values, sizes, axes, np.maximum, keep_dims))


@kernel("SparseReduceSumSparse")
def sparse_reduce_sum_sparse(
    indices: Any, values: Any, sizes: Any, axes: Any, *, keep_dims: bool
) -> tuple[Array, Array, Array]:
    places, totals, target = _reduced(indices, values, sizes, axes, np.add, keep_dims)
    return places, totals, np.array(target, np.int64)


@kernel("SparseReduceMaxSparse")
def sparse_reduce_max_sparse(
    indices: Any, values: Any, sizes: Any, axes: Any, *, keep_dims: bool
) -> tuple[Array, Array, Array]:
    places, totals, target = _reduced(indices, values, sizes, axes, np.maximum, keep_dims)
    return places, totals, np.array(target, np.int64)


@shape("SparseReduceSum", "SparseReduceMax")
def sparse_reduce_shape(c: ShapeContext) -> list[Dims]:
    sizes, axes = c.shape_value(2), c.constant(3)
    if sizes is None or axes is None:
        return [None]
    rank = len(sizes)
    gone = set()
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            return [None]  # TensorFlow finds out when the op runs
        gone.add(axis % rank)
    if c.attr("keep_dims"):
        return [tuple(1 if i in gone else size for i, size in enumerate(sizes))]
    return [tuple(size for i, size in enumerate(sizes) if i not in gone)]


@shape("SparseReduceSumSparse", "SparseReduceMaxSparse")
def sparse_reduce_sparse_shape(c: ShapeContext) -> list[Dims]:
    return [None, (None,), (None,)]


@kernel("SparseSoftmax")
def sparse_softmax(indices: Any, values: Any, sizes: Any) -> Array:
    """Softmax over the elements that share all but the last coordinate; places without an element count for nothing."""
    _check(indices, values, sizes)
    if len(sizes) < 2:
        raise errors.InvalidArgumentError(
            f"Input should have rank >= 2, but received shape: {' '.join(map(str, sizes.tolist()))}"
        )
    order = row_order(indices)
    ordered = values[order]
    starts = starts_of_groups(indices[order, :-1])
    if not starts.size:
        return ordered
    counts = np.diff(starts, append=len(ordered))
    powers = np.exp(ordered - np.repeat(np.maximum.reduceat(ordered, starts), counts))
    return (powers / np.repeat(np.add.reduceat(powers, starts), counts)).astype(values.dtype, copy=False)


@shape("SparseSoftmax")
def sparse_softmax_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 2)
    with_rank(c.shape(2), 1)
    return [with_rank(c.shape(1), 1)]
