"""Activations and their gradients.

16-bit floats are rounded after each step. A gradient is multiplied, not selected, where TensorFlow does
so: infinity times 0 is NaN. Source: tensorflow/core/kernels/relu_op_functor.h, softplus_op.h, softsign_op.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, unchanged
from icefloe.machine import threads
from icefloe.ops.nn.finishing import between

Function = Callable[..., Any]

_BLOCK = 1 << 17  # elements worked on at a time, so that they stay in the cache

_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _is_short_float(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize == 2 and dtype.kind not in "iu"


def _activation(op: str, function: Function) -> None:
    kernel(op)(function)
    shape(op)(unchanged)


def _checked_gradient(op: str, function: Function) -> Function:
    def checked(dy: Any, x: Any, **attrs: Any) -> Any:
        if dy.shape != x.shape:
            raise errors.InvalidArgumentError(
                f"Inputs to operation {op} must have the same size and shape.  "
                f"Input 0: {shape_text(dy.shape)} != input 1: {shape_text(x.shape)}"
            )
        return function(dy, x, **attrs)

    return checked


def _gradient(op: str, function: Function) -> None:
    """Register the kernel of a gradient op: `function(dy, x)`, where `x` is the activation's input or output."""
    checked = _checked_gradient(op, function)
    kernel(op)(lambda dy, x: checked(dy, x))
    shape(op)(merged)


def merged(c: ShapeContext) -> list[Any]:
    """The shape that both inputs have."""
    return [merge(c.shape(0), c.shape(1))]


def relu(x: Any) -> Any:
    """Return `x` where it is above 0, else 0."""
    return between(x, 0, np.inf)


def relu6(x: Any) -> Any:
    """Return `x` kept between 0 and 6."""
    return between(x, 0, 6)


# What differs above and below 0 is added up from both sides, each 0 on the other: a choice by element takes far longer.


def elu(x: Any) -> Any:
    """Return `x` where it is 0 or more, else exp(x) - 1."""
    zero = x.dtype.type(0)
    if _is_short_float(x.dtype):
        return np.where(x < 0, np.exp(np.minimum(x, zero)) - x.dtype.type(1), x)
    return np.copysign(np.expm1(np.minimum(x, zero)) + np.maximum(x, zero), x)  # -0 stays what it is


def selu(x: Any) -> Any:
    """Return scaled `x` where it is 0 or more, else scaled exp(x) - 1."""
    real = x.dtype.type
    if _is_short_float(x.dtype):
        below = (np.exp(np.minimum(x, real(0))) - real(1)) * real(_SELU_SCALE_ALPHA)
        return np.where(x < 0, below, x * real(_SELU_SCALE))
    below = np.expm1(np.minimum(x, real(0))) * real(_SELU_SCALE_ALPHA)
    return np.copysign(below + np.maximum(x, real(0)) * real(_SELU_SCALE), x)


def softplus(x: Any) -> Any:
    """Return log(exp(x) + 1), by its asymptotes where they are as good in the dtype of `x`."""
    dtype = x.dtype
    threshold = math.log(float(ml_dtypes.finfo(dtype).eps)) + 2.0  # type: ignore[no-untyped-call]
    wide = x.astype(np.float32) if _is_short_float(dtype) else x
    grown = np.exp(wide)
    low = wide.dtype.type(threshold)
    return np.where(wide > -low, wide, np.where(wide < low, grown, np.log1p(grown))).astype(dtype, copy=False)


def softsign(x: Any) -> Any:
    """Return x / (1 + |x|)."""
    return x / (np.abs(x) + x.dtype.type(1))


_activation("Relu", relu)
_activation("Relu6", relu6)
_activation("Elu", elu)
_activation("Selu", selu)
_activation("Softplus", softplus)
_activation("Softsign", softsign)
shape("LeakyRelu")(unchanged)
shape("LeakyReluGrad")(merged)


@kernel("LeakyRelu")
def leaky_relu(x: Any, *, alpha: float) -> Any:
    """Return `x` where it is above 0, else `alpha * x`."""
    zero, slope = x.dtype.type(0), x.dtype.type(alpha)
    if not np.isfinite(slope):
        return np.where(x > 0, x, x * slope)
    return np.minimum(x, zero) * slope + np.maximum(x, zero)


@kernel("LeakyReluGrad")
def leaky_relu_grad(dy: Any, x: Any, *, alpha: float) -> Any:
    """Return the gradient of LeakyRelu's input."""
    return _checked_gradient("LeakyReluGrad", lambda g, f: np.where(f > 0, g, g * g.dtype.type(alpha)))(dy, x)


def _elu_grad(dy: Any, y: Any) -> Any:
    real = dy.dtype.type
    return (np.fmin(y, real(0)) + real(1)) * dy  # NaN counts as above 0


def _selu_grad(dy: Any, y: Any) -> Any:
    real = dy.dtype.type
    return np.where(y < 0, dy * (y + real(_SELU_SCALE_ALPHA)), dy * real(_SELU_SCALE))


def _softplus_grad(dy: Any, x: Any) -> Any:
    return dy / (np.exp(-x) + dy.dtype.type(1))


def _softsign_grad(dy: Any, x: Any) -> Any:
    return dy / np.square(np.abs(x) + dy.dtype.type(1))


def relu_gradient(dy: Any, x: Any) -> Any:
    """Return `dy` times 1 where `x` is above 0, else times 0."""
    if x.size <= _BLOCK:
        return dy * (x > 0).astype(dy.dtype)
    out = np.empty(x.shape, dy.dtype)
    source, grads, made = np.ascontiguousarray(x).ravel(), np.ascontiguousarray(dy).ravel(), out.ravel()

    def block(i: int) -> None:
        part = slice(i * _BLOCK, (i + 1) * _BLOCK)
        np.multiply(grads[part], source[part] > 0, out=made[part])

    threads.share(-(-x.size // _BLOCK), block, large=x.size >= 4 * _BLOCK)
    return out


_gradient("ReluGrad", relu_gradient)
_gradient("Relu6Grad", lambda dy, x: dy * ((x > 0) & (x < 6)).astype(dy.dtype))
_gradient("EluGrad", _elu_grad)
_gradient("SeluGrad", _selu_grad)
_gradient("SoftplusGrad", _softplus_grad)
_gradient("SoftsignGrad", _softsign_grad)
