"""The operator of zeros.

Source: tensorflow/python/ops/linalg/linear_operator_zeros.py.
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import linalg
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import no_op
from icefloe.lib.linear_operator_sized import Sized, checked_batch, checked_size
from icefloe.shapes import TensorShape


class LinearOperatorZeros(Sized):
    """Zeros of `num_rows` rows and `num_columns` columns (default as many), in batches of `batch_shape`.

    assert_proper_shapes: add checks of the shapes of arguments. Raises: ValueError, TypeError for bad arguments.
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            if not is_self_adjoint and is_square:
                raise ValueError("A zero operator is always self adjoint.")
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype or datatypes.float32, None, *hints, name, parameters)
            self._num_rows, rows = checked_size(num_rows, "num_rows", assert_proper_shapes)
            columns_given = num_rows if num_columns is None else num_columns
            self._num_columns, columns = checked_size(columns_given, "num_columns", assert_proper_shapes)
            self._num_rows_static, self._num_columns_static = rows, columns
            if rows is not None and columns is not None and is_square and rows != columns:
                raise ValueError(
                    f"LinearOperatorZeros initialized as is_square=True, but got num_rows({rows}) != "
                    f"num_columns({columns})"
                )
            self._batch_shape_arg, self._batch_shape_static = checked_batch(batch_shape, assert_proper_shapes)

    def _shape(self) -> TensorShape:
        matrix = TensorShape((self._num_rows_static, self._num_columns_static))
        if self._batch_shape_arg is None:
            return matrix
        return TensorShape(self._batch_shape_static).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        matrix = stack((self._num_rows, self._num_columns), axis=0)
        return matrix if self._batch_shape_arg is None else concat((self._batch_shape_arg, matrix), 0)

    def _assert_non_singular(self) -> Any:
        raise errors.InvalidArgumentError("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError("Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self._assert_proper_shapes:
            x = self._checked_rows(linalg.adjoint(x) if adjoint_arg else x)
        if self.is_square:
            if adjoint_arg:
                sizes = concat([shape_of(x)[:-2], [shape_of(x)[-1], shape_of(x)[-2]]], axis=0)
            else:
                sizes = shape_of(x)
        else:
            given = shape_of(x)
            rows = self._num_columns if adjoint else self._num_rows
            sizes = concat([given[:-2], [rows, given[-2] if adjoint_arg else given[-1]]], axis=0)
        return self._with_batch(zeros(shape=sizes, dtype=x.dtype))

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        if not left.is_square or not right.is_square:
            raise ValueError(
                "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this "
                "time."
            )
        return left

    def _determinant(self) -> Any:
        return zeros(shape=self._batch(), dtype=self.dtype)

    def _trace(self) -> Any:
        return zeros(shape=self._batch(), dtype=self.dtype)

    def _zeros_diag(self) -> Tensor:
        return zeros(shape=self._diagonal_shape(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        return self._zeros_diag()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """Return a matrix as it is, in this operator's batches."""
        result: Tensor = self._with_batch(mat)
        return result

    def _eigvals(self) -> Any:
        return self._zeros_diag()
