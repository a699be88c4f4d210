"""Names and patterns as functions of checkpoints are given them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from icefloe import errors


def pattern_list(given: Iterable[str] | str) -> list[str]:
    """Return patterns as a list; one by itself is meant as a list of one, not as its letters.

    Raises: TypeError for what is no string.
    """
    if isinstance(given, str):
        return [given]
    try:
        patterns = list(given)
    except TypeError:
        raise TypeError(f"expected names or patterns, got {given!r}") from None
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(f"expected names or patterns as strings, got {pattern!r}")
    return patterns


def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression. Raises: InvalidArgumentError if it is none."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of Python, on what later versions may read otherwise
            return re.compile(expression, flags)
    except (re.error, OverflowError, RecursionError) as e:
        raise errors.InvalidArgumentError(f"{expression!r} is no regular expression: {e}") from None
