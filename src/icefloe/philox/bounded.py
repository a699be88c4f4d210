"""Normal numbers between two bounds, by rejection, bit for bit as TensorFlow draws them on one thread.

Which numbers are proposed depends on where the bounds lie: normal ones, uniform ones between the bounds, or exponential
ones above the lower bound. All arithmetic is in the dtype of the result, rounded at each step.

Source: tensorflow/core/kernels/parameterized_truncated_normal_op.cc; C. Robert, "Simulation of truncated normal
variables" (1995).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.philox import distributions
from icefloe.philox.distributions import Array, group_size
from icefloe.philox.exactmath import logf
from icefloe.philox.stream import Stream

MAX_ITERATIONS = 1000  # refusals in a row that TensorFlow puts up with
_USE_NORMAL = 1.3  # standard deviations inside the bounds from which normal numbers are proposed

# Takes a number of groups and the stream, and returns (accepted, value) [groups, candidates in a group].
Propose = Callable[[int, Stream], tuple[Array, Array]]


def bounded_normal(stream: Stream, mean: Any, stddev: Any, low: Any, high: Any, count: int) -> tuple[Array, int]:
    """Return (`count` numbers, at least one, and how many blocks they took).

    The parameters are numpy scalars of one float dtype.

    Raises: InvalidArgumentError for parameters that allow no number; InternalError if none is found.
    """
    if not (stddev > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
        raise errors.InvalidArgumentError("Invalid parameters")
    real = type(mean)
    if low == -np.inf or high < mean:  # turned round, so that the bound that is near is the lower one
        low, high, stddev = high, low, -stddev
    least, most = (low - mean) / stddev, (high - mean) / stddev
    root = np.sqrt(least * least + real(4))
    cutoff = real(2) * np.exp(real(0.5) + (least * (least - root)) / real(4)) / (least + root)
    far = real(_USE_NORMAL)
    if (least < -far and most >= 0) or (most > far and least <= 0):
        blocks, propose = 1, _normals(least, most, real)
    elif most - least < cutoff:
        blocks, propose = 2, _uniforms(least, most, real)
    else:
        blocks, propose = 1, _exponentials(least, most, real)
    values, groups = _first_accepted(propose, stream, blocks, count)
    return values * stddev + mean, groups * blocks


def _first_accepted(propose: Propose, stream: Stream, blocks: int, count: int) -> tuple[Array, int]:
    """Return the first `count` accepted values, and how many groups were begun for them."""
    parts: list[Array] = []
    missing, begun, refused = count, 0, 0
    while True:
        groups = max(8, missing)
        accepted, values = propose(groups, stream.skip(begun * blocks))
        places = np.flatnonzero(accepted)[:missing]
        parts.append(values.reshape(-1)[places])
        missing -= len(places)
        if not missing:
            return np.concatenate(parts), begun + int(places[-1]) // accepted.shape[1] + 1
        begun += groups
        refused = 0 if len(places) else refused + accepted.size
        if refused > MAX_ITERATIONS:
            raise errors.InternalError("TruncatedNormal rejection sampler failed to accept a sample.")


def _grouped(values: Array, dtype: np.dtype[Any]) -> Array:
    return values.reshape(-1, group_size(dtype))


def _normals(least: Any, most: Any, real: type) -> Propose:
    dtype = np.dtype(real)

    def propose(groups: int, stream: Stream) -> tuple[Array, Array]:
        drawn = _grouped(distributions.normal(stream, groups * group_size(dtype), dtype), dtype)
        return (drawn >= least) & (drawn <= most), drawn

    return propose


def _uniforms(least: Any, most: Any, real: type) -> Propose:
    """Propose uniform numbers between the bounds: a block gives the numbers, the next says which are kept."""
    dtype = np.dtype(real)
    reach = most - least
    bonus = real(0) if least < 0 else least * least

    def propose(groups: int, stream: Stream) -> tuple[Array, Array]:
        size = group_size(dtype)
        drawn = _grouped(distributions.uniform(stream, 2 * groups * size, dtype), dtype)
        z = drawn[0::2] * reach + least
        g = (bonus - z * z) / real(2)
        return drawn[1::2] <= np.exp(g), z

    return propose


def _exponentials(least: Any, most: Any, real: type) -> Propose:
    """Propose exponential numbers above the lower bound: of two uniform ones the second says whether it is kept."""
    dtype = np.dtype(real)
    alpha = (least + np.sqrt(least * least + real(4))) / real(2)

    def propose(groups: int, stream: Stream) -> tuple[Array, Array]:
        drawn = _grouped(distributions.uniform(stream, groups * group_size(dtype), dtype), dtype)
        first, second = drawn[:, 0::2], drawn[:, 1::2]
        z = -_log(first) / alpha + least
        x = alpha - z if least < alpha else np.full_like(z, least - alpha)
        return (second <= np.exp(-x * x / real(2))) & (z < most), z

    return propose


def _log(x: Array) -> Array:
    if x.dtype == np.float32:
        flat = np.ascontiguousarray(x)
        return np.where(flat > 0, logf(np.maximum(flat, np.float32(2.0**-100))), np.float32(-np.inf))
    return np.log(x)
