"""What the linear operators share: hints combined, shapes broadcast, arguments cut into blocks.

Source: tensorflow/python/ops/linalg/linear_operator_util.py, property_hint_util.py (nodes, names and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib.array_join import concat, split
from icefloe.lib.array_shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    matrix_transpose,
    reshape,
    transpose,
)
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import no_op
from icefloe.lib.nest import is_nested
from icefloe.lib.variable import Variable
from icefloe.shapes import TensorShape


def as_tensor(value: Any, name: str | None = None, dtype: Any = None) -> Any:
    """Return `value` as a tensor; a variable stays one, to be read when it is used."""
    if value is None or isinstance(value, Variable):
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


def is_reference(value: Any) -> bool:
    """Return whether `value` is read anew each time it is used."""
    return isinstance(value, Variable)


def check_no_reference(value: Any, argument: str) -> None:
    """Check that `value` is no variable. Raises: TypeError if it is."""
    if is_reference(value):
        raise TypeError(f"Argument {argument} cannot be reference type. Found: {type(value)}.")


def size_tensor(shape: Any, name: str | None = None) -> Tensor:
    """Return sizes as an integer tensor, int32 where there are none."""
    empty = isinstance(shape, (tuple, list)) and not shape
    tensor: Tensor = convert_to_tensor(shape, dtype=datatypes.int32 if empty else None, name=name)
    return tensor


def assert_no_zeros(x: Any, message: str) -> Any:
    """Return a check that no element of `x` is zero."""
    with name_scope("assert_no_entries_with_modulus_zero", values=[x]):
        x = convert_to_tensor(x, name="x")
        magnitude = math_elementwise.abs(x)
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return checks.assert_less(zero, magnitude, message=message)


def assert_real(x: Any, message: str) -> Any:
    """Return a check that the imaginary parts of `x` are zero."""
    with name_scope("assert_zero_imag_part", values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype.is_floating:
            return no_op()
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return checks.assert_equal(zero, math_elementwise.imag(x), message=message)


def assert_rows_fit(operator: Any, x: Tensor) -> Any:
    """Return a check that `x` has as many rows as the operator has columns."""
    return checks.assert_equal(
        shape_of(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this operator",
    )


def broadcast_batches(matrices: Iterable[Any]) -> list[Tensor]:
    """Return matrices whose batch dimensions are broadcast to the same."""
    with name_scope("broadcast_matrix_batch_dims", values=list(matrices)):
        made = [convert_to_tensor(m) for m in matrices]
        for m in made:
            if m.shape.ndims is not None and m.shape.ndims < 2:
                raise ValueError(f"Expected [batch] matrix to have at least two dimensions. Found: {m}.")
        if len(made) < 2:
            return made
        static = made[0].shape[:-2]
        for m in made[1:]:
            static = broadcast_static_shape(static, m.shape[:-2])
        if static.is_fully_defined():
            return [
                m
                if m.shape[:-2] == static
                else apply_op("BroadcastTo", m, concat([static.as_list(), shape_of(m)[-2:]], axis=0))
                for m in made
            ]
        common: Any = shape_of(made[0])[:-2]
        for m in made[1:]:
            common = broadcast_dynamic_shape(common, shape_of(m)[:-2])
        return [apply_op("BroadcastTo", m, concat([common, shape_of(m)[-2:]], axis=0)) for m in made]


def solve_broadcast(matrix: Any, rhs: Any, adjoint: bool = False) -> Tensor:
    """Return the solutions of systems whose batch dimensions are broadcast."""
    with name_scope(None, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix = convert_to_tensor(matrix, name="matrix")
        rhs = convert_to_tensor(rhs, name="rhs", dtype=matrix.dtype)
        matrix, rhs, undo, as_given = _one_matrix_for_all(matrix, rhs, adjoint)
        matrix, rhs = broadcast_batches([matrix, rhs])
        return undo(apply_op("MatrixSolve", matrix, rhs, adjoint=adjoint and as_given))


def _one_matrix_for_all(a: Tensor, b: Tensor, adjoint: bool) -> tuple[Tensor, Tensor, Callable[[Tensor], Tensor], bool]:
    """Put the batches of `b` that `a` lacks into its columns, where that is less work than broadcasting `a`."""
    if a.shape.ndims is None or b.shape.ndims is None or a.shape.ndims >= b.shape.ndims:
        return a, b, lambda x: x, True
    extra = b.shape.ndims - a.shape.ndims
    shape_of(b)[:extra], shape_of(b)[extra:]  # TensorFlow makes these nodes here, too
    domain = a.shape.as_list()[-2 if adjoint else -1]
    columns = b.shape.as_list()[-1]
    batch = b.shape[:extra].num_elements()
    if domain is not None and columns is not None and batch is not None and (batch < 2 or domain <= columns):
        return a, b, lambda x: x, True
    if adjoint:
        a = matrix_transpose(a, conjugate=True)
    extra_shape = shape_of(b)[:extra]
    main_shape = shape_of(b)[extra:]
    perm = np.concatenate((np.arange(extra, b.shape.ndims), np.arange(0, extra)), 0)
    b = transpose(b, perm=perm)
    b = reshape(b, concat((main_shape[:-1], [-1]), 0))

    def undo(y: Tensor) -> Tensor:
        full = concat((shape_of(y)[:-1], [main_shape[-1]], extra_shape), 0)
        return transpose(reshape(y, full), perm=np.argsort(perm))

    return a, b, undo, False


# Hints: True, False or None for not known.


def both_commute_self_adjoint(a: Any, b: Any) -> bool | None:
    """Return whether the product of two operators that commute is self-adjoint."""
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    known = (a.is_self_adjoint, b.is_self_adjoint)
    return False if known in ((True, False), (False, True)) else None


def both_commute_positive(a: Any, b: Any) -> bool | None:
    """Return whether the product of two operators that commute is positive definite."""
    known = all(x.is_positive_definite is True and x.is_self_adjoint is True for x in (a, b))
    return True if known else None


def both_square(a: Any, b: Any) -> bool | None:
    """Return whether the product of two operators is square."""
    if a.is_square and b.is_square:
        return True
    if a.is_square is False and b.is_square is False:
        same: bool | None = a.range_dimension == b.domain_dimension
        return same
    if a.is_square != b.is_square and a.is_square is not None and b.is_square is not None:
        return False
    return None


def both_non_singular(a: Any, b: Any) -> bool | None:
    """Return whether the product of two operators is non-singular."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    known: bool | None = a.is_non_singular and b.is_non_singular
    return known


def commuting_hints(a: Any, b: Any) -> dict[str, Any]:
    """Return the hints of the product of two operators that commute."""
    return {
        "is_non_singular": both_non_singular(a, b),
        "is_self_adjoint": both_commute_self_adjoint(a, b),
        "is_positive_definite": both_commute_positive(a, b),
        "is_square": True,
    }


def kept_hints(operator: Any) -> dict[str, Any]:
    """Return the hints of an operator."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }


def known_hint(operator: Any, hint: str, given: bool | None, message: str) -> bool | None:
    """Return what an operator, or the user, says of a property. Raises: ValueError if they contradict."""
    own = getattr(operator, hint)
    if (own is False and given) or (own and given is False):
        raise ValueError(message)
    if own or given:
        return True
    return False if own is False or given is False else None


def implied(given: bool | None, fact: bool, message: str) -> bool | None:
    """Return True if `fact` holds, else what was given. Raises: ValueError if it was said not to hold."""
    if not fact:
        return given
    if given is False:
        raise ValueError(message)
    return True


def is_product_with_adjoint(operators: Sequence[Any]) -> bool:
    """Return whether the product reads the same from behind, with each operator's adjoint."""

    def pair(x: Any, y: Any) -> bool:
        if x is y and x.is_self_adjoint is not None:
            return bool(x.is_self_adjoint)
        return x.H is y or y.H is x

    count = len(operators)
    return count % 2 == 0 and all(pair(operators[i], operators[-1 - i]) for i in range(count // 2))


def check_same_dtype(operators: Sequence[Any]) -> Any:
    """Return the dtype of all operators. Raises: ValueError if there is none; TypeError if dtypes differ."""
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    dtype = operators[0].dtype
    if any(o.dtype != dtype for o in operators):
        kinds = "   ".join(str((o.name, o.dtype)) for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {kinds}")
    return dtype


def common_batch_shape(operators: Iterable[Any]) -> TensorShape:
    """Return the static batch shape of all operators."""
    first, *others = [o.batch_shape for o in operators]
    for shape in others:
        first = broadcast_static_shape(first, shape)
    return first


# Blocks


def is_blockwise(sizes: Sequence[Any], arg: Any, axis: int) -> bool:
    """Return whether `arg` is a list with one tensor for each block. Raises: ValueError if the sizes do not fit."""
    if not isinstance(arg, (tuple, list)) or len(arg) != len(sizes):
        return False
    if not any(is_nested(x) for x in arg):
        return True
    given = [convert_to_tensor(x).shape.as_list()[axis] for x in arg]
    own = [size.value for size in sizes]
    if all(n is None for n in own):
        if len(given) == 1:
            return False
        if any(n != given[0] for n in given):
            return True
        raise ValueError(
            "Parsing of the input structure is ambiguous. Please input a blockwise iterable of `Tensor`s or a single "
            "`Tensor`."
        )
    if all(a is None or a == b for a, b in zip(own, given)):
        return True
    if all(n == given[0] for n in given) and given[0] >= sum(n for n in own if n is not None):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


def cut(sizes: Sequence[Any], sizes_when_run: Callable[[], Any], arg: Tensor, axis: int) -> list[Tensor]:
    """Return `arg` divided along `axis` into the blocks."""
    known: Any = [size.value for size in sizes]
    return split(arg, sizes_when_run() if any(n is None for n in known) else known, axis=axis)
