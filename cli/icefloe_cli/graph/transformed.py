"""What commands that write a changed graph have in common: the file and the report."""

from __future__ import annotations

import sys
from typing import Any

import click

from icefloe_cli.output import Table, count, emit_json, note


def write_result(result: Any, output: str) -> None:
    """Write the new graph; the suffix gives the form, `-` is a binary GraphDef on stdout."""
    import icefloe

    if output == "-":
        data: bytes = result.graph_def.SerializeToString(deterministic=True)
        sys.stdout.buffer.write(data)
        return
    icefloe.save_graph(result.graph_def, output)


def show_report(command: str, graph: str, output: str | None, result: Any, as_json: bool) -> None:
    """Show what the passes did, and whether old and new graph agree."""
    if output == "-":
        note(f"{count(result.nodes_before, 'node')} before, {result.nodes:,} now")
        return
    if as_json:
        emit_json(command, {"graph": graph, "output": output, **result.as_data()})
        return
    table = Table(["pass", "removed", "added", "changed"], right=frozenset((1, 2, 3)))
    for step in result.passes:
        table.add(step.name, *(str(n) if n else "" for n in (step.removed, step.added, step.changed)))
    table.show()
    for step in result.passes:
        for line in step.notes:
            click.echo(f"  {step.name}: {line}")
    click.echo(f"inputs   {', '.join(result.inputs) or 'none'}")
    click.echo(f"outputs  {', '.join(result.outputs)}")
    if result.initializers:
        click.echo(f"run once before: {', '.join(result.initializers)}")
    if result.check is not None:
        click.echo(f"check    {result.check.status}: {result.check.detail}")
    what = f"{count(result.nodes_before, 'node')} before, {result.nodes:,} now"
    note(f"{output}: {what}" if output else what)
