"""Searching and changing lookup tables.

Source: tensorflow/core/kernels/lookup_table_op.cc, tensorflow/core/framework/lookup_interface.cc,
tensorflow/core/ops/lookup_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    merge_sizes,
    scalar,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from icefloe.ops.array.values import boxed, unboxed
from icefloe.ops.lookup.handles import check_reference, check_signature, table_of
from icefloe.ops.wording import dtype_name
from icefloe.shapes import Dims, shape_text

Dtypes = tuple[tuple[DType, ...], tuple[DType, ...]]


@kernel("LookupTableFind", "LookupTableFindV2")
def find(handle: Any, keys: Any, default_value: Any, *, signature: Dtypes) -> Any:
    """The values of `keys`; where there is none the default value, one for all or one for each."""
    table = table_of(handle)
    check_signature(table, *signature)
    keys, default = boxed(keys), boxed(default_value)
    table.check_default(keys.shape, default.shape)
    return unboxed(table.find(keys, default))


@kernel("LookupTableInsert", "LookupTableInsertV2")
def insert(handle: Any, keys: Any, values: Any, *, signature: Dtypes) -> tuple[()]:
    table = table_of(handle)
    check_signature(table, *signature)
    keys, values = boxed(keys), boxed(values)
    table.check_pair(keys.shape, values.shape)
    table.insert(keys, values)
    return ()


@kernel("LookupTableRemoveV2")
def remove(handle: Any, keys: Any, *, signature: Dtypes) -> tuple[()]:
    table = table_of(handle)
    check_signature(table, *signature, values=False)
    keys = boxed(keys)
    table.check_keys(keys.shape)
    table.remove(keys)
    return ()


@kernel("LookupTableSize", "LookupTableSizeV2")
def size(handle: Any) -> Any:
    return np.int64(table_of(handle).size)


@kernel("LookupTableExport", "LookupTableExportV2")
def export(handle: Any, *, Tkeys: DType, Tvalues: DType) -> tuple[Any, Any]:
    """All keys and all values; of a dense table its buckets."""
    table = table_of(handle)
    for dtype, asked in ((table.key_dtype, Tkeys), (table.value_dtype, Tvalues)):
        if dtype != asked:
            raise errors.InvalidArgumentError(
                f"Trying to read value with wrong dtype. Expected {dtype_name(dtype)} got {dtype_name(asked)}"
            )
    return table.export()


@kernel("LookupTableImport", "LookupTableImportV2")
def load(handle: Any, keys: Any, values: Any, *, signature: Dtypes) -> tuple[()]:
    """Replace what is in the table."""
    table = table_of(handle)
    check_signature(table, *signature)
    keys, values = boxed(keys), boxed(values)
    table.check_loaded(keys.shape, values.shape)
    table.load(keys, values)
    return ()


# Shapes


@shape("LookupTableFind")
def find_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    with_rank_at_most(c.shape(2), 1)
    return [None]


def _check_dtypes(c: ShapeContext, keys: str, values: str) -> tuple[Dims, Dims]:
    """Return what is known of the shapes of one key and its value.

    Raises: InvalidArgumentError if the table is known to have other dtypes than these attrs.
    """
    known = c.handles_of(0)
    if len(known) != 2:
        return None, None
    for (dtype, _), attr in zip(known, (keys, values)):
        if c.attr(attr) != dtype:
            raise errors.InvalidArgumentError(
                f"Trying to read value with wrong dtype. Expected {dtype_name(dtype)} got {dtype_name(c.attr(attr))}"
            )
    return known[0][1], known[1][1]


@shape("LookupTableFindV2")
def find_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    key, value = _check_dtypes(c, "Tin", "Tout")
    keys = c.shape(1)
    if key is None or keys is None:
        return [None]
    if len(keys) < len(key):
        raise errors.InvalidArgumentError(
            f"Expected keys to have suffix {shape_text(key)} but saw shape: {shape_text(keys)}"
        )
    return [None if value is None else keys[: len(keys) - len(key)] + value]


@shape("LookupTableInsert", "LookupTableImport")
def change_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    return []


@shape("LookupTableInsertV2")
def insert_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return []


@shape("LookupTableRemoveV2")
def remove_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank_at_least(c.shape(1), 1)
    return []


@shape("LookupTableSize")
def size_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    return [()]


shape("LookupTableSizeV2")(scalar)


@shape("LookupTableExport")
def export_reference_shape(c: ShapeContext) -> list[Dims]:
    check_reference(c)
    return [(None,), None]


@shape("LookupTableExportV2")
def export_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    _check_dtypes(c, "Tkeys", "Tvalues")
    return [None, None]


@shape("LookupTableImportV2")
def load_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    keys, values = with_rank(c.shape(1), 1), with_rank_at_least(c.shape(2), 1)
    merge_sizes(keys[0] if keys else None, values[0] if values else None)
    return []
