"""erf and erfc of large float32 arrays, four times as fast as scipy's scalar loops.

    erf(x)  = x p(x^2) / q(x^2)                          for |x| up to 3.95, from where on it rounds to 1
    erfc(x) = t r(t) exp(-x^2),  t = 1 / (1 + 0.4 x)     for x from 0 on; 2 - erfc(-x) below

p, q and r are fitted for the least relative error; results are within 8e-7 of the true values. To keep the error small
for large x, x^2 is computed in two parts, of which one is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine import threads

Array: TypeAlias = np.ndarray[Any, Any]
F = np.float32

# Arrays with fewer elements cost less in scipy's loops.
LARGE = 1 << 11
_BLOCK = 1 << 15
_SHARED = 1 << 16  # elements that are worth more than one thread

_ERF_LIMIT = F(3.95)
_ERF_TOP = [
    F(c)
    for c in (
        1.128379103710084,
        0.2025800159484741,
        0.050922860069669194,
        0.0038077100664747087,
        0.00014380553856502325,
        -1.9508747574587857e-06,
        1.9603678046293684e-08,
    )
]
_ERF_BOTTOM = [
    F(c) for c in (1.0, 0.5128633762870224, 0.11609329971633732, 0.014575489603644071, 0.0009798125997804675)
]
_ERFC_SLOPE = F(0.4)
_ERFC_LIMIT = F(10.5)  # from about 10.06 on it is 0
_ERFC = [
    F(c)
    for c in (
        0.22570309042930603,
        0.22502698004245758,
        0.21429206430912018,
        0.13262279331684113,
        0.2635098099708557,
        -0.26835763454437256,
        0.5281164050102234,
        -0.4842793941497803,
        0.19181661307811737,
        -0.028450705111026764,
    )
]


def blockwise(function: Callable[[Array, Array], None], small: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of arrays: `small` for small ones, else `function(x, out)` for blocks of float32."""

    def run(x: Any) -> Any:
        if np.size(x) < LARGE:
            return small(x)
        out = np.empty(x.shape, F)
        source, target = np.ascontiguousarray(x).reshape(-1), out.reshape(-1)

        def block(i: int) -> None:
            part = slice(i * _BLOCK, (i + 1) * _BLOCK)
            function(source[part], target[part])

        threads.share(-(-source.size // _BLOCK), block, large=source.size >= _SHARED)
        return out

    return run


def erf(x: Array, out: Array) -> None:
    """Write the error function of float32 vector `x` to `out`."""
    clipped = np.clip(x, -_ERF_LIMIT, _ERF_LIMIT)
    square = clipped * clipped
    _polynomial(square, _ERF_TOP, out)
    np.multiply(out, clipped, out=out)
    _polynomial(square, _ERF_BOTTOM, clipped)
    np.divide(out, clipped, out=out)
    np.clip(out, F(-1), F(1), out=out)


def erfc(x: Array, out: Array) -> None:
    """Write 1 less the error function of float32 vector `x` to `out`."""
    size = np.clip(x, -_ERFC_LIMIT, _ERFC_LIMIT)
    np.abs(size, out=size)
    t = size * _ERFC_SLOPE
    t += F(1)
    np.divide(F(1), t, out=t)
    _polynomial(t, _ERFC, out)
    out *= t
    # x^2 = short^2 + rest, where `short` has half the digits of x, so that its square is exact.
    short = t
    np.bitwise_and(size.view(np.int32), np.int32(-(1 << 12)), out=short.view(np.int32))
    rest = short - size
    size += short
    rest *= size
    np.exp(rest, out=rest)
    out *= rest
    np.multiply(short, short, out=short)
    np.negative(short, out=short)
    np.exp(short, out=short)
    out *= short
    # Below 0: 2 - out. The sign's bit, moved by one, is that of the number 2.
    sign = np.bitwise_and(x.view(np.uint32), np.uint32(1 << 31), out=short.view(np.uint32))
    bits = out.view(np.uint32)
    bits ^= sign
    sign >>= np.uint32(1)
    out += sign.view(F)


def _polynomial(x: Array, coefficients: list[np.float32], out: Array) -> None:
    """Write the polynomial of `x` to `out`; the constant term comes first."""
    np.multiply(x, coefficients[-1], out=out)
    for c in coefficients[-2:0:-1]:
        out += c
        out *= x
    out += coefficients[0]
