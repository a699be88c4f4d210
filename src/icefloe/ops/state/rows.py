"""Rows of a variable's array changed in place, as scatter ops and sparse optimizer updates do. Registers nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.shapes import shape_text

Array: TypeAlias = np.ndarray[Any, Any]
# Combines values into rows of a table: (table, row numbers, values or one value for all).
Combine: TypeAlias = Callable[[Array, Array, Any], None]


def put(table: Array, rows: Array, values: Any) -> None:
    """Set rows; of several values for one row the last counts."""
    table[rows] = values


def at(ufunc: np.ufunc) -> Combine:
    """Return what combines by `ufunc`, repeatedly where a row is named repeatedly."""

    def combine(table: Array, rows: Array, values: Any) -> None:
        ufunc.at(table, rows, values)

    return combine


def divide(table: Array, rows: Array, values: Any) -> None:
    """Divide rows, integers towards zero.

    Raises: InvalidArgumentError for an integer division by zero.
    """
    if table.dtype.kind not in "iu":
        np.divide.at(table, rows, values)
        return
    if not np.all(values):
        raise errors.InvalidArgumentError("Integer division by zero")
    values = np.broadcast_to(np.asarray(values, table.dtype), (len(rows), *table.shape[1:]))
    for turn in turns(rows):
        there = rows[turn]
        old, by = table[there], values[turn]
        quotient = old // by
        table[there] = quotient + ((quotient < 0) & (quotient * by != old)).astype(table.dtype)


def turns(rows: Array) -> Iterator[Array]:
    """Yield positions in `rows` so that no row comes twice in one turn, and one row's positions come in their order."""
    if len(rows) < 2:
        yield np.arange(len(rows))
        return
    order = np.argsort(rows, kind="stable")
    in_order = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], in_order[1:] != in_order[:-1])))
    if len(starts) == len(rows):
        yield np.arange(len(rows))
        return
    lengths = np.diff(np.append(starts, len(rows)))
    turn = np.arange(len(rows)) - np.repeat(starts, lengths)
    for n in range(int(lengths.max())):
        yield np.sort(order[turn == n])


def check_rows(indices: Array, limit: int) -> None:
    """Raise InvalidArgumentError naming the first of `indices` that is not in [0, limit)."""
    if not indices.size or (indices.min() >= 0 and indices.max() < limit):
        return
    first = int(np.argmax((indices < 0) | (indices >= limit)))
    where = ",".join(str(int(i)) for i in np.unravel_index(first, indices.shape)) if indices.ndim else "0"
    raise errors.InvalidArgumentError(f"indices[{where}] = {indices.reshape(-1)[first]} is not in [0, {limit})")


def scatter(array: Array, indices: Any, updates: Any, combine: Combine) -> None:
    """Combine `updates` into the rows of `array` that `indices` names.

    updates: shape `indices.shape + array.shape[1:]`, or a scalar for all.

    Raises: InvalidArgumentError if shapes do not fit or an index points nowhere; nothing is written then.
    """
    indices, updates = np.asarray(indices), np.asarray(updates)
    if not array.ndim:
        raise errors.InvalidArgumentError(f"params must be at least 1-D, got shape {shape_text(array.shape)}")
    if updates.ndim and updates.shape != indices.shape + array.shape[1:]:
        raise errors.InvalidArgumentError(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
            f"{shape_text(updates.shape)}, indices.shape {shape_text(indices.shape)}, "
            f"params.shape {shape_text(array.shape)}"
        )
    check_rows(indices, array.shape[0])
    rows = indices.reshape(-1)
    values = updates if not updates.ndim else updates.reshape(len(rows), *array.shape[1:])
    combine(array, rows, values)


def scatter_nd(array: Array, indices: Any, updates: Any, combine: Combine, policy: str) -> None:
    """Combine `updates` into `array` at the positions that the vectors in the last dimension of `indices` name.

    updates: shape `indices.shape[:-1] + array.shape[indices.shape[-1]:]`.
    policy: "IGNORE" leaves out what points nowhere.

    Raises: InvalidArgumentError if shapes do not fit or a vector points nowhere; nothing is written then.
    """
    indices, updates = np.asarray(indices), np.asarray(updates)
    if not indices.ndim:
        raise errors.InvalidArgumentError("Indices shape must have rank at least one. Found:[]")
    outer, depth = indices.ndim - 1, indices.shape[-1]
    for i, size in enumerate(indices.shape[:-1]):
        if updates.ndim < outer or updates.shape[i] != size:
            got = f" = {updates.shape[i]}" if i < updates.ndim else ""
            raise errors.InvalidArgumentError(
                f"Dimensions [0,{outer}) of indices[shape={shape_text(indices.shape)}] = {size} must match dimensions "
                f"[0,{outer}) of updates[shape={shape_text(updates.shape)}]{got}"
            )
    if depth > array.ndim or updates.shape[outer:] != array.shape[depth:]:
        raise errors.InvalidArgumentError(
            f"Dimensions [{depth},{array.ndim}) of input[shape={shape_text(array.shape)}] must match dimensions "
            f"[{depth},{updates.ndim}) of updates[shape={shape_text(updates.shape)}]"
        )
    count = math.prod(indices.shape[:-1])
    vectors = indices.reshape(count, depth)
    sizes = np.array(array.shape[:depth], np.int64)
    bad = ((vectors < 0) | (vectors >= sizes)).any(axis=1)
    values = updates.reshape(count, *array.shape[depth:])
    if bad.any():
        if policy != "IGNORE":
            first = int(np.argmax(bad))
            where = ",".join(str(int(i)) for i in np.unravel_index(first, indices.shape[:-1] or (1,)))
            raise errors.InvalidArgumentError(
                f"indices[{where}] = [{', '.join(map(str, vectors[first].tolist()))}] does not index into shape "
                f"{shape_text(array.shape)}"
            )
        vectors, values = vectors[~bad], values[~bad]
    table = array.reshape(math.prod(array.shape[:depth]), *array.shape[depth:])
    rows = np.zeros(len(vectors), np.int64)
    for column, size in zip(vectors.T, array.shape):
        rows = rows * size + column
    combine(table, rows, values)
