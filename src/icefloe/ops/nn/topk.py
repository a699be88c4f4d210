"""The greatest elements along an axis: TopK, ApproxTopK, InTopK.

Of equal elements the one with the lower index comes first; NaN comes last. The approximate form is exact here, as
TensorFlow's is on a CPU. Source: tensorflow/core/kernels/topk_op.cc, in_topk_op.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, merge, shape_text, with_rank, with_rank_at_least
from icefloe.ops.nn.topk_heap import heap_order

_SELECT_FROM = 64  # rows at least this long are searched for their few greatest, not sorted


def _order(rows: Any) -> Any:
    """Return the indices that sort each row, greatest first, equal ones by index, NaN last. rows: [n, m]."""
    if rows.dtype.kind not in "iu":
        return np.argsort(-rows, axis=1, kind="stable")
    # Integers cannot be negated; so the reversed rows are sorted upwards and read from the end.
    return (rows.shape[1] - 1 - np.argsort(rows[:, ::-1], axis=1, kind="stable"))[:, ::-1]


def _selected(rows: Any, k: int) -> Any:
    """Return the indices of the `k` greatest elements of each row, greatest first. rows: without NaN."""
    size = rows.shape[1]
    bound = np.partition(rows, size - k, axis=1)[:, size - k, None]
    kept = rows >= bound
    if np.count_nonzero(kept) > k * len(rows):  # of the elements that equal the bound only the first ones are kept
        level = rows == bound
        wanted = k - np.count_nonzero(rows > bound, axis=1)
        kept &= ~level | (np.cumsum(level, axis=1) <= wanted[:, None])
    index = np.nonzero(kept)[1].reshape(len(rows), k)
    return np.take_along_axis(index, _order(np.take_along_axis(rows, index, axis=1)), axis=1)


def top_k(x: Any, k: int) -> tuple[Any, Any]:
    """Return (values, indices) of the `k` greatest elements along the last axis, greatest first.

    x: real [..., m], m at least k. The indices are int64.
    """
    flat = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if k == 0 or not flat.size:
        empty = (*x.shape[:-1], k)
        return np.empty(empty, x.dtype), np.empty(empty, np.int64)
    keys = flat.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else flat
    if x.shape[-1] >= _SELECT_FROM and k <= x.shape[-1] // 4 and not (keys.dtype.kind == "f" and np.isnan(keys).any()):
        index = _selected(keys, k)
    else:
        index = _order(keys)[:, :k]
    values = np.take_along_axis(flat, index, axis=1)
    return values.reshape(*x.shape[:-1], k), index.reshape(*x.shape[:-1], k)


def _checked_top_k(x: Any, k: int, index_type: np.dtype[Any]) -> tuple[Any, Any]:
    if k < 0:
        raise errors.InvalidArgumentError(f"Need k >= 0, got {k}")
    if np.ndim(x) < 1:
        raise errors.InvalidArgumentError(f"input must be >= 1-D, got shape {shape_text(np.shape(x))}")
    if x.shape[-1] < k:
        raise errors.InvalidArgumentError(f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
    values, index = top_k(x, k)
    return values, index.astype(index_type, copy=False)


def _unsorted(x: Any, k: int, index_type: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the same elements in the order of TensorFlow's heap, where it keeps one: for 1 < k < columns."""
    values, index = _checked_top_k(x, k, index_type)
    if k < 2 or k == x.shape[-1] or not index.size or (x.dtype.kind == "f" and np.isnan(x).any()):
        return values, index
    flat = x.reshape(-1, x.shape[-1])
    made = np.array([heap_order(row, k) for row in flat], index_type)
    values = np.take_along_axis(flat, made.astype(np.int64), axis=1)
    return values.reshape(index.shape), made.reshape(index.shape)


@kernel("TopKV2")
def top_k_v2(x: Any, k: Any, *, sorted: bool, index_type: DType) -> tuple[Any, Any]:
    """Return the `k` greatest elements along the last axis and their indices, the greatest first where `sorted`."""
    if np.ndim(k) != 0:
        raise errors.InvalidArgumentError(f"k must be scalar, got shape {shape_text(np.shape(k))}")
    return (_checked_top_k if sorted else _unsorted)(x, int(k), index_type.numpy)


@kernel("TopK")
def top_k_v1(x: Any, *, k: int, sorted: bool) -> tuple[Any, Any]:
    """Return the `k` greatest elements along the last axis and their indices, the greatest first where `sorted`."""
    return (_checked_top_k if sorted else _unsorted)(x, k, np.dtype(np.int32))


def approximate_size(size: int, rank: int, k: int, recall: float, override: int) -> int:
    """Return how many elements the approximate search keeps where they are not brought down to `k`.

    Source: xla/client/lib/approx_topk_shape.cc: windows as large as the wanted recall allows, in tiles of the TPU.
    """
    tile = 1024 if rank == 1 else 128
    if size <= tile:
        return size
    if 0 <= override < size:
        raise errors.InvalidArgumentError(
            f"reduction_input_size_override: {override} should be greater equals to operands[reduction_dim]: {size}"
        )
    if k == 1:
        return tile
    wanted = int((1.0 - k) / math.log(recall)) if recall < 1.0 else size
    kept = min(max(wanted, tile), size)
    logical = override if override >= 0 else size
    halvings = (logical // kept).bit_length() - 1
    if halvings <= 0:
        return size
    halvings = min(halvings, max(0, (size // tile - 1).bit_length()))
    tiles = -(-size // tile)
    return -(-tiles // (1 << halvings)) * tile


@kernel("ApproxTopK", factory=True)
def approx_top_k(
    *,
    k: int,
    reduction_dimension: int,
    recall_target: float,
    is_max_k: bool,
    reduction_input_size_override: int,
    aggregate_to_topk: bool,
) -> Callable[[Any], tuple[Any, Any]]:
    """Return the `k` greatest (else least) elements along a dimension and their int32 indices."""

    def run(x: Any) -> tuple[Any, Any]:
        axis = _reduced_axis(x.shape, reduction_dimension, k)
        count = k
        if not aggregate_to_topk:
            count = approximate_size(x.shape[axis], x.ndim, k, recall_target, reduction_input_size_override)
        moved = np.ascontiguousarray(np.moveaxis(x, axis, -1))
        values, index = top_k(moved if is_max_k else -moved, min(count, moved.shape[-1]))
        values = values if is_max_k else -values
        out = (np.ascontiguousarray(np.moveaxis(v, -1, axis)) for v in (values, index.astype(np.int32)))
        return next(out), next(out)

    return run


def _reduced_axis(sizes: tuple[int | None, ...], axis: int, k: int) -> int:
    rank = len(sizes)
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            f"Invalid reduction dimension: {axis}. Must be within the range of [{-rank}, {rank - 1}]"
        )
    size = sizes[axis]
    if size is not None and size < k:
        raise errors.InvalidArgumentError(f"input must have last dimension >= k = {k} but was {size}")
    return axis % rank


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Return for each row whether fewer than `k` predictions beat the target's; never where one is not finite."""
    if np.ndim(predictions) != 2:
        raise errors.InvalidArgumentError("predictions must be 2-dimensional")
    if np.ndim(targets) != 1:
        raise errors.InvalidArgumentError("targets must be 1-dimensional")
    rows, classes = predictions.shape
    if rows != len(targets):
        raise errors.InvalidArgumentError(
            f"First dimension of predictions {rows} must match length of targets {len(targets)}"
        )
    inside = (targets >= 0) & (targets < classes)
    if not classes:
        return np.zeros(rows, np.bool_)
    target = predictions[np.arange(rows), np.where(inside, targets, 0)]
    beaten = (predictions > target[:, None]).sum(axis=1)
    return inside & np.isfinite(predictions).all(axis=1) & (beaten < k)


@kernel("InTopK")
def in_top_k_v1(predictions: Any, targets: Any, *, k: int) -> Any:
    """Return for each row whether its target is among the `k` best."""
    return in_top_k(predictions, targets, k)


@kernel("InTopKV2")
def in_top_k_v2(predictions: Any, targets: Any, k: Any) -> Any:
    """Return for each row whether its target is among the `k` best."""
    if np.ndim(k) != 0:
        raise errors.InvalidArgumentError(f"k must be 0-D, got shape {shape_text(np.shape(k))}")
    return in_top_k(predictions, targets, int(k))


def _last_axis(shape: Dims, size: int | None) -> Dims:
    return None if shape is None else (*shape[:-1], size)


@shape("TopKV2", "TopK")
def top_k_shape(c: ShapeContext) -> list[Any]:
    """The input's shape with `k` as its last size, twice."""
    x = with_rank_at_least(c.shape(0), 1)
    if c.op == "TopK":
        k: int | None = c.attr("k")
    else:
        with_rank(c.shape(1), 0)
        known = c.constant(1)
        k = None if known is None else int(known)
    if k is not None and k < 0:
        raise errors.InvalidArgumentError(f"Dimension size, given by scalar input 1, must be non-negative but is {k}")
    if x is not None and x[-1] is not None and k is not None and x[-1] < k:
        raise errors.InvalidArgumentError(f"input must have last dimension >= k = {k} but is {x[-1]}")
    return [_last_axis(x, k)] * 2


@shape("ApproxTopK")
def approx_top_k_shape(c: ShapeContext) -> list[Any]:
    """The input's shape with the number of elements kept along the dimension, twice."""
    x, k = with_rank_at_least(c.shape(0), 1), c.attr("k")
    if x is None:
        return [None, None]
    axis = _reduced_axis(x, c.attr("reduction_dimension"), k)
    size, override = x[axis], c.attr("reduction_input_size_override")
    count: int | None = k
    if not c.attr("aggregate_to_topk"):
        count = None if size is None else approximate_size(size, len(x), k, c.attr("recall_target"), override)
    return [(*x[:axis], count, *x[axis + 1 :])] * 2


@shape("InTopK", "InTopKV2")
def in_top_k_shape(c: ShapeContext) -> list[Any]:
    """A bool for each row."""
    return [merge(with_rank(c.shape(0), 2)[:1], with_rank(c.shape(1), 1))]
