"""Tensors as elements of lists, maps and arrays: arrays, or bare objects for scalar variants.

What their containers share: shapes that are partly known, zeros, sums, and many elements made one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.shapes import Dims, shape_text

Array: TypeAlias = np.ndarray[Any, Any]


def shape_of(element: Any) -> tuple[int, ...]:
    """Return the shape of an element; a bare object is a scalar."""
    return element.shape if isinstance(element, (np.ndarray, np.generic)) else ()


def is_known(dims: Dims) -> bool:
    """Return whether rank and all sizes are known."""
    return dims is not None and None not in dims


def fits(dims: Dims, shape: Dims) -> bool:
    """Return whether one shape can be the other, by what is known of both."""
    if dims is None or shape is None:
        return True
    return len(dims) == len(shape) and all(a == b or a is None or b is None for a, b in zip(dims, shape))


def merged(a: Dims, b: Dims) -> Dims:
    """Return what is known of either shape, in a run. Raises: InvalidArgumentError if no shape fits both."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b):
        raise errors.InvalidArgumentError(f"PartialTensorShape: Incompatible ranks during merge: {len(a)} vs. {len(b)}")
    if not fits(a, b):
        raise errors.InvalidArgumentError(
            f"PartialTensorShape: Incompatible shapes during merge: {shape_text(a)} vs. {shape_text(b)}"
        )
    return tuple([y if x is None else x for x, y in zip(a, b)])


def zeros(shape: tuple[int, ...], dtype: DType) -> Any:
    """Return zeros, or empty strings; of variants None."""
    if not dtype.numpy.hasobject:
        return np.zeros(shape, dtype.numpy)
    if dtype.name == "string":
        return np.full(shape, b"", object)
    return np.full(shape, None, object) if shape else None


def zeros_like(element: Any) -> Any:
    """Return zeros in the shape of an element; of a variant what its class calls `zeros_like()`.

    Raises: InvalidArgumentError for strings and for objects that have none.
    """
    if isinstance(element, (np.ndarray, np.generic)):
        if not element.dtype.hasobject:
            return np.zeros(element.shape, element.dtype)
        made = np.empty(element.shape, object)
        flat = made.reshape(-1)
        for i, item in enumerate(element.reshape(-1).tolist()):
            flat[i] = zeros_like(item)
        return made
    make = getattr(element, "zeros_like", None)
    if make is None:
        kind = "string" if isinstance(element, bytes) else type(element).__name__
        raise errors.InvalidArgumentError(f"Trying to compute zeros_like for unsupported dtype {kind}")
    return make()


def add(a: Any, b: Any) -> Any:
    """Return the sum of two elements of one dtype; one that is None counts as zeros.

    Raises: InvalidArgumentError for different shapes and for what cannot be added.
    """
    if a is None or b is None:
        return b if a is None else a
    if shape_of(a) != shape_of(b):
        raise errors.InvalidArgumentError(
            "Trying to add two tensors with incompatible element shapes. "
            f"One is {shape_text(shape_of(a))} and the other is {shape_text(shape_of(b))}"
        )
    if isinstance(a, (np.ndarray, np.generic)):
        if a.dtype != b.dtype:
            raise errors.InvalidArgumentError(
                "Trying to add two tensors with incompatible element types. "
                f"One is {a.dtype.name} and the other is {b.dtype.name}"
            )
        if not a.dtype.hasobject:
            if a.dtype.kind == "b" or a.dtype.names:
                raise errors.InvalidArgumentError(f"Trying to add unsupported dtype {a.dtype.name}")
            return np.add(a, b, dtype=a.dtype)
        made = np.empty(a.shape, object)
        flat = made.reshape(-1)
        for i, (x, y) in enumerate(zip(a.reshape(-1).tolist(), b.reshape(-1).tolist())):
            flat[i] = add(x, y)
        return made
    if isinstance(a, bytes) or not hasattr(a, "__add__") or type(a) is not type(b):
        kind = "string" if isinstance(a, bytes) else type(a).__name__
        raise errors.InvalidArgumentError(f"Trying to add unsupported dtype {kind}")
    return a + b


def stacked(elements: Sequence[Any], shape: tuple[int, ...], dtype: DType) -> Array:
    """Return elements, each of `shape`, as one array along a new first axis."""
    count = len(elements)
    if dtype.numpy.hasobject:
        made = np.empty((count, *shape), object)
        for i, element in enumerate(elements):
            made[i] = element[()] if isinstance(element, np.ndarray) and not shape else element
        return made
    if not count:
        return np.zeros((0, *shape), dtype.numpy)
    if shape:
        # Along the first axis they have, which costs less per element than a new one.
        return np.concatenate(elements).reshape(count, *shape)
    if dtype.is_quantized:
        return np.concatenate([np.reshape(element, 1) for element in elements])
    return np.array(elements, dtype.numpy)
