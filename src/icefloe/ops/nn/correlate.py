"""Convolution as matrix products: batches with channels last, any number of spatial dimensions.

    x [n, *in, c]    w [*size, c / groups, k]    y [n, *out, k]

The patches under a window are copied side by side into a matrix, a few rows of the output at a time, and multiplied
with the filter as one matrix. So no scratch buffer grows with the batch, and nearly all work is done by the matrix
product. A window of one element needs no copy at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

PATCH_BYTES = 1 << 21  # of patches copied at a time: they stay in the cache until they are multiplied


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype to compute in: float32 for the 16-bit floats."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype


def padded(x: Array, windows: Sequence[Window]) -> Array:
    """Return `x` between its padding of zeros; `x` itself where there is none."""
    if all(w.before == 0 and w.after == 0 for w in windows):
        return x
    sizes = [w.before + w.length + w.after for w in windows]
    out = np.zeros((len(x), *sizes, x.shape[-1]), x.dtype)
    out[(slice(None), *(slice(w.before, w.before + w.length) for w in windows))] = x
    return out


def _patches(x: Array, windows: Sequence[Window]) -> Array:
    """Return the patches of padded `x` as a view, [n, *out, *size, c]."""
    n, spatial, channels = x.strides[0], x.strides[1:-1], x.strides[-1]
    return as_strided(
        x,
        (len(x), *(w.out for w in windows), *(w.size for w in windows), x.shape[-1]),
        (
            n,
            *(s * w.stride for s, w in zip(spatial, windows)),
            *(s * w.dilation for s, w in zip(spatial, windows)),
            channels,
        ),
        writeable=False,
    )


def _blocks(patches: Array, spatial: int) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """Yield (where, matrix) for blocks of output rows: the patches there, one a row. The matrix is used again."""
    n, rows = patches.shape[:2]
    per_row = math.prod(patches.shape[2 : 1 + spatial])
    width = math.prod(patches.shape[1 + spatial :])
    at_once = max(1, PATCH_BYTES // max(1, per_row * width * patches.itemsize))
    images = max(1, min(n, at_once // max(1, rows)))
    at_once = min(at_once, rows)
    buffer = np.empty((images * at_once * per_row, width), patches.dtype)
    for first in range(0, n, images):
        for row in range(0, rows, at_once):
            where = (slice(first, first + images), slice(row, row + at_once))
            block = patches[where]
            matrix = buffer[: math.prod(block.shape[: 1 + spatial])]
            matrix.reshape(block.shape)[...] = block
            yield where, matrix


def _is_pointwise(windows: Sequence[Window]) -> bool:
    return all(w.size == 1 and w.before == 0 and w.after == 0 for w in windows)


def _strided(x: Array, windows: Sequence[Window]) -> Array:
    """Return the elements that windows of one element see, as rows [n * out, c]."""
    if any(w.stride > 1 for w in windows):
        x = x[(slice(None), *(slice(0, (w.out - 1) * w.stride + 1, w.stride) for w in windows))]
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])


def correlate(x: Array, w: Array, windows: Sequence[Window], groups: int = 1) -> Array:
    """Return the convolution [n, *out, k] of `x` with `w`, in the dtype they have."""
    out = np.empty((len(x), *(v.out for v in windows), w.shape[-1]), x.dtype)
    if not out.size:
        return out
    depth, made = w.shape[-2], w.shape[-1] // groups
    if not w.size:
        out[...] = 0
        return out
    if _is_pointwise(windows) and groups == 1:
        np.matmul(_strided(x, windows), w.reshape(depth, made), out=out.reshape(-1, made))
        return out
    x = padded(np.ascontiguousarray(x), windows)
    spatial = len(windows)
    for group in range(groups):
        filters = np.ascontiguousarray(w[..., group * made : (group + 1) * made]).reshape(-1, made)
        patches = _patches(x[..., group * depth : (group + 1) * depth], windows)
        target = out[..., group * made : (group + 1) * made]
        for where, matrix in _blocks(patches, spatial):
            part = target[where]
            if groups == 1:  # rows of `out` that lie side by side
                np.matmul(matrix, filters, out=part.reshape(-1, made))
            else:
                part[...] = np.matmul(matrix, filters).reshape(part.shape)
    return out


def _turned(w: Array, groups: int) -> Array:
    """Return the filter that takes outputs back to inputs: reversed in space, inputs and outputs changed over."""
    spatial = w.ndim - 2
    turned = w[(slice(None, None, -1),) * spatial]
    depth, made = w.shape[-2], w.shape[-1] // groups
    parts = [np.swapaxes(turned[..., g * made : (g + 1) * made], -1, -2) for g in range(groups)]
    return np.ascontiguousarray(np.concatenate(parts, axis=-1) if groups > 1 else parts[0]).reshape(
        *w.shape[:spatial], made, groups * depth
    )


def input_gradient(dy: Array, w: Array, windows: Sequence[Window], groups: int = 1) -> Array:
    """Return the gradient [n, *in, c] of the input of `correlate`."""
    depth, made = w.shape[-2], w.shape[-1] // groups
    shape = (len(dy), *(v.length for v in windows), groups * depth)
    if not dy.size or not w.size or not math.prod(shape):
        return np.zeros(shape, dy.dtype)
    if all(v.stride == 1 and v.reach >= v.before and v.length + v.before >= v.out for v in windows):
        back = [
            Window(v.out, v.size, 1, v.dilation, v.reach - v.before, v.length + v.before - v.out, v.length)
            for v in windows
        ]
        return correlate(dy, _turned(w, groups), back, groups)
    sums = np.zeros(shape, dy.dtype)
    for group in range(groups):
        rows = np.ascontiguousarray(dy[..., group * made : (group + 1) * made])
        for offset in np.ndindex(*(v.size for v in windows)):
            spans = [v.span(o) for v, o in zip(windows, offset)]
            places = (slice(None), *(s[0] for s in spans))
            elements = (slice(None), *(s[1] for s in spans), slice(group * depth, (group + 1) * depth))
            seen = rows[places]
            back = np.matmul(seen.reshape(-1, made), w[offset][:, group * made : (group + 1) * made].T)
            sums[elements] += back.reshape(*seen.shape[:-1], depth)
    return sums


def filter_gradient(x: Array, dy: Array, windows: Sequence[Window], groups: int = 1) -> Array:
    """Return the gradient [*size, c / groups, k] of the filter of `correlate`."""
    depth, made = x.shape[-1] // groups, dy.shape[-1] // groups
    sizes = tuple(v.size for v in windows)
    out = np.zeros((*sizes, depth, dy.shape[-1]), x.dtype)
    if not x.size or not dy.size or not out.size:
        return out
    if _is_pointwise(windows) and groups == 1:
        np.matmul(_strided(x, windows).T, dy.reshape(-1, made), out=out.reshape(depth, made))
        return out
    x = padded(np.ascontiguousarray(x), windows)
    for group in range(groups):
        patches = _patches(x[..., group * depth : (group + 1) * depth], windows)
        rows = dy[..., group * made : (group + 1) * made]
        total = np.zeros((math.prod(sizes) * depth, made), x.dtype)
        for where, matrix in _blocks(patches, len(windows)):
            total += np.matmul(matrix.T, np.ascontiguousarray(rows[where]).reshape(-1, made))
        out[..., group * made : (group + 1) * made] = total.reshape(*sizes, depth, made)
    return out
