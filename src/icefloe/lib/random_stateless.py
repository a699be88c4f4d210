"""Random tensors that depend on nothing but a seed tensor of two integers."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import broadcast_dynamic_shape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.constants import hinted, shape_tensor
from icefloe.lib.math_elementwise import add

_FLOATS = (datatypes.float16, datatypes.bfloat16, datatypes.float32, datatypes.float64)
_INTS = (datatypes.int32, datatypes.int64)
_UNSIGNED = (datatypes.uint32, datatypes.uint64)


class Algorithm(enum.Enum):
    """How random bits are made; AUTO_SELECT is Philox on a CPU."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg: Any) -> int:
    if alg is None:
        return Algorithm.AUTO_SELECT.value
    if isinstance(alg, str):
        known = {"philox": 1, "threefry": 2, "autoselect": 3}
        found = known.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if found is None:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
                "threefry for the ThreeFry algorithm, and auto_select for auto-selection."
            )
        return found
    return alg.value if isinstance(alg, Algorithm) else int(alg)


def _key_counter(seed: Any, alg: Any) -> dict[str, Any]:
    """Return the inputs key, counter and alg of the second generation of stateless ops."""
    number = algorithm_number(alg)
    if number != Algorithm.AUTO_SELECT.value:
        raise errors.UnimplementedError(
            f"alg={alg!r}: only auto_select is supported, which is Philox on a CPU and gives the same numbers"
        )
    key, counter = apply_op("StatelessRandomGetKeyCounter", seed)
    return {"key": key, "counter": counter, "alg": number}


def stateless_random_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = datatypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return draws from [minval, maxval); of integers with both None, from the whole range of the dtype.

    Raises: ValueError for another dtype or bounds that do not go with it.
    """
    dtype = datatypes.as_dtype(dtype)
    accepted = _FLOATS + _INTS + _UNSIGNED
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None. "
                f"Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype in _UNSIGNED:
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please don't use "
                "unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        if dtype.is_integer and minval is None:
            return apply_op(
                "StatelessRandomUniformFullIntV2", sizes, **_key_counter(seed, alg), dtype=dtype, name=scope
            )
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        state = _key_counter(seed, alg)
        if dtype.is_integer:
            return apply_op("StatelessRandomUniformIntV2", sizes, **state, minval=minval, maxval=maxval, name=scope)
        drawn = apply_op("StatelessRandomUniformV2", sizes, **state, dtype=dtype)
        return add(drawn * (maxval - minval), minval, name=scope)


def _scaled(op: str, what: str, arguments: tuple[Any, ...]) -> Tensor:
    shape, seed, mean, stddev, dtype, name, alg = arguments
    with name_scope(name, what, [shape, seed, mean, stddev]) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        drawn = apply_op(op, sizes, **_key_counter(seed, alg), dtype=dtype)
        return add(drawn * stddev, mean, name=scope)


def stateless_random_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = datatypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return draws from a normal distribution."""
    arguments = (shape, seed, mean, stddev, dtype, name, alg)
    return _scaled("StatelessRandomNormalV2", "stateless_random_normal", arguments)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = datatypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return draws from a normal distribution cut off at two standard deviations."""
    arguments = (shape, seed, mean, stddev, dtype, name, alg)
    return _scaled("StatelessTruncatedNormalV2", "stateless_truncated_normal", arguments)


def _categories(logits: Any, num_samples: Any, seed: Any, dtype: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    dtype = datatypes.as_dtype(dtype) if dtype else datatypes.int64
    if dtype not in _INTS:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_INTS}.")
    return apply_op("StatelessMultinomial", logits, num_samples, seed, output_dtype=dtype)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = datatypes.int64, name: str | None = None
) -> Tensor:
    """Return draws of classes, [batch, num_samples], from unnormalised log-probabilities [batch, classes]."""
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        return _categories(logits, num_samples, seed, output_dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = datatypes.int64, name: str | None = None
) -> Tensor:
    """Return draws of classes, [batch, num_samples], from unnormalised log-probabilities [batch, classes]."""
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return _categories(logits, num_samples, seed, dtype)


def stateless_random_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = datatypes.int32, name: str | None = None
) -> Tensor:
    """Return draws from binomial distributions; counts and probs broadcast to the last axes of `shape`."""
    with name_scope(name, "stateless_random_binomial", [shape, seed, counts, probs]):
        sizes = shape_tensor(shape)
        probs = hinted(probs, datatypes.float32, name="probs")
        counts = hinted(counts, probs.dtype, name="counts")
        return apply_op("StatelessRandomBinomial", sizes, seed, counts, probs, dtype=output_dtype)


def stateless_random_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = datatypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return draws from Gamma distributions; alpha and beta (rate, default 1) broadcast to the last axes of `shape`."""
    with name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        sizes = shape_tensor(shape)
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        common = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        alpha = apply_op("BroadcastTo", alpha, common)
        drawn = apply_op("StatelessRandomGammaV3", sizes, **_key_counter(seed, None), alpha=alpha)
        return apply_op("Maximum", np.finfo(alpha.dtype.as_numpy_dtype).tiny, drawn / beta)


def stateless_random_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = datatypes.int32, name: str | None = None
) -> Tensor:
    """Return draws from Poisson distributions; the rates `lam` broadcast to the last axes of `shape`."""
    with name_scope(name, "stateless_random_poisson", [shape, seed, lam]):
        return apply_op("StatelessRandomPoisson", shape_tensor(shape), seed, lam, dtype=dtype)


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Return draws from normal distributions cut off at `minvals` and `maxvals`, all broadcast to the last axes of
    `shape`.
    """
    values = [shape, means, stddevs, minvals, maxvals]
    with name_scope(name, "stateless_parameterized_truncated_normal", values):
        sizes = shape_tensor(shape)
        tensors = [
            convert_to_tensor(value, name=what)
            for value, what in zip(values[1:], ("means", "stddevs", "minvals", "maxvals"))
        ]
        return apply_op("StatelessParameterizedTruncatedNormal", sizes, seed, *tensors)


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """Return `num` new seeds, [num, 2], from one."""
    seed = convert_to_tensor(seed)
    return stateless_random_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Return a new seed that depends on `seed` and the integer `data`."""
    data = convert_to_tensor(data)
    return stack([stateless_random_uniform([], seed, None, None, data.dtype, alg=alg), data])
