"""Functions of a program as a SavedModel has them: FunctionDefs that are called with objects.

Whatever a function takes in from outside is an object of the SavedModel: a variable or table by its handle, a constant
or asset by its value. A reference variable becomes a resource: a function that takes in its value gets its handle and
reads that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from icefloe import errors
from icefloe.graph.build import build_op
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.concrete_functions import ConcreteFunction, inference_name
from icefloe.lib.function_tracing import pack_results
from icefloe.proto import DataType, FunctionDef, TensorShapeProto
from icefloe.shapes import dims_to_proto

_RESOURCE = DataType.Value("DT_RESOURCE")


@dataclass(eq=False)
class CapturedConstant:
    """A value that functions take in."""

    value: Any


@dataclass(frozen=True)
class Capture:
    """An object that a function is called with. read: the function takes its value, of a variable."""

    value: Any
    read: bool = False


class ExportedFunction:
    """A function as it is written.

    concrete: what it was built as. definition: its FunctionDef. captured: the objects that it is called with, besides
    its arguments.
    """

    def __init__(self, concrete: ConcreteFunction, captures: Sequence[Capture]) -> None:
        if concrete.graph.control_captures:
            names = ", ".join(repr(op.name) for op in concrete.graph.control_captures)
            raise errors.UnimplementedError(
                f"function {concrete._name!r} waits for operations outside of it: {names}",
                hint="leave out the control dependencies around it; in a SavedModel a function stands alone",
            )
        self.concrete = concrete
        self.captured = [capture.value for capture in captures]
        definition = FunctionDef()
        definition.CopyFrom(concrete.function_def)
        self._reads = [i for i, capture in enumerate(captures) if capture.read]
        if self._reads:
            first = len(concrete.inputs) - len(captures)
            _read_inside(definition, [first + i for i in self._reads])
            definition.signature.name = inference_name(concrete.graph.name)
        self.definition = definition

    @property
    def name(self) -> str:
        """Its name in the library."""
        return str(self.definition.signature.name)

    @property
    def input_shapes(self) -> list[TensorShapeProto]:
        """The static shapes of its arguments, those of handles as scalars."""
        read = {len(self.concrete.inputs) - len(self.captured) + i for i in self._reads}
        return [
            dims_to_proto(() if i in read or x.dtype.name == "resource" else x._static_dims())
            for i, x in enumerate(self.concrete.inputs)
        ]

    def add_to_graph(self) -> None:
        """Add it, and the functions that it calls, to the library of the default graph."""
        graph = get_default_graph()
        inner = self.concrete.graph
        for function in (self.definition, *inner.functions.values()):
            graph.add_function(function, inner._function_gradients.get(function.signature.name))
        graph._function_graphs.update(inner._function_graphs)

    def call_op(self, inputs: Iterable[Tensor]) -> Operation:
        """Add the node of a call. inputs: the arguments and what stands for the captured objects."""
        self.add_to_graph()
        kind = "StatefulPartitionedCall" if self.definition.signature.is_stateful else "PartitionedCall"
        attrs = {"Tout": [t.dtype.base_dtype for t in self.concrete.outputs], "f": self.name}
        op = build_op(kind, (list(inputs),), attrs)
        for mine, made in zip(self.concrete.outputs, op.outputs):
            made.set_shape(mine._static_dims())
        return op

    def call(self, arguments: Sequence[Tensor], tensor_of: Callable[[Any], Tensor]) -> Any:
        """Add a call and return its results in their structure."""
        op = self.call_op([*arguments, *(tensor_of(value) for value in self.captured)])
        return pack_results(self.concrete.structured_outputs, op.outputs)


def _read_inside(definition: FunctionDef, places: Iterable[int]) -> None:
    """Make handles of the arguments at `places`, which are read at the start of the function."""
    taken = {node.name for node in definition.node_def} | {arg.name for arg in definition.signature.input_arg}
    values: dict[str, str] = {}
    controls: dict[str, str] = {}
    for place in places:
        argument = definition.signature.input_arg[place]
        name = f"{argument.name}/ReadVariableOp"
        while name in taken:
            name += "_"
        taken.add(name)
        values[argument.name] = f"{name}:value:0"
        controls[f"^{argument.name}"] = f"^{name}"
        node = definition.node_def.add(name=name, op="ReadVariableOp", input=[argument.name])
        node.attr["dtype"].type = argument.type
        argument.type = _RESOURCE
        definition.arg_attr[place].attr.pop("_output_shapes", None)
    added = len(values)
    for node in definition.node_def[:-added]:
        node.input[:] = [values.get(text, controls.get(text, text)) for text in node.input]
    for key, text in definition.ret.items():
        definition.ret[key] = values.get(text, text)
    definition.signature.is_stateful = True
