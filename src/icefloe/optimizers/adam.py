"""Adam.

Source: tensorflow/python/training/adam.py (names of slots and nodes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import colocate_with, control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor
from icefloe.lib.assignments import assign, assign_sub, scatter_add
from icefloe.lib.control import group
from icefloe.lib.math_cast import cast
from icefloe.lib.variable import Variable
from icefloe.optimizers.descent import UpdateOptimizer


class AdamOptimizer(UpdateOptimizer):
    """Adam: steps follow running averages of gradients, divided by the root of those of their squares.

    Slices of a gradient change their rows of the averages, and all rows decay, as in TensorFlow.
    """

    _kind = "Adam"
    _slot_names = ("m", "v")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._beta1_t: Any = None
        self._beta2_t: Any = None
        self._epsilon_t: Any = None

    def _get_beta_accumulators(self) -> tuple[Variable, Variable]:
        graph = get_default_graph()
        return self._other_variables["beta1_power", graph], self._other_variables["beta2_power", graph]

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: v.name)
        for name, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(initial_value=value, name=name, colocate_with=first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _prepare(self) -> None:
        # All are called before any becomes a tensor: what a function builds comes first.
        given = [self._call_if_callable(value) for value in (self._lr, self._beta1, self._beta2, self._epsilon)]
        self._lr_t = self._tensor(given[0], "learning_rate")
        self._beta1_t = self._tensor(given[1], "beta1")
        self._beta2_t = self._tensor(given[2], "beta2")
        self._epsilon_t = self._tensor(given[3], "epsilon")

    def _numbers(self, var: Any) -> dict[str, Any]:
        beta1_power, beta2_power = self._get_beta_accumulators()
        return {
            "beta1_power": beta1_power,
            "beta2_power": beta2_power,
            "lr": self._lr_t,
            "beta1": self._beta1_t,
            "beta2": self._beta2_t,
            "epsilon": self._epsilon_t,
        }

    def _by_rows(self, grad: Tensor, var: Any, indices: Tensor, add: Callable[..., Any]) -> Any:
        numbers = {name: cast(value, var.dtype.base_dtype) for name, value in self._numbers(var).items()}
        root = apply_op("Sqrt", 1 - numbers["beta2_power"])
        rate = numbers["lr"] * root / (1 - numbers["beta1_power"])
        m = self._averaged(var, "m", grad * (1 - numbers["beta1"]), numbers["beta1"], indices, add)
        v = self._averaged(var, "v", grad * grad * (1 - numbers["beta2"]), numbers["beta2"], indices, add)
        root = apply_op("Sqrt", v)
        step = rate * m / (root + numbers["epsilon"])
        return group(assign_sub(var, step, use_locking=self._use_locking), m, v)

    def _averaged(self, var: Any, name: str, new: Tensor, decay: Tensor, indices: Tensor, add: Any) -> Any:
        slot = self.get_slot(var, name)
        assert slot is not None
        decayed = assign(slot, slot * decay, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            return add(slot, indices, new)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        def add(slot: Any, indices: Tensor, new: Tensor) -> Any:
            return scatter_add(slot, indices, new, use_locking=self._use_locking)

        return self._by_rows(grad.values, var, grad.indices, add)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        def add(slot: Any, rows: Tensor, new: Tensor) -> Any:
            with control_dependencies([apply_op("ResourceScatterAdd", slot.handle, rows, new)]):
                return slot.value()

        return self._by_rows(grad, handle, indices, add)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        with control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with colocate_with(beta1_power):
                first = beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking)
                second = beta2_power.assign(beta2_power * self._beta2_t, use_locking=self._use_locking)
        return group(*update_ops, first, second, name=name_scope)
