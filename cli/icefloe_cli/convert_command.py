"""`icefloe convert`: from one format to another. What is converted decides which module does it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from icefloe_cli.ckpt.workers import dask_option
from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json

_CHECKPOINTS = frozenset(
    ("checkpoint", "v1_checkpoint", "damaged_index", "data_shard", "state", "checkpoint_directory", "meta_graph", "npz")
    + ("hdf5", "keras", "safetensors", "saved_model_directory", "saved_model", "saved_model_text", "directory")
)
_GRAPHS = frozenset(("graph", "graph_text", "json", "tfjs", "tfjs_directory"))
_MODELS = frozenset(
    ("meta_graph", "meta_graph_text", "hdf5", "keras", "saved_model_directory", "saved_model", "saved_model_text")
    + ("checkpoint", "checkpoint_directory", "state", "data_shard", "v1_checkpoint", "directory")
)
_GRAPH_FORMATS = frozenset(("pb", "pbtxt", "json", "meta", "saved_model"))
# Kinds of sources, formats or suffixes of destinations (None: any other) -> module below `icefloe_cli`, function in it.
# The function gets source, destination and the options given, prints what it did, and returns it for --json.
CONVERSIONS: list[tuple[frozenset[str], frozenset[str] | None, str, str]] = [
    (_GRAPHS, None, "graph.converting", "convert_graph"),
    (_MODELS, _GRAPH_FORMATS, "graph.converting", "convert_graph"),
    (_CHECKPOINTS, None, "ckpt.converting", "convert_checkpoint"),
]


@click.command()
@click.argument("source", type=click.Path())
@click.argument("destination", type=click.Path())
@click.option(
    "--to",
    metavar="FORMAT",
    help="v2, v1, npz, h5 or safetensors; of graphs pb, pbtxt, json, meta or saved_model. By default DESTINATION's "
    "suffix says.",
)
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
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="FILE|s/OLD/NEW/",
    help="Other names: a .json, .csv or .tsv file of old and new ones, or a rule as of `ckpt rename`. Repeatable.",
)
@click.option("--drop-optimizer", is_flag=True, help="Leave out optimizer slots, other optimizer state and the step.")
@click.option(
    "--layout",
    type=click.Choice(["torch", "stored"]),
    help="torch: kernels with the axes in PyTorch's order. stored: back to a checkpoint, but in the file's layout.",
)
@click.option(
    "--layout-rule",
    "layout_rules",
    multiple=True,
    metavar="PATTERN=KIND",
    help="With --layout torch: what the tensors are; dense, conv, conv1d, ..., conv_transpose, depthwise, or keep.",
)
@click.option("--fetch", "outputs", multiple=True, metavar="[KEY=]NAME", help="Of graphs: an output. May be repeated.")
@click.option("--feed", "inputs", multiple=True, metavar="[KEY=]NAME", help="Of graphs: an input. May be repeated.")
@click.option("--tags", metavar="TAG,...", help="Of a SavedModel: the graph with just these tags.")
@dask_option()
@json_option()
def convert(source: str, destination: str, as_json: bool, **options: Any) -> None:
    """Convert SOURCE to the format of DESTINATION.

    Checkpoints (V2, V1, SavedModels' variables), .npz, Keras .h5, .weights.h5 and .keras, and .safetensors convert
    into each other, tensors in pieces, whatever the size. What a format cannot say (bfloat16 in an .npz, strings,
    partitions, the object graph) is kept in a side entry, and converting back gives the same bits.

    --layout torch moves the axes of kernels as PyTorch has them: convolutions from HWIO to OIHW, depthwise ones from
    HWCM to (CM)1HW, dense ones from IO to OI. Which tensors are kernels is told by --layout-rule, by the ops of a .meta
    beside SOURCE, or by names, in this order; each change is listed with the reason, and so is what stays. Converting
    the result back gives the former names and layout.

    Graphs (.pb, .pbtxt, .json, .meta, SavedModels, TensorFlow.js and Keras models, checkpoints with a .meta) convert to
    .pb, .pbtxt, .json and .meta, and to a SavedModel, which is a directory: DESTINATION without a suffix (from a
    SavedModel with --to saved_model). Where there are values of variables they become constants. --fetch and --feed
    name the tensors that stay, and the keys of a SavedModel's signature.

    \b
    Examples:
      icefloe convert model.ckpt-30 model.safetensors
      icefloe convert model.safetensors model.ckpt
      icefloe convert weights.h5 model.ckpt
      icefloe convert model.ckpt tuned.h5 --template weights.h5
      icefloe convert tf2/ckpt-7 named.ckpt --names full
      icefloe convert model.ckpt-30 old.ckpt --to v1
      icefloe convert model.ckpt-30 model.safetensors --layout torch --drop-optimizer --map 's,/,.,g'
      icefloe convert model.ckpt-30 model.npz --layout torch --layout-rule '*/proj_w=dense'
      icefloe convert s3://bucket/model.safetensors s3://bucket/model.ckpt --dask threads
      icefloe convert export/1 frozen.pb
      icefloe convert frozen.pb export/2 --feed x=images:0 --fetch y=softmax:0
      icefloe convert web_model/model.json model.pb
    """
    import icefloe

    kind = icefloe.identify(source).kind
    form = options["to"] or Path(destination).suffix.lower().removeprefix(".")
    for kinds, formats, module, function in CONVERSIONS:
        if kind in kinds and (formats is None or form in formats):
            _refuse_options(options, graphs=module.startswith("graph."))
            work = getattr(importlib.import_module(f"icefloe_cli.{module}"), function)
            data = work(source, destination, options, quiet=as_json)
            if as_json:
                emit_json("convert", data)
            return
    # Opening says best what is wrong with a source that nothing can convert.
    icefloe.open_checkpoint(source).close()
    raise click.UsageError(f"{source} ({kind}) cannot be converted to {destination}.")


# Options -> their flags, of graphs and of checkpoints.
_OF_GRAPHS = {"outputs": "--fetch", "inputs": "--feed", "tags": "--tags"}
_OF_CHECKPOINTS = {"strings": "--strings", "plain": "--plain", "template": "--template", "maps": "--map"}
_OF_CHECKPOINTS |= {"drop_optimizer": "--drop-optimizer", "layout": "--layout", "layout_rules": "--layout-rule"}


def _refuse_options(options: dict[str, Any], *, graphs: bool) -> None:
    """Take those options out that are of the other kind. Raises: UsageError if one was given."""
    for name, flag in (_OF_CHECKPOINTS if graphs else _OF_GRAPHS).items():
        if options.pop(name):
            raise click.UsageError(f"{flag} is for {'checkpoints' if graphs else 'graphs'}.")
    if graphs and options.pop("naming") != "key":
        raise click.UsageError("--names is for checkpoints.")
