"""Uniform and normal numbers and integers, stateful and stateless.

A stateful op reserves 256 blocks of its node's stream for each element; so run k of a session starts k times as far on.
Source: tensorflow/core/kernels/random_op.cc, stateless_random_ops.cc, stateless_random_ops_v2.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.random.requests import (
    ALG_PHILOX,
    check_algorithm,
    check_key_counter_alg,
    check_limits,
    check_seed_shape,
    count_of,
    integer_bounds,
    keyed_stream,
    requested_shape,
    seeded_stream,
    shape_of_request,
)
from icefloe.philox import distributions
from icefloe.philox.distributions import RESERVED
from icefloe.philox.stream import Stream
from icefloe.resources import ResourceManager

Draw = Callable[[Stream, int, np.dtype[Any]], Any]


def _register_floats(op: str, stateless: str, draw: Draw) -> None:
    """Register a distribution as a stateful op and as both versions of the stateless one."""

    @kernel(op, factory=True)
    def make(*, dtype: DType, seed: int, seed2: int, manager: ResourceManager, node: str) -> Callable[[Any], Any]:
        stream = manager.stream(node, seed, seed2)
        element = dtype.numpy

        def run(shape: Any) -> Any:
            sizes = requested_shape(shape, element)
            count = count_of(sizes)
            return draw(stream.reserve(count * RESERVED), count, element).reshape(sizes)

        return run

    @kernel(stateless)
    def from_seed(shape: Any, seed: Any, *, dtype: DType) -> Any:
        sizes = requested_shape(shape, dtype.numpy)
        return draw(seeded_stream(seed), count_of(sizes), dtype.numpy).reshape(sizes)

    @kernel(f"{stateless}V2")
    def from_key(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType) -> Any:
        stream = keyed_stream(key, counter, alg)
        sizes = requested_shape(shape, dtype.numpy)
        count = count_of(sizes)
        if count:
            check_algorithm(int(alg))
        return draw(stream, count, dtype.numpy).reshape(sizes)


_register_floats("RandomUniform", "StatelessRandomUniform", distributions.uniform)
_register_floats("RandomStandardNormal", "StatelessRandomNormal", distributions.normal)
_register_floats("TruncatedNormal", "StatelessTruncatedNormal", distributions.truncated_normal)


@kernel("RandomUniformInt", factory=True)
def random_uniform_int(*, Tout: DType, seed: int, seed2: int, manager: ResourceManager, node: str) -> Any:
    """Return integers in [minval, maxval)."""
    stream = manager.stream(node, seed, seed2)
    element = Tout.numpy

    def run(shape: Any, minval: Any, maxval: Any) -> Any:
        sizes = requested_shape(shape, element)
        count = count_of(sizes)
        if not count:
            return np.empty(sizes, element)
        low, high = integer_bounds(minval, maxval)
        taken = stream.reserve(count * RESERVED)
        return distributions.uniform_int(taken, count, low, high, element).reshape(sizes)

    return run


@kernel("StatelessRandomUniformInt")
def stateless_random_uniform_int(shape: Any, seed: Any, minval: Any, maxval: Any, *, dtype: DType) -> Any:
    """Return integers in [minval, maxval)."""
    stream = seeded_stream(seed)
    return _integers(stream, requested_shape(shape, dtype.numpy), minval, maxval, ALG_PHILOX, dtype.numpy)


@kernel("StatelessRandomUniformIntV2")
def stateless_random_uniform_int_v2(
    shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any, *, dtype: DType
) -> Any:
    """Return integers in [minval, maxval)."""
    stream = keyed_stream(key, counter, alg)
    return _integers(stream, requested_shape(shape, dtype.numpy), minval, maxval, int(alg), dtype.numpy)


def _integers(
    stream: Stream, sizes: tuple[int, ...], minval: Any, maxval: Any, alg: int, element: np.dtype[Any]
) -> Any:
    count = count_of(sizes)
    if not count:
        return np.empty(sizes, element)
    low, high = integer_bounds(minval, maxval)
    check_algorithm(alg)
    return distributions.uniform_int(stream, count, low, high, element).reshape(sizes)


@kernel("StatelessRandomUniformFullInt")
def stateless_random_uniform_full_int(shape: Any, seed: Any, *, dtype: DType) -> Any:
    """Return integers over the whole range of their type."""
    sizes = requested_shape(shape, dtype.numpy)
    return distributions.uniform_full_int(seeded_stream(seed), count_of(sizes), dtype.numpy).reshape(sizes)


@kernel("StatelessRandomUniformFullIntV2")
def stateless_random_uniform_full_int_v2(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType) -> Any:
    """Return integers over the whole range of their type."""
    stream = keyed_stream(key, counter, alg)
    sizes = requested_shape(shape, dtype.numpy)
    count = count_of(sizes)
    if count:
        check_algorithm(int(alg))
    return distributions.uniform_full_int(stream, count, dtype.numpy).reshape(sizes)


@kernel("StatelessRandomGetKeyCounter")
def stateless_random_get_key_counter(seed: Any) -> tuple[Any, Any]:
    """Return the key, uint64 [1], and the counter, uint64 [2], of a seed."""
    stream = seeded_stream(seed)
    counter = [stream.counter & 0xFFFFFFFFFFFFFFFF, stream.counter >> 64]
    return np.array([stream.key], np.uint64), np.array(counter, np.uint64)


@kernel("StatelessRandomGetAlg")
def stateless_random_get_alg() -> Any:
    """Return the number of the algorithm in use: Philox."""
    return np.int32(ALG_PHILOX)


@kernel("StatelessRandomGetKeyCounterAlg")
def stateless_random_get_key_counter_alg(seed: Any) -> tuple[Any, Any, Any]:
    """Return key, counter and algorithm of a seed."""
    return *stateless_random_get_key_counter(seed), np.int32(ALG_PHILOX)


@shape("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
def stateful_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    return [shape_of_request(c)]


@shape("RandomUniformInt")
def random_uniform_int_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_limits(c, 1)
    return [shape_of_request(c)]


@shape("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal", "StatelessRandomUniformFullInt")
def stateless_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_seed_shape(c, 1)
    return [shape_of_request(c)]


@shape("StatelessRandomUniformInt")
def stateless_random_uniform_int_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_limits(c, 2)
    return stateless_shape(c)


@shape(
    "StatelessRandomUniformV2",
    "StatelessRandomNormalV2",
    "StatelessTruncatedNormalV2",
    "StatelessRandomUniformFullIntV2",
)
def stateless_v2_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_key_counter_alg(c, 1)
    return [shape_of_request(c)]


@shape("StatelessRandomUniformIntV2")
def stateless_random_uniform_int_v2_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_limits(c, 4)
    return stateless_v2_shape(c)


@shape("StatelessRandomGetKeyCounter")
def stateless_random_get_key_counter_shape(c: ShapeContext) -> list[Any]:
    """One key word of 64 bits, two counter words."""
    check_seed_shape(c, 0)
    return [(1,), (2,)]


@shape("StatelessRandomGetAlg")
def stateless_random_get_alg_shape(c: ShapeContext) -> list[Any]:
    """A scalar."""
    return [()]


@shape("StatelessRandomGetKeyCounterAlg")
def stateless_random_get_key_counter_alg_shape(c: ShapeContext) -> list[Any]:
    """Key, counter and a scalar."""
    check_seed_shape(c, 0)
    return [(1,), (2,), ()]
