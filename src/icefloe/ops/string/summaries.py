"""A tensor's elements as text, up to so many at both ends of every dimension: `[[1 ... 9]\n [3 ... 7]]`.

For StringFormat; the other form, of Print and Assert, is in `icefloe.ops.flow.summary`. Registers nothing.

Source: tensorflow/core/framework/tensor.cc.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.ops.flow.summary import float_text
from icefloe.ops.string.elements import Array

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}
_UNSAFE = re.compile("[\x00-\x1f\x7f\"'\\\\]")


def _string_text(value: bytes) -> str:
    text = value.decode("utf-8", "surrogateescape")
    return _UNSAFE.sub(lambda found: _ESCAPES.get(found[0]) or f"\\{ord(found[0]):03o}", text)


def _element_text(a: Array) -> Callable[[Any], str] | None:
    """Return what writes one element; None for a dtype whose elements TensorFlow does not show."""
    if a.dtype.names:
        return lambda value: str(value[0])
    if a.dtype == object:
        if a.size and not isinstance(a.flat[0], bytes):
            return None
        return lambda value: f'"{_string_text(value)}"'
    if a.dtype.kind == "c":
        return None
    if a.dtype.kind == "b":
        return lambda value: str(int(value))
    if a.dtype == np.float64:
        return lambda value: float_text(value, 15)
    if a.dtype.kind == "f" or (a.dtype.kind == "V" and a.dtype.name.startswith(("bfloat", "float"))):
        return lambda value: float_text(np.float32(value), 6)
    return lambda value: str(int(value))


def summarize_ends(x: Any, most: int) -> bytes:
    """Return up to `most` elements at each end of every dimension, all for a negative `most`; strings in quotes."""
    a = _as_array(x)
    limit = a.size if most < 0 else min(most, a.size)
    text = _element_text(a)
    if text is None:
        shown = " ".join(map(_object_text, np.ravel(a)[:limit].tolist()))
        return f"[{shown}{'...' if 0 <= most < a.size else ''}]".encode("utf-8", "surrogateescape")
    if not a.ndim:
        return (text(a[()]) if limit else "...").encode("utf-8", "surrogateescape")
    if a.dtype == bool and not a.size:
        return b""
    return _ends(a, limit, text, 0).encode("utf-8", "surrogateescape")


def _ends(a: Array, limit: int, text: Callable[[Any], str], depth: int) -> str:
    if not a.ndim:
        return text(a[()])
    gap = " " if a.ndim == 1 else "\n" * (a.ndim - 1) + " " * (depth + 1)
    count = len(a)
    parts = [_ends(a[i, ...], limit, text, depth + 1) for i in range(min(limit, count))]
    lead = gap if parts else ""
    shown = gap.join(parts)
    if count > 2 * limit:
        shown += (lead or gap) + "..."
    rest = [_ends(a[i, ...], limit, text, depth + 1) for i in range(max(limit, count - limit), count)]
    return f"[{shown}{''.join(gap + part for part in rest)}]"


def _as_array(x: Any) -> Array:
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x)
    box = np.empty((), object)
    box[()] = x
    return box


def _object_text(value: Any) -> str:
    return "?" if isinstance(value, complex) else f"<{value!r}>"
