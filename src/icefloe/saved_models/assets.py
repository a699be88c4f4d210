"""Asset files of a SavedModel that is being written: which name each gets, and the copies.

Source: tensorflow/python/saved_model/builder_impl.py (rules and messages).
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterable
from typing import Any

from icefloe import datatypes
from icefloe.checkpoint import files
from icefloe.graph.attributes import as_attr
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.saved_models import constants


class Asset:
    """A file that goes with a model: the scalar string tensor `asset_path` holds its path.

    The SavedModel builders copy the files of the tensors in the collection `asset_filepaths` that they are given.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = convert_to_tensor(os.fspath(path), dtype=datatypes.string, name="asset_path")

    @property
    def asset_path(self) -> Tensor:
        """The tensor that holds the path."""
        return self._path


def path_of(tensor: Any) -> str:
    """Return the path that the constant `tensor` holds. Raises: TypeError, ValueError in TensorFlow's words."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(f"Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} instead.")
    if tensor.dtype != datatypes.string:
        raise TypeError(f"Asset path tensor {tensor}` must be of dtype string.Has type {tensor.dtype} instead.")
    value = make_ndarray(as_attr(tensor.op.node_def.attr["value"]).tensor)
    if value.size != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    path = os.fsdecode(value.item())
    if not path:
        raise ValueError(f"Asset filepath tensor {tensor} in is invalid.")
    return path


def named(tensors: Iterable[Any] | None) -> list[tuple[str, str, Tensor]]:
    """Return the file's name in the SavedModel, the path of its source and the tensor, for each of `tensors`.

    Of files of one name, those of the same content share it; others get `_1`, `_2`, ... at the end.

    Raises: TypeError, ValueError as `path_of`.
    """
    sources: dict[str, str] = {}
    out = []
    for tensor in tensors or ():
        path = path_of(tensor)
        name = base = os.path.basename(path)
        if name in sources and sources[name] != path and not _same(path, sources[name]):
            number = 1
            while name in sources:
                name = f"{base}_{number}"
                number += 1
        sources[name] = path
        out.append((name, path, tensor))
    return out


def _same(a: str, b: str) -> bool:
    try:
        return filecmp.cmp(a, b, shallow=False)
    except OSError as error:
        raise files.os_error(error, error.filename or a) from None


def copy_all(found: Iterable[tuple[str, str, Tensor]], export_dir: str, copied: set[str]) -> None:
    """Copy the files that `named` found below `export_dir`, except those in `copied`, which is updated.

    A source that does not exist is left out, as in TensorFlow: the graph may be meant to run elsewhere.
    """
    directory = os.path.join(export_dir, constants.ASSETS_DIRECTORY)
    for name, source, _ in found:
        files.make_directory(directory)
        target = os.path.join(directory, name)
        if target not in copied and source != target and os.path.exists(source):
            try:
                shutil.copyfile(source, target)
            except OSError as error:
                raise files.os_error(error, error.filename or target) from None
            copied.add(target)
