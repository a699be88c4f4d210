"""`icefloe ckpt average`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, listing, show_json, summary, transfer
from icefloe_cli.ckpt.workers import dask_option
from icefloe_cli.output import count


@click.command("average")
@click.argument("output", metavar="OUTPUT")
@click.argument("sources", nargs=-1, required=True, metavar="CHECKPOINT...")
@click.option("--weights", metavar="W,W,...", help="One weight for each checkpoint; only their ratios count.")
@click.option("--common", is_flag=True, help="Leave out tensors that not all checkpoints have.")
@click.option("--last", multiple=True, metavar="PATTERN", help="Take these from the last checkpoint. May be repeated.")
@dask_option()
@edit_options(output=None, verify=False)
def average(
    output: str,
    sources: tuple[str, ...],
    weights: str | None,
    common: bool,
    last: tuple[str, ...],
    dask: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write to OUTPUT the mean of several CHECKPOINTs.

    Sums are made in float64, every tensor keeps its dtype; integers and strings are those of the last checkpoint.

    \b
    Examples:
      icefloe ckpt average avg.ckpt model.ckpt-8000 model.ckpt-9000 model.ckpt-10000
      icefloe ckpt average avg.ckpt a.ckpt b.ckpt --weights 0.9,0.1
      icefloe ckpt average avg.ckpt a.ckpt b.ckpt --dask processes
    """
    import icefloe

    try:
        numbers = None if weights is None else [float(w) for w in weights.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected numbers and commas, got {weights!r}", param_hint="--weights") from None
    with transfer("averaging") as progress:
        report = icefloe.ckpt.average(
            output, sources, weights=numbers, common=common, last=last, dry_run=dry_run, progress=progress, dask=dask
        )
    if as_json:
        show_json("average", report)
        return
    listing("not in all of them, left out", report.left_out)
    listing("from the last one", report.from_last)
    click.echo(f"averaged {count(len(report.averaged), 'tensor')} of {count(len(report.sources), 'checkpoint')}")
    summary(report)
