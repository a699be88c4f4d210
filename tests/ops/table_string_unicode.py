"""Code points, encodings and regular expressions."""

import numpy as np

from ops.case import Case


def words(*values):
    return np.array([v if isinstance(v, bytes) else v.encode() for v in values], object)


BROKEN = words(
    b"a\xe4\xbdb",
    b"\xff\xfe",
    b"ok\x00\x01\x7f\xc2\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\xe2\x82",
    b"\xf0\x9f\x98\x80",
    b"",
)
CODES = np.array([72, 0x4F60, 0x1F600, 0xD800, 0x110000, -1, 0xFFFE], np.int32)
SPLITS = np.array([0, 2, 2, 7], np.int64)

CASES = []
for errors in ("replace", "ignore", "strict"):
    CASES += [
        Case("UnicodeDecode", BROKEN, input_encoding="UTF-8", errors=errors),
        Case("UnicodeDecodeWithOffsets", BROKEN, input_encoding="UTF-8", errors=errors),
        Case("UnicodeTranscode", BROKEN, input_encoding="UTF-8", output_encoding="UTF-16-BE", errors=errors),
        Case("UnicodeEncode", CODES, SPLITS, output_encoding="UTF-8", errors=errors),
    ]
for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
    text = [s.encode(encoding) for s in ("aé你😀", "", "z")]
    CASES += [
        Case("UnicodeDecodeWithOffsets", words(*text), input_encoding=encoding),
        Case("UnicodeTranscode", words(*text), input_encoding=encoding, output_encoding="UTF-8"),
        Case("UnicodeTranscode", words("aé你😀"), input_encoding="UTF-8", output_encoding=encoding),
        Case("UnicodeEncode", CODES[:3], SPLITS[:2] - np.array([0, -1]), output_encoding=encoding),
    ]
for encoding in ("latin-1", "US-ASCII", "shift_jis", "UTF-16-LE", "windows-1252", "iso-8859-2", "koi8-r", "gb18030"):
    CASES.append(Case("UnicodeDecodeWithOffsets", words(b"ab\xe9\x83", b"\x82\xa0\x41"), input_encoding=encoding))
CASES += [
    Case("UnicodeDecode", words(b"\xff\xfea\x00b\x00"), input_encoding="UTF-16"),
    Case("UnicodeDecode", words("ab"), input_encoding="UTF-8", Tsplits="int32"),
    Case("UnicodeDecode", words(b"\x00a\xd8\x3d\xde\x00", b"\xd8\x3d", b"\x00"), input_encoding="UTF-16-BE"),
    Case(
        "UnicodeDecode",
        BROKEN,
        input_encoding="UTF-8",
        errors="replace",
        replacement_char=63,
        replace_control_characters=True,
    ),
    Case("UnicodeDecode", BROKEN, input_encoding="UTF-8", errors="ignore", replace_control_characters=True),
    Case("UnicodeDecode", b"abc", input_encoding="UTF-8"),
    Case("UnicodeDecode", np.array([[b"a", b"bc"]], object), input_encoding="UTF-8"),
    Case("UnicodeDecode", BROKEN[:0], input_encoding="UTF-8"),
    Case("UnicodeDecode", words("a"), input_encoding="no-such"),
    Case("UnicodeDecode", words("a"), input_encoding="rot13"),
    Case(
        "UnicodeTranscode",
        words("ab\x01\x7f\x85c\u00a0\n\t"),
        input_encoding="UTF-8",
        output_encoding="UTF-8",
        replace_control_characters=True,
    ),
    Case("UnicodeEncode", CODES, SPLITS, output_encoding="UTF-16-BE", replacement_char=63),
    Case("UnicodeEncode", CODES[:0], SPLITS[:1], output_encoding="UTF-8"),
    Case("UnicodeEncode", CODES, SPLITS, output_encoding="UTF-8", replacement_char=0x110000),
    Case("UnicodeEncode", CODES, SPLITS + 1, output_encoding="UTF-8"),
    Case("UnicodeEncode", CODES, SPLITS[:2], output_encoding="UTF-8"),
    Case("UnicodeEncode", CODES, SPLITS[[0, 3, 1, 3]], output_encoding="UTF-8"),
    Case("UnicodeEncode", CODES, SPLITS[:0], output_encoding="UTF-8"),
    Case("UnicodeScript", np.arange(0, 0x110000, 97, dtype=np.int32)),
    Case("UnicodeScript", np.array([[65, -1], [0x110000, 0x3B1]], np.int32)),
    Case("UnicodeScript", np.int32(0x4F60)),
]

TEXT = words("abc def", "foo\nbar", "", "aaa", "你好x", "A_b9", b"\xffab")
REPLACED = [
    ("a*", "-"),
    (r"(\w)(\w)", r"\2\1"),
    (".", "."),
    ("(?s).+", "x"),
    ("x$", "!"),
    ("a", r"\\"),
    ("a", r"<\0>"),
    ("a", r"q\x"),
    ("a", r"\1"),
    ("(?i)a", "#"),
    ("(?i:A)B?", "x"),
    ("(?:a)(?i)B", "x"),
    ("a(?i)b|C", "x"),
    (r"\pL", "L"),
    (r"\PL", "n"),
    (r"\p{Han}", "h"),
    (r"\p{^Latin}", "n"),
    ("[[:alpha:]]+", "W"),
    ("[[:^word:]]", "w"),
    ("^", "^"),
    ("$", "$"),
    ("(?m)^", "^"),
    ("(?m)$", "$"),
    (r"\b", "|"),
    (r"\B", "|"),
    ("[^a]", "n"),
    ("(?i)[^A]", "n"),
    ("", "-"),
    ("a|", "x"),
    ("a{2}", "z"),
    ("a{,2}", "z"),
    ("a{1,}?", "z"),
    ("(?U)a+", "z"),
    ("(?P<n>a)", r"\1\1"),
    (r"\Qa*\E", "x"),
    (r"\x{4f60}|\x41|\101", "Y"),
    (r"[\d\-]", "D"),
    (r"[]a-b-]", "D"),
    (r"[\s\S]", "s"),
    (r"a\z", "x"),
    (r"(a|b|c)*d", r"<\1>"),
]
REFUSED = [
    "(",
    ")",
    "[",
    "[z-a]",
    "*",
    "a**",
    "a{1001}",
    "a{2,1}",
    "(a{100}){100}",
    "a(?=b)",
    "(?<n>a)",
    r"(a)\1",
    r"\8",
    r"\h",
    r"a\Z",
    r"\p{Nope}",
    "(?P<n",
    "(?z)",
    "a\\",
]
CASES += [Case("RegexReplace", TEXT, pattern.encode(), rewrite.encode()) for pattern, rewrite in REPLACED]
CASES += [Case("RegexFullMatch", TEXT, pattern.encode()) for pattern in (r"\w+", ".*", "a|aaa", r"[^\n]*\n.*", "")]
CASES += [Case("RegexFullMatch", TEXT, pattern.encode()) for pattern in REFUSED]
CASES += [
    Case("RegexReplace", TEXT, b"b", b"<\\0>", replace_global=False),
    Case("RegexReplace", TEXT, words("a"), b"x"),
    Case("RegexFullMatch", TEXT, words("a", "b")),
    Case("RegexFullMatch", b"abc", b"abc"),
    Case("StaticRegexFullMatch", TEXT, pattern=".*a"),
    Case("StaticRegexFullMatch", TEXT, pattern="("),
    Case("StaticRegexReplace", TEXT, pattern="[ab]", rewrite=r"(\0)"),
    Case("StaticRegexReplace", TEXT, pattern="[ab]", rewrite=r"(\0)", replace_global=False),
]
