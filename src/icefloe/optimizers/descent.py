"""The optimizers whose updates are one op for each variable.

Each has an op `Apply<kind>` and its forms for resource variables and for slices; the op table says in which order it
takes variable, slots, gradient, rows and numbers.

Source: tensorflow/python/training/{gradient_descent,momentum,adagrad,...}.py (names of slots, arguments, messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import opdefs
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import colocate_with, device
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import fill, ones, ones_like
from icefloe.lib.array_shape import shape
from icefloe.lib.initializers import Constant, Ones
from icefloe.lib.math_cast import cast
from icefloe.optimizers.optimizer import Optimizer


class UpdateOptimizer(Optimizer):
    """An optimizer whose updates are ops. `_kind`: the op's name after `Apply`. `_slot_names`: in the op's order."""

    _kind: str
    _slot_names: tuple[str, ...] = ()

    def _numbers(self, var: Any) -> dict[str, Any]:
        """Return the op's other arguments by name, as tensors of any float dtype."""
        raise NotImplementedError

    def _flags(self) -> dict[str, Any]:
        """Return the op's attrs."""
        return {}

    def _update(self, form: str, var: Any, grad: Tensor, dtype: Any, indices: Tensor | None = None) -> Any:
        kind = f"{form}Apply{self._kind}"
        resource = form.startswith("Resource")
        cells = [var, *(self.get_slot(var, name) for name in self._slot_names)]
        names = [arg.name for arg in opdefs.signature(kind).inputs]
        inputs = dict(zip(names, [cell.handle for cell in cells] if resource else cells))
        inputs["grad" if "grad" in names else "delta"] = grad
        if indices is not None:
            inputs["indices"] = indices
        for name, value in self._numbers(var).items():
            inputs[name] = value if name == "global_step" else cast(value, dtype)
        return apply_op(kind, **inputs, use_locking=self._use_locking, **self._flags())

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._update("", var, grad, var.dtype.base_dtype).op

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._update("Sparse", var, grad.values, var.dtype.base_dtype, grad.indices).op

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        return self._update("Resource", handle, grad, grad.dtype.base_dtype)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        return self._update("ResourceSparse", handle, grad, grad.dtype.base_dtype, indices)

    def _tensor(self, value: Any, name: str) -> Tensor:
        return convert_to_tensor(self._call_if_callable(value), name=name)


class GradientDescentOptimizer(UpdateOptimizer):
    """Gradient descent: variable -= learning_rate * gradient."""

    _kind = "GradientDescent"

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Any = None

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._tensor(self._learning_rate, "learning_rate")

    def _numbers(self, var: Any) -> dict[str, Any]:
        return {"alpha": self._learning_rate_tensor}

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        scaled = grad.values * cast(self._learning_rate_tensor, var.dtype.base_dtype)
        return var.scatter_sub(IndexedSlices(scaled, grad.indices, grad.dense_shape), use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        scaled = -grad * cast(self._learning_rate_tensor, grad.dtype.base_dtype)
        return apply_op("ResourceScatterAdd", handle.handle, indices, scaled)


class MomentumOptimizer(UpdateOptimizer):
    """Momentum: accumulation = momentum * accumulation + gradient; variable -= learning_rate * accumulation."""

    _kind = "Momentum"
    _slot_names = ("momentum",)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Any = None
        self._momentum_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._tensor(self._learning_rate, "learning_rate")
        self._momentum_tensor = self._tensor(self._momentum, "momentum")

    def _numbers(self, var: Any) -> dict[str, Any]:
        return {"lr": self._learning_rate_tensor, "momentum": self._momentum_tensor}

    def _flags(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}


def _check_positive(value: float) -> None:
    if value <= 0.0:
        raise ValueError(f"initial_accumulator_value must be positive: {value}")


class AdagradOptimizer(UpdateOptimizer):
    """Adagrad: the step is divided by the root of the sum of squares so far.

    Raises: ValueError if `initial_accumulator_value` is not positive.
    """

    _kind = "Adagrad"
    _slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive(initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype = v.dtype.base_dtype
            if v.get_shape().is_fully_defined():
                initial: Any = Constant(self._initial_accumulator_value, dtype=dtype)
            else:
                initial = self._filled_like(v, dtype)
            self._get_or_make_slot_with_initializer(v, initial, v.get_shape(), dtype, "accumulator", self._name)

    def _filled_like(self, v: Any, dtype: Any) -> Any:
        return lambda: cast(fill(shape(v), self._initial_accumulator_value), dtype)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._tensor(self._learning_rate, "learning_rate")

    def _numbers(self, var: Any) -> dict[str, Any]:
        return {"lr": self._learning_rate_tensor}


class AdagradDAOptimizer(UpdateOptimizer):
    """Adagrad with dual averaging, for sparse linear models.

    Raises: ValueError if `initial_gradient_squared_accumulator_value` is not positive.
    """

    _kind = "AdagradDA"
    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_value = initial_gradient_squared_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._global_step = global_step
        self._learning_rate_tensor: Any = None
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype = v.dtype.base_dtype
            with colocate_with(v):
                zeros = constant(0.0, shape=v.get_shape(), dtype=dtype)
                squares = constant(self._initial_value, shape=v.get_shape(), dtype=dtype)
            self._get_or_make_slot(v, zeros, "gradient_accumulator", self._name)
            self._get_or_make_slot(v, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._tensor(self._learning_rate, "learning_rate")
        with colocate_with(self._learning_rate_tensor):
            self._global_step_on_worker = apply_op("Identity", convert_to_tensor(self._global_step)) + 1

    def _numbers(self, var: Any) -> dict[str, Any]:
        with device(var.device):
            step = apply_op("Identity", self._global_step_on_worker)
        return {"lr": self._learning_rate_tensor, "l1": self._l1, "l2": self._l2, "global_step": step}


class AdadeltaOptimizer(UpdateOptimizer):
    """Adadelta: steps are scaled by running averages of squared gradients and of squared steps."""

    _kind = "Adadelta"
    _slot_names = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._tensors: dict[str, Any] = {}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)

    def _prepare(self) -> None:
        given = {"lr": self._lr, "rho": self._rho, "epsilon": self._epsilon}
        self._tensors = {name: self._tensor(value, name) for name, value in given.items()}

    def _numbers(self, var: Any) -> dict[str, Any]:
        return self._tensors


class RMSPropOptimizer(UpdateOptimizer):
    """RMSProp: steps are divided by the root of a running average of squared gradients; `centered`: of the variance."""

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._kind = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_names = ("mg", "rms", "momentum") if centered else ("rms", "momentum")
        self._tensors: dict[str, Any] = {}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype = v.dtype.base_dtype
            known = v.get_shape().is_fully_defined()
            initial = Ones(dtype=dtype) if known else ones_like(v)
            self._get_or_make_slot_with_initializer(v, initial, v.get_shape(), dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _prepare(self) -> None:
        given = {
            "lr": (self._learning_rate, "learning_rate"),
            "rho": (self._decay, "decay"),
            "momentum": (self._momentum, "momentum"),
            "epsilon": (self._epsilon, "epsilon"),
        }
        self._tensors = {key: self._tensor(value, name) for key, (value, name) in given.items()}

    def _numbers(self, var: Any) -> dict[str, Any]:
        return self._tensors


class FtrlOptimizer(UpdateOptimizer):
    """Follow the regularized leader, with L1 and L2 regularization, L2 shrinkage and `beta`.

    Raises: ValueError if a strength is negative or `learning_rate_power` is positive.
    """

    _slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        checked = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        for what, value in checked.items():
            if value < 0.0:
                raise ValueError(f"{what} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name
        self._kind = "FtrlV2" if self._shrinkage > 0.0 else "Ftrl"
        self._tensors: dict[str, Any] = {}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        def initial(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            return ones(shape=shape, dtype=dtype) * self._initial_accumulator_value

        for v in var_list:
            name = self._accum_name or self._name
            self._get_or_make_slot_with_initializer(v, initial, v.shape, v.dtype.base_dtype, "accum", name)
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        rate = convert_to_tensor(self._learning_rate, name="learning_rate")
        l1 = convert_to_tensor(self._l1, name="l1_regularization_strength")
        least = apply_op("Maximum", self._learning_rate, 1e-36)
        l2 = convert_to_tensor(self._l2 + self._beta / (2.0 * least), name="adjusted_l2_regularization_strength")
        convert_to_tensor(self._beta, name="beta")
        shrinkage = convert_to_tensor(self._shrinkage, name="l2_shrinkage_regularization_strength")
        power = convert_to_tensor(self._learning_rate_power, name="learning_rate_power")
        self._tensors = {"lr": rate, "l1": l1, "l2": l2}
        if self._kind == "FtrlV2":
            self._tensors["l2_shrinkage"] = shrinkage
        self._tensors["lr_power"] = power

    def _numbers(self, var: Any) -> dict[str, Any]:
        return self._tensors


class _Proximal(UpdateOptimizer):
    """What the proximal optimizers share: learning rate and the strengths of L1 and L2 regularization."""

    _rate_argument: str

    def __init__(self, learning_rate: Any, l1: Any, l2: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1
        self._l2 = l2
        self._tensors: dict[str, Any] = {}

    def _prepare(self) -> None:
        self._tensors = {
            self._rate_argument: convert_to_tensor(self._learning_rate, name="learning_rate"),
            "l1": convert_to_tensor(self._l1, name="l1_regularization_strength"),
            "l2": convert_to_tensor(self._l2, name="l2_regularization_strength"),
        }

    def _numbers(self, var: Any) -> dict[str, Any]:
        return self._tensors


class ProximalGradientDescentOptimizer(_Proximal):
    """Gradient descent with L1 and L2 regularization applied after each step."""

    _kind = "ProximalGradientDescent"
    _rate_argument = "alpha"

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)


class ProximalAdagradOptimizer(_Proximal):
    """Adagrad with L1 and L2 regularization applied after each step.

    Raises: ValueError if `initial_accumulator_value` is not positive.
    """

    _kind = "ProximalAdagrad"
    _slot_names = ("accumulator",)
    _rate_argument = "lr"

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive(initial_accumulator_value)
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            with colocate_with(v):
                value = constant(self._initial_accumulator_value, shape=v.get_shape(), dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, value, "accumulator", self._name)
