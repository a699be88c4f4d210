"""Moving averages of variables and tensors."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, colocate_with, device, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib import math_elementwise
from icefloe.lib.assignments import assign, assign_sub
from icefloe.lib.control import group
from icefloe.lib.initializers import Zeros
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import pow
from icefloe.lib.scopes import init_scope
from icefloe.lib.slots import create_slot, create_zeros_slot, current_value
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import global_variables, moving_average_variables, trainable_variables
from icefloe.lib.variable_scope import get_variable, get_variable_scope, variable_scope

_DTYPES = (datatypes.bfloat16, datatypes.float16, datatypes.float32, datatypes.float64)


def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Return the op that makes `variable` the average `variable * decay + value * (1 - decay)`.

    zero_debias: correct for that it began at 0, by two variables that are added below the variable's name.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        step: Any = convert_to_tensor(1.0 - decay, name="decay")
        step = cast(step, variable.dtype.base_dtype)
        if zero_debias:
            return _assign_unbiased(variable, value, step)
        return assign_sub(variable, (variable - value) * step, name=scope)


def weighted_moving_average(
    value: Tensor, decay: Any, weight: Tensor, truediv: bool = True, collections: Any = None, name: str | None = None
) -> Tensor:
    """Return the average of `value * weight` by that of `weight`; running it updates both.

    truediv: divide integers as floats. collections: of the two variables, default GraphKeys.GLOBAL_VARIABLES.
    """
    keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        how: dict[str, Any] = {"initializer": Zeros(), "trainable": False, "collections": keys}
        sum_variable = get_variable("value_x_weight", shape=value.shape, dtype=value.dtype, **how)
        weight_variable = get_variable("weight", shape=weight.shape, dtype=weight.dtype, **how)
        above = assign_moving_average(sum_variable, value * weight, decay, zero_debias=False)
        below = assign_moving_average(weight_variable, weight, decay, zero_debias=False)
        divided = math_elementwise.truediv if truediv else math_elementwise.divide
        return divided(above, below, name=scope.name)


def _assign_unbiased(average: Variable, value: Any, step: Any) -> Any:
    """Assign the average of zeros and the values so far, divided by the weight of the values."""
    with variable_scope(average.op.name, values=[average, value, step]), colocate_with(average):
        how: dict[str, Any] = {"dtype": average.dtype.base_dtype, "initializer": Zeros(), "trainable": False}
        biased = get_variable(_unused("biased"), shape=average.shape, **how)
        count = get_variable(_unused("local_step"), shape=[], **how)
    biased_value = assign_sub(biased, (biased - value) * step)
    steps = count.assign_add(1)
    weight = 1 - pow(1.0 - step, steps)
    return assign(average, biased_value / weight, name=get_default_graph().get_name_scope() + "/")


def _unused(name: str) -> str:
    """Return a name that no variable of the scope has, unless the scope reuses variables."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {variable.op.name for variable in scope.global_variables()}
    candidate, count = name, 0
    while f"{scope.name}/{candidate}" in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


class ExponentialMovingAverage:
    """Averages of variables and tensors in which each update counts `1 - decay` and what was before `decay`.

    num_updates: a count from which a smaller decay, (1 + n) / (10 + n), follows at first. zero_debias: whether the
    averages of tensors, which begin at 0, are corrected for that.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """What the names of the averages end in."""
        return self._name

    def apply(self, var_list: Any = None) -> Operation:
        """Return the operation that updates the averages, which are made; default those of the trainable variables.

        Raises: TypeError unless they are floats.
        """
        var_list = trainable_variables() if var_list is None else var_list
        debiased = set()
        for variable in var_list:
            if variable.dtype.base_dtype not in _DTYPES:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
            if variable.ref() not in self._averages:
                self._averages[variable.ref()] = self._made(variable)
                if self._zero_debias and not isinstance(variable, Variable):
                    debiased.add(variable.ref())
        with name_scope(self.name) as scope:
            decay: Any = convert_to_tensor(self._decay, dtype=datatypes.float32, name="decay")
            if self._num_updates is not None:
                count = cast(self._num_updates, datatypes.float32, name="num_updates")
                decay = apply_op("Minimum", decay, (1.0 + count) / (10.0 + count))
            updates = [assign_moving_average(self._averages[x.ref()], x, decay, x.ref() in debiased) for x in var_list]
            return group(*updates, name=scope)

    def _made(self, variable: Any) -> Variable:
        with init_scope():
            if not isinstance(variable, Variable):
                near = variable.op.type in ("Variable", "VariableV2", "VarHandleOp")
                return create_zeros_slot(variable, self.name, colocate_with_primary=near)
            with device(variable.device):
                value = current_value(variable)
            average = create_slot(variable, value, self.name)
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
            return average

    def average(self, var: Variable | Tensor) -> Variable | None:
        """Return the variable that holds the average of `var`, None before `apply`."""
        return self._averages.get(var.ref())

    def average_name(self, var: Variable | Tensor) -> str:
        """Return the name of that variable, or the name it would get."""
        average = self.average(var)
        if average is not None:
            return average.op.name
        return get_default_graph().unique_name(f"{var.op.name}/{self.name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Variable]:
        """Return what to restore with a Saver to get averages in place of the variables: variables by name.

        moving_avg_variables: those to take the averages of, default all trainable and averaged ones.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = {variable.ref(): variable for variable in moving_avg_variables}.values()
        names = {self.average_name(variable): variable for variable in averaged}
        done = {variable.name for variable in averaged}
        for variable in global_variables():
            if variable.name not in done and variable.op.name not in names:
                names[variable.op.name] = variable
        return names
