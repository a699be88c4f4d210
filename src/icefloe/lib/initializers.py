"""Initializers: callables `(shape, dtype=None, partition_info=None)` that add the nodes of a variable's initial
value.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.tensor import Tensor
from icefloe.lib import random_draws
from icefloe.lib.array_create import ones, zeros
from icefloe.lib.array_diagonal import tensor_diag_part
from icefloe.lib.array_select import slice
from icefloe.lib.array_shape import matrix_transpose, reshape
from icefloe.lib.linalg import eye
from icefloe.lib.math_elementwise import sign
from icefloe.shapes import TensorShape

# The standard deviation of a standard normal distribution cut off at two standard deviations.
_TRUNCATED_STDDEV = 0.87962566103423978


class Initializer:
    """The base of all initializers. Its arguments are its configuration."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Return a tensor of this shape; partition_info: where it lies in a partitioned variable."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return an initializer with these arguments."""
        return cls(**config)


def _float_dtype(dtype: Any) -> datatypes.DType:
    dtype = datatypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


class Zeros(Initializer):
    """Zeros (False, empty strings)."""

    def __init__(self, dtype: Any = datatypes.float32) -> None:
        self.dtype = datatypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """Ones (True)."""

    def __init__(self, dtype: Any = datatypes.float32) -> None:
        self.dtype = datatypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Constant(Initializer):
    """A scalar for all elements, or the elements themselves, the last repeated where there are too few.

    verify_shape: refuse too few elements. Raises: TypeError if `value` is no scalar, list, tuple or array.
    """

    def __init__(self, value: Any = 0, dtype: Any = datatypes.float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python "
                "scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.dtype = datatypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: bool | None = None
    ) -> Tensor:
        return constant(
            self.value,
            dtype=self.dtype if dtype is None else dtype,
            shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape,
        )

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Draws from [minval, maxval)."""

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = datatypes.float32
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = datatypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return random_draws.random_uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed, "dtype": self.dtype.name}


class _Normal(Initializer):
    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = datatypes.float32
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class RandomNormal(_Normal):
    """Draws from a normal distribution. Raises: ValueError if `dtype` is no float."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return random_draws.random_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(_Normal):
    """Draws from a normal distribution cut off at two standard deviations.

    Raises: ValueError if `dtype` is no float.
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        return random_draws.truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class UniformUnitScaling(Initializer):
    """Draws from [-m, m) with m = factor * sqrt(3 / product of all sizes but the last)."""

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = datatypes.float32) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        full = shape if partition_info is None else partition_info.full_shape
        inputs = max(math.prod(float(size) for size in full[:-1]), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return random_draws.random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


def _fans(shape: Any) -> tuple[int, int]:
    """Return (fan in, fan out): the last two sizes, times the product of those before."""
    sizes = [int(size) for size in shape]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class VarianceScaling(Initializer):
    """Draws whose variance is scale / n, with n the fan in, the fan out or their mean.

    mode: fan_in, fan_out or fan_avg.
    distribution: truncated_normal (also called normal), untruncated_normal or uniform.

    Raises: ValueError for another mode or distribution, a scale that is not positive, a dtype that is no float.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = datatypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = _fans(shape if partition_info is None else partition_info.full_shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_draws.random_uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_draws.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
        return random_draws.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class GlorotUniform(VarianceScaling):
    """Uniform draws with variance 1 / mean of the fans.

    As in TensorFlow, `dtype` counts only when it is given at the call.
    """

    def __init__(self, seed: int | None = None, dtype: Any = datatypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="uniform", seed=seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Truncated normal draws with variance 1 / mean of the fans. As in TensorFlow, `dtype` counts only at the call."""

    def __init__(self, seed: int | None = None, dtype: Any = datatypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="truncated_normal", seed=seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Return an initializer of truncated normal draws with variance 1 / fan in."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Return an initializer of uniform draws with variance 1 / fan in."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Return an initializer of truncated normal draws with variance 2 / fan in."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Return an initializer of uniform draws with variance 2 / fan in."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


class Orthogonal(Initializer):
    """Rows or columns, whichever are fewer, of an orthogonal matrix times `gain`; shapes of more axes are flattened
    to the last.

    Raises: ValueError if `dtype` is no float, or the shape has less than two axes.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = datatypes.float32) -> None:
        self.gain = gain
        self.dtype = _float_dtype(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = self.dtype if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        rows, columns = math.prod(int(size) for size in shape[:-1]), int(shape[-1])
        drawn = random_draws.random_normal((max(rows, columns), min(rows, columns)), dtype=dtype, seed=self.seed)
        q, r = apply_op("Qr", drawn, full_matrices=False)
        q *= sign(tensor_diag_part(r))
        if rows < columns:
            q = matrix_transpose(q)
        return self.gain * reshape(q, shape)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """The identity matrix times `gain`. Raises: ValueError if `dtype` is no float, or the shape is no matrix."""

    def __init__(self, gain: float = 1.0, dtype: Any = datatypes.float32) -> None:
        self.gain = gain
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        full = shape if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        if isinstance(full, TensorShape):
            full = full.as_list()
        rows, columns = full
        value = eye(rows, columns, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            value = slice(value, partition_info.var_offset, shape)
        return self.gain * value

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}
