"""The names of the files of a save: the prefix with its step, the graph's file, the state file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from icefloe.checkpoint import names
from icefloe.checkpoint.state_file import DEFAULT_NAME


def state_name(latest_filename: str | os.PathLike[str] | None) -> str:
    """Return the name of the state file. Raises: ValueError if it is no plain name."""
    name = os.fsdecode(latest_filename or DEFAULT_NAME)
    if os.path.split(name)[0] or name in (os.curdir, os.pardir):
        raise ValueError("'latest_filename' must not contain path components")
    return name


def with_step(sess: Any, save_path: str, global_step: Any, *, padded: bool = False) -> str:
    """Return the prefix to write: `save_path`, with the step behind it unless that is None.

    padded: to at least 8 digits.   Raises: as `step_number`.
    """
    if global_step is None:
        return save_path
    step = step_number(sess, global_step)
    return f"{save_path}-{step:08d}" if padded else f"{save_path}-{step:d}"


def step_number(sess: Any, given: Any, name: str = "global_step") -> int:
    """Return a step as a number.

    given: an integer, also as an array of one element, a tensor, a variable or the name of a tensor.

    Raises: TypeError, with what the argument is called, if it is none of these or the tensor holds no single number; as
    the session's `run`.
    """
    value = given
    if isinstance(value, float) or (isinstance(value, (np.ndarray, np.generic)) and not _is_integer(value)):
        raise TypeError(f"{name}: expected an integer, a tensor or the name of one, got {value!r}")
    if not isinstance(value, (int, np.ndarray, np.generic)):
        value = np.asarray(sess.run(value))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise TypeError(f"{name}: expected one number, but {given!r} gives {value!r:.100}")
    return int(value if isinstance(value, int) else value.reshape(()).item())


def _is_integer(value: Any) -> bool:
    return bool(value.size == 1 and value.dtype.kind in "biu")


def check_distinct(prefix: str, meta_file: str | None, state_file: str | None) -> None:
    """Raise ValueError if the file of the graph or of the state would take the place of a file of the checkpoint."""
    if meta_file is not None:
        part = names.parse(meta_file)
        if (part is not None and part.kind != "meta") or meta_file == prefix:
            raise ValueError(f"'meta_graph_suffix' makes the graph's file {meta_file} one of the checkpoint's own")
    if state_file is None:
        return
    part, base = names.parse(state_file), os.path.basename(prefix)
    own = part is not None and part.prefix == base
    if own or (meta_file is not None and os.path.basename(meta_file) == state_file):
        raise ValueError(f"'latest_filename' collides with 'save_path': '{state_file}' and '{prefix}'")
