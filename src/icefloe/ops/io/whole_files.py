"""Ops that read and write whole files, and list those that match patterns.

Source: tensorflow/core/kernels/whole_file_read_ops.cc, matching_files_op.cc.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_most
from icefloe.ops.io.paths import matching_paths
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text


def _only(what: str, value: Any) -> bytes:
    """Return the bytes of a scalar string."""
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"{what} tensor must be scalar, but had shape: {shape_text(np.shape(value))}")
    item = np.asarray(value, object)[()]
    assert isinstance(item, bytes)
    return item


@kernel("ReadFile")
def read_file(filename: Any, *, manager: ResourceManager) -> Any:
    path = os.fsdecode(_only("Input filename", filename))
    manager.check_file(path, "read")
    try:
        with open(path, "rb") as file:
            return np.array(file.read(), object)
    except OSError as error:
        raise os_error(error, path) from None


@kernel("WriteFile")
def write_file(filename: Any, contents: Any, *, manager: ResourceManager) -> tuple[()]:
    """Write a file; its folder is made where there is none."""
    path = os.fsdecode(_only("Input filename", filename))
    data = _only("Contents", contents)
    manager.check_file(path, "write")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise os_error(error, path) from None
    return ()


@kernel("MatchingFiles")
def matching_files(pattern: Any, *, manager: ResourceManager) -> Any:
    """The paths that match any of the patterns, sorted."""
    if np.ndim(pattern) > 1:
        raise errors.InvalidArgumentError(
            f"Input patterns tensor must be scalar or vector, but had shape: {shape_text(np.shape(pattern))}"
        )
    found: list[bytes] = []
    for item in np.asarray(pattern, object).reshape(-1).tolist():
        text = os.fsdecode(item)
        # What may be listed goes by the folder in front of the first wildcard; `..` behind it leads out again.
        manager.check_file(_fixed_folder(text), "read")
        for path in matching_paths(text):
            manager.check_file(path, "read")
            found.append(os.fsencode(path))
    made = np.empty(len(found), object)
    made[:] = sorted(found)
    return made


def _fixed_folder(pattern: str) -> str:
    parts = pattern.split("/")
    fixed = next((i for i, part in enumerate(parts) if any(c in part for c in "*?[\\")), len(parts) - 1)
    return "/".join(parts[:fixed]) or ("/" if pattern.startswith("/") else ".")


@shape("ReadFile")
def read_file_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return [()]


@shape("WriteFile")
def write_file_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank(c.shape(1), 0)
    return []


@shape("MatchingFiles")
def matching_files_shape(c: ShapeContext) -> list[Dims]:
    with_rank_at_most(c.shape(0), 1)
    return [(None,)]
