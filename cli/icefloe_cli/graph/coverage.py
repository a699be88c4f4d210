"""`icefloe graph ops --coverage`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.output import Table, emit_json


def show_coverage(family: str | None, missing: bool, as_json: bool) -> None:
    """Print how many of TensorFlow's ops are computed here, by family.

    family: that one only. missing: name what is not computed too.
    """
    import icefloe

    found = icefloe.graphs.coverage(family)
    if as_json:
        emit_json("graph.ops.coverage", _as_data(found))
        return
    table = Table(
        ["family", "computed", "of", "%", *(["missing"] if missing else [])], right=frozenset((1, 2, 3)), wide=4
    )
    for row in found.families:
        _add(table, row.family, len(row.computed), row.total, " ".join(row.missing) if missing else None)
    if family is None:
        _add(table, "all", found.computed, found.total, "" if missing else None)
    table.show()


def _add(table: Table, name: str, computed: int, total: int, missing: str | None) -> None:
    # Rounded down, so that 100 says that nothing is missing.
    percent = str(100 * computed // total)
    table.add(name, str(computed), str(total), percent, *([] if missing is None else [missing]))


def _as_data(found: Any) -> dict[str, Any]:
    return {
        "computed": found.computed,
        "total": found.total,
        "families": [
            {"family": row.family, "computed": list(row.computed), "missing": list(row.missing)}
            for row in found.families
        ],
    }


def check_usage(graph: str | None, coverage: bool, family: str | None, missing: bool) -> None:
    """Raises: UsageError unless either a graph or --coverage is asked about."""
    if coverage and graph is not None:
        raise click.UsageError("--coverage is about this program: it takes no GRAPH.")
    if not coverage and (family is not None or missing):
        raise click.UsageError("--family and --missing go with --coverage.")
    if not coverage and graph is None:
        raise click.UsageError("Missing argument 'GRAPH'.")
