"""Operators given by their numbers of rows and columns and the shape of their batch.

Source: tensorflow/python/ops/linalg/linear_operator_identity.py, linear_operator_zeros.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.tensor import Tensor
from icefloe.lib import checks
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import broadcast_static_shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import with_dependencies
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.math_reduce import reduce_min
from icefloe.shapes import dimension_value


def checked_size(value: Any, what: str, proper: bool) -> tuple[Tensor, Any]:
    """Return a number of rows or columns and, where it is known, its value.

    Raises: TypeError, ValueError for a bad one.
    """
    parts.check_no_reference(value, what)
    tensor = parts.size_tensor(value, name=what)
    known = get_static_value(tensor)
    if proper:
        found = [
            checks.assert_rank(tensor, 0, message=f"Argument {what} must be a 0-D Tensor."),
            checks.assert_non_negative(tensor, message=f"Argument {what} must be non-negative."),
        ]
        tensor = with_dependencies(found, tensor)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {what} must be integer type.  Found: {tensor}")
    if known is not None and known.ndim != 0:
        raise ValueError(f"Argument {what} must be a 0-D Tensor.  Found: {known}")
    if known is not None and known < 0:
        raise ValueError(f"Argument {what} must be non-negative.  Found: {known}")
    return tensor, known


def checked_batch(value: Any, proper: bool) -> tuple[Any, Any]:
    """Return the shape of a batch as a tensor and, where it is known, its value; None twice for none.

    Raises: TypeError, ValueError for a bad one.
    """
    parts.check_no_reference(value, "batch_shape")
    if value is None:
        return None, None
    tensor = parts.size_tensor(value, name="batch_shape_arg")
    known = get_static_value(tensor)
    if proper:
        found = [
            checks.assert_rank(tensor, 1, message="Argument batch_shape must be a 1-D Tensor."),
            checks.assert_non_negative(tensor, message="Argument batch_shape must be non-negative."),
        ]
        tensor = with_dependencies(found, tensor)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {tensor}")
    if known is not None and known.ndim != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {known}")
    if known is not None and np.any(known < 0):
        raise ValueError(f"Argument batch_shape must be non-negative.  Found:{known}")
    return tensor, known


class Sized(LinearOperator):
    """An operator given by its sizes."""

    _assert_proper_shapes: bool
    _batch_shape_arg: Any = None
    _batch_shape_static: Any = None

    def _known_diagonal_size(self) -> Any:
        sizes = [dimension_value(n) for n in (self.domain_dimension, self.range_dimension)]
        return None if None in sizes else min(n for n in sizes if n is not None)

    def _diagonal_shape(self) -> Any:
        if self.shape.is_fully_defined():
            return self.batch_shape.concatenate([self._known_diagonal_size()])
        return concat([self.batch_shape_tensor(), [reduce_min(self.shape_tensor()[-2:])]], axis=0)

    def _batch(self) -> Any:
        return self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()

    def _with_batch(self, x: Any) -> Any:
        """Return `x` broadcast to the batch shape."""
        if self._batch_shape_arg is None:
            return x
        special: Any = self.batch_shape.concatenate([1, 1])
        full = broadcast_static_shape(x.shape, special)
        if special.is_fully_defined():
            return x if full == x.shape else x + zeros(shape=special, dtype=self.dtype)
        special = concat((self.batch_shape_tensor(), [1, 1]), 0)
        return x + zeros(shape=special, dtype=self.dtype)

    def _checked_rows(self, x: Any) -> Any:
        return with_dependencies([parts.assert_rows_fit(self, x)], x) if self._assert_proper_shapes else x
