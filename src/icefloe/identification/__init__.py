"""`identify`: what a path is, told by content, as data and in words."""

from __future__ import annotations

import os
from collections.abc import Callable

from icefloe import errors
from icefloe.checkpoint import files, names
from icefloe.checkpoint.locating.sniff import Finding, sniff
from icefloe.identification import checkpoints, foreign, graphs
from icefloe.identification.finding import HINTS, named
from icefloe.identification.finding import Identification as Identification

_FILES: dict[str, Callable[[str, Finding], Identification]] = {
    "v2_index": checkpoints.index,
    "v1": checkpoints.v1,
    "data_shard": checkpoints.shard,
    "state": checkpoints.state,
    "graph": graphs.graph,
    "meta_graph": graphs.meta_graph,
    "saved_model": graphs.saved_model,
    "saved_model_text": graphs.saved_model_text,
    "npy": foreign.npy,
    "npz": foreign.npz,
    "hdf5": foreign.hdf5,
    "keras": foreign.keras,
    "safetensors": foreign.safetensors,
    "git_lfs": foreign.git_lfs,
}

# What a file may be whose end is lost.
_FORMLESS = frozenset(("unknown", "zeros", "empty", "sstable"))


def _at_url(url: str) -> Identification:
    """Return what is at a URL, of which only both ends are read."""
    if not files.is_file(url):
        return checkpoints.directory(url, identify) if files.is_directory(url) else checkpoints.prefix(url, identify)
    finding = sniff(url)
    part = names.parse(url)
    if finding.kind == "v2_index" and part is not None:
        return checkpoints.prefix(part.prefix, identify)
    found = files.identity(url)
    kind = "v1_checkpoint" if finding.kind == "v1" else finding.kind
    details = {} if found is None else {"bytes": found.size}
    return Identification(url, kind, finding.description, details, HINTS.get(finding.kind))


def identify(path: str | os.PathLike[str]) -> Identification:
    """Return what `path` is: a file, a directory or the prefix of a checkpoint, whole, damaged, or something else
    altogether.

    Content decides, not the name; a file that is damaged or cut short is named as what it was meant to be. A path
    where there is nothing is of kind `missing`.

    Raises: PermissionDeniedError if it may not be read.
    """
    text = files.path_of(path)
    if files.is_url(text):
        return _at_url(text)
    if os.path.islink(text) and not os.path.exists(text):
        words = f"a link to {os.readlink(text)}, which is not there"
        return Identification(text, "missing", words, {"target": os.readlink(text)})
    if not os.path.lexists(text):
        return checkpoints.prefix(text, identify)
    if os.path.isdir(text):
        return checkpoints.directory(text, identify)
    try:
        finding = sniff(text)
    except errors.FailedPreconditionError:
        return Identification(text, "device", "a pipe, socket or device, not a file")
    known = _FILES.get(finding.kind)
    if known is not None:
        return known(text, finding)
    if finding.kind == "unknown" and (other := foreign.by_structure(text)) is not None:
        return other
    part = names.parse(text)
    if part is not None and part.kind in ("index", "commit") and finding.kind in _FORMLESS:
        words = f"the index of a V2 checkpoint by its name, but cut short or damaged: {finding.description}"
        return Identification(text, "damaged_index", words, {"prefix": part.prefix}, HINTS.get(finding.kind))
    return named(text, finding)
