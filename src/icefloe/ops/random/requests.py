"""What the kernels of random ops read from their inputs.

The shape that is asked for, and where the numbers come from.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import Dims, ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.philox.stream import Stream

ALG_PHILOX = 1
ALG_AUTO = 3


def requested_shape(shape: Any, dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Return the output shape that the shape input asks for.

    Raises: InvalidArgumentError if it is no vector or holds a negative size; ResourceExhaustedError if it is too large.
    """
    if np.ndim(shape) != 1:
        raise errors.InvalidArgumentError(
            f"shape must be a vector of {{int32,int64}}, got shape {shape_text(np.shape(shape))}"
        )
    return check_shape(shape.tolist(), dtype)


def count_of(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a shape."""
    return math.prod(shape)


def scalar_of(value: Any, name: str) -> int:
    """Return an integer input that must be a scalar. Raises: InvalidArgumentError otherwise."""
    if np.ndim(value) != 0:
        raise errors.InvalidArgumentError(f"{name} must be 0-D, got shape {shape_text(np.shape(value))}")
    return int(value)


def integer_bounds(minval: Any, maxval: Any) -> tuple[int, int]:
    """Return the bounds of random integers. Raises: InvalidArgumentError unless both are scalars, the first less."""
    low, high = scalar_of(minval, "minval"), scalar_of(maxval, "maxval")
    if low >= high:
        raise errors.InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}")
    return low, high


def checked_seed(seed: Any) -> tuple[int, int]:
    """Return the two numbers of a stateless op's seed. Raises: InvalidArgumentError for another shape."""
    if np.shape(seed) != (2,):
        raise errors.InvalidArgumentError(f"seed must have shape [2], not {shape_text(np.shape(seed))}")
    if seed.dtype not in (np.int32, np.int64):
        raise errors.InvalidArgumentError(f"Invalid seed type: {seed.dtype.name}")
    first, second = seed.tolist()
    return first, second


def seeded_stream(seed: Any) -> Stream:
    """Return the stream of a stateless op's seed. Raises: InvalidArgumentError for a seed of another shape than [2]."""
    return Stream.scrambled(checked_seed(seed))


def check_algorithm(alg: int) -> None:
    """Do nothing for the algorithms that TensorFlow has on a CPU. Raises: InvalidArgumentError for any other."""
    if alg not in (ALG_PHILOX, ALG_AUTO):
        raise errors.InvalidArgumentError(f"Unsupported algorithm id: {alg}")


def keyed_stream(key: Any, counter: Any, alg: Any, *, first_input: int = 1) -> Stream:
    """Return the stream of key and counter inputs. An unknown algorithm is found by `check_algorithm`, later.

    first_input: the position of the key among the op's inputs, for messages.

    Raises: InvalidArgumentError for shapes that do not fit.
    """
    if np.ndim(alg) != 0:
        raise errors.InvalidArgumentError(
            f"input {first_input + 2} (0-based) must have shape [], not {shape_text(np.shape(alg))}"
        )
    if np.shape(key) != (1,):
        raise errors.InvalidArgumentError(
            f"key must have shape [1], not {shape_text(np.shape(key))}. (Note that batched keys are not supported yet.)"
        )
    if np.ndim(counter) != 1 or len(counter) < 2:
        raise errors.InvalidArgumentError(
            f"counter must be a vector with length at least 2; got shape: {shape_text(np.shape(counter))}"
        )
    return Stream.from_key_counter(int(key[0]), (int(counter[0]), int(counter[1])))


def shape_of_request(c: ShapeContext, i: int = 0) -> Dims:
    """Return the static shape that input `i` asks for."""
    with_rank(c.shape(i), 1)
    return c.shape_value(i)


def check_seed_shape(c: ShapeContext, i: int) -> None:
    """Do nothing if input `i` may be a seed of shape [2]. Raises: InvalidArgumentError otherwise."""
    (size,) = with_rank(c.shape(i), 1)
    if size not in (None, 2):
        raise errors.InvalidArgumentError(f"Dimension must be 2 but is {size}")


def check_scalars(c: ShapeContext, *inputs: int) -> None:
    """Do nothing if these inputs may be scalars. Raises: InvalidArgumentError otherwise."""
    for i in inputs:
        with_rank(c.shape(i), 0)


def check_limits(c: ShapeContext, first: int) -> None:
    """Do nothing if two inputs from `first` on may be scalars, the limits of a range. Raises: InvalidArgumentError."""
    for i, name in enumerate(("minval", "maxval"), first):
        dims = c.shape(i)
        if dims:
            raise errors.InvalidArgumentError(f"{name} must be a scalar; got a tensor of shape {shape_text(dims)}")


def check_key_counter_alg(c: ShapeContext, first: int) -> None:
    """Do nothing if three inputs from `first` on may be key, counter and algorithm. Raises: InvalidArgumentError."""
    with_rank(c.shape(first), 1)
    with_rank(c.shape(first + 1), 1)
    with_rank(c.shape(first + 2), 0)
