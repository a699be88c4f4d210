"""Gradient rules of ops that choose, add or weigh the elements of sparse tensors."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor


@gradient("SparseAdd")
def add(op: Operation, _indices: Any, grad: Tensor, _size: Any) -> tuple[Any, ...]:
    """By the values of both operands: that of the sum at their places."""
    by_a, by_b = apply_op("SparseAddGrad", grad, op.inputs[0], op.inputs[3], op.outputs[0])
    by_a.set_shape(op.inputs[1].shape)
    by_b.set_shape(op.inputs[4].shape)
    return None, by_a, None, None, by_b, None, None


@gradient("SparseTensorDenseAdd")
def add_dense(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    return None, apply_op("GatherNd", grad, op.inputs[0]), None, grad


@gradient("SparseSlice")
def cut(op: Operation, _indices: Any, grad: Tensor, _size: Any) -> tuple[Any, ...]:
    """By the values: those that are left out have none."""
    by_values = apply_op("SparseSliceGrad", grad, op.inputs[0], op.inputs[3], op.outputs[0])
    by_values.set_shape(op.inputs[1].shape)
    return None, by_values, None, None, None


@gradient("SparseFillEmptyRows")
def fill_empty_rows(op: Operation, _indices: Any, grad: Tensor, *_: Any) -> tuple[Any, ...]:
    by_values, by_default = apply_op("SparseFillEmptyRowsGrad", op.outputs[3], grad)
    return None, by_values, None, by_default


@gradient("SparseSoftmax")
def softmax(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The softmax times what the gradient is above its mean over the row, weighed by the softmax."""
    indices, _values, size = op.inputs
    weights = op.outputs[0]
    mean = apply_op("SparseReduceSum", indices, weights * grad, size, [-1], keep_dims=True)
    return None, apply_op("SparseDenseCwiseAdd", indices, grad, size, -mean) * weights, None
