"""Strings read as raw bytes, tensors, CSV and JSON."""

import zlib

import numpy as np

from ops.case import Case


def words(*values):
    return np.array([v if isinstance(v, bytes) else v.encode() for v in values], object)


def csv(records, *defaults, **attrs):
    return Case("DecodeCSV", words(*records), list(defaults), **attrs)


BYTES = words(b"\x01\x00\x00\x00\x02\x00\x00\x00" * 2, b"\x03\x00\x00\x00\x04\x00\x80\x3f" * 2)
# gzip.compress(b"hello"), whose header differs from one Python to the next.
GZIPPED = bytes.fromhex("1f8b0800000000000203cb48cdc9c9070086a6103605000000")

CASES = []
for dtype in [
    "int32",
    "float32",
    "uint8",
    "int16",
    "float16",
    "complex64",
    "float64",
    "int64",
    "uint16",
    "complex128",
    "int8",
]:
    CASES += [Case("DecodeRaw", BYTES, out_type=dtype, little_endian=little) for little in (True, False)]
CASES += [
    Case("DecodeRaw", words(b"\x00\x01"), out_type="bool"),
    Case("DecodeRaw", b"abcd", out_type="uint8"),
    Case("DecodeRaw", np.zeros((0, 2), object), out_type="int32"),
    Case("DecodeRaw", words("", ""), out_type="int32"),
    Case("DecodeRaw", words("abcd", "abc"), out_type="uint8"),
    Case("DecodeRaw", words("abc", "abd"), out_type="int16"),
    Case("DecodePaddedRaw", words("abc", "abcde"), np.int32(4), out_type="uint8"),
    Case("DecodePaddedRaw", words("abc", "abcde"), np.int32(4), out_type="int16"),
    Case("DecodePaddedRaw", words("abc", "abcde"), np.int32(4), out_type="int16", little_endian=False),
    Case("DecodePaddedRaw", words(), np.int32(4), out_type="uint8"),
    Case("DecodePaddedRaw", words("abc"), np.int32(3), out_type="int16"),
    Case("DecodePaddedRaw", words("abc"), np.int32(-1), out_type="uint8"),
    Case("DecodeCompressed", words(zlib.compress(b"hello" * 50), b""), compression_type="ZLIB"),
    Case("DecodeCompressed", words(GZIPPED), compression_type="GZIP"),
    Case("DecodeCompressed", words("abc"), compression_type=""),
    Case("DecodeCompressed", words("abc"), compression_type="ZLIB"),
    Case("DecodeCompressed", words("abc"), compression_type="TAR"),
]

X = np.arange(3, dtype=np.float32)
for value in (
    X,
    np.float32(2),
    words("a", "bcd"),
    X > 1,
    X.astype(np.float16),
    X[:0],
    X * np.complex64(1j),
    X[None, :0],
):
    CASES.append(Case("SerializeTensor", value))
FLOATS = b'\x08\x01\x12\x04\x12\x02\x08\x03"\x0c' + X.tobytes()
CASES += [
    Case("ParseTensor", FLOATS, out_type="float32"),
    Case("ParseTensor", b"\x08\x01\x12\x04\x12\x02\x08\x03*\x04" + X[1:2].tobytes(), out_type="float32"),
    Case("ParseTensor", b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x03bcd", out_type="string"),
    Case("ParseTensor", b"\x08\x0a\x12\x04\x12\x02\x08\x02Z\x02\x01\x00", out_type="bool"),
    Case("ParseTensor", b"\x08\x03\x12\x00:\x01\x07", out_type="int32"),
    Case("ParseTensor", FLOATS[:-1], out_type="float32"),
    Case("ParseTensor", b'\x08\x01\x12\x04\x12\x02\x08\x02"\x0c' + X.tobytes(), out_type="float32"),
    Case("ParseTensor", FLOATS, out_type="int32"),
    Case("ParseTensor", b"", out_type="float32"),
]

THREE = (np.array([7], np.int32), np.array([9], np.float32), words("z"))
NONE = np.zeros(0, np.int32)
CASES += [
    csv(["1,2.5,a", "3,,b", ",,"], *THREE),
    csv(['"1","2","a,""b"""', '4,5,"a\nb"'], *THREE),
    csv(['1,2,a"b'], *THREE, use_quote_delim=False),
    csv(["1;2;a"], *THREE, field_delim=";"),
    csv(["NA,NA,NA"], *THREE, na_value="NA"),
    csv(["1,2,a"], THREE[0], THREE[2], select_cols=[0, 2]),
    csv(["1 , 2"], *THREE[:2]),
    csv(['"a",""', "b,"], words("x"), words("y")),
    csv([' "a",b'], words("x"), words("y")),
    csv(["1"], np.int32(7)),
    csv(["99999999999,1e300"], np.array([7], np.int64), np.array([9.0])),
    Case("DecodeCSV", words("1,2", "3,4").reshape(2, 1), [THREE[0], THREE[1]]),
    Case("DecodeCSV", b"1,2", [THREE[0], THREE[1]]),
    csv([], *THREE),
    csv(["1,2.5"], *THREE),
    csv(["1,2.5,a,b"], *THREE),
    csv([""], words("x")),
    csv([",,"], NONE, *THREE[1:]),
    csv(["x,1,a"], *THREE),
    csv(["1,x,a"], *THREE),
    csv(["99999999999"], THREE[0]),
    csv(['1,2,"a'], *THREE),
    csv(['1,2,a"b'], *THREE),
    csv(['1,2,"a"b'], *THREE),
    csv(["1,2\n"], *THREE[:2]),
    csv(["a,b"], words("x"), words("y"), field_delim="ab"),
    csv(["1,2,a"], THREE[0], THREE[2], select_cols=[2, 0]),
    csv(["1,2,a"], THREE[0], select_cols=[0, 2]),
    csv(["1"], np.array([1, 2], np.int32)),
]
for text in (
    '{"features":{"feature":{"a":{"int64List":{"value":["1","2",-3, 4.0]}}}}}',
    '{"features":{"feature":{"a":{"bytesList":{"value":["YQ==","_-8"]}},"b":{"floatList":{"value":[1.5,"NaN"]}}}}}',
    '{"features":{"feature":{"a":{"int64_list":{"value":[1]}},"b":{}}}}',
    "{}",
    '{"features": 3}',
    '{"features":{"feature":{"a":{"int64List":{"value":["x"]}}}}}',
    '{"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}}',
    '{"features":{"feature":{"a":{"bytesList":{"value":["*"]}}}}}',
    "xx",
    "",
    '{"other":1}',
    "[" * 5000,
):
    CASES.append(Case("DecodeJSONExample", words(text)))
