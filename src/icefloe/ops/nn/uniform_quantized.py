"""Uniform quantization: float = (integer - zero point) * scale, for a whole tensor or each index of one axis.

Source: tensorflow/core/kernels/uniform_quant_ops/*.cc, math_utils.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    Dims,
    ShapeContext,
    broadcast_shapes,
    merge_sizes,
    shape_text,
    unchanged,
    with_rank,
)
from icefloe.ops.array.quantization import plain, quantized

Array = np.ndarray[Any, Any]
F = np.float32


def _check(data_shape: tuple[int, ...], scales: Any, zero_points: Any, axis: int) -> None:
    shown = f"scales shape {shape_text(np.shape(scales))} and zero_points shape {shape_text(np.shape(zero_points))}"
    if np.shape(scales) != np.shape(zero_points):
        raise errors.InvalidArgumentError(f"scales and zero_points shape must be same, but given {shown}")
    if not -1 <= axis < len(data_shape):
        raise errors.InvalidArgumentError(f"quantization_axis must be -1 or in range [0, input.rank), but given {axis}")
    if axis == -1 and np.ndim(scales):
        raise errors.InvalidArgumentError(
            f"If quantization_axis is -1, scales and zero_points must be scalar tensors, but given {shown}"
        )
    if axis >= 0 and np.shape(scales) != (data_shape[axis],):
        raise errors.InvalidArgumentError(
            "If quantization_axis is not -1, scales and zero_points must be a tensor of rank 1 and the size must be "
            f"equal to the input.dim_size(quantization_axis), but given quantization_axis {axis}, {shown}"
        )


def _check_positive(message: str, *scales: Any) -> None:
    if not all((np.asarray(s) > 0).all() for s in scales):
        raise errors.InvalidArgumentError(message)


def _along(values: Any, rank: int, axis: int) -> Any:
    """Return what a tensor of that rank broadcasts with: one value, or one for each index of `axis`."""
    return values if axis == -1 else np.reshape(values, [-1 if i == axis else 1 for i in range(rank)])


def _affine(values: Any, inverse: Any, zero_points: Any, low: int, high: int) -> Array:
    """Return integers of floats. What an int32 cannot hold becomes its least value, and sums wrap, as in C++."""
    rounded = np.floor(values * inverse + F(0.5))
    fits = (rounded >= -(2.0**31)) & (rounded < 2.0**31)
    whole = np.where(fits, rounded, -(2.0**31)).astype(np.int32)
    return np.clip(np.add(whole, zero_points, dtype=np.int32), low, high)


def _multiplied(values: Array, factors: Any) -> Array:
    """Return int64 `values`, each an int32, times factors that are rounded to 31 bits, rounded to int32."""
    factors = np.asarray(factors, np.float64)
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise errors.InvalidArgumentError("double_multiplier must be a poisitive finite number.")
    mantissa, exponent = np.frexp(factors)
    exponent = exponent.astype(np.int64)
    fixed = np.floor(mantissa * 2.0**31 + 0.5).astype(np.int64)
    over = fixed == 1 << 31
    fixed, exponent = np.where(over, fixed >> 1, fixed), exponent + over
    fixed = np.where(exponent < -31, 0, np.where(exponent > 30, (1 << 31) - 1, fixed))
    shift = 31 - np.where(exponent < -31, 0, np.minimum(exponent, 30))
    limits = np.iinfo(np.int32)
    return np.clip((values * fixed + (np.int64(1) << (shift - 1))) >> shift, limits.min, limits.max)


@kernel("UniformQuantize")
def uniform_quantize(
    x: Any,
    scales: Any,
    zero_points: Any,
    *,
    Tout: DType,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Array:
    """Floats as integers between the two limits, halves rounded up."""
    _check(np.shape(x), scales, zero_points, quantization_axis)
    inverse = _along(F(1) / scales, np.ndim(x), quantization_axis)
    zeros = _along(zero_points, np.ndim(x), quantization_axis)
    whole = _affine(x, inverse, zeros, quantization_min_val, quantization_max_val)
    return quantized(whole.astype(Tout.numpy[0]), Tout)


@kernel("UniformDequantize")
def uniform_dequantize(x: Any, scales: Any, zero_points: Any, *, Tout: DType, quantization_axis: int) -> Array:
    """The floats that integers stand for."""
    _check(np.shape(x), scales, zero_points, quantization_axis)
    _check_positive("rhs scales elements must be all positive.", scales)
    rank = np.ndim(x)
    whole = plain(x).astype(np.int32) - _along(zero_points, rank, quantization_axis)
    return (whole.astype(np.float32) * _along(scales, rank, quantization_axis)).astype(Tout.numpy)


@kernel("UniformRequantize")
def uniform_requantize(
    x: Any,
    input_scales: Any,
    input_zero_points: Any,
    output_scales: Any,
    output_zero_points: Any,
    *,
    Tout: DType,
    input_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Array:
    """Integers of one scale as those of another."""
    rank = np.ndim(x)
    _check(np.shape(x), input_scales, input_zero_points, input_quantization_axis)
    _check(np.shape(x), output_scales, output_zero_points, output_quantization_axis)
    _check_positive("input/output scales elements must be all positive.", input_scales, output_scales)
    given = np.asarray(_along(input_scales, rank, input_quantization_axis), np.float64)
    factors = given / _along(output_scales, rank, output_quantization_axis)
    whole = plain(x).astype(np.int64) - _along(input_zero_points, rank, input_quantization_axis)
    moved = _multiplied(whole, factors) + _along(output_zero_points, rank, output_quantization_axis)
    return quantized(
        np.clip(moved, output_quantization_min_val, output_quantization_max_val).astype(Tout.numpy[0]), Tout
    )


@kernel("UniformQuantizedClipByValue")
def uniform_quantized_clip_by_value(
    operand: Any, least: Any, most: Any, scales: Any, zero_points: Any, *, T: DType, quantization_axis: int
) -> Array:
    """Integers between limits, which are one for the tensor or one for each index of the axis."""
    rank = np.ndim(operand)
    _check(np.shape(operand), scales, zero_points, quantization_axis)
    for name, limit in (("min", least), ("max", most)):
        if np.shape(limit) != np.shape(scales):
            raise errors.InvalidArgumentError(
                f"Input {name} shape must be same as scales/zero_points. Given {name} of shape "
                f"{shape_text(np.shape(limit))} and scales/zero_points of shape {shape_text(np.shape(scales))}"
            )
    low, high = (_along(plain(limit), rank, quantization_axis) for limit in (least, most))
    return quantized(np.maximum(np.minimum(plain(operand), high), low), T)


@kernel("UniformQuantizedAdd")
def uniform_quantized_add(
    lhs: Any,
    rhs: Any,
    lhs_scales: Any,
    lhs_zero_points: Any,
    rhs_scales: Any,
    rhs_zero_points: Any,
    output_scales: Any,
    output_zero_points: Any,
    *,
    T: DType,
    lhs_quantization_axis: int,
    rhs_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Array:
    """The sum of integers, broadcast, in the output's scale."""
    try:
        shape = np.broadcast_shapes(np.shape(lhs), np.shape(rhs))
    except ValueError:
        raise errors.InvalidArgumentError(
            f"lhs and rhs must be broadcastable, got {shape_text(np.shape(lhs))} and {shape_text(np.shape(rhs))}"
        ) from None
    _check(shape, output_scales, output_zero_points, output_quantization_axis)
    total: Any = 0
    for side, scales, zeros, axis in (
        (lhs, lhs_scales, lhs_zero_points, lhs_quantization_axis),
        (rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis),
    ):
        _check(np.shape(side), scales, zeros, axis)
        _check_positive("lhs/rhs/output scales elements must be all positive.", scales, output_scales)
        factors = np.asarray(scales, np.float64) / output_scales
        rank = np.ndim(side)
        whole = plain(side).astype(np.int64) - _along(zeros, rank, axis)
        total = total + _multiplied(whole, factors if not np.ndim(factors) else _along(factors, rank, axis))
    moved = total + _along(output_zero_points, len(shape), output_quantization_axis)
    return quantized(np.clip(moved, output_quantization_min_val, output_quantization_max_val).astype(T.numpy[0]), T)


def _check_matrices(lhs: Any, rhs: Any) -> None:
    if np.ndim(lhs) != 2 or np.ndim(rhs) != 2:
        raise errors.InvalidArgumentError("lhs and rhs must be matrices (2D tensors).")
    if lhs.shape[1] != rhs.shape[0]:
        raise errors.InvalidArgumentError(
            f"lhs.dim_size(1) and rhs.dim_size(0) must be equal, but given lhs.dim_size(1): {lhs.shape[1]}, "
            f"rhs.dim_size(0): {rhs.shape[0]}"
        )


def _product(lhs: Array, lhs_zero: Any, rhs: Array, rhs_zero: Any) -> Array:
    """Return the exact int64 product of what is left without the zero points: doubles hold sums of 8-bit products."""
    left = lhs.astype(np.float64) - lhs_zero
    return (left @ (plain(rhs).astype(np.float64) - rhs_zero)).astype(np.int64)


@kernel("UniformQuantizedDot")
def uniform_quantized_dot(
    lhs: Any,
    rhs: Any,
    lhs_scales: Any,
    lhs_zero_points: Any,
    rhs_scales: Any,
    rhs_zero_points: Any,
    output_scales: Any,
    output_zero_points: Any,
    *,
    Tout: DType,
    rhs_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Array:
    """The product of quantized matrices in the output's scale; right side and output may have one for each column."""
    _check_matrices(lhs, rhs)
    columns = (lhs.shape[0], rhs.shape[1])
    _check(lhs.shape, lhs_scales, lhs_zero_points, -1)
    _check(rhs.shape, rhs_scales, rhs_zero_points, rhs_quantization_axis)
    _check(columns, output_scales, output_zero_points, output_quantization_axis)
    _check_positive("lhs/rhs/output scales elements must be all positive.", lhs_scales, rhs_scales, output_scales)
    factors = np.asarray(lhs_scales, np.float64) * rhs_scales / output_scales
    sums = _product(plain(lhs), lhs_zero_points, rhs, rhs_zero_points)
    moved = _multiplied(sums, factors) + output_zero_points
    return quantized(
        np.clip(moved, output_quantization_min_val, output_quantization_max_val).astype(Tout.numpy[0]), Tout
    )


@kernel("UniformQuantizedDotHybrid")
def uniform_quantized_dot_hybrid(
    lhs: Any, rhs: Any, rhs_scales: Any, rhs_zero_points: Any, *, Tout: DType, rhs_quantization_axis: int
) -> Array:
    """The float product of floats, which are quantized to 8 bits row by row, and a quantized matrix."""
    _check_matrices(lhs, rhs)
    _check(rhs.shape, rhs_scales, rhs_zero_points, rhs_quantization_axis)
    _check_positive("rhs scales elements must be all positive.", rhs_scales)
    least, most = -128, 127
    low = np.minimum(lhs.min(axis=1, initial=0), F(0)).astype(np.float64)
    high = np.maximum(lhs.max(axis=1, initial=0), F(0)).astype(np.float64)
    span = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        scale, inverse = (span / (most - least)).astype(F), ((most - least) / span).astype(F)
        from_least, from_most = least - low / scale, most - high / scale
        nearer = abs(least) + np.abs(low / scale) < abs(most) + np.abs(high / scale)
        chosen = np.where(nearer, from_least, from_most)
    flat = (scale == 0) | ~np.isfinite(inverse)
    zero = np.where(flat, 0, np.clip(np.trunc(chosen + np.copysign(0.5, chosen)), least, most)).astype(np.int32)
    scale, inverse = np.where(flat, F(1), scale), np.where(flat, F(0), inverse)
    rows = _affine(lhs, inverse[:, None], zero[:, None], least, most)
    rows[flat] = 0
    sums = _product(rows, zero[:, None], rhs, rhs_zero_points)
    factors = scale[:, None].astype(np.float64) * rhs_scales
    return (sums * factors).astype(Tout.numpy)


@shape("UniformQuantizedAdd")
def add_shape(c: ShapeContext) -> list[Dims]:
    """The broadcast shape."""
    return [broadcast_shapes(c.shape(0), c.shape(1))]


@shape("UniformQuantizedDot", "UniformQuantizedDotHybrid")
def dot_shape(c: ShapeContext) -> list[Dims]:
    lhs, rhs = with_rank(c.shape(0), 2), with_rank(c.shape(1), 2)
    merge_sizes(lhs[1], rhs[0])
    return [(lhs[0], rhs[1])]


shape("UniformQuantize", "UniformDequantize", "UniformRequantize", "UniformQuantizedClipByValue")(unchanged)
