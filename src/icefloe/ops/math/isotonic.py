"""IsotonicRegression: the falling sequence nearest to each row, by pooling adjacent violators.

Source: tensorflow/core/kernels/isotonic_regression_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank_at_least


@kernel("IsotonicRegression")
def isotonic_regression(x: Any, *, output_dtype: DType) -> tuple[Any, Any]:
    """Return (y, segments): y falls along the last axis and is nearest to x; segments number its level stretches."""
    y = np.empty(x.shape, output_dtype.numpy)
    segments = np.empty(x.shape, np.int32)
    if x.size:
        columns = x.shape[-1]
        rows = zip(x.reshape(-1, columns), y.reshape(-1, columns), segments.reshape(-1, columns))
        for row, values, numbers in rows:
            means, lengths = _pooled(row.astype(np.float64).tolist())
            values[...] = np.repeat(means, lengths)
            numbers[...] = np.repeat(np.arange(len(means)), lengths)
    return y, segments


def _pooled(row: list[float]) -> tuple[list[float], list[int]]:
    """Return the means and lengths of the stretches into which a row is pooled."""
    means: list[float] = []
    lengths: list[int] = []
    for value in row:
        mean, length = value, 1
        while means and means[-1] < mean:
            total = means[-1] * lengths[-1] + mean * length
            length += lengths.pop()
            means.pop()
            mean = total / length
        means.append(mean)
        lengths.append(length)
    return means, lengths


@shape("IsotonicRegression")
def isotonic_regression_shape(c: ShapeContext) -> list[Any]:
    x = with_rank_at_least(c.shape(0), 1)
    return [x, x]
