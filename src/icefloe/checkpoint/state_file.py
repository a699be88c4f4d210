"""The state file of a directory of checkpoints: text-format CheckpointState, by default named `checkpoint`.

    model_checkpoint_path: "model.ckpt-30"          the latest one
    all_model_checkpoint_paths: "model.ckpt-20"     those that are kept, oldest first, the latest one last
    all_model_checkpoint_paths: "model.ckpt-30"

A relative path is relative to the directory of the file. Source: tensorflow/python/training/checkpoint_state.proto.

`state_text` reads what people and editors make of such a file.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.locating.completeness import gap_in
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.checkpoint.single_file import new_file
from icefloe.checkpoint.state_text import read_text

if TYPE_CHECKING:
    from icefloe.proto import CheckpointState

DEFAULT_NAME = "checkpoint"
_MAX_SIZE = 64 << 20
_STEP = re.compile(r"-([0-9]+)$")
# Parts of a stored path that are tried below the directory of the state file.
_MAX_PARTS = 64
_MAX_LOOKS = 100

Path = str | os.PathLike[str]


def parse_state(data: bytes, path: str) -> CheckpointState:
    """Return the CheckpointState of text-format `data`, paths as they are.

    Raises: DataLossError if it does not parse, InvalidArgumentError if it names no latest checkpoint.
    """
    try:
        state = read_text(data)
    except ValueError as e:
        raise errors.DataLossError(f"not a checkpoint state file: {e}", path=path) from None
    if not state.model_checkpoint_path:
        raise errors.InvalidArgumentError("the state file names no latest checkpoint", path=path)
    return state


def read_state(path: Path) -> CheckpointState:
    """Return the CheckpointState in the file at `path`, its relative paths joined to the file's directory.

    Raises: NotFoundError if there is no file; as `parse_state`.
    """
    path = os.fsdecode(path)
    state = parse_state(read_bytes(path), path)
    directory = os.path.dirname(path)
    state.model_checkpoint_path = os.path.join(directory, state.model_checkpoint_path)
    kept = [os.path.join(directory, p) for p in state.all_model_checkpoint_paths]
    state.all_model_checkpoint_paths[:] = kept
    return state


def read_bytes(path: str) -> bytes:
    """Return what is in a state file. Raises: NotFoundError if there is none, DataLossError if it is too large."""
    source = files.Source(path)
    try:
        if source.size > _MAX_SIZE:
            raise errors.DataLossError("not a checkpoint state file: too large", path=path)
        return source.read(0, source.size)
    finally:
        source.close()


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

    Raises: ValueError if there are timestamps, but not one per path, or if a path is no text in UTF-8.
    """
    from icefloe.proto import CheckpointState

    directory, latest = os.fsdecode(directory), os.fsdecode(model_checkpoint_path)
    kept = [os.fsdecode(p) for p in all_model_checkpoint_paths]
    if not kept or kept[-1] != latest:
        kept.append(latest)
    if timestamps and len(timestamps) != len(kept):
        raise errors.InvalidArgumentError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {kept} and timestamps "
            f"{list(timestamps)})"
        )
    if not os.path.isabs(directory):
        latest, *kept = (p if os.path.isabs(p) else os.path.relpath(p, directory or ".") for p in (latest, *kept))
    latest, *kept = (_as_utf8(p, directory) for p in (latest, *kept))
    state = CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=kept,
        all_model_checkpoint_timestamps=timestamps,
    )
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def _as_utf8(path: str, directory: str) -> str:
    """Return a path as a state file can hold it: relative to its directory where a name above is not UTF-8."""
    if path.isascii():
        return path
    for form in (path, os.path.relpath(path, directory or ".") if os.path.isabs(path) else path):
        try:
            form.encode("utf-8")
        except UnicodeEncodeError:
            continue
        return form
    raise errors.InvalidArgumentError(f"a state file holds names in UTF-8 only, which {os.fsencode(path)!r} is not")


def write_state(path: Path, state: CheckpointState) -> None:
    """Write a state file: a reader finds the old one or the new one.

    Raises: FailedPreconditionError (a RuntimeError) if the checkpoint itself has that path; what the file system says.
    """
    from google.protobuf import text_format

    from icefloe.proto import POOL

    path = os.fsdecode(path)
    if path == state.model_checkpoint_path:
        raise errors.FailedPreconditionError(
            f"Save path '{path}' conflicts with path used for checkpoint state.  Please use a different save path."
        )
    data = text_format.MessageToString(state, descriptor_pool=POOL).encode("utf-8")
    with new_file(path) as write:
        write(data)


def checkpoint_exists(prefix: Path) -> bool:
    """Whether there is a V2 or V1 checkpoint of this prefix; for sharded V1 also in the form `P-?????-of-00002`."""
    return commit.locate(os.fsdecode(prefix)) is not None or bool(v1_files(os.fsdecode(prefix)))


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


def checkpoint_mtimes(prefixes: Iterable[Path] | Path) -> list[float]:
    """Return when each checkpoint was written, in seconds since 1970; those that do not exist are left out."""
    times = []
    for path in [prefixes] if isinstance(prefixes, (str, bytes, os.PathLike)) else prefixes:
        prefix = os.fsdecode(path)
        location = commit.locate(prefix)
        paths = [location.index] if location else v1_files(prefix)
        found = files.modified_ns(paths[0]) if paths else None
        if found is not None:
            times.append(found / 1e9)
    return times


def step_of(prefix: str) -> int | None:
    """Return the number at the end of a prefix, the step at which it was saved; None where there is none."""
    shard = names.parse_v1_shard(prefix)
    found = _STEP.search(prefix if shard is None else shard[0])
    return int(found[1]) if found else None


def scan(directory: Path) -> list[str]:
    """Return the prefixes of the V2 checkpoints in a directory, the latest last: by the number at the end, then by
    time of writing.
    """
    directory = os.fsdecode(directory)
    found = set()
    for name in files.list_directory(directory):
        part = names.parse(name)
        if name.startswith("._"):  # what macOS keeps beside a file
            continue
        if part is not None and part.kind in ("index", "commit") and not part.is_temporary:
            found.add(part.prefix)
    return by_age(os.path.join(directory, base) for base in found)


def scan_v1(directory: Path) -> list[str]:
    """Return the V1 checkpoints in a directory, files or patterns `P-?????-of-NNNNN`, the latest last."""
    directory = os.fsdecode(directory)
    found = set()
    for name in files.list_directory(directory):
        path = os.path.join(directory, name)
        if names.parse(name) is not None or not files.is_file(path):
            continue
        try:
            if sniff(path).kind != "v1":
                continue
        except errors.OpError:  # gone, or not ours to read
            continue
        shard = names.parse_v1_shard(name)
        if shard is not None and shard[2] is not None:
            name = f"{shard[0]}-?????-of-{shard[2]:05d}"
        found.add(name)
    return by_age(os.path.join(directory, base) for base in found)


def by_age(prefixes: Iterable[str]) -> list[str]:
    """Return checkpoints sorted by the number at the end, those without one first, then by time of writing."""

    def age(prefix: str) -> tuple[int, float, str]:
        step = step_of(prefix)
        written = checkpoint_mtimes([prefix])
        return -1 if step is None else step, written[0] if written else 0.0, prefix

    return sorted(prefixes, key=age)


def readings(directory: str, stored: str) -> Iterator[str]:
    """Yield what a path in the state file of `directory` may mean, the likeliest first.

    It is relative to the directory, or absolute. Where the directory was moved, its last parts are a path in it; and
    a path that was written relative to the working directory is one that begins with the directory's own name.
    """
    if files.is_url(stored):
        if files.is_url(directory):  # a file of this machine sends nobody to the network
            yield stored
    elif not (files.is_url(directory) and os.path.isabs(stored)):  # such a path is of the machine that wrote it
        yield os.path.join(directory, stored)
    parts = [part for part in re.split(r"[\\/]", stored) if part not in ("", ".")]
    for i in range(max(1, len(parts) - _MAX_PARTS), len(parts)):
        yield os.path.join(directory, *parts[i:])
    if not os.path.isabs(stored) and not files.is_url(directory):
        yield stored


def locate_stored(directory: str, stored: str) -> str | None:
    """Return where the checkpoint is that a state file calls `stored`, or None; whether it is complete is not asked.

    A file of the checkpoint stands for it, and blanks around the name, or a slash behind it, do not count.
    """
    bare = stored.strip().rstrip("/")
    part = names.parse(bare)
    for text in dict.fromkeys((stored, bare, *(() if part is None or part.is_temporary else (part.prefix,)))):
        for path in readings(directory, text):
            is_file_of_one = names.parse(path) is not None and commit.locate(path) is None
            if not is_file_of_one and checkpoint_exists(path):
                return path
    return None


def latest_checkpoint(
    checkpoint_dir: Path, latest_filename: str | None = None, *, wait: float | None = None
) -> str | None:
    """Return the prefix of the latest checkpoint in a directory, or None.

    It is what the state file says. Where the directory was moved, the checkpoint of that name in it; where the state
    file is lost or names one that is gone or not complete, the newest complete one that it lists, then the one with
    the highest step, and a warning is logged. A checkpoint that lacks a data file, or a part of one, is never
    returned; one whose index cannot be read only where there is no other, so that opening it says why.

    wait: seconds to wait until there is a complete one, looking again and again while another process saves and
    deletes; None does not wait.

    Raises: ValueError for a wait that is no number of seconds.
    """
    if wait is not None and not (isinstance(wait, (int, float)) and wait >= 0):
        raise errors.InvalidArgumentError(f"wait: expected a number of seconds from 0 on, got {wait!r}")
    directory = os.fsdecode(checkpoint_dir)
    path = os.path.join(directory, os.fsdecode(latest_filename or DEFAULT_NAME))
    deadline = time.monotonic() + (wait or 0.0)
    pause = 0.01
    while True:
        found, warning, broken = _look(directory, path)
        if found is not None:
            break
        left = deadline - time.monotonic()
        if left <= 0:
            found = broken if wait is None else None
            break
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.5)
    if warning:
        import logging  # by itself as long to import as a state file to read

        logging.getLogger("icefloe").warning("%s", warning)
    return found


def _look(directory: str, path: str) -> tuple[str | None, str, str | None]:
    """Return the latest complete checkpoint, a warning where it is not the one that the state file names, and one
    whose index cannot be read.
    """
    data: bytes | None = None
    for _ in range(_MAX_LOOKS):
        try:
            data = read_bytes(path)
            named = parse_state(data, path).model_checkpoint_path
        except errors.NotFoundError:
            data = None
            break
        except errors.OpError:
            break
        place = locate_stored(directory, named)
        if place is not None and gap_in(place) is None:
            return place, "", None
        # A writer that saves and deletes meanwhile rewrites the state file first: then what it says now counts.
        if not _is_rewritten(path, data):
            break
    return _chosen(directory, path, data)


def _is_rewritten(path: str, data: bytes) -> bool:
    try:
        return read_bytes(path) != data
    except errors.OpError:
        return True


def _chosen(directory: str, path: str, data: bytes | None) -> tuple[str | None, str, str | None]:
    listed: list[str] = []
    reason = f"there is no state file {path}{_near_state(directory, path)}"
    if data is not None:
        try:
            state = parse_state(data, path)
        except errors.OpError as e:
            reason = str(e)
        else:
            listed = [state.model_checkpoint_path, *reversed(state.all_model_checkpoint_paths)]
            named = os.path.join(directory, state.model_checkpoint_path)
            reason = f"{path} names {named}, which is not there"
    broken = None
    for i, stored in enumerate(dict.fromkeys(listed)):
        place = locate_stored(directory, stored)
        gap = None if place is None else gap_in(place)
        if place is not None and gap is None:
            return place, "" if i == 0 else f"{reason}; taking {place}", broken
        if gap is not None:
            if i == 0:
                reason = f"{place} is not complete: {gap.reason}"
            broken = broken or (place if gap.damaged else None)
    there = by_age([*scan(directory), *scan_v1(directory)])
    for place in reversed(there):
        gap = gap_in(place)
        if gap is None:
            known = len(there) == 1 and data is None
            return place, "" if known else f"{reason}; taking {place}, the latest that is there", broken
        broken = broken or (place if gap.damaged else None)
        if data is None:
            reason = f"{reason}; {place} is not complete: {gap.reason}"
    return None, reason if data is not None or there else _unreadable(directory), broken


def _unreadable(directory: str) -> str:
    """Return why a directory looks empty that is not, or is none; "" where it is empty or not there."""
    try:
        files.check_directory(directory)
    except errors.OpError as e:
        return str(e)
    if checkpoint_exists(directory):
        return f"{directory} is a file or a checkpoint, not a directory of them"
    return ""


def _near_state(directory: str, path: str) -> str:
    """Return a remark on a file that is a state file under another name."""
    base = os.path.basename(path)
    for name in files.list_directory(directory):
        if name != base and name.startswith(base) and names.parse(name) is None:
            other = os.path.join(directory, name)
            try:
                if files.is_file(other) and sniff(other).kind == "state":
                    return f", but {other} looks like one"
            except errors.OpError:  # gone, or not ours to read
                continue
    return ""
