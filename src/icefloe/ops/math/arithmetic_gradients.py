"""Gradient rules of elementwise functions of two arguments and of choices; what was broadcast is summed again."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    after,
    cast,
    conj,
    ones,
    ones_like,
    reshape,
    same_known_shape,
    select,
    shape_of,
    unbroadcast,
    zeros_like,
)

Pair = tuple[Any, Any]


@gradient("AddN", "AccumulateNV2")
def add_n(op: Operation, grad: Any) -> list[Any]:
    """The gradient for each term."""
    return [grad] * len(op.inputs)


@gradient("Add", "AddV2")
def add(op: Operation, grad: Any) -> Pair:
    """The gradient for both."""
    x, y = op.inputs
    return (grad, grad) if same_known_shape(x, y, grad) else unbroadcast(x, y, grad, grad)


@gradient("Sub")
def subtract(op: Operation, grad: Any) -> Pair:
    """The gradient and its negative."""
    x, y = op.inputs
    return (grad, -grad) if same_known_shape(x, y, grad) else unbroadcast(x, y, grad, -grad)


@gradient("Mul")
def multiply(op: Operation, grad: Any) -> Pair:
    """The gradient times the other factor."""
    x, y = op.inputs
    if same_known_shape(x, y, grad) and grad.dtype in (datatypes.int32, datatypes.float32):
        return apply_op("Mul", grad, y), apply_op("Mul", grad, x)
    gx = apply_op("Mul", grad, conj(y))
    return unbroadcast(x, y, gx, apply_op("Mul", conj(x), grad))


@gradient("MulNoNan")
def multiply_no_nan(op: Operation, grad: Any) -> Pair:
    """As a product, where a zero of the second factor wins over NaN."""
    x, y = op.inputs
    parts = apply_op("MulNoNan", grad, y), apply_op("MulNoNan", x, grad)
    return parts if same_known_shape(x, y, grad) else unbroadcast(x, y, *parts)


def _quotient(op: Operation, grad: Tensor, divide: str, name: str) -> Pair:
    x, y = op.inputs
    cx, cy = conj(x), conj(y)
    gx = apply_op(divide, grad, cy, name=name)
    ratio = apply_op(divide, apply_op(divide, -cx, cy, name=name), cy, name=name)
    return unbroadcast(x, y, gx, grad * ratio)


@gradient("Div", "RealDiv")
def divide(op: Operation, grad: Tensor) -> Pair:
    """dx/y and -x/y^2 dy."""
    if op.type == "Div" and grad.dtype.is_integer:
        return _quotient(op, grad, "Div", "truediv")
    return _quotient(op, grad, "RealDiv", "truediv" if op.type == "Div" else "RealDiv")


@gradient("DivNoNan")
def divide_no_nan(op: Operation, grad: Tensor) -> Pair:
    """As a quotient, zero where the divisor is zero."""
    return _quotient(op, grad, "DivNoNan", "div_no_nan")


@gradient("FloorMod")
def floor_mod(op: Operation, grad: Tensor) -> Pair:
    """x - floor(x/y) y."""
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    quotient = apply_op("FloorDiv", x, y)
    return unbroadcast(x, y, grad, grad * -quotient)


@gradient("FloorDiv", "TruncateDiv")
def whole_quotient(op: Operation, grad: Any) -> tuple[None, None]:
    """Steps pass no gradient."""
    return None, None


@gradient("Pow")
def power(op: Operation, grad: Tensor) -> Pair:
    """y x^(y-1) dx and x^y log x dy, the latter zero where x is not positive."""
    x, y = op.inputs
    cx, cy = conj(x), conj(y)
    gx = grad * cy * apply_op("Pow", cx, cy - 1)
    mask = apply_op("NotEqual", cx, 0) if x.dtype.is_complex else cx > 0
    safe = apply_op("Select", mask, cx, ones_like(x))
    log = apply_op("Select", mask, apply_op("Log", safe), zeros_like(x))
    return unbroadcast(x, y, gx, grad * conj(op.outputs[0]) * log)


@gradient("Maximum", "Minimum")
def extreme(op: Operation, grad: Tensor) -> Pair:
    """The gradient goes to the one chosen; to the first if both are equal."""
    x, y = op.inputs
    zeros = zeros_like(grad)
    mask = apply_op("GreaterEqual" if op.type == "Maximum" else "LessEqual", x, y)
    gx = select(mask, grad, zeros)
    return unbroadcast(x, y, gx, select(mask, zeros, grad))


@gradient("SquaredDifference")
def squared_difference(op: Operation, grad: Tensor) -> Pair:
    """2 (x - y) dx and its negative."""
    x, y = op.inputs
    with after(grad):
        gx = apply_op("Mul", constant(2.0, dtype=grad.dtype, name="scalar"), grad) * (x - y)
    return (gx, -gx) if same_known_shape(x, y, grad) else unbroadcast(x, y, gx, -gx)


@gradient("Atan2")
def atan2(op: Operation, grad: Tensor) -> Pair:
    """x dy / (x^2 + y^2) and -y dx / (x^2 + y^2)."""
    y, x = op.inputs
    with after(grad):
        scaled = grad / (apply_op("Square", y) + apply_op("Square", x))
        return unbroadcast(y, x, x * scaled, -y * scaled)


def _partials(op: Operation, grad: Tensor, first: int, make: Any) -> Pair:
    """Return the two partial derivatives `make` gives times the gradient, summed over what was broadcast."""
    x, y = op.inputs[first : first + 2]
    x_shape, y_shape = shape_of(x), shape_of(y)
    axes = apply_op("BroadcastGradientArgs", x_shape, y_shape)
    with after(grad):
        partials = make()
        return tuple(  # type: ignore[return-value]
            None if partial is None else reshape(apply_op("Sum", partial * grad, over), size)
            for partial, over, size in zip(partials, axes, (x_shape, y_shape))
        )


@gradient("Xlogy", "Xlog1py", "Xdivy")
def zero_times(op: Operation, grad: Tensor) -> Pair:
    """Of x log y, x log(1 + y) and x / y, where a zero x gives zero."""
    x, y = op.inputs

    def make() -> Pair:
        with name_scope(None, "Cast"):
            zero = cast(constant(0.0, name="x"), x.dtype)
        by_x = apply_op(op.type, cast(apply_op("NotEqual", x, zero), x.dtype), y)
        if op.type == "Xdivy":
            return by_x, apply_op("Xdivy", -x, y**2)
        return by_x, apply_op("Xdivy", x, y if op.type == "Xlogy" else y + 1.0)

    return _partials(op, grad, 0, make)


@gradient("Igamma", "Igammac")
def incomplete_gamma(op: Operation, grad: Tensor) -> Pair:
    """By x: e^-x x^(a-1) / gamma(a); by a, an op of its own."""
    a, x = op.inputs

    def make() -> Pair:
        by_a = apply_op("IgammaGradA", a, x)
        return by_a, apply_op("Exp", -x + (a - 1) * apply_op("Log", x) - apply_op("Lgamma", a))

    ga, gx = _partials(op, grad, 0, make)
    return (-ga, -gx) if op.type == "Igammac" else (ga, gx)


@gradient("Betainc")
def incomplete_beta(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By x alone: x^(a-1) (1-x)^(b-1) / beta(a, b)."""
    a, b, x = op.inputs
    a_shape, x_shape = shape_of(a), shape_of(x)
    axes = apply_op("BroadcastGradientArgs", a_shape, x_shape)[1]
    log_beta = apply_op("Lgamma", a) + apply_op("Lgamma", b) - apply_op("Lgamma", a + b)
    partial = apply_op("Exp", apply_op("Xlog1py", b - 1, -x) + apply_op("Xlogy", a - 1, x) - log_beta)
    return None, None, reshape(apply_op("Sum", partial * grad, axes), x_shape)


@gradient("Zeta")
def zeta(op: Operation, grad: Tensor) -> Pair:
    """By q alone: -x zeta(x + 1, q)."""
    x, q = op.inputs
    return _partials(op, grad, 0, lambda: (None, -x * apply_op("Zeta", x + 1, q)))


@gradient("Polygamma")
def polygamma(op: Operation, grad: Tensor) -> Pair:
    """By x alone: polygamma(n + 1, x)."""
    n, x = op.inputs
    return _partials(op, grad, 0, lambda: (None, apply_op("Polygamma", n + 1, x)))


@gradient("NextAfter")
def next_after(op: Operation, grad: Tensor) -> Pair:
    """One for the first, zero for the second."""
    x, y = op.inputs
    return _partials(op, grad, 0, lambda: (ones(shape_of(x), x.dtype), zeros_like(y)))


not_differentiable(
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "Equal",
    "ApproximateEqual",
    "NotEqual",
    "LogicalAnd",
    "LogicalOr",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "LeftShift",
    "RightShift",
)


# Choices


@gradient("Select")
def choose(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient where each was chosen."""
    condition = op.inputs[0]
    zeros = zeros_like(op.inputs[1])
    return None, apply_op("Select", condition, grad, zeros), apply_op("Select", condition, zeros, grad)


@gradient("SelectV2")
def choose_broadcast(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient where each was chosen, summed over what was broadcast."""
    condition, x, y = op.inputs
    zeros = constant(0, dtype=grad.dtype.base_dtype, shape=[], name="zeros")
    gx, gy = select(condition, grad, zeros), select(condition, zeros, grad)
    gx, _ = unbroadcast(x, op.outputs[0], gx, None)
    gy, _ = unbroadcast(y, op.outputs[0], gy, None)
    return None, gx, gy


@gradient("ClipByValue")
def clip(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient where the value was not clipped; where it was, for the bound."""
    x, low, high = op.inputs
    zeros = zeros_like(grad)
    below, above = apply_op("Less", x, low), apply_op("Greater", x, high)
    inside = apply_op("LogicalNot", apply_op("LogicalOr", below, above))
    gx = select(inside, grad, zeros)
    _, g_low = unbroadcast(x, low, None, select(below, grad, zeros))
    _, g_high = unbroadcast(x, high, None, select(above, grad, zeros))
    return gx, g_low, g_high
