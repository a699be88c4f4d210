"""Convolution of each channel with filters of its own, and the ways back. Registers nothing.

    x [n, h, w, c]    filter [kh, kw, c, m]    y [n, out_h, out_w, c * m]

numpy's one loop that multiplies and adds at once is that of `einsum`; it is quick where its innermost dimension is
long. So a few columns of all channels make one such dimension, with the filter's numbers repeated for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from icefloe.machine import products, threads
from icefloe.machine.products import Finish
from icefloe.ops.nn.correlate import padded
from icefloe.ops.nn.pooling import spans
from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

_BLOCK = 1 << 19  # multiplications that make a part worth another thread
_BLOCK_BYTES = 1 << 18  # of output in a part: it stays in the cache
_LONG = 1 << 12  # elements in the innermost dimension, at most


def forward(x: Array, w: Array, windows: Sequence[Window], finish: Finish | None = None) -> Array:
    """Return the convolution [n, *out, c * m]. finish: as in `correlate`."""
    channels, multiplier = w.shape[-2:]
    down, across = windows
    made = channels * multiplier
    out = np.empty((len(x), down.out, across.out, made), x.dtype)
    if not out.size:
        return out
    if not w.size:
        out[...] = 0
        return out
    if multiplier > 1:
        x = np.repeat(x, multiplier, axis=-1)
    x = padded(np.ascontiguousarray(x), windows)
    group = _columns_at_once(across.out, made)
    taps = np.tile(w.reshape(*w.shape[:2], made), (1, 1, group))
    rows = _rows_at_once(out, w.shape[0] * w.shape[1])
    strips = [(image, strip) for image in range(len(x)) for strip in products.cut(down.out, -(-down.out // rows), 1)]
    places = out.reshape(-1, made)

    def part(i: int) -> None:
        image, strip = strips[i]
        first, end = strip.start * down.stride, (strip.stop - 1) * down.stride + down.reach + 1
        seen = _seen(x[image, first:end], strip.stop - strip.start, windows, group)
        target = out[image, strip]
        np.einsum("rbijc,ijc->rbc", seen, taps, out=target.reshape(len(target), -1, group * made))
        if finish is not None:
            start = (image * down.out + strip.start) * across.out
            where = slice(start, start + len(target) * across.out)
            finish(places[where], where, slice(0, made))

    threads.share(len(strips), part, large=out.size * taps[..., 0].size >= 2 * _BLOCK)
    return out


def _columns_at_once(columns: int, channels: int) -> int:
    """Return how many columns of `channels` make the innermost dimension: a divisor of `columns`."""
    fitting = [g for g in range(1, columns + 1) if columns % g == 0 and (g == 1 or g * channels <= _LONG)]
    return fitting[-1]


def _rows_at_once(out: Array, taps: int) -> int:
    per_row = max(1, out[0, :1].size)
    return max(1, min(_BLOCK_BYTES // (per_row * out.itemsize), -(-_BLOCK // (per_row * taps))))


def _seen(x: Array, rows: int, windows: Sequence[Window], group: int) -> Array:
    """Return what the windows of `rows` output rows see of padded rows `x`: [rows, blocks, kh, kw, group * c]."""
    down, across = windows
    channels = x.shape[-1]
    per_row, per_column, each = x.strides
    if across.stride == 1:
        strides = (
            per_row * down.stride,
            per_column * group,
            per_row * down.dilation,
            per_column * across.dilation,
            each,
        )
    else:  # the columns that an element of the window sees are not side by side yet
        apart = as_strided(
            x,
            (len(x), across.size, across.out, channels),
            (per_row, per_column * across.dilation, per_column * across.stride, each),
        )
        x = threads.scratch(apart.size, x.dtype).reshape(apart.shape)
        x[...] = apart
        per_row, per_tap, per_column, each = x.strides
        strides = (per_row * down.stride, per_column * group, per_row * down.dilation, per_tap, each)
    shape = (rows, across.out // group, down.size, across.size, group * channels)
    return as_strided(x, shape, strides, writeable=False)


def input_gradient(dy: Array, w: Array, windows: Sequence[Window]) -> Array:
    """Return the gradient [n, *in, c] of the input."""
    channels, multiplier = w.shape[-2:]
    if multiplier == 1 and all(v.stride == 1 and v.reach >= v.before and v.length + v.before >= v.out for v in windows):
        back = [v.turned() for v in windows]
        return forward(dy, w[::-1, ::-1], back)
    dx = np.zeros((len(dy), *(v.length for v in windows), channels), dy.dtype)
    grad = dy.reshape(*dy.shape[:-1], channels, multiplier)
    flat = w.reshape(-1, channels, multiplier)
    for (places, elements), taps in zip(spans(windows), flat):
        part = grad[places]
        dx[elements] += part[..., 0] * taps[:, 0] if multiplier == 1 else (part * taps).sum(axis=-1)
    return dx


def filter_gradient(x: Array, dy: Array, sizes: Sequence[int], windows: Sequence[Window]) -> Array:
    """Return the gradient, of shape `sizes`, of the filter."""
    channels, multiplier = sizes[-2:]
    where = spans(windows)
    dw = np.zeros((len(where), channels, multiplier), x.dtype)
    grad = dy.reshape(*dy.shape[:-1], channels, multiplier)

    def tap(i: int) -> None:
        places, elements = where[i]
        np.einsum("nhwc,nhwcm->cm", x[elements], grad[places], out=dw[i])

    threads.share(len(where), tap, large=dy.size * len(where) >= 2 * _BLOCK)
    return dw.reshape(tuple(sizes))
