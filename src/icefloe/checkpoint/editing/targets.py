"""Where an edit writes: the prefix of a V2 checkpoint, told from names that mean something else."""

from __future__ import annotations

import os

from icefloe import errors
from icefloe.checkpoint import files, names

# What ends like this is a file of another format to everybody who sees it.
_OTHER_SUFFIXES = (
    (".npz", ".h5", ".hdf5", ".keras", ".safetensors", ".meta", ".npy", ".pb", ".pbtxt", ".pt", ".pth", ".onnx")
    + (".tflite", ".zip", ".pkl", ".json", ".csv", ".tsv")
)  # fmt: skip
_STATE_FILE = "checkpoint"


def target_prefix(source: str, output: str | os.PathLike[str] | None, *, is_bundle: bool) -> str:
    """Return the prefix to write under: `output`, or that of the source where it is None.

    A name of a checkpoint's index or data file means its prefix.

    Raises: InvalidArgumentError if that is not the prefix of a V2 checkpoint.
    """
    if output is None:
        if not is_bundle:
            raise errors.InvalidArgumentError(
                "only a V2 checkpoint can be edited in place",
                path=source,
                hint="Give the prefix of another checkpoint as the output.",
            )
        return source
    path = files.path_of(output)
    part = names.parse(path)
    if part is not None and part.kind in ("index", "data") and part.token is None:
        path = part.prefix
    if not path:
        raise errors.InvalidArgumentError("the path of the output is empty")
    base = os.path.basename(path)
    if not base:
        raise errors.InvalidArgumentError(f"{path!r} is a directory, not the prefix of a checkpoint")
    if base != _STATE_FILE and not base.lower().endswith(_OTHER_SUFFIXES):
        return path
    if files.is_file(names.index_file(path)):  # somebody's prefix all the same
        return path
    if base == _STATE_FILE:
        raise errors.InvalidArgumentError(
            f"{path!r} is the name of the state file, not the prefix of a checkpoint",
            hint="Give the checkpoint a name of its own, such as model.ckpt.",
        )
    suffix = os.path.splitext(base)[1]
    raise errors.InvalidArgumentError(
        f"{path!r} is the name of a {suffix} file, not the prefix of a checkpoint: the result would be "
        f"{base}.index and {base}.data-00000-of-00001",
        hint="Give a prefix, such as model.ckpt; `icefloe convert` writes .npz, .h5 and .safetensors files.",
    )
