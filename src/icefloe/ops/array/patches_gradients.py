"""Gradient rules of patches of volumes."""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import reshape, shape_of, transpose


@gradient("ExtractVolumePatches")
def volume_patches(op: Operation, grad: Tensor) -> list[Any]:
    """Each element's share of the gradient, found by the patches of the elements' numbers; padding has number 0."""
    batch, planes, rows, cols, channels = apply_op("Unpack", shape_of(op.inputs[0], datatypes.int64), num=5)
    places = apply_op("Unpack", shape_of(op.outputs[0], datatypes.int64)[1:4], num=3)
    sizes = op.get_attr("ksizes")[1:4]
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "padding")}
    one = constant(1, datatypes.int64)
    count = planes * rows * cols
    numbers = reshape(apply_op("Range", one, count + 1, one), apply_op("Pack", [one, planes, rows, cols, one]))
    sources = reshape(apply_op("ExtractVolumePatches", numbers, **attrs), [-1]) - 1
    taps = constant(math.prod(sizes), datatypes.int64)
    wide = reshape(grad, apply_op("Pack", [batch, *places, taps, channels]))
    flat = reshape(transpose(wide, [1, 2, 3, 4, 0, 5]), apply_op("Pack", [-one, batch * channels]))
    made = reshape(
        apply_op("UnsortedSegmentSum", flat, sources, count), apply_op("Pack", [planes, rows, cols, batch, channels])
    )
    return [transpose(made, [3, 0, 1, 2, 4])]
