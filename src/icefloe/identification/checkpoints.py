"""Identifying checkpoints: prefixes, indexes, data files, state files, directories."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from icefloe import errors
from icefloe.checkpoint import commit, files, names, open_checkpoint, state_file
from icefloe.checkpoint.locating import near_files
from icefloe.checkpoint.locating.sniff import Finding, sniff
from icefloe.identification import graphs
from icefloe.identification.finding import HINTS, Identification, count, named, size_text


def prefix(path: str, identify: Callable[[str], Identification]) -> Identification:
    """Return what a path that is no file stands for: a prefix, or nothing."""
    location = commit.locate(path)
    if location is not None:
        return _bundle(path, location.index, path)
    folder, base = os.path.split(path)
    shards = [n for n in files.list_directory(folder) if (s := names.parse_v1_shard(n)) and s[0] == base]
    found = [n for n in shards if names.parse(n) is None]
    if found:
        return v1(path, Finding("v1", f"a V1 checkpoint in {count(len(found), 'file')}"))
    if files.is_file(names.meta_file(path)):
        inner = identify(names.meta_file(path))
        words = f"the prefix of {inner.words}; of a checkpoint itself there is no file"
        return Identification(path, "meta_graph", words, {"meta": inner.path, **inner.details}, None)
    if path == "-":
        hint: str | None = "What comes from a pipe is not looked at: save it and give its path."
    else:
        hint = near_files.hint(path)
    return Identification(path, "missing", "nothing: there is no file, directory or checkpoint of this name", {}, hint)


def index(path: str, finding: Finding) -> Identification:
    """Identify the index of a V2 checkpoint."""
    part = names.parse(path)
    if part is None or part.kind not in ("index", "commit"):
        words = f"{finding.description}, under a name that no reader looks for"
        return Identification(path, "checkpoint", words, {}, "Its name must be PREFIX.index.")
    return _bundle(path, path, part.prefix)


def _bundle(path: str, index: str, prefix: str) -> Identification:
    what = "a V2 checkpoint" if path == prefix else "the index of a V2 checkpoint"
    try:
        with open_checkpoint(prefix) as reader:
            tensors, size = len(reader), sum(_stored_size(entry) for entry in reader.entries.values())
            shards = getattr(reader, "num_shards", 1)
            keys = reader.entries
            object_based = "_CHECKPOINTABLE_OBJECT_GRAPH" in keys
    except errors.OpError as error:
        return Identification(path, "damaged_index", f"{what}, damaged: {error.message}", {"prefix": prefix})
    data = [names.data_file(prefix, i, shards) for i in range(min(shards, 100_000))]
    pending = [p for p in commit.checkpoint_files(prefix) if (q := names.parse(p)) and q.token is not None]
    missing = [] if pending else [os.path.basename(p) for p in data if not files.is_file(p)]
    kind = "an object-based checkpoint" if object_based else what
    words = f"{kind} of {count(tensors, 'tensor')}, {size_text(size)} in {count(shards, 'shard')}"
    if object_based and path != prefix:
        words = f"the index of {words}"
    if missing:
        words += f"; {count(len(missing), 'data file')} missing: {', '.join(missing[:3])}"
    details = {
        "prefix": prefix,
        "format": "V2",
        "object_based": object_based,
        "tensors": tensors,
        "bytes": size,
        "shards": shards,
        "missing_files": missing,
        "meta": names.meta_file(prefix) if files.is_file(names.meta_file(prefix)) else None,
    }
    return Identification(path, "checkpoint", words, details)


def _stored_size(entry: Any) -> int:
    if entry.is_sliced:
        return entry.num_elements * entry.dtype.size
    return entry.size


def shard(path: str, finding: Finding) -> Identification:
    """Identify a data file of a V2 checkpoint."""
    part = names.parse(path)
    if part is None:
        return named(path, finding)
    details = {"prefix": part.prefix, "shard": part.shard, "shards": part.count, "bytes": os.path.getsize(path)}
    words = finding.description
    if commit.locate(part.prefix) is None:
        return Identification(
            path, "data_shard", f"{words}, whose index is missing", details, f"Get {names.index_file(part.prefix)} too."
        )
    return Identification(path, "data_shard", f"{words} {part.prefix}", details, HINTS["data_shard"])


def v1(path: str, finding: Finding) -> Identification:
    """Identify a V1 checkpoint or a shard of one."""
    try:
        with open_checkpoint(path) as reader:
            tensors = len(reader)
            details = {"prefix": reader.prefix, "format": "V1", "tensors": tensors}
    except errors.OpError as error:
        return Identification(path, "v1_checkpoint", f"{finding.description}, damaged: {error.message}")
    return Identification(path, "v1_checkpoint", f"{finding.description} of {count(tensors, 'tensor')}", details)


def state(path: str, finding: Finding) -> Identification:
    """Identify the state file of a directory."""
    try:
        said = state_file.read_state(path)
    except errors.OpError as error:
        return Identification(path, "state", f"{finding.description}, damaged: {error.message}")
    latest = said.model_checkpoint_path
    exists = state_file.checkpoint_exists(latest)
    found = latest if exists else state_file.latest_checkpoint(*os.path.split(path))
    words = f"{finding.description}; its latest checkpoint is {latest}"
    if not exists:
        words += f", which is not there; {found} is" if found else ", which is not there"
    details = {"latest": latest, "exists": exists, "found": found, "all": list(said.all_model_checkpoint_paths)}
    return Identification(path, "state", words, details)


def directory(path: str, identify: Callable[[str], Identification]) -> Identification:
    """Identify a directory by what is in it."""
    listed = files.list_directory(path)
    model = graphs.saved_model_directory(path, listed, identify)
    if model is not None:
        return model
    latest = state_file.latest_checkpoint(path)
    prefixes = [os.path.basename(p) for p in state_file.scan(path)]
    if latest is not None:
        others = f" of {len(prefixes)}" if len(prefixes) > 1 else ""
        words = f"a directory of checkpoints; the latest{others} is {os.path.basename(latest)}"
        return Identification(path, "checkpoint_directory", words, {"latest": latest, "checkpoints": prefixes})
    for name in listed:
        if name.endswith(".json") and sniff(os.path.join(path, name)).kind == "tfjs":
            return Identification(path, "tfjs_directory", "the directory of a TensorFlow.js model", {"file": name})
    below = near_files.in_directory(path)
    what = f"it holds {', '.join(listed[:5])}{', …' if len(listed) > 5 else ''}" if listed else "it is empty"
    return Identification(path, "directory", f"a directory without a model; {what}", {"files": len(listed)}, below)
