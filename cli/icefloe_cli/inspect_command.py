"""`icefloe inspect`: what is in a file, whatever it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, fields, note, shape_text

_SHOWN = 20


@click.command()
@click.argument("path", type=click.Path())
@click.option("--all", "everything", is_flag=True, help="Show all rows of every table.")
@json_option()
@click.pass_context
def inspect(ctx: click.Context, path: str, everything: bool, as_json: bool) -> None:
    """Show what is in PATH: a graph, a checkpoint, a .meta, a state file or a directory.

    A graph is shown by its inputs, outputs, variables and ops; a checkpoint by its tensors.

    \b
    Examples:
      icefloe inspect frozen.pb
      icefloe inspect train_dir/
      icefloe inspect model.ckpt-30.meta --json
    """
    import icefloe

    found = icefloe.identify(path)
    data: dict[str, Any] = found.as_data()
    show: Callable[[dict[str, Any], int | None], None] | None = None
    problem = None
    try:
        if found.kind in _GRAPHS:
            data["graph"] = _graph_data(icefloe.load_graph(found.details.get("meta", path)))
            show = _show_graph
        elif found.kind in _CHECKPOINTS:
            data["checkpoint"] = _checkpoint_data(path)
            show = _show_checkpoint
    except icefloe.errors.OpError as error:
        data["error"] = problem = str(error)
    if as_json:
        emit_json("inspect", data)
    else:
        click.echo(f"{found.path}: {found.words}")
        if show is not None:
            show(data, None if everything else _SHOWN)
        if found.hint:
            note(found.hint)
    if problem is not None:
        note(f"icefloe: {problem}")
    if problem is not None or found.kind == "missing":
        ctx.exit(1)


_GRAPHS = frozenset(("graph", "graph_text", "json", "meta_graph", "meta_graph_text"))
_CHECKPOINTS = frozenset(("checkpoint", "v1_checkpoint", "checkpoint_directory", "state", "data_shard"))


def _graph_data(graph: Any) -> dict[str, Any]:
    """Return what there is to know of a graph, as JSON holds it."""
    import icefloe
    from icefloe_cli.graphs import inputs_of, results_of

    operations = graph.get_operations()
    versions = graph.graph_def_versions
    return {
        "nodes": len(operations),
        "functions": sorted(graph.functions),
        "producer": versions.producer,
        "min_consumer": versions.min_consumer,
        "ops": dict(Counter(op.type for op in operations).most_common()),
        "inputs": [_tensor_data(tensor) for tensor in inputs_of(graph)],
        "outputs": [_tensor_data(tensor) for tensor in results_of(graph)],
        "variables": [_variable_data(v) for v in icefloe.variables_of(graph)],
        "collections": {key: len(graph.get_collection(key)) for key in graph.get_all_collection_keys()},
    }


def _tensor_data(tensor: Any) -> dict[str, Any]:
    shape = None if tensor.shape.rank is None else tensor.shape.as_list()
    return {"name": tensor.name, "dtype": tensor.dtype.base_dtype.name, "shape": shape}


def _variable_data(variable: Any) -> dict[str, Any]:
    shape = None if variable.shape is None else list(variable.shape)
    return {"name": variable.name, "dtype": variable.dtype.name, "shape": shape}


def _checkpoint_data(path: str) -> dict[str, Any]:
    import icefloe

    with icefloe.open_checkpoint(path) as reader:
        tensors = [
            {"name": n, "dtype": e.dtype.name, "shape": list(e.shape), "elements": e.num_elements}
            for n, e in reader.entries.items()
        ]
        return {"prefix": reader.prefix, "tensors": tensors}


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
    signatures = ", ".join(details.get("signatures", []))
    fields(
        [
            ("nodes", f"{graph['nodes']:,}"),
            ("functions", f"{len(graph['functions']):,}" if graph["functions"] else ""),
            ("version", f"producer {graph['producer']}, min_consumer {graph['min_consumer']}"),
            ("tensorflow", details.get("tensorflow_version") or ""),
            ("tags", ", ".join(details.get("tags", []))),
            ("signatures", signatures),
            ("saver", details.get("saver") or ""),
            ("collections", ", ".join(f"{key} ({n})" for key, n in sorted(graph["collections"].items()))),
            ("ops", _ops_text(graph["ops"], limit)),
        ]
    )
    _tensor_table("inputs", graph["inputs"], limit)
    _tensor_table("outputs: no node uses them", graph["outputs"], limit)
    _tensor_table("variables", graph["variables"], limit)


def _ops_text(ops: dict[str, int], limit: int | None) -> str:
    listed = [f"{op} {n}" for op, n in list(ops.items())[:limit]]
    more = "" if limit is None or len(ops) <= limit else f", and {len(ops) - limit} more kinds"
    return ", ".join(listed) + more


def _show_checkpoint(data: dict[str, Any], limit: int | None) -> None:
    checkpoint = data["checkpoint"]
    for path in data["details"].get("all", []):
        click.echo(f"  {path}")
    if checkpoint["prefix"] != data["path"]:
        click.echo(f"checkpoint {checkpoint['prefix']}")
    _tensor_table("tensors", checkpoint["tensors"], limit)
    elements = sum(row["elements"] for row in checkpoint["tensors"])
    size = data["details"].get("bytes")
    click.echo(count(elements, "element") + (f", {bytes_text(size)}" if size is not None else ""))
