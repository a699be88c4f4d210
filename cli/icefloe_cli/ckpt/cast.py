"""`icefloe ckpt cast`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, one_output, show_json, summary, transfer, unmatched
from icefloe_cli.ckpt.workers import dask_option
from icefloe_cli.output import Table, count, note


@click.command("cast")
@click.argument("checkpoint", type=click.Path())
@click.option("--to", "dtype", required=True, metavar="DTYPE", help="bfloat16, float16 (half), float32, float64, ...")
@click.option("--from", "sources", multiple=True, metavar="DTYPE", help="Only tensors of this dtype. May be repeated.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only tensors whose name matches, or whose dtype it is. May be repeated.",
)
@click.option("--skip", multiple=True, metavar="PATTERN", help="Not tensors whose name matches. May be repeated.")
@click.option("--ints", is_flag=True, help="Convert between integers and floating point too.")
@dask_option()
@click.option("--saturate", is_flag=True, help="Make what is too large the largest finite value.")
@edit_options()
def cast(
    checkpoint: str,
    output_argument: str | None,
    dtype: str,
    sources: tuple[str, ...],
    only: tuple[str, ...],
    skip: tuple[str, ...],
    ints: bool,
    saturate: bool,
    dask: str | None,
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Convert the floating-point tensors of CHECKPOINT to another dtype and say what that loses.

    PATTERN is a glob, a scope such as `dense/`, or a regular expression after `re:`. With --dry-run the data are read
    all the same, to count.

    \b
    Examples:
      icefloe ckpt cast model.ckpt half.ckpt --to float16 --skip 're:batch_norm'
      icefloe ckpt cast model.ckpt --to bfloat16 --from float32 --dry-run
      icefloe ckpt cast s3://b/model.ckpt s3://b/half.ckpt --to float16 --dask tcp://10.0.0.1:8786
    """
    import icefloe

    with transfer("converting") as progress:
        report = icefloe.ckpt.cast(
            checkpoint,
            one_output(output_argument, output),
            dtype,
            only=only,
            skip=skip,
            source_dtypes=sources,
            ints=ints,
            saturate=saturate,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
            dask=dask,
        )
    unmatched(report.unmatched)
    if as_json:
        show_json("cast", report)
        return
    table = Table(["name", "from", "to", "overflow", "to zero", "rounded", "of", "error"], right=frozenset(range(3, 8)))
    for name, loss in report.cast.items():
        if loss.overflow or loss.underflow or loss.rounded:
            cells = [f"{n:,}" for n in (loss.overflow, loss.underflow, loss.rounded, loss.elements)]
            table.add(name, loss.before, loss.after, *cells, f"{loss.max_error:.1e}")
    if table.rows:
        table.show("What is lost")
    if not report.cast:
        note("there is nothing to convert")
    if report.overflow:
        note(f"{report.overflow:,} values are too large for the new dtype")
    click.echo(f"converted {count(len(report.cast), 'tensor')}")
    summary(report)
