"""`tf.layers.conv2d_transpose`, `conv3d_transpose`, and their classes."""

from __future__ import annotations

from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.array_shape import transpose
from icefloe.lib.layer_base import ZEROS, InputSpec, tensor_format, transposed_length
from icefloe.lib.layer_convolution import Conv, _given
from icefloe.lib.nn_transposed import conv2d_transpose as transposed_2d
from icefloe.lib.nn_transposed import conv3d_transpose as transposed_3d
from icefloe.shapes import TensorShape


class _ConvTranspose(Conv):
    def build(self, input_shape: Any) -> None:
        rank = self.rank + 2
        if TensorShape(input_shape).rank != rank:
            raise ValueError(f"Inputs should have rank {rank}. Received input_shape={input_shape}.")
        channels = self._channels(input_shape)
        self.input_spec = InputSpec(ndim=rank, axes={self._channel_axis(): channels})
        self._add_kernel((*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        first = self.data_format == "channels_first"
        sizes = shape_of(inputs)
        batch = sizes[0]
        known: list[int | None] = [None] * (self.rank + 2)
        if self.rank == 2 and inputs.shape.rank is not None:
            known = inputs.shape.as_list()
        start = 2 if first else 1
        lengths = [known[start + i] if known[start + i] is not None else sizes[start + i] for i in range(self.rank)]
        made = [
            transposed_length(length, self.kernel_size[i], self.padding, self.strides[i])
            for i, length in enumerate(lengths)
        ]
        wanted = [batch, self.filters, *made] if first else [batch, *made, self.filters]
        output_shape = stack(wanted)
        outputs = self._transposed(inputs, output_shape)
        return self._finished(outputs, inputs)

    def _transposed(self, inputs: Tensor, output_shape: Tensor) -> Tensor:
        raise NotImplementedError

    def _spatial(self, sizes: list[int | None]) -> list[int | None]:
        return [
            transposed_length(size, self.kernel_size[i], self.padding, self.strides[i]) for i, size in enumerate(sizes)
        ]


class Conv2DTranspose(_ConvTranspose):
    """A transposed convolution over two axes; see `conv2d_transpose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
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

    def _transposed(self, inputs: Tensor, output_shape: Tensor) -> Tensor:
        strides = (1, *self.strides, 1)
        if self.data_format == "channels_last":
            # What looks at the first size makes a node of it, which nothing uses.
            output_shape[0]
            return transposed_2d(inputs, self.kernel, output_shape, strides, padding=self.padding.upper())
        # Only channels last are computed on a CPU.
        last = stack([output_shape[i] for i in (0, 2, 3, 1)])
        made = transposed_2d(transpose(inputs, (0, 2, 3, 1)), self.kernel, last, strides, padding=self.padding.upper())
        return transpose(made, (0, 3, 1, 2))


class Conv3DTranspose(_ConvTranspose):
    """A transposed convolution over three axes; see `conv3d_transpose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
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

    def _transposed(self, inputs: Tensor, output_shape: Tensor) -> Tensor:
        first = self.data_format == "channels_first"
        strides = (1, 1, *self.strides) if first else (1, *self.strides, 1)
        return transposed_3d(
            inputs,
            self.kernel,
            output_shape,
            strides,
            padding=self.padding.upper(),
            data_format=tensor_format(self.data_format, 5),
        )


def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
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
    """Return the transposed convolution of `inputs` [batch, height, width, channels] with bias and activation.

    The variables are `<name>/kernel` [height, width, filters, channels] and `<name>/bias`; other arguments as of
    `conv2d`.
    """
    given = _given(locals())
    return Conv2DTranspose(**given, _reuse=reuse, _scope=name).apply(inputs)


def conv3d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
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
    """Return the transposed convolution of `inputs` [batch, depth, height, width, channels]; see `conv2d_transpose`."""
    given = _given(locals())
    return Conv3DTranspose(**given, _reuse=reuse, _scope=name).apply(inputs)
