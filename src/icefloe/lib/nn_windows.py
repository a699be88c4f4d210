"""What convolutions and pools share: sizes per axis, explicit paddings, dilation through batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import required_space_to_batch_paddings, reshape, shape
from icefloe.lib.constants import get_static_value
from icefloe.shapes import TensorShape


def per_axis(value: Any, n: int, channel_index: int, name: str) -> list[Any]:
    """Return n + 2 sizes, one for each axis, from 1, n or n + 2 of them; those of batch and channels are 1.

    Raises: ValueError for another number.
    """
    if value is None:
        return [1] * (n + 2)
    values = list(value) if isinstance(value, (Sequence, np.ndarray)) else [value]
    if len(values) == n + 2:
        return values
    if len(values) == 1:
        values = values * n
    elif len(values) != n:
        raise ValueError(
            f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={values} of length {len(values)}"
        )
    return [1, 1, *values] if channel_index == 1 else [1, *values, 1]


def split_padding(padding: Any, expected_length: int = 4) -> tuple[Any, list[int]]:
    """Return `(padding, explicit paddings)` for an op: a list of pairs becomes "EXPLICIT" and its numbers.

    Raises: ValueError if it is a list of another form.
    """
    if isinstance(padding, str) and padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    wrong = "When `padding` is a list, each element of `padding` must be a list/tuple of size 2."
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)):
            raise ValueError(f"{wrong} Received: padding={padding} with element at index {i} of type {type(pair)}")  # noqa: TRY004 (as TensorFlow)
        if len(pair) != 2:
            raise ValueError(f"{wrong} Received: padding={padding} with element at index {i} of size {len(pair)}")
    if len(padding) != expected_length:
        raise ValueError(
            f"When padding is a list, it must be of size {expected_length}. Received: padding={padding} of size "
            f"{len(padding)}"
        )
    return "EXPLICIT", [size for pair in padding for size in pair]


def over_batches(inp: Any, op: Callable[[Tensor], Tensor], inner_rank: int, name: str | None = None) -> Tensor:
    """Return `op`, which takes one batch axis, applied to a tensor that has several."""
    with name_scope(name, "squeeze_batch_dims", [inp]):
        inp = convert_to_tensor(inp, name="input")
        inner: Any = inp.shape[-inner_rank:]
        if not inner.is_fully_defined():
            inner = shape(inp)[-inner_rank:]
        batch: Any = inp.shape[:-inner_rank]
        if not batch.is_fully_defined():
            batch = shape(inp)[:-inner_rank]
        if isinstance(inner, TensorShape):
            flat = reshape(inp, [-1, *inner.as_list()])
        else:
            flat = reshape(inp, concat(([-1], inner), axis=-1))
        out = op(flat)
        out_inner: Any = out.shape[-inner_rank:]
        if not out_inner.is_fully_defined():
            out_inner = shape(out)[-inner_rank:]
        result = reshape(out, concat((batch, out_inner), axis=-1))
        result.set_shape(inp.shape[:-inner_rank].concatenate(out.shape[-inner_rank:]))
        return result


def _base_paddings(filter_shape: Any, n: int, rate: Any) -> Any:
    """Return the paddings that SAME means for a dilated filter."""
    extra = (filter_shape[:n] - 1) * rate
    start = extra // 2
    end = extra - start
    return stack([[start[i], end[i]] for i in range(n)])


def _spread(values: Any, fill: int, axes: list[int]) -> Any:
    """Return rows for the axes 1 .. max(axes), those that are not in `axes` filled with `fill`."""
    inner = values.shape.as_list()[1:]
    known = get_static_value(values)
    rows = values if known is None else known
    parts: list[Any] = []
    previous = 0
    i = 0
    while i < len(axes):
        first = i
        if axes[i] > 1:
            parts.append(np.full([axes[i] - 1 - previous, *inner], fill, dtype=values.dtype.as_numpy_dtype))
        while i + 1 < len(axes) and axes[i + 1] == axes[i] + 1:
            i += 1
        parts.append(rows[first : i + 1])
        previous = axes[i]
        i += 1
    return concat(parts, 0) if known is None else np.concatenate(parts)


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Tensor],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """Return `op(input, number of spatial axes, padding)` with a dilated window.

    Dilation is done by moving pixels to the batch axis and back. filter_shape is needed for SAME padding.

    Raises: ValueError for arguments that do not fit.
    """
    input = convert_to_tensor(input, name="input")
    return dilated(input, dilation_rate, padding, op, filter_shape, spatial_dims, data_format)


def dilated(
    input: Tensor,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Tensor],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
    num_batch_dims: int = 1,
) -> Tensor:
    """Return what `with_space_to_batch` does, of a tensor. Raises: ValueError for arguments that do not fit."""
    rate = convert_to_tensor(dilation_rate, datatypes.int32, name="dilation_rate")
    if rate.shape.rank not in (None, 1):
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={rate} of rank {rate.shape.rank}"
        )
    if not rate.shape.is_fully_defined():
        raise ValueError(
            f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={rate} with shape {rate.shape}"
        )
    n: int = rate.shape.as_list()[0]
    channels_first = data_format is not None and data_format.startswith("NC")
    start = num_batch_dims + channels_first
    axes = [int(axis) for axis in (range(start, n + start) if spatial_dims is None else spatial_dims)]
    if axes != sorted(set(axes)) or any(axis < 1 for axis in axes):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: "
            f"spatial_dims={axes}"
        )
    least = axes[-1] + (not channels_first)
    if input.shape.rank is not None and input.shape.rank < least:
        raise ValueError(
            f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape} with rank "
            f"{input.shape.rank}"
        )
    known_rate = get_static_value(rate)
    if known_rate is not None:
        if np.any(known_rate < 1):
            raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known_rate}")
        if np.all(known_rate == 1):
            return op(input, n, padding)
    base = _dilated_padding(padding, filter_shape, n, rate if known_rate is None else known_rate, channels_first)
    sizes = None if input.shape.rank is None else [input.shape.as_list()[axis] for axis in axes]
    spatial: Any = sizes
    if sizes is None or None in sizes:
        input_shape = shape(input)
        spatial = stack([input_shape[axis] for axis in axes])
    paddings, crops = required_space_to_batch_paddings(input_shape=spatial, base_paddings=base, block_shape=rate)
    block = _spread(rate, 1, axes)
    paddings = _spread(paddings, 0, axes)
    crops = _spread(crops, 0, axes)
    moved = apply_op("SpaceToBatchND", input, block, paddings)
    return apply_op("BatchToSpaceND", op(moved, n, "VALID"), block, crops)


def _dilated_padding(padding: Any, filter_shape: Any, n: int, rate: Any, channels_first: bool) -> Any:
    padding, explicit = split_padding(padding)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError(
                "`filter_shape` must be specified for `padding='SAME'`. Received: "
                f"filter_shape={filter_shape} and padding={padding}"
            )
        filter_shape = convert_to_tensor(filter_shape, name="filter_shape")
        known = get_static_value(filter_shape)
        return _base_paddings(filter_shape if known is None else known, n, rate)
    if padding == "VALID":
        return np.zeros([n, 2], np.int32)
    if padding == "EXPLICIT":
        pairs = np.array(explicit).reshape([n + 2, 2])
        return pairs[2:] if channels_first else pairs[1:-1]
    raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
