"""`icefloe ckpt diff`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.ckpt.plain import as_data, number
from icefloe_cli.ckpt.workers import dask_option
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, count, emit_json, progress, say, shape_text


@click.command("diff")
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--rtol", type=float, default=0.0, help="Elements within ATOL + RTOL * |a| count as equal.")
@click.option("--atol", type=float, default=0.0, help="See --rtol.")
@click.option("--map", "maps", multiple=True, metavar="s/X/Y/", help="Turn names of A into those of B; repeatable.")
@click.option("--bytes", "compare_bytes", is_flag=True, help="Read everything and compare bits, not checksums.")
@click.option("--all", "show_all", is_flag=True, help="List equal tensors too.")
@dask_option()
@json_option()
@click.pass_context
def diff(
    ctx: click.Context,
    a: str,
    b: str,
    patterns: tuple[str, ...],
    rtol: float,
    atol: float,
    maps: tuple[str, ...],
    compare_bytes: bool,
    show_all: bool,
    dask: str | None,
    as_json: bool,
) -> None:
    """Compare checkpoints A and B, of any format, and list what differs.

    + is only in B, - only in A, ~ has another dtype or shape, ! other values, ? cannot be read. Tensors whose
    checksums are equal are not read. How the data are sharded or partitioned does not matter. Exit code 1 where they
    differ.

    \b
    Examples:
      icefloe ckpt diff model.ckpt-10 model.ckpt-20
      icefloe ckpt diff model.ckpt-10 weights.npz '*/kernel' --rtol 1e-5
      icefloe ckpt diff old.ckpt new.ckpt --map 's,^old/,new/,' --json
    """
    import icefloe

    with progress("Comparing") as done:
        found = icefloe.ckpt.diff(
            a, b, patterns, rtol=rtol, atol=atol, maps=maps, compare_bytes=compare_bytes, progress=done, dask=dask
        )
    if as_json:
        emit_json("ckpt.diff", {"equal": found.is_equal, **as_data(found)})
    else:
        _show(found, show_all)
    if not found.is_equal:
        ctx.exit(1)


_SIGNS = {
    "added": "+",
    "removed": "-",
    "reshaped": "~",
    "retyped": "~",
    "changed": "!",
    "unreadable": "?",
    "close": "≈",
}


def _show(found: Any, show_all: bool) -> None:
    listed = found.tensors if show_all else found.differing
    if listed:
        table = Table(["", "name", "what", "max|Δ|", "‖Δ‖/‖a‖", "changed"], right=frozenset((3, 4, 5)), wide=1)
        for t in listed:
            table.add(
                _SIGNS.get(t.status, "="),
                t.label,
                _what(t),
                number(t.max_abs),
                number(t.relative_norm),
                f"{t.changed:,} of {t.elements:,}" if t.changed else "",
            )
        table.show()
    for t in found.of("unreadable"):
        say(f"{t.label}: {t.error}")
    parts = [
        f"{len(found.of(status)):,} {status}"
        for status in ("equal", "close", "changed", "reshaped", "retyped", "added", "removed", "unreadable")
        if found.of(status)
    ]
    click.echo(f"{count(len(found.tensors), 'tensor')}: {', '.join(parts) or 'none'}")


def _what(t: Any) -> str:
    here = f"{t.dtype} {shape_text(t.shape)}" if t.shape is not None else ""
    there = f"{t.other_dtype} {shape_text(t.other_shape)}" if t.other_shape is not None else ""
    text = here or there if here == there or not (here and there) else f"{here} -> {there}"
    return f"{text}, {t.nan:,} NaN in one only" if t.nan else text
