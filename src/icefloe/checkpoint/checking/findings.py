"""What a check of a checkpoint found, as data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    kind: "index" a part of the index, "entry" an entry that makes no sense, "missing" a file, "short" a file that
    ends too early, "checksum", "content" strings or variants that do not add up, "overlap" tensors that share bytes,
    "slices" of a partitioned tensor that do not make the whole.
    tensor: its name, with the slice where it is one; None where it is no single tensor.
    path, offset: where. stored, actual: checksums, or sizes in bytes of a file: needed and found.
    """

    kind: str
    message: str
    tensor: str | None = None
    path: str | None = None
    offset: int | None = None
    stored: int | None = None
    actual: int | None = None


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A file of the checkpoint: its size in bytes (None where it is missing), how many the index needs (None where
    that is not known), and how many tensors it holds.
    """

    path: str
    size: int | None
    needed: int | None
    tensors: int


@dataclass(slots=True)
class Verification:
    """The answer of `verify`.

    format: "V2", "V1", or the kind of another file.   blocks: blocks of the index.   bytes_checked: of tensors.
    intact, damaged: names of tensors.   problems: what is wrong; without any, `ok`.
    diagnoses: what has happened to the files, as far as the damage tells.
    notes: what is unusual, but does no harm to readers: gaps, bytes behind the last tensor, left-over files.
    """

    prefix: str
    format: str
    files: list[FileCheck] = field(default_factory=list)
    blocks: int = 0
    bytes_checked: int = 0
    intact: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    diagnoses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def tensors(self) -> int:
        """How many tensors the index names, as far as it can be read."""
        return len(self.intact) + len(self.damaged)
