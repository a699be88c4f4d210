"""The three parts of a sparse tensor: checked, ordered, merged. Registers nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.array.values import Array
from icefloe.shapes import shape_text


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
    return np.lexsort(indices.T[::-1])


def starts_of_groups(indices: Array) -> Array:
    """Return where each run of equal rows in `indices` begins."""
    if not len(indices):
        return np.zeros(0, np.int64)
    changes = (indices[1:] != indices[:-1]).any(axis=1)
    return np.concatenate([[0], np.flatnonzero(changes) + 1])


def merged(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return the distinct rows of `a` and `b` in order, and at which of these each row of `a` and of `b` stands."""
    both = np.concatenate([a, b])
    order = row_order(both)
    starts = starts_of_groups(both[order])
    place = np.empty(len(both), np.int64)
    group = np.zeros(len(both), np.int64)
    group[starts] = 1
    place[order] = np.cumsum(group) - 1
    return both[order][starts], place[: len(a)], place[len(a) :]


def sparse_shapes(c: ShapeContext, start: int = 0) -> tuple[int | None, int | None]:
    """Return (n, rank) of the sparse tensor whose parts are the inputs from `start` on, as far as they are known."""
    n, rank = with_rank(c.shape(start), 2)
    (count,) = with_rank(c.shape(start + 1), 1)
    (length,) = with_rank(c.shape(start + 2), 1)
    return (n if n is not None else count), (rank if rank is not None else length)
