"""Compressed sparse row matrices, the values of variants, and the ops that make them and take them apart.

Source: tensorflow/core/kernels/sparse/sparse_matrix.h and the kernels beside it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge_sizes, with_rank, with_rank_at_least, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.wording import dtype_name
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class CsrMatrix:
    """A sparse matrix, or a batch of them.

    dense_shape: [rows, columns] or [batch, rows, columns].
    batch_pointers: int32 [batch + 1], where each matrix begins in `columns` and `values`.
    row_pointers: int32 [batch, rows + 1], where each row begins in its own matrix.
    columns: int32 [nnz]. values: [nnz], of dtype `dtype`.
    """

    dense_shape: tuple[int, ...]
    batch_pointers: Array
    row_pointers: Array
    columns: Array
    values: Array
    dtype: DType

    type_name = "tensorflow::CSRSparseMatrix"

    @property
    def batch_size(self) -> int:
        return len(self.batch_pointers) - 1

    def span(self, batch: int) -> slice:
        """Return where the entries of one matrix are."""
        return slice(int(self.batch_pointers[batch]), int(self.batch_pointers[batch + 1]))

    def scipy(self, batch: int) -> Any:
        """Return one matrix as scipy's, which shares its memory."""
        from scipy.sparse import csr_matrix

        span = self.span(batch)
        parts = self.values[span], self.columns[span], self.row_pointers[batch]
        rows, columns = self.dense_shape[-2:]
        return csr_matrix(parts, shape=(rows, columns), copy=False)

    def rows(self) -> Array:
        """Return the row of each entry, int64."""
        counts = np.diff(self.row_pointers, axis=1).reshape(-1)
        return np.repeat(np.tile(np.arange(self.dense_shape[-2]), self.batch_size), counts)

    def batches(self) -> Array:
        """Return the matrix of each entry, int64."""
        return np.repeat(np.arange(self.batch_size), np.diff(self.batch_pointers))


def joined(dense_shape: tuple[int, ...], dtype: DType, parts: list[tuple[Array, Array, Array]]) -> CsrMatrix:
    """Return the matrices whose row pointers, columns and values are given as one CsrMatrix."""
    counts = np.array([0, *(len(columns) for _, columns, _ in parts)])
    return CsrMatrix(
        dense_shape,
        np.cumsum(counts, dtype=np.int32),
        np.stack([rows for rows, _, _ in parts]).astype(np.int32),
        np.concatenate([columns for _, columns, _ in parts]).astype(np.int32),
        np.concatenate([values for _, _, values in parts]).astype(dtype.numpy),
        dtype,
    )


def matrix_input(value: Any, what: str, dtype: DType | None = None) -> CsrMatrix:
    """Return the matrix of a variant.

    Raises: InvalidArgumentError if it is something else, or of another dtype than is asked for.
    """
    if not isinstance(value, CsrMatrix):
        kind = getattr(type(value), "type_name", type(value).__name__)
        raise errors.InvalidArgumentError(f"{what}: expected a CSRSparseMatrix, got a variant of {kind}")
    if dtype is not None and value.dtype != dtype:
        raise errors.InvalidArgumentError(
            f"Asked for a CSRSparseMatrix of type {dtype_name(dtype)} but saw dtype: {dtype_name(value.dtype)}"
        )
    return value


# Making them


def _from_indices(indices: Array, values: Array, dense_shape: tuple[int, ...], dtype: DType) -> CsrMatrix:
    """Return the matrix with entries at `indices`, which are in order, rows by rows."""
    rank = len(dense_shape)
    batch, rows = (dense_shape[0] if rank == 3 else 1), dense_shape[-2]
    off = np.flatnonzero(((indices < 0) | (indices >= np.array(dense_shape))).any(axis=1))
    if len(off):
        raise errors.InvalidArgumentError(
            f"Sparse index tuple indices[{off[0]}, :] = {indices[off[0]].tolist()} is out of bounds"
        )
    check_shape((batch, rows + 1), np.dtype(np.int32))
    which = indices[:, 0] if rank == 3 else np.zeros(len(indices), np.int64)
    counts = np.zeros((batch, rows + 1), np.int32)
    np.add.at(counts, (which, indices[:, -2] + 1), 1)
    pointers = np.zeros(batch + 1, np.int32)
    np.cumsum(counts.sum(axis=1), out=pointers[1:])
    return CsrMatrix(
        dense_shape, pointers, np.cumsum(counts, axis=1, dtype=np.int32), indices[:, -1].astype(np.int32), values, dtype
    )


@kernel("SparseTensorToCSRSparseMatrix")
def sparse_tensor_to_csr(indices: Array, values: Array, dense_shape: Array, *, T: DType) -> CsrMatrix:
    """The matrix of a sparse tensor of rank 2, or the batch of one of rank 3."""
    sizes = tuple(dense_shape.tolist())
    if len(sizes) not in (2, 3):
        raise errors.InvalidArgumentError(f"SparseTensor must have rank 2 or 3; but indices has rank: {len(sizes)}")
    if np.ndim(indices) != 2 or indices.shape != (len(values), len(sizes)):
        raise errors.InvalidArgumentError(
            f"indices of shape {list(np.shape(indices))} do not fit {np.size(values)} values in rank {len(sizes)}"
        )
    return _from_indices(indices, np.array(values), sizes, T)


@kernel("DenseToCSRSparseMatrix")
def dense_to_csr(dense_input: Array, indices: Array, *, T: DType, node: str) -> CsrMatrix:
    """The matrix with the elements of `dense_input` that stand at `indices`."""
    rank = np.ndim(dense_input)
    if rank not in (2, 3):
        raise errors.InvalidArgumentError(
            f"params must have rank == 2 or 3; but saw shape: {list(np.shape(dense_input))}"
        )
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError(f"indices must be a matrix, but saw shape: {list(np.shape(indices))}")
    if indices.shape[1] != rank:
        raise errors.InvalidArgumentError(
            f"indices.shape[1] must be equal to the rank of params, but saw: {indices.shape[1]} vs. {rank}"
        )
    off = np.flatnonzero(((indices < 0) | (indices >= np.array(dense_input.shape))).any(axis=1))
    if len(off):
        raise errors.InvalidArgumentError(
            f"indices[{off[0]}] = {indices[off[0]].tolist()} does not index into param shape "
            f"{shape_text(dense_input.shape)}, node name: {node}"
        )
    return _from_indices(indices, dense_input[tuple(indices.T)], dense_input.shape, T)


# Taking them apart


@kernel("CSRSparseMatrixToDense")
def csr_to_dense(sparse_input: Any, *, type: DType) -> Array:
    """The matrix, or batch of them, with its zeros."""
    matrix = matrix_input(sparse_input, "sparse_input", type)
    check_shape(matrix.dense_shape, type.numpy)
    dense = np.zeros((matrix.batch_size, *matrix.dense_shape[-2:]), type.numpy)
    dense[matrix.batches(), matrix.rows(), matrix.columns] = matrix.values
    return dense.reshape(matrix.dense_shape)


@kernel("CSRSparseMatrixToSparseTensor")
def csr_to_sparse_tensor(sparse_matrix: Any, *, type: DType) -> tuple[Array, Array, Array]:
    """Indices, values and dense shape of the entries."""
    matrix = matrix_input(sparse_matrix, "sparse_matrix", type)
    columns = [matrix.rows(), matrix.columns.astype(np.int64)]
    if len(matrix.dense_shape) == 3:
        columns.insert(0, matrix.batches())
    return np.stack(columns, axis=1), np.array(matrix.values), np.array(matrix.dense_shape, np.int64)


@kernel("CSRSparseMatrixComponents")
def csr_components(csr_sparse_matrix: Any, index: Any, *, type: DType) -> tuple[Array, Array, Array]:
    """Row pointers, columns and values of matrix `index` of a batch."""
    matrix = matrix_input(csr_sparse_matrix, "csr_sparse_matrix", type)
    if np.ndim(index):
        raise errors.InvalidArgumentError(f"index should be a scalar, but saw: {list(np.shape(index))}")
    if not 0 <= index < matrix.batch_size:
        raise errors.InvalidArgumentError(f"index ({index}) not in [0, {matrix.batch_size})")
    span = matrix.span(int(index))
    return np.array(matrix.row_pointers[index]), np.array(matrix.columns[span]), np.array(matrix.values[span])


@kernel("SparseMatrixNNZ")
def csr_entries(sparse_matrix: Any) -> Any:
    """The number of entries, int32; of each matrix of a batch."""
    matrix = matrix_input(sparse_matrix, "sparse_matrix")
    counts = np.diff(matrix.batch_pointers).astype(np.int32)
    return counts if len(matrix.dense_shape) == 3 else counts[0]


# Shapes


def matrix_dims(c: ShapeContext, i: int) -> tuple[int | None, ...]:
    """Return the dense shape of the matrix that is input `i`.

    Raises: InvalidArgumentError if nothing is known of it.
    """
    with_rank(c.shape(i), 0)
    known = c.handle(i)
    if known is None:
        raise errors.InvalidArgumentError(f"Unable to access shape and type info from variant input {i}")
    dims = with_rank_at_most(with_rank_at_least(known[1], 2), 3)
    if dims is None:
        raise errors.InvalidArgumentError("sparse_matrix has an unknown rank.")
    return dims


def puts_matrix(rule: Callable[[ShapeContext], tuple[DType, Dims]]) -> Callable[[ShapeContext], list[Dims]]:
    """Make a rule for an op whose only output is a matrix out of one that gives the matrix's dtype and dense shape."""

    @functools.wraps(rule)
    def whole(c: ShapeContext) -> list[Dims]:
        c.set_handle(0, *rule(c))
        return [()]

    return whole


@shape("SparseTensorToCSRSparseMatrix")
@puts_matrix
def sparse_tensor_to_csr_shape(c: ShapeContext) -> tuple[DType, Dims]:
    indices, values = with_rank(c.shape(0), 2), with_rank(c.shape(1), 1)
    sizes = with_rank(c.shape(2), 1)
    merge_sizes(indices[0], values[0])
    rank = merge_sizes(indices[1], sizes[0])
    dense = c.shape_value(2)
    if dense is None and rank is not None:
        dense = (None,) * rank
    if dense is None or len(dense) not in (2, 3):
        found = -1 if dense is None else len(dense)
        raise errors.InvalidArgumentError(f"Invalid rank: {found}.  Expected a known rank of either 2 or 3.")
    return c.attr("T"), dense


@shape("DenseToCSRSparseMatrix")
@puts_matrix
def dense_to_csr_shape(c: ShapeContext) -> tuple[DType, Dims]:
    dense, indices = c.shape(0), c.shape(1)
    if dense is None or len(dense) not in (2, 3):
        found = -1 if dense is None else len(dense)
        raise errors.InvalidArgumentError(f"Invalid rank of dense: {found}.  Expected a known rank of either 2 or 3.")
    if indices is None or len(indices) != 2:
        raise errors.InvalidArgumentError(f"indices must be a matrix; but its rank is not 2: {shape_text(indices)}")
    if indices[1] != len(dense):
        raise errors.InvalidArgumentError(
            f"indices.shape[1] must match rank of dense; saw: {indices[1]} vs. {len(dense)}"
        )
    return c.attr("T"), dense


@shape("CSRSparseMatrixToDense")
def csr_to_dense_shape(c: ShapeContext) -> list[Dims]:
    return [matrix_dims(c, 0)]


@shape("CSRSparseMatrixToSparseTensor")
def csr_to_sparse_tensor_shape(c: ShapeContext) -> list[Dims]:
    rank = len(matrix_dims(c, 0))
    return [(None, rank), (None,), (rank,)]


@shape("CSRSparseMatrixComponents")
def csr_components_shape(c: ShapeContext) -> list[Dims]:
    rows = matrix_dims(c, 0)[-2]
    with_rank(c.shape(1), 0)
    return [(None if rows is None else rows + 1,), (None,), (None,)]


@shape("SparseMatrixNNZ")
def csr_entries_shape(c: ShapeContext) -> list[Dims]:
    return [matrix_dims(c, 0)[:-2]]
