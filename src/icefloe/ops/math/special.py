"""Special functions, by scipy. Where TensorFlow's edge values differ from scipy's, TensorFlow's stand.

scipy is imported when a plan that needs it is built. Its functions compute float32 in float32 or better; half and
bfloat16 go through float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, broadcast, merge, shape_text, unchanged
from icefloe.ops.math import error_function
from icefloe.ops.math.incomplete_gamma import gamma_p_derivative, gamma_sample_derivative
from icefloe.ops.math.tables import through_float32

Function = Callable[..., Any]


def _special(op: str, name: str, edges: Callable[[Function], Function] | None = None, *, rule: Any = unchanged) -> None:
    """Register scipy.special's `name` for `op`; `edges` wraps it where TensorFlow has other values."""

    def choose(*, T: DType) -> Function:
        from scipy import special

        function: Function = getattr(special, name)
        if edges is not None:
            function = edges(function)
        if rule is broadcast:
            function = _pinned(function, T.numpy)
        return through_float32(function) if T in (datatypes.float16, datatypes.bfloat16) else function

    kernel(op, factory=True)(choose)
    shape(op)(rule)


def _pinned(function: Function, to: np.dtype) -> Function:
    """Return `function` with results of dtype `to`: numpy before 2.0 computes an array with a scalar in float64."""
    return lambda *x: np.asarray(function(*x)).astype(to, copy=False)


def _where(condition: Callable[..., Any], value: float) -> Callable[[Function], Function]:
    """Return an edge rule: `value` where `condition` of the inputs holds."""

    def edges(function: Function) -> Function:
        def edged(*x: Any) -> Any:
            return np.where(condition(*x), x[0].dtype.type(value), function(*x))

        return edged

    return edges


def _output(index: int) -> Callable[[Function], Function]:
    return lambda function: lambda x: function(x)[index]


def _in_float32(op: str, name: str, function: Callable[[Any, Any], None]) -> None:
    """Register scipy.special's `name` for `op`, but for large float32 arrays `function`."""

    def choose(*, T: DType) -> Function:
        from scipy import special

        exact: Function = getattr(special, name)
        if T is datatypes.float64:
            return exact
        quick = error_function.blockwise(function, exact)
        return quick if T is datatypes.float32 else through_float32(quick)

    kernel(op, factory=True)(choose)
    shape(op)(unchanged)


_in_float32("Erf", "erf", error_function.erf)
_in_float32("Erfc", "erfc", error_function.erfc)
_special("Erfinv", "erfinv")
_special("Ndtri", "ndtri")
_special("Lgamma", "gammaln", _where(np.isneginf, np.inf))
_special("Digamma", "psi", _where(lambda x: x == 0, np.nan))
_special("BesselI0", "i0")
_special("BesselI0e", "i0e")
_special("BesselI1", "i1")
_special("BesselI1e", "i1e")
_special("BesselJ0", "j0")
_special("BesselJ1", "j1")
_special("BesselK0", "k0", _where(lambda x: x < 0, np.inf))
_special("BesselK0e", "k0e", _where(lambda x: x < 0, np.inf))
_special("BesselK1", "k1", _where(lambda x: x < 0, np.inf))
_special("BesselK1e", "k1e", _where(lambda x: x < 0, np.inf))
_special("BesselY0", "y0", _where(lambda x: x < 0, -np.inf))
_special("BesselY1", "y1", _where(lambda x: x < 0, -np.inf))
_special("Dawsn", "dawsn")
_special("Expint", "expi", _where(lambda x: (x < 0) | np.isinf(x), np.nan))
_special("FresnelSin", "fresnel", _output(0))
_special("FresnelCos", "fresnel", _output(1))
_special("Spence", "spence")


def _gamma_p_edges(function: Function) -> Function:
    def igamma(a: Any, x: Any) -> Any:
        inside = np.where((a <= 0) | np.isnan(a), a.dtype.type(np.nan), function(a, x))
        return np.where((x == 0) | (np.isinf(a) & np.isinf(x)), a.dtype.type(0), inside)

    return igamma


def _gamma_q_edges(function: Function) -> Function:
    def igammac(a: Any, x: Any) -> Any:
        inside = np.where((a <= 0) | np.isnan(a), a.dtype.type(np.nan), function(a, x))
        return np.where(np.isposinf(a) & np.isposinf(x), a.dtype.type(0), inside)

    return igammac


def _zeta_edges(function: Function) -> Function:
    def zeta(x: Any, q: Any) -> Any:
        # At the poles q = 0, -1, -2, ... it is infinite for an even x; else the sign would be undefined, and it is NaN.
        value = function(x, q)
        pole = (q <= 0) & (q == np.floor(q))
        even = np.isposinf(x) | (np.fmod(x, x.dtype.type(2)) == 0)
        value = np.where(pole & ~even & ~(x <= 1), x.dtype.type(np.nan), value)
        value = np.where(np.isposinf(x) & (q > 1), x.dtype.type(0), value)
        return np.where(np.isnan(x), x.dtype.type(np.nan), value)

    return zeta


def _polygamma(n: Any, x: Any) -> Any:
    """Return the n-th derivative of digamma, (-1)^(n+1) n! zeta(n+1, x); NaN where n is no whole number or negative."""
    from scipy import special

    one = n.dtype.type(1)
    sign = np.where(np.fmod(n, n.dtype.type(2)) == 0, -one, one)
    factorial = np.exp(special.gammaln(n + one)) if n.dtype == np.float64 else special.gamma(n + one)
    value = np.where(n == 0, special.psi(x), sign * factorial * special.zeta(n + one, x))
    whole = (n >= 0) & (n == np.floor(n))
    pole = (x <= 0) & (x == np.floor(x)) & (np.fmod(n, n.dtype.type(2)) == 0)
    return np.where(whole & ~pole, value, n.dtype.type(np.nan)).astype(n.dtype, copy=False)


_special("Igamma", "gammainc", _gamma_p_edges, rule=broadcast)
_special("Igammac", "gammaincc", _gamma_q_edges, rule=broadcast)
_special("Zeta", "zeta", _zeta_edges, rule=broadcast)
kernel("Polygamma")(_polygamma)
shape("Polygamma")(broadcast)


@kernel("IgammaGradA")
def igamma_grad_a(a: Any, x: Any) -> Any:
    """Return the derivative of Igamma(a, x) with respect to a."""
    return gamma_p_derivative(a, x).astype(a.dtype)


@kernel("RandomGammaGrad")
def random_gamma_grad(alpha: Any, sample: Any) -> Any:
    """Return the derivative of samples of a gamma distribution with respect to its shape `alpha`."""
    return gamma_sample_derivative(alpha, sample).astype(alpha.dtype)


shape("IgammaGradA", "RandomGammaGrad")(broadcast)


@kernel("Betainc")
def betainc(a: Any, b: Any, x: Any) -> Any:
    """Return the regularised incomplete beta function; a, b and x are scalars or of one shape.

    Raises: InvalidArgumentError for different shapes.
    """
    from scipy import special

    shapes = {np.shape(v) for v in (a, b, x) if np.ndim(v)}
    if len(shapes) > 1:
        first = "a and b" if np.ndim(a) and np.ndim(b) and np.shape(a) != np.shape(b) else "a and x"
        other = b if first == "a and b" else x
        raise errors.InvalidArgumentError(
            f"Shapes of {first} are inconsistent: {shape_text(np.shape(a))} vs. {shape_text(np.shape(other))}"
        )
    one, nan = x.dtype.type(1), x.dtype.type(np.nan)
    value = special.betainc(a, b, x)
    value = np.where((a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b), value, nan)
    certain = ~((a <= 0) | (b <= 0)) & ((x == 0) | (x == 1))
    return np.where(certain, np.where(x == 1, one, x.dtype.type(0)), value)


@shape("Betainc")
def betainc_shape(c: ShapeContext) -> list[Any]:
    """The inputs that are no scalars have one shape, which the result takes."""
    result: Any = ()
    for i in range(3):
        s = c.shape(i)
        if s is None:
            result = None if result == () else result
        elif s:
            result = merge(result, s) if result else s
    return [result]
