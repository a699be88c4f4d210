"""`Optimizer`, the base: `minimize` is `compute_gradients` and `apply_gradients`.

A subclass says which slots its variables have and which op updates one; it may do so as in TensorFlow, by the methods
with an underscore.

Source: tensorflow/python/training/optimizer.py (nodes, names, messages).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff.walk import gradients
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import (
    colocate_with,
    control_dependencies,
    get_collection,
    get_collection_ref,
    name_scope,
)
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import shape
from icefloe.lib.assignments import assign_add
from icefloe.lib.control import group
from icefloe.lib.control import tuple as gate
from icefloe.lib.nest import flatten
from icefloe.lib.scopes import init_scope
from icefloe.lib.slots import create_slot, create_slot_with_initializer, create_zeros_slot
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import trainable_variables

_DTYPES = (datatypes.float16, datatypes.bfloat16, datatypes.float32, datatypes.float64)


class Optimizer:
    """Base of the optimizers.

    use_locking: let no two updates of a variable overlap. name: of the ops it adds and, by default, of the slots.

    Raises: ValueError if `name` is empty.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._use_own_namescope_for_non_slot_vars = use_own_namescope_for_non_slot_vars
        # slot name -> variable's key -> slot
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._other_variables: dict[tuple[str, Any], Variable] = {}

    def get_name(self) -> str:
        """Return its name."""
        return self._name

    # The three steps

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Return the op that changes `var_list`, by default all trainable variables, so that `loss` gets less.

        global_step: a variable that is raised by one. The others: see `compute_gradients`.

        Raises: ValueError if no variable has a gradient.
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in grads_and_vars):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(v) for _, v in grads_and_vars]} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Return a pair (gradient, variable) for each of `var_list`, by default of all trainable variables.

        loss: a tensor, or a function that returns it. gate_gradients: GATE_NONE, GATE_OP (no gradient of an op is
        used before all of that op are there) or GATE_GRAPH (none before all are there). grad_loss: gradient of `loss`.

        Raises: ValueError if a dtype has no gradient or there are no variables.
        """
        if callable(loss) and not isinstance(loss, Tensor):
            loss = loss()
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  "
                f"Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            variables = [*trainable_variables(), *get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)]
        else:
            variables = flatten(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        grads = gradients(
            loss,
            [_target(v) for v in variables],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = gate(grads)
        pairs = list(zip(grads, variables))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None and v.dtype != datatypes.resource])
        return pairs

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
        """Return the op that applies gradients to variables, and raises `global_step` by one if there is one.

        Raises: TypeError if a gradient is no tensor; ValueError if there is none.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        converted = [(_as_gradient(grad), variable) for grad, variable in pairs]
        for _, variable in converted:
            _check_updatable(variable)
        variables = [variable for grad, variable in converted if grad is not None]
        if not variables:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in converted]}.")
        with init_scope():
            self._create_slots(variables)
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = [self._updated(variable, grad) for grad, variable in converted if grad is not None]
            if global_step is None:
                result = self._finish(updates, scope)
            else:
                with control_dependencies([self._finish(updates, "update")]), colocate_with(global_step):
                    result = _raised(global_step, scope)
            result = result.op if isinstance(result, Tensor) else result
            collected = get_collection_ref(GraphKeys.TRAIN_OP)
            if result not in collected:
                collected.append(result)
            return result

    def _updated(self, variable: Any, grad: Any) -> Any:
        with name_scope(f"update_{variable.op.name}"), colocate_with(variable):
            if _is_resource(variable):
                return self._updated_resource(variable, grad)
            if isinstance(grad, IndexedSlices):
                if variable.constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                return self._apply_sparse_duplicate_indices(grad, variable)
            return _constrained(variable, self._apply_dense(grad, variable))

    def _updated_resource(self, variable: Any, grad: Any) -> Any:
        if isinstance(grad, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._resource_apply_sparse_duplicate_indices(grad.values, variable, grad.indices)
        return _constrained(variable, self._resource_apply_dense(grad, variable))

    # Slots and other variables

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """Return the slot `name` of a variable, or None."""
        named = self._slots.get(name)
        return None if named is None else named.get(_key(var))

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """Return the variables of its own in the default graph, slots and others, sorted by name."""
        graph = get_default_graph()
        found = [v for v in self._other_variables.values() if v.op.graph is graph]
        found += [slot for named in self._slots.values() for slot in named.values() if slot.op.graph is graph]
        return sorted(found, key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Tensor, slot_name: str, op_name: str) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = create_slot(var, val, op_name)
        return named[_key(var)]

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        return named[_key(var)]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = create_zeros_slot(var, op_name)
        return named[_key(var)]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Variable:
        """Return a variable of the optimizer's own, made the first time it is asked for in a graph."""
        graph = colocate_with.op.graph
        found = self._other_variables.get((name, graph))
        if found is None:
            scoped = self._use_own_namescope_for_non_slot_vars
            own = name_scope(f"{self._name}/") if scoped else contextlib.nullcontext()
            with own, get_default_graph().colocate_with(colocate_with):
                found = Variable(initial_value, name=name, trainable=False, use_resource=_is_resource(colocate_with))
            self._other_variables[name, graph] = found
        return found

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        return self._other_variables.get((name, graph))

    def _non_slot_variables(self) -> Iterable[Variable]:
        return self._other_variables.values()

    # What subclasses say

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make the slots of variables."""

    def _prepare(self) -> None:
        """Make the tensors that all updates use."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        raise NotImplementedError

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Apply slices of which several may be of one row: they are added first."""
        values, indices = _without_duplicates(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        values, rows = _without_duplicates(grad, indices)
        return self._resource_apply_sparse(values, handle, rows)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """Return the op that all updates are done with."""
        return group(*update_ops, name=name_scope)

    def _valid_dtypes(self) -> set[Any]:
        """Return the dtypes of losses and variables."""
        return set(_DTYPES)

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) and not isinstance(param, (Tensor, Variable)) else param


def _is_resource(variable: Any) -> bool:
    handle = getattr(variable, "handle", None)
    return isinstance(handle, Tensor)


def _key(variable: Any) -> tuple[Any, str]:
    return variable.op.graph, variable.op.name


def _check_updatable(variable: Any) -> None:
    if isinstance(variable, Tensor):
        raise NotImplementedError("Trying to update a Tensor ", variable)
    if not isinstance(variable, Variable):
        raise NotImplementedError("Trying to optimize unsupported type ", variable)


def _target(variable: Any) -> Any:
    """Return what the loss is differentiated by: the handle or the reference of a variable; a tensor itself."""
    if isinstance(variable, Tensor):
        return variable
    if not isinstance(variable, Variable):
        raise NotImplementedError("Trying to optimize unsupported type ", variable)
    handle = getattr(variable, "handle", None)
    return handle if isinstance(handle, Tensor) else variable._ref()


def _as_gradient(grad: Any) -> Any:
    if grad is None:
        return None
    try:
        grad = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}") from None
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {grad}")
    return grad


def _constrained(variable: Any, update: Any) -> Any:
    if variable.constraint is None:
        return update
    with control_dependencies([update]):
        return variable.assign(variable.constraint(variable))


def _raised(global_step: Any, name: str) -> Any:
    if _is_resource(global_step):
        one = constant(1, dtype=global_step.dtype)
        return apply_op("AssignAddVariableOp", global_step.handle, one, name=name)
    return assign_add(global_step, 1, name=name)


def _without_duplicates(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Return slices with those of one row added."""
    rows, places = apply_op("Unique", indices)
    return apply_op("UnsortedSegmentSum", values, places, shape(rows)[0]), rows
