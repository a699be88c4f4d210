"""Gradient rules of elementwise functions of one argument, and of the ops that compute these gradients.

A rule that uses the input waits for the gradient, so that nothing is computed that is not asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import after, conj, ones_like, select, unbroadcast, zeros_like


def _of(function: str) -> Callable[[Tensor], Tensor]:
    return lambda x: apply_op(function, x)


_reciprocal, _square, _exp, _sign = _of("Reciprocal"), _of("Square"), _of("Exp"), _of("Sign")


def _with_one(op: str, x: Tensor, name: str | None = None) -> Tensor:
    """Return 1 - x^2, or 1 + x^2."""
    squared = _square(x)
    return apply_op(op, constant(1, dtype=x.dtype), squared, name=name)


# op -> derivative at x (of holomorphic functions: of the conjugate of x)
_BY_INPUT: dict[str, Callable[[Tensor], Any]] = {
    "Expm1": _exp,
    "Log": _reciprocal,
    "Log1p": lambda x: _reciprocal(1 + x),
    "Sinh": _of("Cosh"),
    "Cosh": _of("Sinh"),
    "Sin": _of("Cos"),
    "Asin": lambda x: _reciprocal(apply_op("Sqrt", _with_one("Sub", x))),
    "Atan": lambda x: _reciprocal(_with_one("AddV2", x, "Add")),
    "Atanh": lambda x: _reciprocal(_with_one("Sub", x)),
    "Lgamma": _of("Digamma"),
    "Digamma": lambda x: apply_op("Polygamma", constant(1, dtype=x.dtype), x),
    "Expint": lambda x: _exp(x) / x,
    "FresnelCos": lambda x: apply_op("Cos", math.pi / 2.0 * _square(x)),
    "FresnelSin": lambda x: apply_op("Sin", math.pi / 2.0 * _square(x)),
    "BesselI0": _of("BesselI1"),
    "BesselK0": lambda x: -apply_op("BesselK1", x),
    "BesselJ0": lambda x: -apply_op("BesselJ1", x),
    "BesselY0": lambda x: -apply_op("BesselY1", x),
}

# op -> derivative, from input and output
_BY_BOTH: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "Dawsn": lambda x, y: 1.0 - 2 * x * y,
    "BesselI0e": lambda x, y: apply_op("BesselI1e", x) - _sign(x) * y,
    "BesselI1": lambda x, y: _unless_zero(x, 1.0, apply_op("BesselI0", x) - apply_op("RealDiv", y, x)),
    "BesselI1e": lambda x, y: _unless_zero(x, 0.5, apply_op("BesselI0e", x) - y * (_sign(x) + _reciprocal(x))),
    "BesselK0e": lambda x, y: y - apply_op("BesselK1e", x),
    "BesselK1": lambda x, y: -apply_op("BesselK0", x) - apply_op("RealDiv", y, x),
    "BesselK1e": lambda x, y: y * (1.0 - _reciprocal(x)) - apply_op("BesselK0e", x),
    "BesselJ1": lambda x, y: _unless_zero(x, 0.5, apply_op("BesselJ0", x) - apply_op("RealDiv", y, x)),
    "BesselY1": lambda x, y: apply_op("BesselY0", x) - apply_op("RealDiv", y, x),
}

# op -> the op that computes its gradient from output and gradient
_BY_OUTPUT_OP = {
    "Inv": "ReciprocalGrad",
    "Reciprocal": "ReciprocalGrad",
    "Sqrt": "SqrtGrad",
    "Rsqrt": "RsqrtGrad",
}

_CONJUGATED = frozenset(("Expm1", "Log", "Log1p", "Sinh", "Cosh", "Sin", "Asin", "Atan", "Atanh", "Lgamma", "Digamma"))


def _unless_zero(x: Tensor, at_zero: float, elsewhere: Tensor) -> Tensor:
    return select(apply_op("Equal", x, 0.0), constant(at_zero, dtype=x.dtype), elsewhere)


@gradient(*_BY_INPUT)
def by_input(op: Operation, grad: Tensor) -> Tensor:
    """Return the gradient times the derivative at the input."""
    x = op.inputs[0]
    with after(grad):
        return grad * _BY_INPUT[op.type](conj(x) if op.type in _CONJUGATED else x)


@gradient(*_BY_BOTH)
def by_both(op: Operation, grad: Tensor) -> Tensor:
    """Return the gradient times the derivative, which the output helps to compute."""
    with after(grad):
        return grad * _BY_BOTH[op.type](op.inputs[0], op.outputs[0])


@gradient(*_BY_OUTPUT_OP)
def by_output_op(op: Operation, grad: Tensor) -> Tensor:
    """Return the gradient as an op of its own computes it from the output."""
    return apply_op(_BY_OUTPUT_OP[op.type], op.outputs[0], grad)


@gradient("Tanh", "Sigmoid")
def saturating(op: Operation, grad: Tensor) -> Tensor:
    """Return the gradient as TanhGrad or SigmoidGrad computes it from the output."""
    with after(grad):
        return apply_op(f"{op.type}Grad", conj(op.outputs[0]), grad)


@gradient("Neg")
def neg(op: Operation, grad: Tensor) -> Tensor:
    """d(-x) = -dx."""
    return -grad


@gradient("Abs")
def absolute(op: Operation, grad: Tensor) -> Tensor:
    """d|x| = sign(x) dx."""
    return grad * _sign(op.inputs[0])


@gradient("ComplexAbs")
def complex_absolute(op: Operation, grad: Tensor) -> Tensor:
    """d|z| = z/|z| dz, zero at zero."""
    kind = op.inputs[0].dtype
    numerator = apply_op("Complex", grad, zeros_like(grad), Tout=kind) * op.inputs[0]
    y = op.outputs[0]
    return apply_op("DivNoNan", numerator, apply_op("Complex", y, zeros_like(y), Tout=kind), name="div_no_nan")


@gradient("Square")
def square(op: Operation, grad: Tensor) -> Tensor:
    """d(x^2) = 2 x dx."""
    x = op.inputs[0]
    with after(grad):
        x = conj(x)
        two = constant(2.0, dtype=x.dtype)
        return apply_op("Mul", grad, apply_op("Mul", x, two))


@gradient("Exp")
def exp(op: Operation, grad: Tensor) -> Tensor:
    """d(e^x) = e^x dx."""
    with after(grad):
        return grad * conj(op.outputs[0])


@gradient("Asinh")
def asinh(op: Operation, grad: Tensor) -> Tensor:
    """d asinh x = dx / cosh y."""
    with after(grad):
        return grad / apply_op("Cosh", conj(op.outputs[0]))


@gradient("Acosh")
def acosh(op: Operation, grad: Tensor) -> Tensor:
    """d acosh x = dx / sinh y."""
    with after(grad):
        return grad / apply_op("Sinh", conj(op.outputs[0]))


@gradient("Cos")
def cos(op: Operation, grad: Tensor) -> Tensor:
    """d cos x = -sin x dx."""
    with after(grad):
        return -grad * apply_op("Sin", conj(op.inputs[0]))


@gradient("Tan")
def tan(op: Operation, grad: Tensor) -> Tensor:
    """d tan x = dx / cos^2 x."""
    with after(grad):
        return _square(_reciprocal(apply_op("Cos", conj(op.inputs[0])))) * grad


@gradient("Acos")
def acos(op: Operation, grad: Tensor) -> Tensor:
    """d acos x = -dx / sqrt(1 - x^2)."""
    with after(grad):
        x = conj(op.inputs[0])
        inverse = _reciprocal(apply_op("Sqrt", _with_one("Sub", x)))
        return -grad * inverse


@gradient("Erf", "Erfc")
def erf(op: Operation, grad: Tensor) -> Tensor:
    """d erf x = 2/sqrt(pi) e^(-x^2) dx; of erfc the negative."""
    scale = 2 / math.sqrt(math.pi)
    factor = constant(scale if op.type == "Erf" else -scale, dtype=grad.dtype)
    with after(grad):
        return grad * factor * _exp(-_square(conj(op.inputs[0])))


@gradient("Erfinv")
def erfinv(op: Operation, grad: Tensor) -> Tensor:
    """d erfinv x = sqrt(pi)/2 e^(y^2) dx."""
    factor = constant(math.sqrt(math.pi) / 2, dtype=grad.dtype)
    with after(grad):
        return grad * factor * _exp(_square(op.outputs[0]))


@gradient("Ndtri")
def ndtri(op: Operation, grad: Tensor) -> Tensor:
    """d ndtri x = sqrt(2 pi) e^(y^2/2) dx."""
    factor = constant(math.sqrt(2 * math.pi), dtype=grad.dtype)
    with after(grad):
        return grad * factor * _exp(_square(op.outputs[0]) / 2.0)


@gradient("Spence")
def spence(op: Operation, grad: Tensor) -> Tensor:
    """d spence x = log x / (1 - x) dx."""
    x = op.inputs[0]
    with after(grad):
        partial = apply_op("Log", x) / (1 - x)
        return grad * apply_op("Select", apply_op("Equal", x, 1.0), -ones_like(x), partial)


@gradient("Sign")
def sign(op: Operation, grad: Tensor) -> Tensor:
    """A step: its gradient is zero."""
    return zeros_like(op.inputs[0])


# Gradients of gradients


@gradient("InvGrad", "ReciprocalGrad")
def reciprocal_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Of -dy y^2, by y and dy."""
    with after(grad):
        ca, cg = conj(op.inputs[0]), conj(grad)
        return cg * -2.0 * op.inputs[1] * ca, apply_op("ReciprocalGrad", ca, grad)


@gradient("SqrtGrad")
def sqrt_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Of dy / (2 y), by y and dy."""
    with after(grad):
        ga = grad / op.inputs[0]
        return -conj(ga) * op.outputs[0], 0.5 * ga


@gradient("RsqrtGrad")
def rsqrt_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Of -dy y^3 / 2, by y and dy."""
    with after(grad):
        ca, cg = conj(op.inputs[0]), conj(grad)
        return -1.5 * cg * op.inputs[1] * _square(ca), apply_op("RsqrtGrad", ca, grad)


@gradient("TanhGrad")
def tanh_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Of dy (1 - y^2), by y and dy."""
    with after(grad):
        a, b = conj(op.inputs[0]), conj(op.inputs[1])
        return grad * -2.0 * b * a, apply_op("TanhGrad", a, grad)


@gradient("SigmoidGrad")
def sigmoid_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Of dy y (1 - y), by y and dy."""
    with after(grad):
        a, b = conj(op.inputs[0]), conj(op.inputs[1])
        gb = grad * b
        return gb - 2.0 * gb * a, apply_op("SigmoidGrad", a, grad)


@gradient("Floor", "Ceil", "Round", "Rint")
def steps(op: Operation, grad: Tensor) -> list[None]:
    """Steps pass no gradient."""
    return [None]


not_differentiable("IsNan", "IsInf", "IsFinite", "LogicalNot", "Invert", "Bitcast")


# Complex numbers and other dtypes


@gradient("Conj")
def conjugate(op: Operation, grad: Tensor) -> Tensor:
    """The conjugate."""
    return apply_op("Conj", grad) if grad.dtype.is_complex else grad


@gradient("Real")
def real(op: Operation, grad: Tensor) -> Tensor:
    """A complex number whose imaginary part is zero."""
    return apply_op("Complex", grad, constant(0, dtype=grad.dtype), Tout=op.inputs[0].dtype)


@gradient("Imag")
def imag(op: Operation, grad: Tensor) -> Tensor:
    """The gradient is that of the coefficient of i."""
    zero = constant(0, dtype=grad.dtype)
    return apply_op("Complex", zero, grad, Tout=op.inputs[0].dtype)


@gradient("Complex")
def complex_number(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Its parts, each summed over what was broadcast."""
    x, y = op.inputs
    parts = apply_op("Real", grad, Tout=x.dtype), apply_op("Imag", grad, Tout=y.dtype)
    return unbroadcast(x, y, *parts)


@gradient("Angle")
def angle(op: Operation, grad: Tensor) -> Tensor:
    """d arg z, by the parts of z."""
    x = op.inputs[0]
    with after(grad):
        kind = grad.dtype
        re, im = apply_op("Real", x, Tout=kind), apply_op("Imag", x, Tout=kind)
        z = apply_op("Reciprocal", apply_op("Complex", im, re, Tout=x.dtype))
        zero = constant(0, dtype=kind)
        return -apply_op("Complex", grad, zero, Tout=x.dtype) * z


@gradient("Cast")
def cast_grad(op: Operation, grad: Tensor) -> Tensor | None:
    """Cast back; None unless both are floats or complex numbers."""
    source, target = op.inputs[0].dtype.base_dtype, grad.dtype.base_dtype
    if all(kind.is_floating or kind.is_complex for kind in (source, target)):
        return apply_op("Cast", grad, DstT=source)
    return None
