"""The two functions with which most users meet checkpoints: open one, save one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from icefloe import errors
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.checkpoint.arguments import as_mapping
from icefloe.checkpoint.locating.resolve import ARRAY_FILES, Target, resolve
from icefloe.checkpoint.locating.sniff import HINTS, sniff
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.v1.reader import V1Reader
from icefloe.checkpoint.writer import BundleWriter


def open_checkpoint(path: str | os.PathLike[str], *, mmap: bool = False) -> CheckpointReader:
    """Return an open checkpoint: a read-only Mapping from name to value that reads a tensor when it is asked for.

        reader = open_checkpoint("dir/model.ckpt-30")
        reader["dense/kernel"]                  ndarray, the caller's own memory, checksum verified
        reader.entries["dense/kernel"].shape    without reading data

    path: the prefix, any file of the checkpoint, the state file, its directory (then the latest one), a SavedModel's
    directory, or a file of arrays: .npz, Keras's .h5, .weights.h5 and .keras, .safetensors. Any of them may be a URL,
    such as `s3://bucket/model.ckpt-30`: the index is read, and of the data what is asked for. mmap: hand out read-only
    views of the mapped data files of a V2 checkpoint; see `BundleReader`. No effect on other formats and on URLs.

    A checkpoint that TensorFlow 2 saved by objects has its `object_graph`; its tensors are found by key, object path or
    full name, see `find`.

    Raises: NotFoundError if there is no checkpoint, InvalidArgumentError if `path` is something else, which is
    named; DataLossError if the index is damaged.
    """
    return _open(resolve(path), mmap)


def open_exact(prefix: str) -> CheckpointReader:
    """Return the checkpoint that TensorFlow's restore ops would find under `prefix`; where there is none, as
    `open_checkpoint`.

    Raises: NotFoundError if there is none; DataLossError if it is damaged or something else.
    """
    if commit.locate(prefix) is not None:
        return _open(Target(prefix), False)
    found = state_file.v1_files(prefix) if names.parse(prefix) is None else []
    if found == [prefix] and files.is_file(prefix) and sniff(prefix).kind in ARRAY_FILES:
        found = []
    return _open(Target(prefix, tuple(found)) if found else resolve(prefix), False)


def _open(target: Target, mmap: bool) -> CheckpointReader:
    try:
        if target.v1_files:
            return V1Reader(target.prefix, target.v1_files)
        if target.kind:
            return _open_arrays(target.kind, target.prefix)
        reader = BundleReader(target.prefix, mmap=mmap)
        reader.also = target.also
        return reader
    except errors.DataLossError as e:
        if e.path is not None and e.hint is None and files.is_file(e.path):
            finding = sniff(e.path)
            if finding.kind not in ("v1", "v2_index", "unknown", *ARRAY_FILES):
                e.hint = f"This is {finding.description}."
            if finding.kind in ("unknown", "sstable", "cut_v1", "v1") and not target.kind:
                said = "" if e.hint is None else f"{e.hint} "
                e.hint = said + HINTS["cut_v1"]
        raise


def _open_arrays(kind: str, path: str) -> CheckpointReader:
    if kind == "npz":
        from icefloe.checkpoint.formats.npz_reader import NpzReader

        return NpzReader(path)
    if kind == "safetensors":
        from icefloe.checkpoint.formats.safetensors_reader import SafetensorsReader

        return SafetensorsReader(path)
    from icefloe.checkpoint.formats import hdf5_reader

    return hdf5_reader.KerasReader(path) if kind == "keras" else hdf5_reader.Hdf5Reader(path)


def save_checkpoint(prefix: str | os.PathLike[str], mapping: Mapping[str, Any], *, shards: int = 1) -> None:
    """Write a V2 checkpoint with the tensors of `mapping`, in its order; what TensorFlow and `open_checkpoint` read.

    A reader finds the old checkpoint or the new one, whole, wherever the writing stops. Values are asked for one by
    one, so a lazy mapping, such as another open checkpoint, is never held whole. Python floats are stored as float32
    and ints as int32 (int64 where one does not fit).

    prefix: path or URL without suffix, `~` is the home directory; directories that do not exist are made.
    shards: number of data files.

    Raises: InvalidArgumentError for a value that cannot be stored, with its name; TypeError if `mapping` is none;
    what the file system says, with the path.
    """
    mapping = as_mapping(mapping, "from names to values")
    prefix = files.path_of(prefix)
    with BundleWriter(prefix, shards=shards) as writer:
        for name, value in mapping.items():
            writer.add(name, value)
