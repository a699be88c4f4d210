"""Transposed convolutions: the gradients of convolutions with respect to their input, used forward."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import batch_to_space, expand_dims, shape, space_to_batch, squeeze
from icefloe.lib.constants import is_tensor
from icefloe.lib.nn_windows import per_axis, split_padding
from icefloe.shapes import TensorShape


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transposed 1-D convolution; filters [width, out, in]. Raises: ValueError for another data format."""
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        if data_format in (None, "NWC"):
            data_format, axis, channel_index = "NHWC", 1, 2
        elif data_format == "NCW":
            data_format, axis, channel_index = "NCHW", 2, 1
        else:
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        strides = [1, *per_axis(strides, 1, channel_index, "stride")]
        dilations = [1, *per_axis(dilations, 1, channel_index, "dilations")]
        input = expand_dims(input, axis)
        filters = expand_dims(filters, 0)
        if not isinstance(output_shape, Tensor):
            output_shape = list(output_shape)
        output_shape = concat([output_shape[:axis], [1], output_shape[axis:]], 0)
        result = apply_op(
            "Conv2DBackpropInput",
            output_shape,
            filters,
            input,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilations=dilations,
            name=scope,
        )
        return squeeze(result, axis)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the transposed 2-D convolution; filter [height, width, out, in]."""
    value = renamed("input", input, "value", value)
    filter = renamed("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return _transposed_2d(value, filter, output_shape, strides, padding, data_format, dilations, scope)


def _transposed_2d(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str
) -> Tensor:
    data_format = data_format or "NHWC"
    index = 1 if data_format.startswith("NC") else 3
    padding, explicit = split_padding(padding)
    return apply_op(
        "Conv2DBackpropInput",
        output_shape,
        filter,
        value,
        strides=per_axis(strides, 2, index, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=per_axis(dilations, 2, index, "dilations"),
        name=name,
    )


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the transposed 3-D convolution; filter [depth, height, width, out, in]."""
    filter = renamed("filters", filters, "filter", filter)
    value = renamed("input", input, "value", value)
    with name_scope(name, "conv3d_transpose", [value, output_shape]) as scope:
        return _transposed_3d(value, filter, output_shape, strides, padding, data_format, dilations, scope)


def _transposed_3d(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str
) -> Tensor:
    data_format = data_format or "NDHWC"
    index = 1 if data_format.startswith("NC") else 4
    return apply_op(
        "Conv3DBackpropInputV2",
        output_shape,
        filter,
        value,
        strides=per_axis(strides, 3, index, "strides"),
        padding=padding,
        data_format=data_format,
        dilations=per_axis(dilations, 3, index, "dilations"),
        name=name,
    )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transposed convolution over as many spatial axes as `output_shape` has.

    Raises: ValueError if that is not 1, 2 or 3.
    """
    with name_scope(name, "conv_transpose", [input, output_shape]) as scope:
        if is_tensor(output_shape):
            n = output_shape.shape.as_list()[0] - 2
        elif hasattr(output_shape, "__len__"):
            n = len(output_shape) - 2
        else:
            raise ValueError(
                f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}"
            )
        if not 1 <= n <= 3:
            raise ValueError(
                f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {n + 2}."
            )
        if n == 1:
            return conv1d_transpose(input, filters, output_shape, strides, padding, data_format, dilations, scope)
        op = _transposed_2d if n == 2 else _transposed_3d
        return op(input, filters, output_shape, strides, padding, data_format, dilations, scope)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """Return the transpose of `atrous_conv2d`. Raises: ValueError if channels, rate or padding do not fit."""
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        channels = value.shape.as_list()[3], filters.shape.as_list()[3]
        if None not in channels and channels[0] != channels[1]:
            raise ValueError(
                "`value` channel count must be compatible with `filters` input channel count. Received: "
                f"value.shape={value.shape} with channel count {channels[0]} and filters.shape={filters.shape} "
                f"with input channel count {channels[1]}."
            )
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1], padding=padding)
        sizes = convert_to_tensor(output_shape, name="output_shape")
        if not sizes.shape.is_compatible_with(TensorShape([4])):
            raise ValueError(f"`output_shape` must have shape (4,). Received: output_shape={sizes.shape}")
        if isinstance(output_shape, (tuple, list, np.ndarray)):
            output_shape = list(output_shape)
        top, bottom, left, right = _dilated_paddings(filters, rate, padding)
        height = output_shape[1] + top + bottom
        width = output_shape[2] + left + right
        extra_bottom = (rate - height % rate) % rate
        extra_right = (rate - width % rate) % rate
        value = space_to_batch(value, [[0, extra_bottom], [0, extra_right]], block_size=rate)
        input_sizes = [
            rate * rate * output_shape[0],
            (height + extra_bottom) // rate,
            (width + extra_right) // rate,
            output_shape[3],
        ]
        value = apply_op(
            "Conv2DBackpropInput",
            input_sizes,
            filters,
            value,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format="NHWC",
        )
        crops = [[top, bottom + extra_bottom], [left, right + extra_right]]
        return batch_to_space(value, crops, block_size=rate)


def _dilated_paddings(filters: Tensor, rate: int, padding: str) -> tuple[Any, Any, Any, Any]:
    if padding == "VALID":
        return 0, 0, 0, 0
    if padding != "SAME":
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    sizes: Any = filters.shape.as_list() if filters.shape.is_fully_defined() else shape(filters)
    height, width = sizes[0], sizes[1]
    pad_height = height + (height - 1) * (rate - 1) - 1
    pad_width = width + (width - 1) * (rate - 1) - 1
    top, left = pad_height // 2, pad_width // 2
    return top, pad_height - top, left, pad_width - left
