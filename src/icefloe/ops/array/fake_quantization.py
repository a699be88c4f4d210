"""Floats rounded to what few bits could hold, kept as floats: QuantizeAndDequantize, FakeQuantWithMinMax and gradients.

Source: tensorflow/core/kernels/quantize_and_dequantize_op.h, fake_quant_ops_functor.h.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, merge_sizes, unchanged, with_rank, with_rank_at_least
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims, shape_text


def _check_bits(num_bits: int, signed: bool) -> None:
    if not 0 < num_bits < (62 if signed else 63):
        raise errors.InvalidArgumentError(f"num_bits is out of range: {num_bits} with signed_input_ {int(signed)}")


def _scales(low: Array, high: Array, bits: int, signed: bool, narrow: bool) -> tuple[Array, Array, Array, Array]:
    """Return (scale, its inverse, least, greatest) so that [low, high] fits the integers and 0 stays 0."""
    dtype = low.dtype
    least = -(1 << bits - 1) + narrow if signed else 0
    greatest = (1 << bits - 1) - 1 if signed else (1 << bits) - 1
    most = np.asarray(np.finfo(np.float32).max if dtype.kind == "V" else np.finfo(dtype).max, dtype)
    q_low, q_high = np.asarray(least, dtype), np.asarray(greatest, dtype)
    from_low = np.where(q_low * low > 0, q_low / low, most).astype(dtype)
    from_high = np.where(q_high * high > 0, q_high / high, most).astype(dtype)
    by_low = from_low < from_high
    inverse = np.where(by_low, low / q_low, high / q_high).astype(dtype)
    return (
        np.where(by_low, from_low, from_high).astype(dtype),
        inverse,
        np.where(by_low, low, q_low * inverse).astype(dtype),
        np.where(by_low, q_high * inverse, high).astype(dtype),
    )


def _rounded(x: Array, mode: str) -> Array:
    return np.floor(x + x.dtype.type(0.5)) if mode == "HALF_UP" else np.rint(x)


def _along(x: Array, axis: int, values: Array) -> Array:
    """Return one value for each slice of `x` along `axis`, shaped to broadcast."""
    return values.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def _quantized(
    x: Any, low: Any, high: Any, *, bits: int, signed: bool, given: bool, mode: str, narrow: bool, axis: int
) -> Array:
    x = np.asarray(x)
    _check_bits(bits, signed)
    if axis < -1 or axis >= x.ndim:
        raise errors.InvalidArgumentError(f"Shape must be at least rank {axis + 1} but is rank {x.ndim}")
    if given:
        for name, value in (("input_min", low), ("input_max", high)):
            if axis == -1 and np.ndim(value):
                raise errors.InvalidArgumentError(f"{name} must be a scalar.")
            if axis != -1 and np.shape(value) != (x.shape[axis],):
                raise errors.InvalidArgumentError(
                    f"{name} has incorrect size, was {np.size(value)} expected {x.shape[axis]}"
                )
        low, high = np.asarray(low), np.asarray(high)
        bad = np.ravel(low > high)
        if bad.any():
            i = int(np.argmax(bad))
            raise errors.InvalidArgumentError(
                f"Invalid range: input_min {np.ravel(low)[i]} > input_max {np.ravel(high)[i]}"
            )
    else:
        others = tuple(i for i in range(x.ndim) if i != axis)
        low, high = np.min(x, axis=others, initial=math.inf), np.max(x, axis=others, initial=-math.inf)
    low, high = np.asarray(low, x.dtype), np.asarray(high, x.dtype)
    if axis != -1:
        low, high = _along(x, axis, low), _along(x, axis, high)
    scale, inverse, least, greatest = _scales(low, high, bits, signed, narrow)
    if given:
        x = np.maximum(np.minimum(x, greatest), least)
    return (_rounded(x * scale, mode) * inverse).astype(x.dtype, copy=False)


@kernel("QuantizeAndDequantize")
def quantize_and_dequantize(
    x: Any, *, signed_input: bool, num_bits: int, range_given: bool, input_min: float, input_max: float
) -> Array:
    """`x` rounded to multiples of a step so that its range, or the given one, takes `num_bits`."""
    return _quantized(
        x,
        np.asarray(input_min, x.dtype),
        np.asarray(input_max, x.dtype),
        bits=num_bits,
        signed=signed_input,
        given=range_given,
        mode="HALF_TO_EVEN",
        narrow=False,
        axis=-1,
    )


@kernel("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
def quantize_and_dequantize_v2(
    x: Any,
    low: Any,
    high: Any,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Array:
    """The same with the range as tensors, one for each slice along `axis` unless that is -1."""
    return _quantized(
        x,
        low,
        high,
        bits=num_bits,
        signed=signed_input,
        given=range_given,
        mode=round_mode,
        narrow=narrow_range,
        axis=axis,
    )


@kernel("QuantizeAndDequantizeV3")
def quantize_and_dequantize_v3(
    x: Any, low: Any, high: Any, bits: Any, *, signed_input: bool, range_given: bool, narrow_range: bool, axis: int
) -> Array:
    if np.ndim(bits):
        raise errors.InvalidArgumentError(f"num_bits should be a scalar, got shape {shape_text(np.shape(bits))}")
    return _quantized(
        x,
        low,
        high,
        bits=int(bits),
        signed=signed_input,
        given=range_given,
        mode="HALF_TO_EVEN",
        narrow=narrow_range,
        axis=axis,
    )


shape("QuantizeAndDequantize")(unchanged)


@shape("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
def quantize_and_dequantize_v2_shape(c: ShapeContext) -> list[Dims]:
    axis = c.attr("axis")
    if axis < -1:
        raise errors.InvalidArgumentError(f"axis should be at least -1, got {axis}")
    known = with_rank_at_least(c.shape(0), axis + 1)
    low = with_rank(c.shape(1), 0 if axis == -1 else 1)
    merge(low, c.shape(2))
    if axis != -1 and known is not None:
        merge((known[axis],), low)
    return [known]


@kernel("QuantizeAndDequantizeV4Grad")
def quantize_and_dequantize_v4_grad(
    gradient: Any, x: Any, low: Any, high: Any, *, axis: int
) -> tuple[Array, Array, Array]:
    """The gradient where `x` is in range, else 0; the range gets none."""
    if np.shape(gradient) != np.shape(x):
        raise errors.InvalidArgumentError("gradient and input must be the same size")
    if axis < -1 or axis >= np.ndim(x):
        raise errors.InvalidArgumentError(
            f"Axis should be -1 or 0 or a positive value less than {np.ndim(x)} but given axis value was {axis}"
        )
    if axis == -1:
        if np.ndim(low) or np.ndim(high):
            raise errors.InvalidArgumentError("input_min and input_max must be scalars")
        least, greatest = low, high
    else:
        for name, value in (("min", low), ("max", high)):
            if np.shape(value) != (x.shape[axis],):
                raise errors.InvalidArgumentError(
                    f"input_{name} has incorrect size, was {np.size(value)} expected {x.shape[axis]}"
                )
        least, greatest = _along(x, axis, low), _along(x, axis, high)
    inside = (x >= least) & (x <= greatest)
    return np.where(inside, gradient, np.zeros((), x.dtype)), np.zeros_like(low), np.zeros_like(high)


@shape("QuantizeAndDequantizeV4Grad")
def quantize_and_dequantize_v4_grad_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(1), c.shape(2), c.shape(3)]


def _nudged(low: Array, high: Array, bits: int, narrow: bool) -> tuple[Array, Array, Array]:
    """Return (least, greatest, step): the range moved so that 0 is one of its steps."""
    if not 2 <= bits <= 16:
        raise errors.InvalidArgumentError(f"num_bits must be between 2 and 16, inclusive. Got: {bits}")
    q_low, q_high = np.float32(1 if narrow else 0), np.float32((1 << bits) - 1)
    step = (high - low) / (q_high - q_low)
    zero = q_low - low / step
    # Half away from zero; the value is positive where it is used.
    zero = np.where(zero < q_low, q_low, np.where(zero > q_high, q_high, np.floor(zero + np.float32(0.5))))
    zero = zero.astype(np.float32)
    return (q_low - zero) * step, (q_high - zero) * step, step


def _faked(x: Any, low: Any, high: Any, bits: int, narrow: bool) -> Array:
    x, low, high = np.asarray(x), np.asarray(low, np.float32), np.asarray(high, np.float32)
    least, greatest, step = _nudged(low, high, bits, narrow)
    zero = np.floor(np.float32(0.5) - least / step)
    clamped = np.maximum(np.minimum(x, greatest), least)
    result = np.floor((clamped - least) / step - zero + np.float32(0.5)) * step
    return np.where((low == 0) & (high == 0), np.float32(0), result).astype(np.float32)


def _masks(x: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Array, Array]:
    """Return where `x` is below and where it is above the range; nowhere where the range is [0, 0]."""
    low, high = np.asarray(low, np.float32), np.asarray(high, np.float32)
    least, greatest, _ = _nudged(low, high, bits, narrow)
    some = (low != 0) | (high != 0)
    return (x < least) & some, (x > greatest) & some


def _check_attr_range(low: float, high: float) -> None:
    if not low < high:
        raise errors.InvalidArgumentError(f"min has to be smaller than max, was: {low:g} >= {high:g}")


@kernel("FakeQuantWithMinMaxArgs")
def fake_quant_args(x: Any, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Array:
    """`x` clamped to [min, max], moved so that 0 is a step of it, and rounded to one of its steps."""
    _check_attr_range(min, max)
    return _faked(x, min, max, num_bits, narrow_range)


@kernel("FakeQuantWithMinMaxArgsGradient")
def fake_quant_args_gradient(
    gradient: Any, x: Any, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> Array:
    _check_attr_range(min, max)
    _check_same(gradient, x)
    below, above = _masks(x, min, max, num_bits, narrow_range)
    return np.where(below | above, np.float32(0), gradient)


def _check_same(gradient: Any, x: Any) -> None:
    if np.shape(gradient) != np.shape(x):
        raise errors.InvalidArgumentError(
            f"gradient and input must be the same size: {shape_text(np.shape(gradient))} and {shape_text(np.shape(x))}"
        )


def _check_scalars(low: Any, high: Any) -> None:
    for name, value in (("min", low), ("max", high)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(
                f"`{name}` must be rank 0 but is rank {np.ndim(value)}: got shape {shape_text(np.shape(value))}"
            )


def _check_channels(x: Any, low: Any, high: Any) -> None:
    if not np.ndim(x):
        raise errors.InvalidArgumentError("inputs must be at least rank 1")
    depth = x.shape[-1]
    for name, value in (("min", low), ("max", high)):
        if np.shape(value) != (depth,):
            raise errors.InvalidArgumentError(f"{name} has incorrect size, expected {depth} was {np.size(value)}")


@kernel("FakeQuantWithMinMaxVars")
def fake_quant_vars(x: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool) -> Array:
    _check_scalars(low, high)
    return _faked(x, low, high, num_bits, narrow_range)


@kernel("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_channels(x: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool) -> Array:
    """The same with a range for each place in the last dimension."""
    _check_channels(x, low, high)
    return _faked(x, low, high, num_bits, narrow_range)


def _range_gradients(
    gradient: Any, x: Any, low: Any, high: Any, bits: int, narrow: bool, axes: tuple[int, ...]
) -> tuple[Array, Array, Array]:
    _check_same(gradient, x)
    below, above = _masks(x, low, high, bits, narrow)
    nothing = np.float32(0)
    return (
        np.where(below | above, nothing, gradient),
        np.asarray(np.where(below, gradient, nothing).sum(axis=axes, dtype=np.float32)),
        np.asarray(np.where(above, gradient, nothing).sum(axis=axes, dtype=np.float32)),
    )


@kernel("FakeQuantWithMinMaxVarsGradient")
def fake_quant_vars_gradient(
    gradient: Any, x: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    """The gradient in range, and the sums of those below and above it, which the range gets."""
    _check_scalars(low, high)
    return _range_gradients(gradient, x, low, high, num_bits, narrow_range, tuple(range(np.ndim(x))))


@kernel("FakeQuantWithMinMaxVarsPerChannelGradient")
def fake_quant_channels_gradient(
    gradient: Any, x: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    _check_channels(x, low, high)
    return _range_gradients(gradient, x, low, high, num_bits, narrow_range, tuple(range(np.ndim(x) - 1)))


shape("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient", "FakeQuantWithMinMaxVars")(unchanged)


@shape("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_channels_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 1)
    (low,), (high,) = with_rank(c.shape(1), 1), with_rank(c.shape(2), 1)
    depth = merge_sizes(low, high)
    return [None] if known is None else [(*known[:-1], merge_sizes(known[-1], depth))]


@shape("FakeQuantWithMinMaxVarsGradient")
def fake_quant_vars_gradient_shape(c: ShapeContext) -> list[Dims]:
    return [merge(c.shape(0), c.shape(1)), with_rank(c.shape(2), 0), with_rank(c.shape(3), 0)]


@shape("FakeQuantWithMinMaxVarsPerChannelGradient")
def fake_quant_channels_gradient_shape(c: ShapeContext) -> list[Dims]:
    depth = merge(with_rank(c.shape(2), 1), with_rank(c.shape(3), 1))
    return [merge(c.shape(0), c.shape(1)), depth, depth]
