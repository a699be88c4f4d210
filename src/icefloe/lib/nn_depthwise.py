"""Depthwise and separable convolutions: each channel has filters of its own."""

from __future__ import annotations

import warnings
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import shape
from icefloe.lib.nn_convolution import conv2d
from icefloe.lib.nn_windows import split_padding, with_space_to_batch


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the convolution of each channel with its own filters [height, width, channels, multiplier], as one
    node.
    """
    padding, explicit = split_padding(padding)
    return apply_op(
        "DepthwiseConv2dNative",
        input,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `depthwise_conv2d_native` with respect to its input."""
    padding, explicit = split_padding(padding)
    return apply_op(
        "DepthwiseConv2dNativeBackpropInput",
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `depthwise_conv2d_native` with respect to its filter."""
    padding, explicit = split_padding(padding)
    return apply_op(
        "DepthwiseConv2dNativeBackpropFilter",
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return the convolution of each channel with its own filters; rate: dilation, through batches."""
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        rate = [1, 1] if rate is None else rate
        if any(size > 1 for size in rate) and any(size != 1 for size in strides):
            warnings.warn(
                "When dilation rate is greater than 1, then all values of strides must be 1. Received: `dilation rate` "
                f"{rate} and `strides` {strides}"
            )

        def plain(x: Any, _: int, padding: Any) -> Tensor:
            return depthwise_conv2d_native(x, filter, strides, padding, data_format=data_format, name=scope)

        return with_space_to_batch(
            input=input,
            filter_shape=shape(filter),
            dilation_rate=rate,
            padding=padding,
            data_format=data_format,
            op=plain,
        )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return a depthwise convolution followed by one with a filter of size 1.

    Raises: ValueError if that has another size.
    """
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        pointwise_filter.shape.with_rank(4)[:2].assert_is_compatible_with([1, 1])

        def plain(x: Any, _: int, padding: Any) -> Tensor:
            return depthwise_conv2d_native(
                x, depthwise_filter, strides, padding, data_format=data_format, name="depthwise"
            )

        depthwise = with_space_to_batch(
            input=input,
            filter_shape=shape(depthwise_filter),
            dilation_rate=[1, 1] if rate is None else rate,
            padding=padding,
            data_format=data_format,
            op=plain,
        )
        return conv2d(
            depthwise, pointwise_filter, [1, 1, 1, 1], padding="VALID", data_format=data_format or "NHWC", name=scope
        )
