"""A graph as a FunctionDef: the opposite of `function_graph.instantiate`.

    function = to_function_def(graph, "square", inputs=[x], outputs=[y])

The nodes of the inputs become arguments. Arguments, results and nodes share one space of names: arguments and results
are put in lower case, and what is taken gets a number. A tensor of a node is named `node:output_arg:index`.

Source: tensorflow/core/framework/graph_to_functiondef.cc, tensorflow/c/c_api_function.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from icefloe import errors
from icefloe.graph.function_hash import name_suffix
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import FunctionDef, NodeDef


class _Names:
    """Gives out names: each is taken once."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        if name not in self._next:
            self._next[name] = 0
            return name
        while True:
            candidate = f"{name}_{self._next[name]}"
            self._next[name] += 1
            if candidate not in self._next:
                self._next[candidate] = 0
                return candidate

    def argument(self, name: str) -> str:
        """Return a name for an argument or result of node `name`: lower case letters, digits and `_`."""
        text = "".join(c.lower() if c.isascii() and c.isalnum() else "_" for c in name)
        start = next((i for i, c in enumerate(text) if c.isalpha()), None)
        return self.unique("unknown" if start is None else text[start:])

    def given(self, name: str) -> str:
        """Take a name that was asked for. Raises: InvalidArgumentError if it was given out before."""
        if name in self._next:
            raise errors.InvalidArgumentError(
                f"Cannot have duplicate output names. Name '{name}' appears more than once in 'output_names' array."
            )
        self._next[name] = 0
        return name


def to_function_def(
    graph: Graph,
    name: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    *,
    append_hash: bool = False,
    operations: Iterable[Operation] | None = None,
    output_names: Sequence[str] = (),
    control_outputs: Sequence[Operation] = (),
    description: str = "",
) -> FunctionDef:
    """Return `graph`, from `inputs` to `outputs`, as a FunctionDef.

    append_hash: add `_` and a hash of the function to its name. operations: those of the body, by default all but the
    inputs' own. output_names: of the results, by default those of their nodes. control_outputs: what a call runs in any
    case, besides stateful ops.

    Raises: InvalidArgumentError if a tensor is a reference, a name is there twice, or a node takes something from
    outside of the body.
    """
    return _Conversion(graph, name, inputs, outputs, operations, output_names).run(
        append_hash, control_outputs, description
    )


class _Conversion:
    def __init__(
        self,
        graph: Graph,
        name: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        operations: Iterable[Operation] | None,
        output_names: Sequence[str],
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.output_names = output_names
        arguments = {tensor.op for tensor in inputs}
        found = graph.get_operations() if operations is None else operations
        self.body = [op for op in found if operations is not None or op not in arguments]
        self.names = _Names()
        # What an operation, and what a tensor, by id, is called in the function.
        self.of_nodes: dict[Operation, str] = {}
        self.of_tensors: dict[int, str] = {}
        self.function = FunctionDef()
        self.function.signature.SetInParent()

    def run(self, append_hash: bool, control_outputs: Sequence[Operation], description: str) -> FunctionDef:
        """Return the FunctionDef."""
        function = self.function
        if description:
            function.signature.description = description
        self._check()
        self._add_results()
        self._add_arguments()
        for op in self.body:
            self._name_outputs(op)
        for op in self.body:
            self._add_node(op)
        for arg, tensor in zip(function.signature.output_arg, self.outputs):
            if id(tensor) not in self.of_tensors:
                raise errors.InvalidArgumentError(
                    f"TF_Output {tensor.name} is neither in the function body nor among function inputs. Encountered "
                    f"while creating function '{self.name}'"
                )
            function.ret[arg.name] = self.of_tensors[id(tensor)]
        function.signature.name = f"{self.name}_{name_suffix(function)}" if append_hash else self.name
        for op in control_outputs:
            function.control_ret[op.name] = self.of_nodes[op]
        function.signature.control_output.extend(sorted(function.control_ret))
        return function

    def _check(self) -> None:
        if self.output_names and len(self.output_names) != len(self.outputs):
            raise errors.InvalidArgumentError(
                "output names must be either empty or equal in size to outputs. output names size = "
                f"{len(self.output_names)} outputs size = {len(self.outputs)}"
            )
        for tensor in (*self.inputs, *self.outputs):
            if tensor.dtype._is_ref_dtype:
                raise errors.InvalidArgumentError(
                    f"Output {tensor.value_index} of node '{tensor.op.name}' has a reference type {tensor.dtype.name}"
                    f"\n\tEncountered while creating function '{self.name}'"
                )

    def _add_results(self) -> None:
        for i, tensor in enumerate(self.outputs):
            name = self.names.given(self.output_names[i]) if self.output_names else self.names.argument(tensor.op.name)
            self.function.signature.output_arg.add(name=name, type=tensor.dtype.as_datatype_enum)

    def _add_arguments(self) -> None:
        for i, tensor in enumerate(self.inputs):
            op = tensor.op
            name = self.of_nodes[op] = self.names.argument(op.name)
            self.of_tensors[id(tensor)] = name
            self.function.signature.input_arg.add(name=name, type=tensor.dtype.as_datatype_enum)
            for key, value in op._node_attrs().items():
                if key.startswith("_"):
                    self.function.arg_attr[i].attr[key].CopyFrom(value)
                elif key == "shape" and tensor.dtype.name != "resource":
                    self.function.arg_attr[i].attr["_output_shapes"].list.shape.add().CopyFrom(value.shape)

    def _name_outputs(self, op: Operation) -> None:
        name = self.of_nodes[op] = self.names.unique(op.name)
        for argument, position, tensor in output_places(op):
            self.of_tensors.setdefault(id(tensor), f"{name}:{argument}:{position}")

    def _add_node(self, op: Operation) -> None:
        node: NodeDef = op.node_def
        node.name = self.of_nodes[op]
        del node.input[:]
        for i, tensor in enumerate(op.inputs):
            known = self.of_tensors.get(id(tensor))
            if known is None:
                raise errors.InvalidArgumentError(
                    f"Input {i}, '{tensor.name}', of node '{op.name}' in function '{self.name}' is not available. You "
                    "might need to include it in inputs or include its source node in the body"
                )
            node.input.append(known)
        for source in sorted(op.control_inputs, key=lambda source: source.name):
            if source not in self.of_nodes:
                raise errors.InvalidArgumentError(
                    f"The source of control edge {source.name} -> {op.name} is not in the body. Encountered while "
                    f"creating function '{self.name}'"
                )
            node.input.append(f"^{self.of_nodes[source]}")
        self.function.node_def.append(node)
        signature = self.function.signature
        if op._is_stateful:
            signature.is_stateful = True
        known_attrs = {attr.name for attr in signature.attr}
        for key, value in node.attr.items():
            if value.placeholder and value.placeholder not in known_attrs and op.signature is not None:
                known_attrs.add(value.placeholder)
                signature.attr.add(name=value.placeholder, type=op.signature.attrs[key].type)


def output_places(op: Operation) -> Iterable[tuple[str, int, Tensor]]:
    """Yield (output argument, position in it, tensor) of each output of `op`."""
    signature = op.signature
    if signature is None:
        return
    index = 0
    for arg in signature.outputs:
        count = 1
        if arg.type_list_attr:
            count = len(op.kernel_attr(arg.type_list_attr))
        elif arg.number_attr:
            count = op.kernel_attr(arg.number_attr)
        for position in range(count):
            yield arg.name, position, op.outputs[index]
            index += 1
