"""What every edit of a checkpoint reports."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Called with (bytes done, bytes in all) while a checkpoint is written.
Progress = Callable[[int, int], None]


@dataclass(kw_only=True)
class EditReport:
    """What an edit did, or with `dry_run` would do.

    source, output: prefixes.   tensors, bytes, shards: what the output holds.
    copied, computed: how many of the bytes were taken over as they are, and how many were made anew.
    """

    source: str = ""
    output: str = ""
    dry_run: bool = False
    tensors: int = 0
    bytes: int = 0
    shards: int = 1
    copied: int = 0
    computed: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return the report as plain dicts and lists."""
        return dataclasses.asdict(self)
