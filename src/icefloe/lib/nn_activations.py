"""Activations, softmax, bias, dropout."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.seeds import get_seed
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import where, where_v2
from icefloe.lib.array_shape import rank, shape, transpose
from icefloe.lib.constants import get_static_value, is_tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import sigmoid, subtract
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_range import range as range_
from icefloe.lib.random_draws import random_uniform
from icefloe.shapes import as_shape


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Return log(1 + exp(features))."""
    return apply_op("Softplus", features, name=name)


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Return min(max(features, 0), 6)."""
    with name_scope(name, "Relu6", [features]) as scope:
        return apply_op("Relu6", convert_to_tensor(features, name="features"), name=scope)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Return features where positive, else alpha * features."""
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = cast(features, datatypes.float32)
        if isinstance(alpha, np.ndarray):
            alpha = alpha.item()
        return apply_op("LeakyRelu", features, alpha=alpha, name=scope)


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """Return relu of features and of -features, joined along `axis`."""
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return apply_op("Relu", concat([features, -features], axis, name=scope))


def swish(features: Any, beta: Any = 1.0) -> Tensor:
    """Return features * sigmoid(beta * features)."""
    features = convert_to_tensor(features, name="features")
    beta = convert_to_tensor(beta, name="beta")
    beta = cast(beta, features.dtype)
    return features * sigmoid(beta * features)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Return relu(x weights + biases)."""
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return apply_op("Relu", bias_add(matmul(x, weights), biases), name=scope)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Return x weights + biases."""
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(matmul(x, weights), biases, name=scope)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Return `value` with the vector `bias` added along its channels.

    data_format: "N...C" (default) or "NC...". Raises: ValueError for another one.
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError(
                    f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
                )
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return apply_op("BiasAdd", value, bias, data_format=data_format, name=scope)


def _along(op: str, inputs: Any, axis: Any, name: str | None) -> Tensor:
    """Return an op over the last axis applied to another one: that axis is brought to the end and back."""
    inputs = convert_to_tensor(inputs)
    static = inputs.shape
    if isinstance(axis, int) and axis in (-1, None if static.rank is None else static.rank - 1):
        return apply_op(op, inputs, name=name)
    known = get_static_value(axis)
    if known is not None and static.rank is not None and not -static.rank <= known < static.rank:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-static.rank}, {static.rank}) where {static.rank} is the number of "
            f"dimensions in the input. Received: dim={known}",
        )
    ndims = rank(inputs)
    if isinstance(axis, Tensor):
        axis = where(apply_op("Less", axis, 0), axis + ndims, axis)
    elif axis < 0:
        axis += ndims
    inputs_rank = rank(inputs)
    place = axis % static.rank

    def swap(tensor: Tensor, scope: str | None = None) -> Tensor:
        last = subtract(inputs_rank, 1)
        order = concat([range_(place), [last], range_(place + 1, last), [place]], 0)
        return transpose(tensor, order, name=scope)

    result = swap(apply_op(op, swap(inputs)), name)
    result.set_shape(static)
    return result


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Return exp(logits) divided by its sum over `axis`, default the last.

    Raises: InvalidArgumentError if out of range.
    """
    axis = renamed("axis", axis, "dim", dim)
    return _along("Softmax", logits, -1 if axis is None else axis, name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Return the logarithm of softmax over `axis`, default the last. Raises: InvalidArgumentError if out of range."""
    axis = renamed("axis", axis, "dim", dim)
    return _along("LogSoftmax", logits, -1 if axis is None else axis, name)


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    """Return the shape of the mask: that of `x`, or `noise_shape` with its unknown sizes taken from `x`."""
    if noise_shape is None:
        return shape(x)
    try:
        wanted = as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank is None or x.shape.rank != wanted.rank:
        return noise_shape
    return as_shape([w if w is not None else size for size, w in zip(x.shape.as_list(), wanted.as_list())])


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Return `x` with each element set to 0 with probability `rate`, the others scaled up to keep the sum.

    keep_prob: 1 - rate, its older spelling. noise_shape: axes of size 1 are dropped or kept as a whole.

    Raises: ValueError if neither or both are given, or rate is not in [0, 1), or `x` is no float.
    """
    try:
        from_keep_prob = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            f"`keep_prob` must be a floating point number or Tensor. Received: keep_prob={keep_prob}"
        ) from None
    rate = renamed("rate", rate, "keep_prob", from_keep_prob)
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    with name_scope(name, "dropout", [x]):
        is_number = isinstance(rate, numbers.Real)
        if is_number and not 0 <= rate < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
            )
        if is_number and rate == 0:
            get_seed(seed)  # the next random op gets the seed it would get after a real dropout
            return x
        scaled, rate = _scaled(x, rate, is_number)
        drawn = random_uniform(shape=_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
        keep = drawn >= rate
        result = where_v2(keep, scaled, constant(0, dtype=x.dtype))
        result.set_shape(x.shape)
        return result


def _scaled(x: Tensor, rate: Any, is_number: bool) -> tuple[Tensor, Any]:
    """Return `x` divided by 1 - rate, and the rate in the dtype of `x`."""
    if is_number:
        return apply_op("Mul", x, convert_to_tensor(1 / (1 - rate), dtype=x.dtype)), rate
    if not is_tensor(rate):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate.dtype != x.dtype:
        if not rate.dtype.is_compatible_with(x.dtype):
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and "
                f"rate.dtype={rate.dtype}"
            )
        rate = apply_op("Cast", rate, DstT=x.dtype, name="rate")
    one = constant(1, dtype=x.dtype)
    return apply_op("RealDiv", x, apply_op("Sub", one, rate)), rate
