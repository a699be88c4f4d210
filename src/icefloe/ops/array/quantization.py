"""Floats to small integers and back, with a range: QuantizeV2, Dequantize, Requantize and the ranges of requantization.

Source: tensorflow/core/kernels/quantize_op.cc, dequantize_op.cc, quantization_utils.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_least
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims, shape_text

F = np.float32


def plain(x: Any) -> Array:
    """Return the integers of a quantized tensor."""
    return np.asarray(x)[x.dtype.names[0]]


def quantized(values: Array, dtype: DType) -> Array:
    """Return integers as a tensor of a quantized dtype."""
    inner = dtype.numpy[0]
    return np.ascontiguousarray(values.astype(inner, copy=False)).view(dtype.numpy).reshape(values.shape)


def _limits(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype.numpy[0])
    return int(info.min), int(info.max)


def _half_range(dtype: DType) -> np.floating[Any]:
    least, greatest = _limits(dtype)
    return F((greatest - least + 1) / 2 if least < 0 else 0)


def _away(x: Array) -> Array:
    """Return `x` rounded, halves away from zero."""
    return np.trunc(x + np.copysign(np.asarray(0.5, x.dtype), x))


def _steps(low: Array, high: Array, dtype: DType) -> Array:
    """Return a range's size, widened so that its ends are the centres of the first and the last step: float64."""
    count = float(1 << (dtype.numpy.itemsize * 8))
    return (high - low).astype(np.float64) * (count / (count - 1))


def _slices(x: Array, low: Any, high: Any, axis: int) -> tuple[Array, Array]:
    """Return the range, shaped to broadcast, with one for each slice along `axis` unless that is -1."""
    low, high = np.asarray(low, F), np.asarray(high, F)
    if axis == -1:
        for name, value in (("min_range", low), ("max_range", high)):
            if value.size != 1:
                raise errors.InvalidArgumentError(
                    f"`{name}` must be rank 0 but is rank {value.ndim}: got shape {shape_text(value.shape)}"
                )
        return low.reshape(()), high.reshape(())
    if not 0 <= axis < x.ndim:
        raise errors.InvalidArgumentError(f"Axis must be less than input dimension({x.ndim}), got {axis}")
    for name, value in (("min_range", low), ("max_range", high)):
        if value.shape != (x.shape[axis],):
            raise errors.InvalidArgumentError(
                f"Wrong shape of {name}: expected [{x.shape[axis]}], got {shape_text(value.shape)}"
            )
    wide = [-1 if i == axis else 1 for i in range(x.ndim)]
    return low.reshape(wide), high.reshape(wide)


@kernel("QuantizeV2")
def quantize_v2(
    x: Any,
    low: Any,
    high: Any,
    *,
    T: DType,
    mode: str,
    round_mode: str,
    narrow_range: bool,
    axis: int,
    ensure_minimum_range: float,
) -> tuple[Array, Array, Array]:
    """`x` in the integers of `T`, and the range that these stand for.

    mode: MIN_COMBINED and MIN_FIRST spread the range over all integers; SCALED keeps 0 at 0.
    """
    x = np.asarray(x)
    shown = np.shape(low)
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise errors.InvalidArgumentError(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'."
        )
    low, high = _slices(x, low, high, axis)
    if (low > high).any():
        raise errors.InvalidArgumentError("max_range must be at least min_range")
    low = np.minimum(F(0), low)
    least_size = np.maximum(F(1), np.maximum(np.abs(low), np.abs(high))) * F(ensure_minimum_range)
    high = np.maximum(F(0), np.maximum(high, low + least_size))
    least, greatest = _limits(T)
    if mode == "SCALED":
        bottom, top, most = F(least + narrow_range), F(greatest), np.finfo(F).max
        with np.errstate(all="ignore"):
            from_low = np.where(bottom * low > 0, bottom / low, most).astype(F)
            from_high = np.where(top * high > 0, top / high, most).astype(F)
        scale = np.minimum(from_low, from_high)
        low, high = bottom / scale, top / scale
        scaled = np.maximum(np.minimum(x, high), low) * scale
        values = np.rint(scaled) if round_mode == "HALF_TO_EVEN" else _away(scaled)
    elif mode == "MIN_FIRST":
        scale = ((1 << (T.numpy.itemsize * 8)) / _steps(low, high, T)).astype(F)
        values = _away(x * scale) - _away(low * scale) + F(least)
    else:
        scale = F(float(greatest) - float(least)) / (high - low)
        shifted = (np.maximum(np.minimum(x, high), low) - low) * scale
        values = _away(shifted - _half_range(T)) if least < 0 else np.floor(shifted + F(0.5))
    wide = values.astype(np.float64)
    if mode != "MIN_FIRST" and T.numpy.itemsize == 4:
        wide = np.where(wide > greatest, least, wide)  # the float that stands for the greatest is one above it
    integers = np.clip(wide, least, greatest).astype(T.numpy[0])
    return quantized(integers, T), low.reshape(shown), high.reshape(shown)


@shape("QuantizeV2")
def quantize_v2_shape(c: ShapeContext) -> list[Dims]:
    axis = c.attr("axis")
    if axis < -1:
        raise errors.InvalidArgumentError(f"axis should be at least -1, got {axis}")
    known = with_rank_at_least(c.shape(0), axis + 1)
    rank = 0 if axis == -1 else 1
    return [known, with_rank(c.shape(1), rank), with_rank(c.shape(2), rank)]


@kernel("Dequantize")
def dequantize(
    x: Any, low: Any, high: Any, *, T: DType, mode: str, narrow_range: bool, axis: int, dtype: DType
) -> Array:
    """The floats that integers of a range stand for; the reverse of QuantizeV2."""
    values = plain(x)
    if mode == "MIN_FIRST" and axis != -1:
        raise errors.UnimplementedError("MIN_FIRST mode is not implemented for Dequantize with axis != -1.")
    if dtype.name != "float32" and mode == "MIN_FIRST":
        raise errors.InvalidArgumentError(
            f"When output type is {dtype.name}, Mode string must be 'MIN_COMBINED', is '{mode}'"
        )
    low, high = _slices(values, low, high, axis)
    least, greatest = _limits(T)
    floats = values.astype(F)
    if mode == "SCALED":
        bottom = F(least + narrow_range)
        scale = high / F(greatest) if least == 0 else np.maximum(low / bottom, high / F(greatest))
        result = floats * scale
    elif mode == "MIN_FIRST":
        scale = (_steps(low, high, T) / (1 << (T.numpy.itemsize * 8))).astype(F)
        with np.errstate(all="ignore"):
            start = np.where(low == high, low, _away(low / scale) * scale)
        result = start + (values.astype(np.float64) - least) * scale
    else:
        scale = (high - low) / F(float(greatest) - float(least))
        result = (floats + _half_range(T)) * scale + low
    return result.astype(dtype.numpy)


@shape("Dequantize")
def dequantize_shape(c: ShapeContext) -> list[Dims]:
    axis, dims = c.attr("axis"), c.shape(0)
    if dims is not None and axis >= len(dims):
        raise errors.InvalidArgumentError(f"Axis must be less than input dimension({len(dims)}), got {axis}")
    known = with_rank_at_least(dims, axis + 1)
    for i in (1, 2):
        with_rank(c.shape(i), 0 if axis == -1 else 1)
    return [known]
