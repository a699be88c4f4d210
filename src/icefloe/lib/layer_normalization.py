"""`tf.layers.batch_normalization` and its class.

Source: the batch normalization of TensorFlow 1's layers: nodes, variables, update ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import assignments, nn_normalization
from icefloe.lib.array_create import ones_like, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.layer_base import ONES, ZEROS, InputSpec, Layer
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_mean
from icefloe.lib.smart_cond import smart_cond
from icefloe.lib.variable import VariableAggregation, VariableSynchronization
from icefloe.shapes import TensorShape

_FORMATS = {(4, 1): "NCHW", (5, 1): "NCDHW", (4, 3): "NHWC", (5, 4): "NDHWC"}


class BatchNormalization(Layer):
    """Brings each channel to mean 0 and variance 1, then scales and shifts it; see `batch_normalization`."""

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        if renorm:
            raise errors.UnimplementedError(
                "batch_normalization(renorm=True) is not available",
                hint="leave renorm out; a graph that was built with it loads and runs",
            )
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}")
        self.axis: Any = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self.fused = True if fused is None else fused
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    @property
    def _param_dtype(self) -> Any:
        # Statistics of 16-bit floats are kept in 32 bits.
        return datatypes.float32 if self.dtype in ("float16", "bfloat16") else self.dtype or datatypes.float32

    def build(self, input_shape: Any) -> None:
        shape = TensorShape(input_shape)
        rank = shape.rank
        if rank is None:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}.")
        self.axis = _checked_axes(self.axis, rank)
        if self.virtual_batch_size is not None:
            self._check_virtual_batches()
        self.fused = bool(self.fused) and rank in (4, 5) and self._can_be_fused()
        if self.fused:
            self._data_format = _FORMATS.get((rank, self.axis[0]), "")
            if not self._data_format and rank == 4:
                raise ValueError(
                    "Unsupported axis. The use of `fused=True` is only possible with `axis=1` or `axis=3` for 4D input "
                    f"tensors. Received: axis={tuple(self.axis)}"
                )
            self.fused = bool(self._data_format)
        sizes = {axis: shape[axis].value for axis in self.axis}
        if any(size is None for size in sizes.values()):
            raise ValueError(
                f"Input has undefined `axis` dimension. Received input with shape {tuple(shape.as_list())} and "
                f"axis={tuple(self.axis)}"
            )
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            self._param_shape: list[Any] = list(sizes.values())
        else:
            self._param_shape = [sizes.get(i, 1) for i in range(rank)]
        if self.virtual_batch_size is not None:
            self._param_shape.insert(1, 1)
            self.axis = [axis + 1 for axis in self.axis]
        self._add_variables()
        self.built = True

    def _check_virtual_batches(self) -> None:
        assert self.virtual_batch_size is not None
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "`virtual_batch_size` must be a positive integer that divides the true batch size of the input tensor. "
                f"Received: virtual_batch_size={self.virtual_batch_size}"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis cannot include 0. "
                f"Received axis={self.axis}"
            )
        if self.adjustment is not None:
            raise ValueError("When using `virtual_batch_size`, adjustment cannot be specified")

    def _can_be_fused(self) -> bool:
        return (
            len(self.axis) == 1
            and self.axis[0] in (1, 3, 4)
            and self.virtual_batch_size is None
            and self.adjustment is None
            and self.dtype in ("float16", "bfloat16", "float32", None)
        )

    def _add_variables(self) -> None:
        options = {"shape": self._param_shape, "dtype": self._param_dtype}
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
                trainable=True,
                **options,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
                trainable=True,
                **options,
            )
        scope = self._scope
        partitioner = None if scope is None else scope.partitioner
        if scope is not None:
            scope.set_partitioner(None)
        try:
            modes: dict[str, Any] = {
                "synchronization": VariableSynchronization.ON_READ,
                "aggregation": VariableAggregation.MEAN,
            }
            mean, variance = self.moving_mean_initializer, self.moving_variance_initializer
            self.moving_mean = self.add_weight("moving_mean", initializer=mean, trainable=False, **modes, **options)
            self.moving_variance = self.add_weight(
                "moving_variance", initializer=variance, trainable=False, **modes, **options
            )
        finally:
            if scope is not None and partitioner:
                scope.set_partitioner(partitioner)

    # Computing

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        known = constant_value(training) if isinstance(training, Tensor) else training
        if self.virtual_batch_size is not None:
            original = shape_of(inputs)
            original = concat([constant([-1]), original[1:]], axis=0)
            expanded = concat([constant([self.virtual_batch_size, -1]), original[1:]], axis=0)
            return reshape(self._plain(reshape(inputs, expanded), training, known), original)
        return self._fused(inputs, training, known) if self.fused else self._plain(inputs, training, known)

    def _fused(self, inputs: Tensor, training: Any, known: Any) -> Tensor:
        beta = self.beta if self.center else constant(0.0, dtype=self._param_dtype, shape=self._param_shape)
        gamma = self.gamma if self.scale else constant(1.0, dtype=self._param_dtype, shape=self._param_shape)

        def normalized(is_training: bool) -> Any:
            return nn_normalization.fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=is_training,
                data_format=self._data_format,
            )

        output, mean, variance = smart_cond(training, lambda: normalized(True), lambda: normalized(False))
        if known or known is None:
            if known is None:
                momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0)
            else:
                momentum = convert_to_tensor(self.momentum)
            self.add_update(lambda: self._moved(self.moving_mean, mean, momentum))
            self.add_update(lambda: self._moved(self.moving_variance, variance, momentum))
        return output

    def _moved(self, variable: Any, value: Any, momentum: Any) -> Any:
        """Return the assignment that brings a moving average nearer to `value`."""
        with name_scope("AssignMovingAvg") as scope, colocate_with(variable):
            decay = convert_to_tensor(1.0 - momentum, name="decay")
            if decay.dtype != variable.dtype.base_dtype:
                decay = cast(decay, variable.dtype.base_dtype)
            delta = (variable - cast(value, variable.dtype)) * decay
            return assignments.assign_sub(variable, delta, name=scope)

    def _moved_in_training(self, training: Any, variable: Any, value: Any) -> Any:
        return smart_cond(training, lambda: self._moved(variable, value, self.momentum), lambda: variable)

    def _plain(self, inputs: Tensor, training: Any, known: Any) -> Tensor:
        dtype = inputs.dtype.base_dtype
        is_short = dtype in (datatypes.float16, datatypes.bfloat16)
        if is_short:
            inputs = cast(inputs, datatypes.float32)
        shape = inputs.shape
        assert shape.rank is not None
        reduced = [i for i in range(shape.rank) if i not in self.axis]
        if self.virtual_batch_size is not None:
            del reduced[1]
        wide = [1] * shape.rank
        wide[self.axis[0]] = shape[self.axis[0]].value

        def broadcast(value: Any) -> Any:
            if value is None or len(value.shape) == len(wide) or reduced == list(range(len(wide) - 1)):
                return value
            return reshape(value, wide)

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if known is not None and not known:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment:
                scale, offset = self._adjusted(inputs, training, scale, offset)
            mean, variance = self._statistics(inputs, reduced, training)
        mean, variance, scale, offset = (
            None if value is None else cast(value, inputs.dtype) for value in (mean, variance, scale, offset)
        )
        outputs = nn_normalization.batch_normalization(
            inputs, broadcast(mean), broadcast(variance), offset, scale, self.epsilon
        )
        if is_short:
            outputs = cast(outputs, dtype)
        outputs.set_shape(shape)
        return outputs

    def _adjusted(self, inputs: Tensor, training: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
        by, shift = self.adjustment(shape_of(inputs))
        by = smart_cond(training, lambda: by, lambda: ones_like(by))
        shift = smart_cond(training, lambda: shift, lambda: zeros_like(shift))
        if scale is not None:
            by, shift = by * scale, shift * scale
        return by, shift if offset is None else shift + offset

    def _statistics(self, inputs: Tensor, reduced: Sequence[int], training: Any) -> tuple[Any, Any]:
        """Return mean and variance of the batch in training, else the moving ones; note how these move."""
        keeps = self.virtual_batch_size is not None or len(self.axis) > 1
        mean, variance = nn_normalization.moments(cast(inputs, self._param_dtype), list(reduced), keep_dims=keeps)
        moving_mean, moving_variance = self.moving_mean, self.moving_variance
        batch = mean, variance
        mean = smart_cond(training, lambda: batch[0], lambda: convert_to_tensor(moving_mean))
        variance = smart_cond(training, lambda: batch[1], lambda: convert_to_tensor(moving_variance))
        new = mean, variance
        if self.virtual_batch_size is not None:
            new = reduce_mean(mean, axis=1, keepdims=True), reduce_mean(variance, axis=1, keepdims=True)
        self.add_update(self._moved_in_training(training, moving_mean, new[0]))
        self.add_update(self._moved_in_training(training, moving_variance, new[1]))
        return mean, variance

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the static shape of the result for an input of `input_shape`: the same."""
        return input_shape


def _checked_axes(axis: Any, rank: int) -> list[int]:
    axes = [axis] if isinstance(axis, int) else list(axis)
    for value in axes:
        if not -rank <= value < rank:
            raise ValueError(
                f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank={rank}). "
                f"Received: axis={tuple(axes)}"
            )
    axes = [value + rank if value < 0 else value for value in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"Duplicate axis: {tuple(axes)}")
    return axes


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = ZEROS,
    gamma_initializer: Any = ONES,
    moving_mean_initializer: Any = ZEROS,
    moving_variance_initializer: Any = ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: Any = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Tensor:
    """Return `inputs` with each channel brought to mean 0 and variance 1, times `gamma`, plus `beta`.

    axis: of the channels. training: whether by the batch's own mean and variance, and not by the moving ones. What
    moves these is in the collection UPDATE_OPS: a training op must depend on it. The variables are `<name>/gamma`,
    `beta`, `moving_mean`, `moving_variance`; reuse: whether they are there.

    Raises: ValueError if sizes do not fit; UnimplementedError with `renorm`.
    """
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        moving_mean_initializer,
        moving_variance_initializer,
        beta_regularizer,
        gamma_regularizer,
        beta_constraint,
        gamma_constraint,
        renorm,
        renorm_clipping,
        renorm_momentum,
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)
