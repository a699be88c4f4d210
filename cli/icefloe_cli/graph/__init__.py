"""`icefloe graph`: explain, change and compare graphs."""

from __future__ import annotations

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli.graph`, attribute, and its line in `icefloe graph --help`.
COMMANDS: dict[str, tuple[str, str, str]] = {}


@click.group(cls=TableGroup, rows=COMMANDS, package="icefloe_cli.graph")
def graph() -> None:
    """Explain, change and compare graphs.

    A graph is given by a GraphDef, MetaGraphDef or SavedModel, binary or text, or by its checkpoint's prefix.
    """
