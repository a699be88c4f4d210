"""Operators made of others: adjoint, inverse, composition, Kronecker product.

Source: tensorflow/python/ops/linalg/linear_operator_adjoint.py, linear_operator_inversion.py,
linear_operator_composition.py, linear_operator_kronecker.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    expand_dims,
    matrix_transpose,
    reshape,
)
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import assert_proper_iterable
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import group
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.linear_operator_dense import LinearOperatorLowerTriangular
from icefloe.lib.math_cast import cast
from icefloe.shapes import TensorShape

_WORDS = {
    "is_square": "square",
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive-definite",
}


def _same_hints(operator: LinearOperator, given: dict[str, bool | None], what: str) -> dict[str, Any]:
    """Return the hints of an operator that is this and that exactly if `operator` is."""
    return {
        hint: parts.known_hint(
            operator, hint, given[hint], f"An operator is {word} if and only if its {what} is {word}."
        )
        for hint, word in _WORDS.items()
    }


class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of `operator`. Raises: ValueError if a hint contradicts it."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        self._operator = operator
        hints = _same_hints(operator, parameters, "adjoint")
        name = name or operator.name + "_adjoint"
        with name_scope(name):
            super().__init__(dtype=operator.dtype, parameters=parameters, name=name, **hints)

    @property
    def operator(self) -> Any:
        """The operator whose adjoint it is."""
        return self._operator

    def _linop_adjoint(self) -> Any:
        return self._operator

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()

    def _shape(self) -> TensorShape:
        known = self._operator.shape
        return known[:-2].concatenate([known[-1], known[-2]])

    def _shape_tensor(self) -> Tensor:
        sizes = self._operator.shape_tensor()
        return concat([sizes[:-2], [sizes[-1], sizes[-2]]], axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _determinant(self) -> Any:
        found = self._operator.determinant()
        return found if self.is_self_adjoint else math_elementwise.conj(found)

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        found = self._operator.trace()
        return found if self.is_self_adjoint else math_elementwise.conj(found)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else linalg.adjoint(dense)

    def _eigvals(self) -> Any:
        found = self._operator.eigvals()
        return found if self._operator.is_self_adjoint else math_elementwise.conj(found)

    def _cond(self) -> Any:
        return self._operator.cond()


class LinearOperatorInversion(LinearOperator):
    """The inverse of `operator`. Raises: ValueError if that is singular or not square, or a hint contradicts it."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        self._operator = operator
        for hint in ("is_non_singular", "is_square"):
            own = getattr(operator, hint)
            if own is False or parameters[hint] is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or "
                    f"`None`. Found `operator.{hint}`: {own}, `{hint}`: {parameters[hint]}."
                )
        hints = _same_hints(operator, parameters, "inverse")
        name = name or operator.name + "_inv"
        with name_scope(name):
            super().__init__(dtype=operator.dtype, parameters=parameters, name=name, **hints)

    @property
    def operator(self) -> Any:
        """The operator whose inverse it is."""
        return self._operator

    def _linop_inverse(self) -> Any:
        return self._operator

    def _linop_solve(self, left: Any, right: Any) -> Any:
        return left.operator.matmul(right)

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Tensor:
        return self._operator.shape_tensor()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _eigvals(self) -> Any:
        return 1.0 / self._operator.eigvals()

    def _cond(self) -> Any:
        return self._operator.cond()


class LinearOperatorComposition(LinearOperator):
    """The product of `operators`, the last of which is applied first.

    Raises: TypeError, ValueError if they do not fit.
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        assert_proper_iterable(operators)
        self._operators = list(operators)
        dtype = parts.check_same_dtype(self._operators)
        is_non_singular = parts.implied(
            is_non_singular,
            all(o.is_non_singular for o in self._operators),
            "The composition of non-singular operators is always non-singular.",
        )
        symmetric = parts.is_product_with_adjoint(self._operators)
        alone = len(self._operators) == 1 and bool(self._operators[0].is_self_adjoint)
        is_self_adjoint = parts.implied(
            is_self_adjoint,
            alone or symmetric,
            "The composition was determined to be self-adjoint but user provided incorrect `False` hint.",
        )
        is_square = parts.implied(
            is_square,
            symmetric,
            "The composition was determined have the form A @ A.H, hence it must be square. The user provided an "
            "incorrect `False` hint.",
        )
        is_positive_definite = parts.implied(
            is_positive_definite,
            symmetric and bool(is_non_singular),
            "The composition was determined to be non-singular and have the form A @ A.H, hence it must be "
            "positive-definite. The user provided an incorrect `False` hint.",
        )
        name = name or "_o_".join(o.name for o in self._operators)
        with name_scope(name):
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, None, *hints, name, parameters)

    @property
    def operators(self) -> list[Any]:
        """The operators multiplied."""
        return self._operators

    def _shape(self) -> TensorShape:
        columns = self._operators[0].domain_dimension
        for o in self._operators[1:]:
            columns.assert_is_compatible_with(o.range_dimension)
            columns = o.domain_dimension
        matrix = TensorShape([self._operators[0].range_dimension, columns])
        return parts.common_batch_shape(self._operators).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        matrix = stack([self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()])
        return concat((_batch_when_run(self._operators), matrix), 0)

    def _linop_cholesky(self) -> Any:
        first = self._operators[0]
        if not (
            len(self._operators) == 2
            and parts.is_product_with_adjoint(self._operators)
            and isinstance(first, LinearOperatorLowerTriangular)
        ):
            return super()._linop_cholesky()
        if first.is_positive_definite:
            return first
        sign = expand_dims(math_elementwise.sign(first.diag_part()), axis=-2)
        hints = parts.kept_hints(first) | {"is_positive_definite": None, "is_square": True}
        return LinearOperatorLowerTriangular(tril=first.tril / sign, **hints)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators if adjoint else reversed(self._operators)
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in others:
            result = o.matmul(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        result = self._operators[0].determinant()
        for o in self._operators[1:]:
            result = result * o.determinant()
        return result

    def _log_abs_determinant(self) -> Any:
        result = self._operators[0].log_abs_determinant()
        for o in self._operators[1:]:
            result = result + o.log_abs_determinant()
        return result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = reversed(self._operators) if adjoint else self._operators
        solution = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in others:
            solution = o.solve(solution, adjoint=adjoint)
        return solution

    def _assert_non_singular(self) -> Any:
        if all(o.is_square for o in self._operators):
            return group([o.assert_non_singular() for o in self._operators])
        return super()._assert_non_singular()


def _batch_when_run(operators: Sequence[LinearOperator]) -> Tensor:
    """Return the batch shape of all operators as that of a sum of zeros."""
    total = zeros(shape=operators[0].batch_shape_tensor())
    for o in operators[1:]:
        total = total + zeros(shape=o.batch_shape_tensor())
    return shape_of(total)


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of `operators`.

    Raises: TypeError, ValueError if they do not fit or hints contradict them.
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        assert_proper_iterable(operators)
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {self._operators}.")
        dtype = parts.check_same_dtype(self._operators)
        hints: dict[str, Any] = {"is_square": is_square}
        for hint, word in list(_WORDS.items())[1:]:
            hints[hint] = parts.implied(
                parameters[hint],
                all(getattr(o, hint) for o in self._operators),
                f"The Kronecker product of {word} operators is always {word}. Expected argument `{hint}` to be True. "
                f"Received: {parameters[hint]}.",
            )
        name = name or "_x_".join(o.name for o in self._operators)
        with name_scope(name):
            super().__init__(dtype=dtype, parameters=parameters, name=name, **hints)

    @property
    def operators(self) -> list[Any]:
        """The operators multiplied."""
        return self._operators

    def _shape(self) -> TensorShape:
        rows, columns = self._operators[0].range_dimension, self._operators[0].domain_dimension
        for o in self._operators[1:]:
            rows, columns = rows * o.range_dimension, columns * o.domain_dimension
        return parts.common_batch_shape(self._operators).concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> Tensor:
        first, *others = self._operators
        columns: Any = first.domain_dimension_tensor()
        for o in others:
            columns = columns * o.domain_dimension_tensor()
        rows: Any = first.range_dimension_tensor()
        for o in others:
            rows = rows * o.range_dimension_tensor()
        batch: Any = first.batch_shape_tensor()
        for o in others:
            batch = broadcast_dynamic_shape(batch, o.batch_shape_tensor())
        return concat((batch, [rows, columns]), 0)

    def _of_each(self, how: str) -> list[Any]:
        return [getattr(o, how)() for o in self._operators]

    def _linop_adjoint(self) -> Any:
        return LinearOperatorKronecker(self._of_each("adjoint"), **parts.kept_hints(self) | {"is_square": True})

    def _linop_cholesky(self) -> Any:
        return LinearOperatorKronecker(self._of_each("cholesky"), is_non_singular=True, is_square=True)

    def _linop_inverse(self) -> Any:
        return LinearOperatorKronecker(self._of_each("inverse"), **parts.kept_hints(self) | {"is_square": True})

    def _through_factors(self, how: str, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        """Multiply or solve by one factor after the other, each along its own part of the columns."""
        if adjoint_arg:
            output = math_elementwise.conj(x) if self.dtype.is_complex else x
        else:
            output = matrix_transpose(x)
        for o in reversed(self._operators):
            size: Any = o.range_dimension_tensor() if adjoint else o.domain_dimension_tensor()
            sizes = _static_or_run(output)
            known = get_static_value(size)
            if known is not None:
                size = int(known)
                count: Any = sizes[-2] * sizes[-1] // size
            else:
                count = cast(sizes[-2] * sizes[-1] // size, datatypes.int32)
            output = reshape(output, _followed_by(sizes[:-2], [count, size]))
            if self.dtype.is_complex:
                output = math_elementwise.conj(output)
            output = getattr(o, how)(output, adjoint=adjoint, adjoint_arg=True)
        columns = _static_or_run(x)[-2 if adjoint_arg else -1]
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        output = reshape(output, _followed_by(_static_or_run(output)[:-2], [rows, columns]))
        if x.shape.is_fully_defined():
            count = x.shape[-2 if adjoint_arg else -1]
            batch = broadcast_static_shape(x.shape[:-2], self.batch_shape)
            own = self.domain_dimension if adjoint else self.range_dimension
            output.set_shape(batch.concatenate([own, count]))
        return output

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_factors("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_factors("solve", rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        total = self.domain_dimension_tensor()
        result: Any = 1.0
        for o in self._operators:
            own = o.determinant()
            power = cast(total / o.domain_dimension_tensor(), dtype=o.dtype)
            result = result * own**power
        return result

    def _log_abs_determinant(self) -> Any:
        total = self.domain_dimension_tensor()
        result: Any = 0.0
        for o in self._operators:
            own = o.log_abs_determinant()
            times = cast(total / o.domain_dimension_tensor(), dtype=o.dtype)
            result = result + own * times
        return result

    def _trace(self) -> Any:
        result: Any = 1.0
        for o in self._operators:
            result = result * o.trace()
        return result

    def _diag_part(self) -> Any:
        result: Any = self._operators[0].diag_part()
        for o in self._operators[1:]:
            result = result[..., :, None] * o.diag_part()[..., None, :]
            result = reshape(result, concat([shape_of(result)[:-2], [-1]], axis=0))
        sizes = [self.domain_dimension.value, self.range_dimension.value]
        result.set_shape(self.batch_shape.concatenate([None if None in sizes else min(sizes)]))
        return result

    def _to_dense(self) -> Any:
        product: Any = self._operators[0].to_dense()
        for o in self._operators[1:]:
            product = product[..., :, None, :, None] * o.to_dense()[..., None, :, None, :]
            sizes = _static_or_run(product)
            matrix = [sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]]
            product = reshape(product, _followed_by(sizes[:-4], matrix))
        product.set_shape(self.shape)
        return product

    def _eigvals(self) -> Any:
        first, *others = self._of_each("eigvals")
        product = first
        for values in others:
            product = product[..., None] * values[..., None, :]
            product = reshape(product, concat([shape_of(product)[:-2], [-1]], axis=0))
        product.set_shape(self.shape[:-1])
        return product

    def _check_factors_square(self) -> None:
        if not all(o.is_square for o in self._operators):
            raise errors.InvalidArgumentError(
                "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square` to "
                "be True for every operator in argument `operators`."
            )

    def _assert_non_singular(self) -> Any:
        self._check_factors_square()
        return group(self._of_each("assert_non_singular"))

    def _assert_self_adjoint(self) -> Any:
        self._check_factors_square()
        return group(self._of_each("assert_self_adjoint"))


def _static_or_run(x: Tensor) -> Any:
    """Return the shape: a list where it is known, else a tensor."""
    return x.shape.as_list() if x.shape.is_fully_defined() else shape_of(x)


def _followed_by(first: Any, sizes: list[Any]) -> Any:
    known = [get_static_value(n) if isinstance(n, Tensor) else n for n in sizes]
    if isinstance(first, list) and None not in known:
        return [*first, *(int(n) for n in known)]
    return concat([first, sizes], axis=0)
