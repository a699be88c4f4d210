"""`icefloe graph dot`."""

from __future__ import annotations

import click

from icefloe_cli.graph_input import read_graph
from icefloe_cli.output import note


@click.command("dot")
@click.argument("graph", type=click.Path())
@click.option("--depth", type=click.IntRange(1), help="Draw name scopes below this depth as one box each.")
@click.option("--fetch", "fetches", multiple=True, metavar="NAME", help="Only what this needs. May be repeated.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), default="-", help="The file; - is stdout.")
def draw(graph: str, depth: int | None, fetches: tuple[str, ...], output: str) -> None:
    """Write GRAPH as text for Graphviz.

    \b
    Examples:
      icefloe graph dot frozen.pb | dot -Tsvg > frozen.svg
      icefloe graph dot model.meta --depth 1 -o model.dot
      icefloe graph dot model.meta --fetch logits:0
    """
    import icefloe

    text = icefloe.graphs.dot(read_graph(graph), depth=depth, fetches=fetches or None)
    with click.open_file(output, "w", atomic=output != "-") as file:
        file.write(text)
    if output != "-":
        note(f"{output}: {text.count(chr(10))} lines")
