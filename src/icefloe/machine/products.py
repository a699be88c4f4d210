"""The matrix product of kernels: large ones in blocks that the cores share, small ones by numpy.

How a product is cut up depends on its sizes and dtype alone, never on the number of threads: so does what it gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine import blas, threads

Array: TypeAlias = np.ndarray[Any, Any]

# finish(block, rows, columns): works on a block of the product, in place, while it is in the cache.
Finish: TypeAlias = Callable[[Array, slice, slice], None]

# Multiplications from which on a product is cut into blocks, and how many a block has at least.
LARGE = 1 << 22
_BLOCK = 1 << 23
_SIDE = 96  # of a block, long enough for BLAS to be quick
# Up to so many multiplications OpenBLAS uses no threads, for a product of matrices and for one with a vector.
_QUIET = 1 << 18
_QUIET_VECTOR = 9000
_MOST_BLOCKS = 16
_FEW_ROWS = 64
_FINISHED_BYTES = 1 << 18  # of a block that is finished while it is in the cache


def product(a: Array, b: Array) -> Any:
    """Return the product of two matrices, or of stacks of them whose leading dimensions broadcast, of one dtype."""
    macs = a.size * b.shape[-1]
    if macs <= _QUIET_VECTOR:
        return np.matmul(a, b)
    if macs < LARGE and a.ndim >= b.ndim:
        return np.matmul(a, b) if blas.HELD.depth else _on_one_thread(a, b)
    if a.ndim > 2 or b.ndim > 2:
        return _stacked(a, b)
    out: Array = np.empty((a.shape[0], b.shape[1]), a.dtype)
    matmul(a, b, out)
    return out


def _on_one_thread(a: Array, b: Array) -> Any:
    with blas.alone:
        return np.matmul(a, b)


def _stacked(a: Array, b: Array) -> Any:
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count = math.prod(stack)
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    each = rows * inner * columns
    if not is_large(count * each, a.dtype):
        return _on_one_thread(a, b)
    if count == 1:
        return product(a.reshape(rows, inner), b.reshape(inner, columns)).reshape(*stack, rows, columns)
    out = np.empty((*stack, rows, columns), a.dtype)
    # Parts along the longest leading dimension, of which no copy is needed.
    axis = max(range(len(stack)), key=stack.__getitem__)
    parts = cut(stack[axis], min(stack[axis], max(2, min(_MOST_BLOCKS, count * each // _BLOCK))), 1)

    def part(i: int) -> None:
        left, right, made = [_along(x, axis - len(stack), parts[i]) for x in (a, b, out)]
        np.matmul(left, right, out=made)

    with blas.alone:
        threads.share(len(parts), part)
    return out


def _along(x: Array, axis: int, part: slice) -> Array:
    """Return a part of a stack along a leading dimension, counted from the last of them; all of what is broadcast."""
    axis -= 2
    if -axis > x.ndim or x.shape[axis] == 1:
        return x
    index: list[slice] = [slice(None)] * x.ndim
    index[axis] = part
    return x[tuple(index)]


def matmul(a: Array, b: Array, out: Array, finish: Finish | None = None) -> None:
    """Write the product of two matrices to `out`, on several threads where it is large."""
    rows, columns = out.shape
    inner = a.shape[1]
    if not is_large(rows * columns * inner, out.dtype):
        multiply(a, b, out)
        if finish is not None:
            finish(out, slice(0, rows), slice(0, columns))
        return
    parts = blocks(rows, columns, inner, out.itemsize, finishes=finish is not None)

    # OpenBLAS is half as quick with few rows and a second matrix that is stored turned as with the same turned back.
    is_turned = rows <= _FEW_ROWS and columns >= 8 * rows and b.T.flags.c_contiguous

    def part(i: int) -> None:
        rows, columns = parts[i]
        block = out[rows, columns]
        if is_turned:
            block[...] = np.matmul(b.T[columns], a.T).T
        else:
            np.matmul(a[rows], b[:, columns], out=block)
        if finish is not None:
            finish(block, rows, columns)

    with blas.alone:
        threads.share(len(parts), part)


def multiply(a: Array, b: Array, out: Array) -> None:
    """Write the product of two matrices to `out`, on the calling thread."""
    rows, columns = out.shape
    if rows * columns * a.shape[1] > (_QUIET_VECTOR if rows == 1 or columns == 1 else _QUIET):
        with blas.alone:
            np.matmul(a, b, out=out)
    else:
        np.matmul(a, b, out=out)


def is_large(macs: int, dtype: np.dtype[Any]) -> bool:
    """Whether a product of `macs` multiplications is worth more than one thread."""
    return macs >= LARGE and dtype.kind in "fc" and dtype.itemsize > 2 and blas.is_alone()


def blocks(rows: int, columns: int, inner: int, itemsize: int, *, finishes: bool = False) -> list[tuple[slice, slice]]:
    """Return the (rows, columns) of the blocks of a product, cut across the longer of its sides."""
    most = max(2, min(_MOST_BLOCKS, rows * columns * inner // _BLOCK))
    if finishes and rows >= columns:
        most = max(most, rows * columns * itemsize // _FINISHED_BYTES)
    if rows >= columns:
        return [(part, slice(0, columns)) for part in cut(rows, max(1, min(most, rows // _SIDE)))]
    return [(slice(0, rows), part) for part in cut(columns, max(1, min(most, columns // _SIDE)))]


def cut(length: int, parts: int, multiple: int = 16) -> list[slice]:
    """Return `length` elements cut into up to `parts` slices of nearly one length, a multiple of `multiple`."""
    step = -(-length // parts)
    step = -(-step // multiple) * multiple
    return [slice(at, min(at + step, length)) for at in range(0, length, step)]
