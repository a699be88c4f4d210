"""The bodies of functions while they are built.

A tensor of a graph outside that an op of the body takes becomes an argument: a Placeholder stands for it in the body,
and whoever calls the function passes the tensor. `FuncGraph` is what conditionals and loops call; `DefunGraph` is the
older kind, of `Defun`, in which conditionals and loops keep TensorFlow 1's form.

Source: tensorflow/python/framework/func_graph.py, function.py.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from icefloe import errors, opdefs, shapes
from icefloe.graph import attributes
from icefloe.graph.function_def import to_function_def
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.scopes import ControlDependencies
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue

_NUMBERS = itertools.count()


def unique_function_name(scope: str, kind: str) -> str:
    """Return a name for a function of a conditional or loop that no other in this process has."""
    return f"{scope}{kind}_{next(_NUMBERS)}".replace("/", "_")


def placeholder(graph: Graph, dtype: Any, dims: shapes.Dims, name: str | None = None) -> Tensor:
    """Add a Placeholder to `graph` and return its output."""
    shape = AttrValue(shape=shapes.dims_to_proto(dims))
    attrs = {"dtype": attributes.type_attr(dtype.base_dtype.as_datatype_enum), "shape": shape}
    return graph._new_op(opdefs.signature("Placeholder"), name or "Placeholder", (), attrs).outputs[0]


class FunctionBody(Graph):
    """A graph that takes in tensors from graphs around it.

    name: the function's. inputs: the outputs of the Placeholders that are its arguments. outputs: its results.
    outer_graph: the graph that was the default one when it was made.
    """

    _building_function = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.outer_graph: Graph = get_default_graph()

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """Pairs of a tensor outside and what stands for it."""
        raise NotImplementedError

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Return what stands in this graph for a tensor of a graph around it."""
        raise NotImplementedError

    def _new_op(
        self,
        signature: opdefs.Signature,
        name: str,
        inputs: tuple[Tensor, ...],
        attrs: dict[str, AttrValue],
        *,
        check: bool = False,
    ) -> Operation:
        inputs = tuple([t if t.graph is self else self.capture(t) for t in inputs])
        return super()._new_op(signature, name, inputs, attrs, check=check)


class FuncGraph(FunctionBody):
    """The body of a function that a conditional, a loop or a call of a graph runs.

    captures: pairs of a tensor outside and the argument that stands for it. control_captures: what a caller must run
    before. structured_outputs: what the Python function returned. orders_effects: ops with state run in the order they
    were made, all of them; so it is in conditionals and loops of such a function, too.
    """

    def __init__(self, name: str, collections: Any = None) -> None:
        super().__init__(name)
        outer = self.outer_graph
        self.orders_effects: bool = getattr(outer, "orders_effects", False)
        self.seed = outer.seed
        self._by_external: dict[int, tuple[Tensor, Tensor]] = {}
        self.control_captures: list[Operation] = []
        self.control_outputs: list[Operation] = []
        self.structured_outputs: Any = None
        self._colocation_stack = list(outer._colocation_stack)
        # A conditional or loop belongs to one place: the devices around it hold in its functions too.
        self._device_stack = list(outer._device_stack)
        self._collections = outer._collections if collections is None else collections

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """Pairs of a tensor outside and the argument that stands for it, in the order they were taken in."""
        return list(self._by_external.values())

    @property
    def external_captures(self) -> list[Tensor]:
        """The tensors outside."""
        return [external for external, _ in self._by_external.values()]

    @property
    def internal_captures(self) -> list[Tensor]:
        """The arguments that stand for them."""
        return [internal for _, internal in self._by_external.values()]

    def set_captures(self, pairs: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Replace `captures`."""
        self._by_external = {id(external): (external, internal) for external, internal in pairs}

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Return what stands in this graph for a tensor of a graph around it; a tensor of its own is that itself.

        Raises: InaccessibleTensorError if the tensor is of a function inside of this one.
        """
        if tensor.graph is self:
            return tensor
        known = self._by_external.get(id(tensor))
        if known is not None:
            return known[1]
        self._check_in_scope(tensor)
        name = name or tensor.op.name
        with self.control_dependencies(None):
            internal = placeholder(self, tensor.dtype, tensor._static_dims(), name)
        internal.op._set_attr("_user_specified_name", AttrValue(s=name.encode()))
        internal._handle_data = handle_data(tensor)
        self._by_external[id(tensor)] = (tensor, internal)
        self.inputs.append(internal)
        return internal

    def _check_in_scope(self, tensor: Tensor) -> None:
        inner: Any = tensor.graph
        while isinstance(inner, FuncGraph):
            inner = inner.outer_graph
            if inner is self:
                raise errors.InaccessibleTensorError(
                    f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals or "
                    "TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/function#"
                    "all_outputs_of_a_tffunction_must_be_return_values for more information.\n\n"
                    f"The tensor {tensor!r} cannot be accessed from {self}, because it was defined in {tensor.graph}, "
                    "which is out of scope."
                )

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """Make ops of the block run after `control_inputs`; those of graphs around go to `control_captures`."""
        if control_inputs is None:
            return super().control_dependencies(None)
        own = []
        for item in control_inputs:
            if not isinstance(item, (Tensor, Operation, str, bytes)):
                convert = getattr(item, "_as_graph_element", None)
                item = item.op if hasattr(item, "_handle") or convert is None else convert()
            if isinstance(item, (Tensor, Operation)) and item.graph is not self:
                op = item.op if isinstance(item, Tensor) else item
                if op not in self.control_captures:
                    self.control_captures.append(op)
            else:
                own.append(item)
        return super().control_dependencies(own)

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Make this the default graph of the thread inside a `with` block; variables have the creators of around."""
        creators = get_default_graph()._variable_creator_stack
        old = self._variable_creator_stack
        with super().as_default():
            self._variable_creator_stack = creators
            try:
                yield self
            finally:
                self._variable_creator_stack = old

    def __str__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


class DefunGraph(FunctionBody):
    """The body of a function made by `Defun`.

    extra_inputs: the tensors outside that it takes in. extra_args: the arguments that stand for them. extra_vars: the
    variables made or found in it.

    capture_by_value: copy the nodes that give a tensor outside into the body, instead. allowlisted_stateful_ops: ops
    that may be copied although they have state.
    """

    def __init__(self, name: str, capture_by_value: bool = False, allowlisted_stateful_ops: Iterable[Any] = ()) -> None:
        super().__init__(name)
        self._captured: dict[int, tuple[Tensor, Tensor]] = {}
        self._capture_by_value = capture_by_value
        self._allowlisted_stateful_ops = set(allowlisted_stateful_ops)
        self.extra_inputs: list[Tensor] = []
        self.extra_args: list[Tensor] = []
        self.extra_vars: list[Any] = []

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """Pairs of a tensor outside and what stands for it."""
        return list(self._captured.values())

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Return what stands in this graph for a tensor outside.

        Raises: ValueError if it would have to copy a stateful op or a placeholder.
        """
        known = self._captured.get(id(tensor))
        if known is not None:
            return known[1]
        return self._copied(tensor) if self._capture_by_value else self._as_argument(tensor, name)

    def _as_argument(self, tensor: Tensor, name: str | None) -> Tensor:
        self.extra_inputs.append(tensor)
        with self.control_dependencies(None):
            internal = placeholder(self, tensor.dtype, tensor._static_dims(), name)
        internal._handle_data = handle_data(tensor)
        self.inputs.append(internal)
        self._captured[id(tensor)] = (tensor, internal)
        self.extra_args.append(internal)
        if not _is_guaranteed_const(tensor):
            return internal
        from icefloe.graph.build import apply_op

        with self.control_dependencies(None):
            guaranteed: Tensor = apply_op("GuaranteeConst", internal)
        return guaranteed

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keep the state of ops of the block in this resource container, here and in the graph outside."""
        with self.outer_graph.container(container_name), super().container(container_name):
            yield container_name

    def _copied(self, tensor: Tensor) -> Tensor:
        """Copy the node that gives `tensor`, and those it depends on, into this graph."""
        pending = [tensor.op]
        while pending:
            op = pending[-1]
            if op._is_stateful and op not in self._allowlisted_stateful_ops:
                raise ValueError(f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.")
            if op.type in ("Placeholder", "PlaceholderV2"):
                raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.")
            missing = [t.op for t in op.inputs if id(t) not in self._captured]
            if missing:
                pending.extend(reversed(missing))
                continue
            pending.pop()
            if op.outputs and id(op.outputs[0]) in self._captured:
                continue
            inputs = [self._captured[id(t)][1] for t in op.inputs]
            copy = self._create_op_internal(op.type, inputs, name=op.name, attrs=dict(op.node_def.attr))
            for old, new in zip(op.outputs, copy.outputs):
                self._captured[id(old)] = (old, new)
        return self._captured[id(tensor)][1]


def _is_guaranteed_const(tensor: Tensor) -> bool:
    """Whether all that `tensor` depends on goes through GuaranteeConst nodes."""
    seen: set[Operation] = set()
    pending = [tensor.op]
    while pending:
        op = pending.pop()
        if op in seen or op.type == "GuaranteeConst":
            continue
        if not op.inputs:
            return False
        seen.add(op)
        pending.extend(t.op for t in op.inputs)
    return True


def add_to_library(body: FuncGraph) -> str:
    """Add the function of this body, and those it calls, to the library of the graph around it; return its name."""
    arguments = {tensor.op for tensor in body.inputs}
    definition = to_function_def(
        body,
        body.name,
        body.inputs,
        body.outputs,
        operations=[op for op in body.get_operations() if op not in arguments],
        control_outputs=body.control_outputs,
    )
    definition.attr["_construction_context"].s = b"kEagerRuntime"
    outer = body.outer_graph
    for function in (definition, *body.functions.values()):
        outer.add_function(function, body._function_gradients.get(function.signature.name))
    outer._function_graphs.update(body._function_graphs)
    outer._function_graphs[body.name] = body
    return body.name
