"""`tf.layers.separable_conv1d`, `separable_conv2d`, and their classes."""

from __future__ import annotations

from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.lib import nn_activations
from icefloe.lib.array_shape import expand_dims, squeeze
from icefloe.lib.layer_base import ZEROS, InputSpec, tensor_format
from icefloe.lib.layer_convolution import Conv, _given
from icefloe.lib.nn_depthwise import separable_conv2d as separable


class _SeparableConv(Conv):
    """A convolution of each channel for itself, then one over the channels at each place."""

    def __init__(
        self,
        rank: int,
        depth_multiplier: int,
        depthwise_initializer: Any,
        pointwise_initializer: Any,
        depthwise_regularizer: Any,
        pointwise_regularizer: Any,
        depthwise_constraint: Any,
        pointwise_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(rank, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer, self.pointwise_initializer = depthwise_initializer, pointwise_initializer
        self.depthwise_regularizer, self.pointwise_regularizer = depthwise_regularizer, pointwise_regularizer
        self.depthwise_constraint, self.pointwise_constraint = depthwise_constraint, pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis(): channels})
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            (*self.kernel_size, channels, self.depth_multiplier),
            self.dtype,
            self.depthwise_initializer,
            self.depthwise_regularizer,
            True,
            self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            (*[1] * self.rank, self.depth_multiplier * channels, self.filters),
            self.dtype,
            self.pointwise_initializer,
            self.pointwise_regularizer,
            True,
            self.pointwise_constraint,
        )
        self._add_bias()
        self.built = True


class SeparableConv1D(_SeparableConv):
    """A separable convolution along one axis; see `separable_conv1d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        given = _given(locals())
        super().__init__(1, **given, **kwargs)

    def call(self, inputs: Tensor) -> Tensor:
        first = self.data_format == "channels_first"
        axis = 2 if first else 1
        strides = (1, 1, *self.strides * 2) if first else (1, *self.strides * 2, 1)
        wide = expand_dims(inputs, axis)
        outputs = separable(
            wide,
            expand_dims(self.depthwise_kernel, 0),
            expand_dims(self.pointwise_kernel, 0),
            strides=strides,
            padding=self.padding.upper(),
            rate=(1, *self.dilation_rate),
            data_format=tensor_format(self.data_format, 4),
        )
        if self.use_bias:
            outputs = nn_activations.bias_add(outputs, self.bias, data_format=tensor_format(self.data_format, 4))
        outputs = squeeze(outputs, [axis])
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv2D(_SeparableConv):
    """A separable convolution over two axes; see `separable_conv2d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        given = _given(locals())
        super().__init__(2, **given, **kwargs)

    def call(self, inputs: Tensor) -> Tensor:
        first = self.data_format == "channels_first"
        outputs = separable(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=(1, 1, *self.strides) if first else (1, *self.strides, 1),
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format=self._format,
        )
        if self.use_bias:
            outputs = nn_activations.bias_add(outputs, self.bias, data_format=self._format)
        return outputs if self.activation is None else self.activation(outputs)


def separable_conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: bool | None = None,
) -> Tensor:
    """Return the separable convolution of `inputs` [batch, length, channels]; see `separable_conv2d`."""
    given = _given(locals())
    return SeparableConv1D(**given, _reuse=reuse, _scope=name).apply(inputs)


def separable_conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: bool | None = None,
) -> Tensor:
    """Return the separable convolution of `inputs` [batch, height, width, channels] with bias and activation.

    Each channel gives `depth_multiplier` ones, of which `filters` are made at each place. The variables are
    `<name>/depthwise_kernel`, `<name>/pointwise_kernel` and `<name>/bias`; other arguments as of `conv2d`.
    """
    given = _given(locals())
    return SeparableConv2D(**given, _reuse=reuse, _scope=name).apply(inputs)
