"""Pooling of batches with channels last: values, places of maxima, and the ways back. Registers nothing.

Maxima and sums over a window are taken one dimension after the other. A window that sees only padding, or nothing but
-infinity, gives the lowest finite number; NaN counts for nothing beside a number, as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine import threads
from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

_PART_BYTES = 1 << 20  # of images pooled at a time


def lowest(dtype: np.dtype[Any]) -> Any:
    """Return the least finite number of a dtype."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    if dtype == np.float64:
        return -np.finfo(np.float64).max
    return dtype.type(-np.inf) if dtype.itemsize == 2 else -np.finfo(np.float32).max


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, part)


def max_pool(x: Array, windows: Sequence[Window]) -> Array:
    """Return the greatest element of each window, [n, *out, c]. x: [n, *in, c]."""
    out = np.empty((len(x), *(w.out for w in windows), x.shape[-1]), x.dtype)
    images = max(1, _PART_BYTES // max(1, x[:1].nbytes))

    def part(i: int) -> None:
        some = slice(i * images, (i + 1) * images)
        _max_pool(x[some], windows, out[some])

    threads.share(-(-len(x) // images), part, large=x.nbytes > 2 * _PART_BYTES)
    return out


def _max_pool(x: Array, windows: Sequence[Window], out: Array) -> None:
    larger = np.maximum if x.dtype.kind in "iu" else np.fmax
    moving = [(axis, w) for axis, w in enumerate(windows, 1) if w.size > 1 or w.stride > 1 or w.out != w.length]
    if not moving:
        out[...] = x
    for axis, w in moving:
        is_last = axis == moving[-1][0]
        made = out if is_last else np.empty((*x.shape[:axis], w.out, *x.shape[axis + 1 :]), x.dtype)
        spans = [w.span(offset) for offset in range(w.size)]
        whole = [elements for places, elements in spans if places == slice(0, w.out)]
        if len(whole) > 1:
            larger(x[_along(axis, whole[0])], x[_along(axis, whole[1])], out=made)
            for elements in whole[2:]:
                larger(made, x[_along(axis, elements)], out=made)
            if is_last and x.dtype.kind not in "iu" and not made.min(initial=np.inf) > lowest(x.dtype):
                larger(made, lowest(x.dtype), out=made)
            spans = [span for span in spans if span[0] != slice(0, w.out)]
        else:
            made[...] = lowest(x.dtype)
        for places, elements in spans:
            target = made[_along(axis, places)]
            larger(target, x[_along(axis, elements)], out=target)
        x = made


def counts(windows: Sequence[Window]) -> Array:
    """Return how many elements each window covers, padding left out: [*out, 1]."""
    out = np.ones(1, np.int64)
    for w in reversed(windows):
        out = np.multiply.outer(w.counts(), out)
    return out


def sum_pool(x: Array, windows: Sequence[Window]) -> Array:
    """Return the sum of each window, [n, *out, c]."""
    for axis, w in enumerate(windows, 1):
        out = np.zeros((*x.shape[:axis], w.out, *x.shape[axis + 1 :]), x.dtype)
        for offset in range(w.size):
            places, elements = w.span(offset)
            out[_along(axis, places)] += x[_along(axis, elements)]
        x = out
    return x


def avg_pool(x: Array, windows: Sequence[Window]) -> Array:
    """Return the mean of each window, padding left out, [n, *out, c]."""
    out = sum_pool(x, windows)
    out /= np.maximum(counts(windows), 1).astype(x.dtype)
    return out


def avg_pool_gradient(dy: Array, windows: Sequence[Window]) -> Array:
    """Return the gradient of the input of `avg_pool`, [n, *in, c]."""
    dx = dy / np.maximum(counts(windows), 1).astype(dy.dtype)
    for axis, w in enumerate(windows, 1):
        out = np.zeros((*dx.shape[:axis], w.length, *dx.shape[axis + 1 :]), dx.dtype)
        for offset in range(w.size):
            places, elements = w.span(offset)
            out[_along(axis, elements)] += dx[_along(axis, places)]
        dx = out
    return dx


def first_maxima(x: Array, windows: Sequence[Window]) -> tuple[Array, Array]:
    """Return (maxima, where): the greatest element of each window and its number in the window, in row-major order.

    Of equal elements the first counts. A window of padding alone has the number -1.
    """
    shape = (len(x), *(w.out for w in windows), x.shape[-1])
    best = np.full(shape, lowest(x.dtype), x.dtype)
    where = np.full(shape, -1, np.int32)
    for number, (places, elements) in enumerate(spans(windows)):
        seen, top, index = x[elements], best[places], where[places]
        better = (seen > top) | (index < 0)
        np.copyto(top, seen, where=better)
        np.copyto(index, np.int32(number), where=better)
    return best, where


def spans(windows: Sequence[Window]) -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Return (places, elements) of each element of a window, in row-major order, as indices of [n, *out] and [n,
    *in].
    """
    found = []
    for offset in np.ndindex(*(w.size for w in windows)):
        parts = [w.span(o) for w, o in zip(windows, offset)]
        found.append(((slice(None), *(p[0] for p in parts)), (slice(None), *(p[1] for p in parts))))
    return found


def max_pool_gradient(where: Array, dy: Array, windows: Sequence[Window]) -> Array:
    """Return the gradient of the input of `max_pool`: each window gives its maximum all of `dy`. where: see above."""
    dx = np.zeros((len(dy), *(w.length for w in windows), dy.shape[-1]), dy.dtype)
    zero = dy.dtype.type(0)
    for number, (places, elements) in enumerate(spans(windows)):
        dx[elements] += np.where(where[places] == number, dy[places], zero)
    return dx


def max_pool_second_gradient(where: Array, ddx: Array, windows: Sequence[Window]) -> Array:
    """Return the elements of `ddx` [n, *in, c] where the maxima are, [n, *out, c]."""
    out = np.zeros(where.shape, ddx.dtype)
    for number, (places, elements) in enumerate(spans(windows)):
        np.copyto(out[places], ddx[elements], where=where[places] == number)
    return out


def flat_indices(where: Array, windows: Sequence[Window], *, across_batch: bool) -> Array:
    """Return int64 indices into [*in, c], or into [n, *in, c] where `across_batch`, of numbers from `first_maxima`."""
    sizes = tuple(w.size for w in windows)
    n, channels = where.shape[0], where.shape[-1]
    offsets = np.unravel_index(np.maximum(where, 0), sizes)
    index = np.zeros(where.shape, np.int64)
    for axis, (w, offset) in enumerate(zip(windows, offsets), 1):
        start = np.arange(w.out, dtype=np.int64) * w.stride - w.before
        index = index * w.length + (start.reshape(-1, *(1,) * (where.ndim - axis - 1)) + offset * w.dilation)
    index = index * channels + np.arange(channels)
    if across_batch:
        per_image = math.prod(w.length for w in windows) * channels
        index += (np.arange(n, dtype=np.int64) * per_image).reshape(n, *(1,) * (where.ndim - 1))
    return index
