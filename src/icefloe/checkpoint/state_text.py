"""The text of a state file, also as people and editors leave it.

Besides what protobuf's text format takes: a byte order mark, UTF-16 (PowerShell's `>`), names in Latin-1, fields of
later releases, and lines written by hand, with `=`, without quotes, or with the backslashes of Windows as they are.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icefloe.proto import CheckpointState

_LINE = re.compile(r"\s*(?P<field>[a-z_]+)\s*[:=]\s*(?P<value>.*?)\s*;?\s*")
_PATHS = frozenset(("model_checkpoint_path", "all_model_checkpoint_paths"))
_OTHERS = frozenset(("all_model_checkpoint_timestamps", "last_preserved_timestamp"))
# A drive, then one backslash: text format would take it for the start of an escape, `\r` or `\x12`.
_WINDOWS = re.compile(r"""[:=]\s*["']?[A-Za-z]:\\(?!\\)""")
_BARE = re.compile(r"[\w./\\~:@%+,=?-]+")
_SHOWN = 200  # characters of the reason why a text does not parse


def read_text(data: bytes) -> CheckpointState:
    """Return the CheckpointState in `data`, paths as they are. Raises: ValueError, which says why, if it is none."""
    from google.protobuf import text_format

    from icefloe.proto import POOL, CheckpointState

    text = _decoded(data)
    if data.strip() and not text:
        raise ValueError("a byte order mark is all that it holds")
    state = CheckpointState()
    if _WINDOWS.search(text) and _read_lines(text, state):
        return state
    state.Clear()
    try:
        text_format.Merge(text, state, allow_unknown_field=True, descriptor_pool=POOL)
    except (text_format.ParseError, ValueError, RecursionError) as e:
        state.Clear()
        if _read_lines(text, state):
            return state
        reason = "".join(c if c.isprintable() else " " for c in str(e)[: 2 * _SHOWN])
        raise ValueError(" ".join(reason.split())[:_SHOWN]) from None
    return state


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _read_lines(text: str, state: CheckpointState) -> bool:
    """Fill `state` from lines of a name and a path, which is taken literally; return whether all lines are such."""
    for line in re.split(r"[\r\n]+", text):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None or found["field"] not in _PATHS | _OTHERS:
            return False
        if found["field"] in _OTHERS:
            continue
        path = _unquoted(found["value"])
        if not path:
            return False
        if found["field"] == "model_checkpoint_path":
            state.model_checkpoint_path = path
        else:
            state.all_model_checkpoint_paths.append(path)
    return bool(state.model_checkpoint_path)


def _unquoted(value: str) -> str | None:
    """Return a value without its quotes; None where one of the two is missing: the name may be cut off."""
    quotes = value[:1] in "\"'", value[-1:] in "\"'"
    if not any(quotes):
        return value if _BARE.fullmatch(value) else None
    if len(value) < 2 or value[0] != value[-1]:
        return None
    return value[1:-1] if value[1:-1].isprintable() else None
