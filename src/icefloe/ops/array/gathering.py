"""Elements and rows picked by index: Gather, GatherV2, GatherNd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, merge, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.indices import check_range, flat_rows
from icefloe.ops.array.values import Array, boxed, unboxed, zeros
from icefloe.shapes import Dims, shape_text


@kernel("Gather")
def gather(params: Any, indices: Any) -> Any:
    """The rows of `params` that `indices` names: shape `indices.shape + params.shape[1:]`."""
    return _gather(boxed(params), np.asarray(indices), 0, 0)


@kernel("GatherV2")
def gather_v2(params: Any, indices: Any, axis: Any, *, batch_dims: int) -> Any:
    """The slices of `params` along `axis` that `indices` names; the first `batch_dims` dimensions of both go together.

    Shape: `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
    """
    if np.ndim(axis):
        raise errors.InvalidArgumentError("axis must be scalar")
    return _gather(boxed(params), np.asarray(indices), int(axis), batch_dims)


def _gather(params: Array, indices: Array, axis: int, batch_dims: int) -> Any:
    if not params.ndim:
        raise errors.InvalidArgumentError("params must be at least 1 dimensional")
    if not -params.ndim <= axis < params.ndim:
        least = -axis if axis < 0 else axis + 1
        raise errors.InvalidArgumentError(f"Shape must be at least rank {least} but is rank {params.ndim}")
    axis %= params.ndim
    batch = _batch_dims(params.shape, indices.shape, axis, batch_dims)
    limit = params.shape[axis]
    check_range(indices, limit)
    shape = (*params.shape[:axis], *indices.shape[batch:], *params.shape[axis + 1 :])
    check_shape(shape, params.dtype)
    if not batch:
        # The indices are in range, so "clip" changes none; "raise" would make numpy buffer the output.
        return unboxed(np.take(params, indices.reshape(-1), axis, mode="clip").reshape(shape))
    groups = math.prod(params.shape[:batch])
    outer = math.prod(params.shape[batch:axis])
    inner = math.prod(params.shape[axis + 1 :])
    table = params.reshape(groups, outer, limit, inner)
    rows = indices.reshape(groups, 1, math.prod(indices.shape[batch:]))
    return table[np.arange(groups)[:, None, None], np.arange(outer)[None, :, None], rows].reshape(shape)


def _batch_dims(params: tuple[Any, ...], indices: tuple[Any, ...], axis: int, batch_dims: int) -> int:
    if not batch_dims:
        return 0
    rank = len(indices)
    if not -rank <= batch_dims <= rank:
        raise errors.InvalidArgumentError(f"Expected batch_dims in the range [{-rank}, {rank}], but got {batch_dims}")
    batch = batch_dims + rank if batch_dims < 0 else batch_dims
    if batch >= len(params):
        raise errors.InvalidArgumentError(f"batch_dims ({batch}) must be less than rank(params) ({len(params)}).")
    if axis < batch:
        raise errors.InvalidArgumentError(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    for i in range(batch):
        if params[i] is not None and indices[i] is not None and params[i] != indices[i]:
            raise errors.InvalidArgumentError(
                f"params.shape[{i}]: {params[i]} should be equal to indices.shape[{i}]: {indices[i]}"
            )
    return batch


@shape("Gather")
def gather_shape(c: ShapeContext) -> list[Dims]:
    params = with_rank_at_least(c.shape(0), 1)
    return [concatenate(c.shape(1), None if params is None else params[1:])]


@shape("GatherV2")
def gather_v2_shape(c: ShapeContext) -> list[Dims]:
    params = with_rank_at_least(c.shape(0), 1)
    indices = c.shape(1)
    if c.shape(2):
        raise errors.InvalidArgumentError(f"Shape must be rank 0 but is rank {len(c.shape(2) or ())}")
    batch_dims = c.attr("batch_dims")
    axis = c.constant(2)
    if batch_dims < 0 and indices is not None:
        batch_dims += len(indices)
    if axis is None:
        if params is None or indices is None or batch_dims < 0:
            return [None]
        return [(None,) * (len(params) - 1 + len(indices) - batch_dims)]
    at = int(axis)
    least = max(-at if at < 0 else at + 1, batch_dims)
    if params is None:
        return [None]
    if len(params) < least:
        raise errors.InvalidArgumentError(f"Shape must be at least rank {least} but is rank {len(params)}")
    at %= len(params)
    if indices is None:
        return [None]
    try:
        batch = _batch_dims(params, indices, at, c.attr("batch_dims"))
    except errors.InvalidArgumentError:
        return [None]  # TensorFlow finds out when the op runs
    together = merge(params[:batch], indices[:batch]) or ()
    return [(*together, *params[batch:at], *indices[batch:], *params[at + 1 :])]


@kernel("GatherNd")
def gather_nd(params: Any, indices: Any, *, bad_indices_policy: str) -> Any:
    """For each vector in the last dimension of `indices`, the part of `params` it points to.

    Shape: `indices.shape[:-1] + params.shape[indices.shape[-1]:]`. With the policy IGNORE, a vector that points nowhere
    gives zeros.
    """
    a = boxed(params)
    indices = np.asarray(indices)
    if not a.ndim:
        raise errors.InvalidArgumentError("params must be at least a vector")
    if not indices.ndim:
        raise errors.InvalidArgumentError("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > a.ndim:
        raise errors.InvalidArgumentError(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {a.ndim}"
        )
    outer, inner = indices.shape[:-1], a.shape[depth:]
    check_shape((*outer, *inner), a.dtype)
    if math.prod(outer) * math.prod(inner) and not a.size:
        raise errors.InvalidArgumentError(
            f"Requested more than 0 entries, but params is empty.  Params shape: {shape_text(a.shape)}"
        )
    rows, bad = flat_rows(indices.reshape(math.prod(outer), depth), a.shape[:depth])
    table = a.reshape(math.prod(a.shape[:depth]), *inner)
    if bad is not None:
        if bad_indices_policy != "IGNORE":
            first = int(np.argmax(bad))
            at = np.unravel_index(first, outer) if outer else (0,)
            where = ",".join(str(int(i)) for i in at)
            values = ", ".join(map(str, indices.reshape(-1, depth)[first].tolist()))
            raise errors.InvalidArgumentError(
                f"indices[{where}] = [{values}] does not index into param shape {shape_text(a.shape)}"
            )
        picked = zeros((rows.size, *inner), a.dtype)
        good = ~bad
        picked[good] = table[rows[good]]
        return unboxed(picked.reshape((*outer, *inner)))
    return unboxed(
        np.take(table, rows, 0, mode="clip").reshape((*outer, *inner)) if a.size else zeros((*outer, *inner), a.dtype)
    )


@shape("GatherNd")
def gather_nd_shape(c: ShapeContext) -> list[Dims]:
    params, indices = c.shape(0), with_rank_at_least(c.shape(1), 1)
    if indices is None or params is None or indices[-1] is None:
        return [None]
    if indices[-1] > len(params):
        raise errors.InvalidArgumentError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: {shape_text(indices)} and params shape:"
            f" {shape_text(params)}"
        )
    return [(*indices[:-1], *params[indices[-1] :])]
