"""What is stored in a checkpoint, with TensorFlow's functions: list, load one variable, wait for the next
checkpoint.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from icefloe.checkpoint import open_checkpoint
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.datatypes import DType
from icefloe.proto import DataType
from icefloe.saver import state

_LOG = logging.getLogger("icefloe")

Path = str | os.PathLike[str]


class NameReader:
    """An open checkpoint with the methods of TensorFlow's CheckpointReader. `icefloe.open_checkpoint` gives more."""

    def __init__(self, path: Path) -> None:
        self._reader = open_checkpoint(path)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shape of each tensor by name."""
        return {name: list(entry.shape) for name, entry in self._reader.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtype of each tensor by name."""
        return {name: entry.dtype for name, entry in self._reader.entries.items()}

    def has_tensor(self, tensor_str: str | bytes) -> bool:
        """Return whether a tensor of this name is stored."""
        return _text(tensor_str) in self._reader.entries

    def get_tensor(self, tensor_str: str | bytes) -> Any:
        """Return the value of a tensor: an ndarray, bytes for a scalar string.

        Raises: NotFoundError if there is none; DataLossError if it is damaged.
        """
        name = _text(tensor_str)
        if name not in self._reader.entries:
            raise CheckpointReader.missing(self._reader, name)  # the same words for both formats
        value = self._reader.read(name)
        return value.item() if value.dtype == object and value.ndim == 0 else value

    def debug_string(self) -> bytes:
        """Return one line per tensor: name, dtype and shape."""
        lines = [
            f"{name} ({DataType.Name(entry.dtype.as_datatype_enum)}) [{','.join(map(str, entry.shape))}]"
            for name, entry in sorted(self._reader.entries.items())
        ]
        return "\n".join(lines).encode(errors="surrogateescape")


def _text(name: str | bytes) -> str:
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def new_checkpoint_reader(filepattern: Path) -> NameReader:
    """Return a reader of the checkpoint; what TensorFlow calls `NewCheckpointReader`.

    Raises: NotFoundError if there is none; DataLossError if it cannot be read.
    """
    return NameReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: Path) -> NameReader:
    """Return a reader of a checkpoint, of the latest one of a directory.

    Raises: ValueError if a directory has none; else as `new_checkpoint_reader`.
    """
    path = os.fsdecode(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = state.latest_checkpoint(path)
        if latest is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
        path = latest
    return NameReader(path)


def load_variable(ckpt_dir_or_file: Path, name: str) -> np.ndarray:
    """Return the value of a variable in a checkpoint; `:0` at the end of its name counts not.

    Raises: NotFoundError if it is not there; TypeError for a name that is no string; as `load_checkpoint`.
    """
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a variable, got {name!r}")
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Path) -> list[tuple[str, list[int]]]:
    """Return names and shapes of the tensors in a checkpoint, sorted by name. Raises: as `load_checkpoint`."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def wait_for_new_checkpoint(
    checkpoint_dir: Path, last_checkpoint: str | None = None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """Return the latest checkpoint of a directory once it is another one than `last_checkpoint`; None after `timeout`
    seconds.
    """
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        path = state.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            return path
        if until is not None and time.monotonic() + seconds_to_sleep > until:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: Path,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yield the paths of checkpoints as they appear in a directory.

    min_interval_secs: least time between two. timeout: seconds to wait for one; then the iterator ends, or with
    `timeout_fn` only where that returns true.
    """
    path = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if found is not None:
            start = time.monotonic()
            path = found
            yield path
            left = start + min_interval_secs - time.monotonic()
            if left > 0:
                time.sleep(left)
        elif timeout_fn is None:
            _LOG.info("Timed-out waiting for a checkpoint (without timeout_fn).")
            return
        if timeout_fn is not None and timeout_fn():
            _LOG.info("Done. No new checkpoints will be generated.")
            return
