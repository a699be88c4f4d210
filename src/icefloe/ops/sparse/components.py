"""The three parts of a sparse tensor: checked, ordered, merged. Registers nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.shapes import shape_text

_FEW_ROWS = 64  # these are sorted column by column


def check_parts(indices: Any, values: Any, sizes: Any) -> None:
    """Raise InvalidArgumentError unless indices [n, rank], values [n] and sizes [rank] fit together."""
    for name, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", sizes, 1)):
        if np.ndim(part) != rank:
            raise errors.InvalidArgumentError(f"Sparse {name} must be rank {rank} but is rank {np.ndim(part)}")
    if len(indices) != len(values):
        raise errors.InvalidArgumentError(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match"
        )
    if indices.shape[1] != len(sizes):
        raise errors.InvalidArgumentError(f"Index rank ({indices.shape[1]}) and shape rank ({len(sizes)}) do not match")


def check_bounds(indices: Array, sizes: Any) -> None:
    """Raise InvalidArgumentError naming the first of the `indices` that lies outside of a tensor of shape `sizes`."""
    bad = ((indices < 0) | (indices >= np.asarray(sizes))).any(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise errors.InvalidArgumentError(
            f"indices[{first}] = {shape_text(tuple(indices[first].tolist()))} is out of bounds: need 0 <= index <"
            f" {shape_text(tuple(np.asarray(sizes).tolist()))}"
        )


def row_order(indices: Array) -> Array:
    """Return the order that sorts the rows of `indices`, the first column counting most; equal rows stay in order."""
    if not indices.shape[1]:
        return np.arange(len(indices))
    keys = single_keys(indices)
    return np.lexsort(indices.T[::-1]) if keys is None else np.argsort(keys, kind="stable")


def single_keys(indices: Array) -> Array | None:
    """Return a number for each row of `indices` that orders as the row does; None if int64 cannot hold them."""
    if len(indices) < _FEW_ROWS or indices.dtype.kind != "i":
        return None
    low, high = indices.min(axis=0).tolist(), indices.max(axis=0).tolist()
    spans = [b - a + 1 for a, b in zip(low, high)]
    if math.prod(spans) > np.iinfo(np.int64).max or min(low) < -(2**62) or max(high) > 2**62:
        return None
    keys = indices[:, 0].astype(np.int64) - low[0]
    for column, (first, span) in enumerate(zip(low[1:], spans[1:]), 1):
        keys *= span
        keys += indices[:, column] - first
    return keys


def starts_of_groups(indices: Array) -> Array:
    """Return where each run of equal rows in `indices` begins."""
    if not len(indices):
        return np.zeros(0, np.int64)
    if not indices.shape[1]:
        return np.zeros(1, np.int64)
    changes = indices[1:, 0] != indices[:-1, 0]
    for column in range(1, indices.shape[1]):
        changes |= indices[1:, column] != indices[:-1, column]
    return np.concatenate([[0], np.flatnonzero(changes) + 1])


def merged(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return the distinct rows of `a` and `b` in order, and at which of these each row of `a` and of `b` stands."""
    both = np.concatenate([a, b])
    order = row_order(both)
    ordered = both[order]
    starts = starts_of_groups(ordered)
    place = np.empty(len(both), np.int64)
    group = np.zeros(len(both), np.int64)
    group[starts] = 1
    place[order] = np.cumsum(group) - 1
    return ordered[starts], place[: len(a)], place[len(a) :]


def check_ranks(indices: Any, values: Any, sizes: Any) -> None:
    """Raise InvalidArgumentError unless indices is a matrix, values and sizes are vectors."""
    for name, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", sizes, 1)):
        if np.ndim(part) != rank:
            raise errors.InvalidArgumentError(
                f"Input {name} should be a {'matrix' if rank == 2 else 'vector'} but received shape"
                f" {shape_text(np.shape(part))}"
            )


def check_order(indices: Array) -> None:
    """Raise InvalidArgumentError naming the first row of `indices` that is smaller than one before it."""
    order = row_order(indices)
    wrong = order != np.arange(len(order))
    if wrong.any():
        best = indices[0].tolist()
        for i, row in enumerate(indices.tolist()):
            if row < best:
                raise errors.InvalidArgumentError(
                    f"indices[{i}] = {shape_text(tuple(row))} is out of order. Many sparse ops require sorted indices."
                    "\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
                )
            best = row


def rows_of(indices: Any, values: Any, sizes: Any) -> list[tuple[Array, Array, Array]]:
    """Return the sparse tensor of each slice along the first dimension."""
    check_ranks(indices, values, sizes)
    if len(sizes) < 2:
        raise errors.InvalidArgumentError(f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)}")
    if len(indices) != len(values):
        raise errors.InvalidArgumentError(
            f"Number of values must match first dimension of indices. Got {len(values)} values, indices shape:"
            f" {shape_text(indices.shape)}"
        )
    if indices.shape[1] != len(sizes):
        raise errors.InvalidArgumentError(
            f"Number of dimensions must match second dimension of indices. Got {len(sizes)} dimensions, indices shape:"
            f" {shape_text(indices.shape)}"
        )
    count = int(sizes[0])
    if count <= 0:
        raise errors.InvalidArgumentError(f"Must have at least 1 batch, got {count}")
    check_shape((count, 3), np.dtype(object))
    if len(indices):
        check_bounds(indices, sizes)
        check_order(indices)
    starts = np.searchsorted(indices[:, 0], np.arange(count + 1))
    return [(indices[a:b, 1:], values[a:b], sizes[1:]) for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())]


def stacked(tensors: list[tuple[Array, Array, Array]], outer: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Return one sparse tensor of shape `outer` plus the largest size in each dimension, from equally many tensors."""
    rank = len(tensors[0][2])
    for i, (_, _, sizes) in enumerate(tensors):
        if len(sizes) != rank:
            raise errors.InvalidArgumentError(
                f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{i}] was: {rank} but rank of"
                f" SparseTensor[{i}] is: {len(sizes)}"
            )
    total = np.concatenate([np.array(outer, np.int64), np.max([sizes for _, _, sizes in tensors], axis=0)])
    places = np.stack(np.unravel_index(np.arange(len(tensors)), outer), axis=1) if outer else np.zeros((1, 0), np.int64)
    rows = [
        np.concatenate([np.broadcast_to(place, (len(indices), len(outer))), indices], axis=1)
        for place, (indices, _, _) in zip(places, tensors)
    ]
    return np.concatenate(rows).astype(np.int64), np.concatenate([values for _, values, _ in tensors]), total


def sparse_shapes(c: ShapeContext, start: int = 0) -> tuple[int | None, int | None]:
    """Return (n, rank) of the sparse tensor whose parts are the inputs from `start` on, as far as they are known."""
    n, rank = with_rank(c.shape(start), 2)
    (count,) = with_rank(c.shape(start + 1), 1)
    (length,) = with_rank(c.shape(start + 2), 1)
    return (n if n is not None else count), (rank if rank is not None else length)
