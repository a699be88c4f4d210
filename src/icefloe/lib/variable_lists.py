"""The variables of the default graph, and operations on all of them."""

from __future__ import annotations

import os
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with, device, get_collection, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import stack
from icefloe.lib.array_select import boolean_mask
from icefloe.lib.array_shape import rank_internal
from icefloe.lib.control import group, no_op


def global_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that are saved and shared between processes, those whose name matches `scope`."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """Return `global_variables()`; its older name."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that are local to a process, those whose name matches `scope`."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that inference uses, those whose name matches `scope`."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that optimizers change, those whose name matches `scope`."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that have moving averages, those whose name matches `scope`."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Any, name: str | None = "init") -> Operation:
    """Return the operation that gives each variable of `var_list` its initial value."""
    return group(*[v.initializer for v in var_list], name=name) if var_list else no_op(name=name)


def initialize_variables(var_list: Any, name: str | None = "init") -> Operation:
    """Return `variables_initializer(...)`; its older name."""
    return variables_initializer(var_list, name=name)


def global_variables_initializer() -> Operation:
    """Return the operation that initializes all global variables."""
    return variables_initializer(global_variables())


def initialize_all_variables() -> Operation:
    """Return `global_variables_initializer()`; its older name."""
    return global_variables_initializer()


def local_variables_initializer() -> Operation:
    """Return the operation that initializes all local variables."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> Operation:
    """Return `local_variables_initializer()`; its older name."""
    return local_variables_initializer()


def tables_initializer(name: str | None = "init_all_tables") -> Operation:
    """Return the operation that initializes all lookup tables."""
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name) if initializers else no_op(name=name)


def initialize_all_tables(name: str | None = "init_all_tables") -> Operation:
    """Return `tables_initializer(...)`; its older name."""
    return tables_initializer(name)


def is_variable_initialized(variable: Any) -> Tensor:
    """Return whether a variable, or the one that a reference tensor is of, has a value."""
    if isinstance(variable, Tensor):
        return apply_op("IsVariableInitialized", variable)
    return variable.is_initialized()


def _all_variables_or_nodes(var_list: Any) -> list[Any]:
    """Return `var_list`, default all variables, else the outputs of variable nodes where the collections are empty."""
    if var_list is None:
        var_list = global_variables() + local_variables()
    if var_list:
        return list(var_list)
    kinds = ("Variable", "VariableV2", "AutoReloadVariable")
    return [op.outputs[0] for op in get_default_graph().get_operations() if op.type in kinds]


def assert_variables_initialized(var_list: Any = None) -> Tensor | None:
    """Return a tensor that fails with FailedPreconditionError if a variable has no value; None if there are no
    variables.
    """
    variables = _all_variables_or_nodes(var_list)
    ranks = []
    for variable in variables:
        with colocate_with(variable.op):
            ranks.append(rank_internal(variable, optimize=False))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else stack(ranks)


def _initialized(variable: Any) -> Tensor:
    if isinstance(variable, Tensor):
        return apply_op("IsVariableInitialized", variable)
    return variable.is_initialized()


def report_uninitialized_variables(var_list: Any = None, name: str | None = "report_uninitialized_variables") -> Tensor:
    """Return the names of those variables that have no value, a vector of strings."""
    variables = list(var_list) if var_list is not None else _all_variables_or_nodes(None)
    with name_scope(name):
        initialized = [_initialized(v) for v in variables]
        where = os.environ.get("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/cpu:0")
        with device(where):
            if not variables:
                return constant([], dtype=datatypes.string)
            missing = apply_op("LogicalNot", stack(initialized))
            names = constant([v.op.name for v in variables])
            return boolean_mask(names, missing)
