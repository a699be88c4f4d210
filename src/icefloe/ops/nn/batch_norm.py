"""Batch normalization and its gradients, in training and in inference.

    y = (x - mean) * scale / sqrt(variance + epsilon) + offset        over all dimensions but the channels'

In training mean and variance are the batch's own; the variance that is put out has Bessel's correction, and both are
mixed with the running ones by `exponential_avg_factor`. The third reserve means nothing on a CPU.
Source: tensorflow/core/kernels/fused_batch_norm_op.cc, batch_norm_op.h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, merge, shape_text, with_rank
from icefloe.ops.nn.correlate import working_dtype
from icefloe.ops.nn.windows import channels_first, from_channels_last, to_channels_last

_BLOCK = 1 << 16  # elements worked on at a time, so that they stay in the cache


def _row_blocks(rows: int, channels: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, channels))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def column_sums(x: Any) -> Any:
    """Return the sum of each column of a matrix, by the matrix product: quicker and more exact than a running sum."""
    return np.ones(len(x), x.dtype) @ x


def _moments(rows: Any) -> tuple[Any, Any]:
    """Return (mean, variance) of each column, the variance about the mean."""
    count = rows.dtype.type(len(rows))
    mean = column_sums(rows) / count
    squares = np.zeros_like(mean)
    for block in _row_blocks(*rows.shape):
        part = rows[block] - mean
        squares += column_sums(np.square(part, out=part))
    return mean, squares / count


def _normalized(rows: Any, mean: Any, factor: Any, offset: Any) -> Any:
    out = np.empty_like(rows)
    for block in _row_blocks(*rows.shape):
        part = np.subtract(rows[block], mean, out=out[block])
        part *= factor
        part += offset
    return out


def _channel_moments(x: Any) -> tuple[Any, Any]:
    """Return (mean, variance) of each channel of `x` [n, channels, places]."""
    count = x.dtype.type(x.shape[0] * x.shape[2])
    mean = x.sum(axis=(0, 2)) / count
    centered = x - mean[:, None]
    np.square(centered, out=centered)
    return mean, centered.sum(axis=(0, 2)) / count


def _channels_normalized(x: Any, mean: Any, factor: Any, offset: Any) -> Any:
    out = x - mean[:, None]
    out *= factor[:, None]
    out += offset[:, None]
    return out


def _check(name: str, value: Any, channels: int, when: str = "") -> None:
    if np.ndim(value) != 1:
        raise errors.InvalidArgumentError(f"{name} must be 1-dimensional{shape_text(np.shape(value))}")
    if len(value) != channels:
        what = f"{when}, {name}" if when else name
        raise errors.InvalidArgumentError(
            f"{what} must have the same number of elements as the channels of x, got {len(value)} and {channels}"
        )


def _rows_of(x: Any, first: bool, rank: int) -> Any:
    """Return `x` as a matrix with a column for each channel, in the dtype to compute in."""
    last = to_channels_last(x, first)
    rows = (
        np.ascontiguousarray(last).reshape(-1, last.shape[-1]) if last.size else np.empty((0, last.shape[-1]), x.dtype)
    )
    return rows.astype(working_dtype(x.dtype), copy=False)


def _shaped(rows: Any, x: Any, first: bool) -> Any:
    last = to_channels_last(x, first).shape
    return from_channels_last(rows.astype(x.dtype, copy=False).reshape(last), first)


def _rank_of(data_format: str) -> int:
    return 5 if data_format in ("NDHWC", "NCDHW") else 4


def _forward(
    *, epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool, reserves: int
) -> Callable[..., tuple[Any, ...]]:
    first, rank = channels_first(data_format), _rank_of(data_format)

    def last_reserve(x: Any) -> Any:
        # TensorFlow's two implementations differ in what they leave here: nothing, or a zero.
        if rank == 4 and x.dtype != np.float16:
            return np.empty(0, np.float32)
        return np.zeros((), np.float32)

    def run(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> tuple[Any, ...]:
        if x.ndim != rank:
            raise errors.InvalidArgumentError(f"input must be {rank}-dimensional{shape_text(x.shape)}")
        channels = x.shape[1 if first else -1]
        _check("scale", scale, channels)
        _check("offset", offset, channels)
        for name, value in (("estimated_mean", mean), ("estimated_variance", variance)):
            if np.ndim(value) != 1:
                raise errors.InvalidArgumentError(f"{name} must be 1-dimensional{shape_text(np.shape(value))}")
        mixes = not is_training or exponential_avg_factor != 1.0
        if mixes:
            when = "When is_training=false" if not is_training else "When exponential_avg_factor != 1"
            _check("mean", mean, channels, when)
            _check("variance", variance, channels, when)
        real = scale.dtype.type
        if not x.size:
            blank = np.full(channels, np.nan, scale.dtype)
            given = (blank, blank.copy()) if is_training else (mean.copy(), variance.copy())
            zeros = (np.zeros(channels, scale.dtype), np.zeros(channels, scale.dtype))
            return (np.empty(x.shape, x.dtype), *given, *zeros, *[last_reserve(x)] * (reserves - 2))
        if first:
            planes = np.ascontiguousarray(x).reshape(len(x), channels, -1).astype(working_dtype(x.dtype), copy=False)
        else:
            planes = _rows_of(x, first, rank)
        count = x.size // channels
        if is_training:
            used_mean, used_variance = (_channel_moments if first else _moments)(planes)
            unbiased = used_variance * real(count / max(count - 1, 1))
            out_mean, out_variance = used_mean, unbiased
            if mixes:
                weight, rest = real(exponential_avg_factor), real(1.0 - exponential_avg_factor)
                out_mean = rest * mean + weight * used_mean
                out_variance = rest * variance + weight * unbiased
        else:
            used_mean, used_variance = mean, variance
            out_mean, out_variance = mean, variance
        factor = scale / np.sqrt(used_variance + real(epsilon))
        made = (_channels_normalized if first else _normalized)(planes, used_mean, factor, offset)
        y = made.astype(x.dtype, copy=False).reshape(x.shape)
        kept = [np.array(v) for v in (out_mean, out_variance, used_mean, used_variance)]
        return (y, *kept, *[last_reserve(x)] * (reserves - 2))

    return run


@kernel("FusedBatchNorm", "FusedBatchNormV2", factory=True)
def fused_batch_norm(
    *, epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool
) -> Callable[..., tuple[Any, ...]]:
    """Return (y, mean, variance, and what the gradient needs of both)."""
    return _forward(
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        reserves=2,
    )


@kernel("FusedBatchNormV3", factory=True)
def fused_batch_norm_v3(
    *, epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool
) -> Callable[..., tuple[Any, ...]]:
    """Return (y, mean, variance, what the gradient needs of both, an empty reserve)."""
    return _forward(
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        reserves=3,
    )


@kernel("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", factory=True)
def fused_batch_norm_grad(*, epsilon: float, data_format: str, is_training: bool) -> Callable[..., tuple[Any, ...]]:
    """Return the gradients of x, scale and offset, and two zeros, none for half, that stand for the reserves'."""
    first, rank = channels_first(data_format), _rank_of(data_format)

    def run(dy: Any, x: Any, scale: Any, mean: Any, variance: Any, *_: Any) -> tuple[Any, ...]:
        if x.ndim != rank:
            raise errors.InvalidArgumentError(f"input must be {rank}-dimensional{shape_text(x.shape)}")
        if dy.shape != x.shape:
            raise errors.InvalidArgumentError(
                "x and y_backprop must have same shape, but x has shape "
                f"{shape_text(x.shape)} and y_backprop has shape {shape_text(dy.shape)}"
            )
        channels = x.shape[1 if first else -1]
        for name, value in (("scale", scale), ("reserve_space_1", mean), ("reserve_space_2", variance)):
            _check(name, value, channels)
        real = scale.dtype.type
        nothing = [np.zeros((0,) if x.dtype == np.float16 else (), scale.dtype) for _ in range(2)]
        if not x.size:
            zeros = (np.zeros(channels, scale.dtype), np.zeros(channels, scale.dtype))
            return (np.empty(x.shape, x.dtype), *zeros, *nothing)
        rows, grads = _rows_of(x, first, rank), _rows_of(dy, first, rank)
        inverse = 1 / np.sqrt(variance + real(epsilon))
        offset_grad = column_sums(grads)
        centered = rows - mean
        products = np.zeros(channels, rows.dtype)
        for block in _row_blocks(*rows.shape):
            products += column_sums(grads[block] * centered[block])
        scale_grad = products * inverse
        if not is_training:
            dx = grads * (scale * inverse)
        else:
            count = real(len(rows))
            slope = products / count * np.square(inverse)
            dx = centered
            for block in _row_blocks(*rows.shape):
                part = dx[block]
                part *= -slope
                part += grads[block]
                part -= offset_grad / count
                part *= scale * inverse
        return (_shaped(dx, x, first), scale_grad, offset_grad, *nothing)

    return run


@kernel("BatchNormWithGlobalNormalization")
def batch_norm_with_global_normalization(
    t: Any, m: Any, v: Any, beta: Any, gamma: Any, *, variance_epsilon: float, scale_after_normalization: bool
) -> Any:
    """Return `t` [n, h, w, channels] normalized with given mean and variance."""
    _check_global(t, m, v, gamma, beta=beta)
    factor = 1 / np.sqrt(v + v.dtype.type(variance_epsilon))
    return (t - m) * (factor * gamma if scale_after_normalization else factor) + beta


@kernel("BatchNormWithGlobalNormalizationGrad")
def batch_norm_with_global_normalization_grad(
    t: Any, m: Any, v: Any, gamma: Any, backprop: Any, *, variance_epsilon: float, scale_after_normalization: bool
) -> tuple[Any, ...]:
    """Return the gradients of input, mean, variance, beta and gamma."""
    _check_global(t, m, v, gamma, backprop=backprop)
    real = t.dtype.type
    factor = 1 / np.sqrt(v + real(variance_epsilon))
    axes = tuple(range(t.ndim - 1))
    db = backprop.sum(axis=axes)
    products = (backprop * (t - m)).sum(axis=axes)
    weight = gamma if scale_after_normalization else np.ones_like(gamma)
    dg = products * factor if scale_after_normalization else np.zeros_like(gamma)
    dv = products * weight * real(-0.5) * factor * factor * factor
    return backprop * (factor * weight), -db * (factor * weight), dv, db, dg


def _check_global(t: Any, m: Any, v: Any, gamma: Any, *, beta: Any = None, backprop: Any = None) -> None:
    if t.ndim != 4:
        raise errors.InvalidArgumentError(f"input must be 4-dimensional{shape_text(t.shape)}")
    for name, value in (("mean", m), ("var", v), ("beta", beta), ("gamma", gamma)):
        if value is not None and np.shape(value) != (t.shape[-1],):
            raise errors.InvalidArgumentError(
                f"{name} must be 1-dimensional of {t.shape[-1]} elements, got shape {shape_text(np.shape(value))}"
            )
    if backprop is not None and backprop.shape != t.shape:
        raise errors.InvalidArgumentError(
            f"out_backprop must have the shape of the input, got {shape_text(backprop.shape)}"
        )


def _channels(c: ShapeContext, x: tuple[int | None, ...], data_format: str, *inputs: int) -> Dims:
    known: Dims = (x[1 if channels_first(data_format) else -1],)
    for i in inputs:
        known = merge(known, with_rank(c.shape(i), 1))
    return known


@shape("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm_shape(c: ShapeContext) -> list[Any]:
    """The shape of x, a vector of channels four times, for V3 a reserve of unknown shape."""
    data_format = c.attr("data_format")
    x = with_rank(c.shape(0), _rank_of(data_format))
    used = (1, 2) if c.attr("is_training") else (1, 2, 3, 4)
    channels = _channels(c, x, data_format, *used)
    assert channels is not None
    whole = (x[0], channels[0], *x[2:]) if channels_first(data_format) else (*x[:-1], channels[0])
    return [whole, channels, channels, channels, channels, *([None] if c.op == "FusedBatchNormV3" else [])]


@shape("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def fused_batch_norm_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape of x, a vector of channels twice, two reserves of unknown shape."""
    data_format = c.attr("data_format")
    x = with_rank(c.shape(0), _rank_of(data_format))
    channels = _channels(c, x, data_format, 2)
    return [x, channels, channels, None, None]


@shape("BatchNormWithGlobalNormalization")
def global_shape(c: ShapeContext) -> list[Any]:
    """The shape of the input."""
    return [with_rank(c.shape(0), 4)]


@shape("BatchNormWithGlobalNormalizationGrad")
def global_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape of the input, a vector of channels four times."""
    t = with_rank(c.shape(0), 4)
    return [t, *([t[3:]] * 4)]
