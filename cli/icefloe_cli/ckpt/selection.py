"""Which tensors of a checkpoint a command is about, and which part of them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from typing import Any

import click


def chosen(names: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """Return the names that match one of `patterns`, `*` and `?` as in a shell; all without a pattern."""
    return [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, p) for p in patterns)]


_RANGE = re.compile(r"(-?\d+)?:(-?\d+)?(?::(-?\d+))?")


def index(text: str | None) -> tuple[Any, ...] | None:
    """Return a numpy index for a text such as `0:2,:,3`. Raises: click.BadParameter."""
    if text is None:
        return None
    parts: list[Any] = []
    for part in text.strip("[]").split(","):
        part = part.strip()
        found = _RANGE.fullmatch(part)
        if part == "...":
            parts.append(...)
        elif re.fullmatch(r"-?\d+", part):
            parts.append(int(part))
        elif found:
            parts.append(slice(*(None if n is None else int(n) for n in found.groups())))
        else:
            raise click.BadParameter(f"expected an index such as 0:2,:,3, got {text!r}", param_hint="--slice")
    return tuple(parts)
