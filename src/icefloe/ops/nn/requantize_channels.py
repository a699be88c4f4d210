"""Quantized images whose channels have ranges of their own: RequantizationRangePerChannel, RequantizePerChannel.

Source: tensorflow/core/kernels/mkl/mkl_requantization_range_per_channel_op.cc, mkl_requantize_per_channel_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, scalar
from icefloe.ops.array.quantization import plain, quantized

F = np.float32


@kernel("RequantizationRangePerChannel")
def requantization_range_per_channel(values: Any, low: Any, high: Any, *, clip_value_max: float) -> tuple[Any, Any]:
    """The range that holds all channels: to `clip_value_max` at most, from 0 where nothing is negative."""
    depth = np.size(high)
    for name, limits in (("input_min", low), ("input_max", high)):
        if np.shape(limits) != (depth,):
            raise errors.InvalidArgumentError(
                f"{name} has incorrect size, expected {depth} was {np.shape(limits)[0] if np.ndim(limits) else 0}"
            )
    whole = plain(values)
    if not whole.size:
        raise errors.InvalidArgumentError("input must not be empty")
    if whole.ndim != 4:
        raise errors.InvalidArgumentError("input must be in NHWC format")
    if whole.shape[3] != depth:
        raise errors.InvalidArgumentError(
            f"input must have same number of channels as length of input_min: {whole.shape[3]} vs {depth}"
        )
    rows = whole.reshape(-1, depth).astype(np.int64)
    most = np.abs(rows).max(axis=0).astype(np.float32)
    ranges = np.maximum(np.abs(low), np.abs(high)) * most / F(2**31)
    reach = min(max(ranges.max(), np.finfo(F).tiny), F(clip_value_max))
    return F(0 if rows.min() >= 0 else -reach), F(reach)


@kernel("RequantizePerChannel")
def requantize_per_channel(
    values: Any, low: Any, high: Any, wanted_low: Any, wanted_high: Any, *, out_type: DType
) -> tuple[Any, Any, Any]:
    """Integers of channels with ranges of their own as those of one range, rounded to even, in 8 bits."""
    whole = plain(values)
    if whole.ndim != 4:
        raise errors.InvalidArgumentError("Current RequantizePerChannel operatorsupports 4D tensors only.")
    if np.size(high) != np.size(low):
        raise errors.InvalidArgumentError(f"input_max has incorrect size, expected {np.size(low)} was {np.size(high)}")
    if np.size(low) not in (1, whole.shape[3]):
        raise errors.InvalidArgumentError(f"there are {whole.shape[3]} channels and {np.size(low)} ranges")
    for name, limit in (("min", wanted_low), ("max", wanted_high)):
        if np.size(limit) != 1:
            raise errors.InvalidArgumentError(f"requested_output_{name} must be a scalar")
    if out_type.name not in ("qint8", "quint8"):
        raise errors.InvalidArgumentError(f"out_type must be qint8 or quint8, but got: {out_type.as_datatype_enum}")
    new_low, new_high = F(np.ravel(wanted_low)[0]), F(np.ravel(wanted_high)[0])
    if out_type.name == "qint8" and not new_low < 0:
        raise errors.InvalidArgumentError(
            f"If out_type is QINT8, requested_output_max must be non negative, got {new_low:g}"
        )
    factor = F(127 if out_type.name == "qint8" else 255)
    reach = max(abs(new_low), abs(new_high))
    scales = factor * (np.maximum(np.abs(np.ravel(low)), np.abs(np.ravel(high))) / reach / F(2**31))
    limits = np.iinfo(out_type.numpy[0])
    moved = np.clip(np.rint(whole.astype(np.float32) * scales), limits.min, limits.max)
    return quantized(np.nan_to_num(moved).astype(out_type.numpy[0]), out_type), new_low, new_high


@shape("RequantizePerChannel")
def requantize_per_channel_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(0), (), ()]


shape("RequantizationRangePerChannel")(scalar)
