"""The objects of a loaded SavedModel: `model.root.encoder.layers[0].kernel`.

What the object graph has below its root becomes attributes, dicts and lists (tuples, too); variables become variables
of the model's graph, functions callables. A SavedModel of TensorFlow 1 has a root without attributes.

Source: tensorflow/python/saved_model/load.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import Graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.variable import Variable, checked_modes
from icefloe.lib.variable_resource import ResourceVariable
from icefloe.proto import MetaGraphDef, SavedVariable
from icefloe.saved_models.captures import Captures, paths_of
from icefloe.saver.trackable import Trackable
from icefloe.shapes import TensorShape


class LoadedVariable(ResourceVariable):
    """A variable of a loaded model. It has no initial value: running its `initializer` leaves it as it is."""

    def __init__(self, handle: Tensor, stored: SavedVariable) -> None:
        self._handle = handle
        self._shape = TensorShape(stored.shape)
        self._dtype = datatypes.as_dtype(stored.dtype)
        modes = checked_modes(stored.synchronization, stored.aggregation, stored.trainable, stored.name)
        self._synchronization, self._aggregation, self._trainable = modes
        reads = [op for op in handle.consumers() if op.type == "ReadVariableOp"]
        if reads:
            self._graph_element = min(reads, key=lambda op: op._id).outputs[0]
        else:
            with handle.graph.as_default(), name_scope(f"{handle.op.name}/Read/"):
                self._graph_element = apply_op("ReadVariableOp", handle, dtype=self._dtype)
        with handle.graph.as_default(), name_scope(f"{handle.op.name}/"):
            self._is_initialized_op = apply_op("VarIsInitializedOp", handle)
            # What restores a variable feeds the value of its initializer.
            same = apply_op("Identity", self._graph_element, name="Restored")
            self._initializer_op = apply_op("AssignVariableOp", handle, same, name="Assign")


class RefusedFunction:
    """A function of a loaded model that icefloe cannot call: a call raises the error that says why."""

    def __init__(self, path: str, error: errors.UnimplementedError) -> None:
        self.path = path
        self._error = error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise UnimplementedError."""
        raise self._error

    def __repr__(self) -> str:
        return f"<RefusedFunction {self.path!r}: {self._error.message}>"


class LoadedObject(Trackable):
    """An object of a loaded model; what it owned are its attributes."""

    def __repr__(self) -> str:
        return f"<LoadedObject {', '.join(vars(self)) or 'without attributes'}>"


class LoadedObjects:
    """Makes the objects of a model of its object graph. functions, signatures: of the model, by path and name.

    root: the object that was saved. variables: all, in the order of the object graph.
    """

    def __init__(
        self, graph: Graph, info: MetaGraphDef, functions: Mapping[str, Any], signatures: Mapping[str, Any]
    ) -> None:
        self._graph = graph
        self._nodes = info.object_graph_def.nodes
        self._functions = functions
        self._signatures = signatures
        self._captures = Captures(graph, info)
        self._paths = {node: path for path, node in paths_of(info.object_graph_def).items()}
        self._made: dict[int, Any] = {}
        self.variables: list[Variable] = []
        if not self._nodes:
            self.root: Any = LoadedObject()
            self.variables = list(dict.fromkeys(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)))
            return
        reached = sorted({0, *self._paths})
        for node in reached:
            self._make(node)
        for node in reached:
            self._fill(node)
        self.root = self._made[0]

    def _make(self, node: int) -> None:
        item = self._nodes[node]
        kind = item.WhichOneof("kind")
        made: Any = None
        if kind == "variable":
            made = self._variable(node, item.variable)
        elif kind in ("function", "bare_concrete_function"):
            made = self._function(self._paths.get(node, ""))
        elif kind in ("constant", "asset"):
            try:
                made = self._captures.tensor(node)
            except errors.NotFoundError:
                made = None
        elif kind == "user_object" and item.user_object.identifier == "signature_map":
            made = self._signatures
        elif kind == "user_object" and item.user_object.identifier == "trackable_dict_wrapper":
            made = {}
        elif kind == "user_object" and item.user_object.identifier in (
            "trackable_list_wrapper",
            "trackable_tuple_wrapper",
        ):
            made = []
        else:
            made = LoadedObject()
        self._made[node] = made

    def _function(self, path: str) -> Any:
        try:
            return self._functions.get(path)
        except errors.UnimplementedError as error:
            return RefusedFunction(path, error)

    def _variable(self, node: int, stored: SavedVariable) -> Variable | None:
        try:
            handle = self._captures.tensor(node)
        except errors.NotFoundError:
            return None
        if handle.op.type != "VarHandleOp":
            return None
        try:
            variable = LoadedVariable(handle, stored)
        except (TypeError, ValueError) as error:
            raise errors.DataLossError(f"object {node}: no variable can be made of it: {error}") from None
        self.variables.append(variable)
        return variable

    def _owned(self, node: int) -> list[tuple[str, Any]]:
        found = [(child.local_name, self._made.get(child.node_id)) for child in self._nodes[node].children]
        return [(name, value) for name, value in found if value is not None]

    def _fill(self, node: int) -> None:
        made = self._made[node]
        if isinstance(made, LoadedObject):
            vars(made).update(self._owned(node))
        elif isinstance(made, dict):
            made.update(self._owned(node))
        elif isinstance(made, list):
            numbered = {int(name): value for name, value in self._owned(node) if name.isdecimal() and len(name) < 7}
            # What was no object, such as a number, is not in the file; its place is kept.
            made.extend(numbered.get(i) for i in range(max(numbered, default=-1) + 1))
