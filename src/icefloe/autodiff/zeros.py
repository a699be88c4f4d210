"""Which tensors have gradients, and the zeros that stand for a gradient that is not there."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.control_flow_nodes import is_switch
from icefloe.graph.control_flow_ops import switch
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_shape import shape_internal
from icefloe.ops.gradient_nodes import variable_shape

_TRAINABLE = frozenset(
    (
        datatypes.float16,
        datatypes.float32,
        datatypes.float64,
        datatypes.complex64,
        datatypes.complex128,
        datatypes.resource,
        datatypes.variant,
        datatypes.bfloat16,
    )
)


def is_trainable(tensor: Any) -> bool:
    """Whether gradients pass through a tensor of this dtype."""
    return tensor.dtype.base_dtype in _TRAINABLE


def zeros_dtype(tensor: Tensor) -> datatypes.DType:
    """Return the dtype of a gradient of `tensor`: of a handle, that of what it refers to."""
    if tensor.dtype == datatypes.resource:
        known = handle_data(tensor)
        return datatypes.float32 if not known else known[0][0].base_dtype
    return tensor.dtype.base_dtype


def zeros_of(tensor: Any) -> Tensor:
    """Return zeros of the shape of `tensor`, or of the variable behind a handle."""
    if tensor.dtype == datatypes.resource:
        return zeros(variable_shape(tensor), dtype=zeros_dtype(tensor))
    return zeros_like(tensor)


def zeros_for_output(op: Operation, index: int) -> Tensor | None:
    """Return zeros for output `index` of an op outside of loops."""
    if is_switch(op):
        return _zeros_for_switch(op, index)
    value = op.outputs[index]
    if value.dtype == datatypes.resource:
        return zeros_of(value)
    if value.graph is not get_default_graph() and value.dtype != datatypes.variant and value.shape.is_fully_defined():
        # Of the body of a function: it need not put out a value whose shape alone is asked for.
        return zeros(value.shape, dtype=value.dtype)
    return zeros_like(value, optimize=False)


def _zeros_for_switch(op: Operation, index: int) -> Tensor:
    """The zeros of the branch that the value did not go into are alive when that branch is taken."""
    value = op.outputs[index]
    context = op._control_flow_context
    if context is None:
        return zeros_like(value, optimize=False)
    other = switch(op.inputs[0], context.pred)[1 - context.branch]
    pivot = apply_op("Identity", other)
    if value.dtype == datatypes.resource:
        with control_dependencies([pivot]):
            return zeros(apply_op("VariableShape", other), dtype=zeros_dtype(value))
    size = shape_internal(other, optimize=False)
    with control_dependencies([pivot]):
        return zeros(size, dtype=value.dtype)
