"""Gradient rules of sparse tensors: those of their values."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    cast,
    concat,
    conj,
    gather,
    kept_shape,
    ones,
    range_to,
    reshape,
    shape_of,
    sum_over,
)


@gradient("SparseTensorDenseMatMul")
def matmul(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By the values, element by element, and by the dense matrix."""
    indices, values, size, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    by_b = apply_op("SparseTensorDenseMatMul", indices, values, size, grad, adjoint_a=not adjoint_a)
    if adjoint_b:
        by_b = apply_op("Transpose", conj(by_b), [1, 0])
        b = apply_op("Transpose", conj(b), [1, 0])
    rows, cols = indices[:, 0], indices[:, 1]
    left = gather(grad, cols if adjoint_a else rows)
    right = gather(b, rows if adjoint_a else cols)
    by_values = apply_op("Sum", left * conj(right), 1)
    return None, conj(by_values) if adjoint_a else by_values, None, by_b


@gradient("SparseToDense")
def to_dense(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By the values and by the default value."""
    indices = op.inputs[0]
    flat = indices
    if indices.shape.rank is not None and indices.shape.rank < 2:
        flat = reshape(indices, concat([shape_of(indices), [1]]) if indices.shape.rank else [1, 1])
    by_values = apply_op("GatherNd", grad, flat)
    by_default = sum_over(grad) - sum_over(by_values)
    scalar = op.inputs[2].shape.rank == 0
    return None, None, sum_over(by_values) if scalar else by_values, by_default


@gradient("SparseReorder")
def reorder(op: Operation, _: Any, grad: Tensor) -> tuple[Any, ...]:
    """The gradient put back in the order of the input."""
    indices, _values, size = op.inputs
    numbers = range_to(shape_of(indices)[0])
    ordered = apply_op("SparseReorder", indices, numbers, size)
    return None, gather(grad, apply_op("InvertPermutation", ordered[1])), None


@gradient("SparseReduceSum")
def reduce_sum(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """Each value has the gradient of the sum that it is part of."""
    indices, _values, size, axes = op.inputs
    kept = kept_shape(size, axes)
    kept = kept if isinstance(kept, Tensor) else kept.tolist()
    spread = reshape(grad, kept)
    scale = size // cast(apply_op("Shape", spread), datatypes.int64)
    return None, apply_op("GatherNd", spread, indices // scale), None, None


@gradient("SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def with_dense(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By the values and by the dense operand, which may have been broadcast."""
    indices, values, size, y = op.inputs
    y_size = shape_of(y, datatypes.int64)
    added = shape_of(size)[0] - shape_of(y_size)[0]
    before = ones([added], datatypes.int64)
    places = indices // (size // concat([before, y_size]))
    places = apply_op("Slice", places, apply_op("Pack", [0, added]), [-1, -1])
    dense = apply_op("GatherNd", y, places)
    if op.type == "SparseDenseCwiseMul":
        by_values, by_places = grad * dense, grad * values
    else:
        by_values, by_places = grad / dense, grad * (-values / apply_op("Square", dense))
    return None, by_values, None, apply_op("ScatterNd", places, by_places, y_size)
