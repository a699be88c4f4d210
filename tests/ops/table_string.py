"""Strings joined, cut, hashed, and turned into numbers and back."""

import ml_dtypes
import numpy as np

from ops.case import Case


def words(*values):
    return np.array([v if isinstance(v, bytes) else v.encode() for v in values], object)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


W = words("hello", "thünder", "", "你好世界")
TABLE = np.array([[b"a", b"b", b"c"], [b"d", b"e", b""]], object)
BROKEN = words(b"\xe4\xbd\xa0\xff\xfeabc", b"\x80\x80a", b"\xe4\xbd", b"")

CASES = [
    Case("StringLength", W),
    Case("StringLength", W, unit="UTF8_CHAR"),
    Case("StringLength", BROKEN, unit="UTF8_CHAR"),
    Case("StringLength", b"abc"),
    Case("StringStrip", words(" a b \t\n\r\x0b\x0c", "\x00a\x00", " ", "\u00a0a", "\x1ca")),
    Case("StringLower", words("ÀBC Straße", "ABC")),
    Case("StringLower", words("ÀBC İI ΑΣ", "ABC", b"\xff\xc3A", "A\x00B"), encoding="utf-8"),
    Case("StringUpper", words("àbc straße")),
    Case("StringUpper", words("àbc straße ı"), encoding="utf-8"),
    Case("StringUpper", words("a"), encoding="latin-1"),
    Case("StringJoin", [W, words("a", "b", "c", "d")], separator="-"),
    Case("StringJoin", [W, b"x"]),
    Case("StringJoin", [b"x", b"y"], separator=", "),
    Case("StringJoin", [TABLE, TABLE[:, :0]]),
    Case("StringJoin", [W, words("a", "b")]),
    Case("Substr", W, np.int32(0), np.int32(2)),
    Case("Substr", W[:2], np.int64(-3), np.int64(20)),
    Case("Substr", W[:2], np.int32(5), np.int32(2)),
    Case("Substr", W[:2], i32(1, 2), i32(2, 3)),
    Case("Substr", W[:2].reshape(2, 1), i32(1, 1, 2), i32(2, 0, 2)),
    Case("Substr", b"abcd", i32(1, 2), i32(1, 2)),
    Case("Substr", W[3:], np.int32(1), np.int32(2), unit="UTF8_CHAR"),
    Case("Substr", W[3:], np.int32(-2), np.int32(1), unit="UTF8_CHAR"),
    Case("Substr", BROKEN[:2], np.int32(1), np.int32(3), unit="UTF8_CHAR"),
    Case("Substr", W, np.int32(1), np.int32(2)),
    Case("Substr", W[:1], np.int32(6), np.int32(2)),
    Case("Substr", W[:1], np.int32(-9), np.int32(2)),
    Case("Substr", W[3:], np.int32(5), np.int32(1), unit="UTF8_CHAR"),
    Case("Substr", W[:2], i32(1, 1, 1), i32(2, 2, 2)),
    Case("Substr", W[:2].reshape(2, 1, 1, 1), i32(1, 1), i32(2, 2)),
    Case("UnsortedSegmentJoin", TABLE, i32(0, 1), np.int32(3), separator=","),
    Case("UnsortedSegmentJoin", TABLE, np.array([[0, 1, 0], [1, 0, 1]], np.int64), np.int64(2)),
    Case("UnsortedSegmentJoin", TABLE[0], i32(1, 1, 1), np.int32(3), separator="-"),
    Case("UnsortedSegmentJoin", TABLE, i32(0, 3), np.int32(3)),
    Case("UnsortedSegmentJoin", TABLE, i32(0, -1), np.int32(3)),
    Case("UnsortedSegmentJoin", TABLE, i32(0, 1), np.int32(-3)),
]
for axes in ([0], [1], [-1], [0, 1], [1, 0], []):
    CASES += [Case("ReduceJoin", TABLE, i32(*axes), keep_dims=keep, separator="-") for keep in (False, True)]
CASES += [
    Case("ReduceJoin", TABLE, np.int32(0)),
    Case("ReduceJoin", TABLE[:0], i32(0)),
    Case("ReduceJoin", TABLE[:, :0], i32(1), separator="x"),
    Case("ReduceJoin", TABLE, i32(2)),
    Case("ReduceJoin", TABLE, i32(0, 0)),
]

for text, delimiter in (
    ("a b  c", " "),
    ("a,b,,c", ","),
    ("abc", ""),
    ("", " "),
    ("a;b,c", ";,"),
    ("a]b^c-d\\e", "]^-\\"),
):
    CASES += [Case("StringSplit", words(text, "x y"), delimiter.encode(), skip_empty=skip) for skip in (True, False)]
for text, separator, most in (
    ("a b  c ", "", -1),
    ("a b  c", " ", -1),
    ("a b c", "", 1),
    ("  a  b ", "", 1),
    ("a b c", " ", 1),
    ("a<>b<>c", "<>", -1),
    ("", "", -1),
    ("", ",", -1),
    (",a,", ",", -1),
    ("a\tb\nc\x0bd\x0ce\xa0f", "", -1),
    ("a b c", "", 0),
    ("a,,b", ",", 2),
    ("aXXXb", "XX", -1),
):
    CASES.append(Case("StringSplitV2", words(text, "x"), separator.encode(), maxsplit=most))
CASES += [
    Case("StringSplit", W[:0], b" "),
    Case("StringSplitV2", W[:0], b""),
    Case("StringSplit", TABLE, b" "),
    Case("StringSplitV2", TABLE, b" "),
]


def ngrams(data, splits, widths=(2,), pad=0, short=False):
    return Case(
        "StringNGrams",
        words(*data),
        i64(*splits),
        separator="|",
        ngram_widths=list(widths),
        left_pad="L",
        right_pad="R",
        pad_width=pad,
        preserve_short_sequences=short,
    )


CASES += [
    ngrams("abcdef", [0, 4, 6]),
    ngrams("abcdef", [0, 4, 6], pad=1),
    ngrams("abcdef", [0, 4, 6], [3], pad=-1),
    ngrams("abcdef", [0, 4, 6], [2, 3]),
    ngrams("abcdef", [0, 1, 6], [3]),
    ngrams("abcdef", [0, 1, 6], [3], short=True),
    ngrams("abcdef", [0, 0, 1, 6], [3, 2], short=True),
    ngrams("abcdef", [0, 0, 1, 6], [3, 4], pad=1, short=True),
    ngrams("ab", [0, 2], [5], pad=10),
    ngrams("ab", [0, 0, 2], pad=-1),
    ngrams("", [0, 0]),
    ngrams("abcdef", [0, 4, 7]),
    ngrams("abcdef", [1, 4, 6]),
    ngrams("abcdef", [0, 4, 3, 6]),
    ngrams("abcdef", [0, 4]),
    ngrams("ab", [0, 2], [0]),
]

HASHED = words("", "a", "hello world", "x" * 100, b"\xff\x00\x80", "abcdefgh", "abcdefg")
for buckets in (10, 2**62):
    CASES += [
        Case("StringToHashBucket", HASHED, num_buckets=buckets),
        Case("StringToHashBucketFast", HASHED, num_buckets=buckets),
        Case("StringToHashBucketStrong", HASHED, num_buckets=buckets, key=[98765, 132]),
        Case("StringToHashBucketStrong", HASHED, num_buckets=buckets, key=[-1, 2**62]),
    ]
CASES += [
    Case("StringToHashBucketFast", b"x", num_buckets=10),
    Case("StringToHashBucketFast", TABLE[:0], num_buckets=10),
    Case("StringToHashBucketStrong", HASHED, num_buckets=10, key=[1]),
]

BASE64 = (
    "",
    "YQ",
    "YQ==",
    "YWI",
    "YWI=",
    "YWJj",
    "YW-_",
    "YR",
    "YW+/",
    "Y",
    "YQ=",
    "YQ===",
    "Y Q",
    "=",
    "====",
    "YQ==YQ==",
)
CASES += [Case("EncodeBase64", words("", "a", "ab", "abc", b"\xff\xfe?~"), pad=pad) for pad in (False, True)]
CASES += [Case("DecodeBase64", words(text)) for text in BASE64]

READABLE = {
    "float32": [
        "1",
        "-2",
        "3.5",
        "1e3",
        "0x10",
        "nan",
        "inf",
        "-inf",
        "infinity",
        "1e400",
        "99999999999",
        "+5",
        "1.",
        ".5",
        "0x1p3",
        "nan(1)",
        "1e-45",
        "0x1.8",
        "-0",
        "1E5",
    ],
    "int32": ["1", "-2", "+5", "2147483647", "-2147483648", "00012"],
    "uint64": ["18446744073709551615", "+5"],
}
READABLE["float64"], READABLE["int64"] = READABLE["float32"], [*READABLE["int32"], "9223372036854775807"]
READABLE["uint32"] = ["4294967295"]
for dtype, texts in READABLE.items():
    CASES.append(Case("StringToNumber", words(*texts, "  4  ", "\t7\n"), out_type=dtype))
    CASES.append(Case("StringToNumber", np.array(b"12", object), out_type=dtype))
    for text in ("", "abc", "1_0", "1e", "12abc", "1 2", "--1", "0x", ".", "٣"):
        CASES.append(Case("StringToNumber", words(text), out_type=dtype))
for dtype, text in (("int32", "2147483648"), ("uint32", "-1"), ("int64", "9223372036854775808"), ("int32", "3.5")):
    CASES.append(Case("StringToNumber", words(text), out_type=dtype))

FLOATS = np.array([0.0, -0.0, 1.5, -2.25, 1e10, 1e-10, np.inf, -np.inf, np.nan, -np.nan, 123456.789])
FORMATS = [
    {},
    {"precision": 2},
    {"precision": 0},
    {"scientific": True},
    {"shortest": True},
    {"shortest": True, "precision": 3},
    {"scientific": True, "precision": 1, "width": 10, "fill": "-"},
    {"width": 8},
    *({"width": 12, "fill": fill} for fill in ("0", "-", " ", "+")),
    {"fill": "+"},
]
CASES += [Case("AsString", FLOATS, **form) for form in FORMATS]
CASES += [
    Case("AsString", FLOATS[:4].astype(kind), shortest=True) for kind in (np.float32, np.float16, ml_dtypes.bfloat16)
]
for form in ({}, {"width": 5}, *({"width": 5, "fill": fill} for fill in ("0", "-", " ", "+"))):
    CASES.append(Case("AsString", i32(1, -5, 123456), **form))
CASES += [
    Case("AsString", np.array([1, 100], f"{kind}"), width=4) for kind in ["i1", "u1", "i2", "u2", "i8", "u4", "u8"]
]
CASES += [
    Case("AsString", np.array([True, False]), width=7),
    Case("AsString", np.array([1 + 2j, -0.5j], np.complex64)),
    Case("AsString", np.array([1 + 2j, -0.5j]), precision=2, width=6),
    Case("AsString", TABLE, width=3, fill="-"),
    Case("AsString", np.float32(2)),
    Case("AsString", np.int32(2), precision=2),
    Case("AsString", np.int32(2), shortest=True),
    Case("AsString", np.float32(2), fill="x"),
    Case("AsString", np.float32(2), fill="00"),
    Case("AsString", np.float32(2), scientific=True, shortest=True),
]

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
MIXED = [
    np.float32(1.5),
    words("a", "ü", b"\xff\xc3", "\x01\x7f\t\n'\"\\?"),
    np.array([True, False]),
    i32(),
    np.array([1e-7, 1.2345678, 1e20, np.nan, -np.inf, 1 / 3, 1234567], np.float32),
    np.array([0.1, 1 / 3, 1e15, 1e17, -0.0]),
    np.array([0.1, 6e4], np.float16),
    np.array([0.1, 1e6], ml_dtypes.bfloat16),
    np.array([-1, 2], np.int8),
    np.zeros((0, 2), np.float32),
    np.zeros((2, 0), np.float32),
    b"text",
]
CASES += [Case("StringFormat", [CUBE], summarize=most) for most in (-1, 0, 1, 2, 100)]
CASES += [
    Case("StringFormat", MIXED, template="|".join(["{}"] * len(MIXED)), placeholder="{}", summarize=9),
    Case("StringFormat", [np.arange(10)]),
    Case("StringFormat", [], template="nothing"),
    Case("StringFormat", [CUBE], template="%s and %s"),
]
