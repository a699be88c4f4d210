"""Ops of warm starts: rows and columns of a stored matrix in another order, and orders from vocabularies.

Source: tensorflow/core/kernels/load_and_remap_matrix_op.cc, generate_vocab_remapping_op.cc.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.checkpoint.opening import open_exact
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.wording import dtype_name
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]


def _check_distinct(remapping: Array) -> None:
    """Raises: UnimplementedError if an old row or column comes twice."""
    seen: dict[int, int] = {}
    for new, old in enumerate(remapping.tolist()):
        if old >= 0 and seen.setdefault(old, new) != new:
            raise errors.UnimplementedError(
                f"Old ID {old} is mapped to both new ID {seen[old]} and {new}, which is not supported."
            )


@kernel("LoadAndRemapMatrix")
def load_and_remap_matrix(
    ckpt_path: Any,
    old_tensor_name: Any,
    row_remapping: Array,
    col_remapping: Array,
    initializing_values: Array,
    *,
    num_rows: int,
    num_cols: int,
    manager: ResourceManager,
) -> Array:
    """The float32 matrix [num_rows, num_cols] of which row i is row `row_remapping[i]` of a stored one.

    Columns go by `col_remapping`, or stay as they are where it is empty. What has -1 for its old row or column gets the
    `initializing_values`, one after the other.
    """
    if np.ndim(row_remapping) != 1:
        raise errors.InvalidArgumentError(
            "The `row_remapping` tensor must be 1-D, got a tensor of shape " + shape_text(np.shape(row_remapping))
        )
    if np.ndim(col_remapping) != 1:
        raise errors.InvalidArgumentError(
            "The `col_remapping` tensor must be 1-D, got a tensor of shape " + shape_text(np.shape(col_remapping))
        )
    if len(row_remapping) != num_rows:
        raise errors.InvalidArgumentError(
            f"Size of row_remapping is {len(row_remapping)} instead of being equal to num_rows={num_rows}"
        )
    _check_distinct(row_remapping)
    if len(col_remapping):
        if len(col_remapping) != num_cols:
            raise errors.InvalidArgumentError(
                f"Provided col_remapping, but its size is {len(col_remapping)} instead of being equal to "
                f"num_cols={num_cols}"
            )
        _check_distinct(col_remapping)
    if np.size(ckpt_path) != 1:
        raise errors.InvalidArgumentError(
            "The `ckpt_path` tensor must have exactly one element, got tensor of shape "
            + shape_text(np.shape(ckpt_path))
        )
    stored = _stored_matrix(_text(ckpt_path), _text(old_tensor_name), manager)
    if not len(col_remapping):
        if num_cols != stored.shape[1]:
            raise errors.InvalidArgumentError(
                f"Tensor {_text(old_tensor_name)} has shape {shape_text(stored.shape)}, where the size of its 2nd "
                f"dimension is {stored.shape[1]} instead of being equal to num_cols={num_cols}"
            )
        col_remapping = np.arange(num_cols)
    check_shape((num_rows, num_cols), np.dtype(np.float32))
    known = (row_remapping >= 0)[:, None] & (col_remapping >= 0)
    for size, old in ((stored.shape[0], row_remapping), (stored.shape[1], col_remapping)):
        if old.max(initial=-1) >= size:
            raise errors.OutOfRangeError(f"old row or column {old.max()} is not in [0, {size})")
    matrix = np.empty((num_rows, num_cols), np.float32)
    if stored.size:
        matrix[...] = stored[np.maximum(row_remapping, 0)[:, None], np.maximum(col_remapping, 0)]
    wanted, given = int(np.count_nonzero(~known)), np.size(initializing_values)
    if wanted > given:
        raise errors.InvalidArgumentError(
            f"initializing_values contained {given} elements, but more missing values remain."
        )
    if wanted < given:
        raise errors.InvalidArgumentError(
            f"initializing_values contained {given} elements, but only {wanted} elements were used to fill in missing "
            "values."
        )
    matrix[~known] = np.ravel(initializing_values)
    return matrix


def _stored_matrix(path: str, name: str, manager: ResourceManager) -> Array:
    manager.check_file(path, "read")
    with open_exact(path) as reader:
        if name not in reader.entries:
            raise reader.missing(name)
        entry = reader.entries[name]
        if entry.dtype.name != "float32":
            raise errors.InvalidArgumentError(
                f"Tensor {name} has invalid type {dtype_name(entry.dtype)} instead of expected type float"
            )
        if len(entry.shape) != 2:
            raise errors.InvalidArgumentError(
                f"Tensor {name} has shape {shape_text(entry.shape)} of invalid rank {len(entry.shape)} instead of "
                "expected shape of rank 2."
            )
        found: Array = reader.read(name)
        return found


def _text(value: Any) -> str:
    return os.fsdecode(np.asarray(value, object).reshape(-1)[0])


@shape("LoadAndRemapMatrix")
def load_and_remap_matrix_shape(c: ShapeContext) -> list[Dims]:
    return [(c.attr("num_rows"), c.attr("num_cols"))]


@kernel("GenerateVocabRemapping")
def generate_vocab_remapping(
    new_vocab_file: Any,
    old_vocab_file: Any,
    *,
    new_vocab_offset: int,
    num_new_vocab: int,
    old_vocab_size: int,
    manager: ResourceManager,
) -> tuple[Array, Any]:
    """For words of the new vocabulary their lines in the old one, int64, -1 where they are not there; and how many are.

    The words are `num_new_vocab` lines from line `new_vocab_offset` on. old_vocab_size: how many lines of the old
    file count, -1 for all.
    """
    for name, value in (("new_vocab_file", new_vocab_file), ("old_vocab_file", old_vocab_file)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(
                f"{name} should be a single string, but got {shape_text(np.shape(value))}"
            )
        if not _text(value):
            raise errors.InvalidArgumentError(f"{name} cannot be empty.")
    new = _words(_text(new_vocab_file), -1, manager)
    if new_vocab_offset + num_new_vocab > len(new):
        raise errors.InvalidArgumentError("lookup table size must be larger than last new vocab entry's line")
    old: dict[bytes, int] = {}
    for line, word in enumerate(_words(_text(old_vocab_file), old_vocab_size, manager)):
        if old.setdefault(word, line) != line:
            raise errors.FailedPreconditionError(
                f"HashTable has different value for same key. Key {word.decode(errors='replace')} has {old[word]} and "
                f"trying to add value {line}"
            )
    words = new[new_vocab_offset : new_vocab_offset + num_new_vocab]
    remapping = np.array([old.get(word, -1) for word in words], np.int64)
    return remapping, np.int32(np.count_nonzero(remapping >= 0))


def _words(path: str, count: int, manager: ResourceManager) -> list[bytes]:
    from icefloe import datatypes
    from icefloe.ops.lookup.text_files import LINE_NUMBER, WHOLE_LINE, Columns, read

    manager.check_file(path, "read")
    columns = Columns(LINE_NUMBER, WHOLE_LINE, count, b"\t", 0)
    try:
        return [word for _, word in read(Path(path), columns, datatypes.int64, datatypes.string)]
    except OSError as error:
        raise os_error(error, path) from None


@shape("GenerateVocabRemapping")
def generate_vocab_remapping_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank(c.shape(1), 0)
    return [(c.attr("num_new_vocab"),), ()]
