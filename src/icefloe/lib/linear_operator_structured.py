"""Operators whose structure says how to multiply: reflections, permutations, three diagonals, low-rank updates.

Source: tensorflow/python/ops/linalg/linear_operator_householder.py, linear_operator_permutation.py,
linear_operator_tridiag.py, linear_operator_low_rank_update.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import ones, zeros
from icefloe.lib.array_diagonal import matrix_diag_part, matrix_set_diag
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import broadcast_dynamic_shape, broadcast_static_shape, expand_dims, reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import group, no_op
from icefloe.lib.linalg_factors import tridiagonal_solve
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.linear_operator_diagonal import LinearOperatorDiag, LinearOperatorIdentity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_range import range, roll
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.math_segment import argsort
from icefloe.lib.nn_normalization import l2_normalize
from icefloe.shapes import Dimension, TensorShape, dimension_at_index, dimension_value


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane that `reflection_axis` is normal to. Raises: ValueError if hints contradict that."""

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[reflection_axis]):
            self._reflection_axis = parts.as_tensor(reflection_axis, name="reflection_axis")
            known = self._reflection_axis.shape
            if known.ndims is not None and known.ndims < 1:
                raise ValueError(
                    f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis}"
                )
            if is_self_adjoint is False:
                raise ValueError("A Householder operator is always self adjoint.")
            if is_positive_definite is True:
                raise ValueError("A Householder operator is always non-positive definite.")
            if is_square is False:
                raise ValueError("A Householder operator is always square.")
            dtype = self._reflection_axis.dtype
            super().__init__(dtype, None, is_non_singular, True, False, True, name, parameters)

    @property
    def reflection_axis(self) -> Any:
        """The normal of the plane."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        known: TensorShape = self._reflection_axis.shape
        return known.concatenate(known[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = shape_of(self._reflection_axis)
        return concat((sizes, [sizes[-1]]), 0)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError("Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _linop_adjoint(self) -> Any:
        return self

    def _linop_inverse(self) -> Any:
        return self

    def _normal(self) -> Tensor:
        return l2_normalize(convert_to_tensor(self.reflection_axis), axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        axis = convert_to_tensor(self.reflection_axis)
        x = linalg.adjoint(x) if adjoint_arg else x
        normal = l2_normalize(axis, axis=-1)[..., None]
        along = matmul(normal, x, adjoint_a=True)
        return x - 2 * normal * along

    def _trace(self) -> Any:
        sizes = self.shape_tensor()
        rows = cast(self._domain_dimension_tensor(shape=sizes) - 2, self.dtype)
        return rows * ones(shape=self._batch_shape_tensor(shape=sizes), dtype=self.dtype)

    def _determinant(self) -> Any:
        return -ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        normal = self._normal()[..., None]
        matrix = -2 * matmul(normal, normal, adjoint_b=True)
        return matrix_set_diag(matrix, 1.0 + matrix_diag_part(matrix))

    def _diag_part(self) -> Any:
        normal = self._normal()
        return 1.0 - 2 * normal * math_elementwise.conj(normal)

    def _eigvals(self) -> Any:
        sizes = shape_of(self.reflection_axis)
        of_ones = concat([sizes[:-1], [sizes[-1] - 1]], axis=-1)
        of_minus = concat([sizes[:-1], [1]], axis=-1)
        plus = ones(shape=of_ones, dtype=self.dtype)
        return concat([-ones(shape=of_minus, dtype=self.dtype), plus], axis=-1)

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorPermutation(LinearOperator):
    """The matrix whose row i has its one in column `perm[i]`. Raises: TypeError, ValueError if it is no permutation."""

    def __init__(
        self,
        perm: Any,
        dtype: Any = datatypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[perm]):
            self._perm = parts.as_tensor(perm, name="perm")
            self._check()
            for hint, word in (("is_non_singular", "non-singular"), ("is_square", "square")):
                if parameters[hint] is False:
                    raise ValueError(
                        f"A Permutation operator is always {word}. Expected argument `{hint}` to be True. Received: "
                        "False."
                    )
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
            super().__init__(dtype, None, *hints, name, parameters)

    def _check(self) -> None:
        if self._perm.shape.ndims is not None and self._perm.shape.ndims < 1:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {self._perm}.")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {self._perm}.")
        known = get_static_value(self._perm)
        if known is not None and np.any(np.sort(known, axis=-1) != np.arange(known.shape[-1])):
            raise ValueError(f"Argument `perm` must be a vector of unique integers from 0 to {known.shape[-1] - 1}.")

    @property
    def perm(self) -> Any:
        """The column of each row's one."""
        return self._perm

    def _shape(self) -> TensorShape:
        known: TensorShape = self._perm.shape
        return known.concatenate(known[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = shape_of(self._perm)
        return concat((sizes, [sizes[-1]]), 0)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _domain_dimension_tensor(self, shape: Any = None) -> Tensor:
        return shape_of(self.perm if shape is None else shape)[-1]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        perm: Any = convert_to_tensor(self.perm)
        if adjoint and not self.is_self_adjoint:
            perm = argsort(perm, axis=-1)
        x = linalg.adjoint(x) if adjoint_arg else x
        rows = broadcast_dynamic_shape(shape_of(x)[:-1], shape_of(perm))
        columns = shape_of(x)[-1]
        full = concat([rows, [columns]], axis=-1)
        x = apply_op("BroadcastTo", x, full)
        perm = apply_op("BroadcastTo", perm, rows)
        count = shape_of(x)[-2]
        x = reshape(x, [-1, count, columns])
        perm = reshape(perm, [-1, count])
        return reshape(gather(x, perm, axis=-2, batch_dims=1), full)

    def _log_abs_determinant(self) -> Any:
        return zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        perm = convert_to_tensor(self.perm)
        columns = range(0, self._domain_dimension_tensor(perm))
        return cast(math_elementwise.equal(columns, perm[..., None]), self.dtype)

    def _diag_part(self) -> Any:
        perm = convert_to_tensor(self.perm)
        return cast(math_elementwise.equal(range(0, self._domain_dimension_tensor(perm)), perm), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorTridiag(LinearOperator):
    """The square matrix of three diagonals, the upper one first.

    diagonals_format: compact ([..., 3, n]), sequence (three tensors [..., n]) or matrix ([..., n, n]).

    Raises: ValueError for another format.
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[diagonals]):
            if diagonals_format not in ("compact", "matrix", "sequence"):
                raise ValueError(
                    "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received : "
                    f"{diagonals_format}."
                )
            self._diagonals: Any
            if diagonals_format == "sequence":
                self._diagonals = [parts.as_tensor(d, name=f"diag_{i}") for i, d in enumerate(diagonals)]
                dtype = self._diagonals[0].dtype
            else:
                self._diagonals = parts.as_tensor(diagonals, name="diagonals")
                dtype = self._diagonals.dtype
            self._diagonals_format = diagonals_format
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, None, *hints, name, parameters)

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How the diagonals were given."""
        return self._diagonals_format

    def _shape(self) -> TensorShape:
        d = self._diagonals
        if self._diagonals_format == "matrix":
            whole: TensorShape = d.shape
            return whole
        if self._diagonals_format == "compact":
            known: TensorShape = d.shape[:-2].concatenate(d.shape[-1:])
        else:
            batch = broadcast_static_shape(d[0].shape[:-1], d[1].shape[:-1])
            known = broadcast_static_shape(batch, d[2].shape[:-1]).concatenate(d[1].shape[-1:])
        return known.concatenate(known[-1:])

    def _shape_tensor(self, diagonals: Any = None) -> Tensor:
        d = self._diagonals if diagonals is None else diagonals
        if self._diagonals_format == "matrix":
            return shape_of(d)
        if self._diagonals_format == "compact":
            sizes: Any = shape_of(d[..., 0, :])
        else:
            own = self._diagonals
            batch = broadcast_dynamic_shape(shape_of(own[0])[:-1], shape_of(own[1])[:-1])
            batch = broadcast_dynamic_shape(batch, shape_of(own[2])[:-1])
            sizes = concat([batch, [shape_of(own[1])[-1]]], axis=0)
        return concat([sizes, [sizes[-1]]], axis=-1)

    def _assert_self_adjoint(self) -> Any:
        d = self._diagonals
        on = "This tridiagonal operator contained non-zero imaginary values on the diagonal."
        off = "This tridiagonal operator has non-conjugate subdiagonal and superdiagonal."
        if self._diagonals_format == "matrix":
            said = "Matrix was not equal to its adjoint."
            return group([checks.assert_equal(d, linalg.adjoint(d), message=said)])
        if self._diagonals_format == "compact":
            d = convert_to_tensor(d)
            upper, middle, lower = (d[..., i, :] for i in (0, 1, 2))
        else:
            upper, middle, lower = d
        found = [parts.assert_real(middle, on)]
        below = roll(lower, shift=-1, axis=-1)
        found.append(checks.assert_equal(math_elementwise.conj(below[..., :-1]), upper[..., :-1], message=off))
        return group(found)

    def _adjoint_diagonals(self, d: Any) -> Any:
        if self._diagonals_format == "sequence":
            turned = [math_elementwise.conj(x) for x in reversed(d)]
            turned[0] = roll(turned[0], shift=-1, axis=-1)
            turned[2] = roll(turned[2], shift=1, axis=-1)
            return turned
        if self._diagonals_format == "matrix":
            return linalg.adjoint(d)
        upper, middle, lower = unstack(math_elementwise.conj(d), num=3, axis=-2)
        new_upper = roll(lower, shift=-1, axis=-1)
        new_lower = roll(upper, shift=1, axis=-1)
        return stack([new_upper, middle, new_lower], axis=-2)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        d = self._adjoint_diagonals(self._diagonals) if adjoint else self._diagonals
        x = linalg.adjoint(x) if adjoint_arg else x
        return linalg.tridiagonal_matmul(d, x, diagonals_format=self._diagonals_format)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        d = self._adjoint_diagonals(self._diagonals) if adjoint else self._diagonals
        given = shape_of(rhs)
        n = self._shape_tensor(d)[-1]
        batch = broadcast_dynamic_shape(self._shape_tensor(d)[:-2], given[:-2])

        def spread(x: Any, inner: Any) -> Any:
            return apply_op("BroadcastTo", x, concat([batch, inner], axis=-1))

        rhs = spread(rhs, given[-2:])
        if self._diagonals_format == "sequence":
            d = [spread(x, [n]) for x in d]
        else:
            d = spread(d, [n, n] if self._diagonals_format == "matrix" else [3, n])
        return tridiagonal_solve(
            d,
            rhs,
            diagonals_format=self._diagonals_format,
            transpose_rhs=adjoint_arg,
            conjugate_rhs=adjoint_arg,
        )

    def _diag_part(self) -> Any:
        if self._diagonals_format == "matrix":
            return matrix_diag_part(self._diagonals)
        if self._diagonals_format == "sequence":
            return apply_op("BroadcastTo", self._diagonals[1], self.shape_tensor()[:-1])
        return self._diagonals[..., 1, :]

    def _to_dense(self) -> Any:
        d = self._diagonals
        if self._diagonals_format == "matrix":
            return d
        if self._diagonals_format == "sequence":
            d = stack([convert_to_tensor(x) for x in d], axis=-2)
        return apply_op("MatrixDiagV3", d, k=(-1, 1), num_rows=-1, num_cols=-1, align="LEFT_RIGHT", padding_value=0.0)


class LinearOperatorLowRankUpdate(LinearOperator):
    """`base_operator + u diag(diag_update) v^H`; v: default u; diag_update: default ones.

    Raises: ValueError if hints contradict each other or the shapes do not fit.
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = dict(locals())
        dtype = base_operator.dtype
        if diag_update is None:
            is_diag_update_positive = parts.implied(
                is_diag_update_positive,
                True,
                "Default diagonal is the identity, which is positive.  However, user set 'is_diag_update_positive' to "
                "False.",
            )
        based = base_operator.is_positive_definite and base_operator.is_self_adjoint
        self._use_cholesky = bool(based and is_diag_update_positive and v is None)
        is_self_adjoint = parts.implied(
            is_self_adjoint,
            bool(base_operator.is_self_adjoint) and v is None and not dtype.is_complex,
            "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a "
            "self-adjoint operator.",
        )
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        with name_scope(name):
            self._u = parts.as_tensor(u, name="u")
            self._v = self._u if v is None else parts.as_tensor(v, name="v")
            self._diag_update = parts.as_tensor(diag_update, name="diag_update")
            self._base_operator = base_operator
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, None, *hints, name, parameters)
            self._diag_operator: LinearOperator
            if diag_update is not None:
                self._diag_operator = LinearOperatorDiag(
                    self._diag_update, is_positive_definite=is_diag_update_positive
                )
            else:
                known = dimension_value(self._u.shape[-1])
                count = shape_of(self._u)[-1] if known is None else known
                self._diag_operator = LinearOperatorIdentity(num_rows=count, dtype=dtype)
            self._is_diag_update_positive = is_diag_update_positive
            self._check_shapes()

    def _check_shapes(self) -> None:
        both = broadcast_static_shape(self._u.shape, self._v.shape)
        batch = broadcast_static_shape(self._base_operator.batch_shape, both[:-2])
        Dimension(self._base_operator.domain_dimension).assert_is_compatible_with(both[-2])
        if self._diag_update is not None:
            dimension_at_index(both, -1).assert_is_compatible_with(self._diag_update.shape[-1])
            broadcast_static_shape(batch, self._diag_update.shape[:-1])

    @property
    def u(self) -> Any:
        """The left factor."""
        return self._u

    @property
    def v(self) -> Any:
        """The right factor."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal is positive, None if that is not known."""
        return self._is_diag_update_positive

    @property
    def diag_update(self) -> Any:
        """The diagonal, None for ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> Any:
        """The diagonal as an operator."""
        return self._diag_operator

    @property
    def base_operator(self) -> Any:
        """The operator that is updated."""
        return self._base_operator

    def _assert_self_adjoint(self) -> Any:
        if self._u is self._v and self._diag_update is None:
            return self._base_operator.assert_self_adjoint()
        return super()._assert_self_adjoint()

    def _shape(self) -> TensorShape:
        batch = broadcast_static_shape(self._base_operator.batch_shape, self._diag_operator.batch_shape)
        for factor in (self._u, self._v):
            batch = broadcast_static_shape(batch, factor.shape[:-2])
        return batch.concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self) -> Tensor:
        batch: Any = broadcast_dynamic_shape(
            self._base_operator.batch_shape_tensor(), self._diag_operator.batch_shape_tensor()
        )
        for factor in (self._u, self._v):
            batch = broadcast_dynamic_shape(batch, shape_of(factor)[:-2])
        return concat([batch, self._base_operator.shape_tensor()[-2:]], axis=0)

    def _factors(self) -> tuple[Any, Any]:
        u = convert_to_tensor(self._u)
        return u, u if self._v is self._u else convert_to_tensor(self._v)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        u, v = self._factors()
        leading = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        left, right = (v, u) if adjoint else (u, v)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        return leading + matmul(left, self._diag_operator.matmul(inner, adjoint=adjoint))

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return math_elementwise.exp(self.log_abs_determinant())
        u, v = self._factors()
        of_capacitance = apply_op("MatrixDeterminant", self._capacitance(u, v))
        of_diagonal = self._diag_operator.determinant()
        of_base = self._base_operator.determinant()
        return of_capacitance * of_diagonal * of_base

    def _diag_part(self) -> Any:
        u, v = self._factors()
        product = u * math_elementwise.conj(v)
        if self._diag_update is not None:
            product = product * expand_dims(self._diag_update, axis=-2)
        return reduce_sum(product, axis=-1) + self._base_operator.diag_part()

    def _log_abs_determinant(self) -> Any:
        u, v = self._factors()
        of_diagonal = self._diag_operator.log_abs_determinant()
        of_base = self._base_operator.log_abs_determinant()
        if self._use_cholesky:
            diagonal = matrix_diag_part(apply_op("Cholesky", self._capacitance(u, v)))
            of_capacitance: Any = 2 * reduce_sum(apply_op("Log", diagonal), axis=[-1])
        else:
            determinant = apply_op("MatrixDeterminant", self._capacitance(u, v))
            of_capacitance = apply_op("Log", math_elementwise.abs(determinant))
            if self.dtype.is_complex:
                of_capacitance = cast(of_capacitance, dtype=self.dtype)
        return of_capacitance + of_diagonal + of_base

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        factors = self._factors()
        u, v = reversed(factors) if adjoint else factors
        capacitance = self._capacitance(*factors)
        leading = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(v, leading, adjoint_a=True)
        if self._use_cholesky:
            solved = linalg.cholesky_solve(apply_op("Cholesky", capacitance), inner)
        else:
            solved = parts.solve_broadcast(capacitance, inner, adjoint=adjoint)
        return leading - base.solve(matmul(u, solved), adjoint=adjoint)

    def _capacitance(self, u: Any, v: Any) -> Any:
        """Return D^-1 + v^H L^-1 u, of the Woodbury identity."""
        inner = matmul(v, self._base_operator.solve(u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(inner)
