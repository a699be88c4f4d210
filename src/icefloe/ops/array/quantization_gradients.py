"""Gradient rules of quantization that is undone at once."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor


@gradient("QuantizeAndDequantizeV4")
def quantize_and_dequantize(op: Operation, grad: Tensor) -> Any:
    """Within the range the gradient goes through."""
    return apply_op("QuantizeAndDequantizeV4Grad", grad, *op.inputs, axis=op.get_attr("axis"))
