"""Operators that are zero off the diagonal: a diagonal, multiples of the identity.

Source: tensorflow/python/ops/linalg/linear_operator_diag.py, linear_operator_identity.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import ones, zeros, zeros_like
from icefloe.lib.array_diagonal import matrix_diag, matrix_diag_part, matrix_set_diag
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import expand_dims
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import no_op
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.linear_operator_dense import LinearOperatorLowerTriangular
from icefloe.lib.linear_operator_sized import Sized, checked_batch, checked_size
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_max, reduce_min, reduce_prod, reduce_sum
from icefloe.shapes import TensorShape


class LinearOperatorDiag(LinearOperator):
    """The square matrix of diagonal `diag`. Raises: ValueError if hints contradict that."""

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[diag]):
            self._diag = parts.as_tensor(diag, name="diag")
            if self._diag.shape.ndims is not None and self._diag.shape.ndims < 1:
                raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
            is_self_adjoint = parts.implied(
                is_self_adjoint,
                not self._diag.dtype.is_complex,
                "A real diagonal operator is always self adjoint.",
            )
            is_square = parts.implied(is_square, True, "Only square diagonal operators currently supported.")
            super().__init__(
                self._diag.dtype,
                None,
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name,
                parameters,
            )

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        known: TensorShape = self._diag.shape
        return known.concatenate(known[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = shape_of(self._diag)
        return concat((sizes, [sizes[-1]]), 0)

    def _linop_inverse(self) -> Any:
        return LinearOperatorDiag(1.0 / self.diag, **parts.kept_hints(self) | {"is_square": True})

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        hints = parts.commuting_hints(left, right)
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(diag=left.diag * right.diag, **hints)
        if isinstance(right, LinearOperatorScaledIdentity):
            return LinearOperatorDiag(diag=left.diag * right.multiplier, **hints)
        if isinstance(right, LinearOperatorLowerTriangular):
            hints["is_positive_definite"] = None
            return LinearOperatorLowerTriangular(tril=left.diag[..., None] * right.to_dense(), **hints)
        return super()._linop_matmul(left, right)

    def _linop_solve(self, left: Any, right: Any) -> Any:
        hints = parts.commuting_hints(left, right)
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(diag=right.diag / left.diag, **hints)
        if isinstance(right, LinearOperatorScaledIdentity):
            return LinearOperatorDiag(diag=right.multiplier / left.diag, **hints)
        if isinstance(right, LinearOperatorLowerTriangular):
            hints["is_positive_definite"] = None
            return LinearOperatorLowerTriangular(tril=right.to_dense() / left.diag[..., None], **hints)
        return super()._linop_solve(left, right)

    def _assert_non_singular(self) -> Any:
        return parts.assert_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        if self.dtype.is_complex:
            said = "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
        else:
            said = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        return checks.assert_positive(math_elementwise.real(self._diag), message=said)

    def _assert_self_adjoint(self) -> Any:
        said = "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint."
        return parts.assert_real(self._diag, said)

    def _linop_adjoint(self) -> Any:
        diag = math_elementwise.conj(self.diag) if self.diag.dtype.is_complex else self.diag
        return LinearOperatorDiag(diag=diag, **parts.kept_hints(self) | {"is_square": True})

    def _linop_cholesky(self) -> Any:
        return LinearOperatorDiag(math_elementwise.sqrt(self.diag), True, True, True, True)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diag = math_elementwise.conj(self._diag) if adjoint else self._diag
        x = linalg.adjoint(x) if adjoint_arg else x
        return expand_dims(diag, -1) * x

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return (math_elementwise.conj(self._diag) if adjoint else self._diag) * x

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        result = reduce_sum(apply_op("Log", math_elementwise.abs(self._diag)), axis=[-1])
        return cast(result, self.dtype) if self.dtype.is_complex else result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diag = math_elementwise.conj(self._diag) if adjoint else self._diag
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return rhs * expand_dims(1.0 / diag, -1)

    def _to_dense(self) -> Any:
        return matrix_diag(self._diag)

    def _diag_part(self) -> Any:
        return self.diag

    def _add_to_tensor(self, x: Any) -> Any:
        return matrix_set_diag(x, self._diag + matrix_diag_part(x))

    def _eigvals(self) -> Any:
        return convert_to_tensor(self.diag)

    def _cond(self) -> Any:
        magnitude = math_elementwise.abs(self.diag)
        return reduce_max(magnitude, axis=-1) / reduce_min(magnitude, axis=-1)


class LinearOperatorIdentity(Sized):
    """The identity of `num_rows` rows, in batches of `batch_shape`; dtype: default float32.

    assert_proper_shapes: add checks of the shapes of arguments. Raises: ValueError, TypeError for bad arguments.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            given = {
                "self adjoint": is_self_adjoint,
                "non-singular": is_non_singular,
                "positive-definite": is_positive_definite,
                "square": is_square,
            }
            for what, hint in given.items():
                if not hint:
                    raise ValueError(f"An identity operator is always {what}.")
            super().__init__(dtype or datatypes.float32, None, True, True, True, True, name, parameters)
            self._num_rows, self._num_rows_static = checked_size(num_rows, "num_rows", assert_proper_shapes)
            self._batch_shape_arg, self._batch_shape_static = checked_batch(batch_shape, assert_proper_shapes)

    def _shape(self) -> TensorShape:
        matrix = TensorShape((self._num_rows_static, self._num_rows_static))
        if self._batch_shape_arg is None:
            return matrix
        return TensorShape(self._batch_shape_static).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        matrix = stack((self._num_rows, self._num_rows), axis=0)
        return matrix if self._batch_shape_arg is None else concat((self._batch_shape_arg, matrix), 0)

    def _ones_diag(self) -> Tensor:
        return ones(shape=self._diagonal_shape(), dtype=self.dtype)

    def _linop_adjoint(self) -> Any:
        return self

    def _linop_cholesky(self) -> Any:
        return self

    def _linop_inverse(self) -> Any:
        return self

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        return right

    def _linop_solve(self, left: Any, right: Any) -> Any:
        return right

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._with_batch(self._checked_rows(x))

    def _determinant(self) -> Any:
        return ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _trace(self) -> Any:
        batch = ones(shape=self._batch(), dtype=self.dtype)
        known = self._known_diagonal_size()
        if known is not None:
            return known * batch
        return cast(reduce_min(self.shape_tensor()[-2:]), self.dtype) * batch

    def _diag_part(self) -> Any:
        return self._ones_diag()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """Return the sum with a matrix."""
        with self._scope(name):
            mat = convert_to_tensor(mat, name="mat")
            return matrix_set_diag(mat, 1 + matrix_diag_part(mat))

    def _eigvals(self) -> Any:
        return self._ones_diag()

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorScaledIdentity(Sized):
    """Multiples of the identity of `num_rows` rows, one for each element of `multiplier`.

    assert_proper_shapes: add checks of the shapes of arguments. Raises: ValueError, TypeError for bad arguments.
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = parts.as_tensor(multiplier, name="multiplier")
            is_self_adjoint = parts.implied(
                is_self_adjoint,
                not self._multiplier.dtype.is_complex,
                "A real diagonal operator is always self adjoint.",
            )
            if not is_square:
                raise ValueError("A ScaledIdentity operator is always square.")
            super().__init__(
                self._multiplier.dtype.base_dtype,
                None,
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name,
                parameters,
            )
            self._num_rows, self._num_rows_static = checked_size(num_rows, "num_rows", assert_proper_shapes)
            self._rows_as_element = cast(self._num_rows, self.dtype)
            self._rows_as_real = cast(self._num_rows, self.dtype.real_dtype)

    @property
    def multiplier(self) -> Any:
        """The multiples."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        known: TensorShape = self._multiplier.shape
        return known.concatenate(TensorShape((self._num_rows_static, self._num_rows_static)))

    def _shape_tensor(self) -> Tensor:
        matrix = stack((self._num_rows, self._num_rows), axis=0)
        return concat((shape_of(self._multiplier), matrix), 0)

    def _ones_diag(self) -> Tensor:
        return ones(shape=self._diagonal_shape(), dtype=self.dtype)

    def _assert_non_singular(self) -> Any:
        return checks.assert_positive(math_elementwise.abs(self.multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        said = "LinearOperator was not positive definite."
        return checks.assert_positive(math_elementwise.real(self.multiplier), message=said)

    def _assert_self_adjoint(self) -> Any:
        imaginary = math_elementwise.imag(self.multiplier)
        said = "LinearOperator was not self-adjoint"
        return checks.assert_equal(zeros_like(imaginary), imaginary, message=said)

    def _as_matrix(self, conjugate: bool) -> Any:
        matrix = expand_dims(expand_dims(self.multiplier, -1), -1)
        return math_elementwise.conj(matrix) if conjugate else matrix

    def _linop_adjoint(self) -> Any:
        factor = self.multiplier
        if factor.dtype.is_complex:
            factor = math_elementwise.conj(factor)
        hints = parts.kept_hints(self) | {"is_square": True}
        return LinearOperatorScaledIdentity(num_rows=self._num_rows, multiplier=factor, **hints)

    def _linop_cholesky(self) -> Any:
        root = math_elementwise.sqrt(self.multiplier)
        return LinearOperatorScaledIdentity(self._num_rows, root, True, True, True, True)

    def _linop_inverse(self) -> Any:
        hints = parts.kept_hints(self) | {"is_self_adjoint": True, "is_square": True}
        return LinearOperatorScaledIdentity(self._num_rows, 1.0 / self.multiplier, **hints)

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        hints = parts.commuting_hints(left, right)
        if isinstance(right, LinearOperatorScaledIdentity):
            rows = left.domain_dimension_tensor()
            return LinearOperatorScaledIdentity(rows, left.multiplier * right.multiplier, **hints)
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(diag=right.diag * left.multiplier, **hints)
        return super()._linop_matmul(left, right)

    def _linop_solve(self, left: Any, right: Any) -> Any:
        hints = parts.commuting_hints(left, right)
        if isinstance(right, LinearOperatorScaledIdentity):
            rows = left.domain_dimension_tensor()
            return LinearOperatorScaledIdentity(rows, right.multiplier / left.multiplier, **hints)
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(diag=right.diag / left.multiplier, **hints)
        return super()._linop_solve(left, right)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._checked_rows(x) * self._as_matrix(conjugate=adjoint)

    def _determinant(self) -> Any:
        return self.multiplier**self._rows_as_element

    def _log_abs_determinant(self) -> Any:
        return self._rows_as_real * apply_op("Log", math_elementwise.abs(self.multiplier))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return self._checked_rows(rhs) / self._as_matrix(conjugate=adjoint)

    def _trace(self) -> Any:
        batch = ones(shape=self._batch(), dtype=self.dtype)
        known = self._known_diagonal_size()
        if known is not None:
            return self.multiplier * known * batch
        return self.multiplier * cast(reduce_min(self.shape_tensor()[-2:]), self.dtype) * batch

    def _diag_part(self) -> Any:
        return self._ones_diag() * self.multiplier[..., None]

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """Return the sum with a matrix."""
        with self._scope(name):
            vector = expand_dims(self.multiplier, -1)
            mat = convert_to_tensor(mat, name="mat")
            return matrix_set_diag(mat, vector + matrix_diag_part(mat))

    def _eigvals(self) -> Any:
        return self._ones_diag() * self.multiplier[..., None]

    def _cond(self) -> Any:
        zero = math_elementwise.equal(self._multiplier, 0.0)
        return where_v2(zero, cast(np.nan, dtype=self.dtype), cast(1.0, dtype=self.dtype))
