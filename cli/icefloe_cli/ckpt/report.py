"""`icefloe ckpt report`."""

from __future__ import annotations

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import bytes_text, count, emit_json, note, progress


@click.command("report")
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="[B]", required=False, type=click.Path())
@click.option("-o", "--output", required=True, metavar="PAGE", help="The page to write, such as report.html.")
@click.option("--bins", type=click.IntRange(0, 128), default=32, show_default=True, help="Of the histograms; 0: none.")
@json_option()
def report(a: str, b: str | None, output: str, bins: int, as_json: bool) -> None:
    """Write a web page about checkpoint A: sizes by scope as a treemap, a table of all tensors with statistics and
    histograms; with B, how it differs, as a heat map.

    The page is a single file that loads nothing, to be opened in a browser or sent to somebody.

    \b
    Examples:
      icefloe ckpt report model.ckpt-30 -o report.html
      icefloe ckpt report model.ckpt-20 model.ckpt-30 -o change.html
      icefloe ckpt report s3://bucket/model.ckpt-30 -o report.html --bins 0
    """
    import icefloe

    with progress("Reading") as done:
        found = icefloe.ckpt.report(a, output, b, bins=bins, progress=done)
    if as_json:
        emit_json("ckpt.report", found.as_data())
        return
    for name in found.damaged[:20]:
        note(f"damaged: {name}")
    differing = "" if found.differing is None else f", {found.differing:,} differ"
    click.echo(
        f"wrote {found.output}, {bytes_text(found.page_bytes)}: {count(found.tensors, 'tensor')}, "
        f"{bytes_text(found.bytes)}{differing}"
    )
