"""Normalisations, with the averages that training left."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape, shape
from icefloe.lib.math_reduce import reduce_mean, reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


@layer("BatchNormalization", "SyncBatchNormalization")
def batch_normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Normalise by moving averages."""
    scale, center = bool(c.get("scale", True)), bool(c.get("center", True))
    values = c.weights.take(2 + scale + center)
    mean, variance = values[-2], values[-1]
    gamma = values[0] if scale else np.ones_like(mean)
    beta = values[int(scale)] if center else np.zeros_like(mean)
    axis = c.get("axis", -1)
    axis = axis[0] if isinstance(axis, (list, tuple)) else int(axis)
    rank = x.shape.rank
    epsilon = float(c.get("epsilon", 1e-3))
    if rank == 4 and axis in (3, -1):
        parts = [
            c.weight(v, n)
            for v, n in ((gamma, "gamma"), (beta, "beta"), (mean, "moving_mean"), (variance, "moving_variance"))
        ]
        y: Tensor = apply_op("FusedBatchNormV3", x, *parts, epsilon=epsilon, is_training=False)[0]
        return y
    form = [-1]
    if rank is not None and axis not in (-1, rank - 1):
        form = [1] * rank
        form[axis] = -1
    factor = (gamma.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)).astype(mean.dtype)
    shift = (beta - mean * factor).astype(mean.dtype)
    return x * c.weight(factor.reshape(form), "factor") + c.weight(shift.reshape(form), "shift")


@layer("LayerNormalization")
def layer_normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Normalise each example along some axes."""
    scale, center = bool(c.get("scale", True)), bool(c.get("center", True))
    values = c.weights.take(int(scale) + int(center))
    axis = c.get("axis", -1)
    axes = [int(a) for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    rank = x.shape.rank
    mean = reduce_mean(x, axes, keepdims=True)
    moved = x - mean
    variance = reduce_mean(moved * moved, axes, keepdims=True)
    y = moved * _op("Rsqrt", variance + np.float32(c.get("epsilon", 1e-3)))
    if rank is not None:
        form = [1] * rank
        for a, n in zip(axes, values[0].shape if values else ()):
            form[a] = n
        values = [v.reshape(form) for v in values]
    if scale:
        y = y * c.weight(values[0], "gamma")
    return y + c.weight(values[-1], "beta") if center else y


@layer("GroupNormalization")
def group_normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Normalise groups of channels of each example; the channels are last."""
    axis = int(c.get("axis", -1))
    rank = x.shape.rank
    if rank is None or axis not in (-1, rank - 1):
        raise c.refuse(f"axis {axis}: the channels must be last")
    channels = x.shape.as_list()[-1]
    if channels is None:
        raise c.refuse("an unknown number of channels")
    groups = int(c.get("groups", 32))
    groups = channels if groups == -1 else groups
    scale, center = bool(c.get("scale", True)), bool(c.get("center", True))
    values = c.weights.take(int(scale) + int(center))
    whole = shape(x)
    grouped = reshape(x, concat([whole[:-1], [groups, channels // groups]], 0))
    axes = [*range(1, rank - 1), rank]
    mean = reduce_mean(grouped, axes, keepdims=True)
    variance = reduce_mean(_op("SquaredDifference", grouped, mean), axes, keepdims=True)
    y = reshape((grouped - mean) * _op("Rsqrt", variance + np.float32(c.get("epsilon", 1e-3))), whole)
    y.set_shape(x.shape)
    if scale:
        y = y * c.weight(values[0], "gamma")
    return y + c.weight(values[-1], "beta") if center else y


@layer("UnitNormalization")
def unit_normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Divide by the length along some axes."""
    axis = c.get("axis", -1)
    squares = reduce_sum(x * x, axis, keepdims=True)
    return x * _op("Rsqrt", _op("Maximum", squares, np.float32(1e-12)))
