"""Gradient rules of inverses, determinants, solutions and decompositions of matrices."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, concat, conj, ones, reshape, shape_of


def _product(a: Tensor, b: Tensor, *, adjoint_a: bool = False, adjoint_b: bool = False) -> Tensor:
    return apply_op("BatchMatMulV2", a, b, adj_x=adjoint_a, adj_y=adjoint_b, name="MatMul")


def _adjoint(x: Tensor) -> Tensor:
    """Return matrices transposed and conjugated."""
    size = shape_of(apply_op("Shape", x))
    rank = size[0]
    axes = apply_op("Range", 0, rank - 2, 1)
    perm = concat([axes, apply_op("Pack", [rank - 1, rank - 2])])
    return apply_op("ConjugateTranspose" if x.dtype.is_complex else "Transpose", x, perm, name="adjoint")


def _eye_like(x: Tensor) -> Tensor:
    """Return identity matrices in the shape of square matrices."""
    size = shape_of(x)
    return apply_op("MatrixDiag", ones(size[:-1], x.dtype))


@gradient("MatrixInverse")
def inverse(op: Operation, grad: Tensor) -> Tensor:
    """-y^H dy y^H."""
    y, adjoint = op.outputs[0], op.get_attr("adjoint")
    inner = _product(grad, y, adjoint_a=adjoint, adjoint_b=not adjoint)
    return -_product(y, inner, adjoint_a=not adjoint)


def _scaled_inverse(factor: Tensor, value: Tensor, a: Tensor) -> Tensor:
    inverse_of_a = apply_op("MatrixInverse", a, adjoint=True)
    return reshape(factor, concat([shape_of(value), [1, 1]])) * inverse_of_a


@gradient("MatrixDeterminant")
def determinant(op: Operation, grad: Tensor) -> Tensor:
    """dy det(a) a^-H."""
    y = op.outputs[0]
    return _scaled_inverse(grad * y, y, op.inputs[0])


@gradient("LogMatrixDeterminant")
def log_determinant(op: Operation, _: Any, grad: Tensor) -> Tensor:
    """dy a^-H."""
    return _scaled_inverse(grad, op.outputs[1], op.inputs[0])


@gradient("Cholesky")
def cholesky(op: Operation, grad: Tensor) -> Tensor:
    """L^-H phi(L^H dL) L^-1, made symmetric; phi takes the lower triangle and half of the diagonal."""
    lower = op.outputs[0]
    inverse_of_lower = apply_op("MatrixTriangularSolve", lower, _eye_like(lower), lower=True)
    middle = _product(lower, grad, adjoint_a=True)
    diagonal = apply_op("MatrixDiagPart", middle)
    middle = apply_op("MatrixBandPart", apply_op("MatrixSetDiag", middle, 0.5 * diagonal), -1, 0)
    made = _product(_product(inverse_of_lower, middle, adjoint_a=True), inverse_of_lower)
    return (made + _adjoint(made)) * 0.5


@gradient("MatrixSolve")
def solve(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """By the matrix and by the right side."""
    a, adjoint = op.inputs[0], op.get_attr("adjoint")
    x = op.outputs[0]
    by_b = apply_op("MatrixSolve", a, grad, adjoint=not adjoint)
    by_a = _product(x, by_b, adjoint_b=True) if adjoint else _product(by_b, x, adjoint_b=True)
    return -by_a, by_b


@gradient("MatrixTriangularSolve")
def triangular_solve(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """As of a solution; the matrix' gradient is a triangle."""
    a, b = op.inputs
    adjoint, lower = op.get_attr("adjoint"), op.get_attr("lower")
    x = op.outputs[0]
    name = "triangular_solve/MatrixTriangularSolve"
    by_b = apply_op("MatrixTriangularSolve", a, grad, lower=lower, adjoint=not adjoint, name=name)
    by_a = -_product(x, by_b, adjoint_b=True) if adjoint else -_product(by_b, x, adjoint_b=True)
    by_a = apply_op("MatrixBandPart", by_a, *((-1, 0) if lower else (0, -1)))
    same = a.shape.is_fully_defined() and b.shape.is_fully_defined()
    if same and a.shape.as_list()[:-2] == b.shape.as_list()[:-2]:
        return by_a, by_b
    a_size, b_size = shape_of(a), shape_of(b)
    ra, rb = apply_op("BroadcastGradientArgs", a_size[:-2], b_size[:-2])
    return reshape(apply_op("Sum", by_a, ra), a_size), reshape(apply_op("Sum", by_b, rb), b_size)


@gradient("Qr")
def qr(op: Operation, dq: Tensor, dr: Tensor) -> Tensor:
    """Of the thin decomposition of matrices that have at least as many rows as columns, or of wide ones by parts."""
    q, r = op.outputs
    sizes = r.shape[-2:]
    if not sizes.is_fully_defined():
        raise NotImplementedError(f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}")
    rows, cols = sizes.as_list()
    if rows > cols and q.shape.as_list()[-2] == q.shape.as_list()[-1]:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape="
            f"{r.shape} with nrows={rows}and ncols={cols}."
        )
    q_rows = q.shape.as_list()[-2]
    if q_rows >= cols:
        return _qr_deep(q, r, dq, dr)
    a = op.inputs[0]
    y, u = a[..., :, q_rows:], r[..., :, :q_rows]
    dv, du = dr[..., :, q_rows:], dr[..., :, :q_rows]
    dx = _qr_deep(q, u, dq + _product(y, dv, adjoint_b=True), du)
    return concat([dx, _product(q, dv)], -1)


def _qr_deep(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
    def solved(x: Tensor) -> Tensor:
        return _adjoint(apply_op("MatrixTriangularSolve", r, _adjoint(x), lower=False, adjoint=False))

    qdq = _product(q, dq, adjoint_a=True)
    rdr = _product(r, dr, adjoint_b=True)
    lower = apply_op("MatrixBandPart", (qdq - _adjoint(qdq)) + (rdr - _adjoint(rdr)), -1, 0)
    made = _product(q, dr + solved(lower)) + solved(dq - _product(q, qdq))
    if not q.dtype.is_complex:
        return made
    m = rdr - _adjoint(qdq)
    eye = apply_op("MatrixDiag", apply_op("MatrixDiagPart", m))
    imaginary = eye - apply_op("Cast", apply_op("Real", eye, Tout=q.dtype.real_dtype), DstT=q.dtype)
    return made + solved(_product(q, _adjoint(imaginary)))


@gradient("SelfAdjointEigV2")
def eigen(op: Operation, grad_e: Any, grad_v: Any) -> Tensor:
    """By eigenvalues and, if they are computed, by eigenvectors; only the lower triangle counts."""
    a = op.inputs[0]
    e, v = op.outputs
    if not op.get_attr("compute_v"):
        _, v = apply_op("SelfAdjointEigV2", a)
        inner = apply_op("MatrixDiag", grad_e)
    else:
        gaps = apply_op("ExpandDims", e, -2) - apply_op("ExpandDims", e, -1)
        f = apply_op("Reciprocal", gaps)
        f = apply_op("MatrixSetDiag", f, apply_op("ZerosLike", e))
        inner = apply_op("MatrixDiag", grad_e) + f * _product(v, grad_v, adjoint_a=True)
    made = _product(v, _product(inner, v, adjoint_b=True))
    made = apply_op("MatrixBandPart", made + _adjoint(made), -1, 0)
    return apply_op("MatrixSetDiag", made, 0.5 * apply_op("MatrixDiagPart", made))


@gradient("Svd")
def svd(op: Operation, grad_s: Tensor, grad_u: Tensor, grad_v: Tensor) -> Tensor:
    """By singular values alone u diag(ds) v^H; by the vectors too where they are asked for, see `_by_vectors`."""
    a = op.inputs[0]
    grad_s = cast(grad_s, a.dtype)
    if not op.get_attr("compute_uv"):
        _, u, v = apply_op("Svd", a, compute_uv=True, full_matrices=False)
        return _product(u, _product(apply_op("MatrixDiag", grad_s), v, adjoint_b=True))
    rows, columns = (a.shape[-2:].as_list()) if a.shape.rank is not None else (None, None)
    if rows is None or columns is None:
        raise NotImplementedError("SVD gradient has not been implemented for input with unknown inner matrix shape.")
    full = op.get_attr("full_matrices")
    if full and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={rows} and n={columns} from op input={a} with shape={a.shape}."
        )
    s, u, v = op.outputs
    if rows > columns:  # that of a^H = v s u^H
        return _adjoint(_by_vectors(cast(s, a.dtype), v, u, (grad_s, grad_v, grad_u), columns, rows, full=full))
    return _by_vectors(cast(s, a.dtype), u, v, (grad_s, grad_u, grad_v), rows, columns, full=full)


def _by_vectors(s: Tensor, u: Tensor, v: Tensor, grads: Any, m: int, n: int, *, full: bool) -> Tensor:
    """Return the gradient of a wide or square matrix [m, n] = u diag(s) v^H.

    Where singular values are equal, their vectors are not determined: the gradient grows without bound near there.
    Source: Giles, An extended collection of matrix derivative results; for complex matrices the part of the phases.
    """
    grad_s, grad_u, grad_v = grads
    squares = s * s
    gaps = apply_op("ExpandDims", squares, -2) - apply_op("ExpandDims", squares, -1)
    f = apply_op("MatrixSetDiag", _safe_reciprocal(gaps), apply_op("ZerosLike", s))
    values, inverses = apply_op("MatrixDiag", s), apply_op("MatrixDiag", _safe_reciprocal(s))
    v1, grad_v1 = (v[..., :, :m], grad_v[..., :, :m]) if full else (v, grad_v)
    turned_v = _product(v1, grad_v1, adjoint_a=True)
    f_u, f_v = f * _product(u, grad_u, adjoint_a=True), f * turned_v
    middle = apply_op("MatrixDiag", grad_s) + _product(f_u + _adjoint(f_u), values)
    middle += _product(values, f_v + _adjoint(f_v))
    if s.dtype.is_complex:
        phases = apply_op("MatrixDiag", apply_op("MatrixDiagPart", turned_v))
        middle += 0.5 * _product(inverses, _adjoint(phases) - phases)
    made = _product(u, _product(middle, v1, adjoint_b=True))
    if m == n:
        return made
    outside = _adjoint(grad_v1) - _product(_product(grad_v1, v1, adjoint_a=True), v1, adjoint_b=True)
    if full:
        beyond = _product(v1, grad_v[..., :, m:n], adjoint_a=True)
        outside -= _product(beyond, v[..., :, m:n], adjoint_b=True)
    return made + _product(_product(u, inverses), outside)


def _safe_reciprocal(x: Tensor) -> Tensor:
    return x * apply_op("Reciprocal", x * x + 1e-20)


@gradient("TridiagonalMatMul")
def tridiagonal(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By the three diagonals and by the right side."""
    upper, main, lower, right = map(conj, op.inputs)
    rank = right.shape.rank
    if rank is None:
        raise ValueError("the gradient of TridiagonalMatMul needs a known rank")

    def shifted(x: Tensor, up: bool) -> Tensor:
        """Move rows by one and put zeros at the end that becomes free."""
        pads = [[0, 0]] * rank
        pads[-2] = [0, 1] if up else [1, 0]
        return apply_op("Pad", x[..., 1:, :] if up else x[..., :-1, :], pads)

    def swap(x: Tensor) -> Tensor:
        perm = [*range(rank - 2), rank - 1, rank - 2]
        return apply_op("Transpose", x, perm)

    def along(x: Tensor) -> Tensor:
        return apply_op("ExpandDims", apply_op("Sum", x, -1), -2)

    columns = [swap(d) for d in (upper, main, lower)]
    by_right = shifted(columns[0] * grad, False) + columns[1] * grad + shifted(columns[2] * grad, True)
    return (
        along(shifted(right, True) * grad),
        along(right * grad),
        along(shifted(right, False) * grad),
        by_right,
    )
