"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def json_option() -> Decorator:
    """Return the option `--json`, the argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, with its schema's version.")


def files_option() -> Decorator:
    """Return the option `--allow-files`, the argument `allow_files`: directories whose files the graph may read and
    write.
    """
    return click.option(
        "--allow-files",
        multiple=True,
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False),
        help="Let the graph's own file ops work below DIR; without it they are refused. May be repeated.",
    )
