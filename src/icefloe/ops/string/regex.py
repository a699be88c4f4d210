"""Strings matched against and changed by regular expressions: RegexFullMatch, RegexReplace, and their static forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.string.elements import Array, flat, mapped
from icefloe.ops.string.re2 import compile_re2, decoded, encoded
from icefloe.shapes import Dims, shape_text


def _full_match(x: Any, pattern: bytes) -> Array:
    match = compile_re2(pattern).fullmatch
    return np.array([match(decoded(s)) is not None for s in flat(x)], bool).reshape(np.shape(x))


def _scalar(value: Any, name: str) -> bytes:
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"{name} must be scalar, but received {shape_text(np.shape(value))}")
    return value.item()


def _bytes(attr: str | bytes) -> bytes:
    return attr if isinstance(attr, bytes) else attr.encode()


@kernel("RegexFullMatch")
def regex_full_match(x: Any, pattern: Any) -> Array:
    """Whether the whole of each string matches."""
    return _full_match(x, _scalar(pattern, "Pattern"))


@kernel("StaticRegexFullMatch")
def static_regex_full_match(x: Any, *, pattern: str | bytes) -> Array:
    return _full_match(x, _bytes(pattern))


def _rewriter(rewrite: str, groups: int) -> Callable[[re.Match[str]], str] | None:
    """Return what makes the text for a match, or None where `rewrite` names a group that the pattern lacks.

    What follows an escape other than a digit or a backslash is left out, as RE2 gives up there.
    """
    parts: list[str | int] = []
    at = 0
    while at < len(rewrite):
        c = rewrite[at]
        if c != "\\":
            parts.append(c)
            at += 1
            continue
        escape = rewrite[at + 1 : at + 2]
        at += 2
        if escape.isdigit() and escape.isascii():
            parts.append(int(escape))
        elif escape == "\\":
            parts.append("\\")
        else:
            break
    if any(isinstance(part, int) and part > groups for part in parts):
        return None
    return lambda match: "".join(part if isinstance(part, str) else match[part] or "" for part in parts)


def _is_valid(rewrite: bytes) -> bool:
    """Return whether every escape in `rewrite` is of a digit or a backslash."""
    return re.fullmatch(rb"(?s:[^\\]|\\[0-9\\])*", rewrite) is not None


def _replace(x: Any, pattern: bytes, rewrite: bytes, everywhere: bool) -> Array:
    compiled = compile_re2(pattern)
    text_of = _rewriter(decoded(rewrite), compiled.groups)
    # Where RE2 replaces one match, it replaces none by a text that it had to give up.
    if text_of is None or not (everywhere or _is_valid(rewrite)):
        return np.asarray(x).copy()

    def replaced(s: bytes) -> bytes:
        text = decoded(s)
        pieces: list[str] = []
        copied = at = 0
        last_end = -1
        while at <= len(text) and (match := compiled.search(text, at)):
            start, end = match.span()
            if start == end == last_end:
                # An empty match next to the last one counts for nothing: look from the next character on.
                at += 1
                continue
            pieces += (text[copied:start], text_of(match))
            copied = at = last_end = end
            if not everywhere:
                break
        return encoded("".join((*pieces, text[copied:])))

    return mapped(replaced, x)


@kernel("RegexReplace")
def regex_replace(x: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Array:
    """Each match, or the first only, replaced by `rewrite`, in which `\\\\1` is what the first group matched."""
    return _replace(x, _scalar(pattern, "Pattern"), _scalar(rewrite, "Rewrite"), replace_global)


@kernel("StaticRegexReplace")
def static_regex_replace(x: Any, *, pattern: str | bytes, rewrite: str | bytes, replace_global: bool) -> Array:
    return _replace(x, _bytes(pattern), _bytes(rewrite), replace_global)


@shape("RegexFullMatch", "StaticRegexFullMatch", "RegexReplace", "StaticRegexReplace")
def regex_shape(c: ShapeContext) -> list[Dims]:
    for i in range(1, c.num_inputs):
        with_rank(c.shape(i), 0)
    return [c.shape(0)]
