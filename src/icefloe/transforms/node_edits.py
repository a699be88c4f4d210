"""The nodes of a GraphDef by name, to be taken out, replaced and rewired.

A transform makes a `Nodes` of a graph, changes it, and takes a GraphDef from it with `to_graph_def`, which refuses to
give a broken one: every input must be there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from google.protobuf.message import Message

from icefloe import errors, opdefs
from icefloe.analysis.graph_argument import as_graph
from icefloe.graph.graph import Graph
from icefloe.proto import AttrValue, GraphDef, NodeDef


def node_of(text: str) -> str:
    """Return the node that an input or a tensor name is of: `x` for `x`, `x:1` and `^x`."""
    return text[1:] if text.startswith("^") else text.partition(":")[0]


def tensor_key(text: str) -> str:
    """Return an input of a graph or a function in its shortest form: `x` for `x:0`, but `x:out:0` stays."""
    return text[:-2] if text.endswith(":0") and text.count(":") == 1 else text


def copy_graph_def(source: Any) -> GraphDef:
    """Return a GraphDef of our own of a Graph or a GraphDef message, TensorFlow's too. Raises: TypeError."""
    if isinstance(source, Graph):
        return source.as_graph_def()
    if not isinstance(source, Message) or source.DESCRIPTOR.full_name != "tensorflow.GraphDef":
        return as_graph(source, "graphs", "graph").as_graph_def()
    definition = GraphDef()
    definition.MergeFromString(source.SerializeToString())
    return definition


class Nodes:
    """The nodes of a GraphDef, in order, and its library; `graph_def` is copied."""

    def __init__(self, graph_def: Any) -> None:
        self._source = copy_graph_def(graph_def)
        self.by_name: dict[str, NodeDef] = {node.name: node for node in self._source.node}
        self.functions = {f.signature.name: f for f in self._source.library.function}
        self._fresh = 0

    def __iter__(self) -> Iterator[NodeDef]:
        return iter(list(self.by_name.values()))

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def __getitem__(self, name: str) -> NodeDef:
        try:
            return self.by_name[name]
        except KeyError:
            raise errors.NotFoundError(f"the graph has no node {name!r}") from None

    def __len__(self) -> int:
        return len(self.by_name)

    def add(self, node: NodeDef) -> NodeDef:
        """Add a node, or put it in the place of one of the same name."""
        self.by_name[node.name] = node
        return node

    def remove(self, names: Iterable[str]) -> int:
        """Take nodes out, and control inputs on them; return how many. Data inputs on them must be rewired before."""
        gone = {name for name in names if name in self.by_name}
        for name in gone:
            del self.by_name[name]
        if gone:
            for node in self.by_name.values():
                if any(text[0] == "^" and text[1:] in gone for text in node.input):
                    set_inputs(node, [text for text in node.input if not (text[0] == "^" and text[1:] in gone)])
        return len(gone)

    def unique(self, name: str) -> str:
        """Return `name`, or it with a number where the graph has such a node."""
        if name not in self.by_name:
            return name
        while f"{name}_{self._fresh + 1}" in self.by_name:
            self._fresh += 1
        self._fresh += 1
        return f"{name}_{self._fresh}"

    def rewire(self, tensors: dict[str, str], nodes: dict[str, list[str]] | None = None) -> int:
        """Let what takes a tensor of `tensors` take the other one; return how many inputs changed.

        nodes: control inputs on these nodes become control inputs on others, none for an empty list.
        """
        final = {old: _end(new, tensors) for old, new in tensors.items()}
        changed = 0
        for node in self.by_name.values():
            inputs: list[str] = []
            for text in node.input:
                if text.startswith("^"):
                    replaced = ["^" + name for name in nodes[text[1:]]] if nodes and text[1:] in nodes else [text]
                else:
                    replaced = [final.get(tensor_key(text), text)]
                changed += replaced != [text]
                inputs += replaced
            if inputs != list(node.input):
                set_inputs(node, inputs)
        return changed

    def consumers(self) -> dict[str, list[NodeDef]]:
        """Return for each node's name the nodes that take data or control from it."""
        found: dict[str, list[NodeDef]] = {}
        for node in self.by_name.values():
            for name in dict.fromkeys(node_of(text) for text in node.input):
                found.setdefault(name, []).append(node)
        return found

    def needed(self, names: Iterable[str], stops: Iterable[str] = ()) -> set[str]:
        """Return the names of the nodes that `names` depend on, themselves included; nothing behind `stops`.

        Raises: NotFoundError if a node of `names`, or an input, is not in the graph.
        """
        ends = set(stops)
        seen: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            node = self[name]
            if name not in ends:
                waiting += [node_of(text) for text in node.input]
        return seen

    def keep(self, names: set[str]) -> int:
        """Take all nodes out but these; return how many went."""
        gone = [name for name in self.by_name if name not in names]
        for name in gone:
            del self.by_name[name]
        return len(gone)

    def prune_library(self) -> int:
        """Take functions out that no node calls, directly or by others; return how many went."""
        waiting = [name for node in self.by_name.values() for name in called_functions(node)]
        waiting += [node.op for node in self.by_name.values() if node.op in self.functions]
        gradients = {g.function_name: g.gradient_func for g in self._source.library.gradient}
        used: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in used or name not in self.functions:
                continue
            used.add(name)
            waiting += [gradients[name]] if name in gradients else []
            for node in self.functions[name].node_def:
                waiting += [node.op, *called_functions(node)]
        gone = [name for name in self.functions if name not in used]
        for name in gone:
            del self.functions[name]
        return len(gone)

    def set_producer(self, version: int) -> None:
        """Let the graph say that this producer version wrote it, unless it is as old: 0 means of other rules."""
        versions = self._source.versions
        versions.producer = min(versions.producer, version)
        versions.min_consumer = min(versions.min_consumer, versions.producer)

    def to_graph_def(self) -> GraphDef:
        """Return the nodes as a GraphDef with the versions of the first one; none is placed with one that is gone.

        Raises: InvalidArgumentError if an input is of a node that is not there.
        """
        for node in self.by_name.values():
            for text in node.input:
                if node_of(text) not in self.by_name:
                    raise errors.InvalidArgumentError(
                        f"this would leave a broken graph: node {node.name!r} takes {text!r}, which is gone"
                    )
            self.leave_places(node)
        result = GraphDef()
        if self._source.HasField("versions"):
            result.versions.CopyFrom(self._source.versions)
        result.node.extend(self.by_name.values())
        result.library.function.extend(self.functions.values())
        kept = [g for g in self._source.library.gradient if g.function_name in self.functions]
        result.library.gradient.extend(kept)
        if not result.library.function:
            result.ClearField("library")
        return result

    def leave_places(self, node: NodeDef) -> bool:
        """Take colocation with nodes that are gone out of a node; return whether there was some."""
        if "_class" not in node.attr:
            return False
        places = node.attr["_class"].list.s
        kept = [p for p in places if not p.startswith(b"loc:@") or p[5:].decode("utf-8", "replace") in self.by_name]
        if len(kept) == len(places):
            return False
        del places[:]
        places.extend(kept)
        if not kept:
            del node.attr["_class"]
        return True


def _end(name: str, tensors: dict[str, str]) -> str:
    """Follow replacements to the last one. Raises: InvalidArgumentError if they go round."""
    seen = {name}
    while (key := tensor_key(name)) in tensors:
        name = tensors[key]
        if name in seen:
            raise errors.InvalidArgumentError(f"replacing {name!r} by itself")
        seen.add(name)
    return name


def set_inputs(node: NodeDef, inputs: Iterable[str]) -> None:
    """Give a node these inputs: data in order, then each control input once."""
    texts = list(inputs)
    data = [text for text in texts if not text.startswith("^")]
    control = list(dict.fromkeys(text for text in texts if text.startswith("^")))
    del node.input[:]
    node.input.extend([*data, *control])


def data_inputs(node: NodeDef) -> list[str]:
    """Return the data inputs of a node."""
    return [text for text in node.input if not text.startswith("^")]


def control_inputs(node: NodeDef) -> list[str]:
    """Return the names of the nodes that a node waits for."""
    return [text[1:] for text in node.input if text.startswith("^")]


def attr_of(node: NodeDef, name: str) -> AttrValue:
    """Return an attr of a node, else its default, else one without a value.

    `node.attr[name]` would add the attr to a node that does not have it.
    """
    if name in node.attr:
        return node.attr[name]
    definition = opdefs.find(node.op)
    for attr in definition.attr if definition is not None else ():
        if attr.name == name and attr.HasField("default_value"):
            return attr.default_value
    return AttrValue()


def called_functions(node: NodeDef) -> list[str]:
    """Return the names of the functions in the attrs of a node."""
    return [f.name for value in node.attr.values() for f in (value.func, *value.list.func) if f.name]


def each_body(nodes: Nodes, change: Callable[[NodeDef], bool]) -> int:
    """Call `change` on each node of the graph and of its functions; return how many it says it changed."""
    changed = sum(change(node) for node in nodes)
    return changed + sum(change(node) for function in nodes.functions.values() for node in function.node_def)
