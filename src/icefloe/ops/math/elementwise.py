"""Elementwise functions of one input that numpy has, and the ops that compute their derivatives.

Source: tensorflow/core/kernels/cwise_ops.h (which function an op computes, and its edge values).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, unchanged
from icefloe.ops.math.tables import through_float32, unary


def complex_sign(x: Any) -> Any:
    """Return x / |x|, and 0 for 0."""
    size = np.abs(x)
    return np.where(size == 0, x.dtype.type(0), x / size)


def rsqrt(x: Any) -> Any:
    return np.reciprocal(np.sqrt(x))


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)); where exp overflows this is 0, the right limit."""
    return np.reciprocal(x.dtype.type(1) + np.exp(-x))


unary("Abs", function=np.abs)
unary("Neg", function=np.negative)
unary("Sign", function=np.sign, complex_=complex_sign)
unary("Square", function=np.square)
unary("Sqrt", function=np.sqrt)
unary("Rsqrt", function=rsqrt, narrow=through_float32(rsqrt))
unary("Reciprocal", "Inv", function=np.reciprocal)
unary("Exp", function=np.exp)
unary("Expm1", function=np.expm1)
unary("Log", function=np.log)
unary("Log1p", function=np.log1p)
unary("Sin", function=np.sin)
unary("Cos", function=np.cos)
unary("Tan", function=np.tan)
unary("Asin", function=np.arcsin)
unary("Acos", function=np.arccos)
unary("Atan", function=np.arctan)
unary("Sinh", function=np.sinh)
unary("Cosh", function=np.cosh)
unary("Tanh", function=np.tanh)
unary("Asinh", function=np.arcsinh)
unary("Acosh", function=np.arccosh)
unary("Atanh", function=np.arctanh)
unary("Sigmoid", function=sigmoid, narrow=through_float32(sigmoid))
unary("Floor", function=np.floor)
unary("Ceil", function=np.ceil)
unary("Round", function=np.rint, integer=np.positive)
unary("Rint", function=np.rint)
unary("IsNan", function=np.isnan)
unary("IsInf", function=np.isinf)
unary("IsFinite", function=np.isfinite)
unary("LogicalNot", function=np.logical_not)
unary("Invert", function=np.invert)


def _derivative(op: str, formula: Any, *, rounds: bool = False) -> None:
    """Register `formula(y, dy)` for an op that takes a function's output (or input) and the incoming gradient.

    rounds: 16-bit floats are rounded after each step, so that what overflows them on the way does so here.
    """
    narrow = formula if rounds else through_float32(formula)

    def gradient(y: Any, dy: Any) -> Any:
        if y.size != dy.size:
            raise errors.InvalidArgumentError(
                f"The two arguments to a cwise op must have same number of elements, got {y.size} and {dy.size}"
            )
        return narrow(y, dy.reshape(y.shape)) if y.dtype.itemsize == 2 else formula(y, dy.reshape(y.shape))

    kernel(op)(gradient)
    shape(op)(unchanged)


def _half(dy: Any) -> Any:
    return dy * dy.dtype.type(0.5)


def _one(y: Any) -> Any:
    return y.dtype.type(1)


def _where_it_comes(formula: Any) -> Any:
    """Return `formula` with 0 where the incoming gradient is 0, be the derivative infinite or NaN."""

    def masked(y: Any, dy: Any) -> Any:
        return np.where(dy == 0, dy.dtype.type(0), formula(np.conjugate(y), dy))

    return masked


# TensorFlow conjugates a complex derivative in some of these ops and leaves it to its gradient rules in the others.
_derivative("SqrtGrad", _where_it_comes(lambda y, dy: _half(dy) / y))
_derivative("RsqrtGrad", _where_it_comes(lambda y, dy: -_half(_one(y)) * (dy * y) * (y * y)), rounds=True)
_derivative("TanhGrad", lambda y, dy: dy * (_one(y) - y * y))
_derivative("SigmoidGrad", lambda y, dy: dy * (y * (_one(y) - y)))
_derivative("ReciprocalGrad", _where_it_comes(lambda y, dy: -y * y * dy), rounds=True)
_derivative("InvGrad", _where_it_comes(lambda y, dy: -y * y * dy), rounds=True)


# How many bits of a byte are set. numpy's own bit_count takes the absolute value of a negative number first.
_BITS_SET = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


@kernel("PopulationCount")
def population_count(x: Any) -> Any:
    """Return the number of bits set in each element, as uint8."""
    values = np.ascontiguousarray(x)
    per_byte = _BITS_SET[values.view(np.uint8).reshape((*np.shape(x), values.itemsize))]
    return per_byte.sum(axis=-1, dtype=np.uint8)


shape("PopulationCount")(unchanged)


@kernel("ApproximateEqual")
def approximate_equal(x: Any, y: Any, *, tolerance: float) -> Any:
    """Return whether |x - y| < tolerance. Raises: InvalidArgumentError for different shapes."""
    if np.shape(x) != np.shape(y):
        raise errors.InvalidArgumentError(
            f"x and y must be of the same shape. x shape: {shape_text(np.shape(x))}. y shape: {shape_text(np.shape(y))}"
        )
    larger, smaller = np.maximum(x, y), np.minimum(x, y)
    return larger - smaller < x.dtype.type(tolerance)


@shape("ApproximateEqual")
def approximate_equal_shape(c: ShapeContext) -> list[Any]:
    return [merge(c.shape(0), c.shape(1))]


@kernel("ClipByValue")
def clip_by_value(x: Any, low: Any, high: Any) -> Any:
    """Return x limited to [low, high], each a scalar or of x's shape. Where high is below low this is low.

    A limit that is NaN does not limit.
    """
    shapes = [np.shape(v) for v in (x, low, high)]
    if any(s not in ((), shapes[0]) for s in shapes[1:]):
        of = [shape_text(s) for s in shapes]
        raise errors.InvalidArgumentError(
            "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
            f"input shape: {of[0]}clip_value_min shape: {of[1]}clip_value_max shape: {of[2]}"
        )
    if np.isnan(np.sum(low)) or np.isnan(np.sum(high)):
        below = np.where(high < x, high, x)
        return np.where(below < low, low, below)
    return np.maximum(np.minimum(x, high), low)


shape("ClipByValue")(unchanged)
