"""Random tensors from streams that a session keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.seeds import get_seed
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import broadcast_dynamic_shape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import Assert
from icefloe.lib.constants import shape_tensor
from icefloe.lib.control import with_dependencies
from icefloe.lib.math_elementwise import add, multiply
from icefloe.lib.math_reduce import reduce_all

_FLOATS = (datatypes.float16, datatypes.bfloat16, datatypes.float32, datatypes.float64)
_INTS = (datatypes.int32, datatypes.int64)
_CROP_MESSAGE = "Need value.shape >= size, got "


def seed_attrs(op_seed: int | None) -> dict[str, Any]:
    """Return the attrs `seed` and `seed2` of a random op of the default graph that asks for `op_seed`."""
    seed, seed2 = get_seed(op_seed)
    return {"seed": seed or 0, "seed2": seed2 or 0}


def _scaled(
    op: str, what: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None, name: str | None
) -> Tensor:
    with name_scope(name, what, [shape, mean, stddev]) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        drawn = apply_op(op, sizes, dtype=dtype, **seed_attrs(seed))
        return add(drawn * stddev, mean, name=scope)


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = datatypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return draws from a normal distribution."""
    return _scaled("RandomStandardNormal", "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = datatypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return draws from a normal distribution cut off at two standard deviations."""
    return _scaled("TruncatedNormal", "truncated_normal", shape, mean, stddev, dtype, seed, name)


def _is_int(value: Any, number: int) -> bool:
    return isinstance(value, int) and value == number


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = datatypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return draws from [minval, maxval); of floats maxval is 1 by default, of integers it must be given.

    Raises: ValueError for another dtype, or integers without maxval.
    """
    dtype = datatypes.as_dtype(dtype)
    if dtype not in _FLOATS + _INTS:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_FLOATS + _INTS}.")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        from_zero, to_one = _is_int(minval, 0), _is_int(maxval, 1)
        if not from_zero or not to_one or dtype.is_integer:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = seed_attrs(seed)
        if dtype.is_integer:
            return apply_op("RandomUniformInt", sizes, minval, maxval, name=scope, **seeds)
        drawn = apply_op("RandomUniform", sizes, dtype=dtype, **seeds)
        if from_zero:
            return drawn if to_one else multiply(drawn, maxval)
        return add(drawn * (maxval - minval), minval, name=scope)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """Return `value` with its rows (slices along the first axis) in random order."""
    return apply_op("RandomShuffle", value, name=name, **seed_attrs(seed))


def _categories(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    dtype = datatypes.as_dtype(dtype) if dtype else datatypes.int64
    if dtype not in _INTS:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_INTS}.")
    return apply_op("Multinomial", logits, num_samples, output_dtype=dtype, **seed_attrs(seed))


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Return draws of classes, [batch, num_samples], from unnormalised log-probabilities [batch, classes]."""
    with name_scope(name, "multinomial", [logits]):
        return _categories(logits, num_samples, output_dtype, seed)


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Return draws of classes, [batch, num_samples], from unnormalised log-probabilities [batch, classes]."""
    with name_scope(name, "categorical", [logits]):
        return _categories(logits, num_samples, dtype, seed)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = datatypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return draws from Gamma distributions, of shape `shape` + that of alpha and beta broadcast; beta: rate,
    default 1.
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        sizes = convert_to_tensor(shape, name="shape", dtype=datatypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        common = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        alpha = apply_op("BroadcastTo", alpha, common)
        seeds = seed_attrs(seed)
        drawn = apply_op("RandomGamma", sizes, alpha, **seeds)
        return apply_op("Maximum", np.finfo(alpha.dtype.as_numpy_dtype).tiny, drawn / beta)


def random_poisson(
    lam: Any, shape: Any, dtype: Any = datatypes.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Return draws from Poisson distributions with rates `lam`, of shape `shape` + that of `lam`."""
    with name_scope(name, "random_poisson", [lam, shape]):
        sizes = convert_to_tensor(shape, name="shape", dtype=datatypes.int32)
        return apply_op("RandomPoissonV2", sizes, lam, dtype=dtype, **seed_attrs(seed))


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """Return a block of shape `size` of `value`, at a random place."""
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=datatypes.int32, name="size")
        shape = shape_of(value)
        check = Assert(reduce_all(apply_op("GreaterEqual", shape, size)), [_CROP_MESSAGE, shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = shape - size + 1
        high = size.dtype.max
        offset = random_uniform(shape_of(shape), dtype=size.dtype, maxval=high, seed=seed) % limit
        return apply_op("Slice", value, offset, size, name=scope)
