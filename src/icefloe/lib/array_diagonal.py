"""Diagonals of matrices and tensors."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Return the diagonal of a tensor of rank 2k: `out[i1..ik] = input[i1..ik, i1..ik]`."""
    return apply_op("DiagPart", input, name=name)


def matrix_diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with `diagonal` on their k-th diagonals, or a band of them where k is a pair."""
    return apply_op(
        "MatrixDiagV3",
        diagonal,
        k,
        num_rows,
        num_cols,
        _padding(diagonal, padding_value),
        align=align,
        name=name,
    )


def matrix_diag_part(
    input: Any, name: str | None = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Return the k-th diagonals of matrices, or a band of them where k is a pair."""
    return apply_op("MatrixDiagPartV3", input, k, _padding(input, padding_value), align=align, name=name)


def matrix_set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Return `input` with its k-th diagonals, or a band of them, replaced by `diagonal`."""
    return apply_op("MatrixSetDiagV3", input, diagonal, k, align=align, name=name)


def _padding(like: Any, value: Any) -> Any:
    return bool(value) if getattr(like, "dtype", None) == datatypes.bool else value
