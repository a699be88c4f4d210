"""The way back through a max pool of floats by arithmetic on whole arrays, image by image. Registers nothing.

A maximum is the last element of its window that is greater than all before it. Which that is comes out of comparisons;
a comparison widened to a number of the size of the elements, all ones or all zeros, lets the bits of the gradient
through or not. Masked copies give the same and take ten times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine import threads
from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

_PART_BYTES = 1 << 19  # of gradients worked on at a time: with what comes of them they stay in the cache


def max_pool_gradient(x: Array, dy: Array, windows: Sequence[Window]) -> Array | None:
    """Return the gradient of the input of `max_pool` where each window has one plain maximum; else None.

    x [n, *in, c] and dy [n, *out, c] are of one dtype, float32 or float64. None: a maximum is NaN or -infinity.
    """
    before, after = tuple(w.before for w in windows), tuple(w.after for w in windows)
    sizes = tuple(b + w.length + a for b, w, a in zip(before, windows, after))
    has_padding = any(before) or any(after)
    whole = np.empty((len(x), *sizes, x.shape[-1]), x.dtype) if has_padding else x
    made = np.zeros(whole.shape, x.dtype) if _leaves_gaps(windows) else np.empty(whole.shape, x.dtype)
    inner = (slice(None), *(slice(b, b + w.length) for b, w in zip(before, windows)))
    images = max(1, _PART_BYTES // max(1, dy[:1].nbytes))
    is_plain = []

    def part(i: int) -> None:
        some = slice(i * images, (i + 1) * images)
        if has_padding:
            whole[some] = -np.inf
            whole[some][inner] = x[some]
        is_plain.append(_add_gradient(whole[some], np.ascontiguousarray(dy[some]), made[some], windows))

    count = -(-len(x) // images)
    threads.share(count, part, large=x.nbytes > 2 * _PART_BYTES)
    return np.ascontiguousarray(made[inner]) if all(is_plain) else None


def _leaves_gaps(windows: Sequence[Window]) -> bool:
    """Whether an element may be in no window, or in several: then sums must begin with zeros."""
    return any(w.size != w.stride or w.out * w.stride != w.before + w.length + w.after for w in windows)


def _add_gradient(x: Array, dy: Array, dx: Array, windows: Sequence[Window]) -> bool:
    """Add the gradient to `dx`, all with their padding. Return False where a maximum is not plain."""
    places = [
        (slice(None), *(slice(o, o + (w.out - 1) * w.stride + 1, w.stride) for o, w in zip(tap, windows)))
        for tap in np.ndindex(*(w.size for w in windows))
    ]
    seen, grads = _pixels(x), _pixels(dx)
    best, tap = np.empty(dy.shape, x.dtype), np.empty(dy.shape, x.dtype)
    _pixels(best)[...] = seen[places[0]]
    greater = np.empty((len(places), *best.shape), np.bool_)
    for number, where in enumerate(places[1:], 1):
        _pixels(tap)[...] = seen[where]
        np.greater(tap, best, out=greater[number])
        np.maximum(best, tap, out=best)
    if not (best.min() > -np.inf):  # also where it is NaN
        return False
    # From behind: the first comparison met that holds is that of the maximum; `open` says that none was met yet.
    bits = np.dtype(f"i{dy.itemsize}")
    mask = np.empty(best.shape, np.bool_)
    open_ = np.ones(best.shape, np.bool_)
    through = np.empty(best.shape, bits)
    adds = _leaves_gaps(windows)
    for number in range(len(places) - 1, -1, -1):
        if number:
            np.logical_and(greater[number], open_, out=mask)
            np.greater(open_, mask, out=open_)
        else:
            mask = open_
        np.negative(mask.view(np.int8), out=through, dtype=bits, casting="unsafe")
        np.bitwise_and(through, dy.view(bits), out=through)
        if adds:
            target = dx[places[number]]
            target += through.view(dy.dtype)
        else:
            grads[places[number]] = _pixels(through)
    return True


def _pixels(x: Array) -> Array:
    """Return `x` [..., c], whose channels lie side by side, as items of all channels: they are copied in one piece."""
    return x.view(f"V{x.shape[-1] * x.itemsize}")[..., 0]
