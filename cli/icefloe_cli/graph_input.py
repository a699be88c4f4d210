"""Reading the graph that a command is about: from a file, or with `-` from standard input."""

from __future__ import annotations

import sys
from typing import Any

import click

STDIN = "-"
_MOST = 1 << 31  # bytes; no graph is larger


def read_graph(path: str, *, broken: bool = False) -> Any:
    """Return the graph that `path` names; `-` is whatever standard input holds: a graph in any form of one file.

    broken: give the GraphDef where it cannot become a graph.

    Raises: click.UsageError if standard input is a terminal or was read already; what `icefloe.load_graph` raises.
    """
    import icefloe

    source = _from_stdin() if path == STDIN else path
    try:
        return icefloe.load_graph(source)
    except icefloe.errors.OpError as error:
        definition = _definition(source) if broken and isinstance(error, icefloe.errors.InvalidArgumentError) else None
        if definition is not None:
            return definition
        raise (error.add_context(path="standard input") if path == STDIN else error) from None


def _from_stdin() -> bytes:
    context = click.get_current_context()
    if context.meta.setdefault("icefloe.stdin", False):
        raise click.UsageError("Standard input can be one graph only: name a file for the other.")
    context.meta["icefloe.stdin"] = True
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError(
            f"{STDIN} reads the graph from standard input, which is a terminal. Pipe one in: "
            f"cat frozen.pb | {context.command_path} {STDIN}"
        )
    data = sys.stdin.buffer.read(_MOST)
    if not data:
        raise click.UsageError(f"{STDIN} reads the graph from standard input, which is empty.")
    return data


def _definition(source: str | bytes) -> Any:
    """Return the bytes, or those of the file, as a GraphDef; None if they are none."""
    from google.protobuf.message import DecodeError

    import icefloe

    try:
        if isinstance(source, str):
            with open(source, "rb") as file:
                source = file.read()
        return icefloe.proto.GraphDef.FromString(source)
    except (OSError, ValueError, DecodeError):
        return None
