"""`LinearOperator`: a matrix, or a batch of them, known by what it does.

A kind of operator says how it multiplies (`_matmul`) and what shape it has (`_shape`, `_shape_tensor`); all else is
worked out from these by means of a dense matrix unless the kind knows better.

Source: tensorflow/python/ops/linalg/linear_operator.py (nodes, names and messages).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_diagonal import matrix_diag_part
from icefloe.lib.array_shape import expand_dims, size, squeeze
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_max, reduce_min, reduce_sum
from icefloe.lib.module import Module
from icefloe.shapes import Dimension, TensorShape, dimension_at_index, dimension_value


class LinearOperator(Module):
    """A linear operator of shape [..., rows, columns].

    is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, None for not known; they choose the
    methods,
    and nothing checks them.

    Raises: ValueError if the hints contradict each other.
    """

    # Functions of tensors are told by it, without an import of this module.
    is_linear_operator = True

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        for i, t in enumerate(graph_parents or []):
            if not (isinstance(t, Tensor) or parts.is_reference(t)):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {t}.")
        self._square_hint = is_square
        self._graph_parents = graph_parents or []
        self._dtype = datatypes.as_dtype(dtype).base_dtype if dtype else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = parameters
        self._name = name or type(self).__name__
        self._scope_name = f"{self._name}/"

    @contextlib.contextmanager
    def _scope(self, name: str | None = None) -> Iterator[str]:
        with name_scope(self.name if name is None else f"{self.name}/{name}") as scope:
            yield scope

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {k: v for k, v in (self._parameters or {}).items() if k not in ("self", "__class__")}

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name, a prefix of those of its nodes."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors it was said to depend on."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it is non-singular, None if that is not known."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own adjoint, None if that is not known."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is positive definite, None if that is not known."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it is square, None if that is not known. Raises: ValueError if it is, but was said not to be."""
        found: bool | None = self.domain_dimension == self.range_dimension
        if self._square_hint is False and found:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return found if self._square_hint is None else self._square_hint

    # Shapes

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Tensor:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """Return the shape."""
        with self._scope(name):
            if self.shape.is_fully_defined():
                return parts.size_tensor(self.shape.as_list())
            return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape without the last two dimensions."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Return the shape without the last two dimensions."""
        with self._scope(name):
            return self._batch_shape_tensor()

    def _batch_shape_tensor(self, shape: Any = None) -> Tensor:
        if self.batch_shape.is_fully_defined():
            return parts.size_tensor(self.batch_shape.as_list(), name="batch_shape")
        return (self.shape_tensor() if shape is None else shape)[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of dimensions, where it is known."""
        with self._scope("tensor_rank"):
            return self.shape.ndims

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """Return the number of dimensions."""
        with self._scope(name):
            if self.tensor_rank is not None:
                return parts.size_tensor(self.tensor_rank)
            return size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Any:
        """The number of columns, as far as it is known."""
        return self.shape.dims[-1] if self.shape.dims else Dimension(None)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """Return the number of columns."""
        with self._scope(name):
            return self._domain_dimension_tensor()

    def _domain_dimension_tensor(self, shape: Any = None) -> Tensor:
        known = dimension_value(self.domain_dimension)
        if known is not None:
            return parts.size_tensor(known)
        return (self.shape_tensor() if shape is None else shape)[-1]

    @property
    def range_dimension(self) -> Any:
        """The number of rows, as far as it is known."""
        return self.shape.dims[-2] if self.shape.dims else Dimension(None)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """Return the number of rows."""
        with self._scope(name):
            known = dimension_value(self.range_dimension)
            return parts.size_tensor(known) if known is not None else self.shape_tensor()[-2]

    # Checks

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Return an operation that fails if it is singular, as far as the dtype can tell."""
        with self._scope(name):
            return self._assert_non_singular()

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = linalg.svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        return checks.assert_less(
            condition, self._largest_condition(), message="Singular matrix up to precision epsilon."
        )

    def _largest_condition(self) -> Any:
        with name_scope("max_nonsingular_condition_number"):
            epsilon = np.finfo(self.dtype.as_numpy_dtype).eps
            sizes = [cast(self.range_dimension_tensor(), self.dtype), cast(self.domain_dimension_tensor(), self.dtype)]
            return 1.0 / (cast(reduce_max([100.0, *sizes]), self.dtype) * epsilon)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Return an operation that fails if it is not positive definite."""
        with self._scope(name):
            return self._assert_positive_definite()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        diagonal = matrix_diag_part(apply_op("Cholesky", self.to_dense()))
        return checks.assert_positive(diagonal, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Return an operation that fails if it is not its own adjoint."""
        with self._scope(name):
            return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        said = "Matrix was not equal to its adjoint."
        return checks.assert_equal(dense, linalg.adjoint(dense), message=said)

    def _check_input_dtype(self, arg: Any) -> None:
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}")

    def _can_use_cholesky(self) -> bool | None:
        return self.is_self_adjoint and self.is_positive_definite

    # Products

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    def _pair(self, other: LinearOperator, adjoint: bool, adjoint_arg: bool, what: str) -> tuple[Any, Any]:
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if (right.range_dimension != left.domain_dimension) is True:
            raise ValueError(
                f"Operators are incompatible. Expected `{what}` to have dimension {left.domain_dimension} but got "
                f"{right.range_dimension}."
            )
        return left, right

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """Return the product with a matrix [..., columns, n], or with another operator as an operator."""
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg, "x")
            with self._scope(name):
                return self._linop_matmul(left, right)
        with self._scope(name):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            own = dimension_at_index(self.shape, -2 if adjoint else -1)
            own.assert_is_compatible_with(dimension_at_index(x.shape, -1 if adjoint_arg else -2))
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        if hasattr(right, "_ones_diag") and not hasattr(right, "multiplier"):
            return left
        if hasattr(right, "_zeros_diag"):
            if not right.is_square or not left.is_square:
                raise ValueError(
                    "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at "
                    "this time."
                )
            return right
        return _composition([left, right], left, right)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Return the product with a vector [..., columns]."""
        with self._scope(name):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            own = dimension_at_index(self.shape, -2 if adjoint else -1)
            own.assert_is_compatible_with(dimension_at_index(x.shape, -1))
            return self._matvec(x, adjoint=adjoint)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return squeeze(self.matmul(expand_dims(x, axis=-1), adjoint=adjoint), axis=-1)

    # Determinants

    def _check_square(self) -> None:
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def determinant(self, name: str = "det") -> Tensor:
        """Return the determinant. Raises: NotImplementedError if it is not square."""
        self._check_square()
        with self._scope(name):
            return self._determinant()

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return math_elementwise.exp(self.log_abs_determinant())
        return apply_op("MatrixDeterminant", self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """Return the logarithm of the determinant's absolute value. Raises: NotImplementedError if it is not square."""
        self._check_square()
        with self._scope(name):
            return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = matrix_diag_part(apply_op("Cholesky", self.to_dense()))
            return 2 * reduce_sum(apply_op("Log", diagonal), axis=[-1])
        return apply_op("LogMatrixDeterminant", self.to_dense())[1]

    # Solutions

    def _dense_solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self.is_square is False:
            raise NotImplementedError("Solve is not yet implemented for non-square operators.")
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return linalg.cholesky_solve(apply_op("Cholesky", self.to_dense()), rhs)
        return parts.solve_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self) -> None:
        for bad, what in ((self.is_non_singular, "be singular"), (self.is_square, "not be square")):
            if bad is False:
                raise NotImplementedError(f"Exact solve not implemented for an operator that is expected to {what}.")

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """Return the x whose product is `rhs`, [..., rows, n], or an operator if `rhs` is one.

        Raises: NotImplementedError if it is singular or not square.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            with self._scope(name):
                return self._linop_solve(left, right)
        with self._scope(name):
            rhs = convert_to_tensor(rhs, name="rhs")
            self._check_input_dtype(rhs)
            own = dimension_at_index(self.shape, -1 if adjoint else -2)
            own.assert_is_compatible_with(dimension_at_index(rhs.shape, -1 if adjoint_arg else -2))
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_solve(self, left: Any, right: Any) -> Any:
        if hasattr(right, "_ones_diag") and not hasattr(right, "multiplier"):
            return left.inverse()
        from icefloe.lib.linear_operator_products import LinearOperatorInversion

        return _composition([LinearOperatorInversion(left), right], left, right)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Return the x whose product is the vector `rhs`, [..., rows]."""
        with self._scope(name):
            rhs = convert_to_tensor(rhs, name="rhs")
            self._check_input_dtype(rhs)
            own = dimension_at_index(self.shape, -1 if adjoint else -2)
            own.assert_is_compatible_with(dimension_at_index(rhs.shape, -1))
            return self._solvevec(rhs, adjoint=adjoint)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, axis=-1), adjoint=adjoint), axis=-1)

    # Operators made of it

    def adjoint(self, name: str = "adjoint") -> Any:
        """Return the adjoint, itself if it is self-adjoint."""
        if self.is_self_adjoint is True:
            return self
        with self._scope(name):
            return self._linop_adjoint()

    @property
    def H(self) -> Any:
        """The adjoint."""
        return self.adjoint()

    def _linop_adjoint(self) -> Any:
        from icefloe.lib.linear_operator_products import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self, **parts.kept_hints(self))

    def inverse(self, name: str = "inverse") -> Any:
        """Return the inverse. Raises: ValueError if it is singular or not square."""
        for bad, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if bad is False:
                raise ValueError(f"Cannot take the Inverse: This operator represents a {what} matrix.")
        with self._scope(name):
            return self._linop_inverse()

    def _linop_inverse(self) -> Any:
        from icefloe.lib.linear_operator_products import LinearOperatorInversion

        return LinearOperatorInversion(self, **parts.kept_hints(self))

    def cholesky(self, name: str = "cholesky") -> Any:
        """Return the lower triangular operator whose product with its adjoint is this one.

        Raises: ValueError if it is not known to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._scope(name):
            return self._linop_cholesky()

    def _linop_cholesky(self) -> Any:
        from icefloe.lib.linear_operator_dense import LinearOperatorLowerTriangular

        factor = apply_op("Cholesky", self.to_dense())
        return LinearOperatorLowerTriangular(factor, is_non_singular=True, is_self_adjoint=False, is_square=True)

    # Dense values

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """Return the matrix."""
        with self._scope(name):
            return self._to_dense()

    def _to_dense(self) -> Any:
        batch: Any = self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()
        known = dimension_value(self.domain_dimension)
        n = self.domain_dimension_tensor() if known is None else known
        return self.matmul(linalg.eye(num_rows=n, batch_shape=batch, dtype=self.dtype))

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """Return the diagonal."""
        with self._scope(name):
            return self._diag_part()

    def _diag_part(self) -> Any:
        return matrix_diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Tensor:
        """Return the sum of the diagonal."""
        with self._scope(name):
            return self._trace()

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), axis=-1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """Return the sum with a matrix."""
        with self._scope(name):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            return self._add_to_tensor(x)

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """Return the eigenvalues. Raises: NotImplementedError if it is not known to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def _eigvals(self) -> Any:
        return linalg.self_adjoint_eigvals(self.to_dense())

    def cond(self, name: str = "cond") -> Tensor:
        """Return the condition number: the largest singular value over the least."""
        with self._scope(name):
            return self._cond()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = math_elementwise.abs(self._eigvals())
        else:
            values = linalg.svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def __getitem__(self, slices: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}[...]: a batch of operators is not cut into parts.")


def _composition(operators: list[Any], left: Any, right: Any) -> Any:
    from icefloe.lib.linear_operator_products import LinearOperatorComposition

    square = parts.both_square(left, right)
    return LinearOperatorComposition(
        operators=operators,
        is_non_singular=parts.both_non_singular(left, right) if square else (False if square is False else None),
        is_self_adjoint=False if square is False else None,
        is_positive_definite=False if square is False else None,
        is_square=square,
    )
