"""`tf.layers.conv1d`, `conv2d`, `conv3d`, and their classes."""

from __future__ import annotations

from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.lib import layer_base, nn_activations
from icefloe.lib.array_shape import reshape
from icefloe.lib.layer_base import ZEROS, InputSpec, Layer, integers, tensor_format, window_length
from icefloe.lib.nn_convolution import convolution
from icefloe.shapes import TensorShape


class Conv(Layer):
    """A convolution over `rank` axes; see `conv2d`."""

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
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
        self.rank = rank
        self.filters = int(filters) if isinstance(filters, float) else filters
        if self.filters is not None and self.filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. Received filters="
                f"{self.filters}."
            )
        self.kernel_size = integers(kernel_size, rank, "kernel_size")
        self.strides = integers(strides, rank, "strides", allow_zero=True)
        self.padding = layer_base.checked_padding(padding)
        self.data_format = layer_base.checked_format(data_format)
        self.dilation_rate = integers(dilation_rate, rank, "dilation_rate")
        if not all(self.strides):
            raise ValueError(f"The argument `strides` cannot contains 0(s). Received: {self.strides}")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides="
                f"{self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.activation = layer_base.activation_function(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = ZEROS if bias_initializer is None else bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    @property
    def _format(self) -> str:
        return tensor_format(self.data_format, self.rank + 2)

    def _channel_axis(self) -> int:
        return -1 - self.rank if self.data_format == "channels_first" else -1

    def _channels(self, input_shape: Any) -> int:
        size = TensorShape(input_shape)[self._channel_axis()].value
        if size is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received is "
                f"{input_shape}, where axis {self._channel_axis()} (0-based) is the channel dimension, which found to "
                "be `None`."
            )
        return int(size)

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self.compute_output_shape(input_shape)
        self._add_kernel((*self.kernel_size, channels, self.filters))
        self._add_bias()
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis(): channels})
        self.built = True

    def _add_kernel(self, shape: tuple[int, ...]) -> None:
        self.kernel = self.add_weight(
            "kernel",
            shape,
            self.dtype,
            self.kernel_initializer,
            self.kernel_regularizer,
            True,
            self.kernel_constraint,
        )

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (self.filters,),
                self.dtype,
                self.bias_initializer,
                self.bias_regularizer,
                True,
                self.bias_constraint,
            )

    def call(self, inputs: Tensor) -> Tensor:
        outputs = convolution(
            inputs,
            self.kernel,
            padding=self.padding.upper() if isinstance(self.padding, str) else self.padding,
            strides=list(self.strides),
            dilation_rate=list(self.dilation_rate),
            data_format=self._format,
            name=type(self).__name__,
        )
        if self.use_bias and self.rank == 1 and self.data_format == "channels_first":
            outputs = outputs + reshape(self.bias, (1, self.filters, 1))
            return self._finished(outputs, inputs, biased=True)
        return self._finished(outputs, inputs)

    def _finished(self, outputs: Tensor, inputs: Tensor, *, biased: bool = False) -> Tensor:
        """Return what the convolution gave with bias and activation."""
        if self.use_bias and not biased:
            outputs = nn_activations.bias_add(outputs, self.bias, data_format=self._format)
        if inputs.shape.rank:
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the static shape of the result for an input of `input_shape`. Raises: ValueError if it is empty."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            return shape
        sizes = shape.as_list()
        last = self.data_format == "channels_last"
        batch = len(sizes) - self.rank - 1
        spatial = sizes[batch:-1] if last else sizes[batch + 1 :]
        made = self._spatial(spatial)
        if any(size is not None and size < 0 for size in made):
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider increasing "
                f"the input size. Received input shape {sizes} which would produce output shape with a zero or "
                "negative value in a dimension."
            )
        return TensorShape([*sizes[:batch], *made, self.filters] if last else [*sizes[:batch], self.filters, *made])

    def _spatial(self, sizes: list[int | None]) -> list[int | None]:
        if not isinstance(self.padding, str):
            return [None] * len(sizes)
        return [
            window_length(size, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i])
            for i, size in enumerate(sizes)
        ]


class Conv1D(Conv):
    """A convolution along one axis; see `conv1d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
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
        given = _given(locals())
        super().__init__(1, **given, **kwargs)


class Conv2D(Conv):
    """A convolution over height and width; see `conv2d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
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
        given = _given(locals())
        super().__init__(2, **given, **kwargs)


class Conv3D(Conv):
    """A convolution over depth, height and width; see `conv3d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1, 1),
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
        given = _given(locals())
        super().__init__(3, **given, **kwargs)


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in arguments.items() if k not in ("self", "kwargs", "reuse", "inputs") and k[0] != "_"}


def conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
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
    """Return the convolution of `inputs` [batch, length, channels] along one axis; see `conv2d`."""
    given = _given(locals())
    return Conv1D(**given, _reuse=reuse, _scope=name).apply(inputs)


def conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
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
    """Return the convolution of `inputs` [batch, height, width, channels] with bias and activation.

    kernel_size, strides, dilation_rate: one number or one for each axis. padding: "valid" or "same". data_format:
    "channels_last" or "channels_first". The variables are `<name>/kernel` [height, width, channels, filters] and
    `<name>/bias`; reuse: whether they are there.

    Raises: ValueError if sizes do not fit.
    """
    given = _given(locals())
    return Conv2D(**given, _reuse=reuse, _scope=name).apply(inputs)


def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1, 1),
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
    """Return the convolution of `inputs` [batch, depth, height, width, channels] over three axes; see `conv2d`."""
    given = _given(locals())
    return Conv3D(**given, _reuse=reuse, _scope=name).apply(inputs)
