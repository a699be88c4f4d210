"""Variables replaced by constants, in a graph and in the functions that get handles of its variables.

    VariableV2, VarHandleOp             Const
    ReadVariableOp                      Identity
    ResourceGather(Nd), VariableShape   GatherV2, GatherNd, Shape
    RefSwitch, RefMerge, RefEnter, ...  Switch, Merge, Enter, ...
    ScatterAdd, ScatterNdAdd, ...       TensorScatterAdd, ...
    Assign, AssignAdd, AssignSub        what they would return: the new value, computed from the constant

What changes a resource variable gives no value: it is taken out, and the report says so. A function that takes a handle
is copied into one that takes the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.datatypes import as_dtype
from icefloe.graph import graph_file
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.proto import FunctionDef, NodeDef
from icefloe.transforms.node_edits import (
    Nodes,
    attr_of,
    control_inputs,
    data_inputs,
    node_of,
    set_inputs,
    tensor_key,
)
from icefloe.transforms.reports import PassReport, notes

REFERENCES = frozenset(("Variable", "VariableV2"))
VARIABLES = REFERENCES | {"VarHandleOp"}

_REF_FORMS = {
    "RefIdentity": "Identity",
    "RefSwitch": "Switch",
    "RefMerge": "Merge",
    "RefEnter": "Enter",
    "RefExit": "Exit",
    "RefNextIteration": "NextIteration",
}
_RESULTS = {"Assign": "Identity", "AssignAdd": "AddV2", "AssignSub": "Sub"}
# They take the same inputs and give what the variable would hold.
_SCATTERS = {f"ScatterNd{kind}": f"TensorScatter{kind}" for kind in ("Update", "Add", "Sub", "Max", "Min")}
_ROW_SCATTERS = {f"Scatter{kind}": f"TensorScatter{kind}" for kind in ("Update", "Add", "Sub", "Max", "Min")}
_PASSING = frozenset(("Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration", "StopGradient"))
_CALLS = {"If": "Tin", "StatelessIf": "Tin", "Case": "Tin", "StatelessCase": "Tin", "While": "T", "StatelessWhile": "T"}
_MORE_CALLS = {"PartitionedCall": "Tin", "StatefulPartitionedCall": "Tin", "For": "T"}


def constant_node(name: str, value: Any) -> NodeDef:
    """Return a Const node of an array."""
    array = np.asarray(value)
    node = NodeDef(name=name, op="Const")
    dtype = as_dtype(array.dtype if array.dtype != object else "string")
    node.attr["dtype"].type = dtype.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype=dtype, shape=array.shape))
    return node


def to_constants(nodes: Nodes, values: Mapping[str, Any]) -> PassReport:
    """Replace the variable nodes named in `values` by constants; `nodes` is changed.

    Raises: InvalidArgumentError if an op takes a handle of one of these variables and has no form for a value, or the
    values are over 2 GiB together.
    """
    return _Conversion(nodes, values).run()


def use_values(nodes: Nodes, cells: set[str], *, leave: bool = False) -> tuple[list[str], int]:
    """Change what takes references of the nodes `cells` to take their values; return notes and how many changed.

    cells: names of nodes that give a value where a variable was; it grows by the nodes that hand the value on. leave:
    let ops stay that have no form for a value, and say so.

    Raises: InvalidArgumentError if an op changes one of them and has no form for a value.
    """
    told: list[str] = []
    left: set[str] = set()
    total = 0
    changed = True
    while changed:
        changed = False
        for node in nodes:
            first = next(iter(data_inputs(node)), None)
            if first is None or node_of(first) not in cells:
                continue
            if node.op in _REF_FORMS:
                node.op = _REF_FORMS[node.op]
                cells.add(node.name)
            elif node.op in _RESULTS or node.op in _SCATTERS:
                told.append(f"{node.name}: a {node.op} gives its result and changes nothing")
                _make_result(node)
                cells.add(node.name)
            elif node.op == "IsVariableInitialized":
                nodes.add(constant_node(node.name, True))
            elif node.op in _ROW_SCATTERS and all(_has_rank(nodes[node_of(text)]) for text in node.input[1:3]):
                told.append(f"{node.name}: a {node.op} gives its result and changes nothing")
                _make_row_scatter(nodes, node)
                cells.add(node.name)
            elif leave and takes_reference(node.op):
                if node.name not in left:
                    told.append(f"{node.name}: a {node.op} has no form for a value and stays")
                    left.add(node.name)
                continue
            elif takes_reference(node.op):
                raise errors.InvalidArgumentError(
                    f"node {node.name!r} is a {node.op} that changes variable {first!r}: it has no form for a value"
                )
            else:
                continue
            total += 1
            changed = True
    return told, total


def _make_result(node: NodeDef) -> None:
    """Make of an assignment the value it returns."""
    if node.op == "Assign":
        set_inputs(node, node.input[1:])
    node.op = _RESULTS.get(node.op) or _SCATTERS[node.op]
    for attr in ("use_locking", "validate_shape"):
        if attr in node.attr:
            del node.attr[attr]


def _has_rank(node: NodeDef) -> bool:
    """Whether a node is known to give no scalar, which a scatter would take for one row, or spread."""
    shape = attr_of(node, "value").tensor.tensor_shape if node.op == "Const" else attr_of(node, "shape").shape
    return node.op in ("Const", "Placeholder") and len(shape.dim) > 0


def _make_row_scatter(nodes: Nodes, node: NodeDef) -> None:
    """Make of a scatter of rows, whose indices are numbers of rows, one whose indices are vectors."""
    axis = nodes.add(constant_node(nodes.unique(f"{node.name}/axis"), np.int32(-1)))
    indices = nodes.add(NodeDef(name=nodes.unique(f"{node.name}/indices"), op="ExpandDims", input=[node.input[1]]))
    indices.input.append(axis.name)
    indices.attr["T"].type = attr_of(node, "Tindices").type
    indices.attr["Tdim"].type = axis.attr["dtype"].type
    set_inputs(node, [node.input[0], indices.name, *node.input[2:]])
    node.op = _ROW_SCATTERS[node.op]
    if "use_locking" in node.attr:
        del node.attr["use_locking"]


class _Scope:
    """The nodes of a graph or of a function: which tensors carry a variable's value where a handle was.

    held: tensor -> DataType number of the value. The names of tensors are those of the scope.
    """

    def __init__(self, nodes: list[NodeDef], function: FunctionDef | None, held: dict[str, int]) -> None:
        self.nodes = nodes
        self.function = function
        self.held = held
        self.dropped: list[str] = []

    def output(self, node: NodeDef, index: int = 0) -> str:
        """Return the name of an output of a node in this scope."""
        if self.function is None:
            return node.name if index == 0 else f"{node.name}:{index}"
        at = 0
        for arg in opdefs.signature(node.op).outputs:
            count = self._count(node, arg)
            if index < at + count:
                return f"{node.name}:{arg.name}:{index - at}"
            at += count
        raise errors.InvalidArgumentError(f"node {node.name!r} has no output {index}")

    @staticmethod
    def _count(node: NodeDef, arg: opdefs.Arg) -> int:
        if arg.type_list_attr:
            return len(node.attr[arg.type_list_attr].list.type)
        return node.attr[arg.number_attr].i if arg.number_attr else 1

    def rename(self, old: str, new: str) -> None:
        """Let the nodes and results of a function take a tensor by its new name."""
        if old == new:
            return
        for node in self.nodes:
            if old in node.input:
                set_inputs(node, [new if text == old else text for text in node.input])
        if self.function is not None:
            for key, text in self.function.ret.items():
                if text == old:
                    self.function.ret[key] = new


class _Conversion:
    def __init__(self, nodes: Nodes, values: Mapping[str, Any]) -> None:
        self.nodes = nodes
        self.values = values
        self.notes: list[str] = []
        self.changed = 0
        self.copies: dict[tuple[str, tuple[tuple[int, int], ...]], str] = {}

    def run(self) -> PassReport:
        sizes = {name: np.asarray(value).nbytes for name, value in self.values.items()}
        if sum(sizes.values()) > graph_file.MAX_FILE:
            graph_file.refuse_size(sizes.items())
        held: dict[str, int] = {}
        cells: set[str] = set()
        count = 0
        for name, value in self.values.items():
            variable = self.nodes[name]
            if variable.op not in VARIABLES:
                raise errors.InvalidArgumentError(f"node {name!r} is no variable but a {variable.op}")
            constant = constant_node(name, value)
            constant.device = variable.device
            set_inputs(constant, ["^" + other for other in control_inputs(variable)])
            for key, attr in variable.attr.items():
                if key == "_class":
                    constant.attr[key].CopyFrom(attr)
            self.nodes.add(constant)
            if variable.op in REFERENCES:
                cells.add(name)
            else:
                held[name] = constant.attr["dtype"].type
            count += 1
        told, changed = use_values(self.nodes, cells)
        self.notes += told
        self.changed += changed
        scope = _Scope(list(self.nodes), None, held)
        self._convert(scope)
        self.nodes.remove(scope.dropped)
        return PassReport(
            "variables to constants",
            removed=len(scope.dropped),
            changed=count + self.changed,
            added=len(self.copies),
            notes=notes(self.notes),
        )

    # Handles

    def _convert(self, scope: _Scope) -> None:
        """Change what takes handles in a scope, until nothing is left that does."""
        done: set[str] = set()
        changed = True
        while changed:
            changed = False
            for node in scope.nodes:
                if node.name in done:
                    continue
                taken = {
                    i: scope.held[key] for i, t in enumerate(data_inputs(node)) if (key := tensor_key(t)) in scope.held
                }
                if not taken:
                    continue
                done.add(node.name)
                self._convert_node(scope, node, taken)
                self.changed += 1
                changed = True

    def _convert_node(self, scope: _Scope, node: NodeDef, taken: dict[int, int]) -> None:
        dtype = next(iter(taken.values()))
        if node.op == "ReadVariableOp":
            self._become(scope, node, "Identity", {"T": dtype})
        elif node.op in _PASSING:
            outputs = {"Switch": 2}.get(node.op, 1)
            node.attr["T"].type = dtype
            for i in range(outputs):
                scope.held[scope.output(node, i)] = dtype
        elif node.op == "IdentityN":
            for i, number in taken.items():
                node.attr["T"].list.type[i] = number
                scope.held[scope.output(node, i)] = number
        elif node.op in ("ResourceGather", "ResourceGatherNd"):
            self._gather(scope, node, dtype)
        elif node.op == "VariableShape":
            out_type = attr_of(node, "out_type").type or 3
            self._become(scope, node, "Shape", {"T": dtype, "out_type": out_type})
        elif node.op == "VarIsInitializedOp":
            self._become(scope, node, "Const", {})
            node.CopyFrom(constant_node(node.name, True))
        elif node.op in _CALLS or node.op in _MORE_CALLS:
            self._call(scope, node, taken)
        elif not opdefs.signature(node.op).outputs:
            self.notes.append(f"{node.name}: a {node.op} is taken out: a constant cannot change")
            scope.dropped.append(node.name)
        else:
            raise errors.InvalidArgumentError(
                f"node {node.name!r} is a {node.op}, which takes the handle of a variable: it has no form for a value"
            )

    def _become(self, scope: _Scope, node: NodeDef, op: str, types: Mapping[str, int]) -> None:
        """Make a node another op with these type attrs; its only output keeps its place."""
        old = scope.output(node)
        kept = {key: value for key, value in node.attr.items() if key.startswith("_") and key != "_class"}
        node.op = op
        saved = [(key, value.SerializeToString()) for key, value in kept.items()]
        node.ClearField("attr")
        for key, data in saved:
            node.attr[key].MergeFromString(data)
        for key, number in types.items():
            node.attr[key].type = number
        scope.rename(old, scope.output(node))

    def _gather(self, scope: _Scope, node: NodeDef, dtype: int) -> None:
        indices = attr_of(node, "Tindices").type
        if node.op == "ResourceGatherNd":
            self._become(scope, node, "GatherNd", {"Tparams": dtype, "Tindices": indices})
            return
        batch_dims = attr_of(node, "batch_dims").i
        self._become(scope, node, "GatherV2", {"Tparams": dtype, "Tindices": indices, "Taxis": 3})
        node.attr["batch_dims"].i = batch_dims
        axis = constant_node(self._unique(scope, node.name + "/axis"), np.int32(batch_dims))
        if scope.function is None:
            self.nodes.add(axis)
        else:
            scope.function.node_def.append(axis)
            axis = scope.function.node_def[-1]
        scope.nodes.append(axis)
        values, positions, *rest = node.input
        set_inputs(node, [values, positions, scope.output(axis), *rest])

    def _unique(self, scope: _Scope, name: str) -> str:
        if scope.function is None:
            return self.nodes.unique(name)
        taken = {node.name for node in scope.nodes} | {arg.name for arg in scope.function.signature.input_arg}
        name = name.replace("/", "_")
        while name in taken:
            name += "_"
        return name

    # Functions

    def _call(self, scope: _Scope, node: NodeDef, taken: dict[int, int]) -> None:
        """Let a conditional, loop or call pass values in place of handles."""
        is_loop = node.op.endswith("While") or node.op == "For"
        first = {"If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1, "For": 3}.get(node.op, 0)
        types = node.attr[_CALLS.get(node.op) or _MORE_CALLS[node.op]].list.type
        arguments = {i - first: number for i, number in taken.items()}
        for i, number in arguments.items():
            types[i] = number
        inner = {i + 1: number for i, number in arguments.items()} if node.op == "For" else arguments
        for key, value in node.attr.items():
            if key.startswith("_"):
                continue
            for function in [value.func] if value.func.name else list(value.list.func):
                returns = arguments if is_loop and key in ("body",) else {}
                function.name = self._copy(function.name, inner, returns)
        if is_loop:
            for i, number in arguments.items():
                scope.held[scope.output(node, i)] = number
            _forget_shapes(node, set(arguments))

    def _copy(self, name: str, arguments: Mapping[int, int], returns: Mapping[int, int]) -> str:
        """Return the name of a copy of function `name` that takes values of these dtypes; a loop returns them too."""
        if name not in self.nodes.functions:
            raise errors.NotFoundError(f"function {name!r} is not in the library of the graph")
        key = (name, tuple(sorted(arguments.items())))
        if key in self.copies:
            return self.copies[key]
        copy = FunctionDef()
        copy.CopyFrom(self.nodes.functions[name])
        number = 0
        while f"{name}_frozen_{number}" in self.nodes.functions:
            number += 1
        copy.signature.name = f"{name}_frozen_{number}"
        self.copies[key] = copy.signature.name
        self.nodes.functions[copy.signature.name] = copy
        held = {}
        if "_input_shapes" in copy.attr:  # that of a handle is a scalar's
            del copy.attr["_input_shapes"]
        for i, dtype in arguments.items():
            argument = copy.signature.input_arg[i]
            argument.type = dtype
            held[argument.name] = dtype
            for field in (argument.handle_data,) if hasattr(argument, "handle_data") else ():
                del field[:]
            if i in copy.arg_attr:
                for attr in ("_handle_dtypes", "_handle_shapes", "_output_shapes"):
                    if attr in copy.arg_attr[i].attr:
                        del copy.arg_attr[i].attr[attr]
        for i, dtype in returns.items():
            copy.signature.output_arg[i].type = dtype
        scope = _Scope(list(copy.node_def), copy, held)
        self._convert(scope)
        gone = set(scope.dropped)
        if gone:
            kept = [node for node in copy.node_def if node.name not in gone]
            for node in kept:
                set_inputs(node, [t for t in node.input if not (t.startswith("^") and t[1:] in gone)])
            remaining = [NodeDef.FromString(node.SerializeToString()) for node in kept]
            del copy.node_def[:]
            copy.node_def.extend(remaining)
            for key_, text in list(copy.control_ret.items()):
                if text in gone:
                    del copy.control_ret[key_]
            outputs = [o for o in copy.signature.control_output if o in copy.control_ret]
            del copy.signature.control_output[:]
            copy.signature.control_output.extend(outputs)
        return copy.signature.name


def _forget_shapes(node: NodeDef, places: set[int]) -> None:
    """Let the shapes that a loop records of these results be unknown: they are values where handles were."""
    for attr in ("output_shapes", "_output_shapes"):
        if attr in node.attr:
            for i, shape in enumerate(node.attr[attr].list.shape):
                if i in places:
                    shape.Clear()
                    shape.unknown_rank = True


def takes_reference(op: str) -> bool:
    """Whether an op takes a reference of a variable."""
    definition = opdefs.find(op)
    return definition is not None and any(arg.is_ref for arg in definition.input_arg)
