"""Questions about the nodes of conditionals and loops: what they are, and which context they belong to.

A context is a `control_flow_context.ControlFlowContext`; an op made while the graph has one belongs to it.

Source: tensorflow/python/ops/control_flow_util.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

if TYPE_CHECKING:
    from icefloe.graph.control_flow_context import ControlFlowContext


def is_switch(op: Operation) -> bool:
    """Whether it is a Switch, of a value or a reference."""
    return op.type in ("Switch", "RefSwitch")


def is_merge(op: Operation) -> bool:
    """Whether it is a Merge, of values or references."""
    return op.type in ("Merge", "RefMerge")


def is_loop_enter(op: Operation) -> bool:
    """Whether it carries a value into a loop."""
    return op.type in ("Enter", "RefEnter")


def is_loop_exit(op: Operation) -> bool:
    """Whether it carries a value out of a loop."""
    return op.type in ("Exit", "RefExit")


def is_loop_constant_enter(op: Operation) -> bool:
    """Whether it carries a value that is the same in every iteration into a loop."""
    return is_loop_enter(op) and bool(op.get_attr("is_constant"))


def output_context(op: Operation) -> ControlFlowContext | None:
    """Return the context that the outputs of `op` belong to: those of an Exit are outside of its loop."""
    context: ControlFlowContext | None = op._control_flow_context
    return context.outer_context if context is not None and is_loop_exit(op) else context


def while_context_of(context: ControlFlowContext | None) -> ControlFlowContext | None:
    """Return the innermost loop around `context`, or itself if it is one."""
    while context is not None and not context.IsWhileContext():
        context = context.outer_context
    return context


def contains(outer: ControlFlowContext | None, context: ControlFlowContext | None) -> bool:
    """Whether `outer` is `context` or around it; None, outside of all, is around everything."""
    while context is not outer:
        if context is None:
            return False
        context = context.outer_context
    return True


def check_inputs(op: Operation, inputs: Iterable[Tensor]) -> None:
    """Raise ValueError if `op` takes a value out of a loop that it does not belong to."""
    for tensor in inputs:
        source = tensor.op
        there = output_context(source)
        if there is None or there is op._control_flow_context:
            continue
        inner, outer = while_context_of(op._control_flow_context), while_context_of(there)
        if contains(outer, inner) or (inner is None and (is_loop_enter(op) or is_switch(op))):
            continue
        if inner is not None and _is_forward(inner.forward_loop, outer):
            continue
        text = f"Cannot use '{source.name}' as input to '{op.name}' because "
        text += "they are in different while loops." if inner is not None else f"'{source.name}' is in a while loop."
        raise ValueError(text + " See info log for more details.")


def _is_forward(forward: ControlFlowContext | None, loop: ControlFlowContext | None) -> bool:
    """Whether `loop`, which a gradient loop takes a value from, is its forward loop, or around or just inside of it."""
    if forward is None:
        return False
    return contains(loop, forward) or (loop is not None and loop.outer_context is forward)


def place_in_context(op: Operation) -> None:
    """Let the context that a new op was made in, if any, take it up. Raises: as `check_inputs`."""
    check_inputs(op, op.inputs)
    if op._control_flow_context is not None:
        op._control_flow_context.AddOp(op)
