"""Removes what saves that died left in a directory, and finishes those that died after their commit."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Literal

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.arguments import as_number
from icefloe.checkpoint.checking.leftovers import PART, SHARD_FOLDER, SINGLE, TEMPSTATE

Kind = Literal["finish", "temporary", "tempstate", "shards"]


@dataclass(frozen=True, slots=True)
class Leftover:
    """kind: "finish", a save that committed and is to be renamed into place; "temporary", a file of ours; "tempstate",
    a file of TensorFlow's; "shards", the folder of a sharded save that was not merged.
    age: seconds since it was last written to.   alive: why it stays, None if it goes.
    """

    kind: Kind
    path: str
    bytes: int
    age: float
    alive: str | None = None


@dataclass(slots=True)
class Cleaning:
    """The answer of `clean`. removed: what went (or would); finished: prefixes of saves that were completed;
    left: what stays, because its writer lives or it is too young; failed: path -> why it could not be removed.
    """

    directory: str
    dry_run: bool
    removed: list[Leftover] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    left: list[Leftover] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Bytes in what was removed."""
        return sum(one.bytes for one in self.removed)


def clean(
    directory: str | os.PathLike[str], *, older_than: float = 1.0, recursive: bool = False, dry_run: bool = True
) -> Cleaning:
    """Remove the temporary files that dead saves left in a directory of checkpoints; return what went.

        clean("train_dir", dry_run=False)

    Files of ours are dead when no process holds their lock, at any age; a save of ours that had committed is
    finished, not removed. TensorFlow's files (`*.tempstate…`, `*_temp/part-*`) do not tell whether their writer lives:
    they go when nothing was written to them for `older_than` hours. Nothing else is touched.

    recursive: look into the directories below too.   dry_run: change nothing.

    Raises: NotFoundError if the directory does not exist; InvalidArgumentError for a negative age.
    """
    as_number(older_than, "older_than")
    if not older_than >= 0:
        raise errors.InvalidArgumentError(f"expected an age of at least 0 hours, got {older_than}")
    folder = os.fsdecode(directory)
    folder = folder if os.path.isdir(folder) else os.path.expanduser(folder)
    if not files.is_directory(folder):
        raise errors.NotFoundError("there is no such directory", path=folder)
    files.check_directory(folder)
    out = Cleaning(folder, dry_run)
    for place, below, _ in os.walk(folder):
        # Savers rename under this lock: without it a save that commits now would look like a dead one.
        with files.directory_lock(place):
            _clean_one(place, out, older_than * 3600)
        below[:] = [name for name in below if recursive and not SHARD_FOLDER.fullmatch(name)]
    return out


def _clean_one(folder: str, out: Cleaning, min_age: float) -> None:
    """Clean one directory, which is locked."""
    listed = files.list_directory(folder)
    committed: dict[str, None] = {}
    parts: dict[str, list[tuple[str, names.Part]]] = {}
    for name in listed:
        path = os.path.join(folder, name)
        part = names.parse(name)
        if part is not None and part.kind == "commit":
            committed[os.path.join(folder, part.prefix)] = None
        elif part is not None and part.token is not None:
            parts.setdefault(part.token, []).append((path, part))
        elif files.is_directory(path):
            if SHARD_FOLDER.fullmatch(name):
                _clean_shards(path, out, min_age)
        elif SINGLE.fullmatch(name):
            _remove(_leftover("temporary", path, None if files.is_abandoned(path) else "its writer lives"), out)
        elif TEMPSTATE.fullmatch(name):
            _remove(_aged("tempstate", path, min_age), out)
    for token, found in parts.items():
        if any(name.endswith(f".index.commit-{token}") for name in listed):
            continue  # renamed when its save is finished
        index = [path for path, part in found if part.kind == "index"]
        alive = any(not files.is_abandoned(path) for path in index)
        # Data without an index: a save makes the index first and removes it last, so its writer is dead.
        for path, _ in found:
            _remove(_leftover("temporary", path, "its writer lives" if alive else None), out)
    for prefix in committed:
        _finish(prefix, out)


def _finish(prefix: str, out: Cleaning) -> None:
    if not out.dry_run:
        try:
            commit.recover(prefix)
        except errors.OpError as e:
            out.failed[prefix] = str(e)
            return
    out.finished.append(prefix)


def _clean_shards(folder: str, out: Cleaning, min_age: float) -> None:
    """A folder of shards goes where all in it are such files, and none is young or being written."""
    listed = files.list_directory(folder)
    paths = [os.path.join(folder, name) for name in listed]
    if not all(PART.fullmatch(name) and not files.is_directory(p) for name, p in zip(listed, paths)):
        return
    now = time.time()
    newest = max([files.modified_ns(p) or 0 for p in (folder, *paths)]) / 1e9
    size = sum(found.size for p in paths if (found := files.identity(p)) is not None)
    alive = None
    if any(SINGLE.fullmatch(n) and not files.is_abandoned(p) for n, p in zip(listed, paths) if ".index.tmp-" in n):
        alive = "its writer lives"
    elif now - newest < min_age:
        alive = "written a short time ago"
    one = Leftover("shards", folder, size, now - newest, alive)
    if alive or out.dry_run:
        (out.left if alive else out.removed).append(one)
        return
    try:
        for path in paths:
            files.remove(path)
        files.remove_directory(folder)
    except errors.OpError as e:
        out.failed[folder] = str(e)
    else:
        out.removed.append(one)


def _leftover(kind: Kind, path: str, alive: str | None) -> Leftover:
    found = files.identity(path)
    age = time.time() - found.modified_ns / 1e9 if found else 0.0
    return Leftover(kind, path, found.size if found else 0, age, alive)


def _aged(kind: Kind, path: str, min_age: float) -> Leftover:
    found = files.identity(path)
    young = found is not None and time.time() - found.modified_ns / 1e9 < min_age
    return _leftover(kind, path, "written a short time ago" if young else None)


def _remove(one: Leftover, out: Cleaning) -> None:
    if one.alive is not None:
        out.left.append(one)
        return
    if not out.dry_run:
        try:
            files.remove(one.path)
        except errors.OpError as e:
            out.failed[one.path] = str(e)
            return
    out.removed.append(one)
