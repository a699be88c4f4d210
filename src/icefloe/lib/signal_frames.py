"""Signals cut into overlapping frames, and put together again."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat, split
from icefloe.lib.array_select import gather, pad, strided_slice
from icefloe.lib.array_shape import rank, reshape, shape, size, transpose
from icefloe.lib.constants import get_static_value
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_sum


def _static_or(tensor: Tensor) -> Any:
    static = get_static_value(tensor)
    return tensor if static is None else static


def scalar(value: Any, name: str) -> Tensor:
    """Return `value` as a scalar tensor. Raises: ValueError if it is no scalar."""
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _gcd(a: Any, b: Any) -> Any:
    """Return the greatest common divisor, as a number where the operands are known."""
    with name_scope(None, "gcd", [a, b]):
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        for name, operand in (("a", a), ("b", b)):
            operand.shape.assert_has_rank(0)
            if not operand.dtype.is_integer:
                raise ValueError(f"{name} must be an integer type. Got: {operand.dtype}")
        known = get_static_value(a), get_static_value(b)
        if known[0] is not None and known[1] is not None:
            return get_static_value(convert_to_tensor(math.gcd(int(known[0]), int(known[1]))))

        def more(_: Tensor, rest: Tensor) -> Tensor:
            return apply_op("Greater", rest, zeros_like(rest))

        def divided(whole: Tensor, rest: Tensor) -> list[Tensor]:
            return [rest, apply_op("FloorMod", whole, rest, name="mod")]

        divisor, _ = while_loop(more, divided, [a, b], back_prop=False)
        return divisor


def _frame_shape(signal: Tensor, frame_length: Any, frame_step: Any, pad_end: bool, axis: Any) -> Any:
    length, step, axis = (get_static_value(x) for x in (frame_length, frame_step, axis))
    if signal.shape.rank is None:
        return None
    if axis is None:
        return [None] * (signal.shape.rank + 1)
    sizes = signal.shape.as_list()
    count = None
    samples = sizes[axis]
    if samples is not None and step is not None:
        if pad_end:
            count = max(0, -(-samples // step))
        elif length is not None:
            count = max(0, (samples - length + step) // step)
    return [*sizes[:axis], count, length, *sizes[axis:][1:]]


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Return frames of `signal` along `axis`, which becomes two: [frames, frame_length].

    pad_end: whether frames that reach over the end are there too, filled up with `pad_value`.
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        axis = convert_to_tensor(axis, name="axis")
        signal.shape.with_rank_at_least(1)
        for tensor in (frame_length, frame_step, axis):
            tensor.shape.assert_has_rank(0)
        result_shape = _frame_shape(signal, frame_length, frame_step, pad_end, axis)
        signal_shape = _static_or(shape(signal))
        axis = _static_or(axis)
        outer, samples, inner, axis = _around(signal, signal_shape, axis)
        counts = size(outer), size(inner)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, signal.dtype)
            pad_value.shape.assert_has_rank(0)
            frames = -(-samples // frame_step)
            missing = apply_op("Maximum", 0, frame_length + frame_step * (frames - 1) - samples)
            paddings = concat(
                [
                    zeros([counts[0], 2], dtype=missing.dtype),
                    convert_to_tensor([[0, missing]]),
                    zeros([counts[1], 2], dtype=missing.dtype),
                ],
                0,
            )
            signal = pad(signal, paddings, constant_values=pad_value)
            signal_shape = shape(signal)
            samples = signal_shape[axis]
        else:
            none = constant(0, dtype=frame_length.dtype)
            frames = apply_op("Maximum", none, 1 + (samples - frame_length) // frame_step)
        part = _gcd(frame_length, frame_step)
        parts_per_frame = frame_length // part
        parts_per_hop = frame_step // part
        parts = samples // part
        used = concat([outer, [parts * part], inner], 0)
        cut = concat([outer, [parts, part], inner], 0)
        pieces = reshape(strided_slice(signal, zeros_like(signal_shape), used), cut)
        starts = reshape(range(frames, dtype=frame_length.dtype) * parts_per_hop, [frames, 1])
        selector = starts + reshape(range(parts_per_frame, dtype=frame_length.dtype), [1, parts_per_frame])
        outer = convert_to_tensor(outer)
        inner = convert_to_tensor(inner, dtype=outer.dtype)
        middle = convert_to_tensor([frames, frame_length], dtype=outer.dtype)
        result = reshape(gather(pieces, selector, axis=axis), concat([outer, middle, inner], 0))
        if result_shape:
            result.set_shape(result_shape)
        return result


def _around(signal: Tensor, signal_shape: Any, axis: Any) -> tuple[Any, Any, Any, Any]:
    """Return the sizes before `axis`, that along it, those after it, and the axis counted from the front."""
    if not isinstance(signal_shape, Tensor) and not isinstance(axis, Tensor):
        axis = builtins.range(len(signal_shape))[axis]
        before, here, after = np.split(signal_shape, indices_or_sections=[axis, axis + 1])
        return before, here.item(), after, axis
    ndims = rank(signal)
    axis = range(ndims)[axis]
    outer, samples, inner = split(signal_shape, [axis, 1, ndims - 1 - axis])
    return outer, reshape(samples, []), inner, axis


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Return the frames [..., frames, frame_length] added up, each `frame_step` after the one before."""
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = scalar(frame_step, "frame_step")
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        step = _static_or(step)
        sizes = _static_or(shape(signal))
        outer = sizes[:-2]
        outer_rank = _static_or(size(outer))

        def full(inner: Any) -> Tensor:
            return concat([outer, inner], 0)

        length, frames = sizes[-1], sizes[-2]
        total = length + step * (frames - 1)
        if not isinstance(step, Tensor) and signal.shape.rank is not None and step == signal.shape.as_list()[-1]:
            return reshape(signal, full([total]), name="fast_path")
        segments = -(-length // step)
        paddings: Any = [[0, segments], [0, segments * step - length]]
        paddings = concat([zeros([outer_rank, 2], datatypes.int32), paddings], 0)
        signal = reshape(pad(signal, paddings), full([frames + segments, segments, step]))
        order = _static_or(concat([range(outer_rank), outer_rank + np.array([1, 0, 2], np.int32)], 0))
        signal = transpose(signal, order)
        signal = reshape(signal, full([(frames + segments) * segments, step]))
        signal = signal[..., : (frames + segments - 1) * segments, :]
        signal = reshape(signal, full([segments, frames + segments - 1, step]))
        signal = reduce_sum(signal, -3)
        signal = reshape(signal, full([(frames + segments - 1) * step]))
        return signal[..., :total]
