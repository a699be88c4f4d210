"""Gradient rules of If and Case: the gradient of the branch that was taken, by an op of the same kind.

Source: tensorflow/python/ops/cond_v2.py.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff.function_bodies import (
    GradientBody,
    add_outputs,
    body_of,
    place_of,
    publish,
    publish_list,
    resource_argument,
)
from icefloe.autodiff.walk import gradients_of_body
from icefloe.autodiff.zeros import is_trainable, zeros_of
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.func_graph import FuncGraph, unique_function_name
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import shape
from icefloe.lib.control_flow_cond_v2 import gradient_choice
from icefloe.lib.function_tracing import trace
from icefloe.lib.math_range import range as tensor_range
from icefloe.lib.tensor_lists import empty_tensor_list
from icefloe.shapes import TensorShape

_IFS = ("If", "StatelessIf")


class _BranchGradient(GradientBody):
    """The gradient of one branch. intermediates: tensors of the branch that the op must put out."""

    def __init__(self, name: str, forward: FuncGraph) -> None:
        super().__init__(name, forward)
        self.intermediates: list[Tensor] = []

    def reached(self, tensor: Tensor) -> Tensor:
        copy = self.copied(tensor)
        if copy is not None:
            return copy
        forward = self.forward
        if tensor.dtype == datatypes.resource:
            return self.argument(forward.inputs[resource_argument(tensor, forward)])
        if place_of(tensor, forward.inputs) is None and place_of(tensor, forward.outputs) is None:
            self.intermediates.append(tensor)
        return self.argument(tensor)


@gradient("If", "StatelessIf", "Case", "StatelessCase")
def branches_gradient(op: Operation, *grads: Any) -> list[Any]:
    """The gradients of the inputs; the selector has none."""
    branches = _branches(op)
    made = []
    for branch in branches:
        body = _BranchGradient(unique_function_name("", f"{branch.name}_grad"), branch)
        trace(body, functools.partial(_gradients, branch, grads))
        made.append(body)
    _fill(branches, made)
    if any(body.intermediates for body in made):
        _put_out(op, branches, [body.intermediates for body in made])
    for branch, body in zip(branches, made):
        body.set_captures([(_outside(op, branch, external), internal) for external, internal in body.captures])
    with name_scope(None, op.type) as scope:
        return [None, *gradient_choice(op.inputs[0], made, is_if=op.type in _IFS, name=scope)]


def _branches(op: Operation) -> list[FuncGraph]:
    if op.type in _IFS:
        names = [op.get_attr(name).name for name in ("then_branch", "else_branch")]
    else:
        names = [function.name for function in op.get_attr("branches")]
    inputs = op.inputs[1:]
    return [body_of(op, name, inputs, [t._static_dims() for t in inputs]) for name in names]


def _gradients(branch: FuncGraph, grads: Sequence[Any]) -> list[Any]:
    pairs = [(y, grad) for y, grad in zip(branch.outputs, grads) if is_trainable(y) and grad is not None]
    if not pairs:
        return [None] * len(branch.inputs)
    ys, given = zip(*pairs)
    return gradients_of_body(branch, ys, branch.inputs, given)


def _fill(branches: Sequence[FuncGraph], made: Sequence[FuncGraph]) -> None:
    """Where one branch gives a gradient and another none, or one IndexedSlices, let all do so."""
    for i, group in enumerate(list(zip(*(body.structured_outputs for body in made)))):
        if all(grad is None for grad in group):
            continue
        slices = any(isinstance(grad, IndexedSlices) for grad in group)
        for branch, body, grad in zip(branches, made, group):
            with body.as_default():
                if grad is None:
                    grad = zeros_of(branch.inputs[i])
                if slices and not isinstance(grad, IndexedSlices):
                    grad = IndexedSlices(grad, tensor_range(shape(grad)[0]), shape(grad))
            body.structured_outputs[i] = grad
    for body in made:
        body.outputs = [
            body.capture(part)
            for grad in body.structured_outputs
            if grad is not None
            for part in ((grad.values, grad.indices, grad.dense_shape) if isinstance(grad, IndexedSlices) else (grad,))
            if part is not None
        ]
        body.inputs = body.internal_captures


def _put_out(op: Operation, branches: Sequence[FuncGraph], wanted: Sequence[Sequence[Tensor]]) -> None:
    """Let the op put out tensors of its branches; the branch that is not theirs puts out what nobody looks at."""
    extra: list[Tensor] = []
    for owner, tensors in zip(branches, wanted):
        for tensor in tensors:
            extra.append(tensor)
            for branch in branches:
                branch.outputs.append(tensor if branch is owner else _stand_in(branch, tensor))
    if op.type in _IFS:
        publish(op, ("then_branch", "else_branch"), branches)
    else:
        publish_list(op, "branches", branches)
    outputs = op.outputs
    shapes = [t.shape for t in outputs] + [t.shape for t in extra]
    types = [t.dtype for t in outputs] + [t.dtype for t in extra]
    add_outputs(op, extra)
    op._set_type_list_attr("Tout", types)
    op._set_shape_list_attr("output_shapes", shapes)


def _stand_in(branch: FuncGraph, tensor: Tensor) -> Tensor:
    with branch.as_default(), branch.control_dependencies(None):
        if tensor.dtype == datatypes.variant:  # of which gradients take zeros
            return empty_tensor_list(None, datatypes.float32)
        made: Tensor = apply_op("FakeParam", dtype=tensor.dtype, shape=TensorShape(tensor._static_dims()))
    return made


def _outside(op: Operation, branch: FuncGraph, tensor: Tensor) -> Tensor:
    """Return what a tensor of the branch is outside, beside the op."""
    if tensor.graph is not branch:
        return tensor
    place = place_of(tensor, branch.outputs)
    if place is not None:
        return op.outputs[place]
    place = place_of(tensor, branch.inputs)
    assert place is not None, tensor
    return op.inputs[1 + place]
