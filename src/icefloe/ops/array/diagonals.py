"""Diagonals of matrices taken, set and made into matrices: Diag, MatrixDiag, MatrixSetDiag, MatrixBandPart and kin.

The V2 and V3 forms take a band of diagonals, `k = (lower, upper)`: 0 is the main one, positive ones lie above it. A
band is held as rows of one length, the highest diagonal first; a shorter diagonal stands at the left or right end of
its row, as `align` says for those above and those below the main one. V2 stands all at the left.

Source: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unchanged, with_rank, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, zeros
from icefloe.shapes import Dims, shape_text


@dataclass(frozen=True, slots=True)
class Band:
    """The diagonals `lower` to `upper` of a matrix of `rows` by `columns`."""

    rows: int
    columns: int
    lower: int
    upper: int

    @property
    def count(self) -> int:
        return self.upper - self.lower + 1

    @property
    def length(self) -> int:
        """The length of the longest diagonal."""
        return max(min(self.rows + min(self.upper, 0), self.columns - max(self.lower, 0)), 0)

    def shape(self) -> tuple[int, ...]:
        """Return the shape of the band: a vector where it is one diagonal."""
        return (self.length,) if self.count == 1 else (self.count, self.length)

    def places(self, align: str) -> tuple[Array, Array, Array]:
        """Return the row and the column of each element of the band, and whether there is one."""
        d = np.arange(self.upper, self.lower - 1, -1)[:, None]
        lengths = np.minimum(self.rows + np.minimum(d, 0), self.columns - np.maximum(d, 0))
        above, below = align.split("_")
        left = ((d >= 0) & (above == "LEFT")) | ((d <= 0) & (below == "LEFT"))
        i = np.arange(self.length)[None, :] - np.where(left, 0, self.length - lengths)
        there = (i >= 0) & (i < lengths)
        row = np.where(there, i + np.maximum(-d, 0), 0)
        column = np.where(there, i + np.maximum(d, 0), 0)
        return row.reshape(self.shape()), column.reshape(self.shape()), there.reshape(self.shape())


def _limits(k: Any) -> tuple[int, int]:
    if np.ndim(k) > 1:
        raise errors.InvalidArgumentError(
            f"diag_index must be a scalar or vector, received shape: {shape_text(np.shape(k))}"
        )
    values = np.ravel(k).tolist()
    if not 1 <= len(values) <= 2:
        raise errors.InvalidArgumentError(
            f"diag_index must have only one or two elements, received {len(values)} elements."
        )
    lower, upper = values[0], values[-1]
    if lower > upper:
        raise errors.InvalidArgumentError(
            f"lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
        )
    return lower, upper


def _band_of(matrix: Array, k: Any, stop: str) -> Band:
    if matrix.ndim < 2:
        raise errors.InvalidArgumentError(f"input must be at least 2-dim, received shape: {shape_text(matrix.shape)}")
    rows, columns = matrix.shape[-2:]
    lower, upper = _limits(k)
    _check_limits(rows, columns, lower, upper, stop)
    return Band(rows, columns, lower, upper)


def _check_limits(rows: int, columns: int, lower: int, upper: int, stop: str) -> None:
    for name, at, end in (("lower", lower, stop), ("upper", upper, "")):
        if at and not -rows < at < columns:
            raise errors.InvalidArgumentError(
                f"{name}_diag_index is out of bound: {at}{end} It must be between {-rows} and {columns}"
            )


def _diagonal_part(matrix: Any, k: Any, padding: Any, align: str) -> Array:
    matrix = np.asarray(matrix)
    band = _band_of(matrix, k, ".")
    if np.size(padding) != 1:
        raise errors.InvalidArgumentError("Padding must be scalar.")
    row, column, there = band.places(align)
    if there.all():
        return matrix[..., row, column]
    result = np.full((*matrix.shape[:-2], *band.shape()), np.reshape(padding, ()), matrix.dtype)
    result[..., there] = matrix[..., row[there], column[there]]
    return result


@kernel("MatrixDiagPart", "BatchMatrixDiagPart")
def matrix_diag_part(matrix: Any) -> Array:
    """The main diagonal of each matrix in the last two dimensions."""
    return _diagonal_part(matrix, 0, 0, "LEFT_LEFT")


@shape("MatrixDiagPart", "BatchMatrixDiagPart")
def matrix_diag_part_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 2)
    if known is None:
        return [None]
    rows, columns = known[-2:]
    return [(*known[:-2], None if rows is None or columns is None else min(rows, columns))]


@kernel("MatrixDiagPartV2")
def matrix_diag_part_v2(matrix: Any, k: Any, padding: Any) -> Array:
    return _diagonal_part(matrix, k, padding, "LEFT_LEFT")


@kernel("MatrixDiagPartV3")
def matrix_diag_part_v3(matrix: Any, k: Any, padding: Any, *, align: str) -> Array:
    """The band `k` of each matrix in the last two dimensions, `padding` where a diagonal is shorter."""
    return _diagonal_part(matrix, k, padding, align)


@shape("MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diag_part_v2_shape(c: ShapeContext) -> list[Dims]:
    known, k = with_rank_at_least(c.shape(0), 2), c.constant(1)
    with_rank(c.shape(2), 0)
    if known is None or k is None:
        return [None]
    lower, upper = _limits(k)
    rows, columns = known[-2:]
    counts = () if lower == upper else (upper - lower + 1,)
    if rows is None or columns is None:
        return [(*known[:-2], *counts, None)]
    _check_limits(rows, columns, lower, upper, ".")
    return [(*known[:-2], *counts, Band(rows, columns, lower, upper).length)]


def _scalar_of(value: Any, name: str) -> int:
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"{name} must be a scalar")
    return int(value)


def _fitted(length: int, lower: int, upper: int, rows: int, columns: int) -> Band:
    """Return the band of longest diagonal `length` in a matrix of `rows` by `columns`, -1 being what will do."""
    least_rows = length - min(upper, 0)
    least_columns = length + max(lower, 0)
    if rows != -1 and rows < least_rows:
        raise errors.InvalidArgumentError("The number of rows is too small.")
    if columns != -1 and columns < least_columns:
        raise errors.InvalidArgumentError("The number of columns is too small.")
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    elif rows == -1:
        rows = least_rows
    elif columns == -1:
        columns = least_columns
    if rows != least_rows and columns != least_columns:
        raise errors.InvalidArgumentError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
        )
    return Band(rows, columns, lower, upper)


def _diagonal_matrix(diagonal: Any, k: Any, rows: Any, columns: Any, padding: Any, align: str) -> Array:
    diagonal = np.asarray(diagonal)
    if not diagonal.ndim:
        raise errors.InvalidArgumentError("diagonal must be at least 1-dim, received shape: []")
    lower, upper = _limits(k)
    rows, columns = _scalar_of(rows, "num_rows"), _scalar_of(columns, "num_cols")
    if np.ndim(padding):
        raise errors.InvalidArgumentError("padding_value must be a scalar")
    if lower != upper and (diagonal.ndim < 2 or diagonal.shape[-2] != upper - lower + 1):
        raise errors.InvalidArgumentError(
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index"
            " range."
        )
    band = _fitted(diagonal.shape[-1], lower, upper, rows, columns)
    outer = diagonal.shape[: diagonal.ndim - len(band.shape())]
    result = np.full(check_shape((*outer, band.rows, band.columns), diagonal.dtype), padding, diagonal.dtype)
    row, column, there = band.places(align)
    result[..., row[there], column[there]] = diagonal[..., there]
    return result


@kernel("MatrixDiag", "BatchMatrixDiag")
def matrix_diag(diagonal: Any) -> Array:
    """Square matrices with the vectors in the last dimension as their main diagonals."""
    diagonal = np.asarray(diagonal)
    return _diagonal_matrix(diagonal, 0, -1, -1, zeros((), diagonal.dtype).item(), "LEFT_LEFT")


@shape("MatrixDiag", "BatchMatrixDiag")
def matrix_diag_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 1)
    return [None if known is None else (*known, known[-1])]


@kernel("MatrixDiagV2")
def matrix_diag_v2(diagonal: Any, k: Any, rows: Any, columns: Any, padding: Any) -> Array:
    return _diagonal_matrix(diagonal, k, rows, columns, padding, "LEFT_LEFT")


@kernel("MatrixDiagV3")
def matrix_diag_v3(diagonal: Any, k: Any, rows: Any, columns: Any, padding: Any, *, align: str) -> Array:
    """Matrices of `rows` by `columns` (-1: what will do) with the band `k` from `diagonal`, else `padding`."""
    return _diagonal_matrix(diagonal, k, rows, columns, padding, align)


@shape("MatrixDiagV2", "MatrixDiagV3")
def matrix_diag_v2_shape(c: ShapeContext) -> list[Dims]:
    known, k = with_rank_at_least(c.shape(0), 1), c.constant(1)
    if known is None or k is None:
        return [None]
    lower, upper = _limits(k)
    if lower != upper:
        known = with_rank_at_least(known, 2)
        if known is not None and known[-2] not in (None, upper - lower + 1):
            raise errors.InvalidArgumentError(
                "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and"
                f" `d_upper`. num_diags = {upper - lower + 1}, d_lower = {lower}, d_upper = {upper}, diagonal ="
                f" {shape_text(known)}"
            )
    assert known is not None
    outer = known[: len(known) - (1 if lower == upper else 2)]
    rows, columns = c.constant(2), c.constant(3)
    if known[-1] is None or rows is None or columns is None:
        return [(*outer, *(None if n is None or n < 0 else int(n) for n in (rows, columns)))]
    band = _fitted(known[-1], lower, upper, int(rows), int(columns))
    return [(*outer, band.rows, band.columns)]


def _with_diagonal(matrix: Any, diagonal: Any, k: Any, align: str) -> Array:
    matrix, diagonal = np.asarray(matrix), np.asarray(diagonal)
    if matrix.ndim >= 2 and not diagonal.ndim:
        raise errors.InvalidArgumentError("diagonal must be at least 1-dim, received shape: []")
    band = _band_of(matrix, k, "")
    if diagonal.shape != (*matrix.shape[:-2], *band.shape()):
        raise errors.InvalidArgumentError(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to"
            " the longests diagonal in range [lower_diag_index:upper_diag_index]."
        )
    row, column, there = band.places(align)
    result = matrix.copy()
    result[..., row[there], column[there]] = diagonal[..., there]
    return result


@kernel("MatrixSetDiag", "BatchMatrixSetDiag")
def matrix_set_diag(matrix: Any, diagonal: Any) -> Array:
    """A copy of `matrix` whose main diagonals are the vectors in the last dimension of `diagonal`."""
    return _with_diagonal(matrix, diagonal, 0, "LEFT_LEFT")


@kernel("MatrixSetDiagV2")
def matrix_set_diag_v2(matrix: Any, diagonal: Any, k: Any) -> Array:
    return _with_diagonal(matrix, diagonal, k, "LEFT_LEFT")


@kernel("MatrixSetDiagV3")
def matrix_set_diag_v3(matrix: Any, diagonal: Any, k: Any, *, align: str) -> Array:
    """A copy of `matrix` with the band `k` from `diagonal`."""
    return _with_diagonal(matrix, diagonal, k, align)


@shape("MatrixSetDiag", "BatchMatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
def matrix_set_diag_shape(c: ShapeContext) -> list[Dims]:
    known, diagonal = with_rank_at_least(c.shape(0), 2), with_rank_at_least(c.shape(1), 1)
    k: Any = np.int32(0) if c.num_inputs == 2 else c.constant(2)
    if k is None or diagonal is None:
        return [known]
    lower, upper = _limits(k)
    band = 1 if lower == upper else 2
    if known is None:
        return [(*diagonal[:-band], None, None)]
    if known[-2] is not None and known[-1] is not None:
        _check_limits(known[-2], known[-1], lower, upper, "")
        if c.num_inputs == 2:  # of the others TensorFlow finds out when they run
            merge(diagonal[-1:], Band(known[-2], known[-1], 0, 0).shape())
    return [(*(merge(known[:-2], diagonal[:-band]) or ()), *known[-2:])]


@kernel("MatrixBandPart", "BatchMatrixBandPart")
def matrix_band_part(matrix: Any, lower: Any, upper: Any) -> Array:
    """Each matrix with zeros more than `lower` places below, or `upper` above, its diagonal; negative: no limit."""
    matrix = np.asarray(matrix)
    if matrix.ndim < 2:
        raise errors.InvalidArgumentError(f"input must be at least 2-dim, received shape: {shape_text(matrix.shape)}")
    rows, columns = matrix.shape[-2:]
    for name, value, size, what in (("lower", lower, rows, "rows"), ("upper", upper, columns, "columns")):
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"num_{name} must be scalar, got shape {shape_text(np.shape(value))}")
        if value > size:
            raise errors.InvalidArgumentError(
                f"num_{name} must be negative or less or equal to number of {what} ({size}) got: {value}"
            )
    above = np.arange(matrix.shape[-1])[None, :] - np.arange(matrix.shape[-2])[:, None]
    kept = np.ones(above.shape, bool)
    if lower >= 0:
        kept &= above >= -lower
    if upper >= 0:
        kept &= above <= upper
    return np.where(kept, matrix, zeros((), matrix.dtype))


shape("MatrixBandPart", "BatchMatrixBandPart")(unchanged)


@kernel("Diag")
def diag(x: Any) -> Array:
    """A tensor of shape `x.shape + x.shape`: `x` where both halves of the index are equal, else zeros."""
    if not x.ndim:
        raise errors.InvalidArgumentError("Input must be at least rank 1, got 0")
    result = zeros(check_shape((*x.shape, *x.shape), x.dtype), x.dtype)
    np.fill_diagonal(result.reshape(x.size, x.size), x.reshape(-1))
    return result


@shape("Diag")
def diag_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 1)
    return [None if known is None else (*known, *known)]


@kernel("DiagPart")
def diag_part(x: Any) -> Array:
    """The elements of `x`, of rank 2n, whose index has two equal halves of n."""
    x = np.asarray(x)
    half = x.ndim // 2
    if x.ndim % 2:
        raise errors.InvalidArgumentError(
            f"The rank of the tensor should be even and positive, got shape {shape_text(x.shape)}"
        )
    for i in range(half):
        if x.shape[i] != x.shape[i + half]:
            raise errors.InvalidArgumentError(
                f"Invalid shape {shape_text(x.shape)}: dimensions {i} and {i + half} do not match."
            )
    count = int(np.prod(x.shape[:half]))
    return x.reshape(count, count).diagonal().reshape(x.shape[:half]).copy()


@shape("DiagPart")
def diag_part_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    if known is None:
        return [None]
    if len(known) % 2 or not known:
        raise errors.InvalidArgumentError(f"Input must have even and non-zero rank, input rank is {len(known)}")
    half = len(known) // 2
    return [merge(known[:half], known[half:])]
