"""Initial values that depend on other variables.

`tf.Variable(w * 2)` must not read `w` before it has a value, whatever the order of initializers: the nodes between
`w` and the initial value are copied with `w.initialized_value()` in its place.
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# What these give does not need the variable's value, or guards it itself.
_BARRIERS = ("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If")


def without_uninitialized(initial_value: Tensor, scope: str) -> Tensor:
    """Return `initial_value`, or a copy of the nodes it depends on where a variable is among them.

    scope: name scope of the variable that is being made; its name ends the names of the copies.

    Raises: TypeError if `initial_value` is no tensor.
    """
    if not isinstance(initial_value, Tensor):
        raise TypeError(f"initial_value needs to be a Tensor: {initial_value}")
    order = _ancestors(initial_value.op)
    if order is None or not any(op.type in _VARIABLES for op in order):
        return initial_value
    replaced: dict[Operation, Operation] = {}
    for op in order:
        replaced[op] = _replacement(op, replaced, scope)
    return replaced[initial_value.op].outputs[initial_value.value_index]


def _ancestors(op: Operation) -> list[Operation] | None:
    """Return `op` and all it takes inputs from up to variables and barriers, inputs first; None if there is a cycle."""
    order: list[Operation] = []
    state: dict[Operation, bool] = {}  # True once all inputs are in `order`
    stack = [(op, False)]
    while stack:
        current, done = stack.pop()
        if done:
            state[current] = True
            order.append(current)
        elif current in state:
            if not state[current]:
                return None
        else:
            state[current] = False
            stack.append((current, True))
            if current.type not in _VARIABLES + _BARRIERS:
                stack.extend((source.op, False) for source in reversed(current.inputs) if not state.get(source.op))
    return order


def _replacement(op: Operation, replaced: dict[Operation, Operation], scope: str) -> Operation:
    if op.type in _BARRIERS:
        return op
    if op.type in _VARIABLES:
        value = _initialized_value(op)
        return op if value is None else value.op
    inputs = [replaced[x.op].outputs[x.value_index] for x in op.inputs]
    if all(new is old for new, old in zip(inputs, op.inputs)):
        return op
    kind = "Switch" if op.type == "RefSwitch" else op.type
    name = f"{op.name}_{scope}".replace(":", "_")
    return op.graph.create_op(kind, inputs, op._output_types, name=name, attrs=dict(op.node_def.attr))


def _initialized_value(op: Operation) -> Any:
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in op.graph.get_collection(key):
            if getattr(variable, "name", None) in (op.name, f"{op.name}:0"):
                return variable.initialized_value()
    return None
