"""Pooling, of windows and of everything."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.convolution import channels_back, channels_last
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.math_reduce import reduce_max, reduce_mean, reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _pooled(c: LayerContext, x: Tensor, op: str, count: int) -> Tensor:
    rank = count + 2
    x = channels_last(c, x, rank)
    windows = c.sizes("pool_size", count, 2)
    strides = c.sizes("strides", count, windows)
    if count == 1:
        x, windows, strides = _op("ExpandDims", x, 1), [1, *windows], [1, *strides]
    padding = str(c.get("padding", "valid")).upper()
    if padding not in ("VALID", "SAME"):
        raise c.refuse(f"padding {padding!r}")
    y = _op(op, x, ksize=[1, *windows, 1], strides=[1, *strides, 1], padding=padding)
    if count == 1:
        y = _op("Squeeze", y, squeeze_dims=[1])
    return channels_back(c, y, rank)


@layer("MaxPooling1D")
def max_pooling1d(c: LayerContext, x: Tensor) -> Tensor:
    """Keep the largest of each window of rows."""
    return _pooled(c, x, "MaxPool", 1)


@layer("MaxPooling2D")
def max_pooling2d(c: LayerContext, x: Tensor) -> Tensor:
    """Keep the largest of each window of images."""
    return _pooled(c, x, "MaxPool", 2)


@layer("MaxPooling3D")
def max_pooling3d(c: LayerContext, x: Tensor) -> Tensor:
    """Keep the largest of each window of volumes."""
    return _pooled(c, x, "MaxPool3D", 3)


@layer("AveragePooling1D")
def average_pooling1d(c: LayerContext, x: Tensor) -> Tensor:
    """Average each window of rows."""
    return _pooled(c, x, "AvgPool", 1)


@layer("AveragePooling2D")
def average_pooling2d(c: LayerContext, x: Tensor) -> Tensor:
    """Average each window of images."""
    return _pooled(c, x, "AvgPool", 2)


@layer("AveragePooling3D")
def average_pooling3d(c: LayerContext, x: Tensor) -> Tensor:
    """Average each window of volumes."""
    return _pooled(c, x, "AvgPool3D", 3)


def _places(c: LayerContext, count: int) -> list[int]:
    return list(range(2, count + 2)) if c.channels_first else list(range(1, count + 1))


@layer("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D")
def global_max_pooling(c: LayerContext, x: Tensor) -> Tensor:
    """Keep the largest of each channel."""
    return reduce_max(x, _places(c, int(c.kind[-2])), keepdims=bool(c.get("keepdims", False)))


@layer("GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D")
def global_average_pooling(c: LayerContext, x: Tensor) -> Tensor:
    """Average each channel; of rows, the steps that count."""
    keep = bool(c.get("keepdims", False))
    axes = _places(c, int(c.kind[-2]))
    if c.mask is None or c.kind != "GlobalAveragePooling1D":
        return reduce_mean(x, axes, keepdims=keep)
    counts = _op("ExpandDims", _op("Cast", c.mask, DstT=x.dtype), 1 if c.channels_first else 2)
    return reduce_sum(x * counts, axes, keepdims=keep) / reduce_sum(counts, axes, keepdims=keep)
