"""`icefloe ckpt prune`."""

from __future__ import annotations

import os
from typing import Any

import click

from icefloe_cli.ckpt.plain import as_data, number
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note


@click.command("prune")
@click.argument("directory", type=click.Path())
@click.option("-n", "--last", "keep", type=click.IntRange(0), default=5, show_default=True, help="Keep the newest N.")
@click.option("--every", "every_hours", type=float, metavar="HOURS", help="Keep one per so many hours as well.")
@click.option("--keep", "patterns", multiple=True, metavar="PATTERN", help="Keep those of such names; repeatable.")
@click.option("--best", type=click.IntRange(0), default=0, metavar="N", help="Keep the N best by --metric as well.")
@click.option(
    "--metric", metavar="FILE|TENSOR", help="A scalar tensor in the checkpoints, or a .json or .csv of values."
)
@click.option("--mode", type=click.Choice(["max", "min"]), default="max", show_default=True, help="Which is the best.")
@click.option("--yes", is_flag=True, help="Delete. Without it only what would be is shown.")
@json_option()
@click.pass_context
def prune(
    ctx: click.Context,
    directory: str,
    keep: int,
    every_hours: float | None,
    patterns: tuple[str, ...],
    best: int,
    metric: str | None,
    mode: Any,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete old checkpoints of DIRECTORY, except the newest and those that another rule keeps.

    Nothing is deleted without --yes. Files that are no part of such a checkpoint are never touched, nor checkpoints of
    other names than those in the state file; the latest one always stays. A .json file maps names or steps to numbers,
    a .csv file has them in two columns.

    \b
    Examples:
      icefloe ckpt prune train_dir
      icefloe ckpt prune train_dir --last 3 --every 6 --yes
      icefloe ckpt prune train_dir --last 1 --best 2 --metric eval/accuracy --yes
      icefloe ckpt prune train_dir --best 3 --metric losses.csv --mode min --keep '*-100000'
    """
    import icefloe

    if best and metric is None:
        raise click.UsageError("--best needs --metric: a scalar tensor in the checkpoints, or a file of numbers")
    found = icefloe.ckpt.prune(
        directory,
        keep=keep,
        every_hours=every_hours,
        patterns=patterns,
        best=best,
        metric=metric,
        mode=mode,
        dry_run=not yes,
    )
    if as_json:
        emit_json("ckpt.prune", as_data(found))
    else:
        _show(found)
    if found.failed:
        ctx.exit(1)


def _show(found: Any) -> None:
    listed = [(one, True) for one in found.kept] + [(one, False) for one in found.deleted]
    if listed:
        with_metric = any(one.metric is not None for one, _ in listed)
        headers = ["checkpoint", "size", *(["metric"] if with_metric else []), "", "why"]
        table = Table(headers, right=frozenset((1, 2) if with_metric else (1,)))
        gone = "would go" if found.dry_run else "deleted"
        for one, stays in sorted(listed, key=lambda pair: (pair[0].step is not None, pair[0].step or 0)):
            cells = [os.path.basename(one.prefix), bytes_text(one.bytes)]
            cells += [number(one.metric)] if with_metric else []
            table.add(*cells, "stays" if stays else gone, ", ".join(one.reasons))
        table.show()
    if found.foreign:
        click.echo(f"not touched: {', '.join(os.path.basename(p) for p in found.foreign)}")
    for path, reason in found.failed.items():
        note(f"could not delete {path}: {reason}")
    verb = "to delete" if found.dry_run else "deleted"
    click.echo(f"{count(len(found.deleted), 'checkpoint')} {verb}, {bytes_text(found.bytes)}; {len(found.kept)} stay")
    if found.dry_run and found.deleted:
        note("Nothing was deleted: --yes does it.")
