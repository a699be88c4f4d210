"""Convolutions in one, two and three dimensions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import expand_dims, squeeze
from icefloe.lib.constants import is_tensor
from icefloe.lib.nn_windows import dilated, over_batches, per_axis, split_padding
from icefloe.shapes import TensorShape, as_shape

_CHANNELS_LAST = ("NWC", "NHC", "NHWC", "NWHC", "NDHWC", "NDWHC", "NHDWC", "NHWDC", "NWDHC", "NWHDC")


def _channel_index(data_format: str, last: int) -> int:
    return 1 if data_format.startswith("NC") else last


def _rank(input: Any) -> int | None:
    shape = input.shape
    return shape.rank if hasattr(shape, "rank") else len(shape)


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the convolution of [batch, width, channels] with filters [width, in, out], as a Conv2D of height 1.

    data_format: NWC (default) or NCW. Raises: ValueError for another one.
    """
    value = renamed("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        if data_format in (None, "NHWC", "NWC"):
            data_format, axis, channel_index = "NHWC", -3, 2
        elif data_format in ("NCHW", "NCW"):
            data_format, axis, channel_index = "NCHW", -2, 1
        else:
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        options = {
            "strides": [1, *per_axis(stride, 1, channel_index, "stride")],
            "dilations": [1, *per_axis(dilations, 1, channel_index, "dilations")],
            "padding": padding,
            "use_cudnn_on_gpu": use_cudnn_on_gpu,
            "data_format": data_format,
        }
        value = expand_dims(value, axis)
        filters = expand_dims(filters, 0)
        if value.shape.rank is None or value.shape.rank <= 4:
            result = apply_op("Conv2D", value, filters, name=scope, **options)
        else:
            op = functools.partial(_conv2d, filters=filters, options=options)
            result = over_batches(value, op, inner_rank=3, name=scope)
        return squeeze(result, [axis])


def _conv2d(input: Any, *, filters: Any, options: dict[str, Any]) -> Tensor:
    return apply_op("Conv2D", input, filters, **options)


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Return the convolution of [batch, height, width, channels] with filters [height, width, in, out].

    strides, dilations: one, two or four numbers. padding: SAME, VALID or four pairs. data_format: NHWC or NCHW.

    Raises: ValueError for sizes or paddings of another form.
    """
    filter = renamed("filters", filters, "filter", filter)
    padding, explicit = split_padding(padding)
    data_format = data_format or "NHWC"
    index = _channel_index(data_format, 3)
    options = {
        "strides": per_axis(strides, 2, index, "strides"),
        "dilations": per_axis(dilations, 2, index, "dilations"),
        "padding": padding,
        "explicit_paddings": explicit,
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        "data_format": data_format,
    }
    ndims = _rank(input)
    if ndims is None or ndims <= 4:
        return apply_op("Conv2D", input, filter, name=name, **options)
    return over_batches(input, functools.partial(_conv2d, filters=filter, options=options), inner_rank=3, name=name)


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `conv2d` with respect to its filter."""
    padding, explicit = split_padding(padding)
    return apply_op(
        "Conv2DBackpropFilter",
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Return the gradient of `conv2d` with respect to its input."""
    filter = renamed("filters", filters, "filter", filter)
    padding, explicit = split_padding(padding)
    return apply_op(
        "Conv2DBackpropInput",
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Return the convolution of [batch, depth, height, width, channels]; strides and dilations are five numbers."""
    filter = renamed("filters", filters, "filter", filter)
    return apply_op(
        "Conv3D",
        input,
        filter,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def _conv3d_over_batches(input: Any, filter: Any, *, name: str | None, **options: Any) -> Tensor:
    ndims = _rank(input)
    if ndims is None or ndims <= 5:
        return apply_op("Conv3D", input, filter, name=name, **options)
    return over_batches(input, lambda x: apply_op("Conv3D", x, filter, **options), inner_rank=4, name=name)


def _conv2d_over_batches(input: Any, filter: Any, *, name: str | None, **options: Any) -> Tensor:
    ndims = _rank(input)
    if ndims is None or ndims < 5:
        return apply_op("Conv2D", input, filter, name=name, **options)
    return over_batches(input, lambda x: apply_op("Conv2D", x, filter, **options), inner_rank=3, name=name)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the convolution over one, two or three spatial axes; a dilated one goes through batches.

    Raises: ValueError if ranks, strides or dilations do not fit.
    """
    filter = renamed("filters", filters, "filter", filter)
    dilations = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    if not is_tensor(filter):
        with name_scope("convolution_internal", None, [filter, input]):
            filter = convert_to_tensor(filter, name="filters")
    if not is_tensor(input):
        with name_scope("convolution_internal", None, [filter, input]):
            input = convert_to_tensor(input, name="input")
    filter_rank, input_rank = filter.shape.rank, input.shape.rank
    if not filter_rank and not input_rank:
        raise ValueError(
            "When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` must be "
            f"known. Received: input.shape={input.shape} of rank {input_rank} and filters.shape={filter.shape} "
            f"of rank {filter_rank}"
        )
    n = (filter_rank or input_rank) - 2
    if n not in (1, 2, 3):
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={n}.")
    batch_dims = input_rank - n - 1 if input_rank else 1
    channels_last = data_format is None or data_format in _CHANNELS_LAST
    index = batch_dims + n if channels_last else batch_dims
    is_dilated = dilations is not None
    dilations = per_axis(dilations, n, index, "dilations")
    is_dilated = is_dilated and any(size != 1 for size in dilations)
    strides = per_axis(strides, n, index, "strides")
    with name_scope(name, None if name else "convolution", [input, filter]) as scope:
        if is_dilated:
            inner = slice(2, None) if index == 1 else slice(1, -1)
            spatial = strides[inner], dilations[inner]
            return _dilated_convolution(input, filter, padding, *spatial, scope, data_format, n, batch_dims)
        options = {"padding": padding, "data_format": data_format, "dilations": dilations}
        if n == 1:
            return conv1d(input, filter, strides, name=scope, **options)
        op = _conv2d_over_batches if n == 2 else _conv3d_over_batches
        return op(input, filter, strides=strides, name=scope, **options)


def _dilated_convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: list[int],
    dilations: list[int],
    name: str,
    data_format: str | None,
    n: int,
    batch_dims: int,
) -> Tensor:
    channels_first = data_format is not None and data_format.startswith("NC")
    start = batch_dims + channels_first
    strides, dilations = checked_windows(n, strides, dilations)

    def plain(inp: Any, _: int, inner_padding: Any) -> Tensor:
        if n == 1:
            return conv1d(inp, filter, strides[0], inner_padding, data_format=data_format or "NWC", name=name)
        full = [1, 1, *strides] if channels_first else [1, *strides, 1]
        full = [int(size) for size in full]
        if n == 2:
            return conv2d(inp, filter, full, inner_padding, data_format=data_format or "NHWC", name=name)
        options = {"padding": inner_padding, "data_format": data_format}
        return _conv3d_over_batches(inp, filter, strides=full, name=name, **options)

    result = dilated(
        input,
        dilations,
        padding,
        plain,
        filter_shape=as_shape(filter.shape),
        spatial_dims=range(start, n + start),
        data_format=data_format,
        num_batch_dims=batch_dims,
    )
    # Cutting an unknown number of rows from a batch leaves the axes after it unknown, the channels among them.
    if channels_first and result.shape.rank is not None and filter.shape.rank is not None:
        channels = TensorShape([None, filter.shape[-1], *[None] * (result.shape.rank - 2)])
        result.set_shape(result.shape.merge_with(channels))
    return result


def checked_windows(n: int, strides: Any, dilations: Any) -> tuple[Any, Any]:
    """Return strides and dilations of n spatial axes as arrays. Raises: ValueError if they do not fit each other."""
    found = []
    for what, value in (("dilation_rate", dilations), ("strides", strides)):
        value = [1] * n if value is None else value
        if len(value) != n:
            raise ValueError(f"`len({what})` should be {n}. Received: {what}={value} of length {len(value)}")
        array = np.array(value, dtype=np.int32)
        if np.any(array < 1):
            raise ValueError(f"all values of `{what}` must be positive. Received: {what}={array}")
        found.append(array)
    rate, steps = found
    if np.any(steps > 1) and np.any(rate > 1):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={steps} and dilation_rate={rate}"
        )
    return steps, rate


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """Return a 2-D convolution whose filter has its elements `rate` pixels apart."""
    return convolution(
        input=value, filter=filters, padding=padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name
    )
