"""Values as the text that Print and Assert write. Registers nothing.

The numbers of the last dimension stand with blanks between, each other dimension's parts in brackets: `[1 2][3 4]`.
After `limit` elements the rest is `...`. Floats have as many digits as it takes to read them back.

Source: tensorflow/core/framework/tensor.cc (SummarizeArray), tensorflow/core/lib/strings/numbers.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def float_text(value: Any, digits: int) -> str:
    """Return a float in `digits` significant digits if that reads back as the same, else in some more.

    digits: 6 for float, 15 for double.
    """
    if np.isnan(value):
        return "-nan" if np.signbit(value) else "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = f"{float(value):.{digits}g}"
    if type(value)(text) != value:
        text = f"{float(value):.{digits + (2 if digits == 15 else 3)}g}"
    return text


def element_text(value: Any) -> str:
    """Return one element as text; strings as they are, complex numbers as TensorFlow's question mark."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, np.float64):
        return float_text(value, 15)
    if isinstance(value, (np.integer, int)):
        return str(int(value))
    if isinstance(value, np.generic) and (
        isinstance(value, np.floating) or value.dtype.kind == "V" or _is_small(value)
    ):
        return float_text(np.float32(value), 6)
    return "?"


def _is_small(value: np.generic) -> bool:
    """Return whether it is one of ml_dtypes' scalars, which are no np.floating."""
    return type(value).__module__.startswith("ml_dtypes")


def summarize(value: Any, limit: int) -> str:
    """Return a tensor's elements as text, the first `limit` of them or, where it is negative, all."""
    array = np.asarray(value)
    if array.dtype.names:
        array = array[array.dtype.names[0]]
    if not array.size:
        return ""
    if limit < 0:
        limit = array.size
    parts: list[str] = []
    flat = array.reshape(-1)
    if array.ndim == 0:
        parts.append(element_text(flat[0]) if limit > 0 else "")
    else:
        _one_dimension(array.shape, 0, flat, 0, limit, parts)
    if array.size > limit:
        parts.append("...")
    return "".join(parts)


def _one_dimension(shape: tuple[int, ...], dim: int, flat: Any, at: int, limit: int, parts: list[str]) -> int:
    """Write the part of dimension `dim` that starts at element `at`; return where the next one starts."""
    if at >= limit:
        return at
    if dim == len(shape) - 1:
        for i in range(shape[dim]):
            if at >= limit:
                if dim:
                    parts.append("...")
                return at
            if i:
                parts.append(" ")
            parts.append(element_text(flat[at]))
            at += 1
        return at
    for _ in range(shape[dim]):
        if at >= limit:
            break
        parts.append("[")
        at = _one_dimension(shape, dim + 1, flat, at, limit, parts)
        parts.append("]")
    return at
