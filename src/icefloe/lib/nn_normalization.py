"""Means and variances, batch normalization, norms of vectors."""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import zeros_like
from icefloe.lib.array_select import gather, stop_gradient
from icefloe.lib.array_shape import rank, shape, squeeze
from icefloe.lib.linalg import norm
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, complex, div_no_nan, imag, multiply, real, subtract
from icefloe.lib.math_reduce import reduce_mean, reduce_prod, reduce_sum


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return `(tensor / its norm, the norm)`; ord and axis as for `tf.norm`."""
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        length = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / length, length


def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """Return `x` divided by its L2 norm over `axis`; epsilon: the least square of the norm."""
    axis = renamed("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            squares = apply_op("Square", real(x)), apply_op("Square", imag(x))
            total = real(reduce_sum(squares[0] + squares[1], axis, keepdims=True))
            inverse = apply_op("Rsqrt", apply_op("Maximum", total, epsilon))
            return complex(multiply(real(x), inverse), multiply(imag(x), inverse), name=scope)
        total = reduce_sum(apply_op("Square", x), axis, keepdims=True)
        inverse = apply_op("Rsqrt", apply_op("Maximum", total, epsilon))
        return multiply(x, inverse, name=scope)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keep_dims: Any = None, name: str | None = None, keepdims: Any = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Return `(count, sum of x - shift, sum of its square, shift)` over `axes`; see `normalize_moments`."""
    axes = list(set(axes))
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        sizes = None if x.shape.rank is None else x.shape.as_list()
        if sizes is not None and all(sizes[axis] is not None for axis in axes):
            counts = constant(math.prod(sizes[axis] for axis in axes), dtype=x.dtype)
        else:
            x_rank = rank(x)
            positive = [axis + x_rank if axis < 0 else axis for axis in axes]
            counts = reduce_prod(gather(cast(shape(x), x.dtype), positive), name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            first, second = subtract(x, shift), apply_op("SquaredDifference", x, shift)
        else:
            first, second = x, apply_op("Square", x)
        first = reduce_sum(first, axes, keepdims=keep, name="mean_ss")
        second = reduce_sum(second, axes, keepdims=keep, name="var_ss")
        return counts, first, second, shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return `(mean, variance)` from what `sufficient_statistics` gives."""
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = apply_op("Reciprocal", counts, name="divisor")
        if shift is not None:
            shifted = multiply(mean_ss, divisor, name="shifted_mean")
            mean = add(shifted, shift, name="mean")
        else:
            mean = shifted = multiply(mean_ss, divisor, name="mean")
        variance = subtract(multiply(variance_ss, divisor), apply_op("Square", shifted), name="variance")
        return mean, variance


def moments(
    x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: Any = None, keepdims: Any = None
) -> tuple[Tensor, Tensor]:
    """Return `(mean, variance)` over `axes`; shift has no effect. float16 is computed as float32."""
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "moments", [x, axes]):
        half = x.dtype == datatypes.float16
        y = cast(x, datatypes.float32) if half else x
        mean = reduce_mean(y, axes, keepdims=True, name="mean")
        squares = apply_op("SquaredDifference", y, stop_gradient(mean))
        variance = reduce_mean(squares, axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        return (cast(mean, datatypes.float16), cast(variance, datatypes.float16)) if half else (mean, variance)


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, name: str | None = None, keep_dims: Any = None, keepdims: Any = None
) -> tuple[Tensor, Tensor]:
    """Return `(mean, variance)` over `axes`, each element counted with its weight. float16 is computed as float32."""
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        half = x.dtype == datatypes.float16
        if half:
            x = cast(x, datatypes.float32)
        if weights.dtype != x.dtype:
            weights = cast(weights, x.dtype)
        weighted = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        full = weights + zeros_like(x)
        total = reduce_sum(full, axes, name="sum_of_weights", keepdims=True)
        mean = div_no_nan(weighted, total)
        squares = reduce_sum(
            weights * apply_op("SquaredDifference", x, mean), axes, name="weighted_distsq", keepdims=True
        )
        variance = div_no_nan(squares, total)
        if not keep:
            mean, variance = squeeze(mean, axis=axes), squeeze(variance, axis=axes)
        return (cast(mean, datatypes.float16), cast(variance, datatypes.float16)) if half else (mean, variance)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """Return (x - mean) / sqrt(variance + variance_epsilon) * scale + offset; offset and scale may be None."""
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        inverse = apply_op("Rsqrt", variance + variance_epsilon)
        if scale is not None:
            inverse *= scale
        scaled = x * cast(inverse, x.dtype)
        moved = offset - mean * inverse if offset is not None else -mean * inverse
        return scaled + cast(moved, x.dtype)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return `(y, running mean, running variance)` in one node; mean and variance are needed unless training from
    scratch.

    Raises: ValueError if they are missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    outputs = apply_op(
        "FusedBatchNormV3",
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return tuple(outputs[:3])


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """Return `batch_normalization` with gamma as the scale if `scale_after_normalization`."""
    t = renamed("input", input, "t", t)
    m = renamed("mean", mean, "m", m)
    v = renamed("variance", variance, "v", v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)
