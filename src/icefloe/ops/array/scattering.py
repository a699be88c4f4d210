"""Values put, added or compared at positions given by index vectors: ScatterNd, TensorScatter*, Inplace*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unchanged, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.indices import flat_rows
from icefloe.ops.array.values import Array, sizes_of, zeros
from icefloe.shapes import Dims, shape_text


def scatter(target: Array, indices: Array, updates: Array, combine: Callable[..., None], ignore_bad: bool) -> None:
    """Combine `updates` into `target`, in place, at the positions that the vectors of `indices` name.

    combine: takes the target as rows, the row numbers and the updates as rows.
    ignore_bad: leave out updates that point nowhere.

    Raises: InvalidArgumentError naming the first index vector that points nowhere, unless `ignore_bad`.
    """
    depth = indices.shape[-1]
    inner = target.shape[depth:]
    vectors = indices.reshape(math.prod(indices.shape[:-1]), depth)
    rows, bad = flat_rows(vectors, target.shape[:depth])
    values = updates.reshape(len(vectors), *inner)
    if bad is not None:
        if not ignore_bad:
            first = int(np.argmax(bad))
            at = np.unravel_index(first, indices.shape[:-1]) if indices.ndim > 1 else (0,)
            where = ",".join(str(int(i)) for i in at)
            raise errors.InvalidArgumentError(
                f"indices[{where}] = [{', '.join(map(str, vectors[first].tolist()))}] does not index into shape"
                f" {shape_text(target.shape)}"
            )
        rows, values = rows[~bad], values[~bad]
    combine(target.reshape(math.prod(target.shape[:depth]), *inner), rows, values)


def put(table: Array, rows: Array, values: Array) -> None:
    """Set rows; of several updates of one row the last counts."""
    table[rows] = values


def add(table: Array, rows: Array, values: Array) -> None:
    """Add to rows, repeated rows repeatedly; bools are or-ed, strings appended."""
    if table.dtype == object:
        for row, value in zip(rows.tolist(), values):
            table[row] = table[row] + value
    elif table.dtype == bool:
        np.logical_or.at(table, rows, values)
    else:
        np.add.at(table, rows, values)


def subtract(table: Array, rows: Array, values: Array) -> None:
    np.subtract.at(table, rows, values)


def least(table: Array, rows: Array, values: Array) -> None:
    np.minimum.at(table, rows, values)


def greatest(table: Array, rows: Array, values: Array) -> None:
    np.maximum.at(table, rows, values)


def _check_ranks(indices: Array, updates: Array) -> None:
    for name, a in (("Indices", indices), ("Updates", updates)):
        if not a.ndim:
            raise errors.InvalidArgumentError(f"{name} shape must have rank at least one. Found:{shape_text(a.shape)}")


def _check_batch(indices: Array, updates: Array) -> None:
    """Refuse a single index vector: TensorFlow then wants as many updates as it has numbers, which fit nowhere."""
    if indices.ndim == 1 and (len(indices) or len(updates)):
        raise errors.InvalidArgumentError(
            f"Dimensions [0,1) of indices[shape={shape_text(indices.shape)}] = {len(indices)} must match dimensions"
            f" [0,1) of updates[shape={shape_text(updates.shape)}] = {len(updates)}; give the indices as a matrix"
        )


@kernel("ScatterNd")
def scatter_nd(indices: Any, updates: Any, sizes: Any, *, bad_indices_policy: str) -> Array:
    """Zeros of shape `sizes` to which `updates` are added.

    updates: shape `indices.shape[:-1] + sizes[indices.shape[-1]:]`.
    """
    indices, updates = np.asarray(indices), np.asarray(updates)
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError("Shape must be a vector")
    _check_ranks(indices, updates)
    shape = check_shape(sizes_of(sizes), updates.dtype)
    if not math.prod(shape) and indices.size and updates.size:
        raise errors.InvalidArgumentError(
            f"Indices and updates specified for empty output.  indices shape: {shape_text(indices.shape)}"
        )
    _check_scatter_shapes(indices.shape, updates.shape, shape)
    _check_batch(indices, updates)
    result = zeros(shape, updates.dtype)
    scatter(result, indices, updates, add, bad_indices_policy == "IGNORE")
    return result


def _check_scatter_shapes(indices: tuple[int, ...], updates: tuple[int, ...], target: tuple[int, ...]) -> None:
    outer = len(indices) - 1
    if outer > len(updates) or updates[:outer] != indices[:-1]:
        raise errors.InvalidArgumentError(
            f"Dimensions [0,{outer}) of indices[shape={shape_text(indices)}] must match dimensions [0,{outer}) of"
            f" updates[shape={shape_text(updates)}]"
        )
    depth = indices[-1]
    if updates[outer:] != target[depth:] or depth > len(target):
        raise errors.InvalidArgumentError(
            f"Dimensions [{depth},{len(target)}) of input[shape={shape_text(target)}] must match dimensions"
            f" [{outer},{len(updates)}) of updates[shape={shape_text(updates)}]"
        )


def _scatter_into(target: Any, indices: Any, updates: Any, combine: Callable[..., None], policy: str) -> Array:
    target, indices, updates = np.asarray(target), np.asarray(indices), np.asarray(updates)
    _check_ranks(indices, updates)
    outer, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:outer] != indices.shape[:-1]:
        raise errors.InvalidArgumentError(
            f"Outer dimensions of indices and update must match. Indices shape: {shape_text(indices.shape)}, updates"
            f" shape:{shape_text(updates.shape)}"
        )
    if depth > target.ndim or updates.shape[outer:] != target.shape[depth:]:
        raise errors.InvalidArgumentError(
            "Inner dimensions of output shape must match inner dimensions of updates shape. Output:"
            f" {shape_text(target.shape)} updates: {shape_text(updates.shape)}"
        )
    if not target.size and updates.size:
        raise errors.InvalidArgumentError(
            f"Indices and updates specified for empty output. indices shape: {shape_text(indices.shape)}"
        )
    _check_batch(indices, updates)
    result = target.copy()
    scatter(result, indices, updates, combine, policy == "IGNORE")
    return result


@kernel("TensorScatterUpdate")
def tensor_scatter_update(target: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Array:
    """A copy of `target` with `updates` where the vectors of `indices` point."""
    return _scatter_into(target, indices, updates, put, bad_indices_policy)


@kernel("TensorScatterAdd", "ScatterNdNonAliasingAdd")
def tensor_scatter_add(target: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Array:
    return _scatter_into(target, indices, updates, add, bad_indices_policy)


@kernel("TensorScatterSub")
def tensor_scatter_sub(target: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Array:
    return _scatter_into(target, indices, updates, subtract, bad_indices_policy)


@kernel("TensorScatterMin")
def tensor_scatter_min(target: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Array:
    return _scatter_into(target, indices, updates, least, bad_indices_policy)


@kernel("TensorScatterMax")
def tensor_scatter_max(target: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Array:
    return _scatter_into(target, indices, updates, greatest, bad_indices_policy)


def _scattered_shape(indices: Dims, updates: Dims, target: Dims) -> Dims:
    if indices is None or updates is None or target is None or indices[-1] is None:
        return target
    outer, depth = len(indices) - 1, indices[-1]
    if depth > len(target):
        return target  # TensorFlow finds out when the op runs
    if outer > len(updates):
        raise errors.InvalidArgumentError(
            f"Dimensions [0,{outer}) of indices[shape={shape_text(indices)}] must match dimensions [0,{outer}) of"
            f" updates[shape={shape_text(updates)}]"
        )
    _match(
        indices[:-1], updates[:outer], f"[0,{outer}) of indices[shape={shape_text(indices)}]", f"[0,{outer})", updates
    )
    _match(
        target[depth:],
        updates[outer:],
        f"[{depth},{len(target)}) of input[shape={shape_text(target)}]",
        f"[{outer},{len(updates)})",
        updates,
    )
    return target


def _match(first: Any, second: Any, what: str, part: str, updates: Any) -> None:
    """Do nothing if these sizes agree. Raises: InvalidArgumentError that says of what dimensions they are."""
    try:
        merge(first, second)
    except errors.InvalidArgumentError as error:
        raise errors.InvalidArgumentError(
            f"Dimensions {what} = {shape_text(first)} must match dimensions {part} of "
            f"updates[shape={shape_text(updates)}] = {shape_text(second)}: {error.message}"
        ) from None


@shape("ScatterNd")
def scatter_nd_shape(c: ShapeContext) -> list[Dims]:
    indices, updates = with_rank_at_least(c.shape(0), 1), with_rank_at_least(c.shape(1), 1)
    return [_scattered_shape(indices, updates, c.shape_value(2))]


@shape(
    "TensorScatterUpdate",
    "TensorScatterAdd",
    "TensorScatterSub",
    "TensorScatterMin",
    "TensorScatterMax",
    "ScatterNdNonAliasingAdd",
)
def tensor_scatter_shape(c: ShapeContext) -> list[Dims]:
    indices, updates = with_rank_at_least(c.shape(1), 1), with_rank_at_least(c.shape(2), 1)
    return [_scattered_shape(indices, updates, c.shape(0))]


def _inplace(x: Any, i: Any, v: Any, combine: Callable[..., None]) -> Array:
    """A copy of `x` whose rows `i` (taken modulo the number of rows) are combined with the rows of `v`."""
    if x.ndim != v.ndim:
        raise errors.InvalidArgumentError(
            f"x and v shape doesn't match (ranks differ): {shape_text(x.shape)} vs. {shape_text(v.shape)}"
        )
    if np.ndim(i) != 1:
        raise errors.InvalidArgumentError(f"i must be a vector. {shape_text(np.shape(i))}")
    if v.ndim < 1 or v.shape[0] != i.size:
        raise errors.InvalidArgumentError(
            f"i and x shape doesn't match at index 0: {shape_text(np.shape(i))} vs. {shape_text(v.shape)}"
        )
    for d in range(1, x.ndim):
        if x.shape[d] != v.shape[d]:
            raise errors.InvalidArgumentError(
                f"x and v shape doesn't match at index {d} : {shape_text(x.shape)} vs. {shape_text(v.shape)}"
            )
    result = x.copy()
    if i.size and x.shape[0]:
        combine(result, i % x.shape[0], v)
    return result


@kernel("InplaceUpdate")
def inplace_update(x: Any, i: Any, v: Any) -> Array:
    """`x` with rows `i` replaced: a copy, where TensorFlow may write into the input's memory."""
    return _inplace(x, i, v, put)


def _check_number(x: Any) -> None:
    if x.dtype == bool:
        raise errors.InvalidArgumentError("Unsupported data type: bool")


@kernel("InplaceAdd")
def inplace_add(x: Any, i: Any, v: Any) -> Array:
    _check_number(x)
    return _inplace(x, i, v, add)


@kernel("InplaceSub")
def inplace_sub(x: Any, i: Any, v: Any) -> Array:
    _check_number(x)
    return _inplace(x, i, v, subtract)


shape("InplaceUpdate", "InplaceAdd", "InplaceSub")(unchanged)
