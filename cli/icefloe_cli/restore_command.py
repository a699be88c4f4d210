"""`icefloe restore`: a checkpoint into a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from icefloe_cli.options import files_option, json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note, progress, shape_text


@click.command()
@click.argument("graph", type=click.Path())
@click.argument("checkpoint", type=click.Path())
@click.option("--non-strict", is_flag=True, help="Restore what fits; list the rest.")
@click.option("--include", multiple=True, metavar="PATTERN", help="Only these variables. May be repeated.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="All but these variables. May be repeated.")
@click.option("--rename", "rules", multiple=True, metavar="s/OLD/NEW/", help="From stored names to the graph's.")
@click.option(
    "--map", "mapping", type=click.Path(), metavar="FILE", help="Stored names and the graph's: .json, .csv, .tsv."
)
@click.option(
    "--on-shape",
    type=click.Choice(["error", "skip", "slice", "pad", "fit"]),
    help="Of another shape: skip, cut off, pad with zeros, or both with the initial value where nothing is stored.",
)
@click.option("--cast", is_flag=True, help="Convert dtypes.")
@click.option("--ema", type=click.Choice(["ignore", "use", "fallback"]), default="ignore", help="Moving averages.")
@click.option("--init-missing", is_flag=True, help="Run the initialisers of what is not restored.")
@click.option("--fetch", "fetches", multiple=True, metavar="NAME", help="Then run this tensor. May be repeated.")
@click.option("--feed", "feeds", multiple=True, metavar="NAME=VALUE", help="Feed a tensor. May be repeated.")
@click.option("--export", type=click.Path(dir_okay=False), help="Store the restored values in an .npz or .h5.")
@click.option("--save", "save_to", type=click.Path(), metavar="PREFIX", help="Then write a checkpoint of the graph.")
@files_option()
@json_option()
@click.pass_context
def restore(
    ctx: click.Context,
    graph: str,
    checkpoint: str,
    non_strict: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    rules: tuple[str, ...],
    mapping: str | None,
    on_shape: str | None,
    cast: bool,
    ema: str,
    init_missing: bool,
    fetches: tuple[str, ...],
    feeds: tuple[str, ...],
    export: str | None,
    save_to: str | None,
    allow_files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Restore CHECKPOINT into GRAPH and report, tensor by tensor, what fits.

    Where it does not fit, all missing names, shapes and dtypes are listed, with names that may be meant, and the exit
    code is 1; with --non-strict, what fits is restored. PATTERN is a name, a glob, a scope such as `dense/`, or a
    regular expression after `re:`. --map comes before --rename.

    \b
    Examples:
      icefloe restore model.meta model.ckpt-30
      icefloe restore model.meta model.ckpt-30 --fetch y:0 --feed x:0=@x.npy
      icefloe restore frozen_less.pb model.ckpt-30 --export weights.h5
      icefloe restore five_classes.meta imagenet.ckpt --exclude 'logits/' --init-missing --save start.ckpt
      icefloe restore new.meta old.ckpt --rename 's,^old/,new/,' --cast
    """
    import icefloe
    from icefloe_cli.sessions import fetch_name, open_session, read_feeds

    loaded = icefloe.load_graph(graph)
    saver = icefloe.saver_for(loaded)
    options = {
        "include": include or None,
        "exclude": exclude or None,
        "rename": ([Path(mapping)] if mapping is not None else []) + list(rules) or None,
        "on_shape": on_shape or ("skip" if non_strict else None),
        "cast": cast,
        "ema": ema,
    }
    report = saver.match(checkpoint, loaded, **options)
    data: dict[str, Any] = {"graph": graph, "checkpoint": checkpoint, **({} if report is None else report.as_data())}
    if report is None:
        note("The graph computes the names that it restores: they are not known before.")
    elif not as_json:
        report_table(report).show()
        click.echo(report.summary())
    if report is not None and not report.fits and not non_strict and (on_shape != "skip" or not _shapes_alone(report)):
        if as_json:
            emit_json("restore", data)
        else:
            note("Not restored: the checkpoint does not fit the graph. --non-strict restores what fits.")
        ctx.exit(1)
    names = [fetch_name(loaded, name) for name in fetches]
    with open_session(loaded, allow_files) as session:
        with progress("restoring"):
            done = saver.restore(session, checkpoint, strict=not non_strict, init_missing=init_missing, **options)
        data |= {} if done is None else done.as_data()
        if done is not None and not as_json:
            _show_rest(done)
        values = session.run(names, read_feeds(loaded, feeds)) if names else []
        if save_to is not None:
            with progress("writing"):
                note(f"wrote {saver.save(session, save_to, write_state=False)}")
        if export is not None:
            changed = done is not None and (done.skipped or any(r.how for r in done.restored))
            if changed:
                _export_values(export, session, done)
            else:
                _export(export, report, checkpoint)
    _show_fetches(dict(zip(names, values, strict=True)), data, as_json)


def _shapes_alone(report: Any) -> bool:
    return not report.missing and not report.dtype_mismatch


def _show_rest(done: Any) -> None:
    """Say what was not restored, beside what the table has."""
    if done.initialized:
        note(f"initialised: {', '.join(done.initialized)}")
    if done.fallbacks:
        note(f"no moving average, or nothing else: {', '.join(done.fallbacks)}")
    if done.uninitialized:
        note(f"left to their initialisers: {', '.join(done.uninitialized)}")


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

    changes = {restored.wanted.key: restored.how for restored in report.restored}
    for wanted in report.matched:
        parts = [f"slice {wanted.spec.rpartition(' ')[2]}"] if wanted.spec else []
        parts += changes.get(wanted.key, ())
        add(wanted, "fits" + (f" ({'; '.join(parts)})" if parts else ""))
    for wanted in report.missing:
        near = report.suggestions.get(wanted.key)
        add(wanted, "missing" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    for mismatch in report.shape_mismatch:
        add(mismatch.wanted, f"stored with shape {shape_text(mismatch.stored.shape)}")
    for mismatch in report.dtype_mismatch:
        add(mismatch.wanted, f"stored as {mismatch.stored.dtype.name}")
    unfit = {w.key for w in report.missing} | {m.wanted.key for m in (*report.shape_mismatch, *report.dtype_mismatch)}
    for name, why in report.skipped.items():
        if name not in unfit:
            table.add(name, "", "", why)
    for name in report.unexpected:
        table.add(name, "", "", "in the checkpoint only")
    return table


def _export(path: str, report: Any, checkpoint: str) -> None:
    import icefloe
    from icefloe_cli.arrays import write_arrays

    with icefloe.open_checkpoint(checkpoint) as reader:
        names = list(dict.fromkeys(w.key for w in report.matched)) if report is not None else list(reader)
        total = sum(reader.entry(name).num_elements * reader.entry(name).dtype.size for name in names)
        with progress("exporting", total) as advance:
            size = write_arrays(path, _Lazy(reader, names), advance)
    note(f"{path}: {count(len(names), 'tensor')}, {bytes_text(size)}")


def _export_values(path: str, session: Any, done: Any) -> None:
    """Store what the session's variables hold, of those that were restored or initialised, where the graph reads them.

    A part of a partitioned variable goes by its own name.
    """
    import icefloe
    from icefloe_cli.arrays import write_arrays

    tensors = {v.name: v.value for v in icefloe.variables_of(session.graph) if v.value is not None}
    names = [r.wanted.variable for r in done.restored] + list(done.initialized)
    found = {name: session.run(tensors[name]) for name in dict.fromkeys(names) if name in tensors}
    with progress("exporting"):
        size = write_arrays(path, found)
    note(f"{path}: {count(len(found), 'tensor')}, {bytes_text(size)}")


class _Lazy(dict[str, Any]):
    """Names of tensors; each is read when it is asked for."""

    def __init__(self, reader: Any, names: list[str]) -> None:
        super().__init__(dict.fromkeys(names))
        self._reader = reader

    def __getitem__(self, name: str) -> Any:
        return self._reader[name]
