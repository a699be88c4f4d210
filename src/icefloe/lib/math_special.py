"""Special functions, each a node in a scope of its own name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.math_reduce import reduce_sum


def _special(op: str, scope: str, what: str) -> Callable[..., Tensor]:
    def function(x: Any, name: str | None = None) -> Tensor:
        with name_scope(name, scope, [x]):
            return apply_op(op, x)

    function.__name__ = function.__qualname__ = scope
    function.__doc__ = f"Return {what}, elementwise."
    return function


bessel_i0 = _special("BesselI0", "bessel_i0", "the modified Bessel function I0")
bessel_i0e = _special("BesselI0e", "bessel_i0e", "exp(-|x|) I0(x)")
bessel_i1 = _special("BesselI1", "bessel_i1", "the modified Bessel function I1")
bessel_i1e = _special("BesselI1e", "bessel_i1e", "exp(-|x|) I1(x)")
bessel_j0 = _special("BesselJ0", "bessel_j0", "the Bessel function J0")
bessel_j1 = _special("BesselJ1", "bessel_j1", "the Bessel function J1")
bessel_k0 = _special("BesselK0", "bessel_k0", "the modified Bessel function K0")
bessel_k0e = _special("BesselK0e", "bessel_k0e", "exp(x) K0(x)")
bessel_k1 = _special("BesselK1", "bessel_k1", "the modified Bessel function K1")
bessel_k1e = _special("BesselK1e", "bessel_k1e", "exp(x) K1(x)")
bessel_y0 = _special("BesselY0", "bessel_y0", "the Bessel function Y0")
bessel_y1 = _special("BesselY1", "bessel_y1", "the Bessel function Y1")
dawsn = _special("Dawsn", "dawsn", "Dawson's integral")
expint = _special("Expint", "expint", "the exponential integral Ei")
fresnel_cos = _special("FresnelCos", "fresnel_cos", "Fresnel's cosine integral")
fresnel_sin = _special("FresnelSin", "fresnel_sin", "Fresnel's sine integral")
spence = _special("Spence", "spence", "Spence's integral")


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the Beta function of the vectors in the last axis."""
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        logs = reduce_sum(apply_op("Lgamma", x), axis=[-1])
        return logs - apply_op("Lgamma", reduce_sum(x, axis=[-1]))
