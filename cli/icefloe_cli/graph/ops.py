"""`icefloe graph ops`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.graph.coverage import check_usage, show_coverage
from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, count, emit_json

_SHOWN = 30


@click.command("ops")
@click.argument("graph", type=click.Path(), required=False)
@click.option("--fetch", "fetches", multiple=True, metavar="NAME", help="What you want to run. May be repeated.")
@click.option("--feed", "feeds", multiple=True, metavar="NAME", help="What you will feed. May be repeated.")
@click.option("--all", "everything", is_flag=True, help="List all kinds of ops.")
@click.option("--coverage", is_flag=True, help="Say how many of TensorFlow's ops run here, by family.")
@click.option("--family", metavar="NAME", help="With --coverage: that family only.")
@click.option("--missing", is_flag=True, help="With --coverage: name the ops that do not run.")
@json_option()
@click.pass_context
def list_ops(
    ctx: click.Context,
    graph: str | None,
    fetches: tuple[str, ...],
    feeds: tuple[str, ...],
    everything: bool,
    coverage: bool,
    family: str | None,
    missing: bool,
    as_json: bool,
) -> None:
    """Count the ops of GRAPH and say whether they run here; exit code 1 if the fetches cannot run.

    Of ops that do not run it is told which ones the fetches really need, what to feed instead of them, and which
    tensors before them can be computed. Without --fetch the outputs of signatures are meant, or else the likeliest
    output.

    \b
    Examples:
      icefloe graph ops frozen.pb
      icefloe graph ops detector.pb --fetch detection_boxes --feed image_tensor:0
      icefloe graph ops saved_model_dir/ --json
      icefloe graph ops --coverage --family image --missing
    """
    check_usage(graph, coverage, family, missing)
    if coverage:
        show_coverage(family, missing, as_json)
        return
    import icefloe

    found = icefloe.graphs.ops(read_graph(graph or ""), fetches or None, feeds)
    if as_json:
        emit_json("graph.ops", {"graph": graph, **found.as_data()})
    else:
        _show_counts(found, None if everything else _SHOWN)
        _show_needs(found)
    if not found.runs:
        ctx.exit(1)


def _show_counts(found: Any, limit: int | None) -> None:
    in_functions = any(row.in_functions for row in found.ops)
    headers = ["op", "nodes", *(["in functions"] if in_functions else []), "status"]
    table = Table(headers, right=frozenset((1, 2) if in_functions else (1,)))
    stuck = [row for row in found.ops if row.status in ("no kernel", "unknown op")]
    rows = [*stuck, *(row for row in found.ops if row not in stuck)]
    for row in rows[:limit]:
        counts = [str(row.nodes), *([str(row.in_functions)] if in_functions else [])]
        table.add(row.op, *counts, row.status)
    table.show()
    if limit is not None and len(rows) > limit:
        click.echo(f"... and {len(rows) - limit} more kinds; --all lists them")
    click.echo(f"{count(len(found.ops), 'kind')}, {len(found.ops) - len(stuck)} of them run")


def _show_needs(found: Any) -> None:
    if not found.fetches:
        return
    click.echo()
    click.echo(f"fetches {', '.join(found.fetches)}: {count(found.needed, 'node')} needed")
    if found.runs:
        click.echo("all of them run")
        return
    table = Table(["node", "op", "reason", "path from the fetch"], wide=3)
    for node in found.missing:
        table.add(node.name, node.op, node.reason, " <- ".join(node.path))
    table.show("in the way")
    if found.feed_instead:
        click.echo(f"to run all the same, feed: {', '.join(found.feed_instead)}")
    if found.computable:
        click.echo(f"nearest tensors that can be computed: {', '.join(found.computable)}")
