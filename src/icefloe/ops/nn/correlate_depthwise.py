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
    x = np.ascontiguousarray(x)
    group = _columns_at_once(across.out, made)
    taps = np.tile(w.reshape(*w.shape[:2], made), (1, 1, group))
    rows = _rows_at_once(out, w.shape[0] * w.shape[1])
    strips = [(image, strip) for image in range(len(x)) for strip in products.cut(down.out, -(-down.out // rows), 1)]
    places = out.reshape(-1, made)

    def part(i: int) -> None:
        image, strip = strips[i]
        seen = _seen(x[image], strip, windows, group)
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


def _seen(x: Array, strip: slice, windows: Sequence[Window], group: int) -> Array:
    """Return what the windows of a strip of output rows see of image `x`: [rows, blocks, kh, kw, group * c].

    Where there is padding, or the columns that an element of the window sees are not side by side, it is copied to
    scratch memory first: the rows of the strip stay in the cache until they are used.
    """
    down, across = windows
    channels = x.shape[-1]
    count = strip.stop - strip.start
    first = strip.start * down.stride - down.before
    end = first + (count - 1) * down.stride + down.reach + 1
    if across.stride == 1 and not any((down.before, down.after, across.before, across.after)):
        x = x[first:end]
        per_tap = x.strides[1] * across.dilation
    elif across.stride == 1:
        width = across.before + across.length + across.after
        wide = threads.scratch((end - first) * width * channels, x.dtype).reshape(end - first, width, channels)
        there = _inside(wide, first, x)
        wide[there, : across.before] = 0
        wide[there, across.before + across.length :] = 0
        wide[there, across.before : across.before + across.length] = x[first + there.start : first + there.stop]
        x = wide
        per_tap = x.strides[1] * across.dilation
    else:
        size = (end - first, across.size, across.out, channels)
        apart = threads.scratch(size[0] * size[1] * size[2] * size[3], x.dtype).reshape(size)
        there = _inside(apart, first, x)
        rows = x[first + there.start : first + there.stop]
        for offset in range(across.size):
            places, elements = across.span(offset)
            apart[there, offset, : places.start] = 0
            apart[there, offset, places.stop :] = 0
            apart[there, offset, places] = rows[:, elements]
        x = apart
        per_tap = x.strides[1]
    per_row, each = x.strides[0], x.strides[-1]
    shape = (count, across.out // group, down.size, across.size, group * channels)
    strides = (per_row * down.stride, x.strides[-2] * group, per_row * down.dilation, per_tap, each)
    return as_strided(x, shape, strides, writeable=False)


def _inside(rows: Array, first: int, x: Array) -> slice:
    """Return which of the `rows`, that begin at row `first` of image `x`, lie on it; the others are filled with 0."""
    there = slice(min(len(rows), max(0, -first)), max(0, min(len(rows), len(x) - first)))
    rows[: there.start] = 0
    rows[max(there.start, there.stop) :] = 0
    return slice(there.start, max(there.start, there.stop))


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
