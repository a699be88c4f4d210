"""Gradient rules of rows that are gathered, and of ragged tensors that are filled up.

Source: tensorflow/python/ops/ragged/ragged_gather_ops.py, ragged_conversion_ops.py (nodes and names).
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.slicing import boolean_mask
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import reshape, shape_of


@gradient("RaggedGather")
def ragged_gather(op: Operation, *grads: Any) -> list[Any]:
    """The values of a row that was gathered get the gradients of its copies."""
    *splits, values, indices = op.inputs
    combined = splits[0]
    for inner in splits[1:]:
        combined = apply_op("GatherV2", inner, combined, 0)
    flat = apply_op("Reshape", indices, [-1])
    starts = apply_op("GatherV2", combined, flat, 0)
    limits = apply_op("GatherV2", combined[1:], flat, 0)
    places = apply_op("RaggedRange", starts, limits, 1).rt_dense_values
    return [*[None] * len(splits), IndexedSlices(grads[-1], places, shape_of(values)), None]


@gradient("RaggedTensorToTensor")
def ragged_tensor_to_tensor(op: Operation, grad: Tensor) -> list[Any]:
    """Each value gets the gradient of its place, the default value the sum of the others'."""
    _, values, default, *partitions = op.inputs
    types = op.get_attr("row_partition_types")
    depth = sum(1 for kind in types if kind != b"FIRST_DIM_SIZE")
    size = shape_of(values)
    numbers = apply_op("Range", 0, size[0], 1)
    shape = shape_of(grad)[: 1 + depth]
    places = apply_op("RaggedTensorToTensor", shape, numbers, -1, partitions, row_partition_types=types)
    filled = apply_op("NotEqual", places, -1)
    of_values = IndexedSlices(boolean_mask(grad, filled), boolean_mask(places, filled), size)
    rest = boolean_mask(grad, apply_op("LogicalNot", filled))
    rank = default.shape.rank
    own = apply_op("Rank", default) if rank is None else rank
    outer = apply_op("Range", 0, apply_op("Rank", rest) - own, 1)
    of_default = reshape(apply_op("Sum", rest, outer), shape_of(default))
    return [None, of_values, of_default, *[None] * len(partitions)]
