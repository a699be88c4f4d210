"""Second derivatives of batch normalization: the gradient is built out of plain ops, and these are differentiated.

Source: tensorflow/python/ops/nn_fused_batch_norm_grad.py (numbers).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.autodiff.walk import gradients
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, reshape, sum_over


class _Layout:
    """Which axes of a format are summed over, and the shape of what has one value for each channel."""

    def __init__(self, data_format: str) -> None:
        channel = data_format.index("C")
        self.axes = [i for i in range(len(data_format)) if i != channel]
        self.wide = [-1 if i == channel else 1 for i in range(len(data_format))]

    def mean(self, x: Tensor) -> Tensor:
        return apply_op("Mean", x, self.axes, keep_dims=True)


def _first(
    dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, op: Operation
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients by input, scale and offset."""
    layout = _Layout(op.get_attr("data_format").decode())
    epsilon = op.get_attr("epsilon")
    dtype = x.dtype
    dy, x = (cast(v, datatypes.float32) if v.dtype.size == 2 else v for v in (dy, x))
    factor = reshape(scale, layout.wide)
    if op.get_attr("is_training"):
        mean = layout.mean(x)
        variance = layout.mean(apply_op("SquaredDifference", x, apply_op("StopGradient", mean)))
    else:
        mean, variance = reshape(mean, layout.wide), reshape(variance, layout.wide)
    inverse = apply_op("Rsqrt", variance + epsilon)
    offset = x - mean
    by_scale = sum_over(dy * offset * inverse, layout.axes)
    if op.get_attr("is_training"):
        shared = layout.mean(dy * offset)
        by_x = factor * inverse * (dy - layout.mean(dy) - offset * shared * apply_op("Reciprocal", variance + epsilon))
    else:
        by_x = dy * factor * inverse
    return cast(by_x, dtype), by_scale, sum_over(dy, layout.axes)


@gradient("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def batch_norm_gradient(op: Operation, by_x: Any, by_scale: Any, by_offset: Any, *_: Any) -> list[Any]:
    """By the incoming gradient, the input and the scale."""
    dy, x, scale, mean, variance = op.inputs[:5]
    made = _first(dy, x, scale, mean, variance, op)
    pairs = [(y, g) for y, g in zip(made, (by_x, by_scale, by_offset)) if g is not None]
    sources = [dy, x, scale]
    found = gradients([y for y, _ in pairs], sources, [g for _, g in pairs], stop_gradients=sources)
    return [*found, *[None] * (len(op.inputs) - len(sources))]
