"""One checkpoint written by several processes: each writes a part of it, a checkpoint of its own, and these are
merged.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import commit, directories, files, names
from icefloe.checkpoint.merge import merge_checkpoints

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Parts:
    """The prefixes of the parts of a checkpoint under way."""

    prefixes: list[str]


@contextlib.contextmanager
def parts(target: str, count: int) -> Iterator[Parts]:
    """Give prefixes for `count` parts of the checkpoint `target`; at the end of the block they become that checkpoint.
    After an exception they are removed, and a former checkpoint stays.

    All processes must reach the directory of `target`.

    Raises: what the file system says.
    """
    base = names.split(target)[1]
    if base in ("", ".", ".."):
        raise errors.InvalidArgumentError(f"{target!r} is a directory, not the prefix of a checkpoint")
    # The folder that a sharded save of TensorFlow makes: `clean` knows it.
    folder = f"{target}_temp_{secrets.token_hex(16)}"
    made = directories.make_missing(folder)
    prefixes = [os.path.join(folder, f"part-{i:05d}-of-{count:05d}") for i in range(count)]
    try:
        yield Parts(prefixes)
        merge_checkpoints(prefixes, target)
    except BaseException:
        _remove(folder, prefixes)
        directories.remove_empty(made)
        raise


def _remove(folder: str, prefixes: list[str]) -> None:
    """Remove the parts and their folder. A worker that has not noticed yet may still write: it is waited for."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        with contextlib.suppress(errors.OpError):
            for prefix in prefixes:
                commit.delete_checkpoint(prefix)
            files.remove_directory(folder)
        if not files.is_directory(folder) or time.monotonic() > end:
            return
        time.sleep(0.02)
