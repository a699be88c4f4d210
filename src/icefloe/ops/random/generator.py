"""Random ops whose position is kept in a variable: int64 words counter (low, high) and key.

Each execution takes the position there is and moves it on by 256 blocks for each element.
Source: tensorflow/core/kernels/stateful_random_ops.cc.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text
from icefloe.ops.random.parametric import binomial
from icefloe.ops.random.requests import (
    check_algorithm,
    check_scalars,
    count_of,
    integer_bounds,
    requested_shape,
    shape_of_request,
)
from icefloe.philox import distributions
from icefloe.philox.distributions import RESERVED
from icefloe.philox.stream import Stream
from icefloe.resources import Variable

Draw = Callable[[Stream, int, np.dtype[Any]], Any]

_STATE_WORDS = 3
_ALG_THREEFRY = 2
_MASK_64 = (1 << 64) - 1


def _checked_algorithm(algorithm: Any) -> None:
    if np.ndim(algorithm) != 0:
        raise errors.InvalidArgumentError(f"algorithm must be of shape [], not {shape_text(np.shape(algorithm))}")
    if int(algorithm) == _ALG_THREEFRY:
        raise errors.UnimplementedError("Non-XLA devices don't support the ThreeFry algorithm.")
    check_algorithm(int(algorithm))


def _take(variable: Variable, elements: int, *, tag: int = 0) -> tuple[Stream, Any]:
    """Move the position in `variable` past so many elements; return the stream before and the words that held it.

    tag: how many words stand before the counter.

    Raises: InvalidArgumentError if the variable holds no position.
    """
    if variable.dtype != datatypes.int64:
        raise errors.InvalidArgumentError(f"dtype of RNG state variable must be int64, not {variable.dtype.name}")
    taken: list[Any] = []

    def move(state: Any) -> None:
        if state.ndim != 1:
            raise errors.InvalidArgumentError(f"RNG state must have one and only one dimension, not {state.ndim}")
        if len(state) < tag + _STATE_WORDS:
            raise errors.InvalidArgumentError(
                f"For the Philox algorithm, the size of state must be at least {tag + _STATE_WORDS}; got {len(state)}"
            )
        words = state[tag : tag + _STATE_WORDS]
        taken.append(words.copy())
        low, high, key = (int(w) & _MASK_64 for w in words)
        stream = Stream.from_key_counter(key, (low, high))
        counter = stream.skip(elements * RESERVED & _MASK_64).counter
        words[:2] = np.array([counter & _MASK_64, counter >> 64], np.uint64).view(np.int64)
        taken.append(stream)

    variable.update(move)
    return taken[1], taken[0]


def _register(op: str, draw: Draw) -> None:
    @kernel(op)
    def run(resource: Variable, algorithm: Any, shape: Any, *, dtype: DType) -> Any:
        _checked_algorithm(algorithm)
        sizes = requested_shape(shape, dtype.numpy)
        stream, _ = _take(resource, count_of(sizes))
        return draw(stream, count_of(sizes), dtype.numpy).reshape(sizes)


_register("StatefulUniform", distributions.uniform)
_register("StatefulStandardNormalV2", distributions.normal)
_register("StatefulTruncatedNormal", distributions.truncated_normal)
_register("StatefulUniformFullInt", distributions.uniform_full_int)


@kernel("StatefulStandardNormal")
def stateful_standard_normal(resource: Variable, shape: Any, *, dtype: DType) -> Any:
    """Return normal numbers; the variable's first word names the algorithm."""
    sizes = requested_shape(shape, dtype.numpy)
    state = resource.read()
    if state.ndim == 1 and len(state):
        check_algorithm(int(state[0]))
    stream, _ = _take(resource, count_of(sizes), tag=1)
    return distributions.normal(stream, count_of(sizes), dtype.numpy).reshape(sizes)


@kernel("StatefulUniformInt")
def stateful_uniform_int(
    resource: Variable, algorithm: Any, shape: Any, minval: Any, maxval: Any, *, dtype: DType
) -> Any:
    """Return integers in [minval, maxval)."""
    low, high = integer_bounds(minval, maxval)
    _checked_algorithm(algorithm)
    sizes = requested_shape(shape, dtype.numpy)
    stream, _ = _take(resource, count_of(sizes))
    return distributions.uniform_int(stream, count_of(sizes), low, high, dtype.numpy).reshape(sizes)


@kernel("StatefulRandomBinomial")
def stateful_random_binomial(
    resource: Variable, algorithm: Any, shape: Any, counts: Any, probs: Any, *, dtype: DType
) -> Any:
    """Return binomial numbers of shape `shape`, which ends with what `counts` and `probs` broadcast to."""
    _checked_algorithm(algorithm)
    sizes = requested_shape(shape, dtype.numpy)
    rank = np.broadcast(counts, probs).ndim
    batches, samples = count_of(sizes[len(sizes) - rank :]), count_of(sizes[: len(sizes) - rank])
    stream, _ = _take(resource, batches * 2 * 100 * (samples + 3) // 4)
    return binomial(stream, shape, counts, probs, dtype.numpy)


@kernel("RngReadAndSkip")
def rng_read_and_skip(resource: Variable, alg: Any, delta: Any) -> Any:
    """Return the position, int64 [3], and move it on as `delta` elements would."""
    _checked_algorithm(alg)
    return _take(resource, int(delta))[1]


@kernel("RngSkip")
def rng_skip(resource: Variable, algorithm: Any, delta: Any) -> tuple[()]:
    """Move the position on as `delta` elements would."""
    _checked_algorithm(algorithm)
    _take(resource, int(delta))
    return ()


@kernel("NonDeterministicInts")
def non_deterministic_ints(shape: Any, *, dtype: DType) -> Any:
    """Return integers over the whole range of their type that nobody can foretell."""
    sizes = requested_shape(shape, dtype.numpy)
    return np.frombuffer(os.urandom(count_of(sizes) * dtype.size), dtype.numpy).reshape(sizes).copy()


@shape("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulUniformFullInt")
def stateful_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_scalars(c, 0, 1)
    return [shape_of_request(c, 2)]


@shape("StatefulUniformInt", "StatefulRandomBinomial")
def with_parameters_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    if c.op == "StatefulUniformInt":
        check_scalars(c, 3, 4)
    return [shape_of_request(c, 2)]


@shape("StatefulStandardNormal")
def stateful_standard_normal_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    return [shape_of_request(c, 1)]


@shape("NonDeterministicInts")
def non_deterministic_ints_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    return [shape_of_request(c)]


@shape("RngReadAndSkip")
def rng_read_and_skip_shape(c: ShapeContext) -> list[Any]:
    """Three words."""
    check_scalars(c, 0, 1, 2)
    return [(3,)]
