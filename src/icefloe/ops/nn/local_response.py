"""Local response normalization over neighbouring channels, and its gradient.

    y = x * n ** -beta,    n = bias + alpha * (sum of the squares of the channels at most `depth_radius` away)

Source: tensorflow/core/kernels/lrn_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.nn.correlate import working_dtype


def _neighbour_sums(x: Any, radius: int) -> Any:
    """Return for each channel the sum over those at most `radius` away."""
    out = x.copy()
    for distance in range(1, min(radius, x.shape[-1] - 1) + 1):
        out[..., distance:] += x[..., :-distance]
        out[..., :-distance] += x[..., distance:]
    return out


@kernel("LRN", factory=True)
def lrn(*, depth_radius: int, bias: float, alpha: float, beta: float) -> Callable[[Any], Any]:
    """Return `x` [n, h, w, channels] normalized by the size of neighbouring channels."""

    def run(x: Any) -> Any:
        if x.ndim != 4:
            raise errors.InvalidArgumentError("in must be 4-dimensional")
        wide = x.astype(working_dtype(x.dtype), copy=False)
        norm = wide.dtype.type(bias) + wide.dtype.type(alpha) * _neighbour_sums(np.square(wide), depth_radius)
        return (wide * np.power(norm, wide.dtype.type(-beta))).astype(x.dtype, copy=False)

    return run


@kernel("LRNGrad", factory=True)
def lrn_grad(*, depth_radius: int, bias: float, alpha: float, beta: float) -> Callable[..., Any]:
    """Return the gradient of LRN's input."""

    def run(dy: Any, x: Any, y: Any) -> Any:
        for name, value in (("input_grads", dy), ("input_image", x), ("output_image", y)):
            if value.ndim != 4:
                raise errors.InvalidArgumentError(f"{name} must be 4-dimensional")
        if not dy.shape == x.shape == y.shape:
            raise errors.InvalidArgumentError("input_grads, input_image, and out_image should have the same shape")
        wide, out, grad = (v.astype(working_dtype(x.dtype), copy=False) for v in (x, y, dy))
        real = wide.dtype.type
        norm = real(bias) + real(alpha) * _neighbour_sums(np.square(wide), depth_radius)
        shared = _neighbour_sums(grad * out / norm, depth_radius)
        dx = grad * np.power(norm, real(-beta)) - real(2 * alpha * beta) * wide * shared
        return dx.astype(x.dtype, copy=False)

    return run


@shape("LRN")
def lrn_shape(c: ShapeContext) -> list[Any]:
    """The shape of the input."""
    return [with_rank(c.shape(0), 4)]


@shape("LRNGrad")
def lrn_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape that all inputs have."""
    return [with_rank(merge(merge(c.shape(0), c.shape(1)), c.shape(2)), 4)]
