"""Fields of messages of TensorFlow's own types, and of one that is described in the attr."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.case import Case


def words(*values: bytes) -> np.ndarray:
    return np.array(values, object)


# Int64List{value: 1, 300, -1}, packed and not; FloatList{0.5}; Feature{int64_list}.
PACKED, APART = b"\n\x0d\x01\xac\x02" + b"\xff" * 9 + b"\x01", b"\x08\x01\x08\xac\x02\x08" + b"\xff" * 9 + b"\x01"
PLAIN = {"descriptor_source": "local://", "message_format": "binary", "sanitize": False}

# FileDescriptorSet of message t.M: a sint32 = 1 [default -5], b repeated fixed32 = 2, c string = 3 [default "no"],
# d repeated double = 4 [packed], e bool = 5, f uint64 = 6, g repeated M = 7, h sfixed64 = 8.
FIELDS = [
    (b"a", 1, 1, 17, b"-5"),
    (b"b", 2, 3, 7, b""),
    (b"c", 3, 1, 9, b"no"),
    (b"d", 4, 3, 1, b""),
    (b"e", 5, 1, 8, b""),
    (b"f", 6, 1, 4, b""),
    (b"g", 7, 3, 11, b""),
    (b"h", 8, 1, 16, b""),
]


def part(tag: int, content: bytes) -> bytes:
    return bytes([tag, len(content)]) + content


def described() -> bytes:
    fields = b""
    for name, number, label, kind, default in FIELDS:
        field = part(0x0A, name) + bytes([0x18, number, 0x20, label, 0x28, kind])
        if kind == 11:
            field += part(0x32, b".t.M")
        if default:
            field += part(0x3A, default)
        if name == b"d":
            field += part(0x42, b"\x10\x01")
        fields += part(0x12, field)
    message = part(0x0A, b"M") + fields
    size = len(message)
    file = part(0x0A, b"t.proto") + part(0x12, b"t") + b"\x22" + bytes([size & 127 | 128, size >> 7]) + message
    return b"\n" + bytes([len(file) & 127 | 128, len(file) >> 7]) + file


OWN = {**PLAIN, "descriptor_source": b"bytes://" + described(), "message_type": "t.M"}
ONE = b"\x08\x03\x15\x01\0\0\0\x15\xff\xff\xff\xff\x1a\x02hi\x22\x10" + np.array([0.5, -2.0]).tobytes() + b"\x28\x01"
TWO = b"\x30" + b"\xff" * 9 + b"\x01" + b"\x3a\x02\x28\x01\x3a\x00\x41" + np.array(-7).tobytes() + b"\x08\x01\x08\x04"
ALL = ["a", "b", "c", "d", "e", "f", "g", "h"]
KINDS = ["int32", "uint32", "string", "float64", "bool", "uint64", "string", "int64"]


def decode(data: Any, names: list[str], kinds: list[str], **attrs: Any) -> Case:
    return Case("DecodeProtoV2", data, field_names=names, output_types=kinds, **{**PLAIN, **attrs})


def encode(sizes: Any, *values: Any, names: list[str], **attrs: Any) -> Case:
    source = {"descriptor_source": OWN["descriptor_source"], "message_type": "t.M", **attrs}
    return Case("EncodeProto", np.array(sizes, np.int32), list(values), field_names=names, **source)


VALUES = [
    np.array([[3], [-5]], np.int32),
    np.array([[1, 2**32 - 1], [7, 0]], np.uint32),
    np.array([[b"hi"], [b""]], object),
    np.array([[0.5, -2.0], [1.0, 0.0]]),
    np.array([[True], [False]]),
    np.array([[5], [2**64 - 1]], np.uint64),
    np.array([[b"\x28\x01", b""], [b"", b""]], object),
    np.array([[-7], [2**40]]),
]

CASES = [
    decode(words(PACKED, APART, b""), ["value"], ["int64"], message_type="tensorflow.Int64List"),
    decode(words(b"\n\x04\0\0\0?"), ["value"], ["float64"], message_type="tensorflow.FloatList"),
    decode(words(b"\x1a\x02\x08\x05"), ["int64_list", "float_list"], ["string"] * 2, message_type="tensorflow.Feature"),
    decode(
        words(b"value: 4 value: 5"), ["value"], ["int64"], message_type="tensorflow.Int64List", message_format="text"
    ),
    decode(words(b"value: x"), ["value"], ["int64"], message_type="tensorflow.Int64List", message_format="text"),
    decode(words(PACKED), ["value"], ["int64"], message_type="tensorflow.Int64List", message_format="other"),
    decode(words(PACKED), ["value"], ["int32"], message_type="tensorflow.Int64List"),
    decode(words(PACKED), ["what"], ["int64"], message_type="tensorflow.Int64List"),
    decode(words(PACKED), ["value"], ["int64", "int64"], message_type="tensorflow.Int64List"),
    decode(words(PACKED), ["value"], ["int64"], message_type="tensorflow.NoSuch"),
    decode(words(PACKED[:-1]), ["value"], ["int64"], message_type="tensorflow.Int64List"),
    decode(words(), ["value"], ["int64"], message_type="tensorflow.Int64List"),
    decode(np.array([[ONE, TWO], [b"", ONE + TWO]], object), ALL, KINDS, **OWN),
    decode(words(TWO), ["a", "g"], ["int64", "string"], **{**OWN, "sanitize": True}),
    decode(words(ONE), ["b"], ["uint64"], **OWN),
    decode(words(ONE), [], [], **OWN),
    encode([[1, 2, 1, 2, 1, 1, 2, 1], [1, 1, 0, 0, 1, 1, 0, 1]], *VALUES, names=ALL),
    decode(ONE + ONE, ["b", "d"], ["uint32", "float64"], **OWN),
    decode(words(TWO), ["f", "h"], ["uint64", "int64"], **OWN),
    encode([[2, 1], [0, 0]], VALUES[1], VALUES[0], names=["b", "a"]),
    encode([[3]], VALUES[1][:1], names=["b"]),
    encode([[1, 1]], VALUES[1][:1], names=["b"]),
    encode([[1]], VALUES[0][:1], names=["b"]),
    encode([[1]], VALUES[0][:1], names=["z"]),
    encode([1], np.array([5], np.int32), names=["a"]),
]
