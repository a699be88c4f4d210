"""What kernels share about the values they are given: objects as elements, vectors of sizes, zeros of any dtype."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from icefloe.shapes import Dims

Array: TypeAlias = np.ndarray[Any, Any]


def boxed(x: Any) -> Array:
    """Return `x` as an array: a resource or variant, which a slot holds as the bare object, becomes a 0-d array."""
    if isinstance(x, np.ndarray):
        return x
    if isinstance(x, np.generic):
        return np.asarray(x)
    box = np.empty((), object)
    box[()] = x
    return box


def unboxed(a: Any) -> Any:
    """Return `a` as a slot holds it: a 0-d array of a resource or variant becomes the bare object, all else stays."""
    if isinstance(a, np.ndarray) and a.ndim == 0 and a.dtype == object:
        item = a[()]
        if not isinstance(item, bytes):
            return item
    return a


def zeros(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return an array of zeros; an object array is filled with empty strings."""
    if dtype.hasobject:
        return np.full(shape, b"", object)
    return np.zeros(shape, dtype)


def sizes_of(x: Any) -> list[int]:
    """Return the elements of an integer tensor, row by row, as Python's own integers."""
    return np.ravel(x).tolist()


def product(shape: Dims) -> int | None:
    """Return the number of elements, None where it is not known."""
    if shape is None:
        return None
    count: int | None = 1
    for size in shape:
        if size == 0:
            return 0
        count = None if size is None or count is None else count * size
    return count
