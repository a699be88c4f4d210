"""`icefloe ckpt stats`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.ckpt.plain import as_data, number
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, progress, say, shape_text

_BARS = " ▁▂▃▄▅▆▇█"
_SORTS = ["name", "size", "min", "max", "mean", "std", "nan", "inf", "zeros"]


@click.command("stats")
@click.argument("checkpoint", type=click.Path())
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--sort", type=click.Choice(_SORTS), default="name", show_default=True, help="Order, largest first.")
@click.option("--bins", type=click.IntRange(0, 4096), default=16, show_default=True, help="Of the histograms; 0: none.")
@click.option("--histogram", is_flag=True, help="Print each histogram large, one line per bin.")
@json_option()
@click.pass_context
def stats(
    ctx: click.Context,
    checkpoint: str,
    patterns: tuple[str, ...],
    sort: Any,
    bins: int,
    histogram: bool,
    as_json: bool,
) -> None:
    """Print statistics of the tensors of CHECKPOINT: smallest, largest, mean, deviation, NaN, Inf, zeros, histogram.

    Of the finite values; of complex numbers their magnitudes, of strings their lengths. The histogram goes from the
    smallest to the largest value. PATTERN chooses names, `*` and `?` as in a shell. Exit code 1 where a tensor is
    damaged.

    \b
    Examples:
      icefloe ckpt stats model.ckpt-30
      icefloe ckpt stats model.ckpt-30 '*/kernel' --sort std
      icefloe ckpt stats model.ckpt-30 dense/kernel --histogram --bins 20
      icefloe ckpt stats model.ckpt-30 --bins 0 --sort nan --json
    """
    import icefloe

    with progress("Reading") as done:
        found = icefloe.ckpt.stats(checkpoint, patterns, bins=bins, sort=sort, progress=done)
    if as_json:
        emit_json("ckpt.stats", as_data(found))
    elif histogram:
        for tensor in found.tensors:
            _show_large(tensor)
    else:
        _show_table(found, bins)
    if found.errors:
        ctx.exit(1)


def _show_table(found: Any, bins: int) -> None:
    headers = ["name", "dtype", "shape", "min", "max", "mean", "std", "nan", "inf", "zeros"]
    table = Table([*headers, *(["histogram"] if bins else [])], right=frozenset(range(3, 10)))
    for t in found.tensors:
        if t.error is not None:
            table.add(t.name, t.dtype, "damaged", *([""] * (8 if bins else 7)))
            continue
        cells = [number(v) for v in (t.min, t.max, t.mean, t.std)] + [str(v) for v in (t.nan, t.inf, t.zeros)]
        table.add(t.name, t.dtype, shape_text(t.shape), *cells, *([bars(t.histogram)] if bins else []))
    table.show()
    for t in found.errors:
        say(f"damaged: {t.name}: {t.error}")
    total = f"{count(len(found.tensors), 'tensor')}, {count(found.elements, 'element')}, {bytes_text(found.bytes)}"
    click.echo(f"{total}; {found.nan:,} NaN, {found.inf:,} Inf")


def bars(counts: list[int]) -> str:
    """Return a histogram as one line of bars; a bin that is not empty shows at least the lowest."""
    largest = max(counts, default=0)
    if not largest:
        return ""
    top = len(_BARS) - 1
    return "".join(_BARS[max(1, round(n * top / largest)) if n else 0] for n in counts)


def _show_large(tensor: Any) -> None:
    say(f"{tensor.name}  {tensor.dtype} {shape_text(tensor.shape)}")
    if tensor.error is not None:
        say(f"  damaged: {tensor.error}")
        return
    click.echo(
        f"  min {number(tensor.min)}  max {number(tensor.max)}  mean {number(tensor.mean)}  std {number(tensor.std)}  "
        f"nan {tensor.nan}  inf {tensor.inf}  zeros {tensor.zeros}"
    )
    largest = max(tensor.histogram, default=0)
    for low, high, n in zip(tensor.edges, tensor.edges[1:], tensor.histogram):
        bar = "█" * (n * 50 // largest) or ("▏" if n else "")
        click.echo(f"  {number(low):>12} … {number(high):<12} {n:>10,} {bar}")
