"""Text and numbers, text and its transport forms: StringToNumber, AsString, EncodeBase64, DecodeBase64."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import unchanged
from icefloe.ops.allocation import check_shape
from icefloe.ops.string.elements import Array, escaped, flat, mapped, strings
from icefloe.ops.string.numbers import parser_of


@kernel("StringToNumber")
def string_to_number(x: Any, *, out_type: DType) -> Array:
    """The number each string holds.

    Raises: InvalidArgumentError for text that is no number of the type.
    """
    parse = parser_of(out_type)
    result = []
    for s in flat(x):
        value = parse(s)
        if value is None:
            raise errors.InvalidArgumentError(f"StringToNumberOp could not correctly convert string: {escaped(s)}")
        result.append(value)
    return np.array(result, out_type.numpy).reshape(np.shape(x))


shape("StringToNumber", "AsString", "EncodeBase64", "DecodeBase64")(unchanged)


def _float_formatter(flags: str, width: int, precision: int, letter: str) -> Callable[[float], str]:
    number = f"%{flags}{width if width > -1 else ''}{f'.{precision}' if precision > -1 else ''}{letter}"
    # C pads what is no number with blanks, and knows a negative NaN.
    other = number.replace("0", "", 1) if flags == "0" else number

    def text(value: float) -> str:
        if value - value == 0:
            return number % value
        if value != value and np.signbit(value):
            return (other % -np.inf).replace("inf", "nan")
        return other % value

    return text


@kernel("AsString", factory=True)
def as_string(
    *, T: DType, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Callable[[Any], Array]:
    """Each element as text, as C's printf writes it.

    precision: digits after the point. scientific, shortest: `%e`, `%g` in place of `%f`. width: the least number of
    characters. fill: printf's flag, one of "", " ", "+", "-", "0".
    """
    if len(fill) > 1:
        raise errors.InvalidArgumentError("Fill string must be one or fewer characters")
    if fill not in ("", " ", "+", "-", "0"):
        raise errors.InvalidArgumentError(f'Fill argument not supported: "{fill}"')
    numeric = T.is_floating or T.is_complex
    if not numeric:
        if scientific or shortest:
            raise errors.InvalidArgumentError(f"scientific and shortest format not supported for datatype {T.name}")
        if precision >= 0:
            raise errors.InvalidArgumentError(f"precision not supported for datatype {T.name}")
    if scientific and shortest:
        raise errors.InvalidArgumentError("Cannot select both scientific and shortest notation")
    letter = "e" if scientific else "g" if shortest else "f"
    place = str(width) if width > -1 else ""

    convert: Callable[[Any], bytes]
    if T.name == "string":
        text_format = f"%{'-' if fill == '-' else ''}{place}s".encode()
        convert = lambda s: text_format % s  # noqa: E731
    elif T.name == "bool":
        convert = lambda b: b"true" if b else b"false"  # noqa: E731
    elif T.is_complex:
        part = _float_formatter(fill, width, precision, letter)
        convert = lambda z: f"({part(z.real)},{part(z.imag)})".encode()  # noqa: E731
    elif numeric:
        number = _float_formatter(fill, width, precision, letter)
        convert = lambda value: number(value).encode()  # noqa: E731
    elif T.is_integer:
        integer_format = f"%{fill}{place}d"
        convert = lambda value: (integer_format % value).encode()  # noqa: E731
    else:
        convert = lambda value: str(value).encode()  # noqa: E731

    def run(x: Any) -> Array:
        check_shape((np.size(x), max(width, 0)), np.dtype(np.uint8))
        if not isinstance(x, (np.ndarray, np.generic)):
            return strings([convert(x)], ())
        values = x.astype(np.float64) if T.name in ("bfloat16", "float16") else x
        return strings(map(convert, np.ravel(values).tolist()), np.shape(x))

    return run


@kernel("EncodeBase64")
def encode_base64(x: Any, *, pad: bool) -> Array:
    """Base64 with `-` and `_`, without the padding unless `pad`."""

    def encode(s: bytes) -> bytes:
        text = base64.urlsafe_b64encode(s)
        return text if pad else text.rstrip(b"=")

    return mapped(encode, x)


_BASE64 = re.compile(rb"[A-Za-z0-9_-]*")


@kernel("DecodeBase64")
def decode_base64(x: Any) -> Array:
    """The bytes behind base64 with `-` and `_`, padded or not."""

    def decode(s: bytes) -> bytes:
        # Padding counts only where it completes a group of four.
        text = s[: -2 if s.endswith(b"==") else -1] if s.endswith(b"=") and len(s) % 4 == 0 else s
        groups = _BASE64.fullmatch(text, 0, max(len(s) - 1, 0) // 4 * 4)
        if groups and len(text) % 4 == 1:
            raise errors.InvalidArgumentError("Base64 string length cannot be 1 modulo 4.")
        if not _BASE64.fullmatch(text):
            raise errors.InvalidArgumentError("Invalid character found in base64.")
        return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))

    return mapped(decode, x)
