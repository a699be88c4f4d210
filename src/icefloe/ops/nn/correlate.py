"""Convolution as matrix products: batches with channels last, any number of spatial dimensions.

    x [n, *in, c]    w [*size, c / groups, k]    y [n, *out, k]

The patches under a window are copied side by side into a matrix, a few rows of the output at a time, and multiplied
with the filter as one matrix. So no scratch buffer grows with the batch, and nearly all work is done by the matrix
product. A window of one element needs no copy at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from icefloe.machine import blas, products, threads
from icefloe.machine.products import Finish
from icefloe.ops.nn import correlate_rows
from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

PATCH_BYTES = 1 << 19  # of patches copied at a time: they stay in the cache until they are multiplied
_LEAST_PATCHES = 192  # so many rows repay BLAS's work on the filter
_SHORT_RUN = 24  # elements in a row of the window too few to be copied by themselves
_MOST_TOTALS = 4  # sums over all places that are made side by side


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
    """Return the patches of padded `x` as a view, [n, *out, *size, c], or one with fewer and longer last dimensions."""
    n, spatial, channels = x.strides[0], x.strides[1:-1], x.strides[-1]
    tall = len(windows) == 2 and windows[0].size > 4 and windows[0].dilation == 1
    if tall and windows[1].size * x.shape[-1] <= _SHORT_RUN:
        return _longer_patches(x, windows)
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


def _longer_patches(x: Array, windows: Sequence[Window]) -> Array:
    """As `_patches`, [n, *out, size, size * c], by way of a copy where a patch without dilation lies in one piece."""
    down, across = windows
    n, h, w, c = x.strides
    shape = (len(x), across.out, x.shape[1], across.size, x.shape[-1])
    seen = np.empty(shape, x.dtype)
    seen[...] = as_strided(x, shape, (n, w * across.stride, h, w * across.dilation, c), writeable=False)
    n, w, h = seen.strides[:3]
    return as_strided(
        seen,
        (len(x), down.out, across.out, down.size, across.size * x.shape[-1]),
        (n, h * down.stride, w, h * down.dilation, x.itemsize),
        writeable=False,
    )


def _is_pointwise(windows: Sequence[Window]) -> bool:
    return all(w.size == 1 and w.before == 0 and w.after == 0 for w in windows)


def _strided(x: Array, windows: Sequence[Window]) -> Array:
    """Return the elements that windows of one element see, as rows [n * out, c]."""
    if any(w.stride > 1 for w in windows):
        x = x[(slice(None), *(slice(0, (w.out - 1) * w.stride + 1, w.stride) for w in windows))]
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])


class _Rows:
    """The patches of padded `x`, one for each place of the window, cut into strips of whole output rows.

    A strip of an image, or of several whole images, is copied to a matrix with a patch in each row.
    """

    def __init__(self, patches: Array, spatial: int) -> None:
        self.patches = patches
        self.images, self.rows = patches.shape[:2]
        self.per_row = math.prod(patches.shape[2 : 1 + spatial])
        self.width = math.prod(patches.shape[1 + spatial :])
        self.dtype = patches.dtype

    def strips(self, count: int, made: int = 0) -> list[tuple[int, int]]:
        """Return (first, end) of at least `count` strips, if there are so many rows, that with the `made` channels of
        their output take up to about `PATCH_BYTES`.
        """
        total = self.images * self.rows
        per_row = max(1, self.per_row * (self.width + made) * self.dtype.itemsize)
        fitting = max(PATCH_BYTES // per_row, _LEAST_PATCHES // max(1, self.per_row))
        step = max(1, min(-(-total // max(1, count)), fitting))
        if step < self.rows:  # a strip ends where its image does
            step = -(-self.rows // -(-self.rows // step))
            return [
                (image * self.rows + first, image * self.rows + min(first + step, self.rows))
                for image in range(self.images)
                for first in range(0, self.rows, step)
            ]
        step -= step % self.rows
        return [(first, min(first + step, total)) for first in range(0, total, step)]

    def places(self, strip: tuple[int, int]) -> slice:
        """Return where the strip lies among all places of the window."""
        return slice(strip[0] * self.per_row, strip[1] * self.per_row)

    def copy(self, strip: tuple[int, int], matrix: Array) -> None:
        """Fill `matrix` [places, width] with the patches of a strip."""
        image, row = divmod(strip[0], self.rows)
        count = strip[1] - strip[0]
        images = max(1, count // self.rows)
        block = self.patches[image : image + images, row : row + min(count, self.rows)]
        matrix.reshape(block.shape)[...] = block

    def matrix(self, strip: tuple[int, int]) -> Array:
        """Return the patches of a strip in scratch memory of the calling thread."""
        count = (strip[1] - strip[0]) * self.per_row
        made = threads.scratch(count * self.width, self.dtype).reshape(count, self.width)
        self.copy(strip, made)
        return made


def correlate(x: Array, w: Array, windows: Sequence[Window], groups: int = 1, finish: Finish | None = None) -> Array:
    """Return the convolution [n, *out, k] of `x` with `w`, in the dtype they have.

    finish: works in place on blocks [places, channels] of the outcome, given with their columns.
    """
    out = np.empty((len(x), *(v.out for v in windows), w.shape[-1]), x.dtype)
    if not out.size:
        return out
    depth, made = w.shape[-2], w.shape[-1] // groups
    flat = out.reshape(-1, w.shape[-1])
    if not w.size:
        out[...] = 0
        if finish is not None:
            finish(flat, slice(0, len(flat)), slice(0, flat.shape[1]))
        return out
    if _is_pointwise(windows) and groups == 1:
        products.matmul(_strided(x, windows), w.reshape(depth, made), flat, finish)
        return out
    row_by_row = groups == 1 and correlate_rows.applies(x, windows, made)
    x = padded(np.ascontiguousarray(x), windows)
    if row_by_row:
        correlate_rows.correlate(x, w, windows, out, finish)
        return out
    for group in range(groups):
        columns = slice(group * made, (group + 1) * made)
        filters = np.ascontiguousarray(w[..., columns]).reshape(-1, made)
        rows = _Rows(_patches(x[..., group * depth : (group + 1) * depth], windows), len(windows))
        _multiply(rows, filters, flat, columns, finish)
    return out


def _multiply(rows: _Rows, filters: Array, out: Array, columns: slice, finish: Finish | None) -> None:
    """Write the products of all patches with the filters to these columns of `out`."""
    places, made = len(out), filters.shape[1]
    large = products.is_large(places * rows.width * made, out.dtype)
    parts = products.blocks(places, made, rows.width, out.itemsize) if large else []
    if len(parts) > 1 and parts[0][0] == slice(0, places):
        _multiply_by_columns(rows, filters, out, columns, parts, finish)
        return
    strips = rows.strips(len(parts), made)

    def part(i: int) -> None:
        where = rows.places(strips[i])
        block = out[where, columns]
        np.matmul(rows.matrix(strips[i]), filters, out=block)
        if finish is not None:
            finish(block, where, columns)

    with blas.alone:
        threads.share(len(strips), part, large=large)


def _multiply_by_columns(
    rows: _Rows, filters: Array, out: Array, columns: slice, parts: list[tuple[slice, slice]], finish: Finish | None
) -> None:
    """As `_multiply`, for few places and many filters: all patches are copied, then each part takes some filters."""
    matrix = np.empty((len(out), rows.width), rows.dtype)
    strips = rows.strips(len(parts))

    def fill(i: int) -> None:
        rows.copy(strips[i], matrix[rows.places(strips[i])])

    def part(i: int) -> None:
        some = parts[i][1]
        there = slice(columns.start + some.start, columns.start + some.stop)
        block = out[:, there]
        np.matmul(matrix, filters[:, some], out=block)
        if finish is not None:
            finish(block, slice(0, len(out)), there)

    with blas.alone:
        threads.share(len(strips), fill)
        threads.share(len(parts), part)


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
    # With hardly any channels to make, patches of the gradient would be copied for next to no multiplications.
    if depth > 1 and all(v.stride == 1 and v.reach >= v.before and v.length + v.before >= v.out for v in windows):
        back = [v.turned() for v in windows]
        return correlate(dy, _turned(w, groups), back, groups)
    sums = np.zeros(shape, dy.dtype)
    for group in range(groups):
        columns = slice(group * made, (group + 1) * made)
        filters = np.ascontiguousarray(w[..., columns]).reshape(-1, made).T
        _spread(dy[..., columns], filters, sums[..., group * depth : (group + 1) * depth], windows)
    return sums


def _spread(dy: Array, filters: Array, sums: Array, windows: Sequence[Window]) -> None:
    """Add the products of `dy` [n, *out, k] and `filters` [k, size * c] to the elements that the windows see."""
    sizes, depth, made = [v.size for v in windows], sums.shape[-1], dy.shape[-1]
    places = math.prod(dy.shape[1:-1])
    images = max(1, PATCH_BYTES // max(1, places * filters.shape[1] * dy.itemsize))
    where = [[v.span(o) for v, o in zip(windows, offset)] for offset in np.ndindex(*sizes)]

    def part(i: int) -> None:
        some = slice(i * images, (i + 1) * images)
        seen = np.ascontiguousarray(dy[some])
        size = seen.size // made * filters.shape[1]
        back = threads.scratch(size, dy.dtype).reshape(-1, filters.shape[1])
        np.matmul(seen.reshape(-1, made), filters, out=back)
        taps = back.reshape(*seen.shape[:-1], -1, depth)
        for number, spans in enumerate(where):
            target = sums[some][(slice(None), *(s[1] for s in spans))]
            target += taps[(slice(None), *(s[0] for s in spans))][..., number, :]

    count = -(-len(dy) // images)
    with blas.alone:
        threads.share(count, part, large=products.is_large(dy.size * filters.shape[1], dy.dtype))


def filter_gradient(x: Array, dy: Array, windows: Sequence[Window], groups: int = 1) -> Array:
    """Return the gradient [*size, c / groups, k] of the filter of `correlate`."""
    depth, made = x.shape[-1] // groups, dy.shape[-1] // groups
    sizes = tuple(v.size for v in windows)
    out = np.zeros((*sizes, depth, dy.shape[-1]), x.dtype)
    if not x.size or not dy.size or not out.size:
        return out
    if _is_pointwise(windows) and groups == 1:
        products.matmul(_strided(x, windows).T, dy.reshape(-1, made), out.reshape(depth, made))
        return out
    row_by_row = groups == 1 and correlate_rows.applies(x, windows, made)
    x = padded(np.ascontiguousarray(x), windows)
    if row_by_row:
        return correlate_rows.filter_gradient(x, dy, windows).reshape(out.shape)
    flat = np.ascontiguousarray(dy).reshape(-1, dy.shape[-1])
    for group in range(groups):
        columns = slice(group * made, (group + 1) * made)
        rows = _Rows(_patches(x[..., group * depth : (group + 1) * depth], windows), len(windows))
        out[..., columns] = _gathered(rows, flat[:, columns]).reshape(*sizes, depth, made)
    return out


def _gathered(rows: _Rows, grads: Array) -> Array:
    """Return the sum over all places of patch times gradient, [size * c, k]."""
    size = rows.width * grads.shape[1]
    large = products.is_large(len(grads) * size, grads.dtype)
    strips = rows.strips(1)
    # Few totals: each is as large as the filter.
    heaps = products.cut(len(strips), min(len(strips), _MOST_TOTALS), 1) if large else [slice(0, len(strips))]
    totals = np.empty((len(heaps), rows.width, grads.shape[1]), grads.dtype)

    def heap(i: int) -> None:
        for number, strip in enumerate(strips[heaps[i]]):
            patches, there = rows.matrix(strip).T, grads[rows.places(strip)]
            if number:
                totals[i] += np.matmul(patches, there)
            else:
                np.matmul(patches, there, out=totals[i])

    with blas.alone:
        threads.share(len(heaps), heap)
    made: Array = totals[0] if len(totals) == 1 else totals.sum(axis=0)
    return made
