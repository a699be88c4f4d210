"""How a checkpoint fits a graph: what would be restored, what is missing, what would be left over, and which renames
would help.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.saver.graph_variables import saver_for
from icefloe.saver.restore_report import RestoreReport


@dataclass(frozen=True, slots=True)
class GraphMatch:
    """How a checkpoint fits a graph.

    report: tensor by tensor. renames: stored name -> the name that the graph wants, where a stored tensor that nothing
    else wants has the shape and is likely meant. rules: those renames as substitutions `s/pattern/text/`, where a few
    say them all.
    """

    report: RestoreReport
    renames: dict[str, str]
    rules: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether all the graph wants is there."""
        return self.report.fits

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**self.report.as_data(), "renames": self.renames, "rules": list(self.rules)}


def graph_match(graph: Graph, checkpoint: str | os.PathLike[str]) -> GraphMatch:
    """Return how the checkpoint at a path fits `graph`: the variables that its Saver would restore.

    The Saver is that of the graph's MetaGraphDef or of its collections; without one, all variables of the graph.

    Raises: NotFoundError if there is no checkpoint; InvalidArgumentError if the graph has no variables, or computes the
    names that it restores.
    """
    report = saver_for(graph).match(checkpoint, graph)
    if report is None:
        raise errors.InvalidArgumentError("the graph computes the names that it restores: run it to know them")
    renames = _renames(report)
    return GraphMatch(report, renames, tuple(_rules(renames)))


def _renames(report: RestoreReport) -> dict[str, str]:
    """Return the first suggestion of each missing name, where no other name is better served by it."""
    left_over = set(report.unexpected)
    renames: dict[str, str] = {}
    for wanted in report.missing:
        for stored in report.suggestions.get(wanted.key, []):
            if stored in left_over and stored not in renames:
                renames[stored] = wanted.key
                break
    return renames


def _rules(renames: dict[str, str]) -> list[str]:
    """Return substitutions that make all of the renames, if at most three do."""
    counts = Counter(_difference(stored, wanted) for stored, wanted in renames.items())
    if not renames or len(counts) > 3 or len(counts) == len(renames) > 1:
        return []
    return [rule for rule, _ in counts.most_common()]


def _difference(stored: str, wanted: str) -> str:
    """Return the substitution that makes one name of another: of its first parts, its last part or the whole."""
    old, new = stored.split("/"), wanted.split("/")
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old.pop()
        new.pop()
    if old[-1] == new[-1]:  # a scope more or less in front
        scope = "/".join((old if len(old) > len(new) else new)[:-1]) + "/"
        return f"s/^{_escaped(scope)}//" if len(old) > len(new) else f"s/^/{_escaped(scope)}/"
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        del old[0], new[0]
    return f"s/{_escaped('/'.join(old))}/{_escaped('/'.join(new))}/"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("/", "\\/").replace(".", "\\.")
