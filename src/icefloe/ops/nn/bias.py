"""BiasAdd, its gradient, and L2Loss. Source: tensorflow/core/kernels/bias_op.cc, l2loss_op.cc."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, scalar, shape_text, with_rank, with_rank_at_least


def _channel_axis(rank: int, data_format: str) -> int:
    return 1 if data_format == "NCHW" and rank > 2 else rank - 1


@kernel("BiasAdd")
def bias_add(value: Any, bias: Any, *, data_format: str) -> Any:
    """Return `value` with `bias` [channels] added along the channels."""
    if value.ndim < 2:
        raise errors.InvalidArgumentError(f"Input tensor must be at least 2D: {shape_text(value.shape)}")
    if np.ndim(bias) != 1:
        raise errors.InvalidArgumentError(f"Biases must be 1D: {shape_text(np.shape(bias))}")
    axis = _channel_axis(value.ndim, data_format)
    if len(bias) != value.shape[axis]:
        which = "last" if axis == value.ndim - 1 else "channel"
        raise errors.InvalidArgumentError(
            f"Must provide as many biases as the {which} dimension of the input tensor: "
            f"{shape_text(bias.shape)} vs. {shape_text(value.shape)}"
        )
    if axis == value.ndim - 1:
        return value + bias
    return value + bias.reshape(-1, *(1,) * (value.ndim - 1 - axis))


@kernel("BiasAddV1")
def bias_add_v1(value: Any, bias: Any) -> Any:
    """Return `value` with `bias` added along the last dimension."""
    return bias_add(value, bias, data_format="NHWC")


@kernel("BiasAddGrad")
def bias_add_grad(dy: Any, *, data_format: str) -> Any:
    """Return the sum of `dy` over all dimensions but the channels'."""
    if dy.ndim < 2:
        raise errors.InvalidArgumentError(f"Input tensor must be at least 2D: {shape_text(dy.shape)}")
    axis = _channel_axis(dy.ndim, data_format)
    others = tuple(i for i in range(dy.ndim) if i != axis)
    if dy.dtype.itemsize == 2 and dy.dtype.kind not in "iu":
        return dy.astype(np.float32).sum(axis=others).astype(dy.dtype)
    return dy.sum(axis=others, dtype=dy.dtype)


@kernel("L2Loss")
def l2_loss(t: Any) -> Any:
    """Return half the sum of the squares."""
    flat = np.ravel(t)
    if flat.dtype.itemsize == 2:
        wide = flat.astype(np.float32)
        return (np.dot(wide, wide) * np.float32(0.5)).astype(flat.dtype)
    return np.dot(flat, flat) * flat.dtype.type(0.5)


shape("L2Loss")(scalar)


@shape("BiasAdd", "BiasAddV1")
def bias_add_shape(c: ShapeContext) -> list[Any]:
    """The value's shape, its channels as many as the biases."""
    data_format = c.attr("data_format") if c.op == "BiasAdd" else "NHWC"
    value = with_rank_at_least(c.shape(0), 3 if data_format == "NCHW" else 2)
    (size,) = with_rank(c.shape(1), 1)
    if value is None:
        return [None]
    axis = _channel_axis(len(value), data_format)
    wanted = merge((value[axis],), (size,))
    assert wanted is not None
    return [(*value[:axis], wanted[0], *value[axis + 1 :])]


@shape("BiasAddGrad")
def bias_add_grad_shape(c: ShapeContext) -> list[Any]:
    """One number for each channel."""
    data_format = c.attr("data_format")
    dy = with_rank_at_least(c.shape(0), 3 if data_format == "NCHW" else 2)
    return [(None,) if dy is None else (dy[_channel_axis(len(dy), data_format)],)]
