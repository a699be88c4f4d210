"""The nodes of a graph or of a function in its library, to be rewritten by one rule for both.

Tensors are named otherwise in each: `node:1` in a graph, `node:argument:0` or the argument's name in a function. A rule
asks a `Body` for the name of an output, adds nodes by it, and moves what takes a tensor to another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.graph.graph import Graph
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import AttrValue, FunctionDef, NodeDef
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.node_edits import Nodes, attr_of, data_inputs, node_of, set_inputs, tensor_key

Dims = tuple[int | None, ...] | None


class Body:
    """A graph, or with `function` a function of it; `graph` knows the shapes of the graph's tensors."""

    def __init__(self, nodes: Nodes, function: FunctionDef | None = None, graph: Graph | None = None) -> None:
        self._nodes = nodes
        self.function = function
        self._graph = graph
        self._by_name = nodes.by_name if function is None else {n.name: n for n in function.node_def}
        self._arguments = set() if function is None else {a.name for a in function.signature.input_arg}

    def nodes(self) -> list[NodeDef]:
        """Return the nodes as they are now."""
        return list(self._by_name.values())

    def node(self, text: str) -> NodeDef | None:
        """Return the node that gives a tensor, None for an argument of the function."""
        name = text.removeprefix("^").partition(":")[0]
        return None if name in self._arguments else self._by_name.get(name)

    def tensor(self, node: NodeDef, index: int = 0) -> str:
        """Return the name of an output of a node. Raises: InvalidArgumentError if there is none."""
        if self.function is None:
            return node.name if index == 0 else f"{node.name}:{index}"
        at = 0
        for arg in self._signature(node).outputs:
            count = _count(node, arg)
            if index < at + count:
                return f"{node.name}:{arg.name}:{index - at}"
            at += count
        raise errors.InvalidArgumentError(f"node {node.name!r} has no output {index}")

    def _signature(self, node: NodeDef) -> opdefs.Signature:
        function = self._nodes.functions.get(node.op)
        return opdefs.signature(node.op) if function is None else opdefs.signature_of(function.signature)

    def outputs(self, node: NodeDef) -> list[str]:
        """Return the names of the outputs of a node."""
        count = sum(_count(node, arg) for arg in self._signature(node).outputs)
        return [self.tensor(node, i) for i in range(count)]

    def uses(self, tensor: str) -> bool:
        """Whether a node takes a tensor, or it is a result of the function."""
        key = tensor_key(tensor)
        taken = any(tensor_key(text) == key for node in self._by_name.values() for text in node.input)
        return taken or (self.function is not None and key in map(tensor_key, self.function.ret.values()))

    def constant(self, text: str) -> np.ndarray | None:
        """Return the value of a tensor that is a constant, handed on or not; else None."""
        node = self.node(text)
        while node is not None and node.op in ("Identity", "Snapshot") and data_inputs(node):
            node = self.node(node.input[0])
        if node is None or node.op != "Const" or "value" not in node.attr:
            return None
        return make_ndarray(node.attr["value"].tensor)

    def shape(self, text: str) -> Dims:
        """Return the static shape of a tensor; None where it is unknown, as for all in functions but constants."""
        value = self.constant(text)
        if value is not None:
            return value.shape
        if self._graph is None:
            return None
        try:
            shape = self._graph.get_tensor_by_name(text if ":" in text else f"{text}:0").shape
        except (KeyError, ValueError, errors.OpError):
            return None
        return None if shape.rank is None else tuple(shape.as_list())

    def add(self, op: str, like: NodeDef, suffix: str, inputs: Sequence[str], /, **attrs: Any) -> NodeDef:
        """Add a node beside `like`, on its device, that waits for what it waits for; types are DataType numbers."""
        node = NodeDef(name=self._unique(f"{like.name}/{suffix}"), op=op, device=like.device)
        set_attrs(node, attrs)
        set_inputs(node, inputs or self._frame(like))
        return self._put(node)

    def _frame(self, like: NodeDef) -> list[str]:
        """Return control inputs that put a node without inputs into the frame of a loop that `like` is in."""
        control = [t for t in like.input if t.startswith("^")]
        first = next(iter(data_inputs(like)), None)
        in_loops = self.function is None and any(n.op in ("Enter", "RefEnter") for n in self._by_name.values())
        if control or first is None or not in_loops:
            return control
        giver = self._by_name[node_of(first)]
        if giver.op == "Switch":  # nothing may wait for a Switch itself: it is never dead
            giver = self.add("Identity", like, "pivot", [first], T=attr_of(giver, "T").type)
        return ["^" + giver.name]

    def add_constant(self, like: NodeDef, suffix: str, value: Any) -> str:
        """Add a constant beside `like` and return its tensor."""
        node = constant_node(self._unique(f"{like.name}/{suffix}"), value)
        node.device = like.device
        set_inputs(node, self._frame(like))
        return self.tensor(self._put(node))

    def _put(self, node: NodeDef) -> NodeDef:
        if self.function is not None:
            self.function.node_def.append(node)
            node = self.function.node_def[-1]
        self._by_name[node.name] = node
        return node

    def _unique(self, name: str) -> str:
        if self.function is not None:
            name = name.replace("/", "_")
        candidate, number = name, 0
        while candidate in self._by_name or candidate in self._arguments:
            number += 1
            candidate = f"{name}_{number}"
        return candidate

    def become(self, node: NodeDef, op: str, inputs: Sequence[str], /, **attrs: Any) -> None:
        """Make a node another op with these data inputs and attrs; output i of it stays output i.

        Attrs whose names begin with `_`, control inputs and the device stay. An AttrValue is taken as it is.
        """
        self.become_moved(node, op, inputs, {}, **attrs)

    def become_moved(
        self, node: NodeDef, op: str, inputs: Sequence[str], moved: Mapping[int, int], /, **attrs: Any
    ) -> None:
        """Make a node another op, as `become`; output i becomes output `moved[i]`."""
        old = self.outputs(node)
        control = [t for t in node.input if t.startswith("^")]
        kept = {key: value.SerializeToString() for key, value in node.attr.items() if key.startswith("_")}
        given = {
            key: value.SerializeToString() if isinstance(value, AttrValue) else value for key, value in attrs.items()
        }
        node.op = op
        node.ClearField("attr")
        for key, data in kept.items():
            node.attr[key].MergeFromString(data)
        set_attrs(node, given)
        set_inputs(node, [*inputs, *control])
        new = self.outputs(node)
        places = [moved.get(i, i) for i in range(len(old))]
        self.move({old[i]: new[at] for i, at in enumerate(places) if at < len(new)})

    def replace(self, node: NodeDef, tensors: Sequence[str]) -> None:
        """Take a node out: what takes its outputs takes these tensors, what waits for it waits for what gives them."""
        self.move(dict(zip(self.outputs(node), tensors)))
        givers = [found.name for t in dict.fromkeys(tensors) if (found := self.node(t)) is not None]
        for user in self._by_name.values():
            if f"^{node.name}" in user.input:
                set_inputs(user, [t for t in user.input if t != f"^{node.name}"] + [f"^{name}" for name in givers])
        del self._by_name[node.name]
        if self.function is not None:
            for key, name in list(self.function.control_ret.items()):
                if name == node.name and givers:
                    self.function.control_ret[key] = givers[0]
            self.function.node_def.remove(node)

    def move(self, tensors: Mapping[str, str]) -> None:
        """Let what takes a tensor take another one."""
        moved = {tensor_key(old): new for old, new in tensors.items() if old != new}
        if not moved:
            return
        for node in self._by_name.values():
            inputs = [text if text.startswith("^") else moved.get(tensor_key(text), text) for text in node.input]
            if inputs != list(node.input):
                set_inputs(node, inputs)
        if self.function is not None:
            for key, text in self.function.ret.items():
                self.function.ret[key] = moved.get(tensor_key(text), text)


def set_attrs(node: NodeDef, attrs: Mapping[str, Any]) -> None:
    """Set attrs from values as the op has them: a type is a DataType number, bytes are a serialized AttrValue."""
    for name, value in attrs.items():
        attr = node.attr[name]
        if isinstance(value, bytes):
            attr.MergeFromString(value)
        elif isinstance(value, bool):
            attr.b = value
        elif isinstance(value, str):
            attr.s = value.encode()
        elif isinstance(value, float):
            attr.f = value
        elif isinstance(value, int):
            spec = opdefs.signature(node.op).attrs[name]
            setattr(attr, "type" if spec.type == "type" else "i", value)
        elif isinstance(value, list):
            spec = opdefs.signature(node.op).attrs[name]
            (attr.list.type if spec.type == "list(type)" else attr.list.i).extend(value)
            attr.list.SetInParent()
        else:
            raise TypeError(f"no attr holds a {type(value).__name__}")


def _count(node: NodeDef, arg: opdefs.Arg) -> int:
    if arg.type_list_attr:
        return len(node.attr[arg.type_list_attr].list.type) if arg.type_list_attr in node.attr else 0
    if arg.number_attr:
        return int(node.attr[arg.number_attr].i) if arg.number_attr in node.attr else 0
    return 1
