"""Elementwise arithmetic of two broadcast inputs.

Integers wrap around. Integer division checks for zero: numpy would answer 0.
Source: tensorflow/core/kernels/cwise_ops.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import broadcast
from icefloe.ops.math.tables import binary, through_float32

Function = Callable[..., Any]


def _refusing_zero(function: Function, error: errors.OpError) -> Function:
    """Return `function` of integers that raises an error like `error` where the divisor has a zero."""

    def checked(x: Any, y: Any) -> Any:
        if not y.all() and x.size:
            np.broadcast_shapes(np.shape(x), np.shape(y))  # shapes that do not fit are refused first
            raise type(error)(error.message)
        return function(x, y)

    return checked


_BY_ZERO = errors.InvalidArgumentError("Integer division by zero")
# TensorFlow's kernels of TruncateDiv and TruncateMod were never told that they can fail.
_UNEXPECTED = errors.InternalError("Unexpected error in binary operator (only integer div and mod should have errors)")


def truncate_div_integers(x: Any, y: Any) -> Any:
    """Return x / y rounded toward zero: floor division, plus one where it is inexact and negative."""
    quotient = np.floor_divide(x, y)
    if x.dtype.kind == "u":
        return quotient
    return quotient + ((quotient * y != x) & ((x < 0) != (y < 0)))


def floor_div(x: Any, y: Any) -> Any:
    """Return floor(x / y). numpy's floor_divide differs: it rounds the exact quotient, not the float one."""
    return np.floor(np.true_divide(x, y))


def truncate_div(x: Any, y: Any) -> Any:
    return np.trunc(np.true_divide(x, y))


def floor_mod(x: Any, y: Any) -> Any:
    """Return the remainder with the sign of y; zero keeps the sign of x, where numpy's mod takes y's."""
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


binary("AddV2", function=np.add)
binary("Sub", function=np.subtract)
binary("Mul", function=np.multiply)
binary("Maximum", function=np.maximum)
binary("Minimum", function=np.minimum)
binary("Div", function=np.true_divide, integer=_refusing_zero(truncate_div_integers, _BY_ZERO))
binary("RealDiv", function=np.true_divide, integer=_refusing_zero(truncate_div_integers, _BY_ZERO))
binary("FloorDiv", function=floor_div, integer=_refusing_zero(np.floor_divide, _BY_ZERO))
binary("TruncateDiv", function=truncate_div, integer=_refusing_zero(truncate_div_integers, _UNEXPECTED))
binary("FloorMod", function=floor_mod, integer=_refusing_zero(np.remainder, _BY_ZERO))
binary("Mod", function=np.fmod, integer=_refusing_zero(np.fmod, _BY_ZERO))
binary("TruncateMod", function=np.fmod, integer=_refusing_zero(np.fmod, _UNEXPECTED))
binary("Atan2", function=np.arctan2)
binary("NextAfter", function=np.nextafter)


@kernel("Add", factory=True)
def add(*, T: DType) -> Function:
    """Return x + y; strings are joined."""
    return _join if T.name == "string" else np.add


def _join(x: Any, y: Any) -> Any:
    return np.asarray(np.add(x, y), object)


shape("Add")(broadcast)


def squared_difference(x: Any, y: Any) -> Any:
    """Return (x - y)^2, for complex numbers |x - y|^2."""
    return np.square(np.subtract(x, y))


def _squared_distance(x: Any, y: Any) -> Any:
    difference = np.subtract(x, y)
    return difference * np.conjugate(difference)


binary("SquaredDifference", function=squared_difference, complex_=_squared_distance)


def power(x: Any, y: Any) -> Any:
    """Return x ** y. The commonest exponents need no pow()."""
    if np.ndim(y) == 0:
        if y == 2:
            return np.square(x)
        if y == 0.5:
            return np.where(np.isneginf(x), np.inf, np.sqrt(x) + x.dtype.type(0)).astype(x.dtype, copy=False)
        if y == 1:
            return np.positive(x)
    return np.power(x, y)


def power_integers(x: Any, y: Any) -> Any:
    """Return x ** y. Raises: InvalidArgumentError for a negative exponent."""
    if y.dtype.kind == "i" and np.any(y < 0) and x.size:
        raise errors.InvalidArgumentError("Integers to negative integer powers are not allowed")
    return np.power(x, y)


binary("Pow", function=power, integer=power_integers, complex_=np.power)


def _zero_where(zero: Callable[[Any, Any], Any], function: Function) -> Function:
    """Return `function` with 0 where `zero` of the inputs holds, whatever the function gives there."""

    def guarded(x: Any, y: Any) -> Any:
        return np.where(zero(x, y), x.dtype.type(0), function(x, y))

    return guarded


def _x_is_zero(x: Any, y: Any) -> Any:
    return x == 0


def _y_is_zero(x: Any, y: Any) -> Any:
    return y == 0


_xlogy = _zero_where(_x_is_zero, lambda x, y: x * np.log(y))
_xlog1py = _zero_where(_x_is_zero, lambda x, y: x * np.log1p(y))
binary("Xdivy", function=_zero_where(_x_is_zero, np.true_divide))
binary("Xlogy", function=_xlogy, narrow=through_float32(_xlogy))
binary("Xlog1py", function=_xlog1py, narrow=through_float32(_xlog1py))
binary("DivNoNan", function=_zero_where(_y_is_zero, np.true_divide))
binary("MulNoNan", function=_zero_where(_y_is_zero, np.multiply))
