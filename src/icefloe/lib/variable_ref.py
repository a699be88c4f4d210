"""`RefVariable`: a variable that is a VariableV2 node, read and written through references."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collections, colocate_with, device, name_scope
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


class RefVariable(Variable):
    """A variable whose value is seen by all that hold a reference, at the moment they run.

    Arguments as for `Variable`.
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        self._caching_device = caching_device
        self._save_slice_info = None
        self._constraint = constraint
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        collections = checked_collections(collections)
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        modes = checked_modes(synchronization, aggregation, trainable, name)
        self._synchronization, self._aggregation, self._trainable = modes
        self._add_nodes(initial_value, name, dtype, shape, validate_shape, caching_device)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        add_to_collections(collections, self)

    def _add_nodes(
        self, initial_value: Any, name: str | None, dtype: Any, shape: Any, validate_shape: bool, caching_device: Any
    ) -> None:
        from_function = callable(initial_value)
        values = [] if from_function else [initial_value]
        with init_scope(), name_scope(name, "Variable", values) as scope:
            if from_function:
                with colocated_with_name(name_from_scope_name(scope)):
                    with name_scope("Initializer"), device(None):
                        initial = convert_to_tensor(initial_value(), name="initial_value", dtype=dtype)
                    self._variable = self._variable_node(initial, shape, validate_shape, scope)
            else:
                initial = convert_to_tensor(initial_value, name="initial_value", dtype=dtype)
                if initial.op._get_control_flow_context() is not None:
                    raise ValueError(
                        f"Initializer for variable {scope} is from inside a control-flow construct, such as a loop or "
                        "conditional. When creating a variable inside a loop or conditional, use a lambda as the "
                        "initializer."
                    )
                self._variable = self._variable_node(initial, shape, validate_shape, scope)
            self._initial_value = initial
            if validate_shape and not initial.shape.is_fully_defined():
                raise ValueError(f"initial_value must have a shape specified: {initial}")
            safe = without_uninitialized(initial, scope)
            self._initializer_op = apply_op("Assign", self._variable, safe, validate_shape=validate_shape).op
            where = colocate_with(self._variable.op) if caching_device is None else device(caching_device)
            with where:
                self._snapshot = apply_op("Identity", self._variable, name="read")

    @staticmethod
    def _variable_node(initial: Tensor, shape: Any, validate_shape: bool, name: str) -> Tensor:
        if shape is None:
            shape = initial.shape if validate_shape else TensorShape(None)
        return apply_op("VariableV2", shape=TensorShape(shape), dtype=initial.dtype.base_dtype, name=name)

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        def element(name: str) -> Any:
            return named_element(name, import_scope)

        self._variable = element(variable_def.variable_name)
        self._initializer_op = element(variable_def.initializer_name)
        self._initial_value = element(variable_def.initial_value_name) if variable_def.initial_value_name else None
        self._snapshot = element(variable_def.snapshot_name)
        modes = checked_modes(
            variable_def.synchronization, variable_def.aggregation, variable_def.trainable, variable_def.variable_name
        )
        self._synchronization, self._aggregation, self._trainable = modes
        if variable_def.HasField("save_slice_info_def"):
            info = variable_def.save_slice_info_def
            self._save_slice_info = SaveSliceInfo(save_slice_info_def=info, import_scope=import_scope)

    def to_proto(self, export_scope: str | None = None) -> Any:
        if export_scope is not None and not self._variable.name.startswith(export_scope):
            return None
        proto = VariableDef(
            variable_name=strip_name_scope(self._variable.name, export_scope),
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
            initializer_name=strip_name_scope(self.initializer.name, export_scope),
            snapshot_name=strip_name_scope(self._snapshot.name, export_scope),
        )
        if self._initial_value is not None:
            proto.initial_value_name = strip_name_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            proto.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return proto

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def dtype(self) -> Any:
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        return self._variable.shape

    @property
    def op(self) -> Operation:
        return self._variable.op

    def value(self) -> Tensor:
        return self._snapshot

    def read_value(self) -> Tensor:
        return apply_op("Identity", self._variable, name="read")

    def _ref(self) -> Tensor:
        return self._variable

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def set_shape(self, shape: Any) -> None:
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        return apply_op("IsVariableInitialized", self._variable, name=name)

    def _assigned(self, op: str, value: Any, use_locking: bool | None, name: str | None, read_value: bool) -> Any:
        result = apply_op(op, self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign(
        self, value: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._assigned("Assign", value, use_locking, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._assigned("AssignAdd", delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._assigned("AssignSub", delta, use_locking, name, read_value)

    def _scatter(self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Tensor:
        return apply_op(f"Scatter{kind}", self._variable, indices, updates, use_locking=use_locking, name=name)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Tensor:
        return apply_op("StridedSliceAssign", self._variable, begin, end, strides, value, name=name, **masks)

    def count_up_to(self, limit: int) -> Tensor:
        return apply_op("CountUpTo", self._variable, limit=limit)

    # `v += x` makes a new tensor; it assigns nothing.

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __imul__(self, other: Any) -> Any:
        return self * other

    def __itruediv__(self, other: Any) -> Any:
        return self / other

    def __ipow__(self, other: Any) -> Any:
        return self**other
