"""Gradient rules of LSTM layers over whole sequences: the kernels made for them."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient


@gradient("BlockLSTM", "BlockLSTMV2")
def block_lstm(op: Operation, *grads: Any) -> tuple[Any, ...]:
    """By all inputs but the length; of the outputs only the last cell states and `h` count."""
    peephole = op.get_attr("use_peephole")
    suffix = op.type.removeprefix("BlockLSTM")
    made = apply_op(f"BlockLSTMGrad{suffix}", *op.inputs, *op.outputs, grads[1], grads[6], use_peephole=peephole)
    return (None, *made)
