"""The checkpoints of a directory, with TensorFlow's functions: which is the latest, which exist, delete one, write
the state file.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from icefloe import errors
from icefloe.checkpoint import commit, files, state_file
from icefloe.checkpoint.locating.resolve import resolve
from icefloe.checkpoint.state_file import latest_checkpoint as latest_checkpoint
from icefloe.proto import CheckpointState, SaverDef

_LOG = logging.getLogger("icefloe")
_SHARD = re.compile(r"-[\d?]+-of-\d+$")

Path = str | os.PathLike[str]


def generate_checkpoint_state_proto(
    save_dir: Path,
    model_checkpoint_path: Path,
    all_model_checkpoint_paths: list[Any] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Return the CheckpointState for the directory `save_dir`.

    model_checkpoint_path: the latest checkpoint. all_model_checkpoint_paths: those that are kept, oldest first; the
    latest is added at the end where it is not there. Where `save_dir` is relative, relative paths are made relative
    to it.

    Raises: ValueError if there are timestamps, but not one per path.
    """
    given = [] if all_model_checkpoint_paths is None else all_model_checkpoint_paths
    kept = given if isinstance(given, list) else [given] if isinstance(given, (str, bytes)) else list(given)
    if not kept or kept[-1] != model_checkpoint_path:
        kept.append(model_checkpoint_path)  # in the caller's list, as TensorFlow does
    return state_file.make_state(
        save_dir,
        model_checkpoint_path,
        kept,
        timestamps=all_model_checkpoint_timestamps or (),
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: Path,
    model_checkpoint_path: Path,
    all_model_checkpoint_paths: list[Any] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the state file of `save_dir`; arguments as `generate_checkpoint_state_proto`.

    latest_filename: its name, `checkpoint` by default.

    Raises: RuntimeError if the checkpoint has the state file's path.
    """
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    name = os.fsdecode(latest_filename or state_file.DEFAULT_NAME)
    state_file.write_state(os.path.join(os.fsdecode(save_dir), name), state)


def existing_checkpoints(directory: str, latest_filename: str) -> list[str]:
    """Return the checkpoints that a state file lists and that are there; nothing where it cannot be read."""
    try:
        found = state_file.read_state(os.path.join(directory, latest_filename))
    except errors.OpError:
        return []
    return [path for path in found.all_model_checkpoint_paths if state_file.checkpoint_exists(path)]


def write_checkpoint_state(
    save_dir: str, latest: str, kept: Sequence[str], *, latest_filename: str, relative: bool
) -> None:
    """Write the state file as a Saver does; relative: absolute paths are made relative to `save_dir`."""

    def shown(path: str) -> str:
        return os.path.relpath(path, save_dir) if relative and os.path.isabs(path) else path

    update_checkpoint_state(save_dir, shown(latest), [shown(path) for path in kept], latest_filename)


def get_checkpoint_state(checkpoint_dir: Path, latest_filename: str | None = None) -> CheckpointState | None:
    """Return what the state file of a directory says, relative paths joined to the directory; None if there is none.

    Raises: ValueError if it names no checkpoint.
    """
    path = os.path.join(os.fsdecode(checkpoint_dir), os.fsdecode(latest_filename or state_file.DEFAULT_NAME))
    try:
        return state_file.read_state(path)
    except errors.NotFoundError:
        return None
    except errors.InvalidArgumentError:
        raise ValueError(f"Invalid checkpoint state loaded from {os.fsdecode(checkpoint_dir)}") from None
    except errors.OpError as error:
        _LOG.warning("%s: Checkpoint ignored", error)
        return None


def recorded_checkpoints(checkpoint_dir: Path, latest_filename: str | None = None) -> CheckpointState | None:
    """Return what the state file of a directory says, with each path where the checkpoint is now, as after the
    directory was moved; the latest is the newest complete one. None if there is no state file: then a warning is
    logged where there are checkpoints all the same.

    Raises: ValueError if it names no checkpoint.
    """
    found = get_checkpoint_state(checkpoint_dir, latest_filename)
    directory = os.fsdecode(checkpoint_dir)
    if found is None:
        there = [p for p in state_file.scan(directory) if state_file.step_of(p) is not None]
        if there:
            _LOG.warning(
                "%s holds checkpoints, the latest %s, but no state file that names them, so that none is restored. "
                "`icefloe ckpt state %s --rebuild` makes one.",
                *(directory, there[-1], directory),
            )
        return None

    def placed(path: str) -> str:
        if state_file.checkpoint_exists(path):
            return path
        return state_file.locate_stored(directory, path) or path

    latest = latest_checkpoint(directory, latest_filename)
    found.model_checkpoint_path = latest or placed(found.model_checkpoint_path)
    found.all_model_checkpoint_paths[:] = [placed(path) for path in found.all_model_checkpoint_paths]
    return found


def checkpoint_exists(checkpoint_prefix: Path) -> bool:
    """Whether there is a checkpoint of this prefix, V2 or V1."""
    return state_file.checkpoint_exists(checkpoint_prefix)


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[Path]) -> list[float]:
    """Return when the checkpoints were written, in seconds since 1970; those that do not exist are left out."""
    return state_file.checkpoint_mtimes(checkpoint_prefixes)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """Return the path of the graph file that goes with a checkpoint, also one in the form `P-?????-of-00002`."""
    return f"{_SHARD.sub('', checkpoint_filename)}.{meta_graph_suffix}"


def remove_checkpoint(
    checkpoint_prefix: Path, checkpoint_format_version: int = SaverDef.V2, meta_graph_suffix: str = "meta"
) -> None:
    """Delete the files of a checkpoint and its graph file; what is not there does not matter."""
    prefix = os.fsdecode(checkpoint_prefix)
    paths = [meta_graph_filename(prefix, meta_graph_suffix)]
    if checkpoint_format_version == SaverDef.V2:
        commit.delete_checkpoint(prefix)
    else:
        paths += state_file.v1_files(prefix)
    for path in paths:
        if files.is_file(path):
            files.remove(path)


def local_path(path: Path) -> str:
    """Return a path as text, without `file://` in front."""
    return os.fsdecode(path).removeprefix("file://")


def resolve_checkpoint(path: Path) -> str:
    """Return the prefix of the checkpoint that `path` stands for: a prefix, a file of it, a directory, the state file.

    Raises: ValueError, in TensorFlow's words, if there is none; it says what `path` is instead.
    """
    try:
        return resolve(local_path(path)).prefix
    except errors.NotFoundError as error:
        raise errors.InvalidArgumentError(
            f"The passed save_path is not a valid checkpoint: {os.fsdecode(path)}", hint=error.hint
        ) from None
