"""Pools: the mean or the maximum of each window, and greyscale morphology."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import expand_dims, squeeze
from icefloe.lib.nn_convolution import checked_windows
from icefloe.lib.nn_windows import per_axis, split_padding, with_space_to_batch


def _channel_index(data_format: str, last: int) -> int:
    return 1 if data_format.startswith("NC") else last


def _no_vect_c(padding: Any, data_format: str | None) -> None:
    if isinstance(padding, (list, tuple)) and data_format == "NCHW_VECT_C":
        raise ValueError(
            f"`data_format='NCHW_VECT_C'` is not supported with explicit padding. Received: padding={padding}"
        )


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the mean of each window of [batch, height, width, channels]; ksize, strides: one, two or four numbers."""
    with name_scope(name, "AvgPool", [value]) as scope:
        value = renamed("input", input, "value", value)
        data_format = data_format or "NHWC"
        index = _channel_index(data_format, 3)
        return apply_op(
            "AvgPool",
            value,
            ksize=per_axis(ksize, 2, index, "ksize"),
            strides=per_axis(strides, 2, index, "strides"),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """Return the mean of each window of [batch, width, channels]."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        data_format = data_format or "NWC"
        index = _channel_index(data_format, 2)
        ksize = [1, *per_axis(ksize, 1, index, "ksize")]
        strides = [1, *per_axis(strides, 1, index, "strides")]
        axis = 1 if data_format == "NWC" else 2
        flat = "NHWC" if data_format == "NWC" else "NCHW"
        input = expand_dims(input, axis)
        result = apply_op("AvgPool", input, ksize=ksize, strides=strides, padding=padding, data_format=flat, name=scope)
        return squeeze(result, axis)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """Return the mean of each window of [batch, depth, height, width, channels]."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        data_format = data_format or "NDHWC"
        index = _channel_index(data_format, 3)
        return apply_op(
            "AvgPool3D",
            input,
            ksize=per_axis(ksize, 3, index, "ksize"),
            strides=per_axis(strides, 3, index, "strides"),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


def _spatial_axes(input: Any, data_format: str | None) -> int:
    if input.shape is not None:
        n = len(input.shape) - 2
    elif data_format is not None:
        n = len(data_format) - 2
    else:
        raise ValueError(
            f"`input` must have a static shape or `data_format` must be given. Received: input.shape={input.shape} and "
            f"data_format={data_format}"
        )
    if not 1 <= n <= 3:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {n + 2}.")
    return n


def avg_pool_v2(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return the mean of each window, over one, two or three axes. Raises: ValueError if the rank does not fit."""
    n = _spatial_axes(input, data_format)
    index = n + 1 if data_format is None else _channel_index(data_format, n + 1)
    ksize = per_axis(ksize, n, index, "ksize")
    strides = per_axis(strides, n, index, "strides")
    if n == 1:
        return avg_pool1d(input, ksize, strides, padding, data_format, name)
    op = "AvgPool" if n == 2 else "AvgPool3D"
    return apply_op(op, input, ksize=ksize, strides=strides, padding=padding, data_format=data_format, name=name)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the maximum of each window of [batch, height, width, channels]; ksize, strides: one, two or four numbers.

    Raises: ValueError if a size is 0, or sizes or paddings have another form.
    """
    value = renamed("input", input, "value", value)
    return _max_pool(value, ksize, strides, padding, data_format, name, "MaxPool")


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """Return the maximum of each window of [batch, height, width, channels]."""
    return _max_pool(input, ksize, strides, padding, data_format, name, "MaxPool2d")


def _max_pool(
    value: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, name: str | None, default: str
) -> Tensor:
    with name_scope(name, default, [value]) as scope:
        data_format = data_format or "NHWC"
        index = _channel_index(data_format, 3)
        ksize = per_axis(ksize, 2, index, "ksize")
        strides = per_axis(strides, 2, index, "strides")
        _no_vect_c(padding, data_format)
        padding, explicit = split_padding(padding)
        if default == "MaxPool" and 0 in ksize:
            raise ValueError(f"`ksize` cannot be zero. Received: ksize={ksize}")
        return apply_op(
            "MaxPool",
            value,
            ksize=ksize,
            strides=strides,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            name=scope,
        )


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """Return the maximum of each window of [batch, width, channels]."""
    with name_scope(name, "MaxPool1d", [input]) as scope:
        _no_vect_c(padding, data_format)
        data_format = data_format or "NWC"
        index = _channel_index(data_format, 2)
        ksize = [1, *per_axis(ksize, 1, index, "ksize")]
        strides = [1, *per_axis(strides, 1, index, "strides")]
        padding, explicit = split_padding(padding, 3)
        if padding == "EXPLICIT":
            explicit = [0, 0, *explicit]
        axis = 1 if data_format == "NWC" else 2
        result = apply_op(
            "MaxPool",
            expand_dims(input, axis),
            ksize=ksize,
            strides=strides,
            padding=padding,
            explicit_paddings=explicit,
            data_format="NHWC" if data_format == "NWC" else "NCHW",
            name=scope,
        )
        return squeeze(result, axis)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """Return the maximum of each window of [batch, depth, height, width, channels]."""
    with name_scope(name, "MaxPool3D", [input]) as scope:
        data_format = data_format or "NDHWC"
        index = _channel_index(data_format, 4)
        return apply_op(
            "MaxPool3D",
            input,
            ksize=per_axis(ksize, 3, index, "ksize"),
            strides=per_axis(strides, 3, index, "strides"),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


def max_pool_v2(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return the maximum of each window, over one, two or three axes. Raises: ValueError if the rank does not fit."""
    n = _spatial_axes(input, data_format)
    index = n + 1 if data_format is None else _channel_index(data_format, n + 1)
    _no_vect_c(padding, data_format)
    ksize = per_axis(ksize, n, index, "ksize")
    strides = per_axis(strides, n, index, "strides")
    if n == 3:
        if isinstance(padding, (list, tuple)):
            raise ValueError(
                f"Explicit padding is not supported with an input tensor of rank 5. Received: padding={padding}"
            )
        options = {"ksize": ksize, "strides": strides, "padding": padding, "data_format": data_format}
        return apply_op("MaxPool3D", input, name=name, **options)
    op = max_pool1d if n == 1 else max_pool2d
    return op(input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """Return `(output, argmax)`: the maxima, and the flat positions where they are. Raises: ValueError unless NHWC."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    return apply_op(
        "MaxPoolWithArgmax",
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=renamed("output_dtype", output_dtype, "Targmax", Targmax) or datatypes.int64,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


_POOLS: dict[tuple[str, int], Callable[..., Tensor]] = {
    ("MAX", 1): max_pool,
    ("MAX", 2): max_pool,
    ("MAX", 3): max_pool3d,
    ("AVG", 1): avg_pool,
    ("AVG", 2): avg_pool,
    ("AVG", 3): avg_pool3d,
}


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return a pool of kind "AVG" or "MAX" over one, two or three axes. Raises: ValueError if sizes do not fit."""
    dilations = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        n = len(window_shape)
        if not 1 <= n <= 3:
            raise ValueError(
                f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of length {n}"
            )
        input.shape.with_rank(n + 2)
        steps, rate = checked_windows(n, strides, dilations)
        if padding == "SAME" and np.any(rate > 1):
            raise ValueError(
                "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
                f"padding={padding} and dilation_rate={rate}"
            )
        if np.any(steps > window_shape):
            raise ValueError(
                "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations. "
                f"Received: strides={steps} and window_shape={window_shape}"
            )
        if (pooling_type, n) not in _POOLS:
            raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
        channels_first = data_format is not None and data_format.startswith("NC")
        window = [1, 1, *window_shape] if channels_first else [1, *window_shape, 1]
        full = [1, 1, *steps.tolist()] if channels_first else [1, *steps.tolist(), 1]
        axes = range(1 + channels_first, n + 1 + channels_first)
        inner_format = data_format
        if n == 1:
            if data_format not in (None, "NWC", "NCW"):
                raise ValueError(f"data_format must be either 'NWC' or 'NCW'. Received: data_format={data_format}")
            inner_format = "NCHW" if data_format == "NCW" else "NHWC"
            window, full = [1, *window], [1, *full]

        def plain(x: Any, _: int, inner_padding: Any) -> Tensor:
            if n == 1:
                x = expand_dims(x, axes[0])
            options = {"data_format": inner_format, "name": scope}
            result = _POOLS[pooling_type, n](x, window, full, inner_padding, **options)
            return squeeze(result, [axes[0]]) if n == 1 else result

        return with_space_to_batch(
            input=input, dilation_rate=rate, padding=padding, op=plain, spatial_dims=axes, filter_shape=window_shape
        )


def _fractional(op: str, value: Any, options: dict[str, Any]) -> Any:
    return apply_op(op, value, **options)


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """Return `(output, row sequence, column sequence)` of a max pool whose windows have sizes drawn at random."""
    options = dict(locals())
    return _fractional("FractionalMaxPool", options.pop("value"), options)


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """Return `(output, row sequence, column sequence)` of a mean pool whose windows have sizes drawn at random."""
    options = dict(locals())
    return _fractional("FractionalAvgPool", options.pop("value"), options)


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the greyscale dilation: the maximum of input + filter over each window."""
    filter = renamed("filters", filters, "filter", filter)
    rates = renamed("dilations", dilations, "rates", rates)
    return apply_op("Dilation2D", input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """Return the greyscale erosion: the minimum of value - kernel over each window."""
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        negative = apply_op("Neg", value)
        flipped = apply_op("ReverseV2", kernel, [0, 1])
        options = {"strides": strides, "rates": rates, "padding": padding}
        return apply_op("Neg", apply_op("Dilation2D", negative, flipped, name=scope, **options))
