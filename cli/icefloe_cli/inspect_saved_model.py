"""What `icefloe inspect` shows of a SavedModel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from icefloe_cli.output import Table, fields


def saved_model_data(path: str, tags: Sequence[str] | None) -> tuple[dict[str, Any], Any]:
    """Return what the SavedModel says of itself, as JSON holds it, and the graph of these tags.

    tags: None is the graph that would be loaded; where none would be, the second result is None.
    """
    import icefloe

    data: dict[str, Any] = icefloe.describe_saved_model(path).as_data()
    try:
        graph = icefloe.load_graph(path, tags)
    except icefloe.errors.NotFoundError:
        if tags is not None:
            raise
        graph = None
    return data, graph


def show_saved_model(
    data: dict[str, Any], limit: int | None, *, show_graph: Callable[[dict[str, Any], int | None], None]
) -> None:
    """Print what `saved_model_data` returned, then the chosen graph."""
    model = data["saved_model"]
    fields(
        [
            ("file", model["path"]),
            ("variables", model["variables"] or "none: there is no checkpoint"),
            ("fingerprint", model["fingerprint"] or ""),
        ]
    )
    if len(model["graphs"]) > 1:
        table = Table(["tags", "nodes", "functions", "signatures"], right=frozenset((1, 2)))
        for graph in model["graphs"]:
            table.add(_tags(graph), f"{graph['nodes']:,}", f"{graph['functions']:,}", ", ".join(graph["signatures"]))
        click.echo()
        table.show(f"graphs ({len(model['graphs'])}); --tags shows another")
    for graph in model["graphs"]:
        _show_start(graph, limit)
    if "graph" in data:
        click.echo()
        show_graph(data, limit)


def _tags(graph: dict[str, Any]) -> str:
    return ", ".join(graph["tags"]) or "(no tags)"


def _show_start(graph: dict[str, Any], limit: int | None) -> None:
    """Print how a graph is restored and initialised, and the functions of its objects."""
    objects = ", ".join(f"{kind} {number}" for kind, number in graph["objects"].items())
    calls = graph["calls"][:limit]
    more = "" if len(calls) == len(graph["calls"]) else f", and {len(graph['calls']) - len(calls)} more"
    click.echo()
    click.echo(f"graph {_tags(graph)}")
    fields(
        [
            ("restored by", graph["saver"] or ""),
            ("initialised by", graph["init_op"] or ""),
            ("assets", ", ".join(f"{file} ({tensor})" for tensor, file in graph["assets"].items())),
            ("objects", objects),
            ("functions", ", ".join(calls) + more),
        ]
    )
