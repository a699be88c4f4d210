"""The functions that a conditional or loop of a graph calls, as graphs that gradients can look into and add to.

The gradient of such an op is made inside of a function of its own, `GradientBody`. What that needs of the forward
function, a value in the midst of it, the forward op must put out: the forward function gets results more, and the op
is changed to call it. TensorFlow does the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.func_graph import FuncGraph, add_to_library
from icefloe.graph.function_graph import instantiate
from icefloe.graph.import_graph import import_graph_def
from icefloe.graph.operation import Operation
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import Tensor
from icefloe.shapes import Dims


def body_of(op: Operation, name: str, inputs: Sequence[Tensor], shapes: Sequence[Dims]) -> FuncGraph:
    """Return the function of this name that `op` passes `inputs` to, as a graph.

    shapes: what is known of its arguments. A function that was built here is that graph itself; another, which was
    read, is built once.
    """
    known = op.graph._function_graphs.get(name)
    body = known if isinstance(known, FuncGraph) and known.name == name else _built(op, name, shapes)
    for external, internal in zip(inputs, body.inputs):
        if not handle_data(internal):
            internal._handle_data = handle_data(external)
    body.set_captures(zip(inputs, body.inputs))
    body.outer_graph = op.graph
    return body


def _built(op: Operation, name: str, shapes: Sequence[Dims]) -> FuncGraph:
    found = instantiate(op.graph, name)
    body = FuncGraph(name)
    body.functions = dict(op.graph.functions)
    found.graph.functions = {}
    with body.as_default():
        import_graph_def(found.graph.as_graph_def(), name="")
    body.inputs = [body.get_tensor_by_name(tensor.name) for tensor in found.inputs]
    body.outputs = [body.get_tensor_by_name(tensor.name) for tensor in found.outputs]
    for tensor, dims in zip(body.inputs, shapes):
        tensor.set_shape(dims)
    return body


def publish(op: Operation, attr_names: Iterable[str], bodies: Iterable[FuncGraph]) -> None:
    """Put bodies that have changed into the library, under new names, and let `op` call them."""
    for attr_name, name in zip(attr_names, _published(op, bodies)):
        op._set_func_attr(attr_name, name)


def publish_list(op: Operation, attr_name: str, bodies: Iterable[FuncGraph]) -> None:
    """Put bodies that have changed into the library, under new names, and let `op` call them by one attr."""
    op._set_func_list_attr(attr_name, _published(op, bodies))


def _published(op: Operation, bodies: Iterable[FuncGraph]) -> list[str]:
    names = []
    for body in bodies:
        name, number = f"{body.name}_rewritten", 1
        while name in op.graph.functions:
            name, number = f"{body.name}_rewritten_{number}", number + 1
        body.name = name
        names.append(add_to_library(body))
    return names


def add_outputs(op: Operation, like: Sequence[Tensor]) -> None:
    """Give `op` outputs more, of the dtypes and shapes of `like`. Its attrs must say so, too."""
    outputs = op.outputs
    for tensor in like:
        made = Tensor(op, len(outputs), tensor.dtype)
        made._dims = tensor._static_dims()
        made._handle_data = handle_data(tensor)
        outputs.append(made)


class GradientBody(FuncGraph):
    """The body of a gradient. What it takes of the forward function comes by the way that `reached` finds."""

    def __init__(self, name: str, forward: FuncGraph) -> None:
        super().__init__(name)
        self.orders_effects = False
        self.forward = forward
        self._reached: dict[int, Tensor] = {}

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Return what stands in this graph for a tensor of the forward function, or of a graph around."""
        if tensor.graph is not self.forward:
            return super().capture(tensor, name)
        known = self._reached.get(id(tensor))
        if known is None:
            known = self._reached[id(tensor)] = self.reached(tensor)
        return known

    def reached(self, tensor: Tensor) -> Tensor:
        """Return what stands in this graph for a tensor of the forward function that was not asked for before."""
        raise NotImplementedError

    def argument(self, tensor: Tensor) -> Tensor:
        """Return an argument that stands for `tensor`, of whatever graph."""
        return super().capture(tensor)

    def copied(self, tensor: Tensor) -> Tensor | None:
        """Return a constant of the forward function as one of this graph; None for what is none."""
        if tensor.op.type != "Const":
            return None
        attrs: dict[str, Any] = {"value": tensor.op.get_attr("value"), "dtype": tensor.dtype}
        with self.as_default(), self.control_dependencies(None):
            return apply_op("Const", **attrs)


def origin(tensor: Tensor) -> Tensor:
    """Return the tensor that Identity nodes hand on."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def place_of(tensor: Tensor, tensors: Iterable[Tensor]) -> int | None:
    """Return the place of a tensor among `tensors`, or None."""
    return next((i for i, other in enumerate(tensors) if other is tensor), None)


def resource_argument(tensor: Tensor, body: FuncGraph) -> int:
    """Return which argument of `body` a resource in the midst of it is: loops inside hand those on.

    Raises: LookupError if it is none of them.
    """
    while True:
        tensor = origin(tensor)
        place = place_of(tensor, body.inputs)
        if place is not None:
            return place
        if tensor.op.type not in ("While", "StatelessWhile"):
            raise LookupError(f"the gradient of {body.name} needs {tensor}, a resource that is no argument of it")
        tensor = tensor.op.inputs[tensor.value_index]
