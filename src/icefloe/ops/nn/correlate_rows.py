"""Convolution over two dimensions as a sum of matrix products, one for each row of the window. Registers nothing.

Of an image only what a row of the window sees is copied side by side: as many times less as the window has rows. Rows
of images lie so that those under each row of the window are one matrix; what these are multiplied to is added up. For
windows that move down by one row and see enough in one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from icefloe.machine import blas, products, threads
from icefloe.machine.products import Finish
from icefloe.ops.nn.windows import Window

Array: TypeAlias = np.ndarray[Any, Any]

_TILE_BYTES = 1 << 20  # of copies worked on at a time: about a core's own cache
_LEAST_PLACES = 384  # of a tile: so many repay BLAS's work on the filter
_LEAST_SEEN = 64  # elements in a row of the window that repay a product of their own
_MOST_TOTALS = 4  # sums over all tiles that are made side by side


def applies(x: Array, windows: Sequence[Window], made: int) -> bool:
    """Whether the convolution of unpadded `x` to `made` channels is quicker row by row."""
    if len(windows) != 2 or windows[0].size == 1 or windows[0].stride != 1:
        return False
    down, across = windows
    seen = across.size * x.shape[-1]
    places = len(x) * down.out * across.out
    return (
        seen >= _LEAST_SEEN
        and places >= _LEAST_PLACES
        and places >= made
        and down.out > down.reach
        and (down.out * across.out >= _LEAST_PLACES or len(x) > 1)
        and products.is_large(places * down.size * seen * made, x.dtype)
    )


@dataclass(frozen=True, slots=True)
class _Tile:
    """Some rows of the output of some images. Where they are several images, these are whole."""

    image: int
    images: int
    row: int
    rows: int


class _Seen:
    """What rows of the window see of padded `x` [n, h, w, c]: a view [h, n, out, size * c], to be copied tile by tile.

    tiles: how the places of the window are shared out, by sizes alone.
    """

    def __init__(self, x: Array, windows: Sequence[Window]) -> None:
        self.down, across = windows
        n, h, w, c = x.strides
        shape = (x.shape[1], len(x), across.out, across.size, x.shape[-1])
        self.view = as_strided(x, shape, (h, n, w * across.stride, w * across.dilation, c), writeable=False)
        self.dtype = x.dtype
        self.out = across.out
        self.width = across.size * x.shape[-1]
        self.tiles = self._cut(len(x))

    def _cut(self, images: int) -> list[_Tile]:
        per_row = self.out * self.width * self.dtype.itemsize
        rows, reach = self.down.out, self.down.reach
        whole = (rows + reach) * per_row
        if whole > _TILE_BYTES or images == 1:
            fitting = max(_TILE_BYTES // per_row - reach, -(-_LEAST_PLACES // self.out), reach)
            count = -(-rows // fitting)
            if images == 1:  # two threads at least
                count = max(count, min(2, rows * self.out // _LEAST_PLACES))
            step = -(-rows // max(1, count))
            return [_Tile(i, 1, at, min(step, rows - at)) for i in range(images) for at in range(0, rows, step)]
        step = max(1, min(_TILE_BYTES // whole, images // 2))
        return [_Tile(at, min(step, images - at), 0, rows) for at in range(0, images, step)]

    def elements(self, tile: _Tile) -> int:
        """Return how many elements `copy` needs."""
        return (tile.rows + self.down.reach) * tile.images * self.out * self.width

    def copy(self, tile: _Tile, memory: Array) -> list[Array]:
        """Copy what is seen of a tile. Return for each row of the window a matrix [rows * images * out, width]."""
        some = self.view[tile.row : tile.row + tile.rows + self.down.reach, tile.image : tile.image + tile.images]
        memory = memory[: some.size]
        memory.reshape(some.shape)[...] = some
        lines = memory.reshape(len(some), -1)
        starts = range(0, self.down.reach + 1, self.down.dilation)
        return [lines[at : at + tile.rows].reshape(-1, self.width) for at in starts]


def correlate(x: Array, w: Array, windows: Sequence[Window], out: Array, finish: Finish | None) -> None:
    """Write the convolution of padded `x` with `w` to `out` [n, h, w, k]. finish: as in `correlate.correlate`."""
    seen = _Seen(x, windows)
    made = w.shape[-1]
    filters = np.ascontiguousarray(w).reshape(len(w), seen.width, made)
    flat = out.reshape(-1, made)
    columns = slice(0, made)

    def part(i: int) -> None:
        tile = seen.tiles[i]
        places = tile.rows * tile.images * seen.out
        elements = seen.elements(tile)
        memory = threads.scratch(elements + 2 * places * made, seen.dtype)
        matrices = seen.copy(tile, memory)
        added = memory[elements : elements + places * made].reshape(places, made)
        first = (tile.image * seen.down.out + tile.row) * seen.out
        where = slice(first, first + places)
        block = flat[where]
        total = block if tile.images == 1 else memory[elements + places * made :].reshape(places, made)
        for number, matrix in enumerate(matrices):
            if number:
                np.matmul(matrix, filters[number], out=added)
                np.add(total, added, out=total)
            else:
                np.matmul(matrix, filters[0], out=total)
        if tile.images > 1:
            by_row = total.reshape(tile.rows, tile.images, seen.out, made)
            out[tile.image : tile.image + tile.images] = by_row.swapaxes(0, 1)
        if finish is not None:
            finish(block, where, columns)

    with blas.alone:
        threads.share(len(seen.tiles), part)


def filter_gradient(x: Array, dy: Array, windows: Sequence[Window]) -> Array:
    """Return the gradient [h, w, c, k] of the filter, of padded `x` and `dy` [n, h, w, k]."""
    seen = _Seen(x, windows)
    made = dy.shape[-1]
    size = (seen.down.size, seen.width, made)
    heaps = products.cut(len(seen.tiles), min(len(seen.tiles), _MOST_TOTALS), 1)
    totals = np.zeros((len(heaps), *size), x.dtype)

    def heap(i: int) -> None:
        for tile in seen.tiles[heaps[i]]:
            elements = seen.elements(tile)
            grads = dy[tile.image : tile.image + tile.images, tile.row : tile.row + tile.rows]
            memory = threads.scratch(elements + grads.size + math.prod(size[1:]), seen.dtype)
            matrices = seen.copy(tile, memory)
            by_row = memory[elements : elements + grads.size].reshape(tile.rows, tile.images, seen.out, made)
            by_row[...] = grads.swapaxes(0, 1)
            flat = by_row.reshape(-1, made)
            added = memory[elements + grads.size :].reshape(size[1:])
            for number, matrix in enumerate(matrices):
                np.matmul(matrix.T, flat, out=added)
                totals[i, number] += added

    with blas.alone:
        threads.share(len(heaps), heap)
    total: Array = totals[0] if len(totals) == 1 else totals.sum(axis=0)
    return total
