"""`tf.layers.dense`, `dropout`, `flatten`, and their classes."""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib import layer_base, nn_activations
from icefloe.lib.array_shape import expand_dims, reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import identity
from icefloe.lib.layer_base import ZEROS, InputSpec, Layer
from icefloe.lib.math_cast import cast
from icefloe.lib.math_matrix import matmul, tensordot
from icefloe.lib.nn_embedding import embedding_lookup_sparse
from icefloe.lib.smart_cond import smart_cond
from icefloe.lib.sparse_layout import sparse_fill_empty_rows
from icefloe.shapes import TensorShape


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`; see `dense`."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        if self.units < 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: units={units}"
            )
        self.activation = layer_base.activation_function(activation)
        self.use_bias = use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        dtype = datatypes.as_dtype(self.dtype or datatypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"A Dense layer can only be built with a floating-point dtype. Received: dtype={dtype}")
        size = TensorShape(input_shape)[-1].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                f"received: {input_shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            [size, self.units],
            self.dtype,
            self.kernel_initializer,
            self.kernel_regularizer,
            True,
            self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                self.dtype,
                self.bias_initializer,
                self.bias_regularizer,
                True,
                self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        if inputs.dtype.base_dtype.name != self.dtype:
            inputs = cast(inputs, self.dtype)
        rank = inputs.shape.rank
        if isinstance(inputs, SparseTensor):
            inputs, _ = sparse_fill_empty_rows(inputs, 0)
            ids = SparseTensor(inputs.indices, inputs.indices[:, 1], inputs.dense_shape)
            outputs = embedding_lookup_sparse(self.kernel, ids, inputs, combiner="sum")
        elif rank in (2, None):
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.use_bias:
            outputs = nn_activations.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the static shape of the result for an input of `input_shape`."""
        return TensorShape(input_shape)[:-1].concatenate(self.units)


def dense(
    inputs: Any,
    units: int,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: bool | None = None,
) -> Tensor:
    """Return `activation(inputs @ kernel + bias)`.

    inputs: float [..., size]. The result: [..., units]. The variables are `<name>/kernel` [size, units] and
    `<name>/bias` [units]; reuse: whether they are there.
    """
    layer = Dense(
        units,
        activation,
        use_bias,
        kernel_initializer,
        bias_initializer,
        kernel_regularizer,
        bias_regularizer,
        activity_regularizer,
        kernel_constraint,
        bias_constraint,
        trainable,
        name,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)


class Dropout(Layer):
    """Puts zeros in the place of some elements, in training; see `dropout`."""

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, name: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        if isinstance(self.rate, (int, float)) and self.rate == 0:
            return identity(inputs)

        def dropped() -> Tensor:
            noise_shape = self.noise_shape
            if noise_shape is not None and not isinstance(noise_shape, Tensor):
                sizes = shape_of(inputs)
                noise_shape = convert_to_tensor([sizes[i] if n is None else n for i, n in enumerate(noise_shape)])
            return nn_activations.dropout(inputs, noise_shape=noise_shape, seed=self.seed, rate=self.rate)

        return smart_cond(training, dropped, lambda: identity(inputs))


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: Any = None,
) -> Tensor:
    """Return `inputs` with zeros in the place of a part `rate` of its elements, the others greater by as much.

    training: whether to do so, a bool or a bool tensor; else `inputs` as it is. noise_shape: where it has 1, all
    elements along an axis go together.
    """
    return Dropout(rate, noise_shape, seed, name).apply(inputs, training=training)


class Flatten(Layer):
    """Makes one axis of all but the first; see `flatten`."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = layer_base.checked_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Tensor) -> Tensor:
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return expand_dims(inputs, axis=1)
        sizes: list[Any] = [None, None] if rank is None else inputs.shape.as_list()
        if all(size is not None for size in sizes[1:]):
            return reshape(inputs, constant([-1, math.prod(sizes[1:])]))
        if sizes[0] is not None:
            return reshape(inputs, constant([sizes[0], -1]))
        return reshape(inputs, [shape_of(inputs)[0], -1])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the static shape of the result for an input of `input_shape`."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            return TensorShape([None, None])
        sizes: list[Any] = shape.as_list()
        rest = None if any(size is None for size in sizes[1:]) else math.prod(sizes[1:])
        return TensorShape([sizes[0], rest])


def flatten(inputs: Any, name: Any = None, data_format: str = "channels_last") -> Tensor:
    """Return `inputs` [batch, ...] as [batch, size], of which the axes are in the order of channels last."""
    return Flatten(data_format, name=name).apply(inputs)
