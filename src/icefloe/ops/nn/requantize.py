"""Quantized tensors moved to another range or shape: RequantizationRange, Requantize, QuantizeDownAndShrinkRange,
QuantizedReshape.

Source: tensorflow/core/kernels/requantize.cc, quantize_down_and_shrink_range.cc, quantization_utils.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, shape_text, with_rank
from icefloe.ops.array.quantization import plain, quantized
from icefloe.ops.array.shapes import reshape, reshape_shape
from icefloe.ops.nn.quantized_range import F, Range, check_scalars

Result = tuple[Any, Any, Any]
# Fractional bits of the fixed-point numbers below.
_SHIFT = 16


def _used_range(values: Any, given: Range) -> tuple[np.float32, np.float32]:
    """Return the floats of the least and greatest integer there is; the least is at most 0."""
    limits = np.iinfo(values.dtype)
    least, most = (values.min(), values.max()) if values.size else (limits.max, limits.min)
    low, high = given.to_float(np.array([least, most], values.dtype)).tolist()
    return F(min(0.0, low)), F(high)


def _moved(values: Any, given: Range, low: np.float32, high: np.float32, dtype: DType) -> Any:
    """Return integers of `given` as those of the range (low, high) in `dtype`, by fixed-point arithmetic for 8 bits."""
    if dtype.numpy[0] != np.uint8 or values.dtype != np.int32:
        return Range.of(low, high, dtype).to_integers(given.to_float(values))
    span_in, span_out = float(given.high - given.low), float(high - low)
    per_step = F(0.0 if span_out == 0 else 255.0 / span_out)
    middle = F((given.low + given.high) / F(2))
    scale = 0 if span_out == 0 else int(255.0 * (1 << _SHIFT) * span_in / span_out)
    offset_in = int(middle * per_step * F(1 << _SHIFT))
    offset_out = 0 if span_out == 0 else int(F(1 << _SHIFT) * (low * F(255)) / F(span_out))
    with np.errstate(over="ignore"):
        moved = ((values.astype(np.int64) * np.int64(scale)) >> 32) + np.int64(offset_in - offset_out)
    return np.clip((moved + (1 << (_SHIFT - 1))) >> _SHIFT, 0, 255).astype(np.uint8)


@kernel("RequantizationRange")
def requantization_range(values: Any, low: Any, high: Any, *, Tinput: DType) -> tuple[Any, Any]:
    if not np.size(low) or not np.size(high):
        raise errors.InvalidArgumentError("input_min and input_max must have at least one element")
    return _used_range(plain(values), Range.of(low, high, Tinput))


@kernel("Requantize")
def requantize(
    values: Any, low: Any, high: Any, wanted_low: Any, wanted_high: Any, *, Tinput: DType, out_type: DType
) -> Result:
    check_scalars(input_min=low, input_max=high, requested_output_min=wanted_low, requested_output_max=wanted_high)
    new_low, new_high = F(wanted_low), F(wanted_high)
    if new_low > 0:
        raise errors.InvalidArgumentError(f"requested_output_min must be <= 0, but got {new_low:g}")
    if new_high < new_low:
        raise errors.InvalidArgumentError(
            f"requested_output_max must be >= requested_output_min, but got {new_high:g} and {new_low:g}"
        )
    moved = _moved(plain(values), Range.of(low, high, Tinput), new_low, new_high, out_type)
    return quantized(moved, out_type), new_low, new_high


@kernel("QuantizeDownAndShrinkRange")
def quantize_down_and_shrink_range(values: Any, low: Any, high: Any, *, Tinput: DType, out_type: DType) -> Result:
    check_scalars(input_min=low, input_max=high)
    given = Range.of(low, high, Tinput)
    new_low, new_high = _used_range(plain(values), given)
    return quantized(_moved(plain(values), given, new_low, new_high, out_type), out_type), new_low, new_high


@kernel("QuantizedReshape", returns=("view", 0))
def quantized_reshape(values: Any, sizes: Any, low: Any, high: Any) -> Result:
    for name, limit in (("input_min", low), ("input_max", high)):
        if np.size(limit) != 1:
            raise errors.InvalidArgumentError(f"{name} must have one element, got shape {shape_text(np.shape(limit))}")
    return reshape(values, sizes), np.array(low), np.array(high)


@shape("RequantizationRange")
def requantization_range_shape(c: ShapeContext) -> list[Dims]:
    for i in (1, 2):
        with_rank(c.shape(i), 0)
    return [(), ()]


@shape("Requantize", "QuantizeDownAndShrinkRange")
def requantize_shape(c: ShapeContext) -> list[Dims]:
    for i in range(1, c.num_inputs):
        with_rank(c.shape(i), 0)
    return [c.shape(0), (), ()]


@shape("QuantizedReshape")
def quantized_reshape_shape(c: ShapeContext) -> list[Dims]:
    for i in (2, 3):
        with_rank(c.shape(i), 0)
    return [reshape_shape(c)[0], (), ()]
