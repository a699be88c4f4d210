"""`icefloe restore`: a checkpoint into a graph."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.options import files_option, json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note, progress, shape_text


@click.command()
@click.argument("graph", type=click.Path())
@click.argument("checkpoint", type=click.Path())
@click.option("--fetch", "fetches", multiple=True, metavar="NAME", help="Then run this tensor. May be repeated.")
@click.option("--feed", "feeds", multiple=True, metavar="NAME=VALUE", help="Feed a tensor. May be repeated.")
@click.option("--export", type=click.Path(dir_okay=False), help="Store the restored values in an .npz or .h5.")
@files_option()
@json_option()
@click.pass_context
def restore(
    ctx: click.Context,
    graph: str,
    checkpoint: str,
    fetches: tuple[str, ...],
    feeds: tuple[str, ...],
    export: str | None,
    allow_files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Restore CHECKPOINT into GRAPH and report, tensor by tensor, what fits.

    Where it does not fit, all missing names, shapes and dtypes are listed, with names that may be meant; the exit
    code is 1.

    \b
    Examples:
      icefloe restore model.meta model.ckpt-30
      icefloe restore model.meta model.ckpt-30 --fetch y:0 --feed x:0=@x.npy
      icefloe restore frozen_less.pb model.ckpt-30 --export weights.h5
    """
    import icefloe
    from icefloe_cli.sessions import fetch_name, open_session, read_feeds

    loaded = icefloe.load_graph(graph)
    saver = icefloe.saver_for(loaded)
    report = saver.match(checkpoint, loaded)
    data: dict[str, Any] = {"graph": graph, "checkpoint": checkpoint, **({} if report is None else report.as_data())}
    if report is None:
        note("The graph computes the names that it restores: they are not known before.")
    elif not as_json:
        report_table(report).show()
        click.echo(report.summary())
    if report is not None and not report.fits:
        if as_json:
            emit_json("restore", data)
        else:
            note("Not restored: the checkpoint does not fit the graph.")
        ctx.exit(1)
    names = [fetch_name(loaded, name) for name in fetches]
    with open_session(loaded, allow_files) as session:
        with progress("restoring"):
            saver.restore(session, checkpoint)
        values = session.run(names, read_feeds(loaded, feeds)) if names else []
        if export is not None:
            _export(export, report, checkpoint)
    _show_fetches(dict(zip(names, values, strict=True)), data, as_json)


def _show_fetches(values: dict[str, Any], data: dict[str, Any], as_json: bool) -> None:
    import numpy as np

    from icefloe_cli.printing import array_data, array_text, dtype_text

    found = {name: np.asarray(value) for name, value in values.items() if value is not None}
    if as_json:
        emit_json("restore", {**data, "fetches": [{"name": n, **array_data(v)} for n, v in found.items()]})
        return
    for name, array in found.items():
        click.echo(f"{name}  {dtype_text(array)} {shape_text(array.shape)}")
        click.echo(array_text(array))


def report_table(report: Any) -> Table:
    """Return a table of what fits and what does not, one row a tensor."""
    table = Table(["tensor", "dtype", "shape", "status"], wide=3)

    def add(wanted: Any, status: str) -> None:
        table.add(wanted.key, wanted.dtype.name, shape_text(wanted.shape), status)

    for wanted in report.matched:
        add(wanted, "fits" + (f" (slice {wanted.spec.rpartition(' ')[2]})" if wanted.spec else ""))
    for wanted in report.missing:
        near = report.suggestions.get(wanted.key)
        add(wanted, "missing" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    for mismatch in report.shape_mismatch:
        add(mismatch.wanted, f"stored with shape {shape_text(mismatch.stored.shape)}")
    for mismatch in report.dtype_mismatch:
        add(mismatch.wanted, f"stored as {mismatch.stored.dtype.name}")
    for name in report.unexpected:
        table.add(name, "", "", "in the checkpoint only")
    return table


def _export(path: str, report: Any, checkpoint: str) -> None:
    import icefloe
    from icefloe_cli.arrays import write_arrays

    with icefloe.open_checkpoint(checkpoint) as reader:
        names = list(dict.fromkeys(w.key for w in report.matched)) if report is not None else list(reader)
        total = sum(reader.entries[name].num_elements * reader.entries[name].dtype.size for name in names)
        with progress("exporting", total) as advance:
            size = write_arrays(path, _Lazy(reader, names), advance)
    note(f"{path}: {count(len(names), 'tensor')}, {bytes_text(size)}")


class _Lazy(dict[str, Any]):
    """Names of tensors; each is read when it is asked for."""

    def __init__(self, reader: Any, names: list[str]) -> None:
        super().__init__(dict.fromkeys(names))
        self._reader = reader

    def __getitem__(self, name: str) -> Any:
        return self._reader[name]
