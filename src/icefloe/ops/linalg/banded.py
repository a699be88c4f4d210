"""Equations and products with tridiagonal and banded triangular matrices, given by their diagonals.

Source: tensorflow/core/kernels/linalg/tridiagonal_solve_op.cc, tridiagonal_matmul_op.cc, banded_triangular_solve_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    broadcast_shapes,
    merge,
    shape_text,
    with_rank_at_least,
)
from icefloe.ops.linalg.matrices import check_matrices, equal_sizes


@kernel("TridiagonalSolve")
def tridiagonal_solve(diagonals: Any, rhs: Any, *, partial_pivoting: bool, perturb_singular: bool) -> Any:
    """Return x with A x = rhs; the rows of `diagonals` are A's super-, main and subdiagonal.

    The last element of the superdiagonal and the first of the subdiagonal are not regarded. A singular matrix gives
    NaN; with `perturb_singular` a zero pivot is replaced by a tiny number.
    """
    check_matrices(diagonals, rhs)
    if diagonals.shape[-2] != 3:
        raise errors.InvalidArgumentError(
            f"Expected diagonals to be provided as a matrix with 3 rows, got {diagonals.shape[-2]} rows."
        )
    size = diagonals.shape[-1]
    if size != rhs.shape[-2]:
        raise errors.InvalidArgumentError(
            f"Expected the same number of left-hand sides and right-hand sides, got {size} and {rhs.shape[-2]}."
        )
    if perturb_singular and not partial_pivoting:
        raise errors.InvalidArgumentError("Setting perturb_singular requires pivoting.")
    if rhs.size == 0:
        return rhs.copy()
    above, main, below = (diagonals[..., i, :, None] for i in range(3))
    if not partial_pivoting:
        return _thomas(above, main, below, rhs)
    if perturb_singular:
        return _pivoting(above, main, below, rhs)
    from scipy import linalg

    gtsv: Any = linalg.get_lapack_funcs("gtsv", (diagonals, rhs))
    out = np.empty_like(rhs)
    flat = out.reshape(-1, *rhs.shape[-2:])
    for i, (three, b) in enumerate(zip(diagonals.reshape(-1, 3, size), rhs.reshape(flat.shape))):
        if size == 1:
            flat[i] = b / three[1] if three[1, 0] != 0 else np.nan
            continue
        *_, x, info = gtsv(three[2, 1:], three[1], three[0, :-1], b)
        flat[i] = x if info == 0 else np.nan
    return out


def _thomas(above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Solve without exchanging rows, all batches and right-hand sides at once; a zero pivot makes a batch NaN."""
    size = rhs.shape[-2]
    ratio = np.zeros_like(main)
    x = np.empty_like(rhs)
    pivot = main[..., 0, :]
    singular = pivot == 0
    x[..., 0, :] = rhs[..., 0, :] / pivot
    for i in range(1, size):
        ratio[..., i - 1, :] = above[..., i - 1, :] / pivot
        pivot = main[..., i, :] - below[..., i, :] * ratio[..., i - 1, :]
        singular |= pivot == 0
        x[..., i, :] = (rhs[..., i, :] - below[..., i, :] * x[..., i - 1, :]) / pivot
    for i in range(size - 2, -1, -1):
        x[..., i, :] -= ratio[..., i, :] * x[..., i + 1, :]
    return np.where(singular[..., None, :], rhs.dtype.type(np.nan), x)


def _pivoting(above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Solve by Gaussian elimination with exchange of neighbouring rows, replacing pivots that vanish.

    u holds the upper triangle's three diagonals.
    """
    size = rhs.shape[-2]
    real = rhs.real.dtype
    sizes = [np.abs(v).max(axis=(-2, -1), keepdims=True) for v in (above, main, below)]
    norm = np.maximum(np.maximum(*sizes[:2]), sizes[2])
    tiny = np.maximum(norm * np.finfo(real).eps, np.finfo(real).tiny)[..., 0, :].astype(rhs.dtype)
    u = [v.copy() for v in (main, np.where(np.arange(size)[:, None] < size - 1, above, 0), np.zeros_like(main))]
    x = rhs.copy()
    for i in range(size - 1):
        row = [v[..., i, :].copy() for v in u]
        low = below[..., i + 1, :]
        following = [low, u[0][..., i + 1, :].copy(), u[1][..., i + 1, :].copy()]
        swap = np.abs(low) > np.abs(row[0])
        top = [np.where(swap, f, r) for f, r in zip(following, row)]
        rest = [np.where(swap, r, f) for f, r in zip(following, row)]
        top[0] = np.where(top[0] == 0, tiny, top[0])
        first = np.where(swap, x[..., i + 1, :], x[..., i, :])
        second = np.where(swap, x[..., i, :], x[..., i + 1, :])
        factor = rest[0] / top[0]
        for k in range(3):
            u[k][..., i, :] = top[k]
        u[0][..., i + 1, :] = rest[1] - factor * top[1]
        u[1][..., i + 1, :] = rest[2] - factor * top[2]
        x[..., i, :], x[..., i + 1, :] = first, second - factor * first
    last = u[0][..., size - 1, :]
    u[0][..., size - 1, :] = np.where(last == 0, tiny, last)
    for i in range(size - 1, -1, -1):
        total = x[..., i, :]
        for k in (1, 2):
            if i + k < size:
                total = total - u[k][..., i, :] * x[..., i + k, :]
        x[..., i, :] = total / u[0][..., i, :]
    return x


@shape("TridiagonalSolve")
def tridiagonal_solve_shape(c: ShapeContext) -> list[Any]:
    diagonals, rhs = with_rank_at_least(c.shape(0), 2), with_rank_at_least(c.shape(1), 2)
    if diagonals is None or rhs is None:
        return [None]
    if diagonals[-2] not in (None, 3):
        raise errors.InvalidArgumentError(f"Dimension must be 3 but is {diagonals[-2]}")
    outer = merge(diagonals[:-2], rhs[:-2])
    return [(*(outer or ()), equal_sizes(diagonals[-1], rhs[-2]), rhs[-1])]


@kernel("TridiagonalMatMul")
def tridiagonal_mat_mul(above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Return A times rhs; A's diagonals are matrices of one row, as long as the main one."""
    check_matrices(above, main, below, rhs)
    for name, v in (("superdiagonal", above), ("main diagonal", main), ("subdiagonal", below)):
        if v.shape[-2:] != (1, rhs.shape[-2]):
            raise errors.InvalidArgumentError(f"Invalid {name} shape.")
    upper, diagonal, lower = (np.swapaxes(v, -1, -2) for v in (above, main, below))
    out = diagonal * rhs
    out[..., :-1, :] += upper[..., :-1, :] * rhs[..., 1:, :]
    out[..., 1:, :] += lower[..., 1:, :] * rhs[..., :-1, :]
    return out


@shape("TridiagonalMatMul")
def tridiagonal_mat_mul_shape(c: ShapeContext) -> list[Any]:
    rhs = with_rank_at_least(c.shape(3), 2)
    for i in range(3):
        diagonal = with_rank_at_least(c.shape(i), 2)
        if diagonal is None or rhs is None:
            continue
        if diagonal[-2] not in (None, 1):
            raise errors.InvalidArgumentError(f"Dimension must be 1 but is {diagonal[-2]}")
        merge(diagonal[:-2], rhs[:-2])
        equal_sizes(diagonal[-1], rhs[-2])
    return [rhs]


@kernel("BandedTriangularSolve")
def banded_triangular_solve(bands: Any, rhs: Any, *, lower: bool, adjoint: bool) -> Any:
    """Return x with A x = rhs (or A^H x = rhs). Batches are broadcast.

    The rows of `bands` are A's diagonals from the main one (with `lower`) downwards, or (without) down to the main one,
    each as long as A; where a diagonal is shorter its elements stand at the end (lower) or at the end of an upper row.

    Raises: InvalidArgumentError for a zero on the main diagonal.
    """
    for i, v in enumerate((bands, rhs)):
        if np.ndim(v) < 2:
            raise errors.InvalidArgumentError(f"In[{i}] ndims must be >= 2: {np.ndim(v)}")
    try:
        outer = np.broadcast_shapes(bands.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise errors.InvalidArgumentError(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{shape_text(bands.shape)} vs. {shape_text(rhs.shape)}"
        ) from None
    count, size = bands.shape[-2:]
    if bands.size == 0:
        raise errors.InvalidArgumentError(f"In[0] must not be an empty tensor: shape {shape_text(bands.shape)}")
    if size != rhs.shape[-2]:
        raise errors.InvalidArgumentError(
            f"In[0] mismatch In[1] shape: {size} vs. {rhs.shape[-2]}: "
            f"{shape_text(bands.shape)} {shape_text(rhs.shape)} 1 0"
        )
    out = np.empty((*outer, *rhs.shape[-2:]), rhs.dtype)
    if not np.all(bands[..., 0 if lower else -1, :] != 0):
        raise errors.InvalidArgumentError("Input matrix is not invertible.")
    if out.size == 0:
        return out
    # Element (i, j) of A: lower bands[i - j, i], upper bands[count - 1 - (j - i), i].
    offsets = np.arange(count) if lower else np.arange(count) - (count - 1)
    if adjoint:
        bands = np.conjugate(bands)
    forward = lower != adjoint
    for i in range(size) if forward else range(size - 1, -1, -1):
        total = np.broadcast_to(rhs[..., i, :], (*outer, rhs.shape[-1]))
        for band, offset in enumerate(offsets.tolist()):
            # Row i of A has its element of this band in column i - offset; row i of the transpose in i + offset.
            j = i + offset if adjoint else i - offset
            if offset == 0 or not 0 <= j < size:
                continue
            element = bands[..., band, j if adjoint else i]
            total = total - element[..., None] * out[..., j, :]
        out[..., i, :] = total / bands[..., 0 if lower else -1, i][..., None]
    return out


@shape("BandedTriangularSolve")
def banded_triangular_solve_shape(c: ShapeContext) -> list[Any]:
    bands, rhs = with_rank_at_least(c.shape(0), 2), with_rank_at_least(c.shape(1), 2)
    if bands is None or rhs is None:
        return [None]
    count, size = bands[-2:]
    if count == 0:
        raise errors.InvalidArgumentError("Number of bands must be positive, but is 0")
    if count is not None and size is not None and count > size:
        raise errors.InvalidArgumentError(f"Number of bands {count} cannot exceed the size of the matrix {size}")
    return [(*(broadcast_shapes(bands[:-2], rhs[:-2]) or ()), equal_sizes(size, rhs[-2]), rhs[-1])]
