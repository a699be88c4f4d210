"""What transforms report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from icefloe.proto import GraphDef


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass did: how many nodes it took out, added and changed, and what a person should know."""

    name: str
    removed: int = 0
    added: int = 0
    changed: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Whether the new graph gives what the old one gave on the same random feeds.

    status: "equal", "different", "not checked" where the old graph does not run here. detail: in words.
    largest_difference: of any element.
    """

    status: str
    detail: str = ""
    largest_difference: float = 0.0


@dataclass(frozen=True)
class Transformed:
    """A new graph and how it came about.

    inputs, outputs: names of tensors. initializers: operations to run once before, such as those that fill tables.
    check: None where it was not asked for.
    """

    graph_def: GraphDef = field(repr=False)
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    passes: tuple[PassReport, ...]
    nodes_before: int
    initializers: tuple[str, ...] = ()
    check: Check | None = None

    @property
    def nodes(self) -> int:
        """How many nodes the new graph has."""
        return len(self.graph_def.node)

    def as_data(self) -> dict[str, Any]:
        """Return all but the graph, as JSON holds it."""
        return {
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "initializers": list(self.initializers),
            "nodes_before": self.nodes_before,
            "nodes": self.nodes,
            "passes": [asdict(p) for p in self.passes],
            "check": None if self.check is None else asdict(self.check),
        }


def notes(lines: Sequence[str], most: int = 20) -> tuple[str, ...]:
    """Return notes for a report, cut to `most` with a last one that counts the rest."""
    shown = tuple(lines[:most])
    return shown if len(lines) <= most else (*shown, f"... and {len(lines) - most} more")


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, without the quotes that a KeyError puts around it."""
    said = error.args[0] if isinstance(error, KeyError) and error.args else error
    return (str(said).splitlines() or [type(error).__name__])[0]
