"""Variables that a traced function makes: they belong to the graph around it, and the function is called with them.

The initial value is computed by nodes that the function has made; those are copied into the graph around.

Source: tensorflow/python/eager/polymorphic_function/polymorphic_function.py (UnliftedInitializerVariable),
tensorflow/python/eager/lift_to_graph.py.
"""

from __future__ import annotations

from typing import Any, NoReturn

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, device, name_scope
from icefloe.graph.func_graph import FuncGraph
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import name_from_scope_name
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.scopes import init_scope
from icefloe.lib.variable_resource import ResourceVariable
from icefloe.shapes import TensorShape


class FunctionVariable(ResourceVariable):
    """A variable made in a function: the function takes its handle in from outside."""

    def _add_nodes(self, initial_value: Any, name: str | None, dtype: Any, shape: Any) -> None:
        with name_scope(name, "Variable", []) as scope, name_scope("Initializer"), device(None):
            value = initial_value() if callable(initial_value) else initial_value
            initial = convert_to_tensor(value, name="initial_value", dtype=dtype)
        with init_scope(), name_scope(None):
            own_name = get_default_graph().unique_name(name_from_scope_name(scope))
            self._shape = TensorShape(initial.shape if shape is None else shape)
            self._dtype = initial.dtype.base_dtype
            self._handle = apply_op(
                "VarHandleOp",
                shape=self._shape,
                dtype=self._dtype,
                shared_name=own_name,
                debug_name=scope,
                container=get_default_graph()._container or "",
                name=f"{own_name}/",
            )
            with name_scope(f"{own_name}/"), name_scope("Read"), device(self._handle.device):
                self._graph_element = apply_op("ReadVariableOp", self._handle, dtype=self._dtype)
            self._initial_value = lifted(initial)
            with name_scope(scope), name_scope("IsInitialized"):
                self._is_initialized_op = apply_op("VarIsInitializedOp", self._handle)
            with (
                name_scope(scope),
                name_scope("Assign") as assign_scope,
                colocate_with(None, ignore_existing=True),
                device(self._handle.device),
            ):
                self._initializer_op = apply_op(
                    "AssignVariableOp", self._handle, self._initial_value, name=assign_scope
                )


def lifted(tensor: Tensor) -> Tensor:
    """Return `tensor`, of a function's body, computed in the default graph.

    Raises: UnimplementedError if it depends on an argument of the function.
    """
    graph = get_default_graph()
    made: dict[Operation, Operation] = {}
    taken = {id(inside): outside for outside, inside in getattr(tensor.graph, "captures", ())}

    def copy_of(x: Tensor) -> Tensor:
        if x.graph is graph:
            return x
        outside = taken.get(id(x))
        return made[x.op].outputs[x.value_index] if outside is None else outside

    pending = [tensor.op]
    while pending:
        op = pending[-1]
        if op in made or op.graph is graph or (op.outputs and id(op.outputs[0]) in taken):
            pending.pop()
            continue
        if op.type == "Placeholder":
            raise errors.UnimplementedError(
                f"the initial value of a variable depends on {op.name!r}, an argument of the function that makes it",
                hint="make the variable outside of the function, or give it an initial value that needs no argument",
            )
        missing = [
            source
            for source in (*(x.op for x in op.inputs if id(x) not in taken), *op.control_inputs)
            if source not in made and source.graph is not graph
        ]
        if missing:
            pending.extend(reversed(missing))
            continue
        pending.pop()
        with graph.control_dependencies([made[source] for source in op.control_inputs if source in made]):
            inputs = [copy_of(x) for x in op.inputs]
            made[op] = graph._create_op_internal(op.type, inputs, name=op.name, attrs=dict(op.node_def.attr))
    return copy_of(tensor)


class Creation:
    """What happens to variables made while a function is traced.

    made: the variables, in order. allowed: whether they may be made at all. inside: whether the function computes the
    initial value, and not only what makes the variable.
    """

    def __init__(self, allowed: bool, *, inside: bool = True) -> None:
        self.allowed = allowed
        self.inside = inside
        self.made: list[Any] = []

    def __call__(self, next_creator: Any, **arguments: Any) -> Any:
        if not isinstance(get_default_graph(), FuncGraph):
            return next_creator(**arguments)
        if not self.allowed:
            _refuse()
        arguments.pop("use_resource", None)
        arguments.pop("expected_shape", None)
        arguments.pop("experimental_enable_variable_lifting", None)
        variable = FunctionVariable(**arguments) if self.inside else _outside(arguments)
        self.made.append(variable)
        return variable


def _outside(arguments: dict[str, Any]) -> ResourceVariable:
    with init_scope():
        value = arguments.get("initial_value")
        if isinstance(value, Tensor) and value.graph is not get_default_graph():
            arguments["initial_value"] = lifted(value)
        return ResourceVariable(**arguments)


def _refuse() -> NoReturn:
    raise ValueError(
        "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
        "created once or created outside tf.function. See "
        "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
    )
