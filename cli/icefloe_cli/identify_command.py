"""`icefloe identify`: what kind of file something is."""

from __future__ import annotations

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json, note, say


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@json_option()
@click.pass_context
def identify(ctx: click.Context, paths: tuple[str, ...], as_json: bool) -> None:
    """Say what each PATH is: checkpoint, graph, SavedModel, or what else, whole, damaged or missing.

    Content decides, not the name. PATH may also be the prefix of a checkpoint. The exit code is 1 where there is
    nothing at a PATH.

    \b
    Examples:
      icefloe identify model.ckpt-30 model.ckpt-30.meta
      icefloe identify downloads/* --json
    """
    import icefloe

    found = [icefloe.identify(path) for path in paths]
    if as_json:
        emit_json("identify", {"files": [item.as_data() for item in found]})
    else:
        for item in found:
            say(f"{item.path}: {item.words}")
            if item.hint:
                note(f"  {item.hint}")
    if any(item.kind == "missing" for item in found):
        ctx.exit(1)
