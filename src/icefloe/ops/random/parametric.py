"""Gamma, Poisson, binomial and categorical numbers, stateful and stateless.

Gamma and Poisson numbers are counted with the parameter outermost, but lie in memory with it innermost.
Source: tensorflow/core/kernels/random_op.cc, random_poisson_op.cc, random_binomial_op.cc, stateless_random_gamma_op.cc,
multinomial_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, shape_text, with_rank
from icefloe.ops.random.requests import (
    check_algorithm,
    check_key_counter_alg,
    check_scalars,
    check_seed_shape,
    checked_seed,
    count_of,
    keyed_stream,
    requested_shape,
    seeded_stream,
    shape_of_request,
)
from icefloe.philox import discrete, rejection
from icefloe.philox.distributions import RESERVED
from icefloe.philox.stream import Stream
from icefloe.resources import ResourceManager

Runner = Callable[..., Any]


def _poisson(stream: Stream, rate: Any, samples: int, sizes: tuple[int, ...], dtype: DType) -> Any:
    rates = np.ravel(rate).astype(np.float64)
    drawn = rejection.poisson(stream, rates, samples, float(dtype.max))
    if dtype.is_integer:
        drawn = np.where(np.isinf(drawn), 0.0, drawn)
    return drawn.astype(dtype.numpy).reshape(sizes)


def _sample_shape(shape: Any, parameters: tuple[int, ...], element: np.dtype[Any]) -> tuple[int, tuple[int, ...]]:
    """Return (numbers for each parameter, output shape): what is asked for, then the parameters' shape."""
    if np.ndim(shape) != 1:
        requested_shape(shape, element)
    sizes = requested_shape(np.array([*shape.tolist(), *parameters], np.int64), element)
    return count_of(sizes[: len(shape)]), sizes


@kernel("RandomGamma", factory=True)
def random_gamma(*, seed: int, seed2: int, manager: ResourceManager, node: str) -> Runner:
    """Return gamma numbers of shape `shape + alpha.shape`."""
    stream = manager.stream(node, seed, seed2)

    def run(shape: Any, alpha: Any) -> Any:
        samples, sizes = _sample_shape(shape, alpha.shape, alpha.dtype)
        if not count_of(sizes):
            return np.empty(sizes, alpha.dtype)
        taken = stream.reserve(samples * alpha.size * RESERVED)
        return rejection.gamma(taken, alpha.ravel().astype(np.float64), samples).astype(alpha.dtype).reshape(sizes)

    return run


@kernel("RandomPoissonV2", "RandomPoisson", factory=True)
def random_poisson(*, dtype: DType, seed: int, seed2: int, manager: ResourceManager, node: str) -> Runner:
    """Return Poisson numbers of shape `shape + rate.shape`."""
    stream = manager.stream(node, seed, seed2)
    element = dtype.numpy

    def run(shape: Any, rate: Any) -> Any:
        samples, sizes = _sample_shape(shape, np.shape(rate), element)
        if not count_of(sizes):
            return np.empty(sizes, element)
        taken = stream.reserve(samples * np.size(rate) * RESERVED)
        return _poisson(taken, rate, samples, sizes, dtype)

    return run


def _samples_of_each(sizes: tuple[int, ...], parameters: tuple[int, ...]) -> int:
    """Return how many numbers each parameter gets. Raises: InvalidArgumentError unless the shape ends with theirs."""
    if len(sizes) < len(parameters) or sizes[len(sizes) - len(parameters) :] != parameters:
        raise errors.InvalidArgumentError("Shape passed in must end with broadcasted shape.")
    return count_of(sizes[: len(sizes) - len(parameters)])


@kernel("StatelessRandomPoisson")
def stateless_random_poisson(shape: Any, seed: Any, lam: Any, *, dtype: DType) -> Any:
    """Return Poisson numbers of shape `shape`, which ends with that of `lam`."""
    sizes = requested_shape(shape, dtype.numpy)
    stream = seeded_stream(seed)
    if not count_of(sizes):
        return np.empty(sizes, dtype.numpy)
    return _poisson(stream, lam, _samples_of_each(sizes, np.shape(lam)), sizes, dtype)


def _gamma(stream: Stream, alpha: Any, sizes: tuple[int, ...]) -> Any:
    samples = _samples_of_each(sizes, alpha.shape)
    return rejection.gamma(stream, alpha.ravel().astype(np.float64), samples).astype(alpha.dtype).reshape(sizes)


@kernel("StatelessRandomGammaV2")
def stateless_random_gamma_v2(shape: Any, seed: Any, alpha: Any) -> Any:
    """Return gamma numbers of shape `shape`, which ends with that of `alpha`."""
    sizes = requested_shape(shape, alpha.dtype)
    stream = seeded_stream(seed)
    return _gamma(stream, alpha, sizes) if count_of(sizes) else np.empty(sizes, alpha.dtype)


@kernel("StatelessRandomGammaV3")
def stateless_random_gamma_v3(shape: Any, key: Any, counter: Any, alg: Any, alpha: Any) -> Any:
    """Return gamma numbers of shape `shape`, which ends with that of `alpha`."""
    stream = keyed_stream(key, counter, alg)
    sizes = requested_shape(shape, alpha.dtype)
    if not count_of(sizes):
        return np.empty(sizes, alpha.dtype)
    check_algorithm(int(alg))
    return _gamma(stream, alpha, sizes)


@kernel("StatelessRandomBinomial")
def stateless_random_binomial(shape: Any, seed: Any, counts: Any, probs: Any, *, dtype: DType) -> Any:
    """Return binomial numbers of shape `shape`, which ends with what `counts` and `probs` broadcast to."""
    checked_seed(seed)
    return binomial(seeded_stream(seed), shape, counts, probs, dtype.numpy)


def binomial(stream: Stream, shape: Any, counts: Any, probs: Any, element: np.dtype[Any]) -> Any:
    """Return binomial numbers drawn from `stream`.

    Raises: InvalidArgumentError if the shapes do not fit each other.
    """
    try:
        broadcast = np.broadcast_shapes(np.shape(counts), np.shape(probs))
    except ValueError:
        raise errors.InvalidArgumentError(
            "counts and probs must have compatible batch dimensions: "
            f"{shape_text(np.shape(counts))} vs. {shape_text(np.shape(probs))}"
        ) from None
    sizes = requested_shape(shape, element)
    samples = _samples_of_each(sizes, broadcast)
    if not count_of(sizes):
        return np.empty(sizes, element)
    n, p = (np.broadcast_to(v, broadcast).ravel() for v in (counts, probs))
    return rejection.binomial(stream, n, p, samples).astype(element).reshape(sizes)


def _multinomial_samples(logits: Any, num_samples: Any) -> int:
    if np.ndim(logits) != 2:
        raise errors.InvalidArgumentError(f"logits should be a matrix, got shape {shape_text(np.shape(logits))}")
    if np.ndim(num_samples) != 0:
        raise errors.InvalidArgumentError(
            f"num_samples should be a scalar, got shape {shape_text(np.shape(num_samples))}"
        )
    samples = int(num_samples)
    if samples < 0:
        raise errors.InvalidArgumentError(f"num_samples should be non-negative, got {samples}")
    if logits.shape[0] and samples and not logits.shape[1]:
        raise errors.InvalidArgumentError(f"num_classes should be positive, got {logits.shape[1]}")
    return samples


@kernel("Multinomial", factory=True)
def multinomial(*, output_dtype: DType, seed: int, seed2: int, manager: ResourceManager, node: str) -> Runner:
    """Return class indices [rows, num_samples] drawn with the chances exp(logits)."""
    stream = manager.stream(node, seed, seed2)
    element = output_dtype.numpy

    def run(logits: Any, num_samples: Any) -> Any:
        samples = _multinomial_samples(logits, num_samples)
        requested_shape(np.array([len(logits), samples], np.int64), element)
        taken = stream.reserve(len(logits) * -(-samples // 4) * 4 * 2 * RESERVED)
        return discrete.multinomial(taken, logits, samples, element)

    return run


@kernel("StatelessMultinomial")
def stateless_multinomial(logits: Any, num_samples: Any, seed: Any, *, output_dtype: DType) -> Any:
    """Return class indices [rows, num_samples] drawn with the chances exp(logits)."""
    stream = seeded_stream(seed)
    samples = _multinomial_samples(logits, num_samples)
    requested_shape(np.array([len(logits), samples], np.int64), output_dtype.numpy)
    return discrete.multinomial(stream, logits, samples, output_dtype.numpy)


@shape("RandomGamma", "RandomPoisson", "RandomPoissonV2")
def stateful_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for, then the parameter's."""
    return [concatenate(shape_of_request(c), c.shape(1))]


@shape("StatelessRandomPoisson", "StatelessRandomGammaV2", "StatelessRandomBinomial")
def stateless_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_seed_shape(c, 1)
    return [shape_of_request(c)]


@shape("StatelessRandomGammaV3")
def stateless_random_gamma_v3_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_key_counter_alg(c, 1)
    return [shape_of_request(c)]


@shape("Multinomial", "StatelessMultinomial")
def multinomial_shape(c: ShapeContext) -> list[Any]:
    """The rows of the logits, and as many samples as are asked for."""
    check_scalars(c, 1)
    if c.op == "StatelessMultinomial":
        check_seed_shape(c, 2)
    samples = c.constant(1)
    return [(with_rank(c.shape(0), 2)[0], None if samples is None else int(samples))]
