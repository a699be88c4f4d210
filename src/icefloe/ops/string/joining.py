"""Strings put together: StringJoin, ReduceJoin, UnsortedSegmentJoin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unknown, with_rank, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.string.elements import Array, flat, strings
from icefloe.shapes import Dims, shape_text


@kernel("StringJoin")
def string_join(inputs: tuple[Any, ...], *, separator: str) -> Array:
    """Strings at the same place joined; a scalar goes with every place."""
    between = separator.encode()
    target: tuple[int, ...] = ()
    for x in inputs:
        if np.ndim(x):
            if target and np.shape(x) != target:
                raise errors.InvalidArgumentError(
                    f"Input shapes do not match: {shape_text(target)} vs. {shape_text(np.shape(x))}"
                )
            target = np.shape(x)
    size = math.prod(target)
    if not inputs:
        return strings([b""], ())
    columns = [flat(x) if np.ndim(x) else flat(x) * size for x in inputs]
    return strings(map(between.join, zip(*columns)), target)


@shape("StringJoin")
def string_join_shape(c: ShapeContext) -> list[Dims]:
    result: Dims = None
    unknown_rank = False
    for i in range(c.num_inputs):
        known = c.shape(i)
        unknown_rank |= known is None
        if known:
            result = merge(result, known)
    return [result if result is not None or unknown_rank else ()]


@kernel("ReduceJoin")
def reduce_join(x: Any, axes: Any, *, keep_dims: bool, separator: str) -> Array:
    """The strings along `axes` joined, the first axis named changing fastest."""
    x = np.asarray(x)
    order: list[int] = []
    for axis in np.ravel(axes).tolist():
        if not -x.ndim <= axis < x.ndim:
            raise errors.OutOfRangeError(f"Invalid reduction dimension {axis} for input with {x.ndim} dimension(s)")
        if axis % x.ndim in order:
            raise errors.InvalidArgumentError(f"Duplicate reduction dimension {axis % x.ndim}")
        order.append(axis % x.ndim)
    if not order:
        return x.copy()
    between = separator.encode()
    kept = [i for i in range(x.ndim) if i not in order]
    rows = x.transpose(*kept, *reversed(order))
    count = math.prod(x.shape[i] for i in kept)
    width = math.prod(x.shape[i] for i in order)
    table = rows.reshape(count, width).tolist()
    target = [1 if i in order else n for i, n in enumerate(x.shape)] if keep_dims else [x.shape[i] for i in kept]
    return strings(map(between.join, table), tuple(target))


@shape("ReduceJoin")
def reduce_join_shape(c: ShapeContext) -> list[Dims]:
    known, axes = c.shape(0), c.constant(1)
    with_rank_at_most(c.shape(1), 1)
    if known is None or axes is None:
        return [(None,) * len(known) if known is not None and c.attr("keep_dims") else None]
    rank = len(known)
    reduced = set()
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(f"Invalid reduction dimension {axis} for input with {rank} dimension(s)")
        reduced.add(axis % rank)
    if c.attr("keep_dims"):
        return [tuple(1 if i in reduced else size for i, size in enumerate(known))]
    return [tuple(size for i, size in enumerate(known) if i not in reduced)]


@kernel("UnsortedSegmentJoin")
def unsorted_segment_join(x: Any, segment_ids: Any, num_segments: Any, *, separator: str) -> Array:
    """The slices of `x` with the same segment id joined, in order; a segment without any is empty strings."""
    x, ids = np.asarray(x), np.asarray(segment_ids)
    if np.ndim(num_segments):
        raise errors.InvalidArgumentError("Number of segments must be a scalar")
    segments = int(num_segments)
    if segments < 0:
        raise errors.InvalidArgumentError(f"Number of segments must be non-negative but got {segments}")
    if not ids.ndim:
        raise errors.InvalidArgumentError("Segment_id cannot have rank 0")
    for i, size in enumerate(ids.shape):
        if i >= x.ndim or x.shape[i] != size:
            there = x.shape[i] if i < x.ndim else "missing"
            raise errors.InvalidArgumentError(
                f"Segment dimension is {size} while input dimension is {there} in rank {i}"
            )
    inner = x.shape[ids.ndim :]
    result = np.full(check_shape((segments, *inner), x.dtype), b"", object)
    width = math.prod(inner)
    parts: dict[int, list[bytes]] = {}
    for segment, row in zip(ids.ravel().tolist(), x.reshape(ids.size, width).tolist()):
        if not 0 <= segment < segments:
            raise errors.InvalidArgumentError(
                "segment_ids are not allowed to exceed num_segments or to have negative values."
            )
        for place, s in enumerate(row, segment * width):
            parts.setdefault(place, []).append(s)
    cells = result.reshape(-1)
    for place, words in parts.items():
        # A separator comes only after something: empty strings in front leave no trace.
        first = next((i for i, word in enumerate(words) if word), len(words))
        cells[place] = separator.encode().join(words[first:])
    return result


@shape("UnsortedSegmentJoin")
def unsorted_segment_join_shape(c: ShapeContext) -> list[Dims]:
    data, ids, count = c.shape(0), c.shape(1), c.constant(2)
    with_rank(c.shape(2), 0)
    if data is None or ids is None:
        return unknown(c)
    merge(data[: len(ids)], ids)
    if count is not None and int(count) < 0:
        raise errors.InvalidArgumentError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {count}"
        )
    return [(None if count is None else int(count), *data[len(ids) :])]
