"""Function calls replaced by the nodes of the functions.

    y = PartitionedCall(x; f)      ->      y/... , the nodes of f with `y/` before their names

Calls in calls are inlined too, up to recursion. A call whose name must stay becomes an Identity of the results. What
waited for the call waits for all that the call runs; what the call waited for is waited for by all of it. Functions
that conditionals and loops call stay functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from icefloe import errors
from icefloe.graph import function_graph
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import GraphDef, NodeDef
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, data_inputs, node_of, set_inputs, tensor_key
from icefloe.transforms.reports import PassReport

CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall"))
_MOST_CALLS = 100_000


def inline_calls(nodes: Nodes, keep: Collection[str] = ()) -> PassReport:
    """Inline all calls of functions in the graph; `nodes` is changed.

    keep: names of calls whose tensors keep their names.

    Raises: InvalidArgumentError if a function calls itself without a conditional between, or more than 100,000 calls
    are met.
    """
    library = _library(nodes)
    waiting = [node for node in nodes if function_of(node, nodes) is not None]
    done = added = 0
    while waiting:
        node = waiting.pop()
        done += 1
        if done > _MOST_CALLS:
            raise errors.InvalidArgumentError(f"more than {_MOST_CALLS} calls: does a function call itself?")
        inside = _inline(nodes, node, library, node.name in keep)
        added += len(inside)
        waiting += [inner for inner in inside if function_of(inner, nodes) is not None]
    return PassReport("inline functions", removed=done, added=added)


def _library(nodes: Nodes) -> Graph:
    definition = GraphDef()
    definition.library.function.extend(nodes.functions.values())
    return read_graph(definition)


def function_of(node: NodeDef, nodes: Nodes) -> str | None:
    """Return the function that a node calls, or None where it is no call."""
    if node.op in CALLS:
        name = attr_of(node, "f").func.name
        return name if name in nodes.functions else None
    return node.op if node.op in nodes.functions else None


def _inline(nodes: Nodes, call: NodeDef, library: Graph, keeps_name: bool) -> list[NodeDef]:
    """Put the body of a function in the place of a call; return the new nodes."""
    name = function_of(call, nodes)
    assert name is not None
    attrs = call.attr["f"].func.attr if call.op in CALLS else call.attr
    body = function_graph.instantiate(library, name, dict(attrs))
    given = data_inputs(call)
    if len(given) != len(body.inputs):
        raise errors.InvalidArgumentError(
            f"node {call.name!r} gives {len(given)} arguments to function {name!r}, which takes {len(body.inputs)}"
        )
    prefix = nodes.unique(call.name + "/inlined") + "/" if _taken(nodes, call.name + "/") else call.name + "/"
    arguments = {tensor.op.name: text for tensor, text in zip(body.inputs, given)}
    before = control_inputs(call)

    def outside(text: str) -> str:
        """Return the name in the graph of a tensor or control input of the body."""
        if text.startswith("^"):
            inner = text[1:]
            return "^" + (arguments[inner].partition(":")[0] if inner in arguments else prefix + inner)
        inner, colon, index = text.partition(":")
        return arguments[inner] if inner in arguments else prefix + inner + colon + index

    added = []
    for op in body.graph.get_operations():
        if op.name in arguments:
            continue
        node = NodeDef()
        node.CopyFrom(op.node_def)
        node.name = prefix + op.name
        inputs = [outside(text) for text in node.input]
        if before and not data_inputs(op.node_def):
            inputs += ["^" + other for other in before]
        set_inputs(node, inputs)
        if not node.device:
            node.device = call.device
        if "_class" in node.attr:
            places = [_placed(place, prefix, arguments) for place in node.attr["_class"].list.s]
            del node.attr["_class"].list.s[:]
            node.attr["_class"].list.s.extend(places)
        added.append(node)
    results = {
        tensor_key(f"{call.name}:{i}"): outside(tensor.name.removesuffix(":0")) for i, tensor in enumerate(body.outputs)
    }
    runs = [outside("^" + op.name)[1:] for op in body.must_run if op.name not in arguments]
    ends = list(dict.fromkeys([*runs, *(text.partition(":")[0] for text in results.values())]))
    del nodes.by_name[call.name]
    for node in added:
        nodes.add(node)
    if keeps_name and results:
        nodes.add(_named(call, list(results.values()), [tensor.dtype for tensor in body.outputs], runs))
    else:
        nodes.rewire(results, {call.name: ends})
    return added


def _placed(place: bytes, prefix: str, arguments: Mapping[str, str]) -> bytes:
    """Return a place `loc:@node` of a function's node as it is called in the graph."""
    if not place.startswith(b"loc:@"):
        return place
    name = place[5:].decode("utf-8", "replace")
    return b"loc:@" + (node_of(arguments[name]) if name in arguments else prefix + name).encode()


def _named(call: NodeDef, results: list[str], dtypes: list[Any], runs: list[str]) -> NodeDef:
    """Return a node with the name of a call that gives its results."""
    node = NodeDef(name=call.name, op="Identity" if len(results) == 1 else "IdentityN")
    numbers = [dtype.as_datatype_enum for dtype in dtypes]
    if len(numbers) == 1:
        node.attr["T"].type = numbers[0]
    else:
        node.attr["T"].list.type.extend(numbers)
    set_inputs(node, [*results, *("^" + name for name in runs)])
    return node


def _taken(nodes: Nodes, prefix: str) -> bool:
    return any(name.startswith(prefix) for name in nodes.by_name)
