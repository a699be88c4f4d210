"""The arithmetic between small integers and the range of floats that they stand for. Registers nothing.

A range (low, high) is spread over all values of an integer type. Two ways of rounding exist in TensorFlow and differ
in the last bit: `to_float` and `to_integers` compute in double, `floats_32` and `integers_32` in float32.

Source: tensorflow/core/kernels/quantization_utils.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType

F = np.float32


def check_scalars(mark: str = "`", /, **limits: Any) -> None:
    """Refuse limits of a range that are no scalars, in TensorFlow's words. mark: what it puts around their names."""
    for name, value in limits.items():
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"{mark}{name}{mark} must be rank 0 but is rank {np.ndim(value)}")


def _rounded(x: Any) -> Any:
    """Return `x` rounded to whole numbers, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


@dataclass(frozen=True, slots=True)
class Range:
    """The floats from `low` to `high` as values of the integer type `dtype`."""

    low: np.float32
    high: np.float32
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, low: Any, high: Any, dtype: DType) -> Range:
        """Return the range of a quantized dtype."""
        return cls(F(np.ravel(low)[0]), F(np.ravel(high)[0]), dtype.numpy[0])

    @property
    def _least(self) -> int:
        return int(np.iinfo(self.dtype).min)

    @property
    def _count(self) -> float:
        return 2.0 ** (8 * self.dtype.itemsize)

    @property
    def _span(self) -> float:
        return float(self.high - self.low) * (self._count / (self._count - 1))

    def to_float(self, values: Any) -> Any:
        """Return the floats that integers stand for, float32."""
        if self.low == self.high:
            return np.full(np.shape(values), self.low)
        scale = self._span / self._count
        low = _rounded(self.low / F(scale)) * F(scale)
        return (float(low) + (values.astype(np.float64) - self._least) * scale).astype(F)

    def unclamped(self, x: Any) -> Any:
        """Return the integers for float32 numbers, int64, beyond the type's limits if these are out of range."""
        if self.low == self.high:
            return np.full(np.shape(x), self._least, np.int64)
        scale = self._count / self._span
        steps = _rounded(np.asarray(x, np.float64) * scale) - _rounded(float(self.low) * scale)
        return steps.astype(np.int64) + self._least

    def to_integers(self, x: Any) -> Any:
        """Return the integers for float32 numbers."""
        return np.clip(self.unclamped(x), self._least, np.iinfo(self.dtype).max).astype(self.dtype)

    def in_steps(self, values: Any, target: Range) -> Any:
        """Return integers in the range `target`, so that those of 0 and 1 are exact and all others follow in steps."""
        first, second = target.unclamped(self.to_float(np.arange(2))).tolist()
        limits = np.iinfo(target.dtype)
        return np.clip(first + values.astype(np.int64) * (second - first), limits.min, limits.max).astype(target.dtype)

    def zero(self) -> int:
        """Return the integer that stands for 0; it may be beyond the type's limits."""
        return int(self.unclamped(F(0)))

    def floats_32(self, values: Any) -> Any:
        """Return the floats that integers stand for, computed in float32."""
        scale = F(float(self.high - self.low) / (self._count - 1))
        low = self.low if self.low == self.high else _rounded(self.low / scale) * scale
        return (low - F(self._least) * scale) + values.astype(F) * scale

    def integers_32(self, x: Any) -> Any:
        """Return the integers for float32 numbers, computed in float32."""
        scale = F(0) if self.low == self.high else F((self._count - 1) / float(self.high - self.low))
        steps = _rounded(x * scale) - (_rounded(self.low * scale) - F(self._least))
        most = np.minimum(F(np.iinfo(self.dtype).max), F(2147483520))
        return np.clip(steps, F(self._least), most).astype(np.int32).astype(self.dtype)

    def times(self, other: Range, dtype: DType) -> tuple[np.float32, np.float32]:
        """Return the range of the products with `other`, in the integers of `dtype`."""
        limits = np.iinfo(dtype.numpy[0])
        level = self._level() * other._level()
        return level * F(limits.min), level * F(limits.max)

    def _level(self) -> np.float32:
        return (self.high - self.low) / F(self._count - 1)
