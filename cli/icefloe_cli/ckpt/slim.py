"""`icefloe ckpt slim`."""

from __future__ import annotations

from typing import Literal

import click

from icefloe_cli.ckpt.editing import edit_options, listing, one_output, show_json, summary, transfer, unmatched
from icefloe_cli.output import bytes_text, count, note


@click.command("slim")
@click.argument("checkpoint", type=click.Path())
@click.option(
    "--ema",
    type=click.Choice(["keep", "use", "drop"]),
    default="keep",
    show_default=True,
    help="Moving averages: `use` puts each in the place of its variable.",
)
@click.option("--keep-step", is_flag=True, help="Keep the global step and the optimizer's counter.")
@click.option("--keep-optimizer", is_flag=True, help="Keep slots and state of optimizers.")
@click.option("--keep", multiple=True, metavar="PATTERN", help="Keep what matches in any case. May be repeated.")
@click.option(
    "--drop", multiple=True, metavar="PATTERN", help="Drop what matches too, with its slots. May be repeated."
)
@edit_options()
def slim(
    checkpoint: str,
    output_argument: str | None,
    ema: Literal["keep", "use", "drop"],
    keep_step: bool,
    keep_optimizer: bool,
    keep: tuple[str, ...],
    drop: tuple[str, ...],
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Leave out what only training needs: optimizer slots, the optimizer's state, the step.

    They are told by the names that optimizers of TF1 and Keras give, and in object-based checkpoints by the object
    graph, which is pruned alike. PATTERN is a glob, a scope such as `aux/`, or a regular expression after `re:`.

    \b
    Examples:
      icefloe ckpt slim model.ckpt-1000 small.ckpt
      icefloe ckpt slim model.ckpt-1000 small.ckpt --ema use --keep-step
      icefloe ckpt slim model.ckpt-1000 --drop 'aux_head/' --dry-run
    """
    import icefloe

    with transfer("slimming") as progress:
        report = icefloe.ckpt.slim(
            checkpoint,
            one_output(output_argument, output),
            ema=ema,
            keep_step=keep_step,
            keep_optimizer=keep_optimizer,
            keep=keep,
            drop=drop,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    unmatched(report.unmatched)
    if as_json:
        show_json("slim", report)
        return
    listing("removed", [f"{name}  ({why})" for name, why in sorted(report.removed.items())], full=dry_run)
    listing("with the value of the moving average", report.averaged)
    if ema == "use":
        listing("without a moving average, kept as they are", report.fallbacks)
    if not report.removed:
        note("there is nothing to remove")
    click.echo(f"removed {count(len(report.removed), 'tensor')}, {bytes_text(report.removed_bytes)}")
    summary(report)
