"""`icefloe save`: write a checkpoint."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.options import files_option, json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note, progress, shape_text


@click.command()
@click.argument("graph", type=click.Path())
@click.argument("prefix", type=click.Path())
@click.option("--values", type=click.Path(exists=True, dir_okay=False), help="Values by name, an .npz or .h5.")
@click.option("--feed", "feeds", multiple=True, metavar="NAME=VALUE", help="Feed a tensor to the initialisers.")
@click.option("--step", type=int, help="Append -STEP to PREFIX.")
@click.option("--no-meta", is_flag=True, help="Write no .meta beside the checkpoint.")
@click.option("--no-state", is_flag=True, help="Leave the directory's state file alone.")
@files_option()
@json_option()
def save(
    graph: str,
    prefix: str,
    values: str | None,
    feeds: tuple[str, ...],
    step: int | None,
    no_meta: bool,
    no_state: bool,
    allow_files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the variables of GRAPH to a checkpoint under PREFIX.

    They get the initial values that the graph gives them, or with --values those of an .npz or .h5, by name;
    variables that the file does not name are initialised. GRAPH may be an .npz or .h5 itself: then its arrays are the
    checkpoint.

    \b
    Examples:
      icefloe save model.meta fresh/model.ckpt
      icefloe save model.meta tuned/model.ckpt --values weights.npz --step 100
      icefloe save weights.h5 model.ckpt
    """
    from icefloe_cli.arrays import is_array_file

    if is_array_file(graph):
        if values is not None:
            raise click.UsageError(f"{graph} holds values itself; give a graph to use --values.")
        written, rows = _save_arrays(graph, prefix if step is None else f"{prefix}-{step}")
    else:
        written, rows = _save_graph(graph, prefix, values, feeds, step, not no_meta, not no_state, allow_files)
    if as_json:
        emit_json("save", {"checkpoint": written, "tensors": rows})
        return
    table = Table(["name", "dtype", "shape", "value"])
    for row in rows:
        table.add(row["name"], row["dtype"], shape_text(row["shape"]), row["source"])
    table.show()
    note(f"{written}: {count(len(rows), 'tensor')}, {bytes_text(sum(row['bytes'] for row in rows))}")


def _row(name: str, entry: Any, source: str) -> dict[str, Any]:
    return {
        "name": name,
        "dtype": entry.dtype.name,
        "shape": list(entry.shape),
        "bytes": entry.num_elements * entry.dtype.size,
        "source": source,
    }


def _save_arrays(path: str, prefix: str) -> tuple[str, list[dict[str, Any]]]:
    import icefloe
    from icefloe_cli.arrays import has_side_entry, read_arrays

    with progress("writing"):
        if has_side_entry(path):
            icefloe.ckpt.convert(path, prefix, to="v2")
        else:
            icefloe.save_checkpoint(prefix, dict(read_arrays(path)))
    return prefix, _written(prefix, lambda name: "given")


def _written(prefix: str, source: Any) -> list[dict[str, Any]]:
    import icefloe

    with icefloe.open_checkpoint(prefix) as reader:
        return [_row(name, entry, source(name)) for name, entry in reader.entries.items()]


def _save_graph(
    path: str,
    prefix: str,
    values: str | None,
    feeds: tuple[str, ...],
    step: int | None,
    write_meta: bool,
    write_state: bool,
    allow_files: tuple[str, ...],
) -> tuple[str, list[dict[str, Any]]]:
    import icefloe
    from icefloe_cli.arrays import read_arrays
    from icefloe_cli.sessions import initialize, open_session, read_feeds

    graph = icefloe.load_graph(path)
    saver = icefloe.saver_for(graph)
    given = {} if values is None else dict(read_arrays(values))
    with open_session(graph, allow_files) as session:
        initialize(session, read_feeds(graph, feeds))
        if given:
            saver.assign(session, given)
        with progress("writing"):
            written = saver.save(session, prefix, step, write_meta_graph=write_meta, write_state=write_state)
    assert written is not None  # only a Saver of no variables writes nothing, and `saver_for` refuses to make one
    return written, _written(written, lambda name: "given" if name in given else "initial")
