"""Gradient rules of While: a loop that turns as often, over the gradients of the variables.

What an iteration's gradient needs of that iteration, the forward loop pushes onto lists, from whose ends the gradient
loop takes them. What is the same in each iteration is passed as it is, and constants are copied.

Source: tensorflow/python/ops/while_v2.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff.function_bodies import (
    GradientBody,
    add_outputs,
    body_of,
    origin,
    place_of,
    publish,
    resource_argument,
)
from icefloe.autodiff.walk import UnconnectedGradients, gradients_of_body
from icefloe.autodiff.zeros import is_trainable, zeros_of
from icefloe.graph.attributes import encode
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.func_graph import FuncGraph, unique_function_name
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib.control import identity
from icefloe.lib.control_flow_while_v2 import add_unused, loop_op
from icefloe.lib.function_tracing import trace
from icefloe.lib.tensor_lists import element_shape_tensor

_COUNTED = "_num_original_outputs"


class _LoopGradient(GradientBody):
    """The gradient of one iteration.

    lists: the empty lists that the forward loop begins with. results: by argument that stands for what was taken in,
    what goes on to the next iteration in its place.
    """

    def __init__(self, name: str, condition: FuncGraph, forward: FuncGraph, op: Operation) -> None:
        super().__init__(name, forward)
        self._condition = condition
        self._op = op
        # The arguments and results of the body before lists were added.
        self._arguments = list(forward.inputs)
        self._given_back = [origin(tensor) for tensor in forward.outputs]
        self.lists: list[Tensor] = []
        self.results: dict[int, Tensor] = {}

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        return super().capture(origin(tensor) if tensor.graph is self.forward else tensor, name)

    def reached(self, tensor: Tensor) -> Tensor:
        copy = self.copied(tensor)
        if copy is not None:
            return copy
        if tensor.dtype == datatypes.resource:
            return self.argument(self._op.inputs[resource_argument(tensor, self.forward)])
        place = place_of(tensor, self._arguments)
        if place is not None and self._given_back[place] is tensor:
            return self.argument(self._op.inputs[place])
        known = _list_of(tensor, self.forward)
        pushed = self.argument(self._new_list(tensor) if known is None else known)
        with self.as_default(), self.control_dependencies(None):
            shape = element_shape_tensor(tensor.shape)
            rest, value = apply_op("TensorListPopBack", pushed, shape, element_dtype=tensor.dtype)
        self.results[id(pushed)] = rest
        value.set_shape(tensor.shape)
        value._handle_data = tensor._handle_data
        return value

    def _new_list(self, tensor: Tensor) -> Tensor:
        outer = self._op.graph
        with outer.as_default(), outer.control_dependencies(None):
            shape = element_shape_tensor(tensor.shape)
            empty = apply_op("EmptyTensorList", shape, -1, element_dtype=tensor.dtype, name=f"{tensor.op.name}_values")
        self.lists.append(empty)
        with self.forward.as_default(), self.forward.control_dependencies(None):
            pushed: Tensor = apply_op("TensorListPushBack", empty, tensor)
        self.forward.outputs.append(pushed)
        self._condition.capture(empty)
        return pushed


def _list_of(tensor: Tensor, body: FuncGraph) -> Tensor | None:
    """Return the result of `body` that is a list of the values of `tensor` in all iterations, if there is one."""
    for op in tensor.consumers():
        if op.type == "TensorListPushBack" and op.inputs[1] is tensor:
            place = place_of(op.inputs[0], body.inputs)
            if place is not None and place < len(body.outputs) and origin(body.outputs[place]) is op.outputs[0]:
                return body.outputs[place]
    return None


@gradient("While", "StatelessWhile")
def while_gradient(op: Operation, *grads: Any) -> list[Any]:
    """The gradients of the inputs."""
    dims = [t._static_dims() for t in op.outputs]
    condition, body = [body_of(op, op.get_attr(name).name, op.inputs, dims) for name in ("cond", "body")]
    total = _turns(op, condition, body)
    places, given = [], []
    for i, grad in enumerate(grads):
        if is_trainable(op.outputs[i]) and not _is_unread_list(op, body, i, grad):
            start = _start(op.inputs[i], op.outputs[i], grad)
            if start is not None:
                places.append(i)
                given.append(start)
    found: list[Any] = [None] * len(grads)
    if not places:
        return found
    ys, xs = [body.outputs[i] for i in places], [body.inputs[i] for i in places]
    inputs = [constant(0, datatypes.int32, name="grad_counter"), total, *given]
    known = [None if y.dtype == datatypes.resource else body.inputs[i].shape for i, y in zip(places, ys)]
    specs = [TensorSpec([], datatypes.int32), TensorSpec([], datatypes.int32)]
    specs += [TensorSpec(shape, grad.dtype) for shape, grad in zip(known, given)]

    def iteration(counter: Tensor, total: Tensor, *values: Tensor) -> list[Any]:
        made = gradients_of_body(body, ys, xs, values, UnconnectedGradients.ZERO)
        return [counter + 1, total, *[_dense(grad) for grad in made]]

    made = _LoopGradient(unique_function_name("", f"{body.name}_grad"), condition, body, op)
    trace(made, iteration, specs)
    if made.lists:
        _push_in_forward(op, condition, body, made.lists)
    made.outputs.extend(made.results.get(id(inside), inside) for _, inside in made.captures)
    made.set_captures([(_outside(op, body, external), inside) for external, inside in made.captures])
    outputs = _loop(op, made, [*inputs, *made.external_captures], specs)
    for i, output in zip(places, outputs[2:]):
        found[i] = output
    return found


def _loop(op: Operation, made: FuncGraph, inputs: list[Tensor], specs: Sequence[TensorSpec]) -> list[Tensor]:
    condition = FuncGraph(unique_function_name("", f"{op.get_attr('cond').name}_grad"))
    trace(condition, lambda counter, total, *_: counter < total, specs)
    add_unused(condition, made)
    shapes = [t.shape for t in made.outputs]
    name = f"{op.name.rpartition('/')[2]}_grad"
    loop = loop_op(condition, made, inputs, shapes, op.get_attr("parallel_iterations"), name)
    return [identity(tensor) for tensor in loop.outputs]


def _dense(grad: Any) -> Any:
    return convert_to_tensor(grad) if isinstance(grad, IndexedSlices) else grad


def _start(start: Tensor, end: Tensor, grad: Any) -> Any:
    """Return the gradient of a variable behind the loop: zeros where only what happens inside counts."""
    if grad is None:
        return zeros_of(start if end.dtype == datatypes.resource else end)
    return _dense(grad)


def _is_unread_list(op: Operation, body: FuncGraph, index: int, grad: Any) -> bool:
    """Whether an output is a list that gradients asked for before, of which nothing is differentiated now."""
    if op.outputs[index].dtype != datatypes.variant:
        return False
    pushed = origin(body.outputs[index]).op
    if pushed.type != "TensorListPushBack" or pushed.inputs[0] is not body.inputs[index]:
        return False
    if not is_trainable(pushed.inputs[1]):
        return True
    return grad is None or (grad.op.type == "ZerosLike" and grad.op.inputs[0] is op.outputs[index])


def _turns(op: Operation, condition: FuncGraph, body: FuncGraph) -> Tensor:
    """Return how often the loop has turned: its first variable, where `while_loop` made it; else one is added."""
    if op.has_attr(_COUNTED) and op.outputs[0].dtype == datatypes.int32:
        return op.outputs[0]
    outer = op.graph
    with outer.as_default(), outer.control_dependencies(None):
        zero = constant(0, datatypes.int32, name="loop_counter")
    with body.as_default(), body.control_dependencies(None):
        body.outputs.append(apply_op("AddV2", body.capture(zero), 1))
    condition.capture(zero)
    _push_in_forward(op, condition, body, [zero])
    return op.outputs[-1]


def _push_in_forward(op: Operation, condition: FuncGraph, body: FuncGraph, starts: Sequence[Tensor]) -> None:
    """Let the loop have variables more, which begin with `starts`; condition and body have them already."""
    extra = body.outputs[len(op.outputs) :]
    publish(op, ("cond", "body"), (condition, body))
    types = [t.dtype for t in body.outputs]
    shapes = [t.shape for t in op.outputs] + [t.shape for t in extra]
    add_outputs(op, extra)
    op._set_type_list_attr("T", types)
    op._set_shape_list_attr("output_shapes", shapes)
    op._add_while_inputs(starts)
    if op.has_attr(_COUNTED):
        op._set_attr(_COUNTED, encode(len(op.outputs), "int", _COUNTED))


def _outside(op: Operation, body: FuncGraph, tensor: Tensor) -> Tensor:
    """Return what a result of the forward body is outside, behind the loop."""
    if tensor.graph is not body:
        return tensor
    place = place_of(tensor, body.outputs)
    assert place is not None, tensor
    return op.outputs[place]
