"""Output: tables for people, aligned and coloured on a terminal and plain in a pipe; JSON for programs; progress on
stderr.

A terminal gets rich's tables, cut to its width. A pipe gets the same columns as plain text, whole. `NO_COLOR` is
heeded by rich and click.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

# The version of the JSON that commands print; it rises when a field is removed or changes its meaning.
JSON_VERSION = 1

PROGRESS_DELAY = 0.5  # seconds of work before a bar appears


def emit_json(command: str, data: dict[str, Any]) -> None:
    """Print one JSON object with its schema: `icefloe.<command>/<version>`.

    A name that is not UTF-8 makes it ASCII: the bytes of that name are `\\udcXX`, as Python has them.
    """
    whole = {"schema": f"icefloe.{command}/{JSON_VERSION}", **data}
    text = json.dumps(whole, ensure_ascii=False, default=_encode)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(whole, default=_encode)
    click.echo(text)


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


# What moves the cursor, colours, or turns the direction of text, and what stands for bytes that are no UTF-8: names in
# files may hold it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_CONTROL_IN_LINES = re.compile(_CONTROL.pattern.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f"))


def visible(text: str, *, lines: bool = False) -> str:
    """Return a text with its control characters as escapes, `\\x1b`; of several `lines`, newlines and tabs stay."""
    return (_CONTROL_IN_LINES if lines else _CONTROL).sub(lambda m: ascii(m[0])[1:-1], text)


def say(text: str) -> None:
    """Print one line to stdout that holds what a file says."""
    click.echo(visible(text))


def note(text: str) -> None:
    """Print a message to stderr."""
    click.echo(visible(text, lines=True), err=True)


def print_anything() -> None:
    """Let what the encoding of stdout and stderr does not have be printed as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


_LEAST_WIDE = 16  # characters of the wide column that a terminal must have room for
_BETWEEN = 3  # characters between columns of rich's tables


@dataclass
class Table:
    """Rows of texts under headers. `right`: the columns that are aligned to the right; `wide`: the one cut where a
    line is too long.
    """

    headers: Sequence[str]
    right: frozenset[int] = frozenset()
    wide: int = 0
    rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append([visible(cell) for cell in cells])

    def show(self, title: str | None = None) -> None:
        """Print the table to stdout."""
        if sys.stdout.isatty() and self._fits():
            self._show_rich(title)
            return
        if title:
            click.echo(title)
        for line in self.lines():
            click.echo(line)

    def _widths(self) -> list[int]:
        widths = [len(h) for h in self.headers]
        for row in self.rows:
            widths = [max(w, len(c)) for w, c in zip(widths, row, strict=True)]
        return widths

    def _fits(self) -> bool:
        """Whether the other columns leave the wide one room on this terminal: rich would cut it to nothing."""
        widths = self._widths()
        needed = min(widths[self.wide], _LEAST_WIDE)
        others = sum(widths) - widths[self.wide] + _BETWEEN * len(widths)
        return shutil.get_terminal_size().columns >= others + needed

    def lines(self) -> Iterator[str]:
        """Yield the lines of the plain form."""
        widths = self._widths()
        last = len(widths) - 1
        for row in (self.headers, *self.rows):
            cells = [
                cell.rjust(width) if i in self.right else cell if i == last else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            yield "  ".join(cells).rstrip()

    def _show_rich(self, title: str | None) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for i, header in enumerate(self.headers):
            justify: Any = "right" if i in self.right else "left"
            table.add_column(header, justify=justify, no_wrap=i != self.wide, overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        Console().print(table)


def fields(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line, values aligned."""
    listed = [(name, value) for name, value in pairs if value != ""]
    width = max((len(name) for name, _ in listed), default=0)
    for name, value in listed:
        first, *rest = value.splitlines() or [""]
        click.echo(f"{name.ljust(width)}  {first}")
        for line in rest:
            click.echo(f"{' ' * width}  {line}")


def bytes_text(size: int) -> str:
    """Return a number of bytes as people read it: `812 B`, `1.3 MB`."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.3g} {unit}"
    return f"{amount:.0f} TB"


def shape_text(shape: Sequence[int | None] | None) -> str:
    """Return a shape as `[2,?]`; `?` alone for unknown rank."""
    return "?" if shape is None else f"[{','.join('?' if n is None else str(n) for n in shape)}]"


def count(number: int, noun: str) -> str:
    """Return `1 node`, `3 nodes`."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


@contextlib.contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Any]:
    """Yield a function to be called with the amount done since the last call.

    On a terminal a bar appears on stderr once the work has taken half a second. total: how much there is to do, if it
    is known.
    """
    if not sys.stderr.isatty():
        yield lambda amount=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    timer = threading.Timer(PROGRESS_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda amount=1: bar.advance(task, amount)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextlib.contextmanager
def byte_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to be called with (bytes done, bytes in all).

    On a terminal a bar with rate and time left appears on stderr once the work has taken half a second.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.DownloadColumn(),
        rich.TransferSpeedColumn(),
        rich.TimeRemainingColumn(),
    )
    bar = rich.Progress(*columns, console=Console(stderr=True), transient=True)
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
