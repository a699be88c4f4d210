"""Arrays of byte strings, built from and taken apart into lists. Registers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]


def flat(x: Any) -> list[bytes]:
    """Return the strings of a tensor, row by row."""
    return np.ravel(x).tolist()


def strings(values: Iterable[bytes], shape: tuple[int, ...] | None = None) -> Array:
    """Return a string tensor of `values`, a vector unless `shape` is given."""
    items = list(values)
    result = np.empty(len(items), object)
    result[:] = items
    return result if shape is None else result.reshape(shape)


def mapped(function: Callable[[bytes], bytes], x: Any) -> Array:
    """Return a string tensor of `function` of each string of `x`."""
    return strings(map(function, flat(x)), np.shape(x))


def escaped(s: bytes) -> str:
    """Return `s` for a message: as UTF-8 where it is, other bytes as `\\x..`."""
    return s.decode("utf-8", "backslashreplace")
