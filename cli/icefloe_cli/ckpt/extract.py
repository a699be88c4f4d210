"""`icefloe ckpt extract`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, listing, show_json, summary, transfer


@click.command("extract")
@click.argument("checkpoint", type=click.Path())
@click.argument("output", metavar="OUTPUT")
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@click.option("--skip", multiple=True, metavar="PATTERN", help="Not tensors whose name matches. May be repeated.")
@edit_options(output=None)
def extract(
    checkpoint: str,
    output: str,
    patterns: tuple[str, ...],
    skip: tuple[str, ...],
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write the tensors of CHECKPOINT that match a PATTERN to OUTPUT, a checkpoint or, where it ends so, an .npz.

    PATTERN is a glob, a scope such as `encoder/`, or a regular expression after `re:`.

    \b
    Examples:
      icefloe ckpt extract model.ckpt encoder.ckpt encoder/
      icefloe ckpt extract model.ckpt weights.npz '*/kernel' '*/bias' --skip '*/Adam*'
    """
    import icefloe

    with transfer("extracting") as progress:
        report = icefloe.ckpt.extract(
            checkpoint, output, patterns, skip=skip, verify=verify, dry_run=dry_run, progress=progress
        )
    if as_json:
        show_json("extract", report)
        return
    listing("extracted", report.names, full=dry_run)
    summary(report)
