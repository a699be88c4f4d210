"""TensorFlow 1's control flow: values that go one way or the other, and meet again.

What goes the way not taken is `DEAD`; the engines do not run a node that gets a dead value, and its outputs are dead
too. Only Merge runs with some: it hands on the first that is alive. In loops, Enter, Exit and NextIteration carry
values between the iterations; as kernels they hand them on, the engine does the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unchanged
from icefloe.ops.flow.dead import DEAD
from icefloe.shapes import Dims, shape_text

_INDEX = [np.int32(i) for i in range(64)]


@kernel("Switch", "RefSwitch", takes_refs=True, returns="stored")
def switch(data: Any, pred: Any) -> tuple[Any, Any]:
    """`data` to output 1 where `pred` holds, else to output 0."""
    if np.ndim(pred):
        raise errors.InvalidArgumentError(
            f"The second input must be a scalar, but it has shape {shape_text(np.shape(pred))}"
        )
    return (DEAD, data) if pred else (data, DEAD)


@shape("Switch", "RefSwitch", "_SwitchN")
def switch_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(0)] * c.num_outputs


@kernel("_SwitchN", returns="stored")
def switch_n(data: Any, index: Any, *, num_outs: int) -> tuple[Any, ...]:
    """`data` to the output of this index; to the last one for any index out of range."""
    number = int(index)
    outputs = [DEAD] * num_outs
    outputs[number if 0 <= number < num_outs else -1] = data
    return tuple(outputs)


@kernel("Merge", "RefMerge", takes_refs=True, returns="stored")
def merge_alive(inputs: tuple[Any, ...]) -> tuple[Any, Any]:
    """The first input that is alive, and its index; both dead where none is."""
    for i, value in enumerate(inputs):
        if value is not DEAD:
            return value, _INDEX[i] if i < len(_INDEX) else np.int32(i)
    return DEAD, DEAD


@shape("Merge", "RefMerge")
def merge_shape(c: ShapeContext) -> list[Dims]:
    """What all inputs agree on: a size where it is the same in each, unknown rank where ranks differ."""
    dims = c.shape(0)
    for i in range(1, c.num_inputs):
        other = c.shape(i)
        if dims is None or other is None or len(dims) != len(other):
            return [None, ()]
        dims = tuple([n if n == m else None for n, m in zip(dims, other)])
    return [dims, ()]


@kernel("RefSelect", takes_refs=True, returns="stored")
def ref_select(index: Any, inputs: tuple[Any, ...]) -> Any:
    """The reference of this index."""
    if np.ndim(index):
        raise errors.InvalidArgumentError(f"Index must be a scalar, but it has shape {shape_text(np.shape(index))}")
    number = int(index)
    if not 0 <= number < len(inputs):
        raise errors.InvalidArgumentError(f"Index must be in the range [0, {len(inputs)}) but got {number}")
    return inputs[number]


@shape("RefSelect")
def ref_select_shape(c: ShapeContext) -> list[Dims]:
    dims = c.shape(1)
    for i in range(2, c.num_inputs):
        other = c.shape(i)
        if dims is None or dims != other:
            return [None]
    return [merge(dims, None)]


@kernel(
    "Enter",
    "RefEnter",
    "Exit",
    "RefExit",
    "NextIteration",
    "RefNextIteration",
    "RefIdentity",
    takes_refs=True,
    returns="stored",
)
def hand_on(data: Any) -> Any:
    return data


shape("Exit", "RefExit", "NextIteration", "RefNextIteration", "RefIdentity")(unchanged)


@shape("Enter", "RefEnter")
def enter_shape(c: ShapeContext) -> list[Dims]:
    """The input's shape for a value that is the same in every iteration; others may change theirs as they go round."""
    return [c.shape(0) if c.attr("is_constant") else None]


@kernel("LoopCond", returns="stored")
def loop_cond(pred: Any) -> Any:
    return pred


@shape("LoopCond")
def loop_cond_shape(c: ShapeContext) -> list[Dims]:
    return [()]
