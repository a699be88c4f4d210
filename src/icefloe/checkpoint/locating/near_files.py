"""What lies near a path that leads to no checkpoint: the likely spelling, parts under other names, other folders."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from icefloe import errors
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.near_names import near_names

# What pathlib makes of a URL.
_FLATTENED = re.compile(r"[a-z][a-z0-9]+:/(?!/)")
# What a shell would have replaced by the files of a checkpoint, or what stands for its data files.
_PATTERN = re.compile(r"(.*?)(?:\.|\.(?:data|index|meta)-?)?(?:\*|\?{5})[*?0-9a-z-]*", re.DOTALL)
_MAX_FOLDERS = 200


def prefix_of_pattern(path: str) -> str | None:
    """Return P for a pattern of the files of one checkpoint, `P*`, `P.*`, `P.data-*` or `P.data-?????-of-NNNNN`; None
    for any other path.
    """
    match = _PATTERN.fullmatch(path)
    return match[1] if match is not None and os.path.basename(match[1]) else None


def nothing(path: str) -> errors.NotFoundError:
    """Return the error for a path where there is no checkpoint, with what is nearby.

    Raises: what the system says where the directory cannot be read.
    """
    if not _FLATTENED.match(path):
        files.check_directory(os.path.dirname(path))
    return errors.NotFoundError(
        f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {path}", hint=hint(path)
    )


def hint(path: str) -> str | None:
    """Return what may have been meant by a path where there is no checkpoint; None if nothing is like it."""
    if not path:
        return "The path is empty."
    if path == "-":
        return "A checkpoint is read at many places, which a pipe does not allow: save it and give its path."
    if _FLATTENED.match(path):
        return "A pathlib.Path does not hold a URL, as it takes one of two slashes away: give it as text."
    if not files.is_url(path):
        meant = _meant(path)
        if meant is not None:
            return f"Did you mean {meant}?"
    directory, base = names.split(path)
    if directory and not files.is_directory(directory):
        return f"There is no {'bucket or ' if files.is_url(directory) else ''}directory {directory}."
    if not files.is_url(path) and os.path.islink(path):
        return f"It is a link to {os.readlink(path)}, which is not there."
    if files.is_file(names.meta_file(path)) and not files.is_file(names.data_file(path, 0, 1)):
        return f"Only the graph is there, {names.meta_file(path)}; the files .index and .data-… are missing."
    part = names.parse(path)
    prefix = path if part is None else part.prefix
    index = names.index_file(prefix)
    if not files.is_url(path) and os.path.islink(index):
        return f"{index} is a link to {os.readlink(index)}, which is not there."
    strays = parts_of(directory, os.path.basename(prefix))
    if strays:
        return f"Its index, {index}, is missing; there {_are(strays)}."
    near = {os.path.basename(p) for p in state_file.scan(directory)}
    if not near_names(base, near, likeness=_ALIKE) and (other := _of_like_name(directory, base)) is not None:
        return f"Did you mean {other}?"
    best = near_names(base, near, likeness=0.4) or sorted(near)[:3]
    return f"In that directory are: {', '.join(best)}" if near else None


_ALIKE = 0.75


def _of_like_name(directory: str, base: str) -> str | None:
    """Return the path of the file or folder in a directory whose name is written much like `base`; None of a URL's."""
    if files.is_url(directory) or not base:
        return None
    found = near_names(base, files.list_directory(directory), 1, likeness=_ALIKE)
    return os.path.join(directory, found[0]) if found else None


def _are(found: list[str]) -> str:
    shown = ", ".join(found[:4]) + (", …" if len(found) > 4 else "")
    return f"{'is' if len(found) == 1 else 'are'} {shown}"


def _meant(path: str) -> str | None:
    """Return the path without what came along by mistake, if there is something at that."""
    changes: tuple[Callable[[str], str], ...] = (
        str.strip,
        lambda text: text.strip().strip("'\"`"),
        lambda text: text.rstrip("./"),
        os.path.expandvars,
        lambda text: text.replace("\\", "/"),
    )
    for change in changes:
        other = change(path)
        if other and other != path and (files.is_file(other) or files.is_directory(other) or commit.locate(other)):
            return other
    return None


def parts_of(directory: str, base: str) -> list[str]:
    """Return the names in a directory that seem to be of checkpoint `base`, but for what was put before or behind:
    `base.index.gz`, `base.data-00000-of-00001.crdownload`, `.base.index.icloud`.
    """
    if not base:
        return []
    form = re.compile(rf"\.?{re.escape(base)}(?: ?\([0-9]+\))?\.(?:index|data-[0-9]{{5}})(?:[^/]*)", re.DOTALL)
    listed = files.list_directory(directory) if directory or not files.is_url(directory) else []
    return [name for name in listed if form.fullmatch(name)]


def missing_part(path: str) -> str | None:
    """Return a hint on where a missing data file may be: under its name with something before or behind, or nowhere."""
    part = names.parse(path)
    if part is None or files.is_url(path):
        return None
    directory, base = names.split(path)
    strays = [name for name in parts_of(directory, os.path.basename(part.prefix)) if base in name]
    if strays:
        return f"There {_are(strays)}; the file must have the name {base}."
    return "The index does not hold the values: get this file too."


def in_directory(directory: str) -> str | None:
    """Return a hint on what there is of checkpoints in a directory that holds no whole one."""
    cut = state_file.scan(directory)
    if cut:
        return f"{cut[-1]} is not complete; give that prefix to list what it should hold."
    found = _below(directory)
    return f"There are checkpoints in {', '.join(found[:3])}{', …' if len(found) > 3 else ''}" if found else None


def _below(directory: str) -> list[str]:
    """Return folders in `directory`, or in folders in it, that hold checkpoints. Few are looked at, of a URL none."""
    if files.is_url(directory):
        return []
    found: list[str] = []
    level = [directory]
    for _ in range(2):
        following: list[str] = []
        for folder in level:
            inner = [os.path.join(folder, name) for name in files.list_directory(folder)[:_MAX_FOLDERS]]
            following += [path for path in inner if files.is_directory(path) and not os.path.islink(path)]
        level = following[:_MAX_FOLDERS]
        found += [path for path in level if state_file.scan(path)]
    return found
