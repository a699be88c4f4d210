"""`icefloe graph io`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, count, emit_json, note, shape_text

_SHOWN = 10


@click.command("io")
@click.argument("graph", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="List all candidates for outputs, not the first ten.")
@json_option()
def inputs_and_outputs(graph: str, everything: bool, as_json: bool) -> None:
    """List what GRAPH takes and gives: tensors to feed, and the likely results, each with the reason.

    Signatures come first. Without them the ends of the graph are ranked, once gradients, updates, savers, summaries,
    checks and initial values are taken away.

    \b
    Examples:
      icefloe graph io frozen.pb
      icefloe graph io model.ckpt-30.meta --all
      icefloe graph io saved_model_dir/ --json
    """
    import icefloe

    found = icefloe.graphs.io(read_graph(graph))
    if as_json:
        emit_json("graph.io", {"graph": graph, **found.as_data()})
        return
    _show("inputs", found.inputs, None)
    click.echo()
    _show("outputs, the likeliest first", found.outputs, None if everything else _SHOWN)


def _show(title: str, rows: Any, limit: int | None) -> None:
    if not rows:
        click.echo(f"{title.split(',')[0]}: none")
        return
    table = Table(["name", "dtype", "shape", "why"], wide=3)
    for row in rows[:limit]:
        table.add(row.name, row.dtype, shape_text(row.shape), "; ".join(row.reasons))
    table.show(f"{title} ({len(rows)})")
    if limit is not None and len(rows) > limit:
        note(f"... and {count(len(rows) - limit, 'candidate')} more; --all lists them")
