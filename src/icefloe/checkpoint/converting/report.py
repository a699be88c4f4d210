"""What a conversion reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class LayoutChange:
    """A kernel whose axes were moved. kind: as in `layouts`. before, after: shapes. why: what said so."""

    kind: str
    before: list[int]
    after: list[int]
    why: str


@dataclass
class Conversion:
    """What a conversion did.

    source, destination: paths. source_format, format: "V2", "V1", "npz", "h5", "keras", "safetensors".
    tensors, bytes: what was written. in_side_entry: tensors of strings or variants that the side entry holds.
    dropped: tensors that were left out because that was asked for. left_out: what the source holds but no tensor can
    hold, with why. kept: weights of the template that the source has not.
    renamed: name in the source -> name in the destination, where it is another. unmatched: rules of names or layouts
    that no tensor matched. layouts: tensors, by name in the source, whose axes were moved. layout_kept: with
    layout="torch", the other tensors of rank 2 and more, with why.
    """

    source: str
    destination: str
    source_format: str
    format: str
    tensors: int = 0
    bytes: int = 0
    in_side_entry: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)
    layouts: dict[str, LayoutChange] = field(default_factory=dict)
    layout_kept: dict[str, str] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain dicts and lists."""
        return asdict(self)
