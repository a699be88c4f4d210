"""What the commands that edit checkpoints have in common: where to write, how to show what was done."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import click

from icefloe_cli.options import Decorator, json_option
from icefloe_cli.output import PROGRESS_DELAY, bytes_text, count, emit_json, note, say

_SHOWN = 20  # of a list of names, unless --json


def edit_options(*, output: str | None = "positional", verify: bool = True) -> Decorator:
    """Return the options of an edit: `--output`, `--verify`, `--dry-run`, `--json`.

    output: "positional" for an argument [OUTPUT] beside the option, "option" for the option alone, None for neither.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function = json_option()(function)
        function = click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")(function)
        if verify:
            text = "Check the checksums of what is copied too; they are taken over in any case."
            function = click.option("--verify", is_flag=True, help=text)(function)
        if output is not None:
            function = click.option(
                "-o", "--output", "output", metavar="PREFIX", help="Where to write; without it CHECKPOINT is replaced."
            )(function)
        if output == "positional":
            function = click.argument("output_argument", required=False, metavar="[OUTPUT]")(function)
        return function

    return decorate


def one_output(argument: str | None, option: str | None) -> str | None:
    """Return the output that was given as argument or option. Raises: click.UsageError if both were."""
    if argument is not None and option is not None:
        raise click.UsageError(f"two outputs: {argument} and {option}")
    return argument if argument is not None else option


@contextlib.contextmanager
def transfer(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what a library function calls with (bytes done, bytes in all); on a terminal a bar shows rate and time
    left.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(PROGRESS_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def show_json(command: str, report: Any) -> None:
    """Print a report for programs."""
    emit_json(f"ckpt.{command}", report.as_data())


def summary(report: Any) -> None:
    """Print what was written, or would be."""
    verb = "would write" if report.dry_run else "wrote"
    amount = f"{count(report.tensors, 'tensor')}, {bytes_text(report.bytes)} in {count(report.shards, 'data file')}"
    if report.shards < 2:
        amount = f"{count(report.tensors, 'tensor')}, {bytes_text(report.bytes)}"
    parts = [f"{bytes_text(report.copied)} copied", f"{bytes_text(report.computed)} computed"]
    click.echo(f"{verb} {report.output}: {amount} ({', '.join(parts)})")


def listing(title: str, names: list[str], *, full: bool = False) -> None:
    """Print names below a title, the first of them where there are many."""
    if not names:
        return
    click.echo(f"{title} ({len(names)}):")
    shown = names if full else names[:_SHOWN]
    for name in shown:
        say(f"  {name}")
    if len(names) > len(shown):
        click.echo(f"  … and {len(names) - len(shown)} more (--json lists all)")


def unmatched(names: list[str], what: str = "pattern") -> None:
    """Say on stderr which patterns matched nothing."""
    if names:
        shown = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        note(f"no tensor matches {count(len(names), what)}: {shown}")
        if what == "pattern" and any("|" in name and not name.startswith("re:") for name in names):
            note("  a regular expression stands after re:, such as 're:a|b'")


def number_of_bytes(text: str) -> int:
    """Return a size such as `500MB`, `2GiB` or `1048576`. Raises: click.BadParameter."""
    import re

    units = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKMGT]?)(i?)[bB]?\s*", text)
    if found is None:
        raise click.BadParameter(f"expected a size such as 500MB or 2GiB, got {text!r}")
    unit = found[2].upper()
    factor = 1 << 10 * " KMGT".index(unit or " ") if found[3] else units[unit]
    return int(float(found[1]) * factor)
