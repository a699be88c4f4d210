"""Functions of a graph's library with the values to call them with: what tracing a Python function gives.

A call is a PartitionedCall node, or a StatefulPartitionedCall where the body has state. What the body takes in from
outside comes after the arguments.

Source: tensorflow/python/eager/polymorphic_function/concrete_function.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from icefloe.graph.attributes import encode
from icefloe.graph.build import apply_op, build_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.func_graph import FuncGraph, placeholder
from icefloe.graph.function_def import to_function_def
from icefloe.graph.function_graph import instantiate
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import OperatorNotAllowedInGraphError, Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec, type_spec_from_value
from icefloe.lib import automatic_control
from icefloe.lib.control_flow_values import flat_tensors, variables_to_tensors
from icefloe.lib.function_tracing import as_result, copy_handles, pack_results, set_read_only_inputs
from icefloe.lib.nest import map_structure
from icefloe.lib.trace_keys import Leaf, leaves_of, rebuilt
from icefloe.lib.variable_scope import get_variable_scope
from icefloe.proto import AttrValue

_NUMBERS = itertools.count()


def inference_name(name: str, kind: str = "inference") -> str:
    """Return a name for a function of the library that no other in this process has."""
    return f"__{kind}_{name}_{next(_NUMBERS)}"


def trace_body(
    graph: FuncGraph, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *, orders: bool
) -> None:
    """Fill `graph` with what `function` builds of arguments whose tensors are Leaves.

    orders: give ops with state the order in which they were made, and let all of them run.

    Raises: TypeError if it returns what is no tensor, or branches on a tensor's value.
    """
    graph.orders_effects = orders
    with graph.as_default():
        scope = get_variable_scope()
        use_resource = scope.use_resource
        # In a function a variable is a resource; a reference could not be passed to it.
        scope.set_use_resource(True)
        try:
            made: list[Tensor] = []

            def argument(value: Any, name: str) -> Any:
                return _argument(graph, value, made) if isinstance(value, Leaf) else value

            inside = [rebuilt(value, "", argument) for value in args]
            named = {key: rebuilt(value, "", argument) for key, value in kwargs.items()}
            graph.inputs = list(made)
            try:
                returned = variables_to_tensors(function(*inside, **named))
            except OperatorNotAllowedInGraphError as error:
                raise OperatorNotAllowedInGraphError(
                    f"{error} Python code of a function is run as it is, not translated: use tf.cond, tf.case and "
                    "tf.while_loop for what depends on a tensor's value."
                ) from None
            returned = map_structure(lambda value: _result(value, function, orders), returned, expand_composites=True)
        finally:
            scope.set_use_resource(use_resource)  # type: ignore[arg-type]
        graph.structured_outputs = returned
        graph.outputs = [graph.capture(tensor) for tensor in flat_tensors(returned) if tensor is not None]
        graph.inputs = made + graph.internal_captures
        if orders:
            graph.control_outputs = automatic_control.order(graph.get_operations(), graph.outputs)


def _argument(graph: FuncGraph, leaf: Leaf, made: list[Tensor]) -> Any:
    tensors = []
    for spec in leaf.spec.flatten():
        name = "".join(c if c.isalnum() or c in "_./-" else "_" for c in spec.name or leaf.name)
        tensor = placeholder(graph, spec.dtype, spec.shape._dims, name)
        tensor.op._set_attr("_user_specified_name", AttrValue(s=name.encode()))
        tensors.append(tensor)
    if isinstance(leaf.value, Tensor):
        copy_handles([leaf.value], tensors)
    made.extend(tensors)
    return leaf.spec.from_tensors(tensors)


def _result(value: Any, function: Callable[..., Any], copies: bool) -> Any:
    if value is None:
        return None
    converted = as_result(value, function)
    # A node of its own can wait for the ops that must have run.
    return apply_op("Identity", converted) if copies and isinstance(converted, Tensor) else converted


class ConcreteFunction:
    """A function for arguments of given kinds. Made by `get_concrete_function` or `wrap_function`.

    graph: the body. inputs, outputs: its tensors, those taken in from outside among the inputs. captured_inputs: the
    tensors outside. structured_outputs: tensors of the body as the Python function returned them.
    """

    def __init__(
        self,
        graph: FuncGraph,
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        inputs: Sequence[Tensor] | None = None,
        captures: Sequence[tuple[Tensor, Tensor]] | None = None,
        control_outputs: Sequence[Operation] = (),
        operations: Sequence[Operation] | None = None,
        attributes: Mapping[str, AttrValue] | None = None,
    ) -> None:
        self.graph = graph
        self.inputs: list[Tensor] = list(graph.inputs if inputs is None else inputs)
        self.outputs: list[Tensor] = list(graph.outputs)
        self.structured_outputs = graph.structured_outputs
        self.control_outputs = list(control_outputs)
        self._captures = list(graph.captures if captures is None else captures)
        self._name = name
        self._args, self._kwargs = list(args), dict(kwargs)
        self._leaves = [leaf for value in (*args, *(kwargs[key] for key in kwargs)) for leaf in leaves_of(value)]
        arguments = {tensor.op for tensor in self.inputs}
        found = graph.get_operations() if operations is None else operations
        self._operations = [op for op in found if op not in arguments]
        self._seen = len(graph.get_operations())
        self._definition = to_function_def(
            graph,
            name,
            self.inputs,
            self.outputs,
            operations=self._operations,
            control_outputs=self.control_outputs,
        )
        self._definition.attr["_construction_context"].s = b"kEagerRuntime"
        for key, value in (attributes or {}).items():
            self._definition.attr[key].CopyFrom(value)
        self._forward: dict[tuple[int, ...], ConcreteFunction] = {}

    # What it is

    @property
    def name(self) -> bytes:
        """Its name in the library."""
        return self._name.encode()

    @property
    def function_def(self) -> Any:
        """Its FunctionDef."""
        return self._definition

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors outside of it that it is called with, besides its arguments."""
        return [external for external, _ in self._captures]

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The specs of the positional arguments, and of those by keyword; Python values as they are."""
        args = tuple(rebuilt(value, "", _spec_of) for value in self._args)
        return args, {key: rebuilt(value, "", _spec_of) for key, value in self._kwargs.items()}

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, in their structure."""
        return map_structure(lambda x: getattr(x, "dtype", None), self.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the results, in their structure."""
        return map_structure(lambda x: getattr(x, "shape", None), self.structured_outputs)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it is called with."""
        known: dict[int, Any] = {}
        for graph in _graphs_from(self.graph.outer_graph):
            for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES):
                for variable in graph.get_collection(key):
                    known.setdefault(id(getattr(variable, "_handle", None)), variable)
        for variable in getattr(self.graph, "_made_variables", ()):
            known.setdefault(id(variable._handle), variable)
        return tuple(known[id(tensor)] for tensor in self.captured_inputs if id(tensor) in known)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trained."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Return its arguments, results and captures as text."""
        lines = ["Input Parameters:"]
        args, kwargs = self.structured_input_signature
        names = [*(n if n else f"arg_{i}" for i, n in enumerate(self._arg_names())), *kwargs]
        kinds = ["POSITIONAL_OR_KEYWORD"] * len(args) + ["KEYWORD_ONLY"] * len(kwargs)
        lines += [f"  {n} ({k}): {v}" for n, k, v in zip(names, kinds, (*args, *kwargs.values()))]
        outputs = map_structure(
            lambda x: None if x is None else type_spec_from_value(x), self.structured_outputs, expand_composites=True
        )
        lines += ["Output Type:", f"  {outputs}", "Captures:"]
        lines += [f"  {id(t)}: {TensorSpec(t.shape, t.dtype)}" for t in self.captured_inputs] or ["  None"]
        return "\n".join(lines)

    def _arg_names(self) -> list[str]:
        names = []
        for value in self._args:
            leaves = leaves_of(value)
            names.append(leaves[0].name if leaves else "")
        return names

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._name} at {id(self):#x}>"

    # Calling it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call to the default graph and return its results, in the structure the Python function returned.

        Arguments as the Python function takes them, or only the tensors, by position or by name.

        Raises: TypeError if they do not fit.
        """
        return self.call_flat(self._bound(args, kwargs))

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the tensors to pass for arguments."""
        if len(args) == len(self._args) and set(kwargs) <= set(self._kwargs):
            values: list[Any] = []
            missing = [key for key in self._kwargs if key not in kwargs]
            if not missing:
                pairs = [*zip(self._args, args), *((self._kwargs[key], kwargs[key]) for key in self._kwargs)]
                if all(_matches(template, value, values) for template, value in pairs):
                    return self._flat(values)
        leaves = self._leaves
        by_name = {leaf.name: i for i, leaf in enumerate(leaves)}
        found: dict[int, Any] = dict(enumerate(args))
        for key, value in kwargs.items():
            place = by_name.get(key)
            if place is None:
                raise TypeError(f"{self._text()} got an unexpected keyword argument {key!r}")
            if place in found:
                raise TypeError(f"{self._text()} got two values for {key!r}.")
            found[place] = value
        if len(args) > len(leaves):
            raise TypeError(f"{self._text()} takes {len(leaves)} positional arguments, got {len(args)}.")
        absent = [leaf.name for i, leaf in enumerate(leaves) if i not in found]
        if absent:
            raise TypeError(f"{self._text()} missing required arguments: {', '.join(absent)}.")
        return self._flat([found[i] for i in range(len(leaves))])

    def _text(self) -> str:
        return f"{self._name}({', '.join(leaf.name for leaf in self._leaves)})"

    def _flat(self, values: Sequence[Any]) -> list[Tensor]:
        flat: list[Tensor] = []
        for leaf, value in zip(self._leaves, values):
            flat.extend(cast_to_spec(leaf.spec, value))
        return flat

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Add a call with these tensors as arguments and return its results in their structure."""
        op = self.call_op([*tensors, *self.captured_inputs])
        if self.structured_outputs is None:
            return None
        return pack_results(self.structured_outputs, op.outputs)

    def call_op(self, inputs: Sequence[Tensor]) -> Operation:
        """Add the node of a call."""
        graph = get_default_graph()
        self.add_to_graph(graph)
        kind = "StatefulPartitionedCall" if self._definition.signature.is_stateful else "PartitionedCall"
        attrs = {"Tout": [t.dtype.base_dtype for t in self.outputs], "f": self._name}
        with control_dependencies(self.graph.control_captures):
            op = build_op(kind, (list(inputs),), attrs)
        for dims, mine, made in zip(self._result_shapes(op), self.outputs, op.outputs):
            made.set_shape(dims)
            if handle_data(mine):
                made._handle_data = handle_data(mine)
        if kind == "StatefulPartitionedCall":
            self._note_read_only(op)
        vars(op)["__concrete"] = self
        return op

    def _result_shapes(self, op: Operation) -> list[Any]:
        """Return the static shapes of the results of a call, which may know more than the function was built for."""
        shapes: list[Any] = [tensor._static_dims() for tensor in self.outputs]
        if all(dims is not None and None not in dims for dims in shapes):
            return shapes
        given = [tensor._static_dims() for tensor in op.inputs]
        if all(dims == inside._static_dims() for dims, inside in zip(given, self.inputs)):
            return shapes
        body = instantiate(op.graph, self._name)
        for dims, external, internal in zip(given, op.inputs, body.inputs):
            internal.set_shape(dims)
            internal._handle_data = handle_data(external)
        return [tensor.shape.merge_with(dims) for tensor, dims in zip(body.outputs, shapes)]

    def _note_read_only(self, op: Operation) -> None:
        if any(tensor.dtype.name == "resource" for tensor in self.inputs):
            set_read_only_inputs(op, [self], 0)  # type: ignore[list-item]
        else:
            name = "_read_only_resource_inputs"
            op._set_attr(name, encode([], "list(int)", name))

    def add_to_graph(self, g: Graph | None = None, overwrite: bool = False) -> None:
        """Add the function, and those it calls, to the library of `g`, by default the default graph."""
        graph = get_default_graph() if g is None else g
        for function in (self._definition, *self.graph.functions.values()):
            graph.add_function(function, self.graph._function_gradients.get(function.signature.name))
        graph._function_graphs.update(self.graph._function_graphs)

    def add_gradient_functions_to_graph(self, g: Graph | None = None) -> None:
        """Add the function to the library of `g`; its gradient is built when it is asked for."""
        self.add_to_graph(g)

    def with_results(self, results: Sequence[Tensor]) -> ConcreteFunction:
        """Return a function of the same body that gives `results`, tensors of it, too."""
        key = tuple(id(tensor) for tensor in results)
        known = self._forward.get(key)
        if known is None:
            outputs, structured = self.graph.outputs, self.graph.structured_outputs
            self.graph.outputs = [*self.outputs, *results]
            self.graph.structured_outputs = list(self.graph.outputs)
            try:
                known = ConcreteFunction(
                    self.graph,
                    inference_name(self.graph.name, "forward"),
                    self._args,
                    self._kwargs,
                    self.inputs,
                    self._captures,
                    self.control_outputs,
                    # Loops inside have got accumulators.
                    [*self._operations, *self.graph.get_operations()[self._seen :]],
                )
            finally:
                self.graph.outputs, self.graph.structured_outputs = outputs, structured
            self._forward[key] = known
        return known


def _graphs_from(graph: Any) -> Iterable[Graph]:
    while isinstance(graph, FuncGraph):
        yield graph
        graph = graph.outer_graph
    yield graph


def _spec_of(value: Any, name: str) -> Any:
    if not isinstance(value, Leaf):
        return value
    spec = value.spec
    return TensorSpec(spec.shape, spec.dtype, value.name) if isinstance(spec, TensorSpec) else spec


def _matches(template: Any, value: Any, values: list[Any]) -> bool:
    """Whether `value` has the form of `template`; its tensors are appended to `values`."""
    if isinstance(template, Leaf):
        values.append(value)
        return True
    if isinstance(template, Mapping):
        return (
            isinstance(value, Mapping)
            and set(value) == set(template)
            and all(_matches(template[key], value[key], values) for key in sorted(template))
        )
    if isinstance(template, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(template)
            and all(_matches(a, b, values) for a, b in zip(template, value))
        )
    return value is template or bool(value == template)


def cast_to_spec(spec: TypeSpec, value: Any) -> list[Tensor]:
    """Return the tensors of `value`, which a function takes as `spec`. Raises: TypeError if it does not fit."""
    if isinstance(spec, TensorSpec):
        tensor = value if isinstance(value, Tensor) else _converted(spec, value)
        found: TypeSpec = TensorSpec(tensor.shape, tensor.dtype, spec.name)
        parts: list[Any] = [tensor]
    else:
        found = type_spec_from_value(value)
        parts = spec.to_tensors(value) if spec.is_compatible_with(value) else []
    if not spec.is_compatible_with(found):
        raise TypeError(f"Can not cast {found!r} to {spec!r}")
    return parts


def _converted(spec: TensorSpec, value: Any) -> Tensor:
    try:
        return convert_to_tensor(value, spec.dtype)
    except (ValueError, TypeError) as error:
        raise TypeError(f"Can not cast {value!r} to {spec!r}: {error}") from None
