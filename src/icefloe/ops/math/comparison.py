"""Comparisons, logic and bitwise functions of two broadcast inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, broadcast, broadcast_shapes
from icefloe.ops.math.tables import binary

Function = Callable[..., Any]

binary("Less", function=np.less)
binary("LessEqual", function=np.less_equal)
binary("Greater", function=np.greater)
binary("GreaterEqual", function=np.greater_equal)
binary("BitwiseAnd", function=np.bitwise_and)
binary("BitwiseOr", function=np.bitwise_or)
binary("BitwiseXor", function=np.bitwise_xor)

for _op, _function in (("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or)):
    kernel(_op)(_function)
    shape(_op)(broadcast)


def _equality(op: str, compare: Function, *, if_incompatible: bool) -> None:
    def choose(*, T: DType, incompatible_shape_error: bool) -> Function:
        function = _of_records(compare) if T.is_quantized else compare
        return function if incompatible_shape_error else _tolerant(function, if_incompatible)

    kernel(op, factory=True)(choose)


def _of_records(compare: Function) -> Function:
    """Return `compare` of the integers inside quantized records."""

    def compare_records(x: Any, y: Any) -> Any:
        return compare(x[x.dtype.names[0]], y[y.dtype.names[0]])

    return compare_records


def _tolerant(compare: Function, if_incompatible: bool) -> Function:
    """Return `compare`, but a scalar `if_incompatible` for shapes that do not broadcast."""

    def compare_any(x: Any, y: Any) -> Any:
        try:
            np.broadcast_shapes(np.shape(x), np.shape(y))
        except ValueError:
            return np.bool_(if_incompatible)
        return compare(x, y)

    return compare_any


_equality("Equal", np.equal, if_incompatible=False)
_equality("NotEqual", np.not_equal, if_incompatible=True)


@shape("Equal", "NotEqual")
def equality_shape(c: ShapeContext) -> list[Any]:
    """Broadcast; unknown where the shapes may turn out to be incompatible and that is no error."""
    if c.attr("incompatible_shape_error"):
        return broadcast(c)
    x, y = c.shape(0), c.shape(1)
    if x is None or y is None:
        return [None]
    wide = max(len(x), len(y))
    pairs = zip((1,) * (wide - len(x)) + x, (1,) * (wide - len(y)) + y)
    if all(a is not None and b is not None and (a == b or 1 in (a, b)) for a, b in pairs):
        return [broadcast_shapes(x, y)]
    return [None]


def _shift(function: Function, T: DType) -> Function:
    """Return `function` with the distance limited to 0 .. bits - 1, outside of which C leaves it undefined."""
    zero, most = T.numpy.type(0), T.numpy.type(T.size * 8 - 1)

    def shift(x: Any, y: Any) -> Any:
        return function(x, np.minimum(np.maximum(y, zero), most))

    return shift


@kernel("LeftShift", factory=True)
def left_shift(*, T: DType) -> Function:
    return _shift(np.left_shift, T)


@kernel("RightShift", factory=True)
def right_shift(*, T: DType) -> Function:
    """Shift right; the sign bit of a signed integer is repeated."""
    return _shift(np.right_shift, T)


shape("LeftShift", "RightShift")(broadcast)
