"""Gradient rules of square roots, least squares, banded solutions and eigenvalues of matrices.

The numbers are TensorFlow's, the nodes are not.
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, concat, expand_dims, ones, rank_of, reshape, shape_of, sum_over, zeros_like


def _product(a: Tensor, b: Tensor, *, adjoint_a: bool = False, adjoint_b: bool = False) -> Tensor:
    return apply_op("BatchMatMulV2", a, b, adj_x=adjoint_a, adj_y=adjoint_b, name="MatMul")


def _transposed(x: Tensor, *, conjugate: bool = False) -> Tensor:
    """Return matrices with rows and columns exchanged."""
    rank = rank_of(x)
    axes = apply_op("Range", 0, rank - 2, 1)
    perm = concat([axes, apply_op("Pack", [rank - 1, rank - 2])])
    return apply_op("ConjugateTranspose" if conjugate and x.dtype.is_complex else "Transpose", x, perm)


def _eye(size: Tensor, dtype: Any) -> Tensor:
    """Return identity matrices of a shape given as a vector."""
    return apply_op("MatrixDiag", ones(size[:-1], dtype))


def _kronecker(a: Tensor, b: Tensor, size: Tensor) -> Tensor:
    """Return the Kronecker products of square matrices of the shape `size`."""
    wide = expand_dims(expand_dims(a, -2), -1) * expand_dims(expand_dims(b, -3), -2)
    order = size[-1] * size[-1]
    return reshape(wide, concat([size[:-2], apply_op("Pack", [order, order])]))


@gradient("MatrixSquareRoot")
def square_root(op: Operation, grad: Tensor) -> Tensor:
    """Solve dA = R dR + dR R for dR, written as one equation of all elements."""
    root = op.outputs[0]
    size = shape_of(root)
    eye = _eye(size, root.dtype)
    both = _kronecker(eye, _transposed(root), size) + _kronecker(root, eye, size)
    column = reshape(_transposed(grad), concat([size[:-2], apply_op("Pack", [size[-1] * size[-1], 1])]))
    return _transposed(reshape(apply_op("MatrixSolve", both, column), size))


def _solved_by_cholesky(factor: Tensor, right: Tensor) -> Tensor:
    return apply_op(
        "MatrixTriangularSolve", factor, apply_op("MatrixTriangularSolve", factor, right), lower=True, adjoint=True
    )


@gradient("MatrixSolveLs")
def least_squares(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By the normal equations of tall matrices or of wide ones.

    Raises: ValueError where `fast` is off; NotImplementedError where the number of rows or columns is not known.
    """
    if not op.get_attr("fast"):
        raise ValueError("Gradient not defined for fast=False")
    a, b, regularizer = op.inputs
    x = op.outputs[0]
    rows, columns = (None, None) if a.shape.rank is None else a.shape.as_list()[-2:]
    if rows is None or columns is None:
        raise NotImplementedError(f"The gradient of MatrixSolveLs needs known numbers of rows and columns: {op.name}")
    tall = rows >= columns
    size = shape_of(a)
    small = apply_op("Pack", [min(rows, columns)] * 2)
    gramian = _product(a, a, adjoint_a=tall, adjoint_b=not tall)
    gramian += cast(regularizer, a.dtype) * _eye(concat([size[:-2], small]), a.dtype)
    factor = apply_op("Cholesky", gramian)
    if tall:
        z = _solved_by_cholesky(factor, grad)
        xz = _product(x, z, adjoint_b=True)
        return _product(b, z, adjoint_b=True) - _product(a, xz + _transposed(xz)), _product(a, z), None
    by_b = _solved_by_cholesky(factor, _product(a, grad))
    solved = _solved_by_cholesky(factor, b)
    rest = grad - _product(a, by_b, adjoint_a=True)
    by_a = _product(solved, rest, adjoint_b=True) - _product(by_b, _product(solved, a, adjoint_a=True))
    return by_a, by_b, None


def _shifted(x: Tensor, axis: int, by: int) -> Tensor:
    """Return `x` moved by one along its last or last but one axis, with a zero at the end that falls free."""
    part = [slice(None)] * -axis
    part[0] = slice(1, None) if by < 0 else slice(None, -1)
    edge = [slice(None)] * -axis
    edge[0] = slice(None, 1)
    zero = zeros_like(x[(..., *edge)])
    moved = x[(..., *part)]
    return concat([moved, zero] if by < 0 else [zero, moved], axis)


@gradient("TridiagonalSolve")
def tridiagonal_solve(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    """By the diagonals and by the right side, which solves the equation of the transposed matrix."""
    diagonals, x = op.inputs[0], op.outputs[0]
    upper, main, lower = (diagonals[..., i, :] for i in range(3))
    turned = apply_op("Pack", [_shifted(lower, -1, -1), main, _shifted(upper, -1, 1)], axis=_row_axis(diagonals))
    attrs = {name: op.get_attr(name) for name in ("partial_pivoting", "perturb_singular")}
    by_right = apply_op("TridiagonalSolve", turned, grad, **attrs)
    parts = [sum_over(by_right * other, [-1]) for other in (_shifted(x, -2, -1), x, _shifted(x, -2, 1))]
    return -apply_op("Pack", parts, axis=_row_axis(diagonals)), by_right


def _row_axis(diagonals: Tensor) -> int:
    """Return the axis of Pack that gives rows: it counts from the end where the rank is not known."""
    return -2 if diagonals.shape.rank is None else diagonals.shape.rank - 2


@gradient("BandedTriangularSolve")
def banded_solve(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    """By the bands and by the right side."""
    bands, b = op.inputs
    x = op.outputs[0]
    lower, adjoint = op.get_attr("lower"), op.get_attr("adjoint")
    by_b = apply_op("BandedTriangularSolve", bands, grad, lower=lower, adjoint=not adjoint)
    whole = -_product(x, by_b, adjoint_b=True) if adjoint else -_product(by_b, x, adjoint_b=True)
    size = shape_of(bands)
    last = size[-2] - 1
    reach = apply_op("Pack", [-last, 0] if lower else [0, last])
    by_bands = apply_op("MatrixDiagPartV3", whole, reach, _zero(whole), align="LEFT_RIGHT")
    if bands.shape.is_fully_defined() and b.shape.is_fully_defined() and bands.shape[:-2] == b.shape[:-2]:
        return by_bands, by_b
    b_size = shape_of(b)
    over_bands, over_b = apply_op("BroadcastGradientArgs", size[:-2], b_size[:-2])
    return reshape(sum_over(by_bands, over_bands), size), reshape(sum_over(by_b, over_b), b_size)


def _zero(like: Tensor) -> Tensor:
    """Return 0 of the dtype of `like`."""
    return apply_op("Cast", 0, DstT=like.dtype)


@gradient("Eig")
def eigen(op: Operation, grad_e: Any, grad_v: Any) -> Tensor:
    """By eigenvalues and, if they are computed, by eigenvectors; eigenvalues must differ."""
    a, e = op.inputs[0], op.outputs[0]
    if not op.get_attr("compute_v"):
        _, v = apply_op("Eig", a, Tout=e.dtype)
        adjoint = _transposed(v, conjugate=True)
        made = apply_op("MatrixSolve", adjoint, _product(apply_op("MatrixDiag", grad_e), adjoint))
        return apply_op("Cast", made, DstT=a.dtype)
    v = op.outputs[1]
    adjoint = _transposed(v, conjugate=True)
    gaps = expand_dims(e, -2) - expand_dims(e, -1)
    inverse = gaps * apply_op("Reciprocal", gaps * gaps + 1e-20)
    inverse = apply_op("Conj", apply_op("MatrixSetDiag", inverse, zeros_like(e)))
    turned = _product(adjoint, grad_v)
    real = cast(apply_op("Real", turned, Tout=turned.dtype.real_dtype), turned.dtype)
    own = apply_op("MatrixDiag", apply_op("MatrixDiagPart", real))
    middle = apply_op("MatrixDiag", grad_e) + inverse * (turned - _product(_product(adjoint, v), own))
    return apply_op("Cast", apply_op("MatrixSolve", adjoint, _product(middle, adjoint)), DstT=a.dtype)
