"""Ragged tensors: ranges, rows picked by indices, and conversions to sparse and dense tensors.

Source: tensorflow/core/kernels/ragged_range_op.cc, ragged_gather_op.cc, ragged_tensor_to_sparse_kernel.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank_at_least, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.math.row_partition import check_nested_splits, positions, splits_of

Function = Callable[..., Any]


def _range_sizes(starts: Any, limits: Any, deltas: Any, most: int) -> Any:
    """Return the length of each range, 0 where a step leads away from the limit.

    Raises: InvalidArgumentError for a zero step or a length above `most`.
    """
    if np.any(deltas == 0):
        raise errors.InvalidArgumentError("Requires delta != 0")
    empty = np.where(deltas > 0, starts >= limits, starts <= limits)
    if starts.dtype.kind in "iu":
        # In uint64 differences and sizes of int64 fit.
        wide = [v.astype(np.int64).view(np.uint64) for v in (starts, limits, deltas)]
        up = deltas > 0
        distance = np.where(up, wide[1] - wide[0], wide[0] - wide[1])
        step = np.where(up, wide[2], np.uint64(0) - wide[2])
        sizes = np.where(empty, np.uint64(0), (distance - np.uint64(1)) // step + np.uint64(1))
        if np.any(sizes > most):
            raise errors.InvalidArgumentError(f"Requires ((limit - start) / delta) <= {most}")
        return sizes.astype(np.int64)
    steps = np.ceil(np.abs((limits - starts) / deltas)).astype(np.float64)
    if not np.all(empty | (steps <= most)):
        raise errors.InvalidArgumentError(f"Requires ((limit - start) / delta) <= {most}")
    return np.where(empty, 0, steps).astype(np.int64)


@kernel("RaggedRange", factory=True)
def ragged_range(*, T: DType, Tsplits: DType) -> Function:
    """Return (splits, values) of the ranges start, start + delta, ... below limit; scalars serve all ranges."""
    to = T.numpy
    compute = np.dtype(np.float32) if to.itemsize == 2 else to
    most = int(Tsplits.max)

    def ranges(starts: Any, limits: Any, deltas: Any) -> tuple[Any, Any]:
        names = ("starts", "limits", "deltas")
        for name, v in zip(names, (starts, limits, deltas)):
            if np.ndim(v) > 1:
                raise errors.InvalidArgumentError(f"{name} must be a scalar or vector")
        counts = {len(v) for v in (starts, limits, deltas) if np.ndim(v)}
        if len(counts) > 1:
            raise errors.InvalidArgumentError("starts, limits, and deltas must have the same shape")
        rows = next(iter(counts), 1)
        first, last, step = (np.broadcast_to(v, (rows,)) for v in (starts, limits, deltas))
        sizes = _range_sizes(first, last, step, most)
        total = sum(sizes.tolist())
        if total > most:
            raise errors.InvalidArgumentError(
                "The total range size overflowed. Consider using int64 instead of int32 for row_splits_dtype."
            )
        check_shape((total,), to)
        number = positions(np.zeros(rows, np.int64), sizes).astype(compute)
        values = np.repeat(first.astype(compute), sizes) + number * np.repeat(step.astype(compute), sizes)
        return splits_of(sizes, Tsplits.numpy), values.astype(to, copy=False)

    return ranges


@shape("RaggedRange")
def ragged_range_shape(c: ShapeContext) -> list[Any]:
    rows: int | None = None
    for i in range(3):
        s = with_rank_at_most(c.shape(i), 1)
        if s and s[0] is not None:
            if rows not in (None, s[0]):
                raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {s[0]} and {rows}")
            rows = s[0]
    if all(c.shape(i) == () for i in range(3)):
        rows = 1
    return [(None if rows is None else rows + 1,), (None,)]


@kernel("RaggedGather", factory=True)
def ragged_gather(*, PARAMS_RAGGED_RANK: int, OUTPUT_RAGGED_RANK: int) -> Function:
    """Return ((splits, ...), values) of the rows of a ragged tensor that `indices` lists, in the shape of `indices`."""

    def gather(nested: tuple[Any, ...], values: Any, indices: Any) -> tuple[Any, ...]:
        if np.ndim(values) == 0:
            raise errors.InvalidArgumentError("params.rank must be nonzero")
        if np.ndim(indices) + PARAMS_RAGGED_RANK - 1 != OUTPUT_RAGGED_RANK:
            raise errors.InvalidArgumentError(
                f"OUTPUT_RAGGED_RANK must be indices.rank + PARAMS_RAGGED_RANK - 1, got {OUTPUT_RAGGED_RANK}, "
                f"{np.ndim(indices)} and {PARAMS_RAGGED_RANK}"
            )
        nested = tuple(map(np.ravel, nested))
        _check_gathered(nested, values, indices)
        dtype = nested[0].dtype
        out = []
        for axis in range(1, np.ndim(indices)):
            count = int(np.prod(np.shape(indices)[:axis]))
            size = np.shape(indices)[axis]
            out.append(np.arange(count + 1, dtype=dtype) * dtype.type(size))
        picked = np.ravel(indices).astype(np.int64)
        for level, splits in enumerate(nested):
            lengths = splits[picked + 1] - splits[picked]
            if level > 0 or np.ndim(indices):
                out.append(splits_of(lengths, dtype))
            picked = positions(splits[picked], lengths)
        return (*out, values[picked])

    return gather


def _check_gathered(nested: tuple[Any, ...], values: Any, indices: Any) -> None:
    rows = nested[0].size - 1
    flat = np.ravel(indices)
    bad = np.flatnonzero((flat < 0) | (flat >= rows))
    if bad.size:
        at = ",".join(map(str, np.unravel_index(bad[0], np.shape(indices)))) if np.ndim(indices) else ""
        where = f"indices[{at}]" if at else "indices"
        raise errors.InvalidArgumentError(f"{where} = {flat[bad[0]]} is not in [0, {rows})")
    for level, splits in enumerate(nested):
        inner = nested[level + 1].size - 1 if level + 1 < len(nested) else len(values)
        if splits.size and splits[0] < 0:
            raise errors.InvalidArgumentError("Ragged splits must be non-negative")
        if np.any(splits[1:] < splits[:-1]):
            raise errors.InvalidArgumentError("Ragged splits must be sorted")
        if splits.size and splits[-1] > inner:
            raise errors.InvalidArgumentError("Ragged splits must not point past values")


@shape("RaggedGather")
def ragged_gather_shape(c: ShapeContext) -> list[Any]:
    ranks = c.attr("PARAMS_RAGGED_RANK"), c.attr("OUTPUT_RAGGED_RANK")
    values, indices = c.shape(ranks[0]), c.shape(ranks[0] + 1)
    if indices is not None and len(indices) + ranks[0] - 1 != ranks[1]:
        raise errors.InvalidArgumentError(f"Shape must be rank {ranks[1] - ranks[0] + 1} but is rank {len(indices)}")
    values = with_rank_at_least(values, 1)
    return [*[(None,)] * ranks[1], None if values is None else (None, *values[1:])]


@kernel("RaggedTensorToSparse")
def ragged_tensor_to_sparse(nested: tuple[Any, ...], values: Any) -> tuple[Any, Any, Any]:
    """Return (indices, values, dense shape) of a ragged tensor, its inner axes spread out too.

    Raises: InvalidArgumentError for splits that make no ragged tensor.
    """
    splits = [np.ravel(s) for s in nested]
    check_nested_splits(splits, np.shape(values)[0] if np.ndim(values) else -1)
    columns: list[Any] = [np.arange(splits[0].size - 1)]
    sizes = [splits[0].size - 1]
    for level in splits:
        lengths = np.diff(level)
        columns = [np.repeat(column, lengths) for column in columns]
        columns.append(positions(np.zeros(len(lengths), np.int64), lengths))
        sizes.append(int(lengths.max(initial=0)))
    inner = np.shape(values)[1:]
    each = int(np.prod(inner))
    table = np.empty((int(np.size(values)), len(columns) + len(inner)), np.int64)
    for i, column in enumerate(columns):
        table[:, i] = np.repeat(column, each)
    if inner:
        place = np.indices(inner).reshape(len(inner), each).T
        table[:, len(columns) :] = np.tile(place, (len(values), 1))
    return table, np.array(values).reshape(-1), np.array([*sizes, *inner], np.int64)


@shape("RaggedTensorToSparse")
def ragged_tensor_to_sparse_shape(c: ShapeContext) -> list[Any]:
    levels = len(c.group("rt_nested_splits"))
    values = with_rank_at_least(c.shape(levels), 1)
    if values is None:
        return [(None, None), (None,), (None,)]
    count: int | None = 1
    for n in values:
        count = None if count is None or n is None else count * n
    rank = levels + len(values)
    return [(count, rank), (count,), (rank,)]
