"""Slots: variables that go with another variable or tensor, named after it, on its device."""

from __future__ import annotations

from typing import Any

from icefloe.graph.default_graph import colocate_with
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_shape import shape
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.initializers import Zeros
from icefloe.lib.save_slice_info import SaveSliceInfo
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import is_variable_initialized
from icefloe.lib.variable_resource import ResourceVariable
from icefloe.lib.variable_scope import get_variable, get_variable_scope, variable_scope


def current_value(variable: Variable) -> Tensor:
    """Return the variable's value, or its initial value while it has none."""
    value: Tensor = cond(is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)
    return value


def create_slot(primary: Any, value: Any, name: str, colocate_with_primary: bool = True) -> Variable:
    """Return a variable `<primary>/<name>` with the initial value `value`, a tensor."""
    return _scoped(primary, value, None, None, value.shape.is_fully_defined(), name, colocate_with_primary)


def create_slot_with_initializer(
    primary: Any, initializer: Any, shape: Any, dtype: Any, name: str, colocate_with_primary: bool = True
) -> Variable:
    """Return a variable `<primary>/<name>` that `initializer` gives its value."""
    return _scoped(primary, initializer, shape, dtype, shape.is_fully_defined(), name, colocate_with_primary)


def create_zeros_slot(primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True) -> Variable:
    """Return a variable `<primary>/<name>` of zeros, of the shape of `primary`."""
    dtype = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, Zeros(), primary.shape, dtype, name, colocate_with_primary)
    size = shape(current_value(primary) if isinstance(primary, Variable) else primary)
    return create_slot(primary, zeros(size, dtype=dtype), name, colocate_with_primary)


def _scoped(
    primary: Any, value: Any, shape: Any, dtype: Any, validate_shape: bool, name: str, colocate_with_primary: bool
) -> Variable:
    prefix = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    with variable_scope(None, f"{prefix}/{name}"):
        if not colocate_with_primary:
            return _slot(primary, value, shape, dtype, validate_shape)
        with colocate_with(primary):
            return _slot(primary, value, shape, dtype, validate_shape)


def _slot(primary: Any, value: Any, shape: Any, dtype: Any, validate_shape: bool) -> Variable:
    scope = get_variable_scope()
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    use_resource = isinstance(primary, ResourceVariable) if isinstance(primary, Variable) else None
    slot: Variable = get_variable(
        "",
        initializer=value,
        trainable=False,
        use_resource=use_resource,
        shape=shape if callable(value) else None,
        dtype=dtype,
        validate_shape=validate_shape,
    )
    scope.set_partitioner(partitioner)
    part = primary._save_slice_info if isinstance(primary, Variable) else None
    if part is not None and slot.shape.rank != 0:
        # The slot of a part of a variable is that part of the variable's slot.
        own = slot.name[len(primary.op.name) + 1 : -2]
        n = slot.shape.rank
        sizes = (part.full_shape[:n], part.var_offset[:n], part.var_shape[:n])
        slot._set_save_slice_info(SaveSliceInfo(f"{part.full_name}/{own}", *sizes))
    return slot
