"""`icefloe graph match`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, emit_json
from icefloe_cli.restore_command import report_table


@click.command("match")
@click.argument("graph", type=click.Path())
@click.argument("checkpoint", type=click.Path())
@json_option()
@click.pass_context
def match(ctx: click.Context, graph: str, checkpoint: str, as_json: bool) -> None:
    """Say how CHECKPOINT fits GRAPH, tensor by tensor, with renames that would help; exit code 1 if it does not fit.

    Nothing is restored or changed.

    \b
    Examples:
      icefloe graph match model.meta model.ckpt-30
      icefloe graph match other_model.meta bert_model.ckpt --json
    """
    import icefloe

    found = icefloe.graphs.match(read_graph(graph), checkpoint)
    if as_json:
        emit_json("graph.match", {"graph": graph, "checkpoint": checkpoint, **found.as_data()})
    else:
        report_table(found.report).show()
        click.echo(found.report.summary())
        _show_renames(found)
    if not found.fits:
        ctx.exit(1)


def _show_renames(found: Any) -> None:
    if not found.renames:
        return
    click.echo()
    if found.rules:
        click.echo("renames that would help, as substitutions of `icefloe ckpt rename`:")
        for rule in found.rules:
            click.echo(f"  {rule}")
        return
    table = Table(["stored as", "wanted as"], wide=1)
    for stored, wanted in found.renames.items():
        table.add(stored, wanted)
    table.show("renames that would help")
