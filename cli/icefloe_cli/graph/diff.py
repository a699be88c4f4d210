"""`icefloe graph diff`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, count, emit_json

_SHOWN = 20


@click.command("diff")
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@click.option("--no-devices", is_flag=True, help="Do not compare devices.")
@click.option("--notes", is_flag=True, help="Compare attrs too that say nothing about values: recorded shapes, ...")
@click.option("--all", "everything", is_flag=True, help="Show all differences.")
@json_option()
@click.pass_context
def compare(ctx: click.Context, a: str, b: str, no_devices: bool, notes: bool, everything: bool, as_json: bool) -> None:
    """Say how graph B differs from graph A, node by node; exit code 1 if it does.

    Nodes are told by name; attrs that are left out have their defaults; constants are compared by value.

    \b
    Examples:
      icefloe graph diff old.pb new.pb
      icefloe graph diff model.ckpt-1.meta model.ckpt-2.meta --no-devices --json
    """
    import icefloe

    found = icefloe.graphs.diff(read_graph(a), read_graph(b), devices=not no_devices, notes=notes)
    if as_json:
        emit_json("graph.diff", {"a": a, "b": b, **found.as_data()})
    else:
        _show(found, None if everything else _SHOWN)
    if not found.same:
        ctx.exit(1)


def _show(found: Any, limit: int | None) -> None:
    for title, names in (("only in A", found.only_a), ("only in B", found.only_b)):
        if names:
            click.echo(f"{title} ({len(names)})")
            for name in names[:limit]:
                click.echo(f"  {name}")
            if limit is not None and len(names) > limit:
                click.echo(f"  ... and {len(names) - limit} more; --all shows them")
    changes = [*found.changes, *found.functions]
    if changes:
        table = Table(["node", "what", "A", "B"], wide=3)
        for change in changes[:limit]:
            table.add(change.node, change.what, change.a, change.b)
        table.show(f"changed ({len(changes)})")
        if limit is not None and len(changes) > limit:
            click.echo(f"... and {len(changes) - limit} more; --all shows them")
    click.echo("the graphs are the same" if found.same else f"{count(found.equal, 'node')} equal")
