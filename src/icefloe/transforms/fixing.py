"""Repairs of graphs that other tools left broken: each a named pass that says what it did.

    references     ops on references of what is no variable any more: RefSwitch, Assign ... on a frozen constant
    tpu            wrappers that only a TPU has
    inputs         control inputs on nodes that are gone, data after control inputs
    attrs          type attrs that are missing where the inputs tell them; attrs that the op does not have
    shapes         recorded shapes that are not the node's
    names          names that TensorFlow refuses, such as those that begin with `_`
    devices        device pins

What cannot be repaired, an input on a node that is gone, is an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from icefloe import errors, opdefs, shapes
from icefloe.analysis.roles import outputs as outputs_of
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import GraphDef, NodeDef, OpDef
from icefloe.transforms import constant_variables, stripping
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.finishing import finish, output_names
from icefloe.transforms.node_edits import Nodes, attr_of, data_inputs, each_body, node_of, set_inputs, tensor_key
from icefloe.transforms.renaming import renamed
from icefloe.transforms.reports import Check, PassReport, Transformed, notes

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_VARIABLES = constant_variables.REFERENCES | {"TemporaryVariable", "AutoReloadVariable"}


def fix(graph: Any, outputs: Iterable[str] | None = None, *, devices: bool = True, check: bool = True) -> Transformed:
    """Return a graph repaired; see the module's text.

    graph: a Graph, or a GraphDef message, TensorFlow's too, which may be too broken to become a Graph.

    outputs: names of tensors that are compared before and after, by default those of signatures or the likeliest one.
    All nodes are kept; the report tells which have other names now. devices: take device pins out.

    Raises: InvalidArgumentError, which lists the inputs, if nodes take what is gone; InternalError if the new graph
    gives other values where the old one ran.
    """
    nodes = Nodes(graph)
    _refuse_lost_inputs(nodes)
    passes = [run(nodes) for run in PASSES]
    if devices:
        passes.append(stripping.clear_devices(nodes))
    old, was_whole = _graph_of(graph, nodes)
    try:
        wanted = output_names(old, outputs)
    except errors.InvalidArgumentError:
        wanted = []
    nodes, report, new = fix_names(nodes)
    passes.append(report)
    moved = {
        t.name: f"{new[op.name]}:{t.value_index}"
        for op in old.get_operations()
        for t in outputs_of(op)
        if op.name in new
    }
    gone = [name for name in wanted if node_of(name) not in new]
    if gone and outputs is not None:
        raise errors.InvalidArgumentError(f"{', '.join(gone)}: only a TPU has this, and it was taken out")
    wanted = [name for name in wanted if name not in gone]
    done = finish(old, nodes, wanted, passes, check=check and was_whole and bool(wanted), names=moved)
    return done if was_whole else replace(done, check=Check("not checked", "the graph was too broken to run"))


def fix_names(nodes: Nodes) -> tuple[Nodes, PassReport, dict[str, str]]:
    """Give nodes whose names TensorFlow refuses other ones; return the nodes, a report, and old name -> new name."""
    new = {node.name: node.name for node in nodes}
    told = []
    for name in [name for name in new if not _NAME.fullmatch(name)]:
        plain = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name).lstrip("_-/\\>") or "node"
        number, candidate = 0, plain
        while candidate in new or candidate in new.values():
            number += 1
            candidate = f"{plain}_{number}"
        new[name] = candidate
        told.append(f"{name} is now {candidate}")
    if not told:
        return nodes, PassReport("names"), new
    return Nodes(renamed(nodes, new)), PassReport("names", changed=len(told), notes=notes(told)), new


def _graph_of(graph: Any, nodes: Nodes) -> tuple[Graph, bool]:
    """Return the graph to compare with, and whether it is the old one; else it is the new one."""
    if isinstance(graph, Graph):
        return graph, True
    try:
        return read_graph(graph), True
    except errors.OpError:
        return read_graph(nodes.to_graph_def()), False


def _refuse_lost_inputs(nodes: Nodes) -> None:
    lost = [f"{n.name} takes {text}" for n in nodes for text in data_inputs(n) if node_of(text) not in nodes]
    if lost:
        listed = "\n  ".join(notes(lost))
        raise errors.InvalidArgumentError(f"{len(lost)} inputs are of nodes that are gone:\n  {listed}")


def fix_references(nodes: Nodes) -> PassReport:
    """Let ops on references take values where there is no variable behind them."""
    cells = {node.name for node in nodes if node.op == "Const" or node.op.startswith("Placeholder")}
    told, changed = constant_variables.use_values(nodes, cells, leave=True)
    leftover = [
        f"{node.name}: a {node.op} on a reference of {node.op} {text}"
        for node in nodes
        for text in data_inputs(node)[:1]
        if constant_variables.takes_reference(node.op) and not _gives_reference(nodes[node_of(text)])
    ]
    return PassReport("references", changed=changed, notes=notes([*told, *leftover]))


def _gives_reference(node: NodeDef) -> bool:
    definition = opdefs.find(node.op)
    return definition is None or any(arg.is_ref for arg in definition.output_arg)


_TPU_GONE = frozenset(
    ("TPUReplicateMetadata", "TPUCompilationResult", "ConfigureDistributedTPU", "ShutdownDistributedTPU")
)
_TPU_FIRST = frozenset(("TPUReplicatedInput", "TPUReplicatedOutput"))
_TPU_ATTRS = (
    "_tpu_replicate",
    "_tpu_compilation_status",
    "_xla_compile_id",
    "_replication_info",
    "_tpu_input_identity",
)


def fix_tpu(nodes: Nodes) -> PassReport:
    """Take TPU wrappers out: one replica is the model."""
    changed = 0
    for node in nodes:
        if node.op in _TPU_FIRST and data_inputs(node):
            dtype = attr_of(node, "T").type
            set_inputs(node, data_inputs(node)[:1])
            node.op = "Identity"
            node.ClearField("attr")
            node.attr["T"].type = dtype
            changed += 1
        elif node.op == "TPUPartitionedCall":
            ordinal = node.input[-1] if data_inputs(node) else None
            node.op = "PartitionedCall"
            set_inputs(node, [text for text in node.input if text != ordinal])
            changed += 1
        elif node.op == "TPUOrdinalSelector":
            nodes.add(constant_node(node.name, 0))
            changed += 1
    users = nodes.consumers()
    taken = {node_of(t) for user in nodes for t in data_inputs(user)}
    gone = [node.name for node in nodes if node.op in _TPU_GONE and node.name not in taken]
    kept = [node.name for node in nodes if node.op in _TPU_GONE and node.name in taken and users.get(node.name)]

    def clear(node: NodeDef) -> bool:
        found = [name for name in _TPU_ATTRS if name in node.attr]
        for name in found:
            del node.attr[name]
        return bool(found)

    changed += each_body(nodes, clear)
    told = notes([f"{name}: other nodes take its value; it is left" for name in kept])
    return PassReport("tpu", removed=nodes.remove(gone), changed=changed, notes=told)


def fix_inputs(nodes: Nodes) -> PassReport:
    """Drop control inputs on nodes that are gone and colocation with them; put data before control inputs."""
    told = []
    changed = 0
    for node in nodes:
        kept = [text for text in node.input if not text.startswith("^") or text[1:] in nodes]
        if len(kept) != len(node.input):
            told.append(f"{node.name}: waited for nodes that are gone")
        before = list(node.input)
        set_inputs(node, kept)
        changed += before != list(node.input)
        changed += nodes.leave_places(node)
    return PassReport("inputs", changed=changed, notes=notes(told))


def fix_attrs(nodes: Nodes) -> PassReport:
    """Add type attrs that inputs tell, and take out attrs that the op does not have."""
    told: list[str] = []
    changed = 0
    types: dict[str, int] = {}
    waiting = list(nodes)
    while waiting:
        left = []
        for node in waiting:
            definition = opdefs.find(node.op)
            if definition is None:
                continue
            missing = _missing_types(node, definition)
            for name in missing:
                of_value = attr_of(node, "value").tensor.dtype if node.op == "Const" else 0
                number = of_value or _type_of_inputs(node, definition, name, types)
                if number:
                    node.attr[name].type = number
                    whose = "value" if of_value else "inputs"
                    told.append(f"{node.name}: attr {name!r} is that of its {whose}")
                    changed += 1
            if _missing_types(node, definition):
                left.append(node)
            else:
                _note_types(node, definition, types)
        if len(left) == len(waiting):
            told += [f"{node.name}: a type attr is missing and nothing tells it" for node in left]
            break
        waiting = left
    for node in nodes:
        definition = opdefs.find(node.op)
        if definition is None or node.op in nodes.functions:
            continue
        known = {attr.name for attr in definition.attr}
        unknown = [name for name in node.attr if name not in known and not name.startswith("_")]
        for name in unknown:
            told.append(f"{node.name}: {node.op} has no attr {name!r}")
            del node.attr[name]
        changed += bool(unknown)
    return PassReport("attrs", changed=changed, notes=notes(told))


def _missing_types(node: NodeDef, definition: OpDef) -> list[str]:
    return [
        a.name
        for a in definition.attr
        if a.type == "type"
        and not a.HasField("default_value")
        and (a.name not in node.attr or not node.attr[a.name].type)
    ]


def _type_of_inputs(node: NodeDef, definition: OpDef, attr: str, types: dict[str, int]) -> int:
    """Return the DataType number that an input of type `attr` has, 0 if that is not known."""
    data = data_inputs(node)
    for i, arg in enumerate(definition.input_arg):
        if arg.type_attr == attr and i < len(data):
            return types.get(tensor_key(data[i]), 0)
        if arg.number_attr or arg.type_list_attr:
            break
    return 0


def _note_types(node: NodeDef, definition: OpDef, types: dict[str, int]) -> None:
    """Note the dtypes of a node's outputs, as far as no list is among them."""
    for i, arg in enumerate(definition.output_arg):
        if arg.number_attr or arg.type_list_attr:
            break
        default = next((a.default_value.type for a in definition.attr if a.name == arg.type_attr), 0)
        given = node.attr[arg.type_attr].type if arg.type_attr in node.attr else default
        types[tensor_key(f"{node.name}:{i}")] = arg.type or given


def fix_shapes(nodes: Nodes) -> PassReport:
    """Take recorded shapes out that do not fit what the nodes give."""
    bare = Nodes(_without_shapes(nodes))
    graph = read_graph(bare.to_graph_def())
    told = []
    for node in nodes:
        if "_output_shapes" not in node.attr:
            continue
        recorded = node.attr["_output_shapes"].list.shape
        try:
            outputs = graph.get_operation_by_name(node.name).outputs
            fits = len(outputs) == len(recorded) and all(
                tensor.shape.is_compatible_with(shapes.TensorShape(shape)) for tensor, shape in zip(outputs, recorded)
            )
        except (errors.OpError, ValueError, TypeError):
            fits = False
        if not fits:
            del node.attr["_output_shapes"]
            told.append(f"{node.name}: other shapes were recorded than it gives")
    return PassReport("shapes", changed=len(told), notes=notes(told))


def _without_shapes(nodes: Nodes) -> GraphDef:
    definition = nodes.to_graph_def()
    for node in definition.node:
        if "_output_shapes" in node.attr:
            del node.attr["_output_shapes"]
    return definition


PASSES: tuple[Callable[[Nodes], PassReport], ...] = (fix_inputs, fix_references, fix_tpu, fix_attrs, fix_shapes)
