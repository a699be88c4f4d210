"""`icefloe ckpt reshard`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import (
    edit_options,
    listing,
    number_of_bytes,
    one_output,
    show_json,
    summary,
    transfer,
)


@click.command("reshard")
@click.argument("checkpoint", type=click.Path())
@click.option("--shards", type=int, metavar="N", help="Number of data files.")
@click.option("--max-shard-bytes", metavar="SIZE", help="As many data files as it takes, none larger: 500MB, 2GiB.")
@click.option(
    "--partition", multiple=True, metavar="PATTERN=N[,AXIS]", help="Cut tensors into N slices. May be repeated."
)
@click.option(
    "--unpartition", multiple=True, metavar="PATTERN", help="Make partitioned tensors whole. May be repeated."
)
@edit_options()
def reshard(
    checkpoint: str,
    output_argument: str | None,
    shards: int | None,
    max_shard_bytes: str | None,
    partition: tuple[str, ...],
    unpartition: tuple[str, ...],
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Spread the tensors of CHECKPOINT over other data files, cut them into slices, or make them whole.

    \b
    Examples:
      icefloe ckpt reshard model.ckpt parts.ckpt --shards 8
      icefloe ckpt reshard model.ckpt --max-shard-bytes 2GB
      icefloe ckpt reshard model.ckpt new.ckpt --partition 'emb*=16' --unpartition 'old/*'
    """
    import icefloe

    if shards is None and max_shard_bytes is None and not partition and not unpartition:
        raise click.UsageError("nothing to do: give --shards, --max-shard-bytes, --partition or --unpartition")
    with transfer("resharding") as progress:
        report = icefloe.ckpt.reshard(
            checkpoint,
            one_output(output_argument, output),
            shards=shards,
            max_shard_bytes=None if max_shard_bytes is None else number_of_bytes(max_shard_bytes),
            partition=dict(_partition(text) for text in partition),
            unpartition=unpartition,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    if as_json:
        show_json("reshard", report)
        return
    listing("cut into slices", [f"{name}  {parts}" for name, parts in report.partitioned.items()])
    listing("made whole", report.unpartitioned)
    summary(report)


def _partition(text: str) -> tuple[str, tuple[int, int]]:
    pattern, mark, numbers = text.rpartition("=")
    try:
        parts, _, axis = numbers.partition(",")
        if not mark or not pattern:
            raise ValueError
        return pattern, (int(parts), int(axis or 0))
    except ValueError:
        raise click.BadParameter(
            f"expected PATTERN=N or PATTERN=N,AXIS, got {text!r}", param_hint="--partition"
        ) from None
