"""ArgMax and ArgMin: where along an axis the extreme element is. The first of equal ones counts; NaN never does."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.math.axes import scalar_axis


def _arg_reduce(function: Any, never: float, x: Any, axis: Any, output_type: DType) -> Any:
    index = scalar_axis(axis, np.ndim(x))
    if x.shape[index] == 0 and 0 not in x.shape[:index] + x.shape[index + 1 :]:
        raise errors.InvalidArgumentError(f"Reduction axis {index} is empty in shape {shape_text(x.shape)}")
    if x.size == 0:
        return np.zeros(x.shape[:index] + x.shape[index + 1 :], output_type.numpy)
    if x.dtype.kind not in "biu":
        if x.dtype.itemsize == 2:
            x = x.astype(np.float32)
        if np.isnan(x).any():
            x = np.where(np.isnan(x), x.dtype.type(never), x)
    return function(x, index).astype(output_type.numpy)


@kernel("ArgMax")
def arg_max(x: Any, axis: Any, *, output_type: DType) -> Any:
    """Return the index of the greatest element along `axis`."""
    return _arg_reduce(np.argmax, -np.inf, x, axis, output_type)


@kernel("ArgMin")
def arg_min(x: Any, axis: Any, *, output_type: DType) -> Any:
    """Return the index of the least element along `axis`."""
    return _arg_reduce(np.argmin, np.inf, x, axis, output_type)


@shape("ArgMax", "ArgMin")
def arg_reduce_shape(c: ShapeContext) -> list[Any]:
    """The input's shape without the axis."""
    with_rank(c.shape(1), 0)
    x, axis = c.shape(0), c.constant(1)
    if x is None:
        return [None]
    if len(x) <= 1:
        return [()]
    if axis is None:
        return [(None,) * (len(x) - 1)]
    if not -len(x) <= axis < len(x):
        raise errors.InvalidArgumentError(
            f"Dimension ({int(axis)}) must be in the range [{-len(x)}, {len(x)}), where {len(x)} is the number of "
            "dimensions in the input."
        )
    gone = int(axis) % len(x)
    return [tuple(n for i, n in enumerate(x) if i != gone)]
