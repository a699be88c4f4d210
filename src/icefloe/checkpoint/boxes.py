"""A box of a tensor that is stored in C order, read by ranges: no more than lies between its first and last element of
a run.

The checksum is of the whole tensor, so a box has none.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence

import numpy as np

from icefloe import errors
from icefloe.checkpoint.contents import as_bytes
from icefloe.checkpoint.files import Source
from icefloe.machine import memory

# Two runs with a gap of fewer bytes than this between them are one read.
_GAP = 64 << 10


def as_bounds(given: object, shape: Sequence[int]) -> list[tuple[int, int]]:
    """Return the (start, stop) of each dimension.

    Raises: InvalidArgumentError if they do not fit a tensor of `shape`, TypeError for what is no such pairs.
    """
    try:
        bounds = [(operator.index(start), operator.index(stop)) for start, stop in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise TypeError(f"expected bounds as pairs of start and stop, got {given!r}") from None
    if len(bounds) != len(shape) or any(not 0 <= a <= b <= n for (a, b), n in zip(bounds, shape)):
        raise errors.InvalidArgumentError(f"bounds {bounds} do not fit a tensor of shape {list(shape)}")
    return bounds


def read_box(
    source: Source, offset: int, shape: Sequence[int], dtype: np.dtype, bounds: Sequence[tuple[int, int]]
) -> np.ndarray:
    """Return the elements of `bounds`, (start, stop) for each dimension, of a tensor of `shape` whose bytes begin at
    `offset`, in their stored byte order.
    """
    sizes = tuple(stop - start for start, stop in bounds)
    out = memory.empty(sizes, dtype)
    if not out.size:
        return out
    # Dimensions from `inner` on are whole: a run is as long as they and a part of the one before.
    inner = len(shape)
    while inner and sizes[inner - 1] == shape[inner - 1]:
        inner -= 1
    row = math.prod(shape[inner:])
    outer = max(inner - 1, 0)
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    # A dimension is read whole where what is skipped in it is small.
    while outer and (shape[outer] - sizes[outer]) * strides[outer] * dtype.itemsize < _GAP:
        outer -= 1
    if outer < inner - 1 and inner:
        return _covering(source, offset, shape, dtype, bounds, outer)
    run = (sizes[outer] if inner else 1) * row
    flat = out.reshape(-1)
    done = 0
    for index in itertools.product(*(range(a, b) for a, b in bounds[:outer])):
        first = sum(i * s for i, s in zip(index, strides)) + (bounds[outer][0] * strides[outer] if inner else 0)
        source.read_into(as_bytes(flat[done : done + run]), offset + first * dtype.itemsize)
        done += run
    return out


def _covering(
    source: Source,
    offset: int,
    shape: Sequence[int],
    dtype: np.dtype,
    bounds: Sequence[tuple[int, int]],
    outer: int,
) -> np.ndarray:
    """Read the dimensions behind `outer` whole, and cut the box out of that."""
    whole = [*bounds[: outer + 1], *((0, n) for n in shape[outer + 1 :])]
    if not outer:
        larger = read_box(source, offset, shape, dtype, whole)
        return np.ascontiguousarray(larger[(slice(None), *(slice(a, b) for a, b in bounds[1:]))])
    out = memory.empty(tuple(b - a for a, b in bounds), dtype)
    inside = tuple(slice(a, b) for a, b in bounds[outer + 1 :])
    for index in itertools.product(*(range(a, b) for a, b in bounds[:outer])):
        place = [*((i, i + 1) for i in index), *whole[outer:]]
        part = read_box(source, offset, shape, dtype, place)
        out[tuple(i - a for i, (a, _) in zip(index, bounds))] = part.reshape(part.shape[outer:])[(slice(None), *inside)]
    return out
