"""Operators that are given by a matrix: a full one, or the lower triangle of one.

Source: tensorflow/python/ops/linalg/linear_operator_full_matrix.py, linear_operator_lower_triangular.py.
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_diagonal import matrix_diag_part
from icefloe.lib.array_shape import shape
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_reduce import reduce_prod, reduce_sum
from icefloe.shapes import TensorShape

_DTYPES = [datatypes.float16, datatypes.float32, datatypes.float64, datatypes.complex64, datatypes.complex128]


class LinearOperatorFullMatrix(LinearOperator):
    """The matrix `matrix`, of floats or complex numbers. Raises: TypeError, ValueError if it is no such matrix."""

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[matrix]):
            self._matrix = parts.as_tensor(matrix, name="matrix")
            checked = convert_to_tensor(self._matrix, name="matrix")
            if checked.dtype not in _DTYPES:
                raise TypeError(f"Argument `matrix` must have dtype in {_DTYPES}. Received: {checked.dtype}.")
            if checked.shape.ndims is not None and checked.shape.ndims < 2:
                raise ValueError(f"Argument `matrix` must have at least 2 dimensions. Received: {checked}.")
            super().__init__(
                self._matrix.dtype,
                None,
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name,
                parameters,
            )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> TensorShape:
        known: TensorShape = self._matrix.shape
        return known

    def _shape_tensor(self) -> Tensor:
        return shape(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangle of the square matrix `tril`. Raises: ValueError if it is no matrix or not square."""

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = dict(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with name_scope(name, values=[tril]):
            self._tril = parts.as_tensor(tril, name="tril")
            if self._tril.shape.ndims is not None and self._tril.shape.ndims < 2:
                raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril}")
            super().__init__(
                self._tril.dtype,
                None,
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                True,
                name,
                parameters,
            )

    @property
    def tril(self) -> Any:
        """The matrix whose lower triangle counts."""
        return self._tril

    def _lower(self) -> Tensor:
        lower: Tensor = apply_op("MatrixBandPart", self._tril, -1, 0)
        return lower

    def _diagonal(self) -> Tensor:
        return matrix_diag_part(self._tril)

    def _shape(self) -> TensorShape:
        known: TensorShape = self._tril.shape
        return known

    def _shape_tensor(self) -> Tensor:
        return shape(self._tril)

    def _assert_non_singular(self) -> Any:
        return parts.assert_no_zeros(self._diagonal(), "Singular operator:  Diagonal contained zero values.")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        if hasattr(right, "diag"):
            hints = parts.commuting_hints(right, left) | {"is_positive_definite": None}
            return LinearOperatorLowerTriangular(tril=left.to_dense() * right.diag, **hints)
        return super()._linop_matmul(left, right)

    def _determinant(self) -> Any:
        return reduce_prod(self._diagonal(), axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(apply_op("Log", math_elementwise.abs(self._diagonal())), axis=[-1])

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return linalg.matrix_triangular_solve(self._lower(), rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return self._lower()

    def _eigvals(self) -> Any:
        return self._diagonal()
