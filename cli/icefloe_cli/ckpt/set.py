"""`icefloe ckpt set`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, listing, show_json, summary, transfer


@click.command("set")
@click.argument("checkpoint", type=click.Path())
@click.argument("assignments", nargs=-1, required=True, metavar="NAME=VALUE...")
@click.option("--only-existing", is_flag=True, help="Refuse names that are not there.")
@click.option("--reshape", is_flag=True, help="Let a tensor have another shape than it had.")
@click.option("--dtype", metavar="DTYPE", help="The dtype of new tensors.")
@edit_options(output="option")
def set_values(
    checkpoint: str,
    assignments: tuple[str, ...],
    only_existing: bool,
    reshape: bool,
    dtype: str | None,
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give tensors of CHECKPOINT other values, or add new ones.

    \b
    VALUE is
      0.5, [1, 2], true, "text"   JSON; a scalar fills a tensor of any shape
      @file.npy                   the array in a file
      @file.npz:NAME              one of its arrays
      @PREFIX:NAME                a tensor of another checkpoint

    A value gets the dtype of the tensor that it replaces.

    \b
    Examples:
      icefloe ckpt set model.ckpt global_step=0
      icefloe ckpt set model.ckpt emb=@emb.npy dense/bias=0 -o new.ckpt
      icefloe ckpt set model.ckpt head/kernel=@other.ckpt:head/kernel --only-existing
    """
    import icefloe

    values = {}
    for text in assignments:
        # A value may have `=` in it, and so may a name: the first one ends the name.
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise click.BadParameter(f"expected NAME=VALUE, got {text!r}", param_hint="NAME=VALUE")
        if name in values:
            raise click.BadParameter(f"{name!r} is given two values", param_hint="NAME=VALUE")
        values[name] = icefloe.ckpt.read_value(value)
    with transfer("writing") as progress:
        report = icefloe.ckpt.set(
            checkpoint,
            values,
            output,
            only_existing=only_existing,
            reshape=reshape,
            dtype=dtype,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    if as_json:
        show_json("set", report)
        return
    listing("changed", report.changed)
    listing("added", report.added)
    summary(report)
