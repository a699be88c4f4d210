"""`icefloe ckpt rescue`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.plain import as_data
from icefloe_cli.options import json_option
from icefloe_cli.output import bytes_text, count, emit_json, progress, say

_MAX_SHOWN = 50


@click.command("rescue")
@click.argument("source", type=click.Path())
@click.argument("destination", type=click.Path())
@click.option("--from", "fill_from", type=click.Path(), metavar="OTHER", help="Take what is damaged from here.")
@click.option("--salvage", is_flag=True, help="Also try entries of damaged parts of the index against the data.")
@click.option("--overwrite", is_flag=True, help="Replace a checkpoint at DESTINATION.")
@json_option()
def rescue(source: str, destination: str, fill_from: str | None, salvage: bool, overwrite: bool, as_json: bool) -> None:
    """Write to DESTINATION every tensor of the damaged checkpoint SOURCE whose checksum holds.

    What is damaged is taken from OTHER where that has a tensor of the same name, dtype and shape. SOURCE stays as it
    is. A transfer in text mode (CR LF for LF) is undone. Exit code 1 where nothing could be rescued.

    \b
    Examples:
      icefloe ckpt rescue bad.ckpt-30 good.ckpt-30
      icefloe ckpt rescue bad.ckpt-30 good.ckpt-30 --from bad.ckpt-20
      icefloe ckpt rescue bad.ckpt-30 good.ckpt-30 --salvage --json
    """
    import icefloe

    with progress("Rescuing") as done:
        found = icefloe.ckpt.rescue(
            source, destination, fill_from=fill_from, salvage=salvage, overwrite=overwrite, progress=done
        )
    if as_json:
        emit_json("ckpt.rescue", as_data(found))
        return
    for text in found.notes:
        say(f"note: {text}")
    for name in found.filled[:_MAX_SHOWN]:
        say(f"filled  {name}")
    for name, reason in list(found.lost.items())[:_MAX_SHOWN]:
        say(f"lost    {name}: {reason}")
    if len(found.filled) > _MAX_SHOWN or len(found.lost) > _MAX_SHOWN:
        click.echo("… --json lists all")
    click.echo(
        f"{found.destination}: {len(found.kept):,} kept, {len(found.filled):,} filled, {len(found.lost):,} lost; "
        f"{count(len(found.kept) + len(found.filled), 'tensor')}, {bytes_text(found.bytes)}"
    )
