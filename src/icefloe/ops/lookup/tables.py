"""Making lookup tables: by name, which several nodes may share, or anonymous, one for each run of the node.

Source: tensorflow/core/kernels/lookup_table_op.h, lookup_table_op.cc; tensorflow/core/ops/lookup_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.string.fingerprints import hash64
from icefloe.ops.wording import dtype_name
from icefloe.resources import DEFAULT_CONTAINER, ResourceManager
from icefloe.resources.dense_table import DenseTable
from icefloe.resources.table import HashTable, MutableTable, Table
from icefloe.shapes import Dims, shape_text

# Key and value dtypes for which TensorFlow has tables. It makes none of others, and neither is one made here.
_COMMON = """int32:float64 int32:float32 int32:int32 int64:float64 int64:float32 int64:int32 int64:int64 int64:string
string:bool string:float64 string:float32 string:int32 string:int64"""
_PAIRS = {
    "HashTable": f"{_COMMON} int32:string string:string",
    "MutableHashTable": f"{_COMMON} int64:variant",
    "MutableHashTableOfTensors": _COMMON,
    "MutableDenseHashTable": f"{_COMMON.replace('int64:string', 'int64:bool')} int64:variant string:resource",
}


def _check_pair(kind: str, key_dtype: DType, value_dtype: DType) -> None:
    if f"{key_dtype.name}:{value_dtype.name}" not in _PAIRS[kind].split():
        raise errors.InvalidArgumentError(
            f"No OpKernel was registered to support Op {kind!r} with "
            f"key_dtype={dtype_name(key_dtype)}, value_dtype={dtype_name(value_dtype)}"
        )


class _Place(NamedTuple):
    """Where a table that has a name belongs."""

    manager: ResourceManager
    node: str
    container: str
    shared_name: str
    use_node_name_sharing: bool

    def table(self, kind: str, dtypes: tuple[DType, DType], make: Callable[[str, str], Table]) -> Table:
        """Return the table of this name, made where there is none. All kinds of tables share one space of names.

        Raises: InvalidArgumentError if it has other dtypes, or no table can have these.
        """
        _check_pair(kind, *dtypes)
        home = self.container or DEFAULT_CONTAINER
        # Without a name to share the table is the node's own, under a name that no other node can have.
        name = self.shared_name or (self.node if self.use_node_name_sharing else f"_0_{self.node}")
        found = self.manager.lookup_or_create(home, name, Table, lambda: make(home, name))
        if (found.key_dtype, found.value_dtype) != dtypes:
            asked = "->".join(map(dtype_name, dtypes))
            has = f"{dtype_name(found.key_dtype)}-{dtype_name(found.value_dtype)}"
            raise errors.InvalidArgumentError(f"Conflicting key/value dtypes {asked} with {has} for table {name}")
        return found


@kernel("HashTable", "HashTableV2", returns="stored")
def hash_table(
    *,
    key_dtype: DType,
    value_dtype: DType,
    container: str,
    shared_name: str,
    use_node_name_sharing: bool,
    manager: ResourceManager,
    node: str,
) -> Table:
    def make(home: str, name: str) -> Table:
        return HashTable(key_dtype, value_dtype, home, name)

    place = _Place(manager, node, container, shared_name, use_node_name_sharing)
    return place.table("HashTable", (key_dtype, value_dtype), make)


@kernel("AnonymousHashTable")
def anonymous_hash_table(*, key_dtype: DType, value_dtype: DType) -> Table:
    _check_pair("HashTable", key_dtype, value_dtype)
    return HashTable(key_dtype, value_dtype)


@kernel("MutableHashTable", "MutableHashTableV2", returns="stored")
def mutable_hash_table(
    *,
    key_dtype: DType,
    value_dtype: DType,
    container: str,
    shared_name: str,
    use_node_name_sharing: bool,
    manager: ResourceManager,
    node: str,
) -> Table:
    def make(home: str, name: str) -> Table:
        return MutableTable(key_dtype, value_dtype, (), home, name, hash_string=hash64)

    place = _Place(manager, node, container, shared_name, use_node_name_sharing)
    return place.table("MutableHashTable", (key_dtype, value_dtype), make)


@kernel("AnonymousMutableHashTable")
def anonymous_mutable_hash_table(*, key_dtype: DType, value_dtype: DType) -> Table:
    _check_pair("MutableHashTable", key_dtype, value_dtype)
    return MutableTable(key_dtype, value_dtype, hash_string=hash64)


def _vector(value_shape: Dims) -> tuple[int, ...]:
    if value_shape is None or len(value_shape) != 1 or value_shape[0] is None:
        raise errors.InvalidArgumentError(f"Default value must be a vector, got shape {shape_text(value_shape)}")
    return (value_shape[0],)


@kernel("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", returns="stored")
def mutable_hash_table_of_tensors(
    *,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: Dims,
    container: str,
    shared_name: str,
    use_node_name_sharing: bool,
    manager: ResourceManager,
    node: str,
) -> Table:
    def make(home: str, name: str) -> Table:
        return MutableTable(key_dtype, value_dtype, _vector(value_shape), home, name, hash_string=hash64)

    place = _Place(manager, node, container, shared_name, use_node_name_sharing)
    return place.table("MutableHashTableOfTensors", (key_dtype, value_dtype), make)


@kernel("AnonymousMutableHashTableOfTensors")
def anonymous_mutable_hash_table_of_tensors(*, key_dtype: DType, value_dtype: DType, value_shape: Dims) -> Table:
    _check_pair("MutableHashTableOfTensors", key_dtype, value_dtype)
    return MutableTable(key_dtype, value_dtype, _vector(value_shape), hash_string=hash64)


def _dense(
    empty_key: Any,
    deleted_key: Any,
    dtypes: tuple[DType, DType],
    value_shape: Dims,
    buckets: int,
    max_load_factor: float,
    container: str = "",
    name: str = "",
) -> Table:
    if value_shape is None or None in value_shape:
        raise errors.InvalidArgumentError(
            f"Empty value must be a scalar or a vector, got shape {shape_text(value_shape)}"
        )
    return DenseTable(
        *dtypes,
        np.asarray(empty_key),
        None if deleted_key is None else np.asarray(deleted_key),
        tuple([n or 0 for n in value_shape]),
        buckets=buckets,
        max_load_factor=max_load_factor,
        hash_string=hash64,
        reserve=check_shape,
        container=container,
        name=name,
    )


@kernel("MutableDenseHashTable", returns="stored")
def mutable_dense_hash_table(
    empty_key: Any,
    *,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: Dims,
    initial_num_buckets: int,
    max_load_factor: float,
    container: str,
    shared_name: str,
    use_node_name_sharing: bool,
    manager: ResourceManager,
    node: str,
) -> Table:
    """A table that cannot remove keys: the first version of the op has no deleted key."""
    dtypes = key_dtype, value_dtype

    def make(home: str, name: str) -> Table:
        return _dense(empty_key, None, dtypes, value_shape, initial_num_buckets, max_load_factor, home, name)

    place = _Place(manager, node, container, shared_name, use_node_name_sharing)
    return place.table("MutableDenseHashTable", dtypes, make)


@kernel("MutableDenseHashTableV2", returns="stored")
def mutable_dense_hash_table_v2(
    empty_key: Any,
    deleted_key: Any,
    *,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: Dims,
    initial_num_buckets: int,
    max_load_factor: float,
    container: str,
    shared_name: str,
    use_node_name_sharing: bool,
    manager: ResourceManager,
    node: str,
) -> Table:
    dtypes = key_dtype, value_dtype

    def make(home: str, name: str) -> Table:
        return _dense(empty_key, deleted_key, dtypes, value_shape, initial_num_buckets, max_load_factor, home, name)

    place = _Place(manager, node, container, shared_name, use_node_name_sharing)
    return place.table("MutableDenseHashTable", dtypes, make)


@kernel("AnonymousMutableDenseHashTable")
def anonymous_mutable_dense_hash_table(
    empty_key: Any,
    deleted_key: Any,
    *,
    key_dtype: DType,
    value_dtype: DType,
    value_shape: Dims,
    initial_num_buckets: int,
    max_load_factor: float,
) -> Table:
    _check_pair("MutableDenseHashTable", key_dtype, value_dtype)
    return _dense(empty_key, deleted_key, (key_dtype, value_dtype), value_shape, initial_num_buckets, max_load_factor)


@shape("HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable")
def reference_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


shape("HashTableV2", "AnonymousHashTable")(scalar)


def _behind(c: ShapeContext, key: Dims, value: Dims) -> list[Dims]:
    with_rank_at_most(key, 1)
    c.set_handles(0, [(c.attr("key_dtype"), key), (c.attr("value_dtype"), value)])
    return [()]


@shape("MutableHashTableV2", "AnonymousMutableHashTable")
def mutable_hash_table_shape(c: ShapeContext) -> list[Dims]:
    return _behind(c, (), ())


@shape("MutableHashTableOfTensorsV2", "AnonymousMutableHashTableOfTensors")
def mutable_hash_table_of_tensors_shape(c: ShapeContext) -> list[Dims]:
    return _behind(c, (), c.attr("value_shape"))


@shape("MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")
def mutable_dense_hash_table_shape(c: ShapeContext) -> list[Dims]:
    return _behind(c, c.shape(0), c.attr("value_shape"))
