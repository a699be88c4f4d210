"""Components of elements: taken out of a batch, put together to one, compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.resources.elements import shape_of
from icefloe.shapes import shape_text


def row(array: Any, index: int) -> Any:
    """Return the part of `array` at `index` of its first dimension; a string as a tensor of rank 0."""
    part = array[index]
    if isinstance(part, bytes):
        boxed = np.empty((), object)
        boxed[()] = part
        return boxed
    return part


def _item(value: Any) -> Any:
    """Return what an object array holds for a component: a tensor's elements, or the bare object."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject and value.ndim == 0:
        return value[()]
    return value


def stack(values: Sequence[Any], component: int = 0) -> Any:
    """Return components of one shape as rows of a new tensor.

    component: which one of the element, for the error.

    Raises: InvalidArgumentError if shapes differ.
    """
    first = values[0]
    shape = shape_of(first)
    if isinstance(first, (np.ndarray, np.generic)) and not first.dtype.hasobject:
        if shape == ():
            for i, value in enumerate(values):
                if getattr(value, "ndim", 0):
                    raise _mismatch(component, shape, i, shape_of(value))
            return np.array(values, first.dtype)
        out = np.empty((len(values), *shape), first.dtype)
        for i, value in enumerate(values):
            if value.shape != shape:
                raise _mismatch(component, shape, i, shape_of(value))
            out[i] = value
        return out
    out = np.empty((len(values), *shape), object)
    for i, value in enumerate(values):
        if shape_of(value) != shape:
            raise _mismatch(component, shape, i, shape_of(value))
        out[i] = _item(value)
    return out


def _mismatch(component: int, shape: tuple[int, ...], i: int, other: tuple[int, ...]) -> errors.OpError:
    return errors.InvalidArgumentError(
        f"Cannot batch tensors with different shapes in component {component}. First element had shape "
        f"{shape_text(shape)} and element {i} had shape {shape_text(other)}."
    )


def stack_elements(rows: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Return elements as one element whose components have them as rows."""
    return tuple([stack(column, i) for i, column in enumerate(zip(*rows))])


def padded(values: Sequence[Any], target: tuple[int, ...], fill: Any, dtype: np.dtype[Any]) -> Any:
    """Return components as rows of a new tensor, each extended to shape `target` by `fill`.

    Raises: DataLossError if one is larger.
    """
    out = np.empty((len(values), *target), dtype)
    if dtype.hasobject:
        item = _item(np.asarray(fill, object))
        flat = out.reshape(-1)
        for i in range(flat.size):
            flat[i] = item
    else:
        out[...] = fill
    for i, value in enumerate(values):
        shape = shape_of(value)
        if any(a > b for a, b in zip(shape, target)):
            raise errors.DataLossError("Attempted to pad to a smaller size than the input element.")
        if shape:
            corner: tuple[Any, ...] = (i, *[slice(n) for n in shape])
            out[corner] = value
        else:
            out[i] = _item(value)
    return out


def scalar(value: Any, name: str) -> Any:
    """Return the one element of a scalar argument. Raises: InvalidArgumentError if it has another shape."""
    if shape_of(value) != ():
        raise errors.InvalidArgumentError(f"{name} must be a scalar")
    return value[()] if isinstance(value, np.ndarray) else value


def vector(value: Any, name: str) -> list[Any]:
    """Return a vector, or a scalar as one, as a list. Raises: InvalidArgumentError if it has more dimensions."""
    if len(shape_of(value)) > 1:
        raise errors.InvalidArgumentError(f"{name} must be a vector or a scalar")
    return np.atleast_1d(np.asarray(value)).tolist()
