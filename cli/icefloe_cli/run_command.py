"""`icefloe run`: feed a graph, fetch from it."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.graph_input import STDIN, read_graph
from icefloe_cli.options import files_option, json_option
from icefloe_cli.output import bytes_text, emit_json, note, progress, shape_text


@click.command()
@click.argument("graph", type=click.Path())
@click.argument("fetches", nargs=-1, metavar="[FETCH]...")
@click.option("--feed", "feeds", multiple=True, metavar="NAME=VALUE", help="Feed a tensor. May be repeated.")
@click.option("--fetch", "more", multiple=True, metavar="NAME", help="As FETCH. May be repeated.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Store what is fetched in an .npz or .h5.")
@click.option("--signature", metavar="NAME", help="Of a SavedModel: call this signature.")
@click.option(
    "--input", "inputs", multiple=True, metavar="KEY=VALUE", help="An input of the signature. May be repeated."
)
@click.option("--tags", metavar="TAG,...", help="Of a SavedModel: the graph with just these tags.")
@click.option("--checkpoint", type=click.Path(), help="Restore the variables from this checkpoint first.")
@click.option("--init", is_flag=True, help="Run the initialisers of variables and tables first.")
@click.option("--trace", is_flag=True, help="Run node by node, and print each with its time.")
@click.option("--full", is_flag=True, help="Print every element, however many.")
@files_option()
@json_option()
def run(
    graph: str,
    fetches: tuple[str, ...],
    feeds: tuple[str, ...],
    more: tuple[str, ...],
    output: str | None,
    signature: str | None,
    inputs: tuple[str, ...],
    tags: str | None,
    checkpoint: str | None,
    init: bool,
    trace: bool,
    full: bool,
    allow_files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run GRAPH and print each FETCH, a tensor `y:0` or an operation to run.

    GRAPH is a GraphDef (.pb, .pbtxt, .json), a .meta, the prefix or directory of a checkpoint that has one, or the
    directory of a SavedModel. The last two are restored first; a .meta holds no values and takes --checkpoint or
    --init. The name of an operation with one output stands for that output. Without FETCH a SavedModel's signature is
    called: `serving_default`, the only one, or that of --signature.

    \b
    Values to feed:
      x:0=@x.npy         an array; @data.npz:name and @data.h5:name for one of several
      x:0=[[1, 2]]       JSON: a number, true, "text", lists
      x:0=@x.json, x:0=- JSON from a file or from stdin

    \b
    Examples:
      icefloe run frozen.pb --feed x:0=@x.npy y:0
      icefloe run train_dir/model.ckpt-30 --feed x=[[1,2,3]] y --json
      icefloe run model.meta --checkpoint elsewhere/model.ckpt-20 --feed x=[[1,2,3]] y
      icefloe run model.meta --init loss:0 -o loss.npz
      icefloe run frozen.pb --feed x:0=@x.npy y:0 --trace
      icefloe run export/1 --input x=@x.npy
      icefloe run export/1 --signature classify --tags serve,gpu --input inputs=@texts.json

    The graph's own file ops are refused, unless --allow-files names a directory; a SavedModel's may read its own files.
    """
    import icefloe
    from icefloe_cli.printing import named_arrays
    from icefloe_cli.sessions import fetch_name, initialize, is_saved_model, open_session, read_feeds

    if is_saved_model(graph):
        from icefloe_cli.run_saved_model import run_saved_model

        if init or trace or checkpoint is not None:
            raise click.UsageError("A SavedModel says itself how it is restored: no --init, --checkpoint or --trace.")
        chosen = None if tags is None else [tag for tag in tags.split(",") if tag]
        found, called = run_saved_model(graph, chosen, signature, inputs, (*fetches, *more), feeds, allow_files)
        _hand_out(found, output, full, {"graph": graph, **called} if as_json else None)
        return
    if signature is not None or inputs or tags is not None:
        raise click.UsageError(f"--signature, --input and --tags are for SavedModels; {graph} is none.")
    held = _checkpoint_at(graph)
    loaded = read_graph(held or graph)
    checkpoint = checkpoint or (None if init else held)
    names = [fetch_name(loaded, name) for name in (*fetches, *more)]
    if not names:
        raise click.UsageError(f"Nothing to fetch. {_candidates(loaded)}")
    feed = read_feeds(loaded, feeds)
    with open_session(loaded, allow_files) as session:
        if init:
            initialize(session, feed)
        if checkpoint is not None:
            icefloe.saver_for(loaded).restore(session, checkpoint)
        steps: list[dict[str, Any]] = []
        if trace:
            values = _traced(session, names, feed, None if as_json else full, steps)
        else:
            with progress("running"):
                values = _run(session, names, feed, None if init or checkpoint is not None else graph)
    found = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    data: dict[str, Any] = {"graph": graph, "fetches": named_arrays(found)}
    _hand_out(found, output, full, ({**data, "trace": steps} if trace else data) if as_json else None)


def _checkpoint_at(path: str) -> str | None:
    """Return the checkpoint that `path` is, of a directory or state file the latest; None of a graph alone."""
    import icefloe

    if path == STDIN or path.endswith((".pb", ".pbtxt", ".json", ".meta")):
        return None
    found = icefloe.identify(path)
    if found.kind == "checkpoint_directory":
        return str(found.details["latest"])
    if found.kind == "state":
        return str(found.details.get("found") or path)
    return path if found.kind in ("checkpoint", "v1_checkpoint", "data_shard") else None


def _run(session: Any, names: list[str], feed: dict[str, Any], bare: str | None) -> Any:
    """Run; where variables have no values, as those of the graph `bare` were given none, say how they get them."""
    import icefloe

    try:
        return session.run(names, feed)
    except icefloe.errors.FailedPreconditionError as error:
        if bare is not None and "uninitialized" in str(error):
            beside = bare.removesuffix(".meta")
            known = beside if beside != bare and _checkpoint_at(beside) else "PATH"
            means = f"--checkpoint {known} restores variables, --init runs their initialisers."
            error.hint = f"{error.hint}\n{means}" if error.hint else means
        raise


def _hand_out(found: dict[str, Any], output: str | None, full: bool, data: dict[str, Any] | None) -> None:
    """Write the values to the file `output` if it is given, and print them, as JSON where `data` is."""
    if output is not None:
        from icefloe_cli.arrays import write_arrays

        size = write_arrays(output, found)
        note(f"{output}: {', '.join(found) or 'nothing'} ({bytes_text(size)})")
    if data is not None:
        emit_json("run", data)
    elif output is None:
        _print(found, full)


def _candidates(graph: Any) -> str:
    """Return what could be fetched."""
    import icefloe

    names = [output.name for output in icefloe.graphs.io(graph).outputs]
    if not names:
        return "Give the name of a tensor, such as y:0."
    more = f" and {len(names) - 8} others" if len(names) > 8 else ""
    return f"Give the name of a tensor; the likely results are {', '.join(names[:8])}{more}."


def _print(found: dict[str, Any], full: bool) -> None:
    import numpy as np

    from icefloe_cli.printing import array_text, dtype_text

    for name, value in found.items():
        array = np.asarray(value)
        click.echo(f"{name}  {dtype_text(array)} {shape_text(array.shape)}")
        click.echo(array_text(array, full=full))


def _traced(
    session: Any, names: list[str], feed: dict[str, Any], full: bool | None, steps: list[dict[str, Any]]
) -> list[Any]:
    """Return the values of the fetches. Print each node as it has run, or with `full` None put it into `steps`."""
    run = session.trace(names, feed)
    while True:
        try:
            name, values, seconds = next(run)
        except StopIteration as stop:
            return list(stop.value)
        if full is None:
            outputs = [None if value is None else _summary(value) for value in values]
            steps.append({"name": name, "seconds": seconds, "outputs": outputs})
        else:
            shown = [_shown(value, full) for value in values if value is not None]
            click.echo("  ".join([f"{seconds * 1e3:10.3f} ms", name, *shown]))


def _summary(value: Any) -> dict[str, Any]:
    """Return dtype and shape of a value; its class where it is a resource."""
    import numpy as np

    from icefloe_cli.printing import dtype_text

    if not isinstance(value, (np.ndarray, np.generic, bytes)):
        return {"class": type(value).__name__}
    array = np.asarray(value)
    return {"dtype": dtype_text(array), "shape": list(array.shape)}


def _shown(value: Any, full: bool) -> str:
    """Return dtype, shape and, of a few elements or if `full`, the elements."""
    import numpy as np

    from icefloe_cli.printing import array_text

    found = _summary(value)
    if "class" in found:
        return str(found["class"])
    text = f"{found['dtype']} {shape_text(found['shape'])}"
    if not full and np.size(value) > 4:
        return text
    return f"{text} {' '.join(array_text(value, full=full).split())}"
