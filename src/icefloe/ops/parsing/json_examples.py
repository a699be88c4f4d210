"""DecodeJSONExample: Example messages in JSON to the same serialized.

Written field by field in the order of the text, lists unpacked, as the converter of TensorFlow does: the bytes agree.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Callable
from typing import Any

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import unchanged
from icefloe.ops.array.values import Array
from icefloe.ops.string.elements import mapped
from icefloe.wire.coding import encode_varint


def _refuse(what: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(f"Error while parsing JSON: {what}")


def _block(number: int, data: bytes) -> bytes:
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def _fields(value: Any, where: str, encoders: dict[str, Callable[[Any], bytes]]) -> bytes:
    """Return the fields of a JSON object, each by the encoder of its name; a null is left out."""
    if not isinstance(value, dict):
        raise _refuse(f"{where} must be an object")
    parts = []
    for name, part in value.items():
        encoder = encoders.get(name)
        if encoder is None:
            raise _refuse(f"{where} has no such field: {name!r}")
        if part is not None:
            parts.append(encoder(part))
    return b"".join(parts)


def _integer(value: Any) -> bytes:
    number = value
    if isinstance(value, str):
        try:
            number = int(value)
        except ValueError:
            raise _refuse(f"{value!r} is no integer") from None
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, int) or not -(2**63) <= number < 2**63:
        raise _refuse(f"{value!r} is no 64-bit integer")
    return b"\x08" + encode_varint(number & (2**64 - 1))


def _float(value: Any) -> bytes:
    number = value
    if isinstance(value, str):
        try:
            number = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value)
            number = float(value) if number is None else number
        except ValueError:
            raise _refuse(f"{value!r} is no number") from None
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise _refuse(f"{value!r} is no number")
    try:
        return b"\x0d" + struct.pack("<f", number)
    except OverflowError:
        raise _refuse(f"{value!r} is out of range for a float") from None


def _text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise _refuse(f"{value!r} is no base64 text")
    plain = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return _block(1, base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))
    except (binascii.Error, ValueError):
        raise _refuse(f"{value!r} is no base64 text") from None


def _list(number: int, element: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    def values(items: Any) -> bytes:
        if not isinstance(items, list):
            raise _refuse(f"value must be a list, got {items!r:.50}")
        return b"".join(map(element, items))

    return lambda part: _block(number, _fields(part, "the list", {"value": values}))


_KINDS = {
    **dict.fromkeys(("bytesList", "bytes_list"), _list(1, _text)),
    **dict.fromkeys(("floatList", "float_list"), _list(2, _float)),
    **dict.fromkeys(("int64List", "int64_list"), _list(3, _integer)),
}


def _feature(value: Any) -> bytes:
    if not isinstance(value, dict):
        raise _refuse("feature must be an object")
    return b"".join(
        _block(1, _block(1, name.encode()) + _block(2, _fields(part, f"feature {name!r}", _KINDS)))
        for name, part in value.items()
    )


def encode_example(text: bytes) -> bytes:
    """Return the serialized Example that a JSON text describes. Raises: InvalidArgumentError if it describes none."""
    try:
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise _refuse(str(e) or "nested too deeply") from None
    return _fields(
        value,
        "tensorflow.Example",
        {"features": lambda part: _block(1, _fields(part, "features", {"feature": _feature}))},
    )


@kernel("DecodeJSONExample")
def decode_json_example(x: Any) -> Array:
    """Each JSON text as a serialized Example."""
    return mapped(encode_example, x)


shape("DecodeJSONExample")(unchanged)
