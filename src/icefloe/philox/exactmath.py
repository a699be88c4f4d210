"""logf and sincosf, the same to the last bit as the GNU C library's, in numpy.

Log, sin and cos in double through `math`.

TensorFlow's normal random numbers go through these functions of the C library, so the exact bits of a random float32
depend on them. numpy's own float32 versions differ in the last bit for every fifth argument.

Each float32 function is a polynomial evaluated in double and rounded once. logf: x = 2^k z with z near 1, a table
gives c near z with 1/c and log(c), and log(x) = log1p(z/c - 1) + log(c) + k log 2. sincosf: n = round(x 2/pi), then
sine and cosine polynomials of x - n pi/2.

Source: constants and order of operations of ARM's optimized-routines (MIT licence): math/logf.c, math/sincosf.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Doubles: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def _hex(*texts: str) -> Doubles:
    return np.array([float.fromhex(t) for t in texts])


# i, from the top four bits of z below 2^0.68, and 1/c, log(c)
_INVERSE, _LOG = _hex(
    *["0x1.661ec79f8f3bep+0", "0x1.571ed4aaf883dp+0", "0x1.49539f0f010bp+0", "0x1.3c995b0b80385p+0"],
    *["0x1.30d190c8864a5p+0", "0x1.25e227b0b8eap+0", "0x1.1bb4a4a1a343fp+0", "0x1.12358f08ae5bap+0"],
    *["0x1.0953f419900a7p+0", "0x1p+0", "0x1.e608cfd9a47acp-1", "0x1.ca4b31f026aap-1"],
    *["0x1.b2036576afce6p-1", "0x1.9c2d163a1aa2dp-1", "0x1.886e6037841edp-1", "0x1.767dcf5534862p-1"],
    *["-0x1.57bf7808caadep-2", "-0x1.2bef0a7c06ddbp-2", "-0x1.01eae7f513a67p-2", "-0x1.b31d8a68224e9p-3"],
    *["-0x1.6574f0ac07758p-3", "-0x1.1aa2bc79c81p-3", "-0x1.a4e76ce8c0e5ep-4", "-0x1.1973c5a611cccp-4"],
    *["-0x1.252f438e10c1ep-5", "0x0p+0", "0x1.aa5aa5df25984p-5", "0x1.c5e53aa362eb4p-4"],
    *["0x1.526e57720db08p-3", "0x1.bc2860d22477p-3", "0x1.1058bc8a07ee1p-2", "0x1.4043057b6ee09p-2"],
).reshape(2, 16)
_LN2 = float.fromhex("0x1.62e42fefa39efp-1")
_A0, _A1, _A2 = _hex("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2").tolist()
_LOG_OFFSET = 0x3F330000  # bits of 2^-0.5, rounded down to the table's grid


def logf(x: Floats) -> Floats:
    """Return the natural logarithm of normal, positive, finite `x`."""
    bits = x.view(np.int32)
    shifted = bits - np.int32(_LOG_OFFSET)
    index = (shifted >> np.int32(19)) & np.int32(15)
    exponent = shifted >> np.int32(23)
    z = (bits - (exponent << np.int32(23))).view(np.float32).astype(np.float64)
    r = np.take(_INVERSE, index)
    r *= z
    r -= 1.0
    y0 = exponent * _LN2
    y0 += np.take(_LOG, index)
    y = r * _A1
    y += _A2
    r2 = r * r
    y += r2 * _A0
    y *= r2
    y0 += r
    y += y0
    return y.astype(np.float32)


_TO_QUADRANT = float.fromhex("0x1.45F306DC9C883p+23")  # 2/pi * 2^24
_HALF_PI = float.fromhex("0x1.921FB54442D18p0")
_C1, _C2, _C3, _C4 = _hex(
    "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16"
).tolist()
_S1, _S2, _S3 = _hex("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13").tolist()
_TINY_TOP = int(np.float32(2.0**-12).view(np.uint32)) >> 20
_SMALL_TOP = int(np.float32(math.pi / 4).view(np.uint32)) >> 20


def sincosf(y: Floats) -> tuple[Floats, Floats]:
    """Return `(sin(y), cos(y))` for 0 <= y < 120."""
    top = y.view(np.int32) >> np.int32(20)
    x = y.astype(np.float64)
    n = (x * _TO_QUADRANT).astype(np.int32)
    n += np.int32(0x800000)
    n >>= np.int32(24)
    n *= top >= np.int32(_SMALL_TOP)
    x -= n * _HALF_PI
    x2 = x * x
    x4 = x2 * x2
    # The sign is taken out of the polynomials: negation commutes with every rounding.
    sine = x2 * _S3
    sine += _S2
    x3 = x2 * x
    x5 = x3 * x2
    sine *= x5
    x3 *= _S1
    x3 += x
    sine += x3
    cosine = x2 * _C1
    cosine += 1.0
    cosine += x4 * _C2
    tail = x2 * _C4
    tail += _C3
    x4 *= x2
    tail *= x4
    cosine += tail
    s, c = sine.astype(np.float32), cosine.astype(np.float32)
    tiny = top < np.int32(_TINY_TOP)
    if tiny.any():
        s[tiny] = y[tiny]
        c[tiny] = 1.0
    odd = (n & np.int32(1)).astype(np.bool_)
    # quadrant n:  0: (s, c)   1: (c, -s)   2: (-s, -c)   3: (-c, s)
    sin, cos = np.where(odd, c, s), np.where(odd, s, c)
    sin.view(np.uint32)[...] ^= (n.view(np.uint32) & np.uint32(2)) << np.uint32(30)
    cos.view(np.uint32)[...] ^= ((n + np.int32(1)).view(np.uint32) & np.uint32(2)) << np.uint32(30)
    return sin, cos


def _mapped(function: Callable[[float], float], x: Doubles) -> Doubles:
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def log(x: Doubles) -> Doubles:
    """Return the C library's logarithm of positive `x`; numpy's vectorised one may differ in the last bit."""
    return _mapped(math.log, x)


def sincos(x: Doubles) -> tuple[Doubles, Doubles]:
    """Return the C library's `(sin(x), cos(x))`; numpy's vectorised ones may differ in the last bit."""
    return _mapped(math.sin, x), _mapped(math.cos, x)


def log1p(x: Doubles) -> Doubles:
    """Return the C library's log(1 + x) of `x` above -1."""
    return _mapped(math.log1p, x)


def power(x: Doubles, y: Doubles) -> Doubles:
    """Return the C library's `x ** y` for `x` in [0, 1); a negative `y` is left to numpy, as it may overflow."""
    if (y < 0).any():
        return np.power(x, y)
    return np.fromiter(map(math.pow, x.tolist(), y.tolist()), np.float64, x.size)
