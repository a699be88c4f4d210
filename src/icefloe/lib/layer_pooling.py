"""`tf.layers.max_pooling2d`, `average_pooling2d` and their like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.lib import layer_base, nn_pooling
from icefloe.lib.array_shape import expand_dims, squeeze, transpose
from icefloe.lib.layer_base import InputSpec, Layer, integers, tensor_format, window_length
from icefloe.shapes import TensorShape


class _Pooling(Layer):
    """A window that goes over `rank` axes and gives one element for each of its places."""

    _rank = 2
    _pool: Callable[..., Any]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = integers(pool_size, self._rank, "pool_size")
        self.strides = integers(pool_size if strides is None else strides, self._rank, "strides", allow_zero=True)
        self.padding = layer_base.checked_padding(padding)
        self.data_format = layer_base.checked_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs: Tensor) -> Tensor:
        first = self.data_format == "channels_first"
        if self._rank == 1:
            # One axis more, of size 1.
            axis = 3 if first else 2
            wide = expand_dims(inputs, axis)
            window, steps = (*self.pool_size, 1), (*self.strides, 1)
            if not first:
                return squeeze(self._pooled(wide, window, steps), axis)
            last = self._pooled(transpose(wide, (0, 2, 3, 1)), window, steps, "channels_last")
            return squeeze(transpose(last, (0, 3, 1, 2)), axis)
        if self._rank == 3 and first:
            # Only channels last are computed on a CPU.
            last = self._pooled(transpose(inputs, (0, 2, 3, 4, 1)), self.pool_size, self.strides, "channels_last")
            return transpose(last, (0, 4, 1, 2, 3))
        return self._pooled(inputs, self.pool_size, self.strides)

    def _pooled(self, inputs: Tensor, size: Any, strides: Any, data_format: str = "") -> Tensor:
        data_format = data_format or self.data_format
        first = data_format == "channels_first"
        window = (1, 1, *size) if first else (1, *size, 1)
        steps = (1, 1, *strides) if first else (1, *strides, 1)
        options: dict[str, Any] = {"data_format": tensor_format(data_format, inputs.shape.rank or self._rank + 2)}
        pool = type(self)._pool
        return pool(inputs, ksize=window, strides=steps, padding=self.padding.upper(), **options)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the static shape of the result for an input of `input_shape`."""
        sizes = TensorShape(input_shape).as_list()
        start = 2 if self.data_format == "channels_first" else 1
        for i in range(self._rank):
            sizes[start + i] = window_length(sizes[start + i], self.pool_size[i], self.padding, self.strides[i])
        return TensorShape(sizes)


class MaxPooling1D(_Pooling):
    """The greatest elements of windows along one axis; see `max_pooling2d`."""

    _rank = 1
    _pool = staticmethod(nn_pooling.max_pool)


class MaxPooling2D(_Pooling):
    """The greatest elements of windows over two axes; see `max_pooling2d`."""

    _rank = 2
    _pool = staticmethod(nn_pooling.max_pool)


class MaxPooling3D(_Pooling):
    """The greatest elements of windows over three axes; see `max_pooling2d`."""

    _rank = 3
    _pool = staticmethod(nn_pooling.max_pool3d)


class AveragePooling1D(_Pooling):
    """The means of windows along one axis; see `average_pooling2d`."""

    _rank = 1
    _pool = staticmethod(nn_pooling.avg_pool)


class AveragePooling2D(_Pooling):
    """The means of windows over two axes; see `average_pooling2d`."""

    _rank = 2
    _pool = staticmethod(nn_pooling.avg_pool)


class AveragePooling3D(_Pooling):
    """The means of windows over three axes; see `average_pooling2d`."""

    _rank = 3
    _pool = staticmethod(nn_pooling.avg_pool3d)


def max_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the greatest elements of windows along the second axis of `inputs` [batch, length, channels]."""
    return MaxPooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the greatest elements of windows over height and width of `inputs` [batch, height, width, channels].

    pool_size, strides: one number or one for each axis. padding: "valid" or "same". data_format: "channels_last" or
    "channels_first".
    """
    return MaxPooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the greatest elements of windows over three axes of `inputs` [batch, depth, height, width, channels]."""
    return MaxPooling3D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the means of windows along the second axis of `inputs` [batch, length, channels]."""
    return AveragePooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the means of windows over height and width of `inputs`; arguments as of `max_pooling2d`."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Any = None,
) -> Tensor:
    """Return the means of windows over three axes of `inputs` [batch, depth, height, width, channels]."""
    return AveragePooling3D(pool_size, strides, padding, data_format, name).apply(inputs)
