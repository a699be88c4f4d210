"""RE2's syntax as a pattern of Python's `re`. Registers nothing.

A pattern is matched against text decoded as UTF-8 with `surrogateescape`: a byte that is part of no character stands as
one of U+DC80 to U+DCFF, which neither `.` nor a negated class matches, as in RE2. The classes of Perl and POSIX hold
ASCII only. Every class is written out as ranges, and case folding is put on each character, because RE2's flags may
change anywhere in a pattern.

What differs from RE2: `re` goes back on its steps, so that some patterns take time exponential in the text; `\\C` (one
byte) is refused; `\\B` matches between characters only, not inside of one; a class by script knows the scripts that
`SCRIPT_NAMES` lists.

Source: https://github.com/google/re2/wiki/Syntax.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from icefloe import errors
from icefloe.ops.string.script_ranges import SCRIPT_NAMES, script_ranges

Ranges: TypeAlias = list[tuple[int, int]]

MAX_REPEAT = 1000

_DIGIT: Ranges = [(0x30, 0x39)]
_SPACE: Ranges = [(0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)]
_WORD: Ranges = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_PERL = {"d": _DIGIT, "s": _SPACE, "w": _WORD}
_POSIX: dict[str, Ranges] = {
    "alnum": [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
    "alpha": [(0x41, 0x5A), (0x61, 0x7A)],
    "ascii": [(0x00, 0x7F)],
    "blank": [(0x09, 0x09), (0x20, 0x20)],
    "cntrl": [(0x00, 0x1F), (0x7F, 0x7F)],
    "digit": _DIGIT,
    "graph": [(0x21, 0x7E)],
    "lower": [(0x61, 0x7A)],
    "print": [(0x20, 0x7E)],
    "punct": [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    "space": [(0x09, 0x0D), (0x20, 0x20)],
    "upper": [(0x41, 0x5A)],
    "word": _WORD,
    "xdigit": [(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
}
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_WORD_EDGE = "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))"
_NO_EDGE = "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))"
_REPEAT = re.compile(r"\{(\d{1,9})(,(\d{0,9}))?\}")


def _negated(ranges: Ranges) -> Ranges:
    """Return all characters that are not in `ranges`; surrogates stand for no character and are in neither."""
    result: Ranges = []
    at = 0
    for low, high in [*sorted([*ranges, (0xD800, 0xDFFF)]), (sys.maxunicode + 1, sys.maxunicode + 1)]:
        if low > at:
            result.append((at, low - 1))
        at = max(at, high + 1)
    return result


@functools.cache
def _category(name: str) -> tuple[tuple[int, int], ...]:
    result: Ranges = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if result and result[-1][1] == code - 1:
                result[-1] = (result[-1][0], code)
            else:
                result.append((code, code))
    return tuple(result)


def _named(name: str) -> Ranges | None:
    """Return the characters of a general category or a script, None where there is no such name."""
    if name == "Any":
        return _negated([])
    if name in SCRIPT_NAMES:
        return list(script_ranges(SCRIPT_NAMES[name]))
    if 1 <= len(name) <= 2 and name[0] in "LMNPSZC":
        return list(_category(name)) or None
    return None


@dataclass(slots=True)
class _Flags:
    fold: bool = False
    many_lines: bool = False
    dot_all: bool = False
    ungreedy: bool = False


@dataclass(slots=True)
class _Group:
    """An open group: its flags, what it has so far, and how often its parts may be repeated by inner repetitions."""

    flags: _Flags
    opening: str
    pieces: list[str] = field(default_factory=list)
    weight: int = 1


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups = 0
        self.open = [_Group(_Flags(), "")]
        # What a repetition would apply to: None where there is nothing, and its weight.
        self.atom: str | None = None
        self.atom_weight = 1

    def fail(self, what: str, part: str) -> NoReturn:
        raise errors.InvalidArgumentError(f"Invalid pattern: {self.pattern}, error: {what}: {part}")

    @property
    def flags(self) -> _Flags:
        return self.open[-1].flags

    def put(self, atom: str, weight: int = 1) -> None:
        self.flush()
        self.atom, self.atom_weight = atom, weight

    def flush(self) -> None:
        if self.atom is not None:
            group = self.open[-1]
            group.pieces.append(self.atom)
            group.weight = max(group.weight, self.atom_weight)
            self.atom = None

    def put_ranges(self, ranges: Ranges, fold: bool = False) -> None:
        if not ranges:
            self.put("(?!)")
            return
        text = "".join(
            re.escape(chr(low)) + ("" if low == high else "-" + re.escape(chr(high))) for low, high in sorted(ranges)
        )
        self.put(f"(?i:[{text}])" if fold else f"[{text}]")

    def put_character(self, code: int) -> None:
        text = re.escape(chr(code))
        self.put(f"(?i:{text})" if self.flags.fold and chr(code).swapcase() != chr(code) else text)

    def translate(self) -> str:
        pattern = self.pattern
        while self.at < len(pattern):
            c = pattern[self.at]
            if c == "(":
                self.open_group()
            elif c == ")":
                self.close_group()
            elif c == "|":
                self.flush()
                self.open[-1].pieces.append("|")
                self.at += 1
            elif c in "*+?":
                self.repeat(self.at, self.at + 1, c, None)
            elif c == "{" and (found := _REPEAT.match(pattern, self.at)):
                self.counted(found)
            elif c == "[":
                self.character_class()
            elif c == "\\":
                self.escape()
            else:
                self.at += 1
                self.simple(c)
        if len(self.open) > 1:
            self.fail("missing )", pattern)
        self.flush()
        return "".join(self.open[0].pieces)

    def simple(self, c: str) -> None:
        if c == ".":
            self.put_ranges(_negated([] if self.flags.dot_all else [(10, 10)]))
        elif c == "^":
            self.put("(?m:^)" if self.flags.many_lines else "(?:\\A)")
        elif c == "$":
            self.put("(?m:$)" if self.flags.many_lines else "(?:\\Z)")
        else:
            self.put_character(ord(c))

    def open_group(self) -> None:
        pattern, start = self.pattern, self.at
        if not pattern.startswith("(?", start):
            self.flush()
            self.groups += 1
            self.open.append(_Group(replace(self.flags), "("))
            self.at += 1
            return
        if pattern.startswith("(?P<", start):
            end = pattern.find(">", start)
            if end < 0:
                self.fail("invalid named capture group", pattern[start:])
            name = pattern[start + 4 : end]
            if not re.fullmatch(r"\w+", name):
                self.fail("invalid named capture group", pattern[start : end + 1])
            self.flush()
            self.groups += 1
            self.open.append(_Group(replace(self.flags), "("))
            self.at = end + 1
            return
        flags = replace(self.flags)
        value = True
        any_flag = False
        self.at += 2
        while self.at < len(pattern):
            c = pattern[self.at]
            self.at += 1
            if c in "imsU":
                any_flag = True
                name = {"i": "fold", "m": "many_lines", "s": "dot_all", "U": "ungreedy"}[c]
                setattr(flags, name, value)
            elif c == "-" and value:
                value, any_flag = False, False
            elif c in ":)" and (value or any_flag):
                if c == ":":
                    self.flush()
                    self.open.append(_Group(flags, "(?:"))
                else:
                    # A repetition that follows is still of what stands before.
                    self.open[-1].flags = flags
                return
            else:
                self.fail("invalid perl operator", pattern[start : self.at])
        self.fail("missing )", pattern)

    def close_group(self) -> None:
        if len(self.open) == 1:
            self.fail("unexpected )", self.pattern)
        self.flush()
        group = self.open.pop()
        self.at += 1
        self.put(f"{group.opening}{''.join(group.pieces)})", group.weight)

    def counted(self, found: re.Match[str]) -> None:
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if least > MAX_REPEAT or (most is not None and (most > MAX_REPEAT or most < least)):
            self.fail("invalid repetition size", found[0])
        if self.atom is not None and max(least, most or 0) * self.atom_weight > MAX_REPEAT:
            self.fail("invalid repetition size", found[0])
        self.repeat(found.start(), found.end(), found[0], max(least, most or 0, 1))

    def repeat(self, start: int, end: int, operator: str, times: int | None) -> None:
        pattern = self.pattern
        lazy = pattern.startswith("?", end)
        end += lazy
        if self.atom is None:
            self.fail("no argument for repetition operator", pattern[start:end])
        if end < len(pattern) and (pattern[end] in "*+?" or _REPEAT.match(pattern, end)):
            second = _REPEAT.match(pattern, end)
            stop = second.end() if second else end + 1
            self.fail("bad repetition operator", pattern[start : stop + pattern.startswith("?", stop)])
        self.at = end
        self.atom = f"(?:{self.atom}{operator}{'?' if lazy != self.flags.ungreedy else ''})"
        self.atom_weight *= times or 1

    def escape(self) -> None:
        pattern, start = self.pattern, self.at
        if start + 1 == len(pattern):
            self.fail("trailing \\", "")
        c = pattern[start + 1]
        if c == "Q":
            end = pattern.find("\\E", start + 2)
            for literal in pattern[start + 2 : end if end >= 0 else len(pattern)]:
                self.put_character(ord(literal))
            self.at = end + 2 if end >= 0 else len(pattern)
            return
        zero_width = {"A": "(?:\\A)", "z": "(?:\\Z)", "b": _WORD_EDGE, "B": _NO_EDGE}.get(c)
        if zero_width:
            self.at += 2
            self.put(zero_width)
        elif c == "C":
            raise errors.UnimplementedError(f"Pattern {pattern!r}: \\C, a single byte, is not supported")
        else:
            ranges = self.class_escape()
            if ranges is None:
                self.put_character(self.character_escape())
            else:
                self.put_ranges(ranges)

    def class_escape(self) -> Ranges | None:
        """Return the characters of an escape that names a class, having passed it; None where it is none."""
        pattern, start = self.pattern, self.at
        c = pattern[start + 1 : start + 2]
        if c.lower() in _PERL and c:
            self.at += 2
            ranges = _PERL[c.lower()]
            return ranges if c.islower() else _negated(ranges)
        if c not in ("p", "P"):
            return None
        end = start + 3
        name = pattern[start + 2 : end]
        if name == "{":
            end = pattern.find("}", start) + 1
            if not end:
                self.fail("invalid character class range", pattern[start:])
            name = pattern[start + 3 : end - 1]
        negate = (c == "P") != name.startswith("^")
        found = _named(name.removeprefix("^"))
        if found is None:
            self.fail("invalid character class range", pattern[start:end])
        self.at = end
        return _negated(found) if negate else found

    def character_escape(self) -> int:
        """Return the character of an escape, having passed it."""
        pattern, start = self.pattern, self.at
        c = pattern[start + 1 : start + 2]
        if c in _CONTROL and c:
            self.at += 2
            return _CONTROL[c]
        if c == "x" and (found := re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))").match(pattern, start)):
            code = int(found[1] or found[2], 16)
            if code <= sys.maxunicode:
                self.at = found.end()
                return code
        elif found := re.compile(r"\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})").match(pattern, start):
            self.at = found.end()
            return int(found[0][1:], 8)
        elif c and ord(c) < 0x80 and not c.isalnum() and c != "_":
            self.at += 2
            return ord(c)
        return self.fail("invalid escape sequence", pattern[start : start + 2])

    def character_class(self) -> None:
        pattern, start = self.pattern, self.at
        self.at += 1
        negate = pattern.startswith("^", self.at)
        self.at += negate
        ranges: Ranges = []
        first = True
        while first or not pattern.startswith("]", self.at):
            if self.at >= len(pattern):
                self.fail("missing ]", pattern[start:])
            first = False
            ranges += self.class_item(start)
        self.at += 1
        if self.flags.fold and negate:
            # Folded before it is negated: [^k] matches no K either.
            ranges = [*ranges, *_folded(ranges)]
        self.put_ranges(_negated(ranges) if negate else ranges, self.flags.fold)

    def class_item(self, start: int) -> Ranges:
        pattern = self.pattern
        if pattern.startswith("[:", self.at):
            end = pattern.find(":]", self.at)
            if end >= 0:
                name = pattern[self.at + 2 : end]
                found = _POSIX.get(name.removeprefix("^"))
                if found is None:
                    self.fail("invalid character class range", pattern[self.at : end + 2])
                self.at = end + 2
                return _negated(found) if name.startswith("^") else found
        if pattern[self.at] == "\\" and (ranges := self.class_escape()) is not None:
            return ranges
        item = self.at
        low = high = self.class_character(start)
        if pattern.startswith("-", self.at) and not pattern.startswith("-]", self.at) and self.at + 1 < len(pattern):
            self.at += 1
            high = self.class_character(start)
            if high < low:
                self.fail("invalid character class range", pattern[item : self.at])
        return [(low, high)]

    def class_character(self, start: int) -> int:
        if self.at >= len(self.pattern):
            self.fail("missing ]", self.pattern[start:])
        c = self.pattern[self.at]
        if c == "\\":
            if self.at + 1 == len(self.pattern):
                self.fail("trailing \\", "")
            return self.character_escape()
        self.at += 1
        return ord(c)


def _folded(ranges: Ranges) -> Ranges:
    """Return the other cases of the letters in `ranges`, as far as they lie in a range that is not huge."""
    return [
        (ord(other), ord(other))
        for low, high in ranges
        for code in range(low, min(high, low + 0x1000) + 1)
        for other in (chr(code).lower(), chr(code).upper())
        if len(other) == 1 and ord(other) != code
    ]


@functools.lru_cache(maxsize=256)
def compile_re2(pattern: bytes) -> re.Pattern[str]:
    """Return RE2's pattern compiled for `re`, to be matched against text as `decoded` gives it.

    Raises: InvalidArgumentError for a pattern that RE2 refuses, in its words; UnimplementedError for `\\C`.
    """
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        shown = pattern.decode("utf-8", "backslashreplace")
        raise errors.InvalidArgumentError(f"Invalid pattern: {shown}, error: invalid UTF-8") from None
    translated = _Parser(text).translate()
    try:
        return re.compile(translated)
    except (re.error, OverflowError, RecursionError) as e:
        raise errors.InvalidArgumentError(f"Invalid pattern: {text}, error: {e}") from e


def decoded(s: bytes) -> str:
    return s.decode("utf-8", "surrogateescape")


def encoded(s: str) -> bytes:
    return s.encode("utf-8", "surrogateescape")
