"""What a graph's restore op reads: the restore nodes behind it, their names and slices, and the variables that
receive the values.

    RestoreV2 output i  ->  (Identity | Reshape)*  ->  Assign or AssignVariableOp of a variable

This is found in the graph alone, so that it holds for a Saver made by a `.meta` as well as for one made in this
process.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe.checkpoint.slices import parse_spec
from icefloe.graph.constant_value import known_value
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.saver.changed_names import Shape
from icefloe.saver.restore_report import Wanted

# Restore ops: the positions of their inputs that hold names and slice specs.
_RESTORES = {"RestoreV2": (1, 2), "Restore": (1, None), "RestoreSlice": (1, 2)}
_PASSING = frozenset(("Identity", "Reshape"))
_ASSIGNS = frozenset(("Assign", "AssignVariableOp"))


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """One tensor that is read: what is wanted, the restore node's output, and the operation that assigns it, if it is
    known.

    receivers: the operations that restore something from it: `assign` or, where that is not known, those at the end of
    all ways from it, such as the import of a table.
    """

    wanted: Wanted
    tensor: Tensor
    assign: Operation | None
    receivers: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """All that a restore op reads.

    names: per restore node, the tensor of names in the checkpoint and their values.
    complete: whether all names are known; where they are computed when the graph runs, nothing can be compared before.
    """

    targets: tuple[Target, ...]
    names: tuple[tuple[Tensor, tuple[str, ...]], ...]
    complete: bool

    @property
    def wanted(self) -> list[Wanted]:
        return [target.wanted for target in self.targets]


def ancestors(op: Operation, types: Container[str]) -> list[Operation]:
    """Return the nodes of these types that `op` depends on, in the order of the graph; what is behind them is not
    searched.
    """
    seen = {op}
    waiting = [op]
    found = []
    while waiting:
        current = waiting.pop()
        if current.type in types:
            found.append(current)
            continue
        for before in (*current.control_inputs, *(tensor.op for tensor in current.inputs)):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return sorted(found, key=lambda op: op._id)


def texts(tensor: Tensor) -> list[str] | None:
    """Return the strings that `tensor` holds, None if that is not known without running."""
    value = known_value(tensor)
    if value is None:
        return None
    return [v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else str(v) for v in np.ravel(value)]


def _receiver(tensor: Tensor) -> tuple[Operation | None, bool]:
    """Return the operation that assigns `tensor` to a variable, and whether it is reshaped on the way."""
    reshaped = False
    while True:
        following = None
        for consumer in tensor.consumers():
            if consumer.type in _ASSIGNS:
                return consumer, reshaped
            if consumer.type in _PASSING and consumer.inputs[0] is tensor:
                following = consumer
        if following is None:
            return None, reshaped
        reshaped = reshaped or following.type == "Reshape"
        tensor = following.outputs[0]


def _variable_shape(assign: Operation, reshaped: bool) -> tuple[str, Shape]:
    """Return the name of the variable that `assign` writes, and the shape that the value must have, None for any."""
    variable = assign.inputs[0].op
    if assign.type == "AssignVariableOp":
        if "shape" not in variable.node_def.attr:
            return variable.name, None
        return variable.name, variable.kernel_attr("shape")
    shape = assign.inputs[0].shape
    if shape.rank is None or not (reshaped or assign.kernel_attr("validate_shape")):
        return variable.name, None
    return variable.name, tuple(shape.as_list())


def _ends(tensor: Tensor) -> tuple[Operation, ...]:
    """Return the operations at the end of all ways from `tensor`."""
    found = []
    waiting = list(tensor.consumers())
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        behind = [consumer for output in op.outputs for consumer in output.consumers()]
        if not behind:
            found.append(op)
        waiting += [consumer for consumer in behind if consumer not in seen]
        seen.update(behind)
    return tuple(sorted(found, key=lambda op: op._id))


def _target(tensor: Tensor, key: str, spec: str, dtype: Any) -> Target:
    assign, reshaped = _receiver(tensor)
    variable, shape = ("", None) if assign is None else _variable_shape(assign, reshaped)
    if spec:
        shape, reshaped = parse_spec(spec)[0], False
    receivers = (assign,) if assign is not None else _ends(tensor)
    return Target(Wanted(key, dtype, shape, spec, variable, reshaped), tensor, assign, receivers)


def restore_plan(graph: Graph, restore_op_name: str) -> RestorePlan:
    """Return what the operation `restore_op_name` of `graph` reads.

    Raises: KeyError if there is no such operation; InvalidArgumentError if a slice spec is malformed.
    """
    targets: list[Target] = []
    names: list[tuple[Tensor, tuple[str, ...]]] = []
    complete = True
    for node in ancestors(graph.get_operation_by_name(restore_op_name.partition(":")[0]), _RESTORES):
        name_input, spec_input = _RESTORES[node.type]
        keys = texts(node.inputs[name_input])
        specs = [""] * len(node.outputs) if spec_input is None else texts(node.inputs[spec_input])
        if keys is None or specs is None or not len(keys) == len(specs) == len(node.outputs):
            complete = False
            continue
        names.append((node.inputs[name_input], tuple(keys)))
        for tensor, key, spec in zip(node.outputs, keys, specs, strict=True):
            targets.append(_target(tensor, key, spec, tensor.dtype))
    return RestorePlan(tuple(targets), tuple(names), complete and bool(targets))
