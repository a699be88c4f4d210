"""Solutions from factors of matrices: LU, tridiagonal systems, ranks and pseudo-inverses from singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_diagonal import matrix_diag_part, matrix_set_diag
from icefloe.lib.array_join import concat, split, stack
from icefloe.lib.array_select import gather, gather_nd, pad, where_v2
from icefloe.lib.array_shape import (
    broadcast_dynamic_shape,
    expand_dims,
    matrix_transpose,
    rank,
    reshape,
    shape,
    squeeze,
)
from icefloe.lib.checks import assert_equal, assert_rank, assert_rank_at_least
from icefloe.lib.constants import hinted
from icefloe.lib.control import identity
from icefloe.lib.linalg import eye, matrix_triangular_solve, svd
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import conj
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_max, reduce_prod, reduce_sum


def _after(checks: list[Operation], *tensors: Tensor) -> tuple[Tensor, ...]:
    if not checks:
        return tensors
    with control_dependencies(checks):
        return tuple(identity(tensor) for tensor in tensors)


def _matrix_checks(a: Tensor, validate_args: bool) -> list[Operation]:
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None:
        if a.shape.rank < 2:
            raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
        return []
    message = "Input `a` must have at least 2 dimensions."
    return [assert_rank_at_least(a, rank=2, message=message)] if validate_args else []


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return how many singular values of each matrix exceed `tol`, default eps * max(rows, columns) * the largest."""
    with name_scope(name or "matrix_rank"):
        a = hinted(a, datatypes.float32, name="a")
        (a,) = _after(_matrix_checks(a, validate_args), a)
        values: Any = svd(a, compute_uv=False)
        if tol is None:
            if a.shape[-2:].is_fully_defined():
                size: Any = np.max(a.shape[-2:].as_list())
            else:
                size = reduce_max(shape(a)[-2:])
            eps = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = eps * cast(size, a.dtype) * reduce_max(values, axis=-1, keepdims=True)
        return reduce_sum(cast(values > tol, datatypes.int32), axis=-1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the Moore-Penrose inverse of each matrix.

    rcond: singular values below this part of the largest count as 0; default 10 * max(rows, columns) * eps.
    """
    with name_scope(name or "pinv"):
        a = convert_to_tensor(a, name="a")
        (a,) = _after(_matrix_checks(a, validate_args), a)
        dtype = a.dtype.as_numpy_dtype
        if rcond is None:
            sizes = [_size(a, axis) for axis in (-2, -1)]
            if all(isinstance(size, int) for size in sizes):
                size: Any = float(max(sizes))
            else:
                size = cast(apply_op("Maximum", *sizes), dtype)
            rcond = 10.0 * size * np.finfo(dtype).eps
        rcond = convert_to_tensor(rcond, dtype=dtype, name="rcond")
        values, left, right = svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * reduce_max(values, axis=-1)
        values = where_v2(values > expand_dims(cutoff, -1), values, np.array(np.inf, dtype))
        inverse = matmul(right / expand_dims(values, -2), left, adjoint_b=True)
        if a.shape.rank is not None:
            inverse.set_shape(a.shape[:-2].concatenate([a.shape[-1], a.shape[-2]]))
        return inverse


def _size(tensor: Tensor, axis: int) -> Any:
    size = tensor.shape[axis].value if tensor.shape.rank is not None else None
    return shape(tensor)[axis] if size is None else size


def _lu_checks(lower_upper: Tensor, perm: Tensor, validate_args: bool) -> list[Operation]:
    checks = []
    message = "Input `lower_upper` must have at least 2 dimensions."
    if lower_upper.shape.rank is not None and lower_upper.shape.rank < 2:
        raise ValueError(message)
    if validate_args:
        checks.append(assert_rank_at_least(lower_upper, rank=2, message=message))
    message = "`rank(lower_upper)` must equal `rank(perm) + 1`"
    if lower_upper.shape.rank is not None and perm.shape.rank is not None:
        if lower_upper.shape.rank != perm.shape.rank + 1:
            raise ValueError(message)
    elif validate_args:
        checks.append(assert_rank(lower_upper, rank=rank(perm) + 1, message=message))
    message = "`lower_upper` must be square."
    if lower_upper.shape[:-2].is_fully_defined():
        if lower_upper.shape.as_list()[-2] != lower_upper.shape.as_list()[-1]:
            raise ValueError(message)
    elif validate_args:
        rows, columns = split(shape(lower_upper)[-2:], num_or_size_splits=2)
        checks.append(assert_equal(rows, columns, message=message))
    return checks


def _solve_checks(lower_upper: Tensor, perm: Tensor, rhs: Tensor, validate_args: bool) -> list[Operation]:
    checks = _lu_checks(lower_upper, perm, validate_args)
    message = "Input `rhs` must have at least 2 dimensions."
    if rhs.shape.rank is not None:
        if rhs.shape.rank < 2:
            raise ValueError(message)
    elif validate_args:
        checks.append(assert_rank_at_least(rhs, rank=2, message=message))
    sizes = [x.shape[axis].value if x.shape.rank else None for x, axis in ((lower_upper, -1), (rhs, -2))]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    return checks


def _lower_part(lower_upper: Tensor) -> Tensor:
    return apply_op("MatrixBandPart", lower_upper, num_lower=-1, num_upper=0)


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return X with A X = rhs from `tf.linalg.lu(A)`. Raises: ValueError if the shapes do not fit."""
    with name_scope(name or "lu_solve"):
        lower_upper = hinted(lower_upper, datatypes.float32, name="lower_upper")
        perm = hinted(perm, datatypes.int32, name="perm")
        rhs = hinted(rhs, lower_upper.dtype, name="rhs")
        checks = _solve_checks(lower_upper, perm, rhs, validate_args)
        lower_upper, perm, rhs = _after(checks, lower_upper, perm, rhs)
        if rhs.shape.rank == 2 and perm.shape.rank == 1:
            permuted = gather(rhs, perm, axis=-2)
        else:
            permuted = _permuted_rows(rhs, perm)
        lower = _lower_part(lower_upper)
        lower = matrix_set_diag(lower, ones(shape(lower_upper)[:-1], dtype=lower_upper.dtype))
        return matrix_triangular_solve(lower_upper, matrix_triangular_solve(lower, permuted), lower=False)


def _permuted_rows(rhs: Tensor, perm: Tensor) -> Tensor:
    """Return the rows of each matrix in the order `perm`, both broadcast to one batch shape."""
    sizes = shape(rhs)
    batch = broadcast_dynamic_shape(sizes[:-2], shape(perm)[:-1])
    rows, columns = sizes[-2], sizes[-1]
    full = concat([batch, [rows, columns]], axis=0)
    matrices = reshape(apply_op("BroadcastTo", rhs, full), [-1, rows, columns])
    orders = reshape(apply_op("BroadcastTo", perm, full[:-1]), [-1, rows])
    count = reduce_prod(batch)
    batches = apply_op("BroadcastTo", range(count)[:, None], [count, rows])
    return reshape(gather_nd(matrices, stack([batches, orders], axis=-1)), full)


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the inverse of A from `tf.linalg.lu(A)`. Raises: ValueError if the shapes do not fit."""
    with name_scope(name or "lu_matrix_inverse"):
        lower_upper = hinted(lower_upper, datatypes.float32, name="lower_upper")
        perm = hinted(perm, datatypes.int32, name="perm")
        lower_upper, perm = _after(_lu_checks(lower_upper, perm, validate_args), lower_upper, perm)
        sizes = shape(lower_upper)
        rhs = eye(sizes[-1], batch_shape=sizes[:-2], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, rhs=rhs)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return A from `tf.linalg.lu(A)`.

    Raises: ValueError if the shapes do not fit; UnimplementedError for a batch of matrices, which takes a loop.
    """
    with name_scope(name or "lu_reconstruct"):
        lower_upper = hinted(lower_upper, datatypes.float32, name="lower_upper")
        perm = hinted(perm, datatypes.int32, name="perm")
        lower_upper, perm = _after(_lu_checks(lower_upper, perm, validate_args), lower_upper, perm)
        sizes = shape(lower_upper)
        lower = _lower_part(lower_upper)
        lower = matrix_set_diag(lower, ones(sizes[:-1], dtype=lower_upper.dtype))
        product = matmul(lower, apply_op("MatrixBandPart", lower_upper, num_lower=0, num_upper=-1))
        if lower_upper.shape.rank != 2:
            raise errors.UnimplementedError("lu_reconstruct of a batch of matrices needs a loop over it")
        result = gather(product, apply_op("InvertPermutation", perm))
        result.set_shape(lower_upper.shape)
        return result


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Return X with A X = rhs for tridiagonal A.

    diagonals: "compact", [..., 3, n] of superdiagonal, diagonal and subdiagonal; "sequence", the three as a list;
        "matrix", A itself.

    Raises: ValueError for another format or shapes that do not fit.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if diagonals_format == "sequence":
        diagonals = _stacked_diagonals(diagonals)
    elif diagonals_format == "matrix":
        sizes = [diagonals.shape[axis].value for axis in (-1, -2)]
        if all(sizes) and sizes[0] != sizes[1]:
            raise ValueError(f"Expected last two dimensions of diagonals to be same, got {sizes[0]} and {sizes[1]}")
        diagonals = matrix_diag_part(diagonals, k=(-1, 1), padding_value=0.0, align="LEFT_RIGHT")
    elif diagonals_format != "compact":
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    _check_system(diagonals, rhs)
    how: dict[str, Any] = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular, "name": name}
    if rhs.shape.rank and diagonals.shape.rank and rhs.shape.rank == diagonals.shape.rank - 1:
        column = expand_dims(conj(rhs) if conjugate_rhs else rhs, -1)
        _check_sizes(diagonals, column)
        return squeeze(apply_op("TridiagonalSolve", diagonals, column, **how), -1)
    if transpose_rhs:
        rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = conj(rhs)
    _check_sizes(diagonals, rhs)
    return apply_op("TridiagonalSolve", diagonals, rhs, **how)


def _stacked_diagonals(diagonals: Any) -> Tensor:
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = diagonals
    outer = main.shape[:-1]
    if not (below.shape[:-1].is_compatible_with(outer) and above.shape[:-1].is_compatible_with(outer)):
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,except for the last dimension, got "
            f"{below.shape}, {main.shape}, {above.shape}"
        )
    size = main.shape[-1].value

    def padded(tensor: Any, name: str, last: list[int]) -> Any:
        own = tensor.shape[-1].value
        if not own or own == size:
            return tensor
        if own == size - 1:
            return pad(tensor, [[0, 0]] * (len(tensor.shape) - 1) + [last])
        raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {own}.")

    below = padded(below, "subdiagonal", [1, 0])
    above = padded(above, "superdiagonal", [0, 1])
    return stack((above, main, below), axis=-2)


def _check_system(diagonals: Any, rhs: Any) -> None:
    ranks = diagonals.shape.rank, rhs.shape.rank
    if ranks[0]:
        if ranks[0] < 2:
            raise ValueError(f"Expected diagonals to have rank at least 2, got {ranks[0]}")
        if ranks[1] and ranks[1] not in (ranks[0], ranks[0] - 1):
            raise ValueError(f"Expected the rank of rhs to be {ranks[0] - 1} or {ranks[0]}, got {ranks[1]}")
        outer = diagonals.shape[:-2], rhs.shape[: ranks[0] - 2]
        if ranks[1] and not outer[0].is_compatible_with(outer[1]):
            raise ValueError(f"Batch shapes {outer[0]} and {outer[1]} are incompatible")
    count = diagonals.shape[-2].value
    if count and count != 3:
        raise ValueError(f"Expected 3 diagonals got {count}")


def _check_sizes(diagonals: Any, rhs: Any) -> None:
    sizes = diagonals.shape[-1].value, rhs.shape[-2].value
    if all(sizes) and sizes[0] != sizes[1]:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {sizes[0]} and {sizes[1]}"
        )
