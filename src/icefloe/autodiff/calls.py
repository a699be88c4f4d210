"""Gradients of calls of traced functions.

The gradient is a call, too: of a function that computes the gradients of the arguments from those of the results. What
it needs of the midst of the forward function, that gives as results more, and the forward node is changed to call it:
nothing is computed twice, and what was drawn at random is the same.

Source: tensorflow/python/eager/polymorphic_function/concrete_function.py.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff.function_bodies import GradientBody, add_outputs, origin, place_of
from icefloe.autodiff.walk import gradients_of_body
from icefloe.autodiff.zeros import is_trainable
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.concrete_functions import ConcreteFunction, inference_name
from icefloe.lib.function_tracing import pack_results, trace


class _CallGradient(GradientBody):
    """The gradient of a function. intermediates: tensors in its midst that the forward call must put out."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        super().__init__(f"backward_{concrete.graph.name}", concrete.graph)
        self.concrete = concrete
        self.intermediates: list[Tensor] = []

    def reached(self, tensor: Tensor) -> Tensor:
        copy = self.copied(tensor)
        if copy is not None:
            return copy
        if tensor.dtype == datatypes.resource:
            place = place_of(origin(tensor), self.concrete.inputs)
            if place is not None:
                return self.argument(self.concrete.inputs[place])
        if place_of(tensor, self.concrete.inputs) is None and place_of(tensor, self.concrete.outputs) is None:
            self.intermediates.append(tensor)
        return self.argument(tensor)


def call_gradient(op: Operation, *grads: Any) -> list[Any]:
    """The gradients of the inputs of a call."""
    concrete: ConcreteFunction = vars(op)["__concrete"]
    body = _CallGradient(concrete)
    trace(body, functools.partial(_gradients, concrete, grads))
    if not body.outputs:
        return [None] * len(op.inputs)
    if body.intermediates:
        concrete = _put_out(op, concrete, body.intermediates)
    captures = [(_outside(op, concrete, external), internal) for external, internal in body.captures]
    body.set_captures(captures)
    backward = ConcreteFunction(
        body, inference_name(body.name), (), {}, inputs=[internal for _, internal in captures], captures=captures
    )
    call = backward.call_op([external for external, _ in captures])
    made: list[Any] = list(pack_results(body.structured_outputs, call.outputs))
    return made


def _gradients(concrete: ConcreteFunction, grads: Sequence[Any]) -> list[Any]:
    pairs = [(y, grad) for y, grad in zip(concrete.outputs, grads) if grad is not None and is_trainable(y)]
    if not pairs:
        return [None] * len(concrete.inputs)
    ys, given = zip(*pairs)
    return gradients_of_body(concrete.graph, ys, concrete.inputs, given)


def _put_out(op: Operation, concrete: ConcreteFunction, wanted: Sequence[Tensor]) -> ConcreteFunction:
    """Let the call give tensors in the midst of its function, too; return the function it calls now."""
    forward = concrete.with_results(wanted)
    forward.add_to_graph(op.graph)
    add_outputs(op, wanted)
    op._set_func_attr("f", forward._name)
    op._set_type_list_attr("Tout", [tensor.dtype for tensor in forward.outputs])
    vars(op)["__concrete"] = forward
    return forward


def _outside(op: Operation, concrete: ConcreteFunction, tensor: Tensor) -> Tensor:
    """Return what a tensor of the function is beside the call."""
    if tensor.graph is not concrete.graph:
        return tensor
    place = place_of(tensor, concrete.outputs)
    if place is not None:
        return op.outputs[place]
    place = place_of(tensor, concrete.inputs)
    assert place is not None, tensor
    return op.inputs[place]
