"""Strings by the character: length, parts, case, white space."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, broadcast_shapes, unchanged, with_rank
from icefloe.ops.string.elements import Array, flat, mapped, strings
from icefloe.shapes import Dims, shape_text


def _bounds(s: bytes) -> list[int]:
    """Return where the UTF-8 characters of `s` begin, and its length: at 0 and at each byte that continues none."""
    return [i for i, byte in enumerate(s) if i == 0 or byte & 0xC0 != 0x80] + [len(s)]


@kernel("StringLength")
def string_length(x: Any, *, unit: str) -> Array:
    """The number of bytes, or for the unit UTF8_CHAR of bytes that begin a character."""
    if unit == "BYTE":
        return np.array([len(s) for s in flat(x)], np.int32).reshape(np.shape(x))
    return np.array([sum(byte & 0xC0 != 0x80 for byte in s) for s in flat(x)], np.int32).reshape(np.shape(x))


shape("StringLength", "StringLower", "StringUpper", "StringStrip")(unchanged)


@kernel("StringStrip")
def string_strip(x: Any) -> Array:
    """Without ASCII white space at both ends."""
    return mapped(bytes.strip, x)


def _check_encoding(encoding: str) -> bool:
    """Return whether it is UTF-8. Raises: InvalidArgumentError for an encoding that is neither that nor empty."""
    if encoding not in ("", "utf-8"):
        raise errors.InvalidArgumentError(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    return bool(encoding)


def _text(s: bytes) -> str:
    """Return `s` as text, up to a zero byte: TensorFlow hands it to ICU as a C string."""
    return s.partition(b"\0")[0].decode("utf-8", "replace")


@kernel("StringLower")
def string_lower(x: Any, *, encoding: str) -> Array:
    """In lower case: of ASCII letters only, or of all letters where the encoding is utf-8."""
    if _check_encoding(encoding):
        return mapped(lambda s: _text(s).lower().encode(), x)
    return mapped(bytes.lower, x)


@kernel("StringUpper")
def string_upper(x: Any, *, encoding: str) -> Array:
    if _check_encoding(encoding):
        return mapped(lambda s: _text(s).upper().encode(), x)
    return mapped(bytes.upper, x)


def _cut(s: bytes, at: int, length: int, unit: str) -> bytes | None:
    """Return `length` units of `s` from `at` on, a negative one counting from the end; None where it is past an end."""
    if unit == "BYTE":
        start = at + len(s) if at < 0 else at
        if not 0 <= start <= len(s):
            return None
        return s[start : start + max(length, 0)] if length >= 0 else s[start:]
    bounds = _bounds(s)
    count = len(bounds) - 1
    start = at + count if at < 0 else at
    if not 0 <= start <= count:
        return None
    return s[bounds[start] : bounds[min(start + length, count)]] if length >= 0 else s[bounds[start] :]


@kernel("Substr")
def substr(x: Any, at: Any, length: Any, *, unit: str) -> Array:
    """From each string the `length` bytes or characters from `at` on; the three are broadcast together.

    Raises: InvalidArgumentError where `at` is outside of a string.
    """
    if np.shape(at) != np.shape(length):
        raise errors.InvalidArgumentError(
            f"pos and len should have the same shape, got: {shape_text(np.shape(at))} vs."
            f" {shape_text(np.shape(length))}"
        )
    words, at, length = np.asarray(x), np.asarray(at), np.asarray(length)
    try:
        target = np.broadcast_shapes(words.shape, at.shape)
    except ValueError:
        raise errors.InvalidArgumentError(
            f"Incompatible shapes: {shape_text(words.shape)} vs. {shape_text(at.shape)}"
        ) from None
    if at.ndim and words.shape != at.shape and len(target) > 2:
        raise errors.UnimplementedError(f"Substr broadcast not implemented for {len(target)} dimensions")
    spread = (np.broadcast_to(a, target).ravel().tolist() for a in (words, at, length))
    result = []
    for i, (s, start, count) in enumerate(zip(*spread)):
        part = _cut(s, start, count, unit)
        if part is None:
            named = f" b'{s.decode('utf-8', 'backslashreplace')}'" if unit == "BYTE" else ""
            raise errors.InvalidArgumentError(f"pos {start} out of range for string{named} at index {i}")
        result.append(part)
    return strings(result, target)


@shape("Substr")
def substr_shape(c: ShapeContext) -> list[Dims]:
    at, length = c.shape(1), c.shape(2)
    if at is not None and length is not None:
        at = with_rank(at, len(length))
        if any(a != b for a, b in zip(at, length) if a is not None and b is not None):
            raise errors.InvalidArgumentError(
                f"pos and len shapes must match: {shape_text(at)} vs. {shape_text(length)}"
            )
    return [broadcast_shapes(c.shape(0), at)]
