"""Numbers read from text as TensorFlow reads them. Registers nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.datatypes import DType

_INTEGER = re.compile(rb"\s*([+-]?[0-9]+)\s*", re.ASCII)
_FLOAT = re.compile(
    rb"\s*([+-]?)(?:(inf(?:inity)?)|(nan(?:\([0-9a-z_]*\))?)|0x([0-9a-f]*\.?[0-9a-f]*)(?:p([+-]?[0-9]+))?"
    rb"|([0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?))\s*",
    re.ASCII | re.IGNORECASE,
)


def parse_integer(text: bytes, dtype: np.dtype) -> int | None:
    """Return the decimal integer that `text` holds, None where it holds none or one out of range."""
    found = _INTEGER.fullmatch(text)
    # Longer digit strings are out of range of any dtype; Python would take time quadratic in their length.
    if found is None or len(found[1]) > 64:
        return None
    value = int(found[1])
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max or (limits.min == 0 and found[1].startswith(b"-")):
        return None
    return value


def parse_float(text: bytes) -> float | None:
    """Return the number that `text` holds, in decimal or C's hexadecimal notation, None where it holds none."""
    found = _FLOAT.fullmatch(text)
    if found is None:
        return None
    sign = -1.0 if found[1] == b"-" else 1.0
    if found[2]:
        return sign * math.inf
    if found[3]:
        return math.nan
    if found[4] is not None:
        if not found[4].strip(b"."):
            return None
        try:
            return sign * float.fromhex(f"0x{found[4].decode()}p{(found[5] or b'0').decode()}")
        except OverflowError:
            return sign * math.inf
    return sign * float(found[6])


def parser_of(dtype: DType) -> Callable[[bytes], Any]:
    """Return a function from text to a number of `dtype`, or None where the text holds no such number."""
    if dtype.is_integer:
        return lambda text: parse_integer(text, dtype.numpy)
    return parse_float
