"""The state file of a directory of checkpoints: text-format CheckpointState, by default named `checkpoint`.

    model_checkpoint_path: "model.ckpt-30"          the latest one
    all_model_checkpoint_paths: "model.ckpt-20"     those that are kept, oldest first, the latest one last
    all_model_checkpoint_paths: "model.ckpt-30"

A relative path is relative to the directory of the file. Source: tensorflow/python/training/checkpoint_state.proto.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.single_file import new_file

if TYPE_CHECKING:
    from icefloe.proto import CheckpointState

_LOG = logging.getLogger("icefloe")
DEFAULT_NAME = "checkpoint"
_MAX_SIZE = 64 << 20
_STEP = re.compile(r"-([0-9]+)$")

Path = str | os.PathLike[str]


def parse_state(data: bytes, path: str) -> CheckpointState:
    """Return the CheckpointState of text-format `data`, paths as they are.

    Raises: DataLossError if it does not parse, InvalidArgumentError if it names no latest checkpoint.
    """
    from google.protobuf import text_format

    from icefloe.proto import POOL, CheckpointState

    state = CheckpointState()
    try:
        text_format.Merge(data.decode("utf-8"), state, descriptor_pool=POOL)
    except (text_format.ParseError, UnicodeDecodeError, ValueError, RecursionError) as e:
        raise errors.DataLossError(f"not a checkpoint state file: {e}", path=path) from None
    if not state.model_checkpoint_path:
        raise errors.InvalidArgumentError("the state file names no latest checkpoint", path=path)
    return state


def read_state(path: Path) -> CheckpointState:
    """Return the CheckpointState in the file at `path`, its relative paths joined to the file's directory.

    Raises: NotFoundError if there is no file; as `parse_state`.
    """
    path = os.fspath(path)
    source = files.Source(path)
    try:
        if source.size > _MAX_SIZE:
            raise errors.DataLossError("not a checkpoint state file: too large", path=path)
        data = source.read(0, source.size)
    finally:
        source.close()
    state = parse_state(data, path)
    directory = os.path.dirname(path)
    state.model_checkpoint_path = os.path.join(directory, state.model_checkpoint_path)
    kept = [os.path.join(directory, p) for p in state.all_model_checkpoint_paths]
    state.all_model_checkpoint_paths[:] = kept
    return state


def make_state(
    directory: Path,
    model_checkpoint_path: Path,
    all_model_checkpoint_paths: Iterable[Path] = (),
    *,
    timestamps: Sequence[float] = (),
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Return the CheckpointState to be stored in `directory`.

    The latest path is appended to the others where it is not their last. Where `directory` is relative, relative
    paths become relative to it.

    Raises: ValueError if there are timestamps, but not one per path.
    """
    from icefloe.proto import CheckpointState

    directory, latest = os.fspath(directory), os.fspath(model_checkpoint_path)
    kept = [os.fspath(p) for p in all_model_checkpoint_paths]
    if not kept or kept[-1] != latest:
        kept.append(latest)
    if timestamps and len(timestamps) != len(kept):
        raise errors.InvalidArgumentError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {kept} and timestamps "
            f"{list(timestamps)})"
        )
    if not os.path.isabs(directory):
        latest, *kept = (p if os.path.isabs(p) else os.path.relpath(p, directory or ".") for p in (latest, *kept))
    state = CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=kept,
        all_model_checkpoint_timestamps=timestamps,
    )
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def write_state(path: Path, state: CheckpointState) -> None:
    """Write a state file: a reader finds the old one or the new one.

    Raises: FailedPreconditionError (a RuntimeError) if the checkpoint itself has that path; what the file system says.
    """
    from google.protobuf import text_format

    from icefloe.proto import POOL

    path = os.fspath(path)
    if path == state.model_checkpoint_path:
        raise errors.FailedPreconditionError(
            f"Save path '{path}' conflicts with path used for checkpoint state.  Please use a different save path."
        )
    data = text_format.MessageToString(state, descriptor_pool=POOL).encode("utf-8")
    with new_file(path) as write:
        write(data)


def checkpoint_exists(prefix: Path) -> bool:
    """Whether there is a V2 or V1 checkpoint of this prefix; for sharded V1 also in the form `P-?????-of-00002`."""
    return commit.locate(os.fspath(prefix)) is not None or bool(v1_files(os.fspath(prefix)))


def v1_files(prefix: str) -> list[str]:
    """Return the files of the V1 checkpoint that `prefix` may be: itself, or shards by a pattern `P-?????-of-NNNNN`.

    With `P-?????-of-?????` they are those of the least number of shards that is there.
    """
    pattern = names.parse_v1_shard(prefix)
    if pattern is None or pattern[1] is not None:
        return [prefix] if files.is_file(prefix) else []
    base, _, count = pattern
    directory, name = names.split(base)
    found: dict[int, list[int]] = {}
    for file in files.list_directory(directory):
        shard = names.parse_v1_shard(file) if file.startswith(name) else None
        if shard is not None and shard[0] == name and shard[1] is not None and shard[2] is not None:
            found.setdefault(shard[2], []).append(shard[1])
    if count is None:
        count = min(found, default=0)
    return [names.v1_shard(base, i, count) for i in sorted(found.get(count, ()))]


def checkpoint_mtimes(prefixes: Iterable[Path]) -> list[float]:
    """Return when each checkpoint was written, in seconds since 1970; those that do not exist are left out."""
    times = []
    for path in prefixes:
        prefix = os.fspath(path)
        location = commit.locate(prefix)
        paths = [location.index] if location else v1_files(prefix)
        found = files.modified_ns(paths[0]) if paths else None
        if found is not None:
            times.append(found / 1e9)
    return times


def scan(directory: Path) -> list[str]:
    """Return the prefixes of the V2 checkpoints in a directory, the latest last: by the number at the end, then by
    time of writing.
    """
    directory = os.fspath(directory)
    found = set()
    for name in files.list_directory(directory):
        part = names.parse(name)
        if part is not None and part.kind in ("index", "commit") and not part.is_temporary:
            found.add(part.prefix)

    def age(base: str) -> tuple[int, float, str]:
        step = _STEP.search(base)
        written = checkpoint_mtimes([os.path.join(directory, base)])
        return int(step[1]) if step else -1, written[0] if written else 0.0, base

    return [os.path.join(directory, base) for base in sorted(found, key=age)]


def latest_checkpoint(directory: Path, latest_filename: str | None = None) -> str | None:
    """Return the prefix of the latest checkpoint in a directory, or None.

    It is what the state file says. Where the directory was moved, the checkpoint of that name in it; where the state
    file is lost or names one that is gone, the one with the highest step, and a warning is logged.
    """
    directory = os.fspath(directory)
    path = os.path.join(directory, latest_filename or DEFAULT_NAME)
    try:
        state = read_state(path)
    except errors.NotFoundError:
        reason = ""
    except errors.OpError as e:
        reason = str(e)
    else:
        latest = state.model_checkpoint_path
        if checkpoint_exists(latest):
            return latest
        moved = os.path.join(directory, os.path.basename(latest))
        if checkpoint_exists(moved):
            return moved
        reason = f"{path} names {latest}, which is not there"
    found = scan(directory)
    if not found:
        return None
    if reason or len(found) > 1:
        _LOG.warning("%s; taking %s, the latest that is there", reason or f"there is no state file {path}", found[-1])
    return found[-1]
