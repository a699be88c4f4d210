"""`icefloe ckpt merge`."""

from __future__ import annotations

import os
from typing import Literal

import click

from icefloe_cli.ckpt.editing import edit_options, listing, show_json, summary, transfer


@click.command("merge")
@click.argument("output", metavar="OUTPUT")
@click.argument("sources", nargs=-1, required=True, metavar="CHECKPOINT[=SCOPE]...")
@click.option("--prefer", type=click.Choice(["first", "last"]), help="Whose tensor to take where several have a name.")
@click.option("--shards", type=int, metavar="N", help="Number of data files; by default the greatest of the sources'.")
@edit_options(output=None)
def merge(
    output: str,
    sources: tuple[str, ...],
    prefer: Literal["first", "last"] | None,
    shards: int | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write to OUTPUT the tensors of several CHECKPOINTs, those of each below its SCOPE.

    \b
    Examples:
      icefloe ckpt merge both.ckpt encoder.ckpt=encoder decoder.ckpt=decoder
      icefloe ckpt merge full.ckpt fresh.ckpt trained.ckpt --prefer last
    """
    import icefloe

    with transfer("merging") as progress:
        report = icefloe.ckpt.merge(
            output,
            [_source(text) for text in sources],
            prefer=prefer,
            shards=shards,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    if as_json:
        show_json("merge", report)
        return
    listing("in several, one taken", sorted(report.dropped))
    summary(report)


def _source(text: str) -> tuple[str, str]:
    """Return path and scope; a path may have `=` in it."""
    path, mark, scope = text.rpartition("=")
    if not mark or os.path.exists(text) or os.path.exists(text + ".index"):
        return text, ""
    return path, scope
