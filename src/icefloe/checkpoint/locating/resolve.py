"""From whatever path a user gives to the checkpoint that is meant.

A prefix, one of the files of a checkpoint, the state file, its directory, a SavedModel's directory: all resolve.
Anything else is named for what it is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.checkpoint.locating import near_files
from icefloe.checkpoint.locating.sniff import HINTS, Finding, sniff

_VARIABLES = "variables"
# Files of arrays that are opened as checkpoints; see `formats`.
ARRAY_FILES = frozenset(("npz", "hdf5", "keras", "safetensors"))


@dataclass(frozen=True, slots=True)
class Target:
    """A checkpoint: V2 under `prefix`, or V1 in `v1_files`, or where there is a `kind` the file `prefix` of another
    format.

    kind: "" for V2 and V1, else what `sniff` calls the file. also: another checkpoint that the path could have meant.
    """

    prefix: str
    v1_files: tuple[str, ...] = ()
    kind: str = ""
    also: str | None = None


def resolve(path: str | os.PathLike[str]) -> Target:
    """Return the checkpoint that `path` stands for.

    Raises: NotFoundError if there is nothing, with what is nearby; InvalidArgumentError if it is something else,
    which is named.
    """
    literal = os.fsdecode(path)
    is_there = not files.is_url(literal) and (os.path.lexists(literal) or commit.locate(literal))
    text = literal if is_there else files.path_of(literal)
    found = _known(text)
    if found is not None:
        return found
    part = names.parse(text)
    if part is not None:
        found = _known(part.prefix) or _v1_shards(part.prefix)
        if found is not None:
            return found
        if part.kind == "index" and part.is_temporary:
            raise errors.NotFoundError(f"{text} was being written by a save that did not finish", path=part.prefix)
    if files.is_directory(text):
        return _in_directory(text)
    if not files.is_url(text) and os.path.exists(text) and not files.is_file(text):
        raise errors.FailedPreconditionError(
            f"{text}; Is not a regular file",
            hint="It is a pipe, socket or device. A checkpoint is read at many places, which a file allows.",
        )
    if not files.is_file(text):
        found = _v1_shards(text)
        if found is None and os.path.basename(text) == _VARIABLES:
            found = _variables_of(os.path.dirname(text))
        if found is not None:
            return found
        bare = text.rstrip("/")
        if bare and bare != text:
            return resolve(bare)
        pattern = near_files.prefix_of_pattern(text)
        found = None if pattern is None else _known(pattern) or _v1_shards(pattern)
        if found is not None:
            return found
        directory, base = os.path.split(text)
        if base == state_file.DEFAULT_NAME and files.is_directory(directory or "."):
            return _in_directory(directory or ".")  # the state file is lost, or has another name by now
        raise near_files.nothing(text)
    return _from_content(text, sniff(text), part)


_ARRAY_SUFFIXES = (".npz", ".h5", ".hdf5", ".keras", ".safetensors")


def _known(prefix: str) -> Target | None:
    if commit.locate(prefix) is None:
        return None
    # Over a network the question would cost a request more.
    has_v1 = not files.is_url(prefix) and files.is_file(prefix) and sniff(prefix).kind == "v1"
    return Target(prefix, also=f"the V1 checkpoint {prefix}" if has_v1 else None)


def _v1_shards(prefix: str) -> Target | None:
    """Return the V1 checkpoint whose single file is `prefix`, or whose shards are `prefix-SSSSS-of-NNNNN`."""
    pattern = names.parse_v1_shard(prefix)
    if pattern is not None and pattern[1] is None:
        found = state_file.v1_files(prefix)
        return Target(prefix, tuple(found)) if found and sniff(found[0]).kind == "v1" else None
    if files.is_file(prefix):
        return Target(prefix, (prefix,)) if sniff(prefix).kind == "v1" else None
    found = state_file.v1_files(f"{prefix}-?????-of-?????")
    if not found or sniff(found[0]).kind != "v1":
        return None
    shard = names.parse_v1_shard(found[0])
    count = len(found) if shard is None or shard[2] is None else shard[2]
    return Target(f"{prefix}-?????-of-{count:05d}", tuple(found))


def _from_content(path: str, finding: Finding, part: names.Part | None) -> Target:
    if finding.kind == "v1":
        shard = names.parse_v1_shard(path)
        if shard is not None and shard[2] is not None:
            pattern = f"{shard[0]}-?????-of-{shard[2]:05d}"
            return Target(pattern, tuple(state_file.v1_files(pattern)))
        return Target(path, (path,))
    if finding.kind == "state":
        return _follow(path)
    if finding.kind in ARRAY_FILES:
        return Target(path, kind=finding.kind)
    if finding.kind in ("html", "xml") and files.is_url(path):
        state_path = os.path.join(path, state_file.DEFAULT_NAME)  # a web server's page of a directory
        if files.is_file(state_path) and sniff(state_path).kind == "state":
            return _follow(state_path)
    if part is not None and part.kind == "data":
        raise errors.NotFoundError(
            f"{path} is {finding.description}; its index is missing: {names.index_file(part.prefix)}",
            hint="The data alone do not say which tensors they are.",
        )
    if finding.kind in ("saved_model", "saved_model_text"):
        variables = _variables_of(os.path.dirname(path))
        if variables is not None:
            return variables
    hint = HINTS.get(finding.kind)
    if finding.kind in ("graph", "meta_graph", "graph_text", "meta_graph_text"):
        hint = (
            "A graph file holds no values of variables, and no checkpoint is beside it: that is made of files that end "
            "in .index and .data-…"
        )
    elif finding.kind.startswith("saved_model"):
        hint = "It has no variables: there is no folder variables beside it."
    elif finding.kind == "v2_index":
        hint = "Its name must be PREFIX.index, and PREFIX.data-… must be beside it."
    if finding.kind == "cut_v1":
        raise errors.DataLossError(f"this is {finding.description}", path=path, hint=hint)
    raise errors.InvalidArgumentError(f"not a checkpoint: this is {finding.description}", path=path, hint=hint)


def _follow(state_path: str) -> Target:
    """Return the latest checkpoint that a state file names, also where it was moved or has another name than
    `checkpoint`.
    """
    directory, name = os.path.split(state_path)
    latest = state_file.latest_checkpoint(directory, name)
    if latest is None:
        named = state_file.parse_state(state_file.read_bytes(state_path), state_path).model_checkpoint_path
        # What is there of it says best what is wrong.
        latest = state_file.locate_stored(directory, named)
        if latest is None:
            named = os.path.join(directory, named)
            raise errors.NotFoundError(f"the state file names {named}, which is not there", path=state_path)
    found = _known(latest) or _v1_shards(latest)
    if found is not None:
        return found
    finding = sniff(latest)
    if finding.kind == "state":
        raise errors.NotFoundError(f"the state file names {latest}, which is a state file", path=state_path)
    return _from_content(latest, finding, None)


def _in_directory(directory: str) -> Target:
    files.check_directory(directory)
    state_path = os.path.join(directory, state_file.DEFAULT_NAME)
    if files.is_file(state_path) and sniff(state_path).kind == "state":
        return _follow(state_path)
    variables = _variables_of(directory)
    if variables is not None:
        return variables
    latest = state_file.latest_checkpoint(directory)
    if latest is not None:
        return _known(latest) or _v1_shards(latest) or _from_content(latest, sniff(latest), None)
    listed = files.list_directory(directory)
    for name in listed:  # V1 files have no suffix of their own
        path = os.path.join(directory, name)
        if files.is_file(path) and sniff(path).kind == "v1":
            return _from_content(path, sniff(path), None)
    arrays = [os.path.join(directory, name) for name in listed if name.lower().endswith(_ARRAY_SUFFIXES)]
    arrays = [path for path in arrays if files.is_file(path) and sniff(path).kind in ARRAY_FILES]
    if len(arrays) == 1:
        return _from_content(arrays[0], sniff(arrays[0]), None)
    if any(name.startswith("saved_model.") for name in listed):
        raise errors.NotFoundError("this SavedModel has no variables: the folder variables is missing", path=directory)
    what = f"it holds {', '.join(listed[:5])}{', …' if len(listed) > 5 else ''}" if listed else "it is empty"
    raise errors.NotFoundError(
        f"no checkpoint in this directory: {what}", path=directory, hint=near_files.in_directory(directory)
    )


def _variables_of(directory: str) -> Target | None:
    """Return the variables of the SavedModel in `directory`, or in the folder `variables` itself."""
    for folder in (os.path.join(directory, _VARIABLES), directory):
        for name in (_VARIABLES, "saved_model_variables"):  # the second is that of the first SavedModels, of 2016
            prefix = os.path.join(folder, name)
            found = _known(prefix) or (_v1_shards(prefix) if not files.is_directory(prefix) else None)
            if found is not None:
                return found
    return None
