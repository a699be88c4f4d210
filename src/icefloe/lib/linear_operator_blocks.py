"""Operators made of blocks: on the diagonal, or in the lower triangle.

Source: tensorflow/python/ops/linalg/linear_operator_block_diag.py, linear_operator_block_lower_triangular.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import broadcast_dynamic_shape, expand_dims, squeeze
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import assert_proper_iterable
from icefloe.lib.control import group
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.linear_operator_dense import LinearOperatorFullMatrix
from icefloe.lib.linear_operator_diagonal import LinearOperatorScaledIdentity
from icefloe.lib.math_cast import cast
from icefloe.shapes import TensorShape


class _Blocks(LinearOperator):
    """What both kinds share: blocks on the diagonal, arguments that may come as one tensor for each block."""

    _diagonal: list[LinearOperator]

    def _rows(self) -> list[Any]:
        return [o.range_dimension for o in self._diagonal]

    def _columns(self) -> list[Any]:
        return [o.domain_dimension for o in self._diagonal]

    def _rows_when_run(self) -> list[Tensor]:
        return [o.range_dimension_tensor() for o in self._diagonal]

    def _columns_when_run(self) -> list[Tensor]:
        return [o.domain_dimension_tensor() for o in self._diagonal]

    def _read(self, x: Any, sizes: list[Any], axis: int, name: str, dimension: Any) -> Any:
        """Return the argument as a tensor, or as a list of one for each block."""
        if parts.is_blockwise(sizes, x, axis):
            blocks = list(x)
            for i, given in enumerate(x):
                if not isinstance(given, LinearOperator):
                    block = convert_to_tensor(given)
                    self._check_input_dtype(block)
                    sizes[i].assert_is_compatible_with(block.shape[axis])
                    blocks[i] = block
            return blocks
        x = convert_to_tensor(x, name=name)
        self._check_input_dtype(x)
        dimension.assert_is_compatible_with(x.shape[axis])
        return x

    def _check_blocks(self, left: Any, right: Any, doing: str) -> None:
        """Check that two operators have blocks of the same sizes, where that matters. Raises: ValueError if not."""

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """Return the product with a matrix, a list of blocks, or another operator as an operator."""
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg, "x")
            self._check_blocks(left, right, "multiply two `LinearOperatorBlockDiag`s together")
            with self._scope(name):
                return self._linop_matmul(left, right)
        with self._scope(name):
            sizes = self._rows() if adjoint else self._columns()
            dimension = self.range_dimension if adjoint else self.domain_dimension
            x = self._read(x, sizes, -1 if adjoint_arg else -2, "x", dimension)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Return the product with a vector or a list of blocks."""
        with self._scope(name):
            sizes = self._rows() if adjoint else self._columns()
            dimension = self.range_dimension if adjoint else self.domain_dimension
            x = self._read(x, sizes, -1, "x", dimension)
            if isinstance(x, list):
                made = self.matmul([block[..., None] for block in x], adjoint=adjoint)
                return [squeeze(y, axis=-1) for y in made]
            return squeeze(self.matmul(x[..., None], adjoint=adjoint), axis=-1)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Return the x whose product is the vector, or the list of blocks, `rhs`."""
        with self._scope(name):
            sizes = self._columns() if adjoint else self._rows()
            dimension = self.domain_dimension if adjoint else self.range_dimension
            rhs = self._read(rhs, sizes, -1, "rhs", dimension)
            if isinstance(rhs, list):
                made = self.solve([expand_dims(block, axis=-1) for block in rhs], adjoint=adjoint)
                return [squeeze(x, axis=-1) for x in made]
            return squeeze(self.solve(expand_dims(rhs, axis=-1), adjoint=adjoint), axis=-1)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """Return the x whose product is `rhs`: a matrix, a list of blocks, or an operator.

        Raises: NotImplementedError if it is singular or not square.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            self._check_blocks(left, right, "solve `LinearOperatorBlockDiag`")
            with self._scope(name):
                return self._linop_solve(left, right)
        with self._scope(name):
            sizes = self._columns() if adjoint else self._rows()
            axis = -1 if adjoint_arg else -2
            dimension = self.domain_dimension if adjoint else self.range_dimension
            rhs = self._read(rhs, sizes, axis, "rhs", dimension)
            solutions = self._solve_blocks(rhs, adjoint, adjoint_arg, axis)
            return solutions if isinstance(rhs, list) else self._joined(solutions)

    def _solve_blocks(self, rhs: Any, adjoint: bool, adjoint_arg: bool, axis: int) -> list[Any]:
        raise NotImplementedError("_solve_blocks is not implemented.")

    def _joined(self, blocks: list[Any]) -> Tensor:
        return concat(parts.broadcast_batches(blocks), axis=-2)

    def _joined_vectors(self, vectors: list[Any]) -> Tensor:
        return squeeze(self._joined([v[..., None] for v in vectors]), axis=-1)

    def _determinant(self) -> Any:
        result = self._diagonal[0].determinant()
        for o in self._diagonal[1:]:
            result = result * o.determinant()
        return result

    def _log_abs_determinant(self) -> Any:
        result = self._diagonal[0].log_abs_determinant()
        for o in self._diagonal[1:]:
            result = result + o.log_abs_determinant()
        return result

    def _diag_part(self) -> Any:
        return self._joined_vectors([o.diag_part() for o in self._diagonal])

    def _trace(self) -> Any:
        result = self._diagonal[0].trace()
        for o in self._diagonal[1:]:
            result = result + o.trace()
        return result

    def _eigvals(self) -> Any:
        return self._joined_vectors([o.eigvals() for o in self._diagonal])

    def _assert_non_singular(self) -> Any:
        return group([o.assert_non_singular() for o in self._diagonal])


class LinearOperatorBlockDiag(_Blocks):
    """The matrix with `operators` as blocks on its diagonal. Raises: TypeError, ValueError if hints contradict them."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        assert_proper_iterable(operators)
        self._diagonal = list(operators)
        dtype = parts.check_same_dtype(self._diagonal)
        hints: dict[str, Any] = {"is_square": is_square}
        words = {
            "is_non_singular": "non-singular",
            "is_self_adjoint": "self-adjoint",
            "is_positive_definite": "positive definite",
        }
        for hint, word in words.items():
            fact = all(getattr(o, hint) for o in self._diagonal)
            said = f"The direct sum of {word} operators is always {word}."
            hints[hint] = parts.implied(parameters[hint], fact, said)
        name = name or "_ds_".join(o.name for o in self._diagonal)
        with name_scope(name):
            super().__init__(dtype=dtype, parameters=parameters, name=name, **hints)

    @property
    def operators(self) -> list[Any]:
        """The blocks."""
        return self._diagonal

    def _shape(self) -> TensorShape:
        matrix = TensorShape([sum(self._rows()), sum(self._columns())])
        return parts.common_batch_shape(self._diagonal).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        columns, rows = sum(self._columns_when_run()), sum(self._rows_when_run())
        matrix = stack([rows, columns])
        total = zeros(shape=self._diagonal[0].batch_shape_tensor())
        for o in self._diagonal[1:]:
            total = total + zeros(shape=o.batch_shape_tensor())
        return concat((shape_of(total), matrix), 0)

    def _check_blocks(self, left: Any, right: Any, doing: str) -> None:
        if not (isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag)):
            return
        if len(left.operators) != len(right.operators):
            raise ValueError(f"Can not efficiently {doing} when number of blocks differ.")
        for a, b in zip(left.operators, right.operators):
            if (b.range_dimension != a.domain_dimension) is True:
                raise ValueError(
                    f"Blocks are incompatible. Expected `x` to have dimension {a.domain_dimension} but got "
                    f"{b.range_dimension}."
                )

    def _of_each(self, how: str) -> list[Any]:
        return [getattr(o, how)() for o in self._diagonal]

    def _linop_adjoint(self) -> Any:
        return LinearOperatorBlockDiag(self._of_each("adjoint"), **parts.kept_hints(self) | {"is_square": True})

    def _linop_cholesky(self) -> Any:
        return LinearOperatorBlockDiag(self._of_each("cholesky"), is_non_singular=True, is_square=True)

    def _linop_inverse(self) -> Any:
        return LinearOperatorBlockDiag(self._of_each("inverse"), **parts.kept_hints(self) | {"is_square": True})

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        if isinstance(right, LinearOperatorBlockDiag):
            blocks = [a.matmul(b) for a, b in zip(left.operators, right.operators)]
            return LinearOperatorBlockDiag(blocks, parts.both_non_singular(left, right), is_square=True)
        return super()._linop_matmul(left, right)

    def _linop_solve(self, left: Any, right: Any) -> Any:
        if isinstance(right, LinearOperatorBlockDiag):
            blocks = [a.solve(b) for a, b in zip(left.operators, right.operators)]
            return LinearOperatorBlockDiag(blocks, parts.both_non_singular(left, right), is_square=True)
        return super()._linop_solve(left, right)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = x
        if not isinstance(x, list):
            sizes = self._rows() if adjoint else self._columns()
            run = self._rows_when_run if adjoint else self._columns_when_run
            blocks = parts.cut(sizes, run, x, axis=-1 if adjoint_arg else -2)
        made = [o.matmul(block, adjoint=adjoint, adjoint_arg=adjoint_arg) for o, block in zip(self._diagonal, blocks)]
        return made if isinstance(x, list) else self._joined(made)

    def _solve_blocks(self, rhs: Any, adjoint: bool, adjoint_arg: bool, axis: int) -> list[Any]:
        blocks = rhs
        if not isinstance(rhs, list):
            blocks = parts.cut(self._columns(), self._columns_when_run, rhs, axis=axis)
        pairs = zip(self._diagonal, blocks)
        return [o.solve(block, adjoint=adjoint, adjoint_arg=adjoint_arg) for o, block in pairs]

    def _check_square_blocks(self, what: str) -> None:
        if not all(o.is_square for o in self._diagonal):
            raise NotImplementedError(f"`{what}` not implemented for an operator whose blocks are not square.")

    def _diag_part(self) -> Any:
        self._check_square_blocks("diag_part")
        return super()._diag_part()

    def _trace(self) -> Any:
        self._check_square_blocks("trace")
        return super()._trace()

    def _eigvals(self) -> Any:
        self._check_square_blocks("eigvals")
        return super()._eigvals()

    def _to_dense(self) -> Any:
        columns: Any = 0
        rows = []
        for block in parts.broadcast_batches([o.to_dense() for o in self._diagonal]):
            lead = shape_of(block)[:-1]
            before = zeros(shape=concat([lead, [columns]], axis=-1), dtype=block.dtype)
            columns = columns + shape_of(block)[-1]
            rest = concat([lead, [self.domain_dimension_tensor() - columns]], axis=-1)
            after = zeros(shape=rest, dtype=block.dtype)
            rows.append(concat([before, block, after], axis=-1))
        matrix = concat(rows, axis=-2)
        matrix.set_shape(self.shape)
        return matrix

    def _assert_self_adjoint(self) -> Any:
        return group(self._of_each("assert_self_adjoint"))

    def _assert_positive_definite(self) -> Any:
        return group(self._of_each("assert_positive_definite"))


class LinearOperatorBlockLowerTriangular(_Blocks):
    """The square matrix with `operators[i][j]`, j up to i, as blocks.

    Raises: TypeError, ValueError if they do not fit.
    """

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = dict(locals())
        assert_proper_iterable(operators)
        for row in operators:
            assert_proper_iterable(row)
        self._operators = [list(row) for row in operators]
        if not self._operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {self._operators}.")
        self._diagonal = [row[-1] for row in self._operators]
        dtype = self._operators[0][0].dtype
        self._check_dtypes(dtype)
        is_non_singular = self._known_non_singular(is_non_singular)
        self._check_sizes()
        is_square = self._known_square(is_square)
        with name_scope(name):
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, None, *hints, name, parameters)

    def _check_dtypes(self, dtype: Any) -> None:
        for i, row in enumerate(self._operators):
            if any(o.dtype != dtype for o in row):
                kinds = [str((o.name, o.dtype)) for o in row]
                raise TypeError(
                    f"Expected all operators to have the same dtype.  Found {kinds} in row {i} and {dtype} in row 0."
                )

    def _known_non_singular(self, given: bool | None) -> bool | None:
        known = [o.is_non_singular for o in self._diagonal]
        if all(known):
            said = (
                "A blockwise lower-triangular operator with non-singular operators on the main diagonal is always "
                f"non-singular. Expected argument `is_non_singular` to be True. Received: {given}."
            )
            return parts.implied(given, True, said)
        if any(hint is False for hint in known):
            if given is True:
                raise ValueError(
                    "A blockwise lower-triangular operator with a singular operator on the main diagonal is always "
                    f"singular. Expected argument `is_non_singular` to be True. Received: {given}."
                )
            return False
        return None

    def _check_sizes(self) -> None:
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
                )
            for j, o in enumerate(row[:-1]):
                neighbours = (
                    ("domain_dimension", self._operators[i - 1][j], f"[{i - 1}][{j}]"),
                    ("range_dimension", row[j + 1], f"[{i}][{j + 1}]"),
                )
                for what, other, place in neighbours:
                    mine, its = getattr(o, what), getattr(other, what)
                    if (mine != its) is True:
                        raise ValueError(
                            f"Argument `operators[{i}][{j}].{what}` ({mine}) must be the same as "
                            f"`operators{place}.{what}` ({its})."
                        )

    def _known_square(self, given: bool | None) -> bool:
        if given is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument `is_square` to be True. "
                f"Received: {given}."
            )
        for i, o in enumerate(self._diagonal):
            if o.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the `operators` list) must "
                    f"be square. Expected argument `operators[{i}][-1].is_square` to be True. Received: {o.is_square}."
                )
        return True

    @property
    def operators(self) -> list[list[Any]]:
        """The blocks, row by row."""
        return self._operators

    def _all(self) -> list[Any]:
        return [o for row in self._operators for o in row]

    def _shape(self) -> TensorShape:
        matrix = TensorShape([sum(self._columns()), sum(self._rows())])
        return parts.common_batch_shape(self._all()).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        columns, rows = sum(self._columns_when_run()), sum(self._rows_when_run())
        matrix = stack([columns, rows])
        batch: Any = self._operators[0][0].batch_shape_tensor()
        for o in self._all()[1:]:
            batch = broadcast_dynamic_shape(batch, o.batch_shape_tensor())
        return concat((batch, matrix), 0)

    def _linop_inverse(self) -> Any:
        """Invert the upper left part first; what is below follows from it and the last block."""
        hints = parts.kept_hints(self) | {"is_square": True}
        if len(self._operators) == 1:
            return LinearOperatorBlockLowerTriangular([[self._operators[0][0].inverse()]], **hints)
        upper = LinearOperatorBlockLowerTriangular(self._operators[:-1]).inverse()
        bottom = self._operators[-1]
        corner = bottom[-1].inverse()
        count = len(self._operators) - 1
        row = []
        for i in range(count):
            total: Any = None
            for j in range(i, count):
                dense = bottom[j].matmul(upper.operators[j][i]).to_dense()
                total = dense if total is None else total + dense
            block = corner.matmul(LinearOperatorFullMatrix(total))
            minus = cast(-1, dtype=block.dtype)
            negative = LinearOperatorScaledIdentity(num_rows=corner.domain_dimension_tensor(), multiplier=minus)
            row.append(negative.matmul(block))
        row.append(corner)
        return LinearOperatorBlockLowerTriangular([*upper.operators, row], **hints)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = x
        if not isinstance(x, list):
            axis = -1 if adjoint_arg else -2
            blocks = parts.cut(self._columns(), self._columns_when_run, x, axis=axis)
        how: dict[str, Any] = {"adjoint": adjoint, "adjoint_arg": adjoint_arg}
        made = []
        for i, row in enumerate(self._operators):
            if adjoint:
                result = row[i].matmul(blocks[i], **how)
                for j in range(i + 1, len(self._operators)):
                    result = result + self._operators[j][i].matmul(blocks[j], **how)
            else:
                result = row[0].matmul(blocks[0], **how)
                for j, o in enumerate(row[1:], 1):
                    result = result + o.matmul(blocks[j], **how)
            made.append(result)
        return made if isinstance(x, list) else self._joined(made)

    def _determinant(self) -> Any:
        if all(o.is_positive_definite for o in self._diagonal):
            return math_elementwise.exp(self._log_abs_determinant())
        return super()._determinant()

    def _solve_blocks(self, rhs: Any, adjoint: bool, adjoint_arg: bool, axis: int) -> list[Any]:
        if isinstance(rhs, list):
            blocks = [linalg.adjoint(y) for y in rhs] if adjoint_arg else rhs
        else:
            rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
            blocks = parts.cut(self._columns(), self._columns_when_run, rhs, axis=-2)
        count = len(self._operators)
        solved: dict[int, Any] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            y = blocks[i]
            for j in reversed(range(i + 1, count)) if adjoint else range(i):
                o = self._operators[j][i] if adjoint else self._operators[i][j]
                y = y - o.matmul(solved[j], adjoint=adjoint)
            solved[i] = self._diagonal[i].solve(y, adjoint=adjoint)
        return [solved[i] for i in range(count)]

    def _to_dense(self) -> Any:
        blocks = parts.broadcast_batches([o.to_dense() for o in self._all()])
        columns: Any = 0
        rows = []
        for i in range(len(self._operators)):
            row = blocks[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2]
            lead = shape_of(row[0])[:-1]
            columns = columns + shape_of(row[-1])[-1]
            rest = concat([lead, [self.domain_dimension_tensor() - columns]], axis=-1)
            rows.append(concat([*row, zeros(shape=rest, dtype=self.dtype)], axis=-1))
        matrix = concat(rows, axis=-2)
        matrix.set_shape(self.shape)
        return matrix
