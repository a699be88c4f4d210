"""Names and patterns as functions of checkpoints are given them."""

from __future__ import annotations

from collections.abc import Iterable


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
