"""The result of `identify`, and how its parts are worded."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from icefloe.checkpoint.locating import sniff
from icefloe.checkpoint.locating.sniff import Finding

HINTS = sniff.HINTS | {"data_shard": "Give the prefix or the .index file; they work all the same."}


@dataclass(frozen=True, slots=True)
class Identification:
    """What a path is.

    kind: a short word: `checkpoint`, `v1_checkpoint`, `data_shard`, `state`, `graph`, `graph_text`, `graph_json`,
    `meta_graph`, `meta_graph_text`, `saved_model`,
        `saved_model_directory`, `checkpoint_directory`, `event_file`, `hdf5`, `npz`, `npy`, `onnx`, `tflite`,
        `safetensors`, `keras`, `tfjs`, `git_lfs`, `html`, `zip`, `text`, `empty`, `missing`, `unknown` and others.
    words: the same for people, to be read after "this is".
    details: what else is known, by kind; JSON can hold it.
    hint: what the user can do, or None.
    """

    path: str
    kind: str
    words: str
    details: dict[str, Any] = field(default_factory=dict)
    hint: str | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.words}" + (f" ({self.hint})" if self.hint else "")

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {"path": self.path, "kind": self.kind, "words": self.words, "details": self.details, "hint": self.hint}


def named(path: str, finding: Finding) -> Identification:
    """Return a finding of which no more than its kind and the file's size is told."""
    return Identification(
        path, finding.kind, finding.description, {"bytes": os.path.getsize(path)}, HINTS.get(finding.kind)
    )


def count(number: int, noun: str) -> str:
    """Return `1 node`, `3 nodes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size_text(size: int) -> str:
    """Return a number of bytes as people read it."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.3g} {unit}"
    return f"{amount:.0f} TB"
