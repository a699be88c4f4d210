"""Functions of a graph's library, as graphs: what a call of one runs.

    body = instantiate(graph, "square", {"T": AttrValue(type=DT_FLOAT)})
    body.graph, body.inputs, body.outputs, body.must_run

A FunctionDef names its tensors otherwise than a GraphDef: `x` is an argument, `x:1` an element of a list argument,
`node:y:0` element 0 of output argument `y` of a node. `instantiate` makes them `node:index`, puts the caller's attrs
where the body refers to them (`T: placeholder`), and makes each argument an `_Arg` node of its name (`x_0`, `x_1`,
... for a list). Results are tensors of the body, so one may be an argument, and one tensor may be several results;
there are no `_Retval` nodes.

Source: tensorflow/core/framework/function.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from icefloe import errors, opdefs
from icefloe.graph import attributes
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import graph_from_bytes
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue, FunctionDef, GraphDef, NodeDef


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """A function made ready for given attrs.

    inputs: the output of each `_Arg` node, in order. outputs: the results in order.
    must_run: operations that a call runs whether or not a result needs them: control results and stateful ops.
    """

    name: str
    graph: Graph
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    must_run: tuple[Operation, ...]


def instantiate(library: Graph, name: str, attrs: Mapping[str, AttrValue] | None = None) -> FunctionBody:
    """Return function `name` of the library of `library`, with `attrs` in place of the attrs its body refers to.

    The body's graph shares the library, so that its nodes may call functions too.

    Raises: NotFoundError if there is no such function; InvalidArgumentError if the body is broken or an attr is
    missing.
    """
    function = library.functions.get(name)
    if function is None:
        raise errors.NotFoundError(f"function {name!r} is not in the library of the graph")
    try:
        return _Instantiation(library, function, attrs or {}).run()
    except errors.OpError as error:
        error.message = f"function {name!r}: {error.message}"
        raise


class _Instantiation:
    def __init__(self, library: Graph, function: FunctionDef, attrs: Mapping[str, AttrValue]) -> None:
        self.library = library
        self.function = function
        signature = opdefs.signature_of(function.signature)
        self.signature = signature
        self.attrs = {k: s.default for k, s in signature.attrs.items() if s.default is not None}
        self.attrs.update(attrs)
        self.definition = GraphDef(versions={"producer": library._versions.producer})
        # name in the function -> where each tensor of that name is in the body: "x" -> [("x", 0)], "node:y" -> ...
        self.places: dict[str, list[tuple[str, int]]] = {}
        self.nodes: set[str] = set()

    def run(self) -> FunctionBody:
        arguments = self._add_arguments()
        nodes = [self._bound(node) for node in self.function.node_def]
        for node in nodes:
            self._place_outputs(node)
        for node in nodes:
            inputs = [self._input(node, text) for text in node.input]
            del node.input[:]
            node.input.extend(inputs)
            self.definition.node.append(node)
        graph = graph_from_bytes(self.definition.SerializeToString(deterministic=True))
        graph.functions = self.library.functions
        graph._function_signatures = self.library._function_signatures
        return FunctionBody(
            self.function.signature.name,
            graph,
            tuple(graph._by_name[name].outputs[0] for name in arguments),
            tuple(self._results(graph)),
            tuple(self._must_run(graph, set(arguments))),
        )

    # Arguments

    def _add_arguments(self) -> list[str]:
        names: list[str] = []
        for i, arg in enumerate(self.signature.inputs):
            types = self._types_of(arg, self.attrs, self.function.signature.name)
            places = []
            for j, number in enumerate(types):
                name = f"{arg.name}_{j}" if arg.is_list else arg.name
                node = self.definition.node.add(name=name, op="_Arg")
                node.attr["T"].type = number
                node.attr["index"].i = len(names)
                for key, value in self.function.arg_attr[i].attr.items() if i in self.function.arg_attr else ():
                    node.attr[key].CopyFrom(value)
                self.nodes.add(name)
                names.append(name)
                places.append((name, 0))
            self.places[arg.name] = places
        return names

    def _types_of(self, arg: opdefs.Arg, attrs: Mapping[str, AttrValue], node: str) -> list[int]:
        """Return the DataType number of each tensor of an argument."""
        if arg.type_list_attr:
            return list(self._attr(attrs, arg.type_list_attr, node).list.type)
        number = arg.dtype or self._attr(attrs, arg.type_attr, node).type
        count = self._attr(attrs, arg.number_attr, node).i if arg.number_attr else 1
        if not 0 <= count <= 1 << 20:
            raise errors.InvalidArgumentError(f"attr '{arg.number_attr}' of {node!r} is {count}")
        return [number] * count

    def _attr(self, attrs: Mapping[str, AttrValue], name: str, node: str) -> AttrValue:
        value = attrs.get(name)
        if value is None or value.WhichOneof("value") is None:
            raise errors.InvalidArgumentError(f"attr '{name}' of {node!r} is missing")
        return value

    # Nodes

    def _bound(self, original: NodeDef) -> NodeDef:
        """Return a copy of a node of the body with the caller's attrs in place of references to them."""
        node = NodeDef()
        node.CopyFrom(original)
        if node.name in self.nodes:
            raise errors.InvalidArgumentError(f"Node '{node.name}' is not unique")
        self.nodes.add(node.name)
        for key, value in node.attr.items():
            self._bind(key, value, node)
        return node

    def _bind(self, key: str, value: AttrValue, node: NodeDef) -> None:
        kind = value.WhichOneof("value")
        if kind == "placeholder":
            found = self.attrs.get(value.placeholder)
            if found is None:
                raise errors.InvalidArgumentError(
                    f"attr '{key}' of node '{node.name}' refers to attr '{value.placeholder}', which was not given"
                )
            value.CopyFrom(found)
        elif kind == "func":
            for inner_key, inner in value.func.attr.items():
                self._bind(inner_key, inner, node)
        elif kind == "list":
            for function in value.list.func:
                for inner_key, inner in function.attr.items():
                    self._bind(inner_key, inner, node)

    def _place_outputs(self, node: NodeDef) -> None:
        signature = self.library._find_signature(node.op)
        if signature is None:
            return
        attrs: dict[str, AttrValue] = {k: s.default for k, s in signature.attrs.items() if s.default is not None}
        attrs.update(node.attr)
        index = 0
        for arg in signature.outputs:
            count = len(self._types_of(arg, attrs, node.name))
            self.places[f"{node.name}:{arg.name}"] = [(node.name, index + i) for i in range(count)]
            index += count

    def _input(self, node: NodeDef, text: str) -> str:
        if text.startswith("^"):
            if text[1:] not in self.nodes:
                raise errors.InvalidArgumentError(f"Node '{node.name}': Unknown input node '{text}'")
            return text
        name, index = self._place(text, f"Node '{node.name}'")
        return name if index == 0 else f"{name}:{index}"

    def _place(self, text: str, who: str) -> tuple[str, int]:
        """Return (node, output index) of a tensor named as in a FunctionDef."""
        places = self.places.get(text)
        if places is not None:
            if len(places) == 1:
                return places[0]
            raise errors.InvalidArgumentError(f"{who}: '{text}' is a list of {len(places)} tensors")
        base, _, number = text.rpartition(":")
        if number.isascii() and number.isdigit() and len(number) < 9:
            places = self.places.get(base)
            if places is not None and int(number) < len(places):
                return places[int(number)]
            node, colon, _ = base.partition(":")
            if places is None and colon and node in self.nodes:
                # An op that the op table does not know: its outputs are taken for one each.
                return node, int(number)
        raise errors.InvalidArgumentError(f"{who}: Unknown input node '{text}'")

    # Results

    def _results(self, graph: Graph) -> Iterable[Tensor]:
        for arg in self.signature.outputs:
            text = self.function.ret.get(arg.name)
            if text is None:
                raise errors.InvalidArgumentError(f"Return value '{arg.name}' is missing")
            count = len(self._types_of(arg, self.attrs, self.function.signature.name))
            found = self.places.get(text) if arg.is_list else None
            places = found if found is not None else [self._place(text, f"Return value '{arg.name}'")]
            if len(places) != count:
                raise errors.InvalidArgumentError(
                    f"Return value '{arg.name}': expected {count} tensors, got {len(places)}"
                )
            for name, index in places:
                outputs = graph._by_name[name].outputs
                if index >= len(outputs):
                    raise errors.InvalidArgumentError(
                        f"Return value '{arg.name}': node '{name}' has {len(outputs)} outputs"
                    )
                yield outputs[index]

    def _must_run(self, graph: Graph, arguments: set[str]) -> Iterable[Operation]:
        wanted = dict.fromkeys(self.function.control_ret.values())
        for name in wanted:
            if name not in graph._by_name:
                raise errors.InvalidArgumentError(f"Control return value refers to unknown node '{name}'")
        for op in graph._ops:
            if op.name in wanted or (op.name not in arguments and op._is_stateful):
                yield op


def function_attrs(call: Any) -> tuple[str, dict[str, AttrValue]]:
    """Return (name, attrs) of a NameAttrList, the value of an attr that names a function."""
    return call.name, {key: attributes.as_attr(value) for key, value in call.attr.items()}
