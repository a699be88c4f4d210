"""Convolutions, in one to three dimensions, separable, of each channel, transposed.

All compute with the channels last; channels that come first are moved there and back. One dimension is a row of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.activations import activate
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import shape


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def channels_last(c: LayerContext, x: Tensor, rank: int) -> Tensor:
    """Return x with the channels last."""
    return _op("Transpose", x, [0, *range(2, rank), 1]) if c.channels_first else x


def channels_back(c: LayerContext, y: Tensor, rank: int) -> Tensor:
    """Return y with the channels where the layer has them."""
    return _op("Transpose", y, [0, rank - 1, *range(1, rank - 1)]) if c.channels_first else y


def _padding(c: LayerContext) -> str:
    padding = str(c.get("padding", "valid")).lower()
    if padding not in ("valid", "same", "causal"):
        raise c.refuse(f"padding {padding!r}")
    return padding


def _finished(c: LayerContext, y: Tensor, bias: list[np.ndarray]) -> Tensor:
    if bias:
        y = _op("BiasAdd", y, c.weight(bias[0], "bias"))
    return activate(c, c.get("activation"), y)


def _causal(x: Tensor, amount: int) -> Tensor:
    """Return rows [n, steps, channels] with `amount` zeros before each."""
    return _op("Pad", x, [[0, 0], [amount, 0], [0, 0]])


def _wide(x: Tensor) -> Tensor:
    return _op("ExpandDims", x, 1)


def _narrow(y: Tensor) -> Tensor:
    return _op("Squeeze", y, squeeze_dims=[1])


@layer("Conv1D")
def conv1d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve rows."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    if kernel.ndim == 4:  # Keras 1 keeps them as images
        kernel = kernel[:, 0]
    (stride,), (rate,) = c.sizes("strides", 1), c.sizes("dilation_rate", 1)
    x = channels_last(c, x, 3)
    padding = _padding(c)
    if padding == "causal":
        x, padding = _causal(x, rate * (kernel.shape[0] - 1)), "valid"
    y = _op(
        "Conv2D",
        _wide(x),
        c.weight(kernel[None], "kernel"),
        strides=[1, 1, stride, 1],
        dilations=[1, 1, rate, 1],
        padding=padding.upper(),
    )
    return channels_back(c, _finished(c, _narrow(y), bias), 3)


@layer("Conv2D")
def conv2d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve images."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    if c.version == 1 and c.channels_first:
        kernel = kernel.transpose(2, 3, 1, 0)
    y = _op(
        "Conv2D",
        channels_last(c, x, 4),
        c.weight(kernel, "kernel"),
        strides=[1, *c.sizes("strides", 2), 1],
        dilations=[1, *c.sizes("dilation_rate", 2), 1],
        padding=_padding(c).upper(),
    )
    return channels_back(c, _finished(c, y, bias), 4)


@layer("Conv3D")
def conv3d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve volumes."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    rates = c.sizes("dilation_rate", 3)
    y = _op(
        "Conv3D",
        channels_last(c, x, 5),
        c.weight(kernel, "kernel"),
        strides=[1, *c.sizes("strides", 3), 1],
        dilations=[1, *rates, 1],
        padding=_padding(c).upper(),
    )
    if bias:
        y = y + c.weight(bias[0], "bias")
    return channels_back(c, activate(c, c.get("activation"), y), 5)


def _by_channel(c: LayerContext, x: Tensor, kernel: np.ndarray, padding: str) -> Tensor:
    """Convolve each channel of images with filters of its own."""
    strides, rates = c.sizes("strides", 2), c.sizes("dilation_rate", 2)
    if strides[0] != strides[1]:
        # The op has one stride for both directions: convolve at every place, and keep those asked for.
        if padding != "valid":
            raise c.refuse(f"strides {strides} with padding {padding!r}")
        y = _depthwise(c, x, kernel, [1, 1], rates, padding)
        return y[:, :: strides[0], :: strides[1]]
    return _depthwise(c, x, kernel, strides, rates, padding)


def _depthwise(
    c: LayerContext, x: Tensor, kernel: np.ndarray, strides: list[int], rates: list[int], padding: str
) -> Tensor:
    return _op(
        "DepthwiseConv2dNative",
        x,
        c.weight(kernel, "depthwise_kernel"),
        strides=[1, *strides, 1],
        dilations=[1, *rates, 1],
        padding=padding.upper(),
    )


@layer("DepthwiseConv2D")
def depthwise_conv2d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve each channel of images with filters of its own."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    y = _by_channel(c, channels_last(c, x, 4), kernel, _padding(c))
    return channels_back(c, _finished(c, y, bias), 4)


@layer("SeparableConv2D")
def separable_conv2d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve each channel of images with filters of its own, then mix the channels."""
    kernel, mixing, *bias = c.weights.take(3 if c.get("use_bias", True) else 2)
    y = _by_channel(c, channels_last(c, x, 4), kernel, _padding(c))
    y = _op("Conv2D", y, c.weight(mixing, "pointwise_kernel"), strides=[1, 1, 1, 1], padding="VALID")
    return channels_back(c, _finished(c, y, bias), 4)


def _rows_by_channel(c: LayerContext, x: Tensor, kernel: np.ndarray) -> Tensor:
    """Convolve each channel of rows with filters of its own; the result is an image of one row."""
    (stride,), (rate,) = c.sizes("strides", 1), c.sizes("dilation_rate", 1)
    padding = _padding(c)
    if padding == "causal":
        x, padding = _causal(x, rate * (kernel.shape[0] - 1)), "valid"
    # The op has one stride for both directions: along the one row it changes nothing.
    return _depthwise(c, _wide(x), kernel[None], [stride, stride], [1, rate] if rate > 1 else [1, 1], padding)


@layer("DepthwiseConv1D")
def depthwise_conv1d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve each channel of rows with filters of its own."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    y = _narrow(_rows_by_channel(c, channels_last(c, x, 3), kernel))
    return channels_back(c, _finished(c, y, bias), 3)


@layer("SeparableConv1D")
def separable_conv1d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve each channel of rows with filters of its own, then mix the channels."""
    kernel, mixing, *bias = c.weights.take(3 if c.get("use_bias", True) else 2)
    y = _rows_by_channel(c, channels_last(c, x, 3), kernel)
    y = _op("Conv2D", y, c.weight(mixing[None], "pointwise_kernel"), strides=[1, 1, 1, 1], padding="VALID")
    return channels_back(c, _finished(c, _narrow(y), bias), 3)


def _transposed_length(size: Any, window: int, stride: int, rate: int, padding: str, extra: int | None) -> Any:
    """Return the size of a transposed convolution along one direction."""
    span = (window - 1) * rate + 1
    if extra is None:
        return size * stride if padding == "same" else size * stride + max(span - stride, 0)
    if padding == "same":
        return (size - 1) * stride + span - 2 * (span // 2) + extra
    return (size - 1) * stride + span + extra


def _transposed(c: LayerContext, x: Tensor, kernel: np.ndarray, op: str, count: int, flat: bool = False) -> Tensor:
    """Return the transposed convolution of x, channels last. flat: x is rows, made images of one row."""
    strides, rates = c.sizes("strides", count), c.sizes("dilation_rate", count)
    padding = _padding(c)
    more = c.get("output_padding")
    extras: list[int | None] = [None] * count if more is None else list(c.sizes("output_padding", count))
    windows = list(kernel.shape[:count])
    known, dynamic = x.shape.as_list(), shape(x)
    lengths = [
        _transposed_length(
            known[i + 1] if known[i + 1] is not None else dynamic[i + 1],
            windows[i],
            strides[i],
            rates[i],
            padding,
            extras[i],
        )
        for i in range(count)
    ]
    if flat:
        x, kernel = _wide(x), kernel[None]
        lengths, strides, rates = [1, *lengths], [1, *strides], [1, *rates]
    sizes = stack([dynamic[0], *lengths, kernel.shape[-2]])
    result = _op(
        op,
        sizes,
        c.weight(kernel, "kernel"),
        x,
        strides=[1, *strides, 1],
        dilations=[1, *rates, 1],
        padding=padding.upper(),
    )
    static = [None if isinstance(n, Tensor) else n for n in lengths]
    result.set_shape([known[0], *static, kernel.shape[-2]])
    return _narrow(result) if flat else result


@layer("Conv1DTranspose")
def conv1d_transpose(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve rows the other way round."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    y = _transposed(c, channels_last(c, x, 3), kernel, "Conv2DBackpropInput", 1, flat=True)
    return channels_back(c, _finished(c, y, bias), 3)


@layer("Conv2DTranspose")
def conv2d_transpose(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve images the other way round."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    y = _transposed(c, channels_last(c, x, 4), kernel, "Conv2DBackpropInput", 2)
    return channels_back(c, _finished(c, y, bias), 4)


@layer("Conv3DTranspose")
def conv3d_transpose(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve volumes the other way round."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    y = _transposed(c, channels_last(c, x, 5), kernel, "Conv3DBackpropInputV2", 3)
    if bias:
        y = y + c.weight(bias[0], "bias")
    return channels_back(c, activate(c, c.get("activation"), y), 5)
