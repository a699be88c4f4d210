"""Directories that are made for what is written in them, and that go again where nothing was."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from icefloe import errors
from icefloe.checkpoint import files


def make_missing(path: str) -> list[str]:
    """Make a directory and its parents where they are missing; return those that were made, the innermost first.

    Raises: what the file system says. At a URL nothing is made.
    """
    if files.is_url(path):
        return []
    missing = []
    place = path
    while place and not files.is_directory(place):
        missing.append(place)
        parent = os.path.dirname(place)
        if parent == place:
            break
        place = parent
    files.make_directory(path)
    return missing


def remove_empty(made: Sequence[str]) -> None:
    """Remove directories that `make_missing` made, as far as nothing is in them."""
    for path in made:
        with contextlib.suppress(errors.OpError):
            files.remove_directory(path)


@contextlib.contextmanager
def new_directory(path: str) -> Iterator[None]:
    """Make a directory and its parents for what the block writes; after an exception, those that were made and are
    empty are removed.
    """
    made = make_missing(path)
    try:
        yield
    except BaseException:
        remove_empty(made)
        raise
