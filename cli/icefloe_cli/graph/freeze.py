"""`icefloe graph freeze`."""

from __future__ import annotations

import os
from typing import Any

import click

from icefloe_cli.graph.transformed import show_report, write_result
from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option


@click.command("freeze")
@click.argument("graph", type=click.Path())
@click.argument("checkpoint", type=click.Path(), required=False)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="The frozen graph; - is stdout.")
@click.option("--fetch", "outputs", multiple=True, metavar="NAME", help="An output to keep. May be repeated.")
@click.option("--feed", "inputs", multiple=True, metavar="NAME", help="A tensor to feed in place of what makes it.")
@click.option("--tags", metavar="TAG,...", help="Of a SavedModel: the graph with just these tags.")
@click.option("--keep-devices", is_flag=True, help="Keep device pins.")
@click.option("--keep-variable", "kept", multiple=True, metavar="NAME", help="Leave this variable as it is.")
@click.option("--no-check", is_flag=True, help="Do not run old and new on random values.")
@json_option()
def freeze(
    graph: str,
    checkpoint: str | None,
    output: str,
    outputs: tuple[str, ...],
    inputs: tuple[str, ...],
    tags: str | None,
    keep_devices: bool,
    kept: tuple[str, ...],
    no_check: bool,
    as_json: bool,
) -> None:
    """Write GRAPH with the values of its variables as constants, cut to what its outputs need.

    GRAPH is a SavedModel, a .meta or another graph whose values are in CHECKPOINT; for the prefix of a checkpoint both
    are taken from beside it. Without --fetch the outputs of signatures are kept, or else the likeliest output.

    Old and new graph are run on the same random values; where they differ nothing is written.

    \b
    Examples:
      icefloe graph freeze train_dir/model.ckpt-30 -o frozen.pb
      icefloe graph freeze model.meta model.ckpt-30 --fetch softmax -o frozen.pb
      icefloe graph freeze saved_model_dir/ -o frozen.pb --json
    """
    import icefloe

    options: dict[str, Any] = {
        "outputs": outputs or None,
        "inputs": inputs,
        "clear_devices": not keep_devices,
        "keep_variables": kept,
        "check": not no_check,
    }
    if checkpoint is None and icefloe.saved_model.contains_saved_model(graph):
        with icefloe.load_saved_model(graph, tags.split(",") if tags is not None else None) as model:
            result = icefloe.graphs.freeze(model.graph, session=model.session, **options)
    else:
        loaded = read_graph(graph)
        result = icefloe.graphs.freeze(loaded, checkpoint or _checkpoint_beside(graph), **options)
    write_result(result, output)
    show_report("graph.freeze", graph, output, result, as_json)


def _checkpoint_beside(graph: str) -> str | None:
    """Return the prefix of the checkpoint that a `.meta` or prefix belongs to, or None where there is none."""
    import icefloe

    prefix = graph.removesuffix(".meta")
    if os.path.isdir(graph):
        found: str | None = icefloe.train.latest_checkpoint(graph)
        return found
    return prefix if icefloe.identify(prefix).kind in ("checkpoint", "v1_checkpoint", "data_shard") else None
