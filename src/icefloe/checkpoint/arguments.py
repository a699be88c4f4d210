"""Arguments of public functions, checked before work begins: a wrong type is named, with what is expected."""

from __future__ import annotations

import numbers
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from icefloe import errors


def as_number(value: Any, what: str) -> float:
    """Return a real number. Raises: TypeError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what}: expected a number, got {_shown(value)}")
    return float(value)


def as_whole(value: Any, what: str) -> int:
    """Return a whole number, of Python or numpy. Raises: TypeError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{what}: expected a whole number, got {_shown(value)}")
    return int(value)


def as_text(value: Any, what: str) -> str:
    """Return a text. Raises: TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected text (str), got {_shown(value)}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """Return the items of a list, a tuple, a generator. Raises: TypeError for a text, a path, or what has none."""
    if not isinstance(value, (str, bytes)) and not hasattr(value, "__fspath__"):
        try:
            return list(value)
        except TypeError:
            pass
    raise TypeError(f"{what}: expected a list, got {_shown(value)}")


def as_mapping(value: Any, contents: str) -> Mapping[Any, Any]:
    """Return a mapping, or what has `items` as one. contents: what it maps, in words. Raises: TypeError."""
    if not hasattr(value, "items"):
        raise TypeError(f"expected a mapping {contents}, got {type(value).__name__}")
    mapping: Mapping[Any, Any] = value
    return mapping


def as_patterns(given: Iterable[str] | str) -> list[str]:
    """Return names or patterns as a list; one by itself is meant as a list of one, not as its letters.

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


def as_expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression. Raises: InvalidArgumentError if it is none."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of Python, on what later versions may read otherwise
            return re.compile(text, flags)
    except (re.error, OverflowError, RecursionError) as e:
        raise errors.InvalidArgumentError(f"{text!r} is no regular expression: {e}") from None


def check_progress(value: Any) -> Callable[[int], object] | None:
    """Return what is called with the bytes done, or None. Raises: TypeError."""
    if value is not None and not callable(value):
        raise TypeError(f"progress: expected a function of the bytes done, got {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
