"""Products, transposes and factors of compressed sparse row matrices.

Source: tensorflow/core/kernels/sparse/{mat_mul,sparse_mat_mul,transpose,sparse_cholesky}_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge_sizes, with_rank_at_least, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.linalg.csr_matrix import Array, CsrMatrix, joined, matrix_dims, matrix_input, puts_matrix
from icefloe.shapes import Dims, merge

# Refused in words that the ops share.
_BOTH = "Only one of adjoint_{0} and transpose_{0} may be true."


def _check_flags(name: str, transpose: bool, adjoint: bool) -> None:
    if transpose and adjoint:
        raise errors.InvalidArgumentError(_BOTH.format(name))


def _turned(x: Any, transpose: bool, adjoint: bool) -> Any:
    if adjoint:
        return x.conj().swapaxes(-1, -2) if isinstance(x, np.ndarray) else x.conj().T
    if transpose:
        return x.swapaxes(-1, -2) if isinstance(x, np.ndarray) else x.T
    return x


@kernel("SparseMatrixMatMul")
def sparse_matrix_matmul(
    a: Any,
    b: Array,
    *,
    T: DType,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    transpose_output: bool,
    conjugate_output: bool,
) -> Array:
    """The dense product of a sparse matrix and a dense one, or of batches of them."""
    matrix = matrix_input(a, "a", T)
    _check_flags("a", transpose_a, adjoint_a)
    _check_flags("b", transpose_b, adjoint_b)
    rank = len(matrix.dense_shape)
    if np.ndim(b) != rank:
        raise errors.InvalidArgumentError(f"Ranks of a and b must match, saw: {rank} vs. {np.ndim(b)}.")
    if rank == 3 and matrix.batch_size != b.shape[0]:
        raise errors.InvalidArgumentError(
            f"Batch sizes of a and b must match, saw: {matrix.batch_size} vs. {b.shape[0]}."
        )
    rows, inner = matrix.dense_shape[-2:][:: -1 if transpose_a or adjoint_a else 1]
    b_inner, columns = b.shape[-2:][:: -1 if transpose_b or adjoint_b else 1]
    if inner != b_inner:
        raise errors.InvalidArgumentError(
            f"Inner product dimensions of A and B do not agree.  Shapes are: {[rows, inner]} vs. {[b_inner, columns]}"
        )
    check_shape((matrix.batch_size, rows, columns), T.numpy)
    right = _turned(b.reshape(-1, *b.shape[-2:]), transpose_b, adjoint_b)
    found = np.empty((matrix.batch_size, rows, columns), T.numpy)
    for i in range(matrix.batch_size):
        found[i] = _turned(matrix.scipy(i), transpose_a, adjoint_a) @ right[i]
    if transpose_output:
        found = found.swapaxes(1, 2)
    if conjugate_output:
        found = found.conj()
    return np.ascontiguousarray(found.reshape(matrix.dense_shape[:-2] + found.shape[1:]))


@kernel("SparseMatrixSparseMatMul")
def sparse_matrix_sparse_matmul(
    a: Any,
    b: Any,
    *,
    type: DType,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
) -> CsrMatrix:
    """The sparse product of sparse matrices, or of batches of them; what cancels out stays as an entry of zero."""
    left, right = matrix_input(a, "a", type), matrix_input(b, "b", type)
    _check_flags("a", transpose_a, adjoint_a)
    _check_flags("b", transpose_b, adjoint_b)
    sizes = {left.batch_size, right.batch_size}
    if len(sizes) == 2 and 1 not in sizes:
        raise errors.InvalidArgumentError(
            f"Batch sizes of A and B are not compatible.  Batch sizes are: {left.batch_size} vs. {right.batch_size}"
        )
    rows, inner = left.dense_shape[-2:][:: -1 if transpose_a or adjoint_a else 1]
    b_inner, columns = right.dense_shape[-2:][:: -1 if transpose_b or adjoint_b else 1]
    if inner != b_inner:
        raise errors.InvalidArgumentError(
            f"Inner product dimensions of A and B do not agree.  Shapes are: {[rows, inner]} vs. {[b_inner, columns]}"
        )
    batch = max(sizes)
    parts = []
    for i in range(batch):
        x = _turned(left.scipy(i if left.batch_size > 1 else 0), transpose_a, adjoint_a).tocsr()
        y = _turned(right.scipy(i if right.batch_size > 1 else 0), transpose_b, adjoint_b).tocsr()
        parts.append(_product(x, y))
    dense_shape = (batch, rows, columns) if len(left.dense_shape) == 3 else (rows, columns)
    return joined(dense_shape, type, parts)


def _product(x: Any, y: Any) -> tuple[Array, Array, Array]:
    """Return row pointers, columns and values of `x @ y`, with an entry wherever two entries meet."""
    met = _ones(x) @ _ones(y)
    met.sort_indices()
    found = x @ y
    found.sort_indices()
    width = np.int64(met.shape[1])
    values = np.zeros(met.nnz, found.dtype)
    values[np.searchsorted(_keys(met, width), _keys(found, width))] = found.data
    return met.indptr, met.indices, values


def _ones(x: Any) -> Any:
    """Return `x` with ones for its entries: sums of them never cancel out."""
    ones = x.copy()
    ones.data = np.ones(x.nnz, np.int64)
    return ones


def _keys(x: Any, width: np.int64) -> Array:
    rows = np.repeat(np.arange(x.shape[0], dtype=np.int64), np.diff(x.indptr))
    return rows * width + x.indices


@kernel("SparseMatrixTranspose")
def sparse_matrix_transpose(input: Any, *, conjugate: bool, type: DType) -> CsrMatrix:
    """Each matrix transposed, with `conjugate` its conjugate."""
    matrix = matrix_input(input, "input", type)
    parts = []
    for i in range(matrix.batch_size):
        turned = matrix.scipy(i).T.tocsr()
        parts.append((turned.indptr, turned.indices, turned.data.conj() if conjugate else turned.data))
    *batch, rows, columns = matrix.dense_shape
    return joined((*batch, columns, rows), type, parts)


@kernel("SparseMatrixSparseCholesky")
def sparse_matrix_sparse_cholesky(input: Any, permutation: Array, *, type: DType) -> CsrMatrix:
    """The lower triangular factor of each matrix, its rows and columns ordered by `permutation`, with its fill-in."""
    matrix = matrix_input(input, "input", type)
    rows, columns = matrix.dense_shape[-2:]
    if rows != columns:
        raise errors.InvalidArgumentError(f"sparse matrix must be square; got: {rows} != {columns}")
    if np.ndim(permutation) + 1 != len(matrix.dense_shape):
        raise errors.InvalidArgumentError(
            "sparse matrix must have the same rank as permutation; got: "
            f"{len(matrix.dense_shape)} != {np.ndim(permutation)} + 1."
        )
    if permutation.shape != matrix.dense_shape[:-1]:
        raise errors.InvalidArgumentError(
            "permutation must have the same number of elements in each batch as the number of rows in sparse matrix; "
            f"got: {list(permutation.shape)} for {list(matrix.dense_shape)}"
        )
    orders = permutation.reshape(matrix.batch_size, rows)
    if not (np.sort(orders, axis=1) == np.arange(rows)).all():
        raise errors.InvalidArgumentError("permutation does not hold each row once")
    return joined(
        matrix.dense_shape, type, [_cholesky(matrix.scipy(i), orders[i], i) for i in range(matrix.batch_size)]
    )


def _cholesky(x: Any, order: Array, batch: int) -> tuple[Array, Array, Array]:
    """Return the factor L of the Hermitian matrix whose lower triangle `x` has, column by column.

    A column holds what its part of `x` and the columns whose first entry below the diagonal is in its row hold.
    """
    from scipy.sparse import csc_matrix, tril, triu

    lower = tril(x, -1).tocsc()
    whole = (tril(x) + lower.conj().T).tocsr() if lower.nnz or not triu(x, 1).nnz else x
    permuted = tril(whole[order][:, order]).tocsc()
    permuted.sort_indices()
    n = x.shape[0]
    columns: list[Array] = [np.zeros(0, np.int64)] * n
    values: list[Array] = [np.zeros(0)] * n
    children: list[list[int]] = [[] for _ in range(n)]
    meets: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # per row: (earlier column, place in it)
    work = np.zeros(n, x.dtype)
    for j in range(n):
        span = slice(permuted.indptr[j], permuted.indptr[j + 1])
        own = permuted.indices[span]
        parts = [np.array([j]), own, *(columns[k][columns[k] > k] for k in children[j])]
        pattern = np.unique(np.concatenate(parts))
        work[pattern] = 0
        work[own] = permuted.data[span]
        for k, at in meets[j]:
            work[columns[k][at:]] -= values[k][at:] * np.conj(values[k][at])
        pivot = work[j].real
        if not pivot > 0:
            raise errors.InvalidArgumentError(
                f"Sparse Cholesky factorization failed for batch index {batch}. The input might not be valid."
            )
        column = work[pattern]
        root = np.sqrt(pivot)
        column[1:] /= root
        column[0] = root
        columns[j], values[j] = pattern, column
        if len(pattern) > 1:
            children[pattern[1]].append(j)
        for at, row in enumerate(pattern.tolist()[1:], 1):
            meets[row].append((j, at))
    starts = np.cumsum([0, *map(len, columns)])
    if not n:
        return starts, np.zeros(0, np.int32), np.zeros(0, x.dtype)
    factor = csc_matrix((np.concatenate(values), np.concatenate(columns), starts), shape=(n, n)).tocsr()
    factor.sort_indices()
    return factor.indptr, factor.indices, factor.data


# Shapes


@shape("SparseMatrixMatMul")
def sparse_matrix_matmul_shape(c: ShapeContext) -> list[Dims]:
    a, b = matrix_dims(c, 0), with_rank_at_most(with_rank_at_least(c.shape(1), 2), 3)
    _check_flags("a", c.attr("transpose_a"), c.attr("adjoint_a"))
    _check_flags("b", c.attr("transpose_b"), c.attr("adjoint_b"))
    if b is None:
        b = (None,) * len(a)
    rows, inner = a[-2:][:: -1 if c.attr("transpose_a") or c.attr("adjoint_a") else 1]
    b_inner, columns = b[-2:][:: -1 if c.attr("transpose_b") or c.attr("adjoint_b") else 1]
    merge_sizes(inner, b_inner)
    batch = merge(a[:-2], b[:-2])
    assert batch is not None
    return [(*batch, columns, rows) if c.attr("transpose_output") else (*batch, rows, columns)]


@shape("SparseMatrixSparseMatMul")
@puts_matrix
def sparse_matrix_sparse_matmul_shape(c: ShapeContext) -> tuple[DType, Dims]:
    a, b = matrix_dims(c, 0), matrix_dims(c, 1)
    _check_flags("a", c.attr("transpose_a"), c.attr("adjoint_a"))
    _check_flags("b", c.attr("transpose_b"), c.attr("adjoint_b"))
    rows, inner = a[-2:][:: -1 if c.attr("transpose_a") or c.attr("adjoint_a") else 1]
    b_inner, columns = b[-2:][:: -1 if c.attr("transpose_b") or c.attr("adjoint_b") else 1]
    merge_sizes(inner, b_inner)
    batch: tuple[int | None, ...] = a[:-2]
    if batch and b[:-2]:
        batch = (b[0],) if a[0] == 1 else (a[0],) if b[0] == 1 else (merge_sizes(a[0], b[0]),)
    return c.attr("type"), (*batch, rows, columns)


@shape("SparseMatrixTranspose")
@puts_matrix
def sparse_matrix_transpose_shape(c: ShapeContext) -> tuple[DType, Dims]:
    *batch, rows, columns = matrix_dims(c, 0)
    return c.attr("type"), (*batch, columns, rows)


@shape("SparseMatrixSparseCholesky")
@puts_matrix
def sparse_matrix_sparse_cholesky_shape(c: ShapeContext) -> tuple[DType, Dims]:
    *batch, rows, columns = matrix_dims(c, 0)
    size = merge_sizes(rows, columns)
    return c.attr("type"), (*batch, size, size)
