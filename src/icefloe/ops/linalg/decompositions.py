"""Factorisations of matrices: Cholesky, QR, singular values, eigenvalues, LU.

By LAPACK through numpy. A factor is unique up to signs (for complex matrices, phases) of its columns: those of QR are
TensorFlow's, those of singular and eigenvectors may differ from it. Source: tensorflow/core/kernels/linalg.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank_at_least
from icefloe.ops.linalg.matrices import adjoint, check_matrices, check_square, compute_dtype, square_dims, square_shape

Function = Callable[..., Any]


@kernel("Cholesky", "BatchCholesky")
def cholesky(x: Any) -> Any:
    """Return the lower triangular L with L L^H = x; only the lower triangle of x is read.

    A matrix that is not positive definite gives NaN in its lower triangle.
    """
    check_square(x)
    if x.size == 0:
        return x.copy()
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        flat = x.reshape(-1, *x.shape[-2:])
        return np.stack([_cholesky_or_nan(matrix) for matrix in flat]).reshape(x.shape)


def _cholesky_or_nan(x: Any) -> Any:
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(x, np.nan))


shape("Cholesky", "BatchCholesky")(square_shape)


@kernel("CholeskyGrad", "BatchCholeskyGrad")
def cholesky_grad(factor: Any, dy: Any) -> Any:
    """Return the gradient of a symmetric matrix from that of its Cholesky factor.

    Source: Murray, Differentiation of the Cholesky decomposition, 2016: L^-T phi(L^T dL) L^-1, made symmetric.
    """
    check_matrices(factor, dy)
    check_square(factor, "Inputs must be a square matrices.")
    if factor.shape != dy.shape:
        raise errors.InvalidArgumentError("Inputs (L and grad) must have the same shape.")
    if factor.size == 0:
        return factor.copy()
    lower = np.tril(factor).astype(np.float64)
    inner = np.tril(np.matmul(adjoint(lower), np.tril(dy)))
    index = np.arange(factor.shape[-1])
    inner[..., index, index] *= 0.5
    left = np.linalg.solve(adjoint(lower), inner)
    result = adjoint(np.linalg.solve(adjoint(lower), adjoint(left)))
    return (0.5 * (result + adjoint(result))).astype(factor.dtype)


shape("CholeskyGrad", "BatchCholeskyGrad")(square_shape)


@kernel("Qr")
def qr(x: Any, *, T: DType, full_matrices: bool) -> tuple[Any, Any]:
    """Return (q, r) with orthonormal columns in q and r upper triangular."""
    check_matrices(x)
    to = T.numpy
    rows, columns = x.shape[-2:]
    inner = rows if full_matrices else min(rows, columns)
    if x.size == 0:
        q = np.broadcast_to(np.eye(rows, inner, dtype=to), (*x.shape[:-2], rows, inner)).copy()
        return q, np.zeros((*x.shape[:-2], inner, columns), to)
    mode: Any = "complete" if full_matrices else "reduced"
    q, r = np.linalg.qr(x.astype(compute_dtype(T), copy=False), mode)
    return q.astype(to, copy=False), r.astype(to, copy=False)


@shape("Qr")
def qr_shape(c: ShapeContext) -> list[Any]:
    x = with_rank_at_least(c.shape(0), 2)
    if x is None:
        return [None, None]
    rows, columns = x[-2:]
    inner = rows if c.attr("full_matrices") else _least(rows, columns)
    return [(*x[:-2], rows, inner), (*x[:-2], inner, columns)]


def _least(a: int | None, b: int | None) -> int | None:
    if 0 in (a, b):
        return 0
    return None if a is None or b is None else min(a, b)


@kernel("Svd", "BatchSvd")
def svd(x: Any, *, T: DType, compute_uv: bool, full_matrices: bool) -> tuple[Any, Any, Any]:
    """Return (s, u, v), all of dtype T: singular values, falling, and x = u diag(s) v^H.

    Without `compute_uv` u and v are empty.

    A matrix that holds NaN or infinity gives NaN.
    """
    check_matrices(x)
    to = T.numpy
    rows, columns = x.shape[-2:]
    least, outer = min(rows, columns), x.shape[:-2]
    if not compute_uv:
        s = np.linalg.svd(x, compute_uv=False) if x.size else np.zeros((*outer, least))
        return s.astype(to, copy=False), np.zeros((0,), to), np.zeros((0,), to)
    wide_u, wide_v = (rows, columns) if full_matrices else (least, least)
    if x.size == 0:
        u = np.broadcast_to(np.eye(rows, wide_u, dtype=to), (*outer, rows, wide_u)).copy()
        v = np.broadcast_to(np.eye(columns, wide_v, dtype=to), (*outer, columns, wide_v)).copy()
        return np.zeros((*outer, least), to), u, v
    finite = np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    u, s, vh = np.linalg.svd(np.where(finite, x, to.type(0)), full_matrices)
    if not finite.all():
        u, vh = np.where(finite, u, to.type(np.nan)), np.where(finite, vh, to.type(np.nan))
        s = np.where(finite[..., 0], s, np.nan)
    return s.astype(to, copy=False), u.astype(to, copy=False), adjoint(vh).astype(to, copy=False)


@shape("Svd", "BatchSvd")
def svd_shape(c: ShapeContext) -> list[Any]:
    x = with_rank_at_least(c.shape(0), 2)
    uv = c.attr("compute_uv")
    if x is None:
        return [None, None, None] if uv else [None, (0,), (0,)]
    rows, columns = x[-2:]
    least, outer = _least(rows, columns), x[:-2]
    if not uv:
        return [(*outer, least), (0,), (0,)]
    full = c.attr("full_matrices")
    return [(*outer, least), (*outer, rows, rows if full else least), (*outer, columns, columns if full else least)]


@kernel("SelfAdjointEigV2", "BatchSelfAdjointEigV2")
def self_adjoint_eig(x: Any, *, T: DType, compute_v: bool) -> tuple[Any, Any]:
    """Return (e, v): eigenvalues, rising, and orthonormal eigenvectors in columns; only the lower triangle is read.

    Raises: InvalidArgumentError for NaN or infinity.
    """
    check_square(x)
    to = T.numpy
    if not np.isfinite(np.tril(x)).all():
        raise errors.InvalidArgumentError(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid."
        )
    if not compute_v:
        values = np.linalg.eigvalsh(x) if x.size else np.zeros(x.shape[:-1])
        return values.astype(to), np.zeros((0,), to)
    if x.size == 0:
        return np.zeros(x.shape[:-1], to), np.zeros(x.shape, to)
    values, vectors = np.linalg.eigh(x)
    return values.astype(to), vectors.astype(to, copy=False)


@kernel("SelfAdjointEig", "BatchSelfAdjointEig")
def self_adjoint_eig_v1(x: Any, *, T: DType) -> Any:
    """Return a matrix with the eigenvalues in its first row and the eigenvectors below."""
    values, vectors = self_adjoint_eig(x, T=T, compute_v=True)
    return np.concatenate([values[..., None, :], vectors], axis=-2)


@kernel("Eig")
def eig(x: Any, *, Tout: DType, compute_v: bool) -> tuple[Any, Any]:
    """Return (e, v): eigenvalues and normed eigenvectors in columns, complex.

    Raises: InvalidArgumentError for NaN or infinity, or if `Tout` has another precision than `x`.
    """
    made = np.result_type(x.dtype, np.complex64)
    if Tout.numpy != made:
        raise errors.InvalidArgumentError(
            f"Invalid output dtype {Tout.as_datatype_enum} vs. {as_dtype(made).as_datatype_enum}"
        )
    check_square(x)
    to = Tout.numpy
    if not np.isfinite(x).all():
        raise errors.InvalidArgumentError("Eigen decomposition was not successful. The input might not be valid.")
    if x.size == 0:
        return np.zeros(x.shape[:-1], to), np.zeros(x.shape if compute_v else (0,), to)
    if not compute_v:
        return np.linalg.eigvals(x).astype(to), np.zeros((0,), to)
    values, vectors = np.linalg.eig(x)
    return values.astype(to), vectors.astype(to)


@shape("SelfAdjointEigV2", "BatchSelfAdjointEigV2", "Eig")
def eigen_shape(c: ShapeContext) -> list[Any]:
    x = square_dims(c)
    values = None if x is None else x[:-1]
    return [values, x if c.attr("compute_v") else (0,)]


@shape("SelfAdjointEig", "BatchSelfAdjointEig")
def self_adjoint_eig_v1_shape(c: ShapeContext) -> list[Any]:
    x = square_dims(c)
    return [None if x is None else (*x[:-2], None if x[-1] is None else x[-1] + 1, x[-1])]


@kernel("Lu")
def lu(x: Any, *, T: DType, output_idx_type: DType) -> tuple[Any, Any]:
    """Return (lu, p): L without its unit diagonal below U, and the row of x that each of their rows came from.

    Raises: InvalidArgumentError for a singular matrix.
    """
    from scipy import linalg

    if np.ndim(x) < 2:
        raise errors.InvalidArgumentError(f"Input tensor must have rank >= 2, got {np.ndim(x)}")
    check_square(x)
    if x.size == 0:
        return x.copy(), np.zeros(x.shape[:-1], output_idx_type.numpy)
    flat = x.reshape(-1, *x.shape[-2:]).astype(compute_dtype(T), copy=False)
    factors = np.empty(flat.shape, T.numpy)
    rows = np.empty(flat.shape[:-1], output_idx_type.numpy)
    for i, matrix in enumerate(flat):
        getrf: Any = linalg.get_lapack_funcs("getrf", (matrix,))
        factor, pivots, _ = getrf(matrix)
        diagonal = np.diagonal(factor)
        if not np.all(np.abs(diagonal) > 0):  # NaN is refused too
            raise errors.InvalidArgumentError("Input is not invertible.")
        order = np.arange(len(pivots))
        for row, other in enumerate(pivots):
            order[[row, other]] = order[[other, row]]
        factors[i], rows[i] = factor, order
    return factors.reshape(x.shape), rows.reshape(x.shape[:-1])


@shape("Lu")
def lu_shape(c: ShapeContext) -> list[Any]:
    x = square_dims(c)
    return [x, None if x is None else x[:-1]]
