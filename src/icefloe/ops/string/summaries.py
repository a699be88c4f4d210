"""A tensor's elements as text, cut short: for StringFormat and the ops that print. Registers nothing.

Two forms: the older, `[1 2][3...]...`, shows the first elements; the newer, `[[1 ... 9]\\n [3 ... 7]]`, those at both
ends of every dimension, and puts strings in quotes.

Source: tensorflow/core/framework/tensor.cc.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.ops.string.elements import Array

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}
_UNSAFE = re.compile("[\x00-\x1f\x7f\"'\\\\]")


def _float_text(digits: int, value: Any) -> str:
    """Return `value` with `digits` significant ones if that is exact, else with enough."""
    if value != value:
        return "-nan" if np.signbit(value) else "nan"
    text = f"{value:.{digits}g}"
    return text if type(value)(text) == value else f"{value:.{digits + (3 if digits == 6 else 2)}g}"


def _string_text(value: bytes) -> str:
    text = value.decode("utf-8", "surrogateescape")
    return _UNSAFE.sub(lambda found: _ESCAPES.get(found[0]) or f"\\{ord(found[0]):03o}", text)


def _element_text(a: Array, quoted: bool) -> Callable[[Any], str] | None:
    """Return what writes one element; None for a dtype whose elements TensorFlow does not show."""
    if a.dtype.names:
        return lambda value: str(value[0])
    if a.dtype == object:
        if a.size and not isinstance(a.flat[0], bytes):
            return None
        return lambda value: f'"{_string_text(value)}"' if quoted else _string_text(value)
    if a.dtype.kind == "c":
        return None
    if a.dtype.kind == "b":
        return lambda value: str(int(value))
    if a.dtype == np.float64:
        return lambda value: _float_text(15, value)
    if a.dtype.kind == "f" or (a.dtype.kind == "V" and a.dtype.name.startswith(("bfloat", "float"))):
        return lambda value: _float_text(6, np.float32(value))
    return lambda value: str(int(value))


def summarize_ends(x: Any, most: int) -> bytes:
    """Return the newer form: up to `most` elements at each end of every dimension, all for a negative `most`."""
    a = _as_array(x)
    limit = a.size if most < 0 else min(most, a.size)
    text = _element_text(a, True)
    if text is None:
        shown = " ".join(map(_object_text, np.ravel(a)[:limit].tolist()))
        return f"[{shown}{'...' if 0 <= most < a.size else ''}]".encode("utf-8", "surrogateescape")
    if not a.ndim:
        return (text(a[()]) if limit else "...").encode("utf-8", "surrogateescape")
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


def summarize_first(x: Any, most: int) -> bytes:
    """Return the older form, without outer brackets: the first `most` elements, all for a negative `most`."""
    a = _as_array(x)
    limit = a.size if most < 0 else min(most, a.size)
    text = _element_text(a, False)
    dots = "..." if a.size > limit else ""
    values = np.ravel(a)[:limit]
    if text is None:
        return (" ".join(map(_object_text, values.tolist())) + dots).encode("utf-8", "surrogateescape")
    items = list(map(text, values))
    if a.ndim < 2:
        shown = " ".join(items)
    else:
        shown = _nested(a.shape, items, 0, 0)[0]
    return (shown + dots).encode("utf-8", "surrogateescape")


def _nested(sizes: tuple[int, ...], items: list[str], at: int, depth: int) -> tuple[str, int]:
    """Return the text of the part that begins with item `at`, and the item after it."""
    if at >= len(items):
        return "", at
    if depth == len(sizes) - 1:
        end = min(at + sizes[depth], len(items))
        return " ".join(items[at:end]) + ("..." if end - at < sizes[depth] else ""), end
    parts = []
    for _ in range(sizes[depth]):
        if at >= len(items):
            break
        part, at = _nested(sizes, items, at, depth + 1)
        parts.append(f"[{part}]")
    return "".join(parts), at


def _as_array(x: Any) -> Array:
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x)
    box = np.empty((), object)
    box[()] = x
    return box


def _object_text(value: Any) -> str:
    return "?" if isinstance(value, complex) else f"<{value!r}>"
