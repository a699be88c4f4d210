"""Elements in another order along a dimension: Transpose, Reverse, ReverseSequence, Roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    merge,
    merge_sizes,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from icefloe.ops.array.values import Array, boxed
from icefloe.shapes import Dims, shape_text


def _permutation(rank: int, perm: Any) -> list[int]:
    if np.ndim(perm) != 1:
        raise errors.InvalidArgumentError(f"perm must be rank 1, got shape {shape_text(np.shape(perm))}")
    axes: list[int] = perm.tolist()
    if len(axes) != rank:
        raise errors.InvalidArgumentError(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(axes)}"
        )
    wrapped = []
    for axis in axes:
        at = axis + rank if axis < 0 else axis
        if not 0 <= at < rank:
            raise errors.InvalidArgumentError(f"{at} is out of range [0 .. {rank})")
        wrapped.append(at)
    for i in range(rank):
        if i not in wrapped:
            raise errors.InvalidArgumentError(f"{i} is missing from {{{','.join(map(str, axes))}}}.")
    return wrapped


@kernel("Transpose", returns=("view", 0))
def transpose(x: Any, perm: Any) -> Array:
    """`x` with dimension i of the result taken from dimension `perm[i]`."""
    a = boxed(x)
    return a.transpose(_permutation(a.ndim, perm))


@kernel("ConjugateTranspose")
def conjugate_transpose(x: Any, perm: Any) -> Array:
    turned = transpose(x, perm)
    return np.conj(turned) if turned.dtype.kind == "c" else turned.copy()


@shape("Transpose", "ConjugateTranspose")
def transpose_shape(c: ShapeContext) -> list[Dims]:
    known, perm = c.shape(0), c.constant(1)
    (length,) = with_rank(c.shape(1), 1)
    if known is None:
        return [None if length is None else (None,) * length]
    if length not in (None, len(known)):
        raise errors.InvalidArgumentError(f"Dimension must be {len(known)} but is {length}")
    if perm is None:
        return [(None,) * len(known) if len(known) != 1 else known]
    # Whether it is a permutation TensorFlow finds out when the op runs.
    for axis in perm.tolist():
        if not -len(known) <= axis < len(known):
            raise errors.InvalidArgumentError(f"perm dim {axis} is out of range of input rank {len(known)}")
    return [tuple(known[axis] for axis in perm.tolist())]


def _check_reversible(x: Array) -> None:
    if x.ndim > 8:
        raise errors.UnimplementedError("reverse is not implemented for tensors of rank > 8.")


@kernel("Reverse", returns=("view", 0))
def reverse(x: Any, dims: Any) -> Array:
    """`x` in backward order along each dimension whose entry in the bool vector `dims` is true."""
    x = np.asarray(x)
    if x.ndim and np.ndim(dims) != 1:
        raise errors.InvalidArgumentError(f"'dims' must be 1-dimension, not {np.ndim(dims)}")
    if x.ndim and dims.size != x.ndim:
        raise errors.InvalidArgumentError(
            f"'dims' must have the same number of values as 'input' has dimensions. 'input' has {x.ndim}'dims' has"
            f" {dims.size} values"
        )
    _check_reversible(x)
    if x.ndim and not len(x):
        raise errors.InvalidArgumentError("Invalid input first dimension. Found 0.")
    return np.flip(x, tuple(i for i, turn in enumerate(dims.tolist()) if turn)) if x.ndim else x


@shape("Reverse")
def reverse_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    (length,) = with_rank(c.shape(1), 1)
    if known is None:
        return [None if length is None else (None,) * length]
    if length not in (None, len(known)):
        raise errors.InvalidArgumentError(f"Shape must be rank {length} but is rank {len(known)}")
    if len(known) > 8:
        raise errors.InvalidArgumentError("reverse does not work on tensors with more than 8 dimensions")
    return [known]


def _axes(axis: Array, rank: int) -> list[int]:
    axes: list[int] = []
    for i, at in enumerate(axis.tolist()):
        if not -rank <= at < rank:
            raise errors.InvalidArgumentError(f"'axis'[{i}] = {at} is out of valid range [0, {rank - 1}")
        if at % rank in axes:
            raise errors.InvalidArgumentError(f"axis {at % rank} specified more than once.")
        axes.append(at % rank)
    return axes


@kernel("ReverseV2", returns=("view", 0))
def reverse_v2(x: Any, axis: Any) -> Array:
    """`x` in backward order along each dimension that the vector `axis` names."""
    x = np.asarray(x)
    if not x.ndim:
        return x
    if np.ndim(axis) != 1:
        raise errors.InvalidArgumentError(f"'dims' must be 1-dimension, not {np.ndim(axis)}")
    axes = _axes(axis, x.ndim)
    _check_reversible(x)
    return np.flip(x, tuple(axes)) if axes else x


@shape("ReverseV2")
def reverse_v2_shape(c: ShapeContext) -> list[Dims]:
    known, axis = c.shape(0), c.constant(1)
    with_rank(c.shape(1), 1)
    if known is not None and len(known) > 8:
        raise errors.InvalidArgumentError("reverse does not work on tensors with more than 8 dimensions")
    if known is not None and axis is not None:
        _axes(axis, len(known))
    return [known]


@kernel("ReverseSequence")
def reverse_sequence(x: Any, lengths: Any, *, seq_dim: int, batch_dim: int) -> Array:
    """`x` with, for each i along `batch_dim`, its first `lengths[i]` elements along `seq_dim` in backward order."""
    if np.ndim(lengths) != 1:
        raise errors.InvalidArgumentError(f"seq_lengths must be 1-dim, not {np.ndim(lengths)}")
    for name, dim in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if dim < 0:
            raise errors.InvalidArgumentError(f"Invalid {name} {dim}")
    if batch_dim == seq_dim:
        raise errors.InvalidArgumentError(f"batch_dim == seq_dim == {seq_dim}")
    for name, dim in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if dim >= x.ndim:
            raise errors.InvalidArgumentError(f"{name} must be < input rank ( {dim} vs. {x.ndim})")
    if lengths.size != x.shape[batch_dim]:
        raise errors.InvalidArgumentError(
            f"Length of seq_lengths != input.dims({batch_dim}), ({lengths.size} vs. {x.shape[batch_dim]})"
        )
    steps = x.shape[seq_dim]
    for i, n in enumerate(lengths.tolist()):
        if n < 0:
            raise errors.InvalidArgumentError(f"seq_lens({i}) < 0")
        if n > steps:
            raise errors.InvalidArgumentError(f"seq_lens({i}) > input.dims({seq_dim})")
    at = np.arange(steps)
    order = np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
    rows = np.moveaxis(x, (batch_dim, seq_dim), (0, 1))
    turned = rows[np.arange(lengths.size)[:, None], order]
    return np.moveaxis(turned, (0, 1), (batch_dim, seq_dim))


@shape("ReverseSequence")
def reverse_sequence_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    (length,) = with_rank(c.shape(1), 1)
    batch_dim, seq_dim = c.attr("batch_dim"), c.attr("seq_dim")
    if known is None:
        return [None]
    for name, dim in (("batch_dim", batch_dim), ("seq_dim", seq_dim)):
        if dim >= len(known):
            raise errors.InvalidArgumentError(f"{name} must be < input rank: {dim} vs. {len(known)}")
    both = merge_sizes(known[batch_dim], length)
    return [(*known[:batch_dim], both, *known[batch_dim + 1 :])]


@kernel("Roll")
def roll(x: Any, shift: Any, axis: Any) -> Array:
    """`x` with its elements moved on by `shift[i]` along `axis[i]`, those past the end coming back at the start."""
    if not x.ndim:
        raise errors.InvalidArgumentError("input must be 1-D or higher")
    for name, vector in (("shift", shift), ("axis", axis)):
        if np.ndim(vector) > 1:
            raise errors.InvalidArgumentError(
                f"{name} must be a scalar or a 1-D vector. Found: {shape_text(np.shape(vector))}"
            )
    if np.shape(shift) != np.shape(axis):
        raise errors.InvalidArgumentError("shift and axis must have the same size")
    total = [0] * x.ndim
    for n, at in zip(np.ravel(shift).tolist(), np.ravel(axis).tolist()):
        dim = at + x.ndim if at < 0 else at
        if not 0 <= dim < x.ndim:
            raise errors.InvalidArgumentError(f"axis {dim} is out of range")
        total[dim] += n
    moved = [i for i in range(x.ndim) if x.shape[i] and total[i] % x.shape[i]]
    return np.roll(x, [total[i] % x.shape[i] for i in moved], moved) if moved else x.copy()


@shape("Roll")
def roll_shape(c: ShapeContext) -> list[Dims]:
    x = with_rank_at_least(c.shape(0), 1)
    merge(with_rank_at_most(c.shape(1), 1), with_rank_at_most(c.shape(2), 1))
    return [x]
