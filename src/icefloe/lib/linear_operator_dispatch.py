"""What `tf.matmul` and functions of `tf.linalg` do when one of their arguments is a LinearOperator.

`icefloe._names` looks a public function up here by the module and attribute it stands for, as in `ragged_dispatch`.

Source: tensorflow/python/ops/linalg/linear_operator.py (the functions that are dispatched, and their messages).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Return the conjugate transpose as an operator."""
    return matrix.adjoint(name or "adjoint")


def cholesky(input: Any, name: str | None = None) -> Any:
    """Return the Cholesky factor as an operator."""
    return input.cholesky(name or "cholesky")


def diag_part(input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "") -> Any:
    """Return the diagonal; the arguments about others are not looked at, as in TensorFlow."""
    return input.diag_part(name)


def det(input: Any, name: str | None = None) -> Any:
    """Return the determinant."""
    return input.determinant(name or "det")


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """Return the inverse as an operator."""
    inverse = input.inverse(name or "inverse")
    return inverse.adjoint() if adjoint else inverse


def logdet(matrix: Any, name: str | None = None) -> Any:
    """Return the logarithm of the determinant. Raises: ValueError unless hints say that it is positive definite."""
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        return matrix.log_abs_determinant(name or "log_abs_det")
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product: an operator of two operators, else a tensor. Raises: ValueError for transposed operands."""
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if not _is_operator(a):  # A B is the adjoint of B* A*
        from icefloe.lib.linalg import adjoint as adjoint_of

        return adjoint_of(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a, name=name or "matmul"))
    return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b, name=name or "matmul")


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product with a vector."""
    from icefloe.lib.array_shape import expand_dims, squeeze

    column = expand_dims(b, axis=-1)
    product = matmul(a, column, transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse, name=name)
    return squeeze(product, axis=-1)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """Return the solution of a linear system. Raises: ValueError if only the right-hand side is an operator."""
    if not _is_operator(matrix):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return matrix.solve(rhs, adjoint=adjoint, name=name or "solve")


def trace(x: Any, name: str | None = None) -> Any:
    """Return the sum of the diagonal."""
    return x.trace(name or "trace")


# Module and attribute as `icefloe._names` has them, "op" for functions that add one node.
_TABLE: dict[tuple[str, str], Callable[..., Any]] = {
    ("lib.linalg", "adjoint"): adjoint,
    ("op", "Cholesky"): cholesky,
    ("lib.array_diagonal", "matrix_diag_part"): diag_part,
    ("op", "MatrixDeterminant"): det,
    ("op", "MatrixInverse"): inv,
    ("lib.linalg", "logdet"): logdet,
    ("lib.math_matrix", "matmul"): matmul,
    ("lib.math_matrix", "matvec"): matvec,
    ("op", "MatrixSolve"): solve,
    ("lib.math_reduce", "trace"): trace,
}


def _is_operator(value: Any) -> bool:
    return getattr(type(value), "is_linear_operator", False)


def for_linear_operators(module: str, attribute: str, function: Any) -> Any:
    """Return the public form of a function: itself, or one that looks out for LinearOperators."""
    target = _TABLE.get((module, attribute))
    return function if target is None else _dispatching(function, target)


@functools.cache
def _dispatching(function: Callable[..., Any], target: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(_is_operator, args)) or (kwargs and any(map(_is_operator, kwargs.values()))):
            return target(*args, **kwargs)
        return function(*args, **kwargs)

    return call
