"""Function calls replaced by the nodes of the functions.

    y = PartitionedCall(x; f)      ->      y/... , the nodes of f with `y/` before their names

Calls in calls are inlined too, up to recursion. A call whose name must stay becomes an Identity of the results. What
waited for the call waits for all that the call runs; what the call waited for is waited for by all of it. Functions
that conditionals and loops call stay functions, in which calls are inlined by `inlining_in_functions`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph import function_graph
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import AttrValue, GraphDef, NodeDef
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, data_inputs, node_of, set_inputs, tensor_key
from icefloe.transforms.reports import PassReport

CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall"))
_MOST_CALLS = 100_000


@dataclass(frozen=True, slots=True)
class Placed:
    """The nodes of a function in a graph.

    results: the tensors that the function gives, of these dtypes. runs: the nodes that a call runs whether or not a
    result needs them.
    """

    nodes: list[NodeDef]
    results: list[str]
    dtypes: list[DType]
    runs: list[str]


class Inliner:
    """Puts the bodies of functions into a graph, as often as they are called; `nodes` is changed."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        definition = GraphDef()
        definition.library.function.extend(nodes.functions.values())
        self.library: Graph = read_graph(definition)
        self.count = 0
        # The functions that a node comes from, by its name, the outermost first.
        self._from: dict[str, tuple[str, ...]] = {}

    def inline(self, call: NodeDef, keeps_name: bool) -> Placed:
        """Put the body of a function in the place of a call."""
        name = function_of(call, self.nodes)
        assert name is not None
        attrs = call.attr["f"].func.attr if call.op in CALLS else call.attr
        before = control_inputs(call)
        placed = self.place(call, name, attrs, data_inputs(call), before, self.prefix(call.name))
        results = {tensor_key(f"{call.name}:{i}"): text for i, text in enumerate(placed.results)}
        ends = list(dict.fromkeys([*placed.runs, *(node_of(text) for text in placed.results)])) or before
        del self.nodes.by_name[call.name]
        for node in placed.nodes:
            self.nodes.add(node)
        if keeps_name and results:
            self.nodes.add(named(call, placed.results, placed.dtypes, placed.runs))
        else:
            self.nodes.rewire(results, {call.name: ends})
        return placed

    def prefix(self, name: str) -> str:
        """Return what goes before the names of nodes that take the place of node `name`."""
        taken = any(other.startswith(name + "/") for other in self.nodes.by_name)
        return self.nodes.unique(name + "/inlined") + "/" if taken else name + "/"

    def _body(
        self, call: NodeDef, name: str, attrs: Mapping[str, AttrValue], count: int
    ) -> function_graph.FunctionBody:
        """Return function `name` as a graph, for a call with `count` arguments. Raises: as `place`."""
        self.count += 1
        if name in self._from.get(call.name, ()):
            raise errors.InvalidArgumentError(
                f"function {name!r} calls itself, by node {call.name!r}: it cannot be written out"
            )
        if self.count > _MOST_CALLS:
            raise errors.InvalidArgumentError(f"more than {_MOST_CALLS} calls of functions")
        body = function_graph.instantiate(self.library, name, dict(attrs))
        if count != len(body.inputs):
            raise errors.InvalidArgumentError(
                f"node {call.name!r} gives {count} arguments to function {name!r}, which takes {len(body.inputs)}"
            )
        return body

    def place(
        self,
        call: NodeDef,
        name: str,
        attrs: Mapping[str, AttrValue],
        given: Sequence[str],
        before: Sequence[str],
        prefix: str,
    ) -> Placed:
        """Return the nodes of function `name`, which takes the tensors `given`; they are not in the graph yet.

        before: nodes that all of it waits for.

        Raises: InvalidArgumentError if the function is inside of itself, or takes another number of tensors.
        """
        body = self._body(call, name, attrs, len(given))
        arguments = {tensor.op.name: text for tensor, text in zip(body.inputs, given)}

        def outside(text: str) -> str:
            """Return the name in the graph of a tensor or control input of the body."""
            if text.startswith("^"):
                inner = text[1:]
                return "^" + (node_of(arguments[inner]) if inner in arguments else prefix + inner)
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
            if before and all(node_of(text) in arguments for text in data_inputs(op.node_def)):
                inputs += ["^" + other for other in before]
            set_inputs(node, inputs)
            if not node.device:
                node.device = call.device
            if "_class" in node.attr:
                places = [_placed(place, prefix, arguments) for place in node.attr["_class"].list.s]
                del node.attr["_class"].list.s[:]
                node.attr["_class"].list.s.extend(places)
            self._from[node.name] = (*self._from.get(call.name, ()), name)
            added.append(node)
        results = []
        for i, tensor in enumerate(body.outputs):
            text = outside(tensor.name.removesuffix(":0"))
            if before and tensor.op.name in arguments:
                node = NodeDef(name=f"{prefix}output_{i}", op="Identity", device=call.device)
                node.attr["T"].type = tensor.dtype.as_datatype_enum
                set_inputs(node, [text, *("^" + other for other in before)])
                added.append(node)
                text = node.name
            results.append(text)
        runs = [outside("^" + op.name)[1:] for op in body.must_run if op.name not in arguments]
        return Placed(added, results, [tensor.dtype for tensor in body.outputs], runs)


def inline_calls(nodes: Nodes, keep: Collection[str] = ()) -> PassReport:
    """Inline all calls of functions in the graph; `nodes` is changed.

    keep: names of calls whose tensors keep their names.

    Raises: InvalidArgumentError if a function calls itself without a conditional between, or more than 100,000 calls
    are met.
    """
    inliner = Inliner(nodes)
    waiting = [node for node in nodes if function_of(node, nodes) is not None]
    added = 0
    while waiting:
        node = waiting.pop()
        inside = inliner.inline(node, node.name in keep).nodes
        added += len(inside)
        waiting += [inner for inner in inside if function_of(inner, nodes) is not None]
    return PassReport("inline functions", removed=inliner.count, added=added)


def function_of(node: NodeDef, nodes: Nodes) -> str | None:
    """Return the function that a node calls, or None where it is no call."""
    if node.op in CALLS:
        name = attr_of(node, "f").func.name
        return name if name in nodes.functions else None
    return node.op if node.op in nodes.functions else None


def _placed(place: bytes, prefix: str, arguments: Mapping[str, str]) -> bytes:
    """Return a place `loc:@node` of a function's node as it is called in the graph."""
    if not place.startswith(b"loc:@"):
        return place
    name = place[5:].decode("utf-8", "replace")
    return b"loc:@" + (node_of(arguments[name]) if name in arguments else prefix + name).encode()


def named(call: NodeDef, results: Sequence[str], dtypes: Sequence[DType], runs: Sequence[str]) -> NodeDef:
    """Return a node with the name of a call that gives its results, one or more."""
    node = NodeDef(name=call.name, op="Identity" if len(results) == 1 else "IdentityN")
    numbers = [dtype.as_datatype_enum for dtype in dtypes]
    if len(numbers) == 1:
        node.attr["T"].type = numbers[0]
    else:
        node.attr["T"].list.type.extend(numbers)
    set_inputs(node, [*results, *("^" + name for name in runs)])
    return node
