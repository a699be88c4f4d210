"""What is kept of loops of TensorFlow 1's form while their gradients are built.

The forward loop counts its iterations and pushes what the gradient loop needs; the gradient loop counts down and pops.
A sync op in each makes pushes and pops of one iteration end before the next begins.

Source: tensorflow/python/ops/control_flow_state.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.autodiff.gradient_loop import GradientLoop, close, forward_loop_of, outside_of, within
from icefloe.autodiff.zeros import zeros_for_output, zeros_of
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.control_flow_context import changes_uncounted
from icefloe.graph.control_flow_nodes import (
    is_loop_constant_enter,
    is_loop_exit,
    is_switch,
    output_context,
    while_context_of,
)
from icefloe.graph.control_flow_ops import enter, leave, merge, next_iteration, switch, switch_colocated
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with, control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.while_context import WhileContext
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_shape import shape_internal


class LoopState:
    """One loop and the loop of its gradients. outer: the state of the loop around, if there is one."""

    def __init__(self, forward: WhileContext, outer: LoopState | None) -> None:
        self.forward = forward
        self.outer = outer
        # name of a tensor of the forward loop -> what stands for it in the gradient loop.
        self.history: dict[str, Tensor] = {}
        # Switch of a loop variable -> the Merge that its gradient starts from.
        self.switches: dict[Operation, Tensor] = {}
        self.unused_exits: list[Tensor] = []
        self.deferred_exits: list[Tensor] = []
        self.forward_exits = list(forward.loop_exits)
        self.pending_exits = len(self.forward_exits)
        self._forward_sync: Operation | None = None
        self._gradient_sync: Operation | None = None
        around = outer.forward if outer is not None else forward.outer_context
        with within(around):
            count, self.forward_index = self._count_up()
        if outer is None:
            with within(around):
                self.gradient = GradientLoop(self, forward)
                self.gradient_index = self.gradient.count_down(count, None)
            return
        outer.forward.AddName(count.name)
        history = outer.push(count)
        with within(outer.gradient):
            self.gradient = GradientLoop(self, forward)
            self.gradient_index = self.gradient.count_down(outer.pop(history, count), outer)

    def _count_up(self) -> tuple[Tensor, Tensor]:
        """Let the forward loop count its iterations; return the count and the counter of the next iteration."""
        forward = self.forward
        n = constant(0, name="f_count")
        if self.outer is not None:
            n.op._add_control_input(self.outer.forward_index.op.inputs[0].op)
        with within(forward):
            forward.AddName(n.name)
            entered = enter(n, forward.name, parallel_iterations=forward.parallel_iterations, name="f_count")
            forward._loop_enters.append(entered)
            head = merge([entered, entered])[0]
            off, on = switch(head, forward.pivot)
            following = next_iteration(apply_op("AddV2", on, 1, name="Add"))
            with changes_uncounted(head.graph):
                head.op._update_input(1, following)
            count = leave(off, name="f_count")
            forward._loop_exits.append(count)
            forward.ExitResult([count])
        return count, following

    # What makes the iterations wait for each other

    @property
    def forward_sync(self) -> Operation:
        """What ends each iteration of the forward loop."""
        if self._forward_sync is None:
            with control_dependencies(None):
                sync = apply_op("ControlTrigger", name="f_sync")
            sync._set_control_flow_context(self.forward)
            self.forward_index.op._add_control_input(sync)
            self._forward_sync = sync
        return self._forward_sync

    @property
    def gradient_sync(self) -> Operation:
        """What ends each iteration of the gradient loop."""
        if self._gradient_sync is None:
            with control_dependencies(None):
                sync = apply_op("ControlTrigger", name="b_sync")
            sync._set_control_flow_context(self.gradient)
            self.gradient_index.op._add_control_input(sync)
            if self.gradient.outer_context is not None:
                self.gradient.outer_context.AddInnerOp(sync)
            self._gradient_sync = sync
        return self._gradient_sync

    # History

    def push(self, value: Tensor, *, dead_branch: bool = False) -> Tensor:
        """Let the forward loop push `value` in each iteration; return the stack.

        dead_branch: `value` belongs to the branch of a conditional that is not taken.
        """
        graph = self.forward_index.graph
        with graph.as_default(), control_dependencies(None):
            with within(get_default_graph()._get_control_flow_context()), colocate_with(value):
                limit = constant(-1, datatypes.int32)
                stack = apply_op("StackV2", limit, elem_type=value.dtype.base_dtype, name="f_acc")
            inside = self.forward.AddValue(stack)
            there = output_context(value.op)
            if there is self.forward:
                with within(self.forward):
                    pushed = self._push(inside, value)
                self.forward_index.op._add_control_input(pushed)
            else:
                if there is None or not there.IsCondContext():
                    raise TypeError(f"value_ctxt is not a CondContext: {there}")
                with within(there.outer_context if dead_branch else there):
                    pushed = self._push(inside, value)
                if dead_branch:
                    pushed._set_control_flow_context(there)
                self.forward_sync._add_control_input(pushed)
            pushed._add_control_input(self.forward_index.op.inputs[0].op)
        return stack

    def _push(self, stack: Tensor, value: Tensor) -> Operation:
        pushed: Tensor = apply_op("StackPushV2", stack, value, swap_memory=self.forward.swap_memory)
        return pushed.op

    def pop(self, history: Tensor, value: Tensor, *, dead_branch: bool = False) -> Tensor:
        """Return what was pushed of `value` on the stack `history`, in the gradient loop."""
        here = history.op._control_flow_context
        conditional = None
        there = value.op._control_flow_context
        while there is not None and there is not here:
            if there.IsCondContext():
                conditional = there
                break
            there = there.outer_context
        with control_dependencies(None), within(self.gradient):
            if conditional is not None:
                branch = 1 - conditional.branch if dead_branch else conditional.branch
                history = switch_colocated(history, self._predicate(conditional))[branch]
            popped = apply_op("StackPopV2", history, elem_type=value.dtype.base_dtype)
            popped.set_shape(value.shape)
        if self.gradient.parallel_iterations > 1:
            self.gradient_sync._add_control_input(popped.op)
        return popped

    def _predicate(self, conditional: Any) -> Tensor:
        state: LoopState | None = self
        while state is not None:
            found = state.history.get(conditional.pred.name)
            if found is not None:
                return found
            state = state.outer
        pred: Tensor = conditional.pred
        return pred

    def real_value(self, value: Tensor) -> Tensor:
        """Return what stands in the gradient loop for a tensor of the forward loop."""
        found = self.history.get(value.name)
        if found is None:
            found = self.history[value.name] = self._made_real(value)
        return found

    def _made_real(self, value: Tensor) -> Tensor:
        state: LoopState = self
        while (entered := _loop_constant_enter(value)) is not None:
            value = entered.inputs[0]
            if state.outer is None:
                return self.gradient.AddValue(value)
            state = state.outer
        if value.op.type == "Const":
            return constant(constant_value(value), dtype=value.dtype)
        with outside_of(self.gradient):
            history = state.push(value)
        popped = state.pop(history, value)
        return popped if state is self else self.gradient.AddValue(popped)

    def real_predicate(self, pred: Tensor) -> Tensor:
        """Return what stands for the predicate of a conditional of the forward loop."""
        found = self.history.get(pred.name)
        if found is None:
            with outside_of(self.gradient):
                history = self.push(pred)
            found = self.history[pred.name] = self.pop(history, pred)
        return found


def _loop_constant_enter(value: Tensor) -> Operation | None:
    """Return the Enter of a loop invariant that `value` is, as it is or switched."""
    op = value.op
    while op.type in ("Switch", "RefSwitch", "Identity", "RefIdentity"):
        op = op.inputs[0].op
    return op if is_loop_constant_enter(op) else None


class LoopStates:
    """The loops between the ends of one call of `gradients`."""

    def __init__(self) -> None:
        self._by_loop: dict[Any, LoopState] = {}

    def state_of(self, op: Operation, *, before: bool) -> LoopState | None:
        """Return the state of the loop `op` is in; with `before`, of an Exit that of the loop around."""
        context = while_context_of(op._control_flow_context)
        if before and is_loop_exit(op):
            context = forward_loop_of(op)
        return self._by_loop.get(context)

    @contextlib.contextmanager
    def inside(self, op: Operation, *, before: bool) -> Iterator[None]:
        """Build gradients of `op` in the gradient loop of its loop."""
        state = self.state_of(op, before=before)
        with within(None if state is None else state.gradient):
            yield

    def add(self, op: Operation, order: list[Operation], between: set[Operation]) -> None:
        """Take up the loop that `op`, an Exit, leaves; all its exits then count as between."""
        forward = while_context_of(op._control_flow_context)
        if forward in self._by_loop:
            return
        assert isinstance(forward, WhileContext)
        outer = while_context_of(forward.outer_context)
        state = self._by_loop[forward] = LoopState(forward, None if outer is None else self._by_loop.get(outer))
        for value in state.forward_exits:
            if value.op not in between:
                between.add(value.op)
                order.append(value.op)

    def unused_exits(self, pending: dict[Operation, int], started: set[Operation]) -> list[Tensor]:
        """Return exits that nothing uses, of loops none of whose exits waits."""
        found: list[Tensor] = []
        for state in self._by_loop.values():
            for y in state.forward_exits:
                if pending[y.op] == 0:
                    state.pending_exits -= 1
                    if y.op not in started:
                        state.unused_exits.append(y)
                    if state.pending_exits == 0:
                        found.extend(state.unused_exits)
            for y in state.forward.loop_enters:
                # An Enter that nothing in between uses is reached through the loop alone.
                if pending[y.op] == 0:
                    pending[y.op] = 1
        return found

    def zeros_for_exit(self, value: Tensor) -> Tensor:
        """Return the zeros that are the gradient of an unused exit."""
        forward = value.op._control_flow_context
        outer_loop = while_context_of(forward.outer_context)
        outer = None if outer_loop is None else self._by_loop.get(outer_loop)
        if outer is None:
            return (
                zeros(value.shape, value.dtype) if value.shape.is_fully_defined() else zeros_like(value, optimize=False)
            )
        if value.shape.is_fully_defined():
            with within(outer.gradient):
                return zeros(value.shape, value.dtype)
        with within(forward.outer_context):
            size = shape_internal(value, optimize=False)
        history = outer.push(size)
        with within(outer.gradient):
            return zeros(outer.pop(history, size), value.dtype)

    def zeros_like_output(self, op: Operation, index: int) -> Tensor | None:
        """Return zeros for output `index` of `op`, which may be in a loop; None for a loop variable's Switch."""
        context = op._control_flow_context
        if is_switch(op) and context is not None and context.IsWhileContext():
            return None
        state = self._by_loop.get(while_context_of(context))
        if state is None:
            return zeros_for_output(op, index)
        value = op.outputs[index]
        dead = is_switch(op)
        if value.shape.is_fully_defined():
            if value.dtype == datatypes.resource:
                result = zeros_of(value)
            else:
                result = constant(np.zeros(value.shape.as_list(), value.dtype.numpy), value.dtype.base_dtype)
            if dead:
                result = switch_colocated(result, state._predicate(context))[1 - context.branch]
            return result
        return self._dynamic_zeros(op, value, state, dead=dead)

    def _dynamic_zeros(self, op: Operation, value: Tensor, state: LoopState, *, dead: bool) -> Tensor:
        context = op._control_flow_context
        assert context is not None
        if dead:
            with within(context.outer_context):
                value = switch_colocated(op.inputs[0], context.pred)[1 - context.branch]
                size = shape_internal(value, optimize=False)
            value.op._set_control_flow_context(context)
            size.op._set_control_flow_context(context)
        else:
            with within(context):
                size = shape_internal(value, optimize=False)
        with outside_of(state.gradient):
            history = state.push(size, dead_branch=dead)
        return zeros(state.pop(history, size, dead_branch=dead), value.dtype)

    def close_unused_switches(self) -> None:
        """Give loop variables whose gradient does not come back a zero that does."""
        for state in self._by_loop.values():
            for head in state.switches.values():
                start = head.op.inputs[0]
                if start is not head.op.inputs[1]:
                    continue
                if start.shape.is_fully_defined():
                    with within(state.gradient):
                        close(
                            head, constant(np.zeros(start.shape.as_list(), start.dtype.numpy), start.dtype.base_dtype)
                        )
                    continue
                with within(state.gradient.outer_context):
                    grad = zeros(shape_internal(start.op.inputs[0], optimize=False), start.dtype)
                with within(state.gradient):
                    close(head, grad)


def states_of(order: list[Operation], between: set[Operation], colocate: bool) -> LoopStates | None:
    """Return the states of the loops among the operations in between, None where there is none."""
    states: LoopStates | None = None
    for op in order:
        if is_loop_exit(op) and op._control_flow_context is not None:
            states = states or LoopStates()
            with colocate_with(op) if colocate else contextlib.nullcontext():
                states.add(op, order, between)
    return states
