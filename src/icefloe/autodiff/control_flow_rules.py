"""Gradient rules of Switch, Merge, Enter, Exit and NextIteration.

A conditional's gradient is a conditional: Merge for each Switch, Switch for each Merge. A loop's is a loop that runs
backwards; `gradient_loop` has it.

Source: tensorflow/python/ops/control_flow_grad.py.
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.autodiff.gradient_loop import GradientLoop, close
from icefloe.graph.build import apply_op
from icefloe.graph.control_flow_nodes import output_context
from icefloe.graph.control_flow_ops import leave, merge, switch, switch_colocated
from icefloe.graph.default_graph import colocate_with
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor
from icefloe.lib.control_flow_values import merge as merge_any
from icefloe.lib.control_flow_values import switch as switch_parts


def _current() -> Any:
    return get_default_graph()._get_control_flow_context()


def _switched(data: Any, pred: Tensor, name: str = "Switch") -> Any:
    """Return a tensor or IndexedSlices on both sides of a Switch, placed with it."""
    if isinstance(data, Tensor):
        return switch_colocated(data, pred, name=name)
    with colocate_with(data.values, ignore_existing=True):
        return switch_parts(data, pred, name=name)


@gradient("Switch", "RefSwitch")
def switch_gradient(op: Operation, *grads: Any) -> tuple[Any, None]:
    """The gradient of the side that the value went to."""
    context = op._control_flow_context
    if context is not None and context.IsWhileContext():
        return _loop_switch(op, grads), None
    if context is not None and context.IsCondContext():
        if grads[1 - context.branch] is None:
            if op.inputs[0].dtype == datatypes.resource:
                return merge_any([grads[context.branch]] * 2, name="cond_resource_grad")[0], None
            return None, None
        return merge_any(list(grads), name="cond_grad")[0], None
    false_grad = switch(grads[0], op.inputs[1])[0]
    true_grad = switch(grads[1], op.inputs[1])[1]
    return merge([false_grad, true_grad])[0], None


def _loop_switch(op: Operation, grads: tuple[Any, ...]) -> Any:
    """The first time a loop variable's Switch is met, from behind its Exit; then from the body."""
    loop = _current()
    assert isinstance(loop, GradientLoop)
    head = loop.state.switches.get(op)
    if head is not None:
        if grads[1] is not None:
            close(head, grads[1])
        return None
    if grads[0] is None:
        return None
    made: Tensor = merge([grads[0], grads[0]], name="b_switch")[0]
    loop.state.switches[op] = made
    return made


@gradient("Merge", "RefMerge")
def merge_gradient(op: Operation, grad: Any, _: Any) -> Any:
    """The gradient for the input that was alive."""
    context: Any = output_context(op.inputs[0].op)
    if context is not None and context.IsWhileContext():
        return _switched(grad, _current().pivot)
    if context is not None and context.IsCondContext():
        pred = context.pred
        loop = _current()
        loop = None if loop is None else loop.GetWhileContext()
        if isinstance(loop, GradientLoop):
            pred = loop.state.real_predicate(pred)
        return _switched(grad, pred, name="cond_grad")
    chosen = [apply_op("Equal", op.outputs[1], i) for i in range(len(op.inputs))]
    return [_switched(grad, this)[1] for this in chosen]


@gradient("Exit", "RefExit")
def exit_gradient(op: Operation, grad: Any) -> Any:
    """The start of a variable of the gradient loop."""
    loop = _current()
    if not isinstance(loop, GradientLoop) or not loop.back_prop:
        return None
    if isinstance(op._control_flow_context, GradientLoop):
        raise TypeError("Second-order gradient for while loops not supported.")
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise TypeError(
            f"Type {type(grad)} not supported, must be either`indexed_slices.IndexedSlices` or `SparseTensor`."
        )
    return loop.start_behind_exit(grad)


@gradient("NextIteration", "RefNextIteration")
def next_iteration_gradient(op: Operation, grad: Any) -> Any:
    """The gradient, of the iteration before."""
    return grad


@gradient("Enter", "RefEnter")
def enter_gradient(op: Operation, grad: Any) -> Any:
    """The gradient behind the gradient loop: of an invariant, the sum over all iterations."""
    loop = _current()
    if not isinstance(loop, GradientLoop) or not loop.back_prop:
        return grad
    if op.get_attr("is_constant"):
        return loop.joined(op, grad) if isinstance(grad, IndexedSlices) else loop.summed(op, grad)
    result = leave(grad)
    loop._loop_exits.append(result)
    loop.ExitResult([result])
    return result


not_differentiable("LoopCond", "ControlTrigger")
