"""Layers that cut, pad and enlarge along the places."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.convolution import channels_back, channels_last
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_shape import shape


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _pairs(c: LayerContext, name: str, count: int) -> list[list[int]]:
    """Return a setting as (before, after) along each direction."""
    value = c.get(name, 1)
    if isinstance(value, int):
        return [[value, value]] * count
    values = list(value)
    if count == 1 and len(values) == 2 and all(isinstance(n, int) for n in values):
        return [values]
    return [[n, n] if isinstance(n, int) else list(n) for n in values]


def _padded(c: LayerContext, x: Tensor, count: int) -> Tensor:
    x = channels_last(c, x, count + 2)
    y = _op("Pad", x, np.array([[0, 0], *_pairs(c, "padding", count), [0, 0]], np.int32))
    return channels_back(c, y, count + 2)


def _cropped(c: LayerContext, x: Tensor, count: int) -> Tensor:
    x = channels_last(c, x, count + 2)
    cuts = tuple(slice(a, -b if b else None) for a, b in _pairs(c, "cropping", count))
    return channels_back(c, x[(slice(None), *cuts)], count + 2)


@layer("ZeroPadding1D")
def zero_padding1d(c: LayerContext, x: Tensor) -> Tensor:
    """Put zeros around rows."""
    return _padded(c, x, 1)


@layer("ZeroPadding2D")
def zero_padding2d(c: LayerContext, x: Tensor) -> Tensor:
    """Put zeros around images."""
    return _padded(c, x, 2)


@layer("ZeroPadding3D")
def zero_padding3d(c: LayerContext, x: Tensor) -> Tensor:
    """Put zeros around volumes."""
    return _padded(c, x, 3)


@layer("Cropping1D")
def cropping1d(c: LayerContext, x: Tensor) -> Tensor:
    """Cut the ends of rows off."""
    return _cropped(c, x, 1)


@layer("Cropping2D")
def cropping2d(c: LayerContext, x: Tensor) -> Tensor:
    """Cut the edges of images off."""
    return _cropped(c, x, 2)


@layer("Cropping3D")
def cropping3d(c: LayerContext, x: Tensor) -> Tensor:
    """Cut the edges of volumes off."""
    return _cropped(c, x, 3)


def _repeated(x: Tensor, axis: int, times: int) -> Tensor:
    """Return x with each slice along `axis` repeated."""
    if times == 1:
        return x
    known, dynamic = x.shape.as_list(), shape(x)
    sizes = [n if n is not None else dynamic[i] for i, n in enumerate(known)]
    wide = _op("Tile", _op("ExpandDims", x, axis + 1), [*([1] * (axis + 1)), times, *([1] * (len(known) - axis - 1))])
    target = [*sizes[:axis], sizes[axis] * times, *sizes[axis + 1 :]]
    y = _op("Reshape", wide, target if all(isinstance(n, int) for n in target) else _op("Pack", target))
    y.set_shape([n if isinstance(n, int) else None for n in target])
    return y


@layer("UpSampling1D")
def up_sampling1d(c: LayerContext, x: Tensor) -> Tensor:
    """Repeat each step."""
    return _repeated(x, 1, c.sizes("size" if "size" in c.settings else "length", 1, 2)[0])


@layer("UpSampling2D")
def up_sampling2d(c: LayerContext, x: Tensor) -> Tensor:
    """Enlarge images, by repeating or by interpolation."""
    times = c.sizes("size", 2, 2)
    x = channels_last(c, x, 4)
    how = c.get("interpolation", "nearest")
    if how == "nearest":
        y = _repeated(_repeated(x, 1, times[0]), 2, times[1])
    else:
        op = {"bilinear": "ResizeBilinear", "bicubic": "ResizeBicubic", "area": "ResizeArea"}.get(how)
        if op is None:
            raise c.refuse(f"interpolation {how!r}")
        height, width = x.shape.as_list()[1:3]
        size: Any = shape(x)[1:3] * np.array(times, np.int32)
        if height is not None and width is not None:
            size = np.array([height * times[0], width * times[1]], np.int32)
        y = _op(op, x, size, **({} if op == "ResizeArea" else {"half_pixel_centers": True}))
    return channels_back(c, y, 4)


@layer("UpSampling3D")
def up_sampling3d(c: LayerContext, x: Tensor) -> Tensor:
    """Repeat volumes along each direction."""
    x = channels_last(c, x, 5)
    for axis, times in enumerate(c.sizes("size", 3, 2), 1):
        x = _repeated(x, axis, times)
    return channels_back(c, x, 5)
