"""Derivatives that belong to the regularised lower incomplete gamma function P(a, x) and that scipy has not.

Below x = max(1, a) the power series is differentiated term by term, above it the continued fraction of Q = 1 - P,
where P's series would cancel. Both come without the factor x^a e^-x / Gamma, which is all that under- and overflows.
Source: Cephes igam and igamc, and their derivatives as in Eigen's SpecialFunctionsImpl.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_STEPS = 2000
_EPSILON = 2.0**-52
_BIG = 2.0**52


def gamma_p_derivative(a: Any, x: Any) -> Any:
    """Return dP(a, x)/da in float64 for broadcast `a` > 0 and `x` >= 0; NaN outside."""
    from scipy import special

    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    slope = _slope_over_density(a, x)
    with np.errstate(all="ignore"):
        density = np.exp((a - 1) * np.log(x) - x - special.gammaln(a))
    result = np.asarray(slope * density) + 0.0  # without the sign of what has become 0
    vanishes = (a > 0) & ((x == 0) | (np.isfinite(a) & np.isposinf(x)) | (np.isposinf(a) & (x > 0) & np.isfinite(x)))
    return np.where(vanishes, 0.0, result)


def gamma_sample_derivative(a: Any, x: Any) -> Any:
    """Return dx/da of a sample `x` of the gamma distribution with shape `a`: -(dP/da) / (dP/dx), in float64."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    result = np.asarray(-_slope_over_density(a, x))
    result[(a > 0) & (x == 0)] = 0.0
    return result


def _slope_over_density(a: Any, x: Any) -> Any:
    """Return (dP/da) / (dP/dx) for a > 0 and 0 < x < infinity, elsewhere NaN."""
    result = np.full(a.shape, np.nan)
    valid = (x > 0) & (a > 0) & np.isfinite(x) & np.isfinite(a)
    above = valid & (x > 1) & (x > a)
    below = valid & ~above
    result[below] = x[below] / a[below] * _by_series(a[below], x[below])
    result[above] = -x[above] * _by_fraction(a[above], x[above])
    return result


def _by_series(a: Any, x: Any) -> Any:
    """Return dP/da over x^a e^-x / Gamma(a + 1)."""
    from scipy import special

    r, c, total = a.copy(), np.ones_like(a), np.ones_like(a)
    dc, dtotal = np.zeros_like(a), np.zeros_like(a)
    for _ in range(_STEPS):
        r += 1
        term = x / r
        dc = term * dc - term / r * c
        dtotal += dc
        c *= term
        total += c
        if np.all(np.abs(dc) <= _EPSILON * np.abs(dtotal)):
            break
    return total * (np.log(x) - special.psi(a + 1)) + dtotal


def _by_fraction(a: Any, x: Any) -> Any:
    """Return dQ/da over x^a e^-x / Gamma(a).

    p/q is the convergent, dp and dq its derivatives; each step keeps the last two.
    """
    from scipy import special

    y, z, step = 1 - a, x + (1 - a) + 1, 0.0
    p2, q2, p1, q1 = np.ones_like(a), x.copy(), x + 1, z * x
    dp2, dq2, dp1, dq1 = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a), -x
    value = p1 / q1
    slope = (dp1 - value * dq1) / q1
    for _ in range(_STEPS):
        step, y, z = step + 1, y + 1, z + 2
        yc = y * step
        p, q = p1 * z - p2 * yc, q1 * z - q2 * yc
        dp = dp1 * z - p1 - dp2 * yc + p2 * step
        dq = dq1 * z - q1 - dq2 * yc + q2 * step
        before = slope
        value = np.where(q != 0, p / q, value)
        slope = np.where(q != 0, (dp - value * dq) / q, slope)
        p2, q2, p1, q1, dp2, dq2, dp1, dq1 = p1, q1, p, q, dp1, dq1, dp, dq
        shrink = np.where(np.abs(p) > _BIG, 1 / _BIG, 1.0)
        p2, q2, p1, q1, dp2, dq2, dp1, dq1 = (v * shrink for v in (p2, q2, p1, q1, dp2, dq2, dp1, dq1))
        if np.all(np.abs(slope - before) <= _EPSILON):
            break
    return value * (np.log(x) - special.psi(a)) + slope
