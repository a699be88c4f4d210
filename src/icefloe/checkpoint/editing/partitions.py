"""How a tensor is cut into the slices of a partitioned variable, as TensorFlow's partitioners and Savers do."""

from __future__ import annotations

import itertools

from icefloe import errors
from icefloe.checkpoint.slices import TensorSlice


def even_bounds(size: int, parts: int) -> list[tuple[int, int]]:
    """Return `(start, stop)` of each part; the first ones get one more where it does not come out even."""
    sizes = [size // parts + (i < size % parts) for i in range(parts)]
    ends = list(itertools.accumulate(sizes, initial=0))
    return list(itertools.pairwise(ends))


def even_slices(name: str, shape: tuple[int, ...], axis: int, parts: int) -> list[TensorSlice]:
    """Return the slices of a tensor that is cut along one axis; every extent is written out, as a Saver does.

    Raises: InvalidArgumentError if it has no such axis or fewer rows than parts.
    """
    if not -len(shape) <= axis < len(shape):
        raise errors.InvalidArgumentError(f"tensor {name!r} of shape {list(shape)} has no axis {axis}")
    axis %= len(shape)
    if not 0 < parts <= max(shape[axis], 1):
        raise errors.InvalidArgumentError(
            f"tensor {name!r} of shape {list(shape)} cannot be cut into {parts} parts along axis {axis}"
        )
    if 0 in shape:
        raise errors.InvalidArgumentError(f"tensor {name!r} of shape {list(shape)} has no elements to cut")
    return [
        TensorSlice(tuple((0, n) if d != axis else (start, stop - start) for d, n in enumerate(shape)))
        for start, stop in even_bounds(shape[axis], parts)
    ]


def cut_axes(slices: tuple[TensorSlice, ...], shape: tuple[int, ...]) -> list[int]:
    """Return the axes along which a tensor is cut."""
    bounds = [s.bounds(shape) for s in slices]
    return [d for d in range(len(shape)) if any(b[d] != (0, shape[d]) for b in bounds)]
