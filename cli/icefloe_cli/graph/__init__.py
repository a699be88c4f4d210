"""`icefloe graph`: explain, change and compare graphs."""

from __future__ import annotations

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli.graph`, attribute, and its line in `icefloe graph --help`.
COMMANDS = {
    "io": ("io", "inputs_and_outputs", "List what the graph takes and gives, the likeliest first."),
    "ops": ("ops", "list_ops", "Count ops, and say what runs and what is in the way."),
    "freeze": ("freeze", "freeze", "Make variables constants, and keep what the outputs need."),
    "optimize": ("transforms", "optimize", "Make the graph small and fast for inference."),
    "strip": ("transforms", "strip", "Take out what the outputs do not need."),
    "extract": ("transforms", "extract", "Cut out the part between inputs and outputs."),
    "fix": ("transforms", "fix", "Repair what other tools left broken."),
    "downgrade": ("rewrites", "downgrade", "Write the graph for an older TensorFlow."),
    "cast": ("rewrites", "cast", "Store constants in 16 bits."),
    "unconst": ("rewrites", "unconst", "Move large constants into a checkpoint: the way around 2 GB."),
    "rename": ("rewrites", "rename", "Give nodes other names."),
    "stitch": ("rewrites", "stitch", "Join two graphs."),
    "match": ("match", "match", "Say how a checkpoint fits."),
    "diff": ("diff", "compare", "Compare two graphs node by node."),
    "dot": ("dot", "draw", "Write the graph for Graphviz."),
}


@click.group(cls=TableGroup, rows=COMMANDS, package="icefloe_cli.graph")
def graph() -> None:
    """Explain, change and compare graphs.

    A graph is given by a GraphDef, MetaGraphDef or SavedModel, binary or text, or by its checkpoint's prefix.
    `-` is one on standard input; `-o -` writes one to standard output.
    """
