"""Elements repeated: Tile, BroadcastTo and the arithmetic of broadcast shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, sizes_of
from icefloe.shapes import Dims, shape_text


@kernel("Tile")
def tile(x: Any, multiples: Any) -> Array:
    """`x` repeated `multiples[i]` times along dimension i."""
    x = np.asarray(x)
    if np.ndim(multiples) != 1:
        raise errors.InvalidArgumentError(
            f"Expected multiples to be 1-D, but got shape {shape_text(np.shape(multiples))}"
        )
    if multiples.size != x.ndim:
        raise errors.InvalidArgumentError(
            f"Expected multiples argument to be a vector of length {x.ndim} but got length {multiples.size}"
        )
    if x.dtype == np.uint16:
        raise errors.UnimplementedError(
            f"TileOp : The input data type is not supported, DataType : uint16, Dimension : {x.ndim}"
        )
    times = multiples.tolist()
    for i, n in enumerate(times):
        if n < 0:
            raise errors.InvalidArgumentError(f"Expected multiples[{i}] >= 0, but got {n}")
    target = check_shape((n * size for n, size in zip(times, x.shape)), x.dtype)
    # Each dimension becomes a pair (times, size), of which the first is broadcast.
    pairs = [part for size in x.shape for part in (1, size)]
    wide = [part for n, size in zip(times, x.shape) for part in (n, size)]
    result = np.empty(target, x.dtype)
    result.reshape(wide)[...] = x.reshape(pairs)
    return result


@shape("Tile")
def tile_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    times = c.shape_value(1)
    with_rank(c.shape(1), 1)
    if known is None:
        if times is None:
            return [None]
        known = (None,) * len(times)
    if times is None:
        times = (None,) * len(known)
    with_rank(known, len(times))
    result: list[int | None] = []
    for n, size in zip(times, known):
        if n == 0 or size == 0:
            result.append(0)
        else:
            result.append(None if n is None or size is None else n * size)
    return [tuple(result)]


@kernel("TileGrad")
def tile_grad(dy: Any, multiples: Any) -> Array:
    """The sum over the repetitions that `Tile` made."""
    times = sizes_of(multiples)
    wide = [part for n, size in zip(times, dy.shape) for part in (n, size // n if n else 0)]
    return dy.reshape(wide).sum(axis=tuple(range(0, len(wide), 2)), dtype=dy.dtype)


@shape("TileGrad")
def tile_grad_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    return [None if known is None else (None,) * len(known)]


@kernel("BroadcastTo")
def broadcast_to(x: Any, sizes: Any) -> Array:
    """`x` repeated along new leading dimensions and along dimensions of 1 until it has the shape `sizes`."""
    x = np.asarray(x)
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError(
            f"shape must be a vector of {{int32,int64}}, got shape {shape_text(np.shape(sizes))}"
        )
    target = check_shape(sizes.tolist(), x.dtype)
    if x.ndim > len(target):
        raise errors.InvalidArgumentError(
            f"Rank of input ({x.ndim}) must be no greater than rank of output shape ({len(target)})."
        )
    if any(size not in (1, wanted) for size, wanted in zip(reversed(x.shape), reversed(target))):
        raise errors.InvalidArgumentError(f"Incompatible shapes: {shape_text(x.shape)} vs. {shape_text(target)}")
    result = np.empty(target, x.dtype)
    result[...] = x
    return result


@shape("BroadcastTo")
def broadcast_to_shape(c: ShapeContext) -> list[Dims]:
    known, target = c.shape(0), c.shape_value(1)
    if target is None or known is None:
        return [target]
    if len(known) > len(target):
        raise errors.InvalidArgumentError(
            f"Rank of input ({len(known)}) must be no greater than rank of output shape ({len(target)})."
        )
    for size, wanted in zip(reversed(known), reversed(target)):
        if size not in (None, 1) and wanted not in (None, size):
            raise errors.InvalidArgumentError(
                f"Incompatible shapes for broadcasting: {shape_text(known)} and {shape_text(target)}"
            )
    new = len(target) - len(known)
    # A dimension of the input that is not 1 stays what it is.
    return [(*target[:new], *(size if size not in (None, 1) else wanted for size, wanted in zip(known, target[new:])))]


def _check_vectors(s0: Any, s1: Any) -> None:
    for i, s in enumerate((s0, s1)):
        if np.ndim(s) != 1:
            raise errors.InvalidArgumentError(f"In[{i}] must be a vector.{shape_text(np.shape(s))}")


def _aligned(s0: Any, s1: Any) -> list[tuple[int, int]]:
    """Return the two shapes' dimensions in pairs, missing ones as 1.

    Raises: InvalidArgumentError if they do not broadcast.
    """
    _check_vectors(s0, s1)
    rank = max(s0.size, s1.size)
    a = [1] * (rank - s0.size) + s0.tolist()
    b = [1] * (rank - s1.size) + s1.tolist()
    if any(m != n and m != 1 and n != 1 for m, n in zip(a, b)):
        raise errors.InvalidArgumentError(
            f"Incompatible shapes: {shape_text(s0.tolist())} vs. {shape_text(s1.tolist())}"
        )
    return list(zip(a, b))


@kernel("BroadcastArgs")
def broadcast_args(s0: Any, s1: Any) -> Array:
    """The shape that tensors of shape `s0` and `s1` have when they are broadcast together."""
    return np.array([n if m == 1 else m for m, n in _aligned(s0, s1)], s0.dtype)


@kernel("BroadcastGradientArgs")
def broadcast_gradient_args(s0: Any, s1: Any) -> tuple[Array, Array]:
    """The dimensions of the broadcast shape over which the gradients of the two operands are summed.

    Where both are 1 both are named, except that equal shapes need no sum at all.
    """
    pairs = _aligned(s0, s1)
    if s0.size == s1.size and all(m == n for m, n in pairs):
        return np.zeros(0, s0.dtype), np.zeros(0, s0.dtype)
    return (
        np.array([i for i, (m, n) in enumerate(pairs) if m == 1], s0.dtype),
        np.array([i for i, (m, n) in enumerate(pairs) if n == 1], s0.dtype),
    )


@shape("BroadcastArgs")
def broadcast_args_shape(c: ShapeContext) -> list[Dims]:
    (a,), (b,) = with_rank(c.shape(0), 1), with_rank(c.shape(1), 1)
    return [(None if a is None or b is None else max(a, b),)]


@shape("BroadcastGradientArgs")
def broadcast_gradient_args_shape(c: ShapeContext) -> list[Dims]:
    return [(None,), (None,)]
