"""Linear algebra: identity matrices, solvers, decompositions, norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import ones, zeros
from icefloe.lib.array_diagonal import matrix_diag, matrix_diag_part, matrix_set_diag
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import expand_dims, matrix_transpose, shape, squeeze, transpose
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_elementwise import abs as abs_
from icefloe.lib.math_elementwise import conj, pow, real
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_reduce import reduce_max, reduce_sum
from icefloe.shapes import TensorShape

# Above this many bytes TensorFlow solves batches of small least-squares problems in one op.
_CACHE_GUESS = 256000


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = datatypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return an identity matrix, or a batch of them. Raises: TypeError if a size is neither int nor tensor."""
    with name_scope(name, default_name="eye", values=[num_rows, num_columns, batch_shape]):
        square = num_columns is None
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if square else num_columns
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            diagonal: Any = apply_op("Minimum", num_rows, num_columns)
        else:
            if not all(isinstance(n, (int, np.integer)) for n in (num_rows, num_columns)):
                raise TypeError(
                    "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
                    f"num_rows={num_rows}, num_columns={num_columns}"
                )
            square = num_rows == num_columns
            diagonal = min(num_rows, num_columns)
        if isinstance(batch_shape, Tensor) or isinstance(diagonal, Tensor):
            batch_shape = convert_to_tensor(batch_shape, name="shape", dtype=datatypes.int32)
            diagonal_shape: Any = concat((batch_shape, [diagonal]), axis=0)
            full: Any = None if square else concat((batch_shape, [num_rows, num_columns]), axis=0)
        else:
            diagonal_shape = [*batch_shape, diagonal]
            full = [*batch_shape, num_rows, num_columns]
        diagonal_ones = ones(diagonal_shape, dtype=dtype)
        if square:
            return matrix_diag(diagonal_ones)
        return matrix_set_diag(zeros(full, dtype=dtype), diagonal_ones)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Return X with matrix X = rhs; `matrix` is lower or upper triangular, adjoint: take its conjugate transpose."""
    with name_scope(name, "triangular_solve", [matrix, rhs]):
        return apply_op("MatrixTriangularSolve", matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Return X with A X = rhs, given the Cholesky factor of A."""
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        y = apply_op("MatrixTriangularSolve", chol, rhs, adjoint=False, lower=True)
        return apply_op("MatrixTriangularSolve", chol, y, adjoint=True, lower=True)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Return the least-squares solution X of matrix X = rhs; fast: through the Cholesky factor of the normal equations.

    Raises: NotImplementedError for complex128 with a regularizer.
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    if matrix.dtype == datatypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy."
        )
    static = matrix.shape
    if not fast or _solves_in_one_op(matrix, static):
        return apply_op("MatrixSolveLs", matrix, rhs, l2_regularizer, fast=fast, name=name)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):

        def overdetermined() -> Tensor:
            factor = _regularized_gramian_cholesky(matrix, l2_regularizer, first_kind=True)
            return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))

        def underdetermined() -> Tensor:
            factor = _regularized_gramian_cholesky(matrix, l2_regularizer, first_kind=False)
            return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)

        sizes = static[-2:]
        if not sizes.is_fully_defined():
            found = shape(matrix)[-2:]
            solved: Tensor = cond(found[-2] >= found[-1], overdetermined, underdetermined)
            return solved
        rows, columns = sizes.as_list()
        return overdetermined() if rows >= columns else underdetermined()


def _solves_in_one_op(matrix: Tensor, static: TensorShape) -> bool:
    if not static.is_fully_defined():
        return False
    sizes: Any = static.as_list()
    many = math.prod(sizes[:-2]) > min(sizes[-2:])
    return math.prod(sizes) * matrix.dtype.size > _CACHE_GUESS and many


def _regularized_gramian_cholesky(matrix: Tensor, l2_regularizer: Any, *, first_kind: bool) -> Tensor:
    gramian = matmul(matrix, matrix, adjoint_a=first_kind, adjoint_b=not first_kind)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        matrix_shape = shape(matrix)
        batch_shape = matrix_shape[:-2]
        small = matrix_shape[-1] if first_kind else matrix_shape[-2]
        identity = eye(small, batch_shape=batch_shape, dtype=matrix.dtype)
        known = matrix.shape[-1 if first_kind else -2]
        identity.set_shape(matrix.shape[:-2].concatenate(TensorShape([known, known])))
        gramian += l2_regularizer * identity
    return apply_op("Cholesky", gramian)


def self_adjoint_eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return `(eigenvalues, eigenvectors)` of Hermitian matrices, eigenvalues ascending, vectors as columns."""
    values, vectors = apply_op("SelfAdjointEigV2", tensor, compute_v=True, name=name)
    return values, vectors


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Return the eigenvalues of Hermitian matrices, ascending."""
    return apply_op("SelfAdjointEigV2", tensor, compute_v=False, name=name)[0]


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Return `(s, u, v)` with tensor = u diag(s) v*, or s alone where `compute_uv` is False."""
    s, u, v = apply_op("Svd", tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (real(s), u, v) if compute_uv else real(s)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Tensor:
    """Return the norm of vectors (axis: an int or None for all elements) or matrices (axis: a pair).

    ord: "euclidean", 1, 2, inf or a positive number; of matrices "euclidean", "fro", 1, 2, inf.

    Raises: ValueError for another `ord` or `axis`, or ord=2 of matrices in a tensor of unknown rank.
    """
    keepdims = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    of_matrices = isinstance(axis, (tuple, list)) and len(axis) == 2
    _check_norm(ord, axis, of_matrices)
    if of_matrices:
        axis = tuple(axis)
    elif axis is not None:
        axis = (axis,)
    with name_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if of_matrices and ord == 2:
            result = _spectral_norm(tensor, axis)
        elif ord in ("fro", "euclidean", 2):
            result = apply_op("Sqrt", reduce_sum(tensor * conj(tensor), axis, keepdims=True))
        else:
            result = _other_norm(abs_(tensor), ord, axis, of_matrices)
        return result if keepdims else squeeze(result, axis)


def _check_norm(ord: Any, axis: Any, of_matrices: bool) -> None:
    if of_matrices:
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {tuple(axis)}")
        supported: list[Any] = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {ord}")
        return
    if not (isinstance(axis, int) or axis is None):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if ord != "euclidean" and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")


def _spectral_norm(tensor: Tensor, axis: tuple[int, int]) -> Tensor:
    """Return the largest singular values, the two axes kept with size 1."""
    ndims = tensor.shape.rank
    order: Any
    back: Any
    if ndims is None:
        rank = apply_op("Rank", tensor)
        matrix_axes = apply_op("FloorMod", list(axis), rank)
        others = apply_op("ListDiff", apply_op("Range", 0, rank, 1), matrix_axes)[0]
        order = concat([others, matrix_axes], 0)
        back = apply_op("InvertPermutation", order)
    else:
        last = [a % ndims for a in axis]
        order = [a for a in range(ndims) if a not in last] + last
        back = [order.index(a) for a in range(ndims)]
    values = apply_op("Svd", transpose(tensor, order), compute_uv=False)[0]
    largest = expand_dims(reduce_max(abs_(values), axis=-1, keepdims=True), axis=-1)
    return transpose(largest, back)


def _other_norm(magnitudes: Tensor, ord: Any, axis: Any, of_matrices: bool) -> Tensor:
    first = None if axis is None else axis[0]
    if ord == 1:
        result = reduce_sum(magnitudes, first, keepdims=True)
        return reduce_max(result, axis[-1], keepdims=True) if of_matrices else result
    if ord == np.inf:
        if of_matrices:
            magnitudes = reduce_sum(magnitudes, axis[1], keepdims=True)
        return reduce_max(magnitudes, first, keepdims=True)
    return pow(reduce_sum(pow(magnitudes, ord), axis, keepdims=True), 1.0 / ord)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Return the conjugate transpose of matrices."""
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the determinant of Hermitian positive definite matrices."""
    with name_scope(name, "logdet", [matrix]):
        chol = apply_op("Cholesky", matrix)
        diagonal = real(matrix_diag_part(chol))
        return 2.0 * reduce_sum(apply_op("Log", diagonal), axis=[-1])


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """Return tridiagonal matrices times `rhs`.

    diagonals_format: "compact" ([..., 3, n]: super-, main and subdiagonal), "sequence" of the three, or "matrix".

    Raises: ValueError for another format or diagonals that do not fit.
    """
    if diagonals_format == "compact":
        upper, main, lower = diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :]
    elif diagonals_format == "sequence":
        upper, main, lower = diagonals
    elif diagonals_format == "matrix":
        rows, columns = diagonals.shape.as_list()[-2:]
        if rows is not None and columns is not None and rows != columns:
            raise ValueError(f"Expected last two dimensions of diagonals to be same, got {rows} and {columns}")
        diags = matrix_diag_part(diagonals, k=(-1, 1), padding_value=0.0, align="LEFT_RIGHT")
        upper, main, lower = diags[..., 0, :], diags[..., 1, :], diags[..., 2, :]
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    upper, main, lower = (expand_dims(d, -2) for d in (upper, main, lower))
    return apply_op("TridiagonalMatMul", upper, main, lower, rhs, name=name)
