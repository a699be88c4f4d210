"""Dilation2D, the greatest sum of an image and a structuring function under a window, and its gradients.

    y[b, i, j, c] = max over (k, l) of x[b, i * stride + k * rate, j * stride + l * rate, c] + f[k, l, c]

Padding counts for nothing. Of equal sums the first counts. Source: tensorflow/core/kernels/dilation_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.ops.nn.correlate import working_dtype
from icefloe.ops.nn.pooling import lowest, spans
from icefloe.ops.nn.windows import Window, window

Kernel = Callable[..., Any]


class _Geometry:
    def __init__(self, strides: Sequence[int], rates: Sequence[int], padding: str) -> None:
        for name, values in (("Stride", strides), ("Rate", rates)):
            if len(values) != 4:
                raise errors.InvalidArgumentError(f"Sliding window {name.lower()} field must specify 4 dimensions")
            if min(values) <= 0:
                raise errors.InvalidArgumentError(f"{name} must be > 0, but got {min(values)}")
        self.strides, self.rates, self.padding = strides, rates, padding

    def runnable(self) -> _Geometry:
        for name, values in (("Stride", self.strides), ("Rate", self.rates)):
            if values[0] != 1 or values[3] != 1:
                raise errors.UnimplementedError(f"{name} is only supported across spatial dimensions.")
        return self

    def windows(self, x: Any, f: Any) -> tuple[Window, ...]:
        if x.ndim != 4:
            raise errors.InvalidArgumentError(f"input must be 4-dimensional{shape_text(x.shape)}")
        if f.ndim != 3:
            raise errors.InvalidArgumentError(f"filter must be 3-dimensional: {shape_text(f.shape)}")
        if x.shape[3] != f.shape[2]:
            raise errors.InvalidArgumentError(
                f"input and filter must have the same depth: {x.shape[3]} vs {f.shape[2]}"
            )
        return tuple(
            window(x.shape[i], f.shape[i - 1], self.strides[i], self.padding, dilation=self.rates[i]) for i in (1, 2)
        )


def _working(x: Any) -> Any:
    return x.astype(working_dtype(x.dtype), copy=False)


def _best(x: Any, f: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """Return (y, where): the greatest sums and the number of the window's element that gave each, -1 for none."""
    made = (len(x), *(w.out for w in windows), x.shape[-1])
    best = np.full(made, lowest(x.dtype), x.dtype)
    where = np.full(made, -1, np.int32)
    flat = f.reshape(-1, f.shape[-1])
    for number, (places, elements) in enumerate(spans(windows)):
        sums = x[elements] + flat[number]
        better = sums > best[places]
        np.copyto(best[places], sums, where=better)
        np.copyto(where[places], np.int32(number), where=better)
    return best, where


@kernel("Dilation2D", factory=True)
def dilation2d(*, strides: Any, rates: Any, padding: str) -> Kernel:
    """Return the dilation of `x` [n, h, w, channels] by `f` [h, w, channels]."""
    geometry = _Geometry(strides, rates, padding).runnable()

    def run(x: Any, f: Any) -> Any:
        windows = geometry.windows(x, f)
        wide, taps = _working(x), _working(f).reshape(-1, f.shape[-1])
        best = np.full((len(x), *(w.out for w in windows), x.shape[-1]), lowest(wide.dtype), wide.dtype)
        for (places, elements), tap in zip(spans(windows), taps):
            np.maximum(best[places], wide[elements] + tap, out=best[places])
        return best.astype(x.dtype, copy=False)

    return run


def _gradient(geometry: _Geometry, scatter: Callable[..., Any]) -> Kernel:
    geometry.runnable()

    def run(x: Any, f: Any, dy: Any) -> Any:
        windows = geometry.windows(x, f)
        if dy.shape != (len(x), *(w.out for w in windows), x.shape[-1]):
            raise errors.InvalidArgumentError("out_backprop has incompatible size.")
        _, where = _best(_working(x), _working(f), windows)
        # Where nothing beats the lowest number, as with padding alone, TensorFlow takes the first element.
        return scatter(x, f, _working(dy), np.maximum(where, 0), windows).astype(x.dtype, copy=False)

    return run


def _to_input(x: Any, f: Any, dy: Any, where: Any, windows: Sequence[Window]) -> Any:
    dx = np.zeros(x.shape, dy.dtype)
    zero = dy.dtype.type(0)
    for number, (places, elements) in enumerate(spans(windows)):
        dx[elements] += np.where(where[places] == number, dy[places], zero)
    return dx


def _to_filter(x: Any, f: Any, dy: Any, where: Any, windows: Sequence[Window]) -> Any:
    df = np.zeros((f.shape[0] * f.shape[1], f.shape[2]), dy.dtype)
    zero = dy.dtype.type(0)
    for number, (places, _) in enumerate(spans(windows)):
        df[number] = np.where(where[places] == number, dy[places], zero).sum(axis=(0, 1, 2))
    return df.reshape(f.shape)


@kernel("Dilation2DBackpropInput", factory=True)
def dilation2d_backprop_input(*, strides: Any, rates: Any, padding: str) -> Kernel:
    """Return the gradient of the input: each window gives its greatest element all of `dy`."""
    return _gradient(_Geometry(strides, rates, padding), _to_input)


@kernel("Dilation2DBackpropFilter", factory=True)
def dilation2d_backprop_filter(*, strides: Any, rates: Any, padding: str) -> Kernel:
    """Return the gradient of the structuring function."""
    return _gradient(_Geometry(strides, rates, padding), _to_filter)


@shape("Dilation2D")
def dilation2d_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the window, channels."""
    geometry = _Geometry(c.attr("strides"), c.attr("rates"), c.attr("padding"))
    x, f = with_rank(c.shape(0), 4), with_rank(c.shape(1), 3)
    depth = merge(x[3:], f[2:])
    assert depth is not None
    lengths: list[int | None] = []
    for i, size in ((1, f[0]), (2, f[1])):
        length, stride, rate = x[i], geometry.strides[i], geometry.rates[i]
        if length is None or size is None:
            lengths.append(None)
        else:
            lengths.append(window(length, size, stride, geometry.padding, dilation=rate).out)
    return [(x[0], *lengths, depth[0])]


@shape("Dilation2DBackpropInput")
def backprop_input_shape(c: ShapeContext) -> list[Any]:
    """The shape of the input."""
    return [c.shape(0)]


@shape("Dilation2DBackpropFilter")
def backprop_filter_shape(c: ShapeContext) -> list[Any]:
    """The shape of the structuring function."""
    return [c.shape(1)]
