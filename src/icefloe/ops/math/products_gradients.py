"""Gradient rules of products of matrices."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, conj, reshape, shape_of, transpose


@gradient("MatMul")
def matmul(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """dy b^T and a^T dy, with the transpositions that the op was given."""
    ta, tb = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    a, b = conj(op.inputs[0]), conj(op.inputs[1])

    def product(x: Tensor, y: Tensor, tx: bool, ty: bool, which: str) -> Tensor:
        flags: dict[str, Any] = {which: True}
        return apply_op("MatMul", x, y, transpose_a=tx, transpose_b=ty, **flags)

    ga = product(b, grad, tb, True, "grad_a") if ta else product(grad, b, False, not tb, "grad_a")
    gb = product(grad, a, True, ta, "grad_b") if tb else product(a, grad, not ta, False, "grad_b")
    return ga, gb


@gradient("SparseMatMul")
def sparse_matmul(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """As of a product; what is sparse is told on."""
    ta, tb = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    a, b = op.inputs
    sparse = {a: op.get_attr("a_is_sparse"), b: op.get_attr("b_is_sparse"), grad: grad.op.type == "ReluGrad"}

    def product(x: Tensor, y: Tensor, tx: bool, ty: bool, like: Tensor) -> Tensor:
        flags = {"a_is_sparse": sparse[x], "b_is_sparse": sparse[y]}
        if ty:
            y = transpose(y, [1, 0])
        return cast(apply_op("SparseMatMul", x, y, transpose_a=tx, transpose_b=False, **flags), like.dtype)

    ga = product(b, grad, tb, True, a) if ta else product(grad, b, False, not tb, a)
    gb = product(grad, a, True, ta, b) if tb else product(a, grad, not ta, False, b)
    return ga, gb


@gradient("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """As of a product of matrices, summed over the batch axes that were broadcast."""
    x, y = op.inputs
    ax, ay = op.get_attr("adj_x"), op.get_attr("adj_y")
    old = op.type == "BatchMatMul"

    def product(a: Tensor, b: Tensor, adj_a: bool, adj_b: bool, which: str) -> Tensor:
        flags = {} if old else {which: True}
        return apply_op(
            "BatchMatMul" if old else "BatchMatMulV2", a, b, adj_x=adj_a, adj_y=adj_b, name="MatMul", **flags
        )

    gx = product(y, grad, ay, True, "grad_x") if ax else product(grad, y, False, not ay, "grad_x")
    gy = product(grad, x, True, ax, "grad_y") if ay else product(x, grad, not ax, False, "grad_y")
    if old or _same_batch(x, y):
        return gx, gy
    sx, sy = shape_of(x), shape_of(y)
    rx, ry = apply_op("BroadcastGradientArgs", sx[:-2], sy[:-2])
    return reshape(apply_op("Sum", gx, rx), sx), reshape(apply_op("Sum", gy, ry), sy)


def _same_batch(x: Tensor, y: Tensor) -> bool:
    if x.shape.rank is None or y.shape.rank is None:
        return False
    a, b = x.shape[:-2], y.shape[:-2]
    if (x.shape.rank, y.shape.rank) == (2, 2):
        return True
    return a.is_fully_defined() and b.is_fully_defined() and a.as_list() == b.as_list()


@gradient("Cross")
def cross(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """v x dy and dy x u."""
    u, v = op.inputs
    return apply_op("Cross", v, grad), apply_op("Cross", grad, u)
