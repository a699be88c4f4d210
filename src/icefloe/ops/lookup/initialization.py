"""Filling the tables that are filled once: with tensors, or from a text file.

Source: tensorflow/core/kernels/lookup_table_init_op.cc, lookup_util.cc.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.lookup import text_files
from icefloe.ops.lookup.handles import check_reference, check_signature, table_of
from icefloe.resources import ResourceManager
from icefloe.resources.table import HashTable, key_array
from icefloe.shapes import Dims, shape_text


def _initializable(handle: Any) -> HashTable:
    table = table_of(handle)
    if not isinstance(table, HashTable):
        raise errors.InvalidArgumentError(f"Table {table.container} {table.name} is not initializable")
    return table


@kernel("InitializeTable", "InitializeTableV2")
def initialize_table(
    handle: Any, keys: Any, values: Any, *, signature: tuple[tuple[DType, ...], tuple[DType, ...]]
) -> tuple[()]:
    table = _initializable(handle)
    check_signature(table, *signature)
    for word, array in (("Keys", keys), ("Values", values)):
        if np.ndim(array) != 1:
            raise errors.InvalidArgumentError(
                f"{word} must be a vector, but received shape{shape_text(np.shape(array))}"
            )
    if len(keys) != len(values):
        raise errors.InvalidArgumentError(f"Keys and values must have the same size {len(keys)} vs {len(values)}")
    table.load(keys, values)
    return ()


@shape("InitializeTable")
def initialize_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    merge(with_rank(c.shape(1), 1), c.shape(2))
    return []


@shape("InitializeTableV2")
def initialize_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    merge(with_rank(c.shape(1), 1), c.shape(2))
    return []


@kernel("InitializeTableFromTextFile", "InitializeTableFromTextFileV2", factory=True)
def initialize_table_from_text_file(
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str | bytes,
    offset: int,
    manager: ResourceManager,
) -> Callable[[Any, Any], tuple[()]]:
    """Fill a table with the lines of a file, unless it is filled already."""
    separator = delimiter.encode() if isinstance(delimiter, str) else delimiter
    if len(separator) != 1:
        raise errors.InvalidArgumentError("delimiter should be only 1 char")
    columns = text_files.Columns(key_index, value_index, vocab_size, separator, offset)

    def run(handle: Any, filename: Any) -> tuple[()]:
        table = _initializable(handle)
        if np.ndim(filename):
            raise errors.InvalidArgumentError(
                f"filename should be a single string, but got {shape_text(np.shape(filename))}"
            )
        name = filename.item() if isinstance(filename, np.ndarray) else filename
        if not name:
            raise errors.InvalidArgumentError("filename cannot be empty.")
        path = Path(os.fsdecode(name))
        manager.check_file(path, "read")
        columns.check(table.key_dtype, table.value_dtype)
        _fill(table, path, columns)
        return ()

    return run


def _fill(table: HashTable, path: Path, columns: text_files.Columns) -> None:
    lines = text_files.read(path, columns, table.key_dtype, table.value_dtype)
    try:
        pairs = [next(lines)]
        if table.initialized:
            return
        pairs.extend(lines)
    except OSError as error:
        raise os_error(error, str(path)) from None
    except StopIteration:  # of no lines the first none are wanted
        raise errors.OutOfRangeError(f"Finished reading 0 of lines from {path}") from None
    table.fill([key for key, _ in pairs], key_array([value for _, value in pairs], table.value_dtype), len(pairs))


@shape("InitializeTableFromTextFile")
def initialize_from_text_file_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    with_rank(c.shape(1), 0)
    return []


@shape("InitializeTableFromTextFileV2")
def initialize_from_text_file_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank(c.shape(1), 0)
    return []
