"""Cumulative sums, products and log-sum-exps along an axis.

reverse: from the end. exclusive: the first result is the neutral element, the last element is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import shape_text, unchanged

Function = Callable[..., Any]


def _scan(op: str, ufunc: np.ufunc, neutral: float) -> None:
    def prepare(*, T: DType, exclusive: bool, reverse: bool) -> Function:
        to = T.numpy
        # 16-bit floats accumulate in float32, as in reductions.
        wide = np.dtype(np.float32) if T in (datatypes.float16, datatypes.bfloat16) else to

        def scan(x: Any, axis: Any) -> Any:
            index = _axis(axis, np.ndim(x))
            if x.size == 0:
                return x.copy()
            if reverse:
                x = np.flip(x, index)
            if exclusive:
                before: tuple[Any, ...] = (slice(None),) * index
                result = np.empty(x.shape, wide)
                result[(*before, 0)] = neutral
                ufunc.accumulate(x[(*before, slice(-1))], index, wide, result[(*before, slice(1, None))])
            else:
                result = ufunc.accumulate(x, index, wide)
            result = result.astype(to, copy=False)
            return np.flip(result, index) if reverse else result

        return scan

    kernel(op, factory=True)(prepare)
    shape(op)(unchanged)


def _axis(axis: Any, rank: int) -> int:
    if np.ndim(axis):
        raise errors.InvalidArgumentError(f"ScanOp: axis must be a scalar, not {shape_text(np.shape(axis))}")
    index = int(axis)
    if not -rank <= index < rank:
        # The message shows a negative axis already counted from the end, as TensorFlow's does.
        shown = index + rank if index < 0 else index
        raise errors.InvalidArgumentError(f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {shown}")
    return index % rank


_scan("Cumsum", np.add, 0)
_scan("Cumprod", np.multiply, 1)
_scan("CumulativeLogsumexp", np.logaddexp, -np.inf)
