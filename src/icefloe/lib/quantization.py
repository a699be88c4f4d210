"""Conversions to and from quantized numbers."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor


def _axis(input: Any, axis: int | None) -> int:
    """Return the axis as the op wants it: -1 for none, else not negative. Raises: ValueError if it cannot be told."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    if input.shape.rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis % input.shape.rank


def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Return `(output, output_min, output_max)`: `input` as quantized numbers of dtype T, and the range they stand for.

    mode: MIN_COMBINED, MIN_FIRST or SCALED. axis: along which each slice has its own range.
    """
    return apply_op(
        "QuantizeV2",
        input,
        min_range,
        max_range,
        T=T,
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_axis(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Return what `quantize_v2` does; its arguments have another order."""
    return quantize_v2(input, min_range, max_range, T, mode, name, round_mode, narrow_range, axis, ensure_minimum_range)


def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = datatypes.float32,
) -> Tensor:
    """Return quantized numbers as floats; mode and axis as they were quantized with."""
    return apply_op(
        "Dequantize",
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=_axis(input, axis),
        dtype=dtype,
        name=name,
    )


def _quantize_and_dequantize(op: str, input: Any, low: Any, high: Any, axis: int | None, options: Any) -> Tensor:
    return apply_op(op, input, low, high, axis=_axis(input, axis), **options)


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Return `input` rounded to what `num_bits` bits can tell apart; the gradient passes through unchanged."""
    options = {
        "signed_input": signed_input,
        "num_bits": num_bits,
        "range_given": range_given,
        "round_mode": round_mode,
        "narrow_range": narrow_range,
        "name": name,
    }
    return _quantize_and_dequantize("QuantizeAndDequantizeV2", input, input_min, input_max, axis, options)


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Return `input` rounded to what `num_bits` bits can tell apart; the gradient is 0 outside the range."""
    options = {
        "signed_input": signed_input,
        "num_bits": num_bits,
        "range_given": range_given,
        "round_mode": round_mode,
        "narrow_range": narrow_range,
        "name": name,
    }
    return _quantize_and_dequantize("QuantizeAndDequantizeV4", input, input_min, input_max, axis, options)
