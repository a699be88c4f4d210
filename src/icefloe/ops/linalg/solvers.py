"""Inverses, determinants and linear equations.

Source: tensorflow/core/kernels/linalg.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    broadcast_shapes,
    merge,
    shape_text,
    with_rank,
    with_rank_at_least,
)
from icefloe.ops.linalg.matrices import (
    adjoint,
    check_matrices,
    check_square,
    compute_dtype,
    equal_sizes,
    square_dims,
    square_shape,
)

Function = Callable[..., Any]


@kernel("MatrixInverse", "BatchMatrixInverse")
def matrix_inverse(x: Any, *, T: DType, adjoint: bool) -> Any:
    """Return the inverses (of the adjoints). Raises: InvalidArgumentError for a singular matrix."""
    check_square(x)
    if x.size == 0:
        return x.copy()
    try:
        result = np.linalg.inv(x.astype(compute_dtype(T), copy=False))
    except np.linalg.LinAlgError:
        raise errors.InvalidArgumentError("Input is not invertible.") from None
    if np.isnan(x).any():
        raise errors.InvalidArgumentError("Input is not invertible.")
    if adjoint:
        result = np.conjugate(np.swapaxes(result, -1, -2))
    return result.astype(T.numpy, copy=False)


shape("MatrixInverse", "BatchMatrixInverse")(square_shape)


@kernel("MatrixDeterminant", "BatchMatrixDeterminant")
def matrix_determinant(x: Any) -> Any:
    """Return the determinants; that of an empty matrix is 1."""
    check_square(x)
    return np.asarray(_nan_where_nan(x, np.linalg.det(x)), x.dtype)


@kernel("LogMatrixDeterminant")
def log_matrix_determinant(x: Any) -> tuple[Any, Any]:
    """Return (sign, log |det|); for complex matrices sign is a number of size 1."""
    check_square(x)
    sign, size = np.linalg.slogdet(x)
    size = _nan_where_nan(x, size)
    return np.asarray(np.where(np.isnan(size), np.nan, sign), x.dtype), np.asarray(size, x.dtype)


def _nan_where_nan(x: Any, result: Any) -> Any:
    """Return `result` with NaN for matrices that hold NaN, in which LAPACK may see a zero pivot."""
    bad = np.isnan(x).any(axis=(-2, -1))
    return np.where(bad, np.nan, result) if bad.any() else result


@shape("MatrixDeterminant", "BatchMatrixDeterminant", "LogMatrixDeterminant")
def determinant_shape(c: ShapeContext) -> list[Any]:
    x = with_rank_at_least(c.shape(0), 2)
    if x is not None:
        equal_sizes(x[-1], x[-2])
    return [None if x is None else x[:-2]] * c.num_outputs


@kernel("MatrixSolve", "BatchMatrixSolve")
def matrix_solve(a: Any, b: Any, *, adjoint: bool) -> Any:
    """Return x with a x = b (or a^H x = b). Raises: InvalidArgumentError for a singular matrix."""
    check_matrices(a, b)
    check_square(a, "First input (lhs) must be a square matrix.")
    if a.shape[-1] != b.shape[-2]:
        raise errors.InvalidArgumentError("Input matrix and rhs are incompatible.")
    if b.size == 0:
        return b.copy()
    try:
        result = np.linalg.solve(np.conjugate(np.swapaxes(a, -1, -2)) if adjoint else a, b)
    except np.linalg.LinAlgError:
        raise errors.InvalidArgumentError("Input matrix is not invertible.") from None
    if np.isnan(a).any():
        raise errors.InvalidArgumentError("Input matrix is not invertible.")
    return result.astype(b.dtype, copy=False)


@shape("MatrixSolve", "BatchMatrixSolve")
def matrix_solve_shape(c: ShapeContext) -> list[Any]:
    a, b = square_dims(c), with_rank_at_least(c.shape(1), 2)
    if a is None or b is None:
        return [None]
    outer = merge(a[:-2], b[:-2])
    return [(*(outer or ()), equal_sizes(a[-1], b[-2]), b[-1])]


def _broadcast_batches(a: Any, b: Any) -> tuple[int, ...]:
    for i, x in enumerate((a, b)):
        if np.ndim(x) < 2:
            raise errors.InvalidArgumentError(f"In[{i}] ndims must be >= 2: {np.ndim(x)}")
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise errors.InvalidArgumentError(
            f"In[0] and In[1] must have compatible batch dimensions: {shape_text(a.shape)} vs. {shape_text(b.shape)}"
        ) from None


@kernel("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def matrix_triangular_solve(a: Any, b: Any, *, lower: bool, adjoint: bool) -> Any:
    """Return x with a x = b (or a^H x = b), a being triangular; batches are broadcast.

    A zero on the diagonal gives infinities and NaN, as division does.
    """
    outer = _broadcast_batches(a, b)
    if a.shape[-1] != a.shape[-2]:
        raise errors.InvalidArgumentError(
            f"In[0] matrices in the last dimensions must be square ({a.shape[-1]} =/= {a.shape[-2]})"
        )
    if a.shape[-1] != b.shape[-2]:
        raise errors.InvalidArgumentError(_mismatch(a.shape[-1], a, b))
    out = np.empty((*outer, *b.shape[-2:]), b.dtype)
    if out.size == 0:
        return out
    from scipy import linalg

    left = np.broadcast_to(a, (*outer, *a.shape[-2:])).reshape(-1, *a.shape[-2:])
    right = np.broadcast_to(b, out.shape).reshape(-1, *b.shape[-2:])
    trtrs: Any = linalg.get_lapack_funcs("trtrs", (a, b))
    flat = out.reshape(right.shape)
    for i, (matrix, rhs) in enumerate(zip(left, right)):
        x, info = trtrs(matrix, rhs, lower=lower, trans=2 if adjoint else 0)
        flat[i] = x if info == 0 else _substituted(matrix, rhs, lower=lower, conjugate=adjoint)
    return out


def _mismatch(size: int, a: Any, b: Any) -> str:
    return f"In[0] mismatch In[1] shape: {size} vs. {b.shape[-2]}: {shape_text(a.shape)} {shape_text(b.shape)} 1 0"


def _substituted(a: Any, b: Any, *, lower: bool, conjugate: bool) -> Any:
    """Return the solution by substitution row by row, which LAPACK refuses for a zero on the diagonal."""
    if conjugate:
        a, lower = adjoint(a), not lower
    x = b.copy()
    rows = range(len(a)) if lower else range(len(a) - 1, -1, -1)
    for i in rows:
        known = slice(0, i) if lower else slice(i + 1, None)
        x[i] = (b[i] - a[i, known] @ x[known]) / a[i, i]
    return x


@shape("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def matrix_triangular_solve_shape(c: ShapeContext) -> list[Any]:
    a, b = square_dims(c), with_rank_at_least(c.shape(1), 2)
    if a is None or b is None:
        return [None]
    outer = broadcast_shapes(a[:-2], b[:-2])
    return [(*(outer or ()), equal_sizes(a[-1], b[-2]), b[-1])]


@kernel("MatrixSolveLs", "BatchMatrixSolveLs")
def matrix_solve_ls(a: Any, b: Any, l2: Any, *, fast: bool) -> Any:
    """Return x of least |a x - b|^2 + l2 |x|^2, or of least norm where there are many.

    fast: by the normal equations, which refuse matrices that are nearly rank deficient; otherwise by orthogonal
    factorisation, where `l2` is not regarded.

    Raises: InvalidArgumentError for shapes that do not fit, a negative l2, or with `fast` a rank-deficient matrix.
    """
    check_matrices(a, b)
    if np.ndim(l2):
        raise errors.InvalidArgumentError(f"l2_regularizer must be scalar, got shape {shape_text(np.shape(l2))}")
    if l2 < 0:
        raise errors.InvalidArgumentError("l2_regularizer must be >= 0.")
    rows, columns = a.shape[-2:]
    if rows != b.shape[-2]:
        raise errors.InvalidArgumentError("Input matrix and rhs are incompatible.")
    out = np.zeros((*a.shape[:-2], columns, b.shape[-1]), a.dtype)
    if a.size == 0 or b.size == 0:
        return out
    flat = out.reshape(-1, *out.shape[-2:])
    for i, (matrix, rhs) in enumerate(zip(a.reshape(-1, rows, columns), b.reshape(-1, *b.shape[-2:]))):
        flat[i] = _normal_equations(matrix, rhs, float(l2)) if fast else np.linalg.lstsq(matrix, rhs, rcond=None)[0]
    return out


def _normal_equations(a: Any, b: Any, l2: float) -> Any:
    rows, columns = a.shape
    tall = rows >= columns
    gram = adjoint(a) @ a if tall else a @ adjoint(a)
    gram[np.diag_indices(len(gram))] += gram.dtype.type(l2)
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        factor = None
    # As a determinant close to 0 tells nothing, the pivots do: one that all but vanishes against the largest.
    pivots = None if factor is None else np.abs(np.diagonal(factor)) ** 2
    if factor is None or pivots is None or pivots.min() <= np.finfo(pivots.dtype).eps * pivots.max():
        raise errors.InvalidArgumentError(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
            "l2_regularizer > 0."
        )
    if tall:
        return np.linalg.solve(gram, adjoint(a) @ b)
    return adjoint(a) @ np.linalg.solve(gram, b)


@shape("MatrixSolveLs", "BatchMatrixSolveLs")
def matrix_solve_ls_shape(c: ShapeContext) -> list[Any]:
    with_rank(c.shape(2), 0)
    a, b = with_rank_at_least(c.shape(0), 2), with_rank_at_least(c.shape(1), 2)
    if a is None or b is None:
        return [None]
    equal_sizes(a[-2], b[-2])
    return [(*(merge(a[:-2], b[:-2]) or ()), a[-1], b[-1])]
