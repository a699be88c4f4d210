"""Range and LinSpace."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape

Function = Callable[..., Any]


def _scalar(value: Any, name: str, *, or_one: bool = False) -> Any:
    if np.ndim(value) and not (or_one and np.size(value) == 1):
        raise errors.InvalidArgumentError(f"{name} must be a scalar, not shape {shape_text(np.shape(value))}")
    return np.reshape(value, ())[()]


def _text(value: Any) -> str:
    return str(int(value)) if value.dtype.kind in "iu" else f"{float(value):g}"


def range_size(start: Any, limit: Any, delta: Any) -> int:
    """Return how many elements a range of these numpy scalars has.

    Raises: InvalidArgumentError for a zero step, one in the wrong direction, or a size beyond int64.
    """
    if delta == 0:
        raise errors.InvalidArgumentError("Requires delta != 0: 0")
    if delta > 0 and not start <= limit:
        raise errors.InvalidArgumentError(f"Requires start <= limit when delta > 0: {_text(start)}/{_text(limit)}")
    if not delta > 0 and not start >= limit:
        raise errors.InvalidArgumentError(f"Requires start >= limit when delta < 0: {_text(start)}/{_text(limit)}")
    if start.dtype.kind in "iu":
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    with np.errstate(all="ignore"):
        steps = float(abs((limit - start) / delta))  # in the dtype itself, as in TensorFlow
    if not steps < 2**63:
        raise errors.InvalidArgumentError("Requires ((limit - start) / delta) <= 9223372036854775807")
    return math.ceil(steps)


@kernel("Range", factory=True)
def make_range(*, Tidx: DType) -> Function:
    """Return start, start + delta, ... up to but without limit."""
    to = Tidx.numpy

    def number_range(start: Any, limit: Any, delta: Any) -> Any:
        first, last, step = (
            _scalar(v, name, or_one=True) for v, name in ((start, "start"), (limit, "limit"), (delta, "delta"))
        )
        (size,) = check_shape((range_size(first, last, step),), to)
        if to.kind in "iu":
            wide = np.uint64 if to.kind == "u" else np.int64
            return (np.arange(size, dtype=wide) * wide(step) + wide(first)).astype(to)
        values = np.arange(size, dtype=np.float32 if to.itemsize == 2 else to).astype(to, copy=False)
        values *= to.type(step)
        values += to.type(first)
        return values

    return number_range


@shape("Range")
def range_shape(c: ShapeContext) -> list[Any]:
    for i in range(3):
        with_rank(c.shape(i), 0)
    values = [c.constant(i) for i in range(3)]
    if any(v is None or np.isnan(v) for v in values):
        return [(None,)]
    start, limit, delta = (np.reshape(v, ())[()] for v in values if v is not None)
    if delta == 0:
        raise errors.InvalidArgumentError("Requires delta != 0")
    return [(range_size(start, limit, delta),)]


@kernel("LinSpace", factory=True)
def lin_space(*, T: DType) -> Function:
    """Return `num` values evenly spaced from start to stop, both included; one value is start."""
    to = T.numpy
    wide = np.dtype(np.float32) if T in (datatypes.float16, datatypes.bfloat16) else to

    def spaced(start: Any, stop: Any, num: Any) -> Any:
        first, last, count = (_scalar(v, n) for v, n in ((start, "start"), (stop, "stop"), (num, "num")))
        if count <= 0:
            raise errors.InvalidArgumentError(f"Requires num > 0: {count}")
        check_shape((int(count),), to)
        values = np.full(int(count), first, wide)
        if count > 1:
            step = (wide.type(last) - wide.type(first)) / wide.type(count - 1)
            values[1:] += step * np.arange(1, int(count), dtype=wide)
            values[-1] = last
        return values.astype(to, copy=False)

    return spaced


@shape("LinSpace")
def lin_space_shape(c: ShapeContext) -> list[Any]:
    for i in range(3):
        with_rank(c.shape(i), 0)
    num = c.constant(2)
    if num is None:
        return [(None,)]
    if num <= 0:
        raise errors.InvalidArgumentError(f"Requires num > 0: {int(num)}")
    return [(int(num),)]
