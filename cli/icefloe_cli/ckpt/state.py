"""`icefloe ckpt state`."""

from __future__ import annotations

import os

import click

from icefloe_cli.ckpt.plain import as_data
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, emit_json, note


@click.command("state")
@click.argument("directory", type=click.Path())
@click.option("--fix", is_flag=True, help="Find what it lists where it is now; make paths relative to DIRECTORY.")
@click.option("--rebuild", is_flag=True, help="Make it anew from the checkpoints that are there.")
@click.option("--set", "latest", metavar="PREFIX", help="Make this checkpoint the latest one.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@json_option()
def state(directory: str, fix: bool, rebuild: bool, latest: str | None, dry_run: bool, as_json: bool) -> None:
    """Show or mend the state file of DIRECTORY, which says which checkpoint is the latest.

    --fix is for directories that were moved, renamed or copied, and for paths that were written relative to another
    directory; --rebuild for a state file that is lost, with the checkpoints in the order of their steps.

    \b
    Examples:
      icefloe ckpt state train_dir
      icefloe ckpt state train_dir --fix
      icefloe ckpt state train_dir --rebuild --dry-run
      icefloe ckpt state train_dir --set model.ckpt-20
    """
    import icefloe

    if (fix, rebuild, latest is not None).count(True) > 1:
        raise click.UsageError("--fix, --rebuild and --set exclude each other")
    found = icefloe.ckpt.state(directory, fix=fix, rebuild=rebuild, latest=latest, dry_run=dry_run)
    if as_json:
        emit_json("ckpt.state", {"dry_run": dry_run, **as_data(found)})
        return
    if found.checkpoints:
        table = Table(["", "path", "step", "remark"], right=frozenset((2,)), wide=1)
        for one in found.checkpoints:
            mark = "latest" if one.stored == found.stored_latest else ""
            table.add(mark, one.stored, "" if one.step is None else str(one.step), one.problem or "")
        table.show(found.path)
    for problem in found.problems:
        if not any(problem == f"{one.stored}: {one.problem}" for one in found.checkpoints):
            note(problem)
    if found.unlisted:
        shown = [os.path.basename(p) for p in found.unlisted]
        click.echo(f"not listed: {', '.join(shown[:10])}{f' and {len(shown) - 10} more' if len(shown) > 10 else ''}")
    if found.action != "shown":
        what = f"would be {found.action}" if dry_run else found.action
        click.echo(f"{found.path}: {what if found.changed else 'right as it is'}")
