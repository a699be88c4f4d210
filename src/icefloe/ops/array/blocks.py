"""Blocks of space moved into the depth or the batch and back: SpaceToDepth, SpaceToBatchND and kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, zeros
from icefloe.shapes import Dims, shape_text


@kernel("SpaceToDepth")
def space_to_depth(x: Any, *, block_size: int, data_format: str) -> Array:
    """`x`, [n, h, w, c] (NCHW: [n, c, h, w]), with each square of `block_size` made one place of as much more depth."""
    if x.ndim != 4:
        raise errors.InvalidArgumentError(f"Input rank should be 4 instead of {x.ndim}")
    nhwc = _channels_last(x, data_format)
    n, h, w, depth = nhwc.shape
    b = block_size
    if h % b or w % b:
        raise errors.InvalidArgumentError(f"Image width {w} and height {h} should be divisible by block_size: {b}")
    squares = nhwc.reshape(n, h // b, b, w // b, b, depth).transpose(0, 1, 3, 2, 4, 5)
    return _channels_back(squares.reshape(n, h // b, w // b, b * b * depth), data_format)


@kernel("DepthToSpace")
def depth_to_space(x: Any, *, block_size: int, data_format: str) -> Array:
    """The reverse of `SpaceToDepth`."""
    if x.ndim != 4:
        raise errors.InvalidArgumentError(f"Input rank should be: 4 instead of: {x.ndim}")
    nhwc = _channels_last(x, data_format)
    n, h, w, depth = nhwc.shape
    b = block_size
    if depth % (b * b):
        raise errors.InvalidArgumentError(f"Input depth dimension {depth} should be divisible by: {b * b}")
    squares = nhwc.reshape(n, h, w, b, b, depth // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return _channels_back(squares.reshape(n, h * b, w * b, depth // (b * b)), data_format)


def _channels_last(x: Array, data_format: str) -> Array:
    if data_format not in ("NHWC", "NCHW"):
        raise errors.InvalidArgumentError(f"Invalid data format {data_format}: only NHWC and NCHW are supported")
    return x.transpose(0, 2, 3, 1) if data_format == "NCHW" else x


def _channels_back(x: Array, data_format: str) -> Array:
    return x.transpose(0, 3, 1, 2) if data_format == "NCHW" else x


def _image_sizes(c: ShapeContext) -> tuple[int | None, ...]:
    """Return (n, h, w, depth), depth being the whole of it in NCHW_VECT_C's two dimensions."""
    form = c.attr("data_format")
    if form == "NCHW_VECT_C":
        n, outer, h, w, inner = with_rank(c.shape(0), 5)
        return n, h, w, None if outer is None or inner is None else outer * inner
    sizes = with_rank(c.shape(0), 4)
    return (sizes[0], sizes[2], sizes[3], sizes[1]) if form == "NCHW" else sizes


def _image_shape(c: ShapeContext, n: int | None, h: int | None, w: int | None, depth: int | None) -> Dims:
    form = c.attr("data_format")
    if form == "NCHW_VECT_C":
        return (n, None if depth is None else depth // 4, h, w, 4)
    return (n, depth, h, w) if form == "NCHW" else (n, h, w, depth)


def _divided(size: int | None, by: int) -> int | None:
    if size is not None and size % by:
        raise errors.InvalidArgumentError(f"Dimension size must be evenly divisible by {by} but is {size}")
    return None if size is None else size // by


@shape("SpaceToDepth")
def space_to_depth_shape(c: ShapeContext) -> list[Dims]:
    n, h, w, depth = _image_sizes(c)
    b = c.attr("block_size")
    return [_image_shape(c, n, _divided(h, b), _divided(w, b), None if depth is None else depth * b * b)]


@shape("DepthToSpace")
def depth_to_space_shape(c: ShapeContext) -> list[Dims]:
    n, h, w, depth = _image_sizes(c)
    b = c.attr("block_size")
    return [_image_shape(c, n, None if h is None else h * b, None if w is None else w * b, _divided(depth, b * b))]


def _checked(x: Array, block: Any, pairs: Any, name: str) -> tuple[list[int], list[list[int]]]:
    """Return the block sizes and (before, after) of each blocked dimension."""
    if np.ndim(block) != 1:
        raise errors.InvalidArgumentError(f"block_shape must be 1-D, got shape {shape_text(np.shape(block))}")
    count = block.size
    if x.ndim < 1 + count:
        raise errors.InvalidArgumentError(f"input rank should be >= {1 + count} instead of {x.ndim}")
    if np.shape(pairs) != (count, 2):
        raise errors.InvalidArgumentError(
            f"{name} should have shape [{count}, 2] instead of {shape_text(np.shape(pairs))}"
        )
    sizes = block.tolist()
    for i, b in enumerate(sizes):
        if b < 1:
            raise errors.InvalidArgumentError(
                f"All values in block_shape must be positive, got value, {b} at index {i}."
            )
    return sizes, pairs.tolist()


def _to_batch(x: Array, sizes: list[int], paddings: list[list[int]]) -> Array:
    if any(n < 0 for pair in paddings for n in pair):
        raise errors.InvalidArgumentError("Paddings must be non-negative")
    rank = len(sizes)
    spatial = [before + size + after for (before, after), size in zip(paddings, x.shape[1:])]
    for i, (size, b) in enumerate(zip(spatial, sizes)):
        if size % b:
            raise errors.InvalidArgumentError(f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={b}")
    padded = zeros(check_shape((x.shape[0], *spatial, *x.shape[1 + rank :]), x.dtype), x.dtype)
    inside = tuple(slice(before, before + size) for (before, _), size in zip(paddings, x.shape[1:]))
    padded[(slice(None), *inside)] = x
    split = [part for size, b in zip(spatial, sizes) for part in (size // b, b)]
    rest = x.shape[1 + rank :]
    order = [
        *range(2, 2 * rank + 1, 2),
        0,
        *range(1, 2 * rank, 2),
        *range(2 * rank + 1, 2 * rank + 1 + len(rest)),
    ]
    blocks = padded.reshape(x.shape[0], *split, *rest).transpose(order)
    outer = [size // b for size, b in zip(spatial, sizes)]
    return blocks.reshape(x.shape[0] * math.prod(sizes), *outer, *rest)


def _to_space(x: Array, sizes: list[int], crops: list[list[int]]) -> Array:
    if any(n < 0 for pair in crops for n in pair):
        raise errors.InvalidArgumentError("Crops must be non-negative")
    rank = len(sizes)
    count = math.prod(sizes)
    if x.shape[0] % count:
        raise errors.InvalidArgumentError(
            f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({count})"
        )
    n = x.shape[0] // count
    spatial = [size * b for size, b in zip(x.shape[1:], sizes)]
    for i, (size, (before, after)) in enumerate(zip(spatial, crops)):
        if size < before + after:
            raise errors.InvalidArgumentError(f"cropped_shape[{i}]={size - before - after} must be non-negative")
    rest = x.shape[1 + rank :]
    order = [rank]
    for i in range(rank):
        order += [rank + 1 + i, i]
    order += range(2 * rank + 1, 2 * rank + 1 + len(rest))
    whole = x.reshape(*sizes, n, *x.shape[1:]).transpose(order).reshape(n, *spatial, *rest)
    kept = tuple(slice(before, size - after) for (before, after), size in zip(crops, spatial))
    return whole[(slice(None), *kept)]


@kernel("SpaceToBatchND")
def space_to_batch_nd(x: Any, block: Any, paddings: Any) -> Array:
    """`x` padded, then each place of a block of `block` sizes moved to a part of the batch of its own."""
    return _to_batch(x, *_checked(np.asarray(x), block, paddings, "paddings"))


@kernel("BatchToSpaceND")
def batch_to_space_nd(x: Any, block: Any, crops: Any) -> Array:
    """The reverse of `SpaceToBatchND`, cropped."""
    return _to_space(x, *_checked(np.asarray(x), block, crops, "crops"))


def _check_image(x: Array) -> None:
    if x.ndim != 4:
        raise errors.InvalidArgumentError(f"Input rank should be: 4instead of: {x.ndim}")


@kernel("SpaceToBatch")
def space_to_batch(x: Any, paddings: Any, *, block_size: int) -> Array:
    _check_image(x)
    return _to_batch(x, *_checked(x, np.full(2, block_size), paddings, "paddings"))


@kernel("BatchToSpace")
def batch_to_space(x: Any, crops: Any, *, block_size: int) -> Array:
    _check_image(x)
    return _to_space(x, *_checked(x, np.full(2, block_size), crops, "crops"))


def _block_shape(c: ShapeContext, known: Dims, block: Array | None, count: int | None, at: int, to_batch: bool) -> Dims:
    """Return the shape after moving blocks of `count` dimensions; input `at` holds the paddings or crops."""
    pairs_shape = with_rank(c.shape(at), 2)
    if count is None:
        count = pairs_shape[0]
    if pairs_shape[0] not in (None, count) or pairs_shape[1] not in (None, 2):
        raise errors.InvalidArgumentError(
            f"Dimensions must be equal, but are {shape_text(pairs_shape)} and [{count},2]"
        )
    if count is None:
        return None
    known = with_rank_at_least(known, 1 + count)
    if known is None:
        return None
    pairs = c.constant(at)
    if pairs is not None and (pairs < 0).any():
        raise errors.InvalidArgumentError(f"{'paddings' if to_batch else 'crops'} cannot be negative")
    if block is not None and (block < 1).any():
        raise errors.InvalidArgumentError("block_shape must be positive")
    batch: int | None = None
    if block is not None and known[0] is not None:
        product = math.prod(block.tolist())
        batch = known[0] * product if to_batch else _divided(known[0], product)
    spatial: list[int | None] = []
    for i, size in enumerate(known[1 : 1 + count]):
        if size is None or block is None or pairs is None:
            spatial.append(None)
        elif to_batch:
            spatial.append(_divided(size + int(pairs[i].sum()), int(block[i])))
        else:
            cropped = size * int(block[i]) - int(pairs[i].sum())
            if cropped < 0:
                raise errors.InvalidArgumentError(f"cropped_shape[{i}]={cropped} must be non-negative")
            spatial.append(cropped)
    return (batch, *spatial, *known[1 + count :])


@shape("SpaceToBatchND", "BatchToSpaceND")
def space_to_batch_nd_shape(c: ShapeContext) -> list[Dims]:
    block = c.shape(1)
    if block is not None and len(block) != 1:
        raise errors.InvalidArgumentError("block_shape must have rank 1.")
    count = block[0] if block else None
    return [_block_shape(c, c.shape(0), c.constant(1), count, 2, c.op == "SpaceToBatchND")]


@shape("SpaceToBatch", "BatchToSpace")
def space_to_batch_shape(c: ShapeContext) -> list[Dims]:
    block = np.full(2, c.attr("block_size"))
    return [_block_shape(c, with_rank(c.shape(0), 4), block, 2, 1, c.op == "SpaceToBatch")]
