"""Elements added around a tensor: Pad, PadV2, MirrorPad and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, zeros
from icefloe.shapes import Dims, shape_text


def _pairs(x: Array, paddings: Any, joint: str = " ") -> list[tuple[int, int]]:
    """Return (before, after) for each dimension of `x`. `joint`: what TensorFlow's text puts between the two shapes."""
    if np.ndim(paddings) != 2 or paddings.shape[1] != 2:
        raise errors.InvalidArgumentError(f"paddings must be a matrix with 2 columns: {shape_text(np.shape(paddings))}")
    if len(paddings) != x.ndim:
        raise errors.InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs{shape_text(paddings.shape)}{joint}"
            f"{shape_text(x.shape)}"
        )
    return [(before, after) for before, after in paddings.tolist()]


def _pad(x: Array, paddings: Any, value: Any) -> Array:
    pairs = _pairs(x, paddings)
    for before, after in pairs:
        if before < 0 or after < 0:
            raise errors.InvalidArgumentError(f"Paddings must be non-negative: {before} {after}")
    target = check_shape((b + size + a for (b, a), size in zip(pairs, x.shape)), x.dtype)
    result = zeros(target, x.dtype) if value is None else np.full(target, value, x.dtype)
    result[tuple(slice(before, before + size) for (before, _), size in zip(pairs, x.shape))] = x
    return result if result.ndim else result[()]


@kernel("Pad")
def pad(x: Any, paddings: Any) -> Array:
    """`x` with `paddings[i]` zeros (False, empty strings) before and after it in dimension i."""
    return _pad(np.asarray(x), paddings, None)


@kernel("PadV2")
def pad_v2(x: Any, paddings: Any, value: Any) -> Array:
    """`x` with `value` around it."""
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"constant_values must be a scalar. Found: {shape_text(np.shape(value))}")
    return _pad(np.asarray(x), paddings, value.item() if value.dtype == object else value)


def _padded_shape(c: ShapeContext, sign: int) -> list[Dims]:
    known = c.shape(0)
    rows, columns = with_rank(c.shape(1), 2)
    paddings = c.constant(1)
    if columns not in (None, 2):
        raise errors.InvalidArgumentError(f"Dimension must be 2 but is {columns}")
    if rows is not None:
        known = with_rank(known, rows)
    if known is None:
        return [None]
    if paddings is None:
        return [(None,) * len(known)]
    if (paddings < 0).any():
        before, after = next(pair for pair in paddings.tolist() if min(pair) < 0)
        raise errors.InvalidArgumentError(f"Paddings must be non-negative: {before} {after}")
    result: list[int | None] = []
    for size, (before, after) in zip(known, paddings.tolist()):
        total = None if size is None else size + sign * (before + after)
        if total is not None and total < 0:
            raise errors.InvalidArgumentError(
                f"Total paddings must be less than the input dimension size: {before + after} was not less than {size}"
            )
        result.append(total)
    return [tuple(result)]


@shape("Pad", "PadV2", "MirrorPad")
def pad_shape(c: ShapeContext) -> list[Dims]:
    return _padded_shape(c, 1)


@shape("MirrorPadGrad")
def mirror_pad_grad_shape(c: ShapeContext) -> list[Dims]:
    return _padded_shape(c, -1)


def _offset(mode: str) -> int:
    """Return how far from the edge the mirror stands: REFLECT does not repeat the edge, SYMMETRIC does."""
    return 1 if mode == "REFLECT" else 0


@kernel("MirrorPad")
def mirror_pad(x: Any, paddings: Any, *, mode: str) -> Array:
    """`x` continued on both sides of each dimension by its own mirror image."""
    x = np.asarray(x)
    offset = _offset(mode)
    pairs = _pairs(x, paddings, ", ")
    for (before, after), size in zip(pairs, x.shape):
        if before < 0 or after < 0:
            raise errors.InvalidArgumentError(f"paddings must be non-negative: {before} {after}")
        if max(before, after) > size - offset:
            text = ("less than", "not less than") if offset else ("no greater than", "greater than")
            raise errors.InvalidArgumentError(
                f"paddings must be {text[0]} the dimension size: {before}, {after} {text[1]} {size}"
            )
    check_shape((b + size + a for (b, a), size in zip(pairs, x.shape)), x.dtype)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            size = x.shape[axis]
            order = np.concatenate(
                [
                    np.arange(offset + before - 1, offset - 1, -1),
                    np.arange(size),
                    np.arange(size - 1 - offset, size - 1 - offset - after, -1),
                ]
            )
            x = np.take(x, order, axis)
    return x if any(map(any, pairs)) else x.copy()


@kernel("MirrorPadGrad")
def mirror_pad_grad(dy: Any, paddings: Any, *, mode: str) -> Array:
    """`dy` with its padding folded back, and added, onto the elements that it mirrors."""
    offset = _offset(mode)
    pairs = _pairs(dy, paddings)
    result = np.asarray(dy)
    for (before, after), size in zip(pairs, result.shape):
        if before < 0 or after < 0:
            raise errors.InvalidArgumentError(f"Paddings must be non-negative: {before}, {after}")
        inner = size - before - after
        if inner < 0:
            raise errors.InvalidArgumentError(
                f"Total paddings must be less than the input dimension size: {before + after} was not less than {size}"
            )
        if max(before, after) > inner - offset:
            text = ("less than", "not less than") if offset else ("no greater than", "greater than")
            raise errors.InvalidArgumentError(
                f"paddings must be {text[0]} the output dimension size: {before}, {after} {text[1]} {inner}"
            )
    for axis, (before, after) in enumerate(pairs):
        if not (before or after):
            continue
        rows = np.moveaxis(result, axis, 0)
        inner = len(rows) - before - after
        folded = rows[before : before + inner].copy()
        folded[offset : offset + before] += rows[:before][::-1]
        folded[inner - offset - after : inner - offset] += rows[before + inner :][::-1]
        result = np.moveaxis(folded, 0, axis)
    return result if any(map(any, pairs)) else result.copy()
