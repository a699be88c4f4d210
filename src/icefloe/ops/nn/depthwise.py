"""DepthwiseConv2dNative and its gradients: every channel has filters of its own.

The filter is [h, w, channels, multiplier]; output channel c * multiplier + m comes from input channel c.
Source: tensorflow/core/kernels/depthwise_conv_op.cc, depthwise_conv_grad_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.machine.products import Finish
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn import correlate_depthwise
from icefloe.ops.nn.convolution_geometry import Geometry
from icefloe.ops.nn.correlate import working_dtype
from icefloe.ops.nn.windows import Window, from_channels_last, spatial, to_channels_last

Kernel = Callable[..., Any]


def _check(x_shape: Sequence[int], w_shape: Sequence[int]) -> None:
    if len(x_shape) != 4:
        raise errors.InvalidArgumentError(f"input must be 4-dimensional {shape_text(tuple(x_shape))}")
    if len(w_shape) != 4:
        raise errors.InvalidArgumentError(f"filter must be 4-dimensional: {shape_text(tuple(w_shape))}")


def _check_depth(depth: int, w_shape: Sequence[int]) -> None:
    if depth != w_shape[2]:
        raise errors.InvalidArgumentError(f"input and filter must have the same depth: {depth} vs {w_shape[2]}")


def _check_gradient(batch: int, depth: int, w_shape: Sequence[int], windows: Sequence[Window], dy: Any) -> None:
    wanted = (batch, *(v.out for v in windows), depth * w_shape[-1])
    if dy.shape != wanted:
        raise errors.InvalidArgumentError(
            f"out_backprop must have shape {shape_text(wanted)}, got {shape_text(dy.shape)}"
        )


def _geometry(op: str, strides: Any, padding: str, explicit: Any, data_format: str, dilations: Any) -> Geometry:
    return Geometry(op, 4, strides, padding, explicit, data_format, dilations).runnable()


def forward(geometry: Geometry, *, finish: Finish | None = None) -> Kernel:
    """Return the kernel of a depthwise convolution. finish: as in `convolution.forward`."""
    geometry.runnable()

    def run(x: Any, w: Any) -> Any:
        _check(np.shape(x), np.shape(w))
        last = to_channels_last(x, geometry.first)
        _check_depth(last.shape[-1], w.shape)
        windows, part = geometry.windows_of_use(last.shape[1:-1], w.shape[:2])
        w = w[part]
        check_shape((len(x), *(v.out for v in windows), w.shape[2] * w.shape[3]), x.dtype)
        work = working_dtype(x.dtype)
        y = correlate_depthwise.forward(last.astype(work, copy=False), w.astype(work, copy=False), windows, finish)
        return from_channels_last(y.astype(x.dtype, copy=False), geometry.first)

    return run


@kernel("DepthwiseConv2dNative", factory=True)
def depthwise_conv2d_native(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the convolution of each channel with its own filters."""
    return forward(_geometry("DepthwiseConv2dNative", strides, padding, explicit_paddings, data_format, dilations))


@kernel("DepthwiseConv2dNativeBackpropInput", factory=True)
def depthwise_conv2d_native_backprop_input(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of the input, of shape `input_sizes`."""
    op = "DepthwiseConv2dNativeBackpropInput"
    geometry = _geometry(op, strides, padding, explicit_paddings, data_format, dilations)

    def run(input_sizes: Any, w: Any, dy: Any) -> Any:
        if np.ndim(input_sizes) != 1 or len(input_sizes) != 4:
            raise errors.InvalidArgumentError(
                f"{op} requires input_sizes to contain 4 values, but got: {np.size(input_sizes)}"
            )
        sizes = check_shape(input_sizes.tolist(), dy.dtype)
        _check(sizes, np.shape(w))
        depth = sizes[1 if geometry.first else 3]
        _check_depth(depth, w.shape)
        windows, part = geometry.windows_of_use(spatial(sizes, geometry.first), w.shape[:2])
        grad = to_channels_last(dy, geometry.first)
        _check_gradient(sizes[0], depth, w.shape, windows, grad)
        work = working_dtype(dy.dtype)
        w = w[part].astype(work, copy=False)
        dx = correlate_depthwise.input_gradient(grad.astype(work, copy=False), w, windows)
        return from_channels_last(dx.astype(dy.dtype, copy=False), geometry.first)

    return run


@kernel("DepthwiseConv2dNativeBackpropFilter", factory=True)
def depthwise_conv2d_native_backprop_filter(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of the filter, of shape `filter_sizes`."""
    op = "DepthwiseConv2dNativeBackpropFilter"
    geometry = _geometry(op, strides, padding, explicit_paddings, data_format, dilations)

    def run(x: Any, filter_sizes: Any, dy: Any) -> Any:
        if np.ndim(filter_sizes) != 1 or len(filter_sizes) != 4:
            raise errors.InvalidArgumentError(
                f"{op} requires filter_sizes to contain 4 values, but got: {np.size(filter_sizes)}"
            )
        sizes = check_shape(filter_sizes.tolist(), x.dtype)
        _check(np.shape(x), sizes)
        last, grad = to_channels_last(x, geometry.first), to_channels_last(dy, geometry.first)
        _check_depth(last.shape[-1], sizes)
        windows, part = geometry.windows_of_use(last.shape[1:-1], sizes[:2])
        _check_gradient(len(x), last.shape[-1], sizes, windows, grad)
        work = working_dtype(x.dtype)
        last, grad = last.astype(work, copy=False), grad.astype(work, copy=False)
        seen = (*(v.size for v in windows), *sizes[2:])
        made = correlate_depthwise.filter_gradient(last, grad, seen, windows)
        if seen == tuple(sizes):
            return made.astype(x.dtype, copy=False)
        dw = np.zeros(sizes, x.dtype)
        dw[part] = made
        return dw

    return run


def _static(c: ShapeContext) -> Geometry:
    attrs = (c.attr(n) for n in ("strides", "padding", "explicit_paddings", "data_format", "dilations"))
    return Geometry(c.op, 4, *attrs)


@shape("DepthwiseConv2dNative")
def depthwise_conv2d_native_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the window, channels times multiplier."""
    geometry = _static(c)
    x, w = with_rank(c.shape(0), 4), with_rank(c.shape(1), 4)
    merged = merge((x[1 if geometry.first else 3],), (w[2],))
    assert merged is not None
    made = None if merged[0] is None or w[3] is None else merged[0] * w[3]
    lengths = geometry.output_lengths(spatial(x, geometry.first), w[:2])
    return [geometry.full_shape(x[0], lengths, made)]


@shape("DepthwiseConv2dNativeBackpropInput")
def backprop_input_shape(c: ShapeContext) -> list[Any]:
    """The shape that `input_sizes` gives."""
    return [merge(c.shape_value(0), (None,) * 4)]


@shape("DepthwiseConv2dNativeBackpropFilter")
def backprop_filter_shape(c: ShapeContext) -> list[Any]:
    """The shape that `filter_sizes` gives."""
    return [merge(c.shape_value(1), (None,) * 4)]
