"""`icefloe convert`: from one format to another. What is converted decides which module does it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json

_CHECKPOINTS = frozenset(
    ("checkpoint", "v1_checkpoint", "damaged_index", "data_shard", "state", "checkpoint_directory", "meta_graph", "npz")
    + ("hdf5", "keras", "safetensors", "saved_model_directory", "saved_model", "saved_model_text", "directory")
)
# Kinds of sources, suffixes of destinations (None: any other) -> module below `icefloe_cli`, function in it. The
# function gets source, destination and the options given, prints what it did, and returns it for --json.
CONVERSIONS: list[tuple[frozenset[str], frozenset[str] | None, str, str]] = [
    (_CHECKPOINTS, None, "ckpt.converting", "convert_checkpoint"),
]


@click.command()
@click.argument("source", type=click.Path())
@click.argument("destination", type=click.Path())
@click.option("--to", metavar="FORMAT", help="v2, v1, npz, h5 or safetensors; by default DESTINATION's suffix says.")
@click.option(
    "--strings",
    type=click.Choice(["side", "array", "drop", "refuse"]),
    help="Tensors of strings in an array file: the side entry (default), arrays, nothing, or an error.",
)
@click.option("--plain", is_flag=True, help="Write no side entry; what the format cannot say is refused.")
@click.option(
    "--names",
    "naming",
    type=click.Choice(["key", "full", "path"]),
    default="key",
    show_default=True,
    help="Of a checkpoint saved by objects: keys, full names of variables, or object paths.",
)
@click.option("--template", type=click.Path(), metavar="FILE", help="Write an .h5 in the layout of this Keras file.")
@json_option()
def convert(source: str, destination: str, as_json: bool, **options: Any) -> None:
    """Convert SOURCE to the format of DESTINATION.

    Checkpoints (V2, V1, SavedModels' variables), .npz, Keras .h5, .weights.h5 and .keras, and .safetensors convert
    into each other, tensors in pieces, whatever the size. What a format cannot say (bfloat16 in an .npz, strings,
    partitions, the object graph) is kept in a side entry, and converting back gives the same bits.

    \b
    Examples:
      icefloe convert model.ckpt-30 model.safetensors
      icefloe convert model.safetensors model.ckpt
      icefloe convert weights.h5 model.ckpt
      icefloe convert model.ckpt tuned.h5 --template weights.h5
      icefloe convert tf2/ckpt-7 named.ckpt --names full
      icefloe convert model.ckpt-30 old.ckpt --to v1
    """
    import icefloe

    kind = icefloe.identify(source).kind
    suffix = Path(destination).suffix.lower()
    for kinds, suffixes, module, function in CONVERSIONS:
        if kind in kinds and (suffixes is None or suffix in suffixes):
            work = getattr(importlib.import_module(f"icefloe_cli.{module}"), function)
            data = work(source, destination, options, quiet=as_json)
            if as_json:
                emit_json("convert", data)
            return
    # Opening says best what is wrong with a source that nothing can convert.
    icefloe.open_checkpoint(source).close()
    raise click.UsageError(f"{source} ({kind}) cannot be converted to {destination}.")
