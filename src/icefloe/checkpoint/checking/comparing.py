"""Compares the elements of two tensors as they stream by."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icefloe.datatypes import DType

# Elements that are compared at a time.
_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Elements within absolute + relative * |a| count as equal. bits: every bit counts instead."""

    relative: float = 0.0
    absolute: float = 0.0
    bits: bool = False


@dataclass(slots=True)
class Comparison:
    """changed: elements that differ by more than the tolerances.   is_equal: no element differs at all.
    max_abs: largest |b - a| of the numbers that are no NaN; None for strings.   relative_norm: ||b - a|| / ||a||.
    nan: elements that are NaN on one side only.
    """

    changed: int = 0
    is_equal: bool = True
    max_abs: float | int | None = None
    relative_norm: float | None = None
    nan: int = 0


def compare(
    left: Iterator[np.ndarray], right: Iterator[np.ndarray], dtype: DType, other: DType, tolerance: Tolerance
) -> Comparison:
    """Return how two streams of as many elements differ; they need not come in pieces of the same size."""
    out = Comparison()
    sums = _Sums(out, tolerance)
    for a, b in _paired(left, right):
        if a.dtype.hasobject or b.dtype.hasobject:
            count = sum(x != y for x, y in zip(a.tolist(), b.tolist(), strict=True))
            out.changed += count
            out.is_equal = out.is_equal and not count
            continue
        for start in range(0, a.size, _PIECE):
            x, y = a[start : start + _PIECE], b[start : start + _PIECE]
            same_bytes = dtype == other and bool((_raw(x) == _raw(y)).all())
            if tolerance.bits and not same_bytes:
                out.is_equal = False
            sums.add(x, y, same_bytes)
    sums.finish(has_numbers=not dtype.numpy.hasobject)
    return out


def _paired(left: Iterator[np.ndarray], right: Iterator[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pieces of both streams that are equally long; both are read to their ends, where checksums are checked."""
    a: np.ndarray | None = None
    b: np.ndarray | None = None
    while True:
        if a is None or not a.size:
            a = next(left, None)
        if b is None or not b.size:
            b = next(right, None)
        if a is None and b is None:
            return
        if a is None or b is None:
            if (a if b is None else b).size:  # type: ignore[union-attr]
                raise AssertionError("tensors of one shape have as many elements")
            continue
        count = min(a.size, b.size)
        yield a[:count], b[:count]
        a, b = a[count:], b[count:]


def _numbers(x: np.ndarray) -> np.ndarray:
    """Return numbers that numpy calculates with: int64, uint64, float64 or complex128."""
    if x.dtype.names:  # a quantized type: a record of one number
        x = x.view(x.dtype[0])
    kind = x.dtype.kind
    if kind in "bui":
        return x if x.dtype == np.uint64 else x.astype(np.int64)
    if kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.int64 if "int" in x.dtype.name else np.float64)


class _Sums:
    """Sums over pieces, written to a Comparison at the end."""

    def __init__(self, out: Comparison, tolerance: Tolerance) -> None:
        self._out = out
        self._tolerance = tolerance
        self._delta = 0.0
        self._norm = 0.0
        self._max: float | int = 0

    def add(self, x: np.ndarray, y: np.ndarray, same_bytes: bool) -> None:
        a, b = _numbers(x), _numbers(y)
        with np.errstate(all="ignore"):
            if same_bytes:
                self._norm += _squares(a)
                return
            exact = a.dtype.kind in "ui" and a.dtype == b.dtype
            if not exact and a.dtype.kind != "c" and b.dtype.kind != "c":
                a, b = a.astype(np.float64), b.astype(np.float64)
            equal = a == b
            nan_a, nan_b = (a != a), (b != b)
            equal |= nan_a & nan_b
            one_nan = nan_a ^ nan_b
            self._out.nan += int(one_nan.sum())
            if exact:
                # The difference of two int64 need not be one, but it is a uint64.
                delta = np.maximum(a, b).view(np.uint64) - np.minimum(a, b).view(np.uint64)
            else:
                delta = np.where(equal | one_nan, 0.0, np.abs(b - a))
            self._norm += _squares(a)
            self._delta += _squares(delta)
            largest = delta.max()
            self._max = max(self._max, int(largest) if exact else float(largest))
            allowed = self._tolerance.absolute + self._tolerance.relative * np.abs(a).astype(np.float64)
            within = equal | (~one_nan & (delta <= allowed))
        if self._tolerance.bits:
            if x.dtype == y.dtype:
                within = (_raw(x) == _raw(y)).reshape(x.size, -1).all(axis=1)
        self._out.changed += int(within.size - np.count_nonzero(within))
        self._out.is_equal = self._out.is_equal and bool(equal.all()) and not self._tolerance.bits

    def finish(self, *, has_numbers: bool) -> None:
        if not has_numbers:
            return
        self._out.max_abs = self._max
        if self._delta == 0:
            self._out.relative_norm = 0.0
        else:
            self._out.relative_norm = math.sqrt(self._delta / self._norm) if self._norm else math.inf


def _squares(x: np.ndarray) -> float:
    """Return the sum of the squares of the finite magnitudes."""
    values = np.abs(x) if x.dtype.kind == "c" else x
    values = values.astype(np.float64, copy=False)
    total = float(np.square(values).sum())  # not a dot product: for so few elements its threads cost more
    return total if math.isfinite(total) else float(np.square(values[np.isfinite(values)]).sum())


def _raw(x: np.ndarray) -> np.ndarray:
    """Return the memory of a flat array as bytes."""
    return np.ascontiguousarray(x).view(np.uint8)
