"""`icefloe inspect`: what is in a file, whatever it is."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, fields, note, say, shape_text

_SHOWN = 20


@click.command()
@click.argument("path", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="Show all rows of every table.")
@click.option("--tags", metavar="TAG,...", help="Of a SavedModel: the graph with just these tags.")
@json_option()
@click.pass_context
def inspect(ctx: click.Context, path: str, everything: bool, tags: str | None, as_json: bool) -> None:
    """Show what is in PATH: a graph, a checkpoint, a SavedModel, a .meta, a state file or a directory.

    A graph is shown by its signatures, inputs, likely outputs, variables, ops, devices, large constants, parameters and
    arithmetic; a checkpoint by its tensors; a Keras model by both.

    \b
    Examples:
      icefloe inspect frozen.pb
      icefloe inspect train_dir/
      icefloe inspect model.ckpt-30.meta --json
      icefloe inspect export/1 --tags serve
    """
    import icefloe

    found = icefloe.identify(path)
    if tags is not None and found.kind not in _SAVED_MODELS:
        raise click.UsageError(f"--tags is for SavedModels; {path} is none.")
    data: dict[str, Any] = found.as_data()
    show: Callable[[dict[str, Any], int | None], None] | None = None
    problem = None
    try:
        if found.kind in _GRAPHS:
            data["graph"] = _graph_data(icefloe.load_graph(found.details.get("meta", path)))
            show = _show_graph
        elif found.kind in _SAVED_MODELS:
            from icefloe_cli.inspect_saved_model import saved_model_data, show_saved_model

            chosen = None if tags is None else [tag for tag in tags.split(",") if tag]
            saved_model, graph = saved_model_data(path, chosen)
            data["saved_model"] = saved_model
            if graph is not None:
                data["graph"] = _graph_data(graph)
            show = functools.partial(show_saved_model, show_graph=_show_graph)
        elif found.kind in _CHECKPOINTS:
            data["checkpoint"] = _checkpoint_data(
                found.details["latest"] if found.kind == "checkpoint_directory" else path
            )
            show = _show_checkpoint
            if found.kind == "keras" or found.details.get("is_model"):
                show = _show_model
                _add_layers(data, path)
    except icefloe.errors.OpError as error:
        data["error"] = problem = str(error)
    if as_json:
        emit_json("inspect", data)
    else:
        say(f"{found.path}: {found.words}")
        if show is not None:
            show(data, None if everything else _SHOWN)
        if found.hint:
            note(found.hint)
    if problem is not None:
        note(f"icefloe: {problem}")
    if problem is not None or found.kind == "missing":
        ctx.exit(1)


_GRAPHS = frozenset(("graph", "graph_text", "json", "meta_graph", "meta_graph_text") + ("tfjs", "tfjs_directory"))
_SAVED_MODELS = frozenset(("saved_model", "saved_model_text", "saved_model_directory"))
_CHECKPOINTS = frozenset(
    ("checkpoint", "v1_checkpoint", "checkpoint_directory", "state", "data_shard")
    + ("npz", "hdf5", "keras", "safetensors")
)


def _graph_data(graph: Any) -> dict[str, Any]:
    """Return what there is to know of a graph, as JSON holds it."""
    import icefloe

    data: dict[str, Any] = icefloe.graphs.overview(graph).as_data()
    return data


def _checkpoint_data(path: str) -> dict[str, Any]:
    import icefloe

    with icefloe.open_checkpoint(path) as reader:
        tensors = [
            {"name": n, "dtype": e.dtype.name, "shape": list(e.shape), "elements": e.num_elements}
            for n, e in reader.entries.items()
        ]
        meta = f"{reader.prefix}.meta"
        return {"prefix": reader.prefix, "meta": meta if os.path.isfile(meta) else None, "tensors": tensors}


def _add_layers(data: dict[str, Any], path: str) -> None:
    """Add the graph that the layers of a Keras model make, or why there is none: its tensors are there all the same."""
    import icefloe

    try:
        data["graph"] = _graph_data(icefloe.load_graph(path))
    except icefloe.errors.OpError as error:
        data["no_graph"] = str(error)


def _tensor_table(title: str, rows: list[dict[str, Any]], limit: int | None) -> None:
    if not rows:
        return
    table = Table(["name", "dtype", "shape"])
    for row in rows[:limit]:
        table.add(row["name"], row["dtype"], shape_text(row["shape"]))
    click.echo()
    table.show(f"{title} ({len(rows)})")
    if limit is not None and len(rows) > limit:
        click.echo(f"... and {len(rows) - limit} more; --all shows them")


def _show_graph(data: dict[str, Any], limit: int | None) -> None:
    graph, details = data["graph"], data["details"]
    costs = graph["costs"]["total"]
    by = "" if graph["tensorflow_version"] else graph["written_by"]
    bodies = sum(graph["functions"].values())
    fields(
        [
            ("nodes", f"{graph['nodes']:,}"),
            ("functions", f"{len(graph['functions']):,}, of {count(bodies, 'node')}" if graph["functions"] else ""),
            ("version", f"producer {graph['producer']}, min_consumer {graph['min_consumer']}"),
            ("tensorflow", graph["tensorflow_version"] or by),
            ("read by", _readers_text(graph["read_by"], graph["read_by_without_defaults"])),
            ("tags", ", ".join(details.get("tags", []))),
            ("saver", details.get("saver") or ""),
            ("collections", ", ".join(f"{key} ({n})" for key, n in sorted(graph["collections"].items()))),
            ("devices", ", ".join(f"{device} ({count(n, 'node')})" for device, n in graph["devices"].items())),
            ("parameters", _parameters_text(costs)),
            ("arithmetic", _arithmetic_text(costs["flops"], graph["inputs"])),
            ("constants", bytes_text(graph["constant_bytes"]) if graph["large_constants"] else ""),
            ("ops", _ops_text(graph["ops"], limit)),
        ]
    )
    for signature in graph["signatures"]:
        _show_signature(signature)
    _tensor_table("inputs", graph["inputs"], limit)
    _tensor_table("outputs, the likeliest first", graph["outputs"], limit)
    _tensor_table("variables", graph["variables"], limit)
    _show_large(graph["large_constants"], limit)
    _show_costs(graph["costs"]["scopes"], limit)


def _readers_text(release: str, without_defaults: str) -> str:
    """Return which releases of TensorFlow can read a graph as it is, and written anew."""
    if not release:
        return "no release of TensorFlow: none has all of the ops"
    more = "" if without_defaults == release else f"; from {without_defaults} without attrs at their defaults"
    return f"TensorFlow {release} and later{more}"


def _parameters_text(costs: dict[str, Any]) -> str:
    return f"{costs['parameters']:,}, {bytes_text(costs['parameter_bytes'])}" if costs["parameters"] else ""


def _arithmetic_text(operations: int, inputs: list[dict[str, Any]]) -> str:
    is_open = any(row["shape"] is None or None in row["shape"][1:] for row in inputs)  # the first is the batch
    text = f"{_rounded(operations)} operations a run" + (", with unknown sizes as 1" if is_open else "")
    return text if operations else ""


def _rounded(number: int) -> str:
    """Return a large number as people say it: `11.5 G`."""
    amount = float(number)
    for unit in ("", " k", " M", " G", " T"):
        if amount < 999.5:
            return f"{amount:.3g}{unit}"
        amount /= 1000
    return f"{amount:.3g} P"


def _show_signature(signature: dict[str, Any]) -> None:
    table = Table(["", "key", "tensor", "dtype", "shape"], wide=2)
    for side in ("inputs", "outputs"):
        for key, row in signature[side].items():
            table.add(side[:-1], key, row["name"], row["dtype"], shape_text(row["shape"]))
    click.echo()
    table.show(f"signature {signature['name']} ({signature['method'] or 'no method'})")


def _show_large(constants: dict[str, int], limit: int | None) -> None:
    if not constants:
        return
    table = Table(["name", "size"], right=frozenset((1,)))
    for name, size in list(constants.items())[:limit]:
        table.add(name, bytes_text(size))
    click.echo()
    table.show(f"large constants ({len(constants)})")


def _show_costs(scopes: list[dict[str, Any]], limit: int | None) -> None:
    rows = [row for row in scopes if row["parameters"] or row["flops"]]
    if len(rows) < 2:
        return
    rows.sort(key=lambda row: (-row["parameters"], -row["flops"]))
    table = Table(["scope", "nodes", "parameters", "arithmetic"], right=frozenset((1, 2, 3)))
    for row in rows[:limit]:
        table.add(row["scope"], f"{row['nodes']:,}", f"{row['parameters']:,}", _rounded(row["flops"]))
    click.echo()
    table.show(f"scopes ({len(rows)})")
    if limit is not None and len(rows) > limit:
        click.echo(f"... and {len(rows) - limit} more; --all shows them")


def _ops_text(ops: dict[str, int], limit: int | None) -> str:
    listed = [f"{op} {n}" for op, n in list(ops.items())[:limit]]
    more = "" if limit is None or len(ops) <= limit else f", and {len(ops) - limit} more kinds"
    return ", ".join(listed) + more


def _show_checkpoint(data: dict[str, Any], limit: int | None) -> None:
    checkpoint = data["checkpoint"]
    for path in data["details"].get("all", []):
        click.echo(f"  {path}")
    if checkpoint["prefix"] != data["path"]:
        say(f"checkpoint {checkpoint['prefix']}")
    if checkpoint["meta"] is not None:
        say(f"graph {checkpoint['meta']}")
    _tensor_table("tensors", checkpoint["tensors"], limit)
    elements = sum(row["elements"] for row in checkpoint["tensors"])
    size = data["details"].get("bytes")
    click.echo(count(elements, "element") + (f", {bytes_text(size)}" if size is not None else ""))


def _show_model(data: dict[str, Any], limit: int | None) -> None:
    if "graph" in data:
        _show_graph(data, limit)
    _show_checkpoint(data, limit)
    if "no_graph" in data:
        note(f"the layers are not shown: {data['no_graph']}")
