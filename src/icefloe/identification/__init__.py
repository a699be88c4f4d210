"""`identify`: what a path is, told by content, as data and in words."""

from __future__ import annotations

import os
from collections.abc import Callable

from icefloe import errors
from icefloe.checkpoint import names
from icefloe.checkpoint.sniff import Finding, sniff
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


def identify(path: str | os.PathLike[str]) -> Identification:
    """Return what `path` is: a file, a directory or the prefix of a checkpoint, whole, damaged, or something else
    altogether.

    Content decides, not the name; a file that is damaged or cut short is named as what it was meant to be. A path
    where there is nothing is of kind `missing`.

    Raises: PermissionDeniedError if it may not be read.
    """
    text = os.path.expanduser(os.fspath(path))
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
