"""The histogram of a summary: counts in buckets that grow by a tenth. Registers nothing.

Source: tensorflow/core/lib/histogram/histogram.cc.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from icefloe.proto import HistogramProto

_MAX = sys.float_info.max


@functools.cache
def _limits() -> np.ndarray[Any, Any]:
    positive = []
    limit = 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(_MAX)
    return np.array([*[-v for v in reversed(positive)], 0.0, *positive])


def histogram(values: np.ndarray[Any, Any]) -> HistogramProto:
    """Return the histogram of finite float64 `values` [n]; a run of empty buckets becomes one."""
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, values, side="right"), minlength=len(limits))
    result = HistogramProto(
        min=float(values.min()) if values.size else _MAX,
        max=float(values.max()) if values.size else -_MAX,
        num=float(values.size),
        sum=float(np.add.accumulate(values)[-1]) if values.size else 0.0,
        sum_squares=float(np.add.accumulate(values * values)[-1]) if values.size else 0.0,
    )
    empty = counts == 0
    # A bucket is left out where it and the next are empty: the last of a run stands for all of it.
    keep = ~(empty & np.append(empty[1:], False))
    result.bucket_limit.extend(limits[keep].tolist())
    result.bucket.extend(counts[keep].astype(np.float64).tolist())
    return result
