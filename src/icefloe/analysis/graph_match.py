"""How a checkpoint fits a graph: what would be restored, what is missing, what would be left over, and which renames
would help.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from icefloe import errors
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.graph.graph import Graph
from icefloe.saver.graph_variables import saver_for
from icefloe.saver.likely_renames import as_rules
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


@takes_graphs()
def graph_match(graph: Graph, checkpoint: str | os.PathLike[str]) -> GraphMatch:
    """Return how the checkpoint at a path fits `graph`: the variables that its Saver would restore.

    The Saver is that of the graph's MetaGraphDef or of its collections; without one, all variables of the graph.

    Raises: NotFoundError if there is no checkpoint; InvalidArgumentError if the graph has no variables, or computes the
    names that it restores.
    """
    report = saver_for(graph).match(checkpoint, graph)
    if report is None:
        raise errors.InvalidArgumentError("the graph computes the names that it restores: run it to know them")
    renames = report.renames
    return GraphMatch(report, renames, tuple(as_rules(renames, (w.key for w in report.matched))))
