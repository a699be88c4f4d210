"""Gradient rules of diagonals and bands of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, concat, gather, product_of, reshape, shape_of, size_of, stack, zeros_like


@gradient("Diag")
def diag(op: Operation, grad: Tensor) -> Tensor:
    """The diagonal."""
    return apply_op("DiagPart", grad)


@gradient("DiagPart")
def diag_part(op: Operation, grad: Tensor) -> Tensor:
    """A matrix with the gradient on its diagonal."""
    return apply_op("Diag", grad)


@gradient("MatrixDiag")
def matrix_diag(op: Operation, grad: Tensor) -> Tensor:
    """The diagonals."""
    return _part(grad, constant(0), None)


def _part(grad: Tensor, k: Any, align: Any) -> Tensor:
    attrs = {} if align is None else {"align": align}
    return apply_op("MatrixDiagPartV3", grad, k, 0, name="diag_part", **attrs)


def _align(op: Operation) -> Any:
    return op.get_attr("align") if op.type.endswith("V3") else "LEFT_LEFT"


@gradient("MatrixDiagV2", "MatrixDiagV3")
def matrix_diags(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The diagonals that were written."""
    return _part(grad, op.inputs[1], _align(op)), None, None, None, None


@gradient("MatrixDiagPart")
def matrix_diag_part(op: Operation, grad: Tensor) -> Tensor:
    """Matrices with the gradient on their diagonals."""
    x = op.inputs[0]
    sizes = x.shape[-2:]
    if sizes.is_fully_defined() and sizes[0] == sizes[1]:
        return apply_op("MatrixDiag", grad)
    return apply_op("MatrixSetDiag", zeros_like(x), grad)


@gradient("MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diag_parts(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """Matrices with the gradient on these diagonals."""
    x, k = op.inputs[:2]
    sizes = x.shape[-2:]
    if sizes.is_fully_defined():
        rows, cols = sizes.as_list()
        made = apply_op("MatrixDiagV3", grad, k, rows, cols, 0, align=_align(op), name="diag")
    else:
        made = apply_op("MatrixSetDiagV3", zeros_like(x), grad, k, align=_align(op), name="set_diag")
    return made, None, None


@gradient("MatrixSetDiag")
def matrix_set_diag(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """The gradient without its diagonals, and the diagonals."""
    size = shape_of(grad)
    short = apply_op("Min", size[-2:], [0])
    zeros = apply_op("Fill", concat([size[:-2], apply_op("Pack", [short])]), constant(0, dtype=grad.dtype))
    return apply_op("MatrixSetDiag", grad, zeros), apply_op("MatrixDiagPart", grad)


@gradient("MatrixSetDiagV2", "MatrixSetDiagV3")
def matrix_set_diags(op: Operation, grad: Tensor) -> tuple[Any, Any, None]:
    """The gradient without these diagonals, and the diagonals."""
    diagonal, k = op.inputs[1:3]
    if diagonal.shape.is_fully_defined():
        zeros = constant(np.zeros(diagonal.shape.as_list(), grad.dtype.numpy), grad.dtype.base_dtype, name="zeros")
    else:
        zeros = apply_op("Fill", shape_of(diagonal), constant(0, dtype=grad.dtype), name="zeros")
    align = _align(op)
    kept = apply_op("MatrixSetDiagV3", grad, zeros, k, align=align, name="set_diag")
    return kept, _part(grad, k, align), None


@gradient("MatrixBandPart")
def band_part(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """The band of the gradient."""
    return apply_op("MatrixBandPart", grad, op.inputs[1], op.inputs[2]), None, None


@gradient("TopK", "TopKV2")
def top_k(op: Operation, grad: Tensor, _: Any) -> list[Any]:
    """The gradient scattered to the places of the greatest elements."""
    made = _at_places(op.outputs[1], grad, shape_of(op.inputs[0]))
    return [made] if op.type == "TopK" else [made, constant(0, datatypes.int32, shape=[], name="zeros")]


@gradient("ApproxTopK")
def approx_top_k(op: Operation, grad: Tensor, _: Any) -> Tensor:
    """As of TopK, along another axis."""
    x, indices = op.inputs[0], op.outputs[1]
    if x.shape.rank is None:
        raise NotImplementedError(f"the gradient of ApproxTopK needs an input of known rank: {op.name}")
    axis = op.get_attr("reduction_dimension") % x.shape.rank
    order = [*(i for i in range(x.shape.rank) if i != axis), axis]
    if axis == x.shape.rank - 1:
        return _at_places(indices, grad, shape_of(x))
    indices, grad = apply_op("Transpose", indices, order), apply_op("Transpose", grad, order)
    made = _at_places(indices, grad, gather(shape_of(x), order))
    return apply_op("Transpose", made, [order.index(i) for i in range(len(order))])


def _at_places(indices: Tensor, grad: Tensor, size: Tensor) -> Tensor:
    """Return zeros of shape `size` with the elements of `grad` at the places of the last axis that `indices` names."""
    index_size = shape_of(indices)
    last_index = gather(cast(index_size, datatypes.int64), size_of(index_size) - 1)
    flat = reshape(indices, stack([-1, last_index]))
    last = gather(cast(size, datatypes.int64), size_of(size) - 1)
    count = cast(shape_of(flat)[0], datatypes.int64) * last
    with name_scope(None, "range") as scope:
        start = cast(constant(0, datatypes.int32, name="start"), datatypes.int64)
        rows = apply_op("Range", start, count, last, name=scope)
    places = reshape(flat + cast(apply_op("ExpandDims", rows, -1), datatypes.int32), [-1])
    places = apply_op("ExpandDims", places, -1)
    made = apply_op("ScatterNd", places, reshape(grad, [-1]), [product_of(size)])
    return reshape(made, size)
