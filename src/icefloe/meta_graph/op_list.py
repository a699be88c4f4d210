"""The signatures that a MetaGraphDef carries along, and attrs that equal their defaults.

A writer lists the OpDefs it knew (`stripped_op_list`), so that a reader of another version can tell what an absent
attr meant. A writer may leave out attrs that equal their default, so that a reader too old to know them still loads
the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from icefloe import opdefs
from icefloe.proto import AttrValue, GraphDef, NodeDef, OpDef, OpList

# Nodes that call the function in their attr `f`. TensorFlow follows these, and calls by the function's name, when it
# collects ops; not the branches of `If` or the body of `While`.
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


def ops_used_by_graph_def(graph_def: GraphDef) -> list[str]:
    """Return the op types of the graph and of the functions it calls, sorted; functions themselves are left out.

    Registered or not makes no difference.
    """
    functions = {f.signature.name: f for f in graph_def.library.function}
    used: set[str] = set()
    waiting: list[Iterable[NodeDef]] = [graph_def.node]
    while waiting:
        for node in waiting.pop():
            callee = node.attr["f"].func.name if node.op in _CALLS and "f" in node.attr else None
            for op in (node.op, callee):
                if op and op not in used:
                    used.add(op)
                    if op in functions:
                        waiting.append(functions[op].node_def)
    return sorted(used - functions.keys())


def stripped_op_list_for_graph(graph_def: GraphDef) -> OpList:
    """Return the OpDefs, without documentation, of the registered ops that the graph uses, sorted by name."""
    found = (opdefs.find(op) for op in ops_used_by_graph_def(graph_def))
    return OpList(op=[op_def for op_def in found if op_def is not None])


def _nodes_of_registered_ops(graph_def: GraphDef) -> Iterator[tuple[NodeDef, OpDef]]:
    """Yield the nodes of the graph and of all its functions whose op is in the op table, with its OpDef."""
    functions = {f.signature.name for f in graph_def.library.function}
    for nodes in (graph_def.node, *(f.node_def for f in graph_def.library.function)):
        for node in nodes:
            op_def = None if node.op in functions else opdefs.find(node.op)
            if op_def is not None:
                yield node, op_def


def _bytes(value: AttrValue) -> bytes:
    return value.SerializeToString(deterministic=True)


def strip_default_attributes(graph_def: GraphDef) -> None:
    """Remove from `graph_def`, in place, every attr whose value is its default."""
    defaults: dict[str, dict[str, bytes]] = {}
    for node, op_def in _nodes_of_registered_ops(graph_def):
        known = defaults.get(node.op)
        if known is None:
            known = defaults[node.op] = {
                a.name: _bytes(a.default_value) for a in op_def.attr if a.HasField("default_value")
            }
        for name in [n for n in node.attr if n in known and _bytes(node.attr[n]) == known[n]]:
            del node.attr[name]


def add_default_attributes(graph_def: GraphDef) -> None:
    """Give every node of `graph_def`, in place, the attrs that it lacks and that have a default."""
    for node, op_def in _nodes_of_registered_ops(graph_def):
        for attr in op_def.attr:
            if attr.HasField("default_value") and attr.name not in node.attr:
                node.attr[attr.name].CopyFrom(attr.default_value)
