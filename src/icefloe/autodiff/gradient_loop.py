"""The loop that computes the gradients of a loop: as many iterations, from the last to the first.

A value of the forward loop that it needs comes from a stack that the forward loop pushes it on. What is summed over
the iterations (gradients of loop invariants) is a loop variable of its own.

Source: tensorflow/python/ops/control_flow_ops.py (WhileContext; names of nodes).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.control_flow_context import ControlFlowContext, changes_uncounted
from icefloe.graph.control_flow_nodes import is_loop_exit, while_context_of
from icefloe.graph.control_flow_ops import enter, leave, merge, next_iteration, switch
from icefloe.graph.conversion import constant
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.while_context import WhileContext
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import shape_internal

if TYPE_CHECKING:
    from icefloe.autodiff.loop_state import LoopState


@contextlib.contextmanager
def within(context: ControlFlowContext | None) -> Iterator[None]:
    """Build ops in `context`; where it is None, in the current one."""
    if context is None:
        yield
        return
    context.Enter()
    try:
        yield
    finally:
        context.Exit()


@contextlib.contextmanager
def outside_of(context: ControlFlowContext) -> Iterator[None]:
    """Build ops in the context that was current before `context` was entered."""
    context.Exit()
    try:
        yield
    finally:
        context.Enter()


def forward_loop_of(op: Operation) -> ControlFlowContext | None:
    """Return the loop that the outputs of `op` belong to."""
    context = while_context_of(op._control_flow_context)
    if context is not None and is_loop_exit(op):
        context = while_context_of(context.outer_context)
    return context


def current_gradient_loop() -> GradientLoop | None:
    """Return the gradient loop that ops are being built in, or None."""
    loop = while_context_of(get_default_graph()._get_control_flow_context())
    return loop if isinstance(loop, GradientLoop) else None


def close(head: Tensor, value: Tensor) -> None:
    """Give a Merge of a loop variable, made with its start twice, the value that comes back."""
    with changes_uncounted(head.graph):
        head.op._update_input(1, next_iteration(value))


class GradientLoop(WhileContext):
    """A loop over the iterations of `state.forward` backwards. state: what is known of the forward loop."""

    def __init__(self, state: LoopState, forward: WhileContext) -> None:
        super().__init__(
            maximum_iterations=forward.maximum_iterations,
            parallel_iterations=forward.parallel_iterations,
            back_prop=forward.back_prop,
            swap_memory=forward.swap_memory,
            name=forward.name,
        )
        self.state = state
        self.forward_loop = forward

    def AddValue(self, val: Tensor) -> Tensor:
        """Return what stands for `val`: of the forward loop, the value that was pushed in that iteration."""
        if val.name not in self._values:
            loop = current_gradient_loop()
            if loop is not None and forward_loop_of(val.op) is loop.state.forward:
                self._values.add(val.name)
                real = loop.state.real_value(val)
                self._external_values[val.name] = real
                return real
        return super().AddValue(val)

    def AddOp(self, op: Operation) -> None:
        """Take up `op`; shapes of values of the forward loop are taken there, so that only they are kept."""
        if op.type in ("Shape", "Size", "Rank"):
            loop = current_gradient_loop()
            source = op.inputs[0].op
            if loop is not None and while_context_of(source._control_flow_context) is loop.state.forward:
                context = source._control_flow_context
                op._set_control_flow_context(context)
                context.AddOp(op)
                return
        super().AddOp(op)

    # Loop variables of its own

    def _variable(self, start: Tensor, name: str, shape: Any = None) -> Tensor:
        self.AddName(start.name)
        entered = enter(
            start,
            self._name,
            parallel_iterations=self._parallel_iterations,
            use_input_shape=shape is None,
            name=name,
        )
        if shape is not None:
            entered.set_shape(shape)
        self._loop_enters.append(entered)
        return entered

    def _left(self, value: Tensor, name: str) -> Tensor:
        result = leave(value, name=name)
        self._loop_exits.append(result)
        return result

    def count_down(self, count: Tensor, outer: LoopState | None) -> Tensor:
        """Make the counter: from `count` iterations down. Return what it has in the next iteration."""
        one = constant(1, name="b_count")
        with within(self):
            entered = self._variable(count, "b_count")
            head = merge([entered, entered])[0]
            self._pivot_for_pred = head
            self._pivot = apply_op("LoopCond", apply_op("GreaterEqual", head, one), name="b_count")
            off, on = switch(head, self._pivot)
            index = apply_op("Sub", on, one)
            self._pivot_for_body = index
            following = next_iteration(index)
            with changes_uncounted(head.graph):
                head.op._update_input(1, following)
            final = self._left(off, "b_count")
            if outer is not None:
                outer.gradient_sync._add_control_input(final.op)
            self.ExitResult([final])
        return following

    def start_behind_exit(self, grad: Any) -> Any:
        """Return a gradient from behind the forward loop as the start of a loop variable."""
        parts = [grad] if isinstance(grad, Tensor) else [grad.values, grad.indices, grad.dense_shape]
        for part in parts:
            if part is not None:
                self.AddName(part.name)
        made: list[Any] = []
        with within(self):
            for part, name in zip(parts, ("b_exit", "b_exit_indices", "b_exit_dense_shape")):
                made.append(None if part is None else self._variable(part, name))
        return made[0] if isinstance(grad, Tensor) else IndexedSlices(made[0], made[1], made[2])

    def summed(self, op: Operation, grad: Tensor) -> Tensor:
        """Return the sum over all iterations of the gradient of a loop invariant that `op`, an Enter, brought in."""
        with outside_of(self):
            start = self._zeros_to_sum(op, grad)
        entered = self._variable(start, "b_acc")
        head = merge([entered, entered], name="b_acc")[0]
        off, on = switch(head, self._pivot)
        close(head, apply_op("AddV2", on, grad, name="Add"))
        result = self._left(off, "b_acc")
        self.ExitResult([result])
        # The caller builds on behind the loop.
        return result

    def _zeros_to_sum(self, op: Operation, grad: Tensor) -> Tensor:
        outer = self._outer_context
        if grad.shape.is_fully_defined():
            with within(outer):
                return constant(np.zeros(grad.shape.as_list(), grad.dtype.numpy), grad.dtype.base_dtype, name="b_acc")
        value = op.inputs[0]
        if isinstance(outer, GradientLoop):
            with within(self.state.forward.outer_context):
                size = shape_internal(value, optimize=False)
            assert self.state.outer is not None
            history = self.state.outer.push(size)
            with within(outer):
                return zeros(self.state.outer.pop(history, size), grad.dtype)
        with within(outer):
            return zeros(shape_internal(value, optimize=False), grad.dtype)

    def joined(self, op: Operation, grad: IndexedSlices) -> IndexedSlices:
        """Return the slices of all iterations, one after another, behind a slice of zeros."""
        value = op.inputs[0]
        with outside_of(self), within(self._outer_context):
            values, indices, size = self._starts_to_join(value, grad)
        starts = [indices, values] if size is None else [indices, values, size]
        tail = values.shape.as_list()[1:] if values.shape.rank else None
        shapes = [[None], None if tail is None else [None, *tail], None]
        entered = [self._variable(start, "b_acc", shape) for start, shape in zip(starts, shapes)]
        heads = [merge([e, e], name="b_acc")[0] for e in entered]
        switched = [switch(head, self._pivot) for head in heads]
        joined = [concat([s[1], new], 0) for s, new in zip(switched[:2], (grad.indices, grad.values))]
        if size is not None:
            joined.append(apply_op("Maximum", grad.dense_shape, switched[2][1]))
        for head, back in zip(heads, joined):
            close(head, back)
        exits = [self._left(s[0], "b_acc") for s in switched]
        self.ExitResult(exits)
        return IndexedSlices(exits[1], exits[0], None if size is None else exits[2])

    def _starts_to_join(self, value: Tensor, grad: IndexedSlices) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, indices and shape that the slices of all iterations are put behind: one slice of zeros."""
        if grad.values.shape.is_fully_defined():
            sizes: list[Any] = grad.values.shape.as_list()
            zeros_of_one = np.zeros([1, *sizes[1:]], grad.dtype.numpy)
            values = constant(zeros_of_one, grad.dtype.base_dtype, name="b_acc")
        else:
            values = zeros(concat([[1], shape_internal(value, optimize=False)[1:]], 0), dtype=grad.dtype)
        indices = constant([0], grad.indices.dtype)
        size = grad.dense_shape
        if size is None:
            return values, indices, None
        if size.shape.is_fully_defined():
            return values, indices, constant(np.zeros(size.shape.as_list(), size.dtype.numpy), size.dtype.base_dtype)
        whole = shape_internal(value, optimize=False, out_type=size.dtype)
        return values, indices, zeros_like(whole, optimize=False)
