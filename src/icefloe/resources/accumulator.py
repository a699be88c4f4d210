"""Conditional accumulators: they add up gradients that are not stale and give the mean of so many as are asked for.

A gradient has the step it was computed at; one older than the accumulator's step is dropped. Taking raises the step by
one. Who asks for more gradients than have come waits, in line.

Source: tensorflow/core/kernels/conditional_accumulator_base.cc, conditional_accumulator.h,
sparse_conditional_accumulator.h.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources.elements import fits
from icefloe.resources.waiting import Arena, Attempt, Progress
from icefloe.shapes import Dims, shape_text

_LOG = logging.getLogger("icefloe")


class Accumulator(Arena):
    """What both kinds have in common. shape: what gradients' shapes fit. mean: give the mean, else the sum."""

    def __init__(self, name: str, dtype: DType, shape: Dims, mean: bool) -> None:
        super().__init__(("TakeGrad",))
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.mean = mean
        self.count = 0
        self.global_step = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.dtype.name} of {self.count}, step {self.global_step}>"

    def set_global_step(self, step: int) -> None:
        """Set the step below which gradients are stale; lowering it is logged."""
        with self._lock:
            if step < self.global_step:
                _LOG.warning(
                    "Attempt to set current_global_step_ to smaller value: current_global_step_ = %d >= %d = "
                    "new_global_step.",
                    self.global_step,
                    step,
                )
            self.global_step = step

    def apply(self, local_step: int, *gradient: Any) -> None:
        """Add a gradient unless it is stale. Raises: InvalidArgumentError for another shape."""
        with self._lock:
            if local_step >= self.global_step:
                self._check(*gradient)
                self._add(*gradient)
                self.count += 1
                self.changed()

    def take(self, required: int) -> Attempt:
        """Return what is to be waited for: the mean or sum of `required` gradients or more.

        Raises: InvalidArgumentError if `required` is not positive.
        """
        if required <= 0:
            raise errors.InvalidArgumentError(f"Argument num_required must be positive, but was {required}")

        def step(attempt: Attempt) -> Progress:
            if self.count < required:
                return Progress.NONE
            self.global_step += 1
            attempt.end(self._give())
            self.count = 0
            return Progress.ENDED

        return self.submit(Attempt(self, 0, step))

    def _check(self, *gradient: Any) -> None:
        raise NotImplementedError

    def _add(self, *gradient: Any) -> None:
        """Add a gradient; where there is none yet, begin with it."""
        raise NotImplementedError

    def _give(self) -> Any:
        raise NotImplementedError


class ConditionalAccumulator(Accumulator):
    """For gradients that are arrays."""

    _sum: Any = None

    def _check(self, *gradient: Any) -> None:
        got = np.shape(gradient[0])
        for expected in (self._sum.shape if self.count else None, self.shape):
            if not fits(expected, got):
                raise errors.InvalidArgumentError(
                    f"Shape mismatch: expected {shape_text(expected)}, got {shape_text(got)}"
                )

    def _add(self, *gradient: Any) -> None:
        (value,) = gradient
        self._sum = np.array(value) if not self.count else np.add(self._sum, value, dtype=value.dtype)

    def _give(self) -> Any:
        total, self._sum = self._sum, None
        return np.divide(total, total.dtype.type(self.count)) if self.mean else total


class SparseConditionalAccumulator(Accumulator):
    """For gradients that are slices with indices in increasing order: (indices, values, shape or None).

    The mean of a slice is over the gradients that have it.
    """

    _indices: Any = None
    _values: Any = None
    _counts: Any = None

    def _check(self, *gradient: Any) -> None:
        indices, values, shape = gradient
        if indices.ndim != 1:
            raise errors.InvalidArgumentError(
                f"Input indices should be vector but received shape: {shape_text(indices.shape)}"
            )
        if not values.ndim:
            raise errors.InvalidArgumentError("Values cannot be 0-dimensional.")
        if len(values) != len(indices):
            raise errors.InvalidArgumentError(f"Expected {len(indices)} non-empty input values, got {len(values)}")
        dims = self.shape or ()
        if shape is not None:
            self._check_dims(dims, shape.reshape(-1).tolist())
        if dims and dims[0] is not None:
            for i, index in enumerate(indices.tolist()):
                if index >= dims[0]:
                    raise errors.InvalidArgumentError(
                        f"Shape mismatch: index of slice {i} exceeded limits of shape; "
                        f"index is {index} exceeded {dims[0]}"
                    )
        self._check_values(dims, values.shape)

    @staticmethod
    def _check_dims(dims: tuple[int | None, ...], shape: list[int]) -> None:
        if len(dims) > len(shape):
            raise errors.InvalidArgumentError(
                f"Shape mismatch: expected shape rank at least {len(dims)}, got {len(shape)}"
            )
        for i, (n, got) in enumerate(zip(dims, shape)):
            if n not in (None, got):
                raise errors.InvalidArgumentError(f"Shape mismatch: expected shape dim {i} to be {n}, got {got}")

    def _check_values(self, dims: tuple[int | None, ...], got: tuple[int, ...]) -> None:
        expected: tuple[int | None, ...] = dims
        if self.count:
            expected = self._values.shape
            if len(expected) != len(got):
                raise errors.InvalidArgumentError(
                    f"Shape mismatch: expected values rank {len(expected)}, got {len(got)}"
                )
        elif len(dims) > len(got):
            raise errors.InvalidArgumentError(
                f"Shape mismatch: expected values rank at least {len(dims)}, got {len(got)}"
            )
        for i in range(1, len(expected)):
            if expected[i] not in (None, got[i]):
                raise errors.InvalidArgumentError(
                    f"Shape mismatch: expected values dim {i} to be {expected[i]}, got {got[i]}"
                )

    def _add(self, *gradient: Any) -> None:
        indices, values, _ = gradient
        if not self.count:
            self._indices, self._values = indices.copy(), values.copy()
            self._counts = np.ones(len(indices), np.int64)
            return
        old, new = _merge(self._indices.tolist(), indices.tolist())
        from_old, from_new = old >= 0, new >= 0
        total = np.zeros((len(old), *values.shape[1:]), values.dtype)
        total[from_old] = self._values[old[from_old]]
        both = from_old & from_new
        total[both] = np.add(values[new[both]], total[both], dtype=values.dtype)
        only_new = from_new & ~from_old
        total[only_new] = values[new[only_new]]
        counts = from_new.astype(np.int64)
        counts[from_old] += self._counts[old[from_old]]
        merged = np.empty(len(old), np.int64)
        merged[from_new] = indices[new[from_new]]
        merged[from_old] = self._indices[old[from_old]]
        self._indices, self._values, self._counts = merged, total, counts

    def _give(self) -> Any:
        indices, values, counts = self._indices, self._values, self._counts
        self._indices = self._values = self._counts = None
        if self.mean:
            values = np.divide(values, counts.astype(values.dtype).reshape(-1, *[1] * (values.ndim - 1)))
        first = self.shape[0] if self.shape else None
        return indices, values, np.array([-1 if first is None else first, *values.shape[1:]], np.int64)


def _merge(a: list[int], b: list[int]) -> tuple[Any, Any]:
    """Return, for each entry of two sorted lists made one, its place in `a` and in `b`, -1 where it is not there."""
    in_a, in_b = [], []
    i = j = 0
    while i < len(a) or j < len(b):
        take_a = j == len(b) or (i < len(a) and a[i] <= b[j])
        take_b = i == len(a) or (j < len(b) and b[j] <= a[i])
        in_a.append(i if take_a else -1)
        in_b.append(j if take_b else -1)
        i += take_a
        j += take_b
    return np.array(in_a, np.int64), np.array(in_b, np.int64)
