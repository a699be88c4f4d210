"""`icefloe ckpt resize`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, listing, show_json, summary, transfer
from icefloe_cli.output import note, shape_text


@click.command("resize")
@click.argument("checkpoint", type=click.Path())
@click.argument("sizes", nargs=-1, required=True, metavar="PATTERN=ROWS...")
@click.option("--axis", type=int, default=0, show_default=True, help="The axis along which rows are counted.")
@click.option(
    "--init",
    default="zeros",
    show_default=True,
    metavar="HOW",
    help="What new rows hold: zeros, mean, normal:SEED, copy, copy:ROW.",
)
@click.option("--with-slots/--without-slots", default=True, show_default=True, help="Resize optimizer slots too.")
@click.option("--as-one", is_flag=True, help="What PATTERN matches are parts of one table of ROWS rows.")
@edit_options(output="option")
def resize(
    checkpoint: str,
    sizes: tuple[str, ...],
    axis: int,
    init: str,
    with_slots: bool,
    as_one: bool,
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give tensors of CHECKPOINT more rows, or fewer, and their optimizer slots with them.

    PATTERN is a name, a glob, or a regular expression after `re:`. New rows of slots are 0, of accumulators the mean.

    \b
    Examples:
      icefloe ckpt resize model.ckpt embedding=40000 --init normal:1 -o grown.ckpt
      icefloe ckpt resize model.ckpt 'shared/weights_*=33000' --as-one --init mean
      icefloe ckpt resize model.ckpt head/kernel=5 head/bias=5 --axis -1
    """
    import icefloe

    rows = {}
    for text in sizes:
        pattern, mark, number = text.rpartition("=")
        if not mark or not pattern or not number.isdecimal():
            raise click.BadParameter(f"expected PATTERN=ROWS, got {text!r}", param_hint="PATTERN=ROWS")
        rows[pattern] = int(number)
    with transfer("resizing") as progress:
        report = icefloe.ckpt.resize(
            checkpoint,
            rows,
            output,
            axis=axis,
            init=init,
            with_slots=with_slots,
            as_one=as_one,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    if as_json:
        show_json("resize", report)
        return
    lines = [f"{n}  {shape_text(before)} -> {shape_text(after)}" for n, (before, after) in report.resized.items()]
    listing("resized", lines, full=dry_run)
    if report.left:
        note(f"slots of another shape stay as they are: {', '.join(report.left[:10])}")
    summary(report)
