"""`ResourceVariable`: a variable that is a VarHandleOp node, read as a snapshot and written through its handle."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collections, colocate_with, control_dependencies, device, name_scope
from icefloe.graph.graph import get_default_graph, has_default_graph
from icefloe.graph.naming import name_from_scope_name, strip_name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.save_slice_info import SaveSliceInfo
from icefloe.lib.scopes import init_scope
from icefloe.lib.variable import Variable, checked_modes
from icefloe.lib.variable_creation import checked_collections, colocated_with_name, named_element
from icefloe.lib.variable_dependencies import without_uninitialized
from icefloe.proto import VariableDef
from icefloe.shapes import TensorShape

_USE_BY_DEFAULT = False


def enable_resource_variables() -> None:
    """Make new variables resource variables where neither `use_resource` nor the variable scope says otherwise."""
    global _USE_BY_DEFAULT
    _USE_BY_DEFAULT = True


def disable_resource_variables() -> None:
    """Make new variables reference variables where nothing says otherwise; so it is at the start."""
    global _USE_BY_DEFAULT
    _USE_BY_DEFAULT = False


def resource_variables_enabled() -> bool:
    """Return whether new variables are resource variables where nothing says otherwise."""
    return _USE_BY_DEFAULT


class _HandleVariable(Variable):
    """What can be done with the handle of a resource variable."""

    gathers_itself = True

    _handle: Tensor
    _dtype: datatypes.DType
    _shape: TensorShape
    _graph_element: Tensor
    _cached_value: Tensor | None = None
    _validate_shape = True
    _initial_value: Tensor | None = None
    _initializer_op = None
    _is_initialized_op: Tensor | None = None
    _constraint = None
    _caching_device = None
    _save_slice_info: SaveSliceInfo | None = None

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def dtype(self) -> datatypes.DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def handle(self) -> Tensor:
        """The resource tensor by which ops name it."""
        return self._handle

    @property
    def op(self) -> Operation:
        return self._handle.op

    @property
    def create(self) -> Any:
        """The operation that gives it its initial value."""
        return self._initializer_op

    def set_shape(self, shape: Any) -> None:
        self._shape = self._shape.merge_with(shape)

    def value(self) -> Tensor:
        if self._cached_value is not None:
            return self._cached_value
        with colocate_with(None, ignore_existing=True):
            return self._read()

    def _read(self) -> Tensor:
        if self._caching_device is None:
            return apply_op("ReadVariableOp", self._handle, dtype=self._dtype)
        with colocate_with(None, ignore_existing=True), device(self._caching_device):
            return apply_op("ReadVariableOp", self._handle, dtype=self._dtype)

    def read_value(self) -> Tensor:
        with name_scope("Read"):
            value = self._read()
        return apply_op("Identity", value)

    def read_value_no_copy(self) -> Tensor:
        """Return a read that does not copy; marks the variable with DisableCopyOnRead."""
        with name_scope("Read"):
            apply_op("DisableCopyOnRead", self._handle)
            value = self._read()
        return apply_op("Identity", value)

    def _ref(self) -> Tensor:
        return self.read_value().op.inputs[0]

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def is_initialized(self, name: str | None = None) -> Tensor:
        return apply_op("VarIsInitializedOp", self._handle, name=name)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the rows `indices` without reading the others."""
        with name_scope("Gather" if name is None else name) as scope:
            return apply_op("ResourceGather", self._handle, indices, dtype=self._dtype, name=scope)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the elements at index vectors without reading the others."""
        with name_scope("GatherNd" if name is None else name) as scope:
            value = apply_op("ResourceGatherNd", self._handle, indices, dtype=self._dtype, name=scope)
        return apply_op("Identity", value)

    def _after(self, op: Operation) -> _UnreadVariable:
        return _UnreadVariable(self, op)

    def _handle_graph(self) -> contextlib.AbstractContextManager[Any]:
        """Make its graph the default one where none was made so; a function's body takes the variable in."""
        return contextlib.nullcontext() if has_default_graph() else self.graph.as_default()

    def _changed(self, op: str, delta: Any, name: str | None, read_value: bool) -> Any:
        before = [] if self._cached_value is None else [self._cached_value]
        with self._handle_graph(), control_dependencies(before):
            delta = convert_to_tensor(delta, dtype=self._dtype)
            changed = apply_op(op, self._handle, delta, name=name)
            return self._after(changed) if read_value else changed

    def assign_add(
        self, delta: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._changed("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._changed("AssignSubVariableOp", delta, name, read_value)

    def assign(
        self, value: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        with self._handle_graph():
            tensor = convert_to_tensor(value, dtype=self._dtype)
            if not self._shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape "
                    f"{self._shape}, and the assigned value shape {tensor.shape} are incompatible."
                )
            validate = self._validate_shape and self._shape.is_fully_defined()
            assigned = apply_op("AssignVariableOp", self._handle, tensor, validate_shape=validate, name=name)
            return self._after(assigned) if read_value else assigned

    def _scatter(self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
        updates = convert_to_tensor(updates, self._dtype)
        return self._after(apply_op(f"ResourceScatter{kind}", self._handle, indices, updates, name=name))

    def _delta(self, sparse_delta: Any) -> tuple[Any, Any]:
        try:
            return super()._delta(sparse_delta)
        except TypeError:
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
            ) from None

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Any:
        before = [] if self._cached_value is None else [self._cached_value]
        with self._handle_graph(), control_dependencies(before):
            value = convert_to_tensor(value, dtype=self._dtype)
            op = apply_op("ResourceStridedSliceAssign", self._handle, begin, end, strides, value, name=name, **masks)
            return self._after(op)

    def count_up_to(self, limit: int) -> Tensor:
        return apply_op("ResourceCountUpTo", self._handle, limit=limit, T=self._dtype)

    def to_proto(self, export_scope: str | None = None) -> Any:
        if export_scope is not None and not self._handle.name.startswith(export_scope):
            return None
        snapshot = self._graph_element if self._cached_value is None else self._cached_value
        proto = VariableDef(
            variable_name=strip_name_scope(self._handle.name, export_scope),
            initializer_name=strip_name_scope(self.initializer.name, export_scope),
            snapshot_name=strip_name_scope(snapshot.name, export_scope),
            is_resource=True,
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            proto.initial_value_name = strip_name_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            proto.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return proto

    def _no_update(self, symbol: str, method: str, operator: str) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol} value` with `tf.Variable`s is not supported. Use `variable.{method}` to modify "
            f"the variable, or `out = variable {operator} value` if you need to get a new output Tensor."
        )

    def __iadd__(self, other: Any) -> Any:
        self._no_update("+=", "assign_add(value)", "+")

    def __isub__(self, other: Any) -> Any:
        self._no_update("-=", "assign_sub(value)", "-")

    def __imul__(self, other: Any) -> Any:
        self._no_update("*=", "assign(variable * value)", "*")

    def __itruediv__(self, other: Any) -> Any:
        self._no_update("/=", "assign(variable / value)", "/")

    def __ipow__(self, other: Any) -> Any:
        self._no_update("**=", "assign(variable ** value)", "**")


class ResourceVariable(_HandleVariable):
    """A variable whose reads are snapshots, taken where the read is run. Arguments as for `Variable`."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        variable_def: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        distribute_strategy: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        self._validate_shape = validate_shape
        self._constraint = constraint
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError(
                    "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: "
                    f"variable_def={variable_def},\ninitial_value={initial_value}"
                )
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        modes = checked_modes(synchronization, aggregation, trainable, name)
        self._synchronization, self._aggregation, self._trainable = modes
        collections = checked_collections(collections)
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
            )
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        self._caching_device = caching_device
        self._add_nodes(initial_value, name, dtype, shape)
        add_to_collections(collections, self)

    def _add_nodes(self, initial_value: Any, name: str | None, dtype: Any, shape: Any) -> None:
        from_function = callable(initial_value)
        values = [] if from_function else [initial_value]
        with init_scope(), name_scope(name, "Variable", values) as scope:
            own_name = name_from_scope_name(scope)
            with colocated_with_name(own_name):
                with name_scope("Initializer"), device(None):
                    value = initial_value() if from_function else initial_value
                    initial = convert_to_tensor(value, name="initial_value", dtype=dtype)
                if shape is None:
                    shape = initial.shape
                elif not initial.shape.is_compatible_with(shape):
                    raise ValueError(
                        f"In this `tf.Variable` creation, the initial value's shape ({initial.shape}) is not "
                        f"compatible with the explicitly supplied `shape` argument ({shape})."
                    )
                self._handle = apply_op(
                    "VarHandleOp",
                    shape=TensorShape(shape),
                    dtype=initial.dtype.base_dtype,
                    shared_name=own_name,
                    debug_name=scope,
                    container=get_default_graph()._container or "",
                    name=scope,
                )
            if initial.op._get_control_flow_context() is not None:
                raise ValueError(
                    f"The `initial_value` passed to `tf.Variable` {scope} is from inside a control-flow  construct, "
                    "such as a loop or conditional. When creating a `tf.Variable` inside a loop or conditional, use a "
                    f"lambda as the `initial_value`. Got: initial_value=({initial})"
                )
            self._initial_value = initial
            self._dtype = initial.dtype.base_dtype
            self._shape = TensorShape(shape)
            with name_scope("IsInitialized"):
                self._is_initialized_op = apply_op("VarIsInitializedOp", self._handle)
            with (
                name_scope("Assign") as assign_scope,
                colocate_with(None, ignore_existing=True),
                device(self._handle.device),
            ):
                safe = without_uninitialized(initial, scope)
                self._initializer_op = apply_op("AssignVariableOp", self._handle, safe, name=assign_scope)
            with name_scope("Read"):
                with device(self._handle.device):
                    self._graph_element = apply_op("ReadVariableOp", self._handle, dtype=self._dtype)
                if self._caching_device is not None:
                    with colocate_with(None, ignore_existing=True), device(self._caching_device):
                        self._cached_value = apply_op("Identity", self._graph_element)

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        if not variable_def.is_resource:
            raise ValueError(
                "The `variable_def` you passed to `tf.Variable` is Trying to restore a TF 1.x Reference "
                f"Variable as a TF 2.x ResourceVariable. This is unsupported. Got variable_def={variable_def}"
            )

        def element(name: str) -> Any:
            return named_element(name, import_scope)

        self._handle = element(variable_def.variable_name)
        self._shape = TensorShape(self._handle.op.get_attr("shape"))
        self._dtype = datatypes.as_dtype(self._handle.op.get_attr("dtype"))
        self._initializer_op = element(variable_def.initializer_name)
        self._initial_value = element(variable_def.initial_value_name) if variable_def.initial_value_name else None
        modes = checked_modes(
            variable_def.synchronization, variable_def.aggregation, variable_def.trainable, variable_def.variable_name
        )
        self._synchronization, self._aggregation, self._trainable = modes
        if variable_def.snapshot_name:
            snapshot = element(variable_def.snapshot_name)
            if snapshot.op.type != "ReadVariableOp":
                self._cached_value = snapshot
            while snapshot.op.type != "ReadVariableOp":
                snapshot = snapshot.op.inputs[0]
            self._graph_element = snapshot
        else:
            self._graph_element = get_default_graph().get_tensor_by_name(f"{self.op.name}/Read/ReadVariableOp:0")
        if variable_def.HasField("save_slice_info_def"):
            info = variable_def.save_slice_info_def
            self._save_slice_info = SaveSliceInfo(save_slice_info_def=info, import_scope=import_scope)


class _UnreadVariable(_HandleVariable):
    """A variable after an assignment: it is read, and changed again, only when that is done."""

    def __init__(self, variable: _HandleVariable, parent: Operation) -> None:
        self._handle = variable._handle
        self._dtype = variable._dtype
        self._shape = variable._shape
        self._parent = parent
        self._synchronization, self._aggregation, self._trainable = checked_modes(None, None, None, None)
        if not get_default_graph().building_function:  # only what is fetched needs to be there
            with control_dependencies([parent]):
                self._graph_element = apply_op("ReadVariableOp", self._handle, dtype=self._dtype)

    @property
    def name(self) -> str:
        return self._parent.name

    @property
    def op(self) -> Operation:
        """The assignment."""
        return self._parent

    def value(self) -> Tensor:
        return self._read()

    def read_value(self) -> Tensor:
        return self._read()

    def _read(self) -> Tensor:
        with control_dependencies([self._parent]):
            return apply_op("ReadVariableOp", self._handle, dtype=self._dtype)

    def _changed(self, op: str, delta: Any, name: str | None, read_value: bool) -> Any:
        with control_dependencies([self._parent]):
            return super()._changed(op, delta, name, read_value)

    def assign(
        self, value: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        with control_dependencies([self._parent]):
            return super().assign(value, use_locking, name, read_value)

    def _scatter(self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
        with control_dependencies([self._parent]):
            return super()._scatter(kind, indices, updates, use_locking, name)
