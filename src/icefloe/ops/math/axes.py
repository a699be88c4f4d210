"""Axes as kernels and shape rules receive them: values of a tensor, negative ones counting from the end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_most


def reduction_axes(axes: Any, rank: int) -> tuple[int, ...]:
    """Return the axes in 0 .. rank - 1 that a tensor of any shape lists.

    Raises: InvalidArgumentError for one out of range, or one that is named twice.
    """
    result: list[int] = []
    for axis in np.ravel(axes).tolist():
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)",
                hint=f"Axes are in [{-rank}, {rank}).",
            )
        axis %= rank
        if axis in result:
            raise errors.InvalidArgumentError(f"Invalid reduction arguments: Axes contains duplicate dimension: {axis}")
        result.append(axis)
    return tuple(result)


def scalar_axis(axis: Any, rank: int, label: str = "", name: str = "dim") -> int:
    """Return one axis in 0 .. rank - 1.

    label: what TensorFlow's message begins with. Raises: InvalidArgumentError if `axis` is no scalar or out of range.
    """
    if np.ndim(axis):
        shape = ",".join(map(str, np.shape(axis)))
        raise errors.InvalidArgumentError(f"{label}{name} must be a scalar, but received tensor of shape: [{shape}]")
    index = int(axis)
    if not -rank <= index < rank:
        raise errors.InvalidArgumentError(f"{label}Expected dimension in the range [{-rank}, {rank}), but got {index}")
    return index % rank


def reduced_shape(c: ShapeContext) -> list[Any]:
    """The shape rule of reductions over the axes in input 1: attr `keep_dims` leaves them as 1."""
    x, keep = c.shape(0), c.attr("keep_dims")
    with_rank_at_most(c.shape(1), 1)
    if x is None:
        return [None]
    axes = c.constant(1)
    if axes is None:
        count = c.shape(1)
        if keep:
            return [(None,) * len(x)]
        # All axes are gone if there are as many of them as axes: they differ.
        everything = len(x) == 0 or (
            count is not None and None not in count and math.prod(n or 0 for n in count) == len(x)
        )
        return [() if everything else None]
    gone = set()
    for axis in np.ravel(axes).tolist():
        if not -len(x) <= axis < len(x):
            raise errors.InvalidArgumentError(f"Invalid reduction dimension {axis} for input with {len(x)} dimensions.")
        gone.add(axis % len(x))
    if keep:
        return [tuple(1 if i in gone else n for i, n in enumerate(x))]
    return [tuple(n for i, n in enumerate(x) if i not in gone)]


def constant_size(c: ShapeContext, i: int, refusal: str = "") -> int | None:
    """Return input `i`, a scalar that gives a size, or None where it is not known.

    Raises: InvalidArgumentError if it is no scalar, or negative: then with the text `refusal`, where {} is the value.
    """
    with_rank(c.shape(i), 0)
    value = c.constant(i)
    if value is None:
        return None
    if value < 0:
        text = refusal or f"Dimension size, given by scalar input {i}, must be non-negative but is {{}}"
        raise errors.InvalidArgumentError(text.format(int(value)))
    return int(value)
