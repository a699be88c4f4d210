"""`icefloe ckpt verify`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.ckpt.plain import as_data
from icefloe_cli.options import json_option
from icefloe_cli.output import bytes_text, count, emit_json, progress, say

_MAX_SHOWN = 20


@click.command("verify")
@click.argument("checkpoint", type=click.Path())
@click.option("--all", "show_all", is_flag=True, help="Show every problem, however many.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing: the exit code says it.")
@json_option()
@click.pass_context
def verify(ctx: click.Context, checkpoint: str, show_all: bool, quiet: bool, as_json: bool) -> None:
    """Check everything in CHECKPOINT: index, lengths, layout and the checksum of every tensor.

    Says what is damaged and, where that can be told, what happened: a download that was cut, a transfer in text mode,
    shards of different checkpoints, a pointer of git LFS. Exit code 1 where anything is damaged.

    \b
    Examples:
      icefloe ckpt verify model.ckpt-30
      icefloe ckpt verify train_dir/ --json
      icefloe ckpt verify -q model.ckpt-30 && cp model.ckpt-30.* /backup
    """
    import icefloe

    with progress("Verifying") as done:
        found = icefloe.ckpt.verify(checkpoint, progress=done)
    if as_json:
        emit_json("ckpt.verify", {"ok": found.ok, **as_data(found)})
    elif not quiet:
        _show(found, None if show_all else _MAX_SHOWN)
    if not found.ok:
        ctx.exit(1)


def _show(found: Any, limit: int | None) -> None:
    say(f"{found.prefix}  {found.format}, {_files(found)}")
    shown = found.problems[:limit]
    for problem in shown:
        say(f"  damaged: {problem.message}")
    if len(shown) < len(found.problems):
        click.echo(f"  and {len(found.problems) - len(shown):,} more: --all shows them")
    for text in found.diagnoses:
        say(f"  cause: {text}")
    for text in found.notes:
        say(f"  note: {text}")
    whole = f"{len(found.intact):,} of {count(found.tensors, 'tensor')} whole"
    checked = f"{bytes_text(found.bytes_checked)} checked"
    if found.ok:
        click.echo(f"ok: {count(found.tensors, 'tensor')}, {checked}")
    else:
        click.echo(f"DAMAGED: {count(len(found.problems), 'problem')}; {whole}, {checked}")


def _files(found: Any) -> str:
    size = sum(f.size or 0 for f in found.files)
    return f"{count(len(found.files), 'file')}, {bytes_text(size)}"
