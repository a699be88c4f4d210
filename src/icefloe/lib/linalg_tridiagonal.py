"""The eigenvalues of tridiagonal matrices."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.lib.array_diagonal import matrix_diag
from icefloe.lib.array_select import boolean_mask
from icefloe.lib.linalg import self_adjoint_eig, self_adjoint_eigvals
from icefloe.lib.math_elementwise import conj
from icefloe.lib.math_elementwise import real as real_part


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Return the eigenvalues, in rising order, of a Hermitian matrix that has `alpha` on and `beta` below the diagonal.

    alpha: [n]; beta: [n - 1]. eigvals_only: False also gives eigenvectors [n, n], as columns. select: "a" for all, "i"
    for those of the indices from `select_range[0]` to `select_range[1]`, "v" for those within (min, max] of
    `select_range`. tol: without effect, the values are exact within rounding.

    Raises: ValueError if sizes, dtypes or `select` do not fit.
    """
    with name_scope(name, "eigh_tridiagonal"):
        alpha = convert_to_tensor(alpha, name="alpha")
        beta = convert_to_tensor(beta, name="beta")
        if alpha.shape.rank != 1 or beta.shape.rank != 1:
            raise ValueError(f"alpha and beta must be vectors, got shapes {alpha.shape} and {beta.shape}")
        if alpha.dtype != beta.dtype:
            raise ValueError(f"'alpha' and 'beta' must have the same type. {alpha.dtype} != {beta.dtype}")
        if select not in ("a", "i", "v"):
            raise ValueError(f"'select' must have a value in {{'a', 'i', 'v'}}, not {select!r}")
        below = matrix_diag(beta, k=-1)
        above = matrix_diag(conj(beta) if beta.dtype.is_complex else beta, k=1)
        matrix = matrix_diag(alpha) + below + above
        if eigvals_only:
            values, vectors = self_adjoint_eigvals(matrix), None
        else:
            values, vectors = self_adjoint_eig(matrix)
        if values.dtype.is_complex:
            values = real_part(values)
        if select == "i":
            first, last = select_range
            values = values[first : last + 1]
            vectors = None if vectors is None else vectors[:, first : last + 1]
        elif select == "v":
            low, high = select_range
            inside = apply_op("LogicalAnd", values > low, values <= high)
            values = boolean_mask(values, inside)
            vectors = None if vectors is None else boolean_mask(vectors, inside, axis=1)
        return values if vectors is None else (values, vectors)
