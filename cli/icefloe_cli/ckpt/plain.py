"""Answers of the library as data for JSON, and numbers as short text."""

from __future__ import annotations

import dataclasses
import math
from typing import Any


def as_data(value: Any) -> Any:
    """Return a dataclass, its lists and numbers, as JSON knows them; NaN and infinities are texts."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {k: as_data(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def number(value: float | int | None) -> str:
    """Return a number in few digits; an empty text for None."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"
