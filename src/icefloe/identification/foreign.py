"""Identifying files of other tools: arrays, HDF5, records, ONNX, TFLite, git-LFS pointers."""

from __future__ import annotations

import io
import os
import re
import struct
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint import files, open_checkpoint
from icefloe.checkpoint.locating.sniff import Finding
from icefloe.identification.finding import HINTS, Identification, count
from icefloe.proto import Event, FingerprintDef
from icefloe.wire import message
from icefloe.wire.foreign_kinds import first_record, is_tflite, onnx_producer


def npy(path: str, finding: Finding) -> Identification:
    """Identify an .npy file."""
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        return Identification(path, "npy", f"{finding.description}, damaged: {error}")
    shape = list(array.shape)
    return Identification(
        path, "npy", f"{finding.description}: {array.dtype} {shape}", {"dtype": str(array.dtype), "shape": shape}
    )


def npz(path: str, finding: Finding) -> Identification:
    """Identify an .npz file."""
    return _arrays(path, finding, "array")


def safetensors(path: str, finding: Finding) -> Identification:
    """Identify a safetensors file."""
    return _arrays(path, finding, "tensor")


def keras(path: str, finding: Finding) -> Identification:
    """Identify a .keras archive."""
    return _arrays(path, finding, "weight")


def _arrays(path: str, finding: Finding, noun: str) -> Identification:
    """Identify a file of arrays by what is in it."""
    try:
        with open_checkpoint(path) as reader:
            details: dict[str, Any] = {
                "arrays": list(reader),
                "elements": sum(entry.num_elements for entry in reader.entries.values()),
                "left_out": dict(reader.left_out),
                "object_based": reader.object_graph is not None,
            }
    except errors.OpError as error:
        return Identification(path, finding.kind, f"{finding.description}, damaged: {error.message}")
    words = f"{finding.description} of {count(len(details['arrays']), noun)}"
    if details["left_out"]:
        words += f" and {count(len(details['left_out']), 'thing')} that no tensor can hold"
    return Identification(path, finding.kind, words, details)


def hdf5(path: str, finding: Finding) -> Identification:
    """Identify an HDF5 file, a Keras model or others."""
    import h5py

    from icefloe.checkpoint.formats import hdf5_attributes
    from icefloe.checkpoint.formats.archive import Window

    try:
        with io.BufferedReader(Window(files.Source(path))) as raw, h5py.File(raw, "r") as file:
            version = hdf5_attributes.text(file, "keras_version")
            if version is None and "model_weights" in file:
                version = hdf5_attributes.text(file["model_weights"], "keras_version")
            groups = sorted(file)
            whole = "model_config" in file.attrs
            numbered = "layers" in groups or "_layer_checkpoint_dependencies" in groups
    except Exception as error:  # the library raises whatever comes up for a damaged file
        return Identification(path, "hdf5", f"{finding.description}, damaged: {error or type(error).__name__}")
    details: dict[str, Any] = {"groups": groups, "keras_version": version, "is_model": whole}
    words = finding.description
    if version is not None:
        words = f"a Keras {'model' if whole else 'weights file'} (HDF5), written by Keras {version}"
    elif numbered:
        words = "a Keras weights file (.weights.h5)"
    return Identification(path, "hdf5", words, details)


def git_lfs(path: str, finding: Finding) -> Identification:
    """Identify a git-LFS pointer, with the size and hash of the file that it stands for."""
    text = files.read_head(path, 1024).decode("utf-8", "replace")
    details: dict[str, Any] = {"bytes": os.path.getsize(path)}
    if match := re.search(r"^oid sha256:([0-9a-f]{64})$", text, re.MULTILINE):
        details["sha256"] = match[1]
    if match := re.search(r"^size ([0-9]{1,20})$", text, re.MULTILINE):
        details["size"] = int(match[1])
    words = finding.description + (f" of {details['size']:,} bytes" if "size" in details else "")
    return Identification(path, "git_lfs", words, details, HINTS["git_lfs"])


def by_structure(path: str) -> Identification | None:
    """Return what a binary file is that no magic number tells: records, ONNX, TFLite."""
    head = files.read_head(path, 1 << 16)
    if is_tflite(head):
        return Identification(path, "tflite", "a TensorFlow Lite model", {"bytes": os.path.getsize(path)})
    return _records(path, head) or _fingerprint(path, head) or _onnx(path, head)


def _records(path: str, head: bytes) -> Identification | None:
    """Tell a TFRecord file by its first record: length, checksum of the length, data, checksum of the data."""
    record = first_record(head)
    if record is None:
        return None
    try:
        event = Event.FromString(record)
    except DecodeError:
        event = Event()
    if event.file_version.startswith("brain.Event:"):
        details = {"file_version": event.file_version, "wall_time": event.wall_time}
        return Identification(path, "event_file", "an event file, as TensorBoard reads it", details)
    return Identification(path, "tfrecord", "a TFRecord file", {"first_record_bytes": struct.unpack("<Q", head[:8])[0]})


def _onnx(path: str, head: bytes) -> Identification | None:
    """Tell an ONNX model by its first fields."""
    producer = onnx_producer(head, os.path.getsize(path))
    if producer is None:
        return None
    words = "an ONNX model" + (f" made by {producer}" if producer else "")
    return Identification(path, "onnx", words, {"producer": producer})


def _fingerprint(path: str, head: bytes) -> Identification | None:
    """Tell the fingerprint of a SavedModel: five hashes, a version, a uuid."""
    try:
        types = [(f.number, f.wire_type) for f in message.fields(head)]
        if (
            not types
            or not set(types) <= {(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 2), (7, 2)}
            or (1, 0) not in types
        ):
            return None
        found = FingerprintDef.FromString(head)
    except (errors.DataLossError, DecodeError):
        return None
    return Identification(path, "fingerprint", "the fingerprint of a SavedModel", {"uuid": found.uuid})
