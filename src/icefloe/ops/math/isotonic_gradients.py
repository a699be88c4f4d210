"""Gradient rule of isotonic regression."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import reshape, shape_of


@gradient("IsotonicRegression")
def isotonic_regression(op: Operation, grad: Tensor, _segments: Any) -> Tensor:
    """Each element gets the mean gradient of those that have one value with it."""
    segments = op.outputs[1]
    size = shape_of(segments)
    rows, columns = size[0], size[1]
    # Segments are counted within a row, where there are no more than columns.
    starts = apply_op("ExpandDims", apply_op("Range", 0, rows, 1) * columns, 1)
    numbers = reshape(segments + starts, [-1])
    count = rows * columns
    flat = reshape(grad, [-1])
    sums = apply_op("UnsortedSegmentSum", flat, numbers, count)
    members = apply_op("UnsortedSegmentSum", apply_op("OnesLike", flat), numbers, count)
    means = sums / apply_op("Maximum", members, apply_op("Cast", 1, DstT=grad.dtype))
    return reshape(apply_op("GatherV2", means, numbers, 0), size)
