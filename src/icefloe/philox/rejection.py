"""Gamma, Poisson and binomial numbers: each element draws from a sub-stream of its own until a draw is accepted.

With `parameters` values and `samples` of each, element p * samples + s starts at that many times 256 blocks (binomial
by inversion: 42). All is computed in double; the caller rounds.

Source: tensorflow/core/kernels/random_op.cc (gamma: G. Marsaglia, W. Tsang 2000), random_poisson_op.cc (D. Knuth; W.
Hormann 1993), random_binomial_op.cc (W. Hormann 1993).
"""

from __future__ import annotations

import numpy as np

from icefloe.philox.distributions import RESERVED, Array
from icefloe.philox.exactmath import Doubles, log, log1p, power
from icefloe.philox.stream import Stream
from icefloe.philox.substreams import Cursors, Indices, Numbers, Offsets, in_chunks, normals, uniforms, until_accepted


def _parameter_of(values: Doubles, index: Offsets, samples: int) -> Doubles:
    return values[index // np.uint64(samples)]


def gamma(stream: Stream, alpha: Doubles, samples: int) -> Doubles:
    """Return gamma numbers [samples, alphas] of scale 1. Raises: InvalidArgumentError for an alpha below 0 or NaN."""

    def sample(index: Offsets) -> Doubles:
        a = _parameter_of(alpha, index, samples)
        cursors = Cursors(stream, index * np.uint64(RESERVED))
        uniform, normal = uniforms(cursors), normals(cursors)
        out = np.empty(len(index))
        exponential = np.flatnonzero(a == 1.0)
        if exponential.size:
            out[exponential] = -log1p(-uniform.take(exponential))
        below = a < 1.0
        d = a + np.where(below, 2.0 / 3, -1.0 / 3)
        c = 1.0 / 3 / np.sqrt(d)

        def attempt(active: Indices) -> Array:
            x = normal.take(active)
            v = 1.0 + c[active] * x
            accepted = v > 0.0
            tried, x, v = active[accepted], x[accepted], v[accepted]
            v = v * v * v
            u = uniform.take(tried)
            fits = u < 1.0 - 0.0331 * (x * x) * (x * x)
            close = ~fits
            bound = 0.5 * x[close] * x[close] + d[tried[close]] * (1.0 - v[close] + log(v[close]))
            fits[close] = np.log(u[close]) < bound
            done = tried[fits]
            out[done] = d[done] * v[fits]
            boosted = done[below[done]]
            if boosted.size:
                out[boosted] *= power(uniform.take(boosted), 1.0 / a[boosted])
            accepted[accepted] = fits
            return accepted

        until_accepted(np.flatnonzero(a != 1.0), attempt)
        return out

    return in_chunks(alpha.size * samples, sample).reshape(alpha.size, samples).T


def poisson(stream: Stream, rate: Doubles, samples: int, largest: float) -> Doubles:
    """Return Poisson numbers [samples, rates], none above `largest` but infinity for an infinite rate.

    Raises: InvalidArgumentError for a rate that is NaN or too large.
    """

    def sample(index: Offsets) -> Doubles:
        r = _parameter_of(rate, index, samples)
        uniform = uniforms(Cursors(stream, index * np.uint64(RESERVED)))
        out = np.full(len(index), np.inf)
        few = r < 10.0
        _count_arrivals(uniform, np.flatnonzero(few), r, largest, out)
        _transformed_poisson(uniform, np.flatnonzero(~few & (r != np.inf)), r, largest, out)
        return out

    return in_chunks(rate.size * samples, sample).reshape(rate.size, samples).T


def _count_arrivals(uniform: Numbers, which: Indices, rate: Doubles, largest: float, out: Doubles) -> None:
    """Knuth: how many uniforms are multiplied before the product falls to exp(-rate)."""
    floor = np.exp(-rate)
    product = np.ones(len(rate))
    count = -1.0

    def attempt(active: Indices) -> Array:
        nonlocal count
        count += 1.0
        product[active] *= uniform.take(active)
        accepted = (product[active] <= floor[active]) & (count <= largest)
        out[active[accepted]] = count
        return accepted

    until_accepted(which, attempt)


def _transformed_poisson(uniform: Numbers, which: Indices, rate: Doubles, largest: float, out: Doubles) -> None:
    if not which.size:
        return
    from scipy.special import gammaln

    log_rate = np.log(np.maximum(rate, 1.0))
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)

    def attempt(active: Indices) -> Array:
        u = uniform.take(active) - 0.5
        v = uniform.take(active)
        near = 0.5 - np.abs(u)
        a_, b_, rate_ = a[active], b[active], rate[active]
        k = np.floor((2.0 * a_ / near + b_) * u + rate_ + 0.43)
        squeezed = (near >= 0.07) & (v <= 0.9277 - 3.6224 / (b_ - 2.0))
        possible = ~((k < 0) | ((near < 0.013) & (v > near)))
        s = np.log(v * inverse_alpha[active] / (a_ / (near * near) + b_))
        t = -rate_ + k * log_rate[active] - gammaln(np.maximum(k, 0.0) + 1.0)
        accepted = (squeezed | (possible & (s <= t))) & (k <= largest)
        out[active[accepted]] = k[accepted]
        return accepted

    until_accepted(which, attempt)


_INVERSION_RESERVED = 42
_INVERSION_LIMIT = 10  # a mean below it is drawn by inversion


def binomial(stream: Stream, count: Array, probability: Array, samples: int) -> Doubles:
    """Return binomial numbers [samples, parameters], NaN where a parameter is.

    count, probability: flat, equally long, of the float dtype whose rounding decides between the two algorithms.
    """
    real = count.dtype.type

    def sample(index: Offsets) -> Doubles:
        n, p = _parameter_of(count, index, samples), _parameter_of(probability, index, samples)
        out = np.full(len(index), np.nan)
        none = (n <= 0) | (p <= 0)
        out[none] = 0.0
        every = ~none & (p >= 1)
        out[every] = n[every]
        drawn = ~none & (p < 1) & (n > 0)
        upper = p > real(0.5)
        q = np.where(upper, real(1) - p, p)
        wide_n, wide_q = n.astype(np.float64), q.astype(np.float64)
        many = n * q >= real(_INVERSION_LIMIT)
        for chosen, reserved, draw in (
            (drawn & many, RESERVED, _transformed_binomial),
            (drawn & ~many, _INVERSION_RESERVED, _invert_binomial),
        ):
            which = np.flatnonzero(chosen)
            if which.size:
                uniform = uniforms(Cursors(stream, index[which] * np.uint64(reserved)))
                out[which] = draw(uniform, wide_n[which], wide_q[which])
        turned = drawn & upper
        out[turned] = wide_n[turned] - out[turned]
        return out

    return in_chunks(count.size * samples, sample).reshape(count.size, samples).T


def _invert_binomial(uniform: Numbers, count: Doubles, probability: Doubles) -> Doubles:
    """Sum geometric numbers until they exceed `count`."""
    scale = np.log1p(-probability)
    total = np.zeros(len(count))
    out = np.full(len(count), -1.0)

    def attempt(active: Indices) -> Array:
        total[active] += np.ceil(np.log(uniform.take(active)) / scale[active])
        out[active] += 1.0
        return total[active] > count[active]

    until_accepted(np.arange(len(count)), attempt)
    return out


# log(k!) less Stirling's approximation, for k = 0 .. 9
_STIRLING = np.array(
    [
        *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211),
        *(0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287),
    ]
)


def _stirling_tail(k: Doubles) -> Doubles:
    square = (k + 1.0) * (k + 1.0)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)
    return np.where(k <= 9.0, _STIRLING[np.clip(k, 0.0, 9.0).astype(np.intp)], series)


def _transformed_binomial(uniform: Numbers, count: Doubles, probability: Doubles) -> Doubles:
    """Hormann's BTRS."""
    stddev = np.sqrt(count * probability * (1.0 - probability))
    b = 1.15 + 2.53 * stddev
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = count * probability + 0.5
    v_limit = 0.92 - 4.2 / b
    odds = probability / (1.0 - probability)
    alpha = (2.83 + 5.1 / b) * stddev
    mode = np.floor((count + 1.0) * probability)
    at_mode = (mode + 0.5) * np.log((mode + 1.0) / (odds * (count - mode + 1.0)))
    tails = _stirling_tail(mode) + _stirling_tail(count - mode)
    out = np.empty(len(count))

    def attempt(active: Indices) -> Array:
        u = uniform.take(active)
        v = uniform.take(active)
        u -= 0.5
        near = 0.5 - np.abs(u)
        n, a_, b_ = count[active], a[active], b[active]
        k = np.floor((2.0 * a_ / near + b_) * u + c[active])
        squeezed = (near >= 0.07) & (v <= v_limit[active])
        possible = (k >= 0.0) & (k <= n)
        kept = np.where(possible, k, 0.0)
        bound = (
            at_mode[active]
            + (n + 1.0) * np.log((n - mode[active] + 1.0) / (n - kept + 1.0))
            + (kept + 0.5) * np.log(odds[active] * (n - kept + 1.0) / (kept + 1.0))
            + tails[active]
            - _stirling_tail(kept)
            - _stirling_tail(n - kept)
        )
        v = np.log(v * alpha[active] / (a_ / (near * near) + b_))
        accepted = squeezed | (possible & (v <= bound))
        out[active[accepted]] = k[accepted]
        return accepted

    until_accepted(np.arange(len(count)), attempt)
    return out
