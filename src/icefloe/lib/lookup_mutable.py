"""Lookup tables that change: `MutableHashTable` and `DenseHashTable`. Savers save what they hold.

Source: tensorflow/python/ops/lookup_ops.py (arguments, messages, names of nodes).
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, colocate_with, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.lookup import LookupInterface
from icefloe.lib.saveable import SaveableObject, SaveSpec


class TableSaveable(SaveableObject):
    """The keys and values of a table, as a Saver sees them."""

    def __init__(self, table: MutableTableBase, name: str, table_name: str | None = None) -> None:
        keys, values = table.export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        self.table_name = table_name or name
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        """Return the operation that gives the table keys and values."""
        handle = self.op.resource_handle
        with name_scope(f"{self.table_name}_table_restore"), colocate_with(handle):
            return apply_op("LookupTableImportV2", handle, restored_tensors[0], restored_tensors[1])


class MutableTableBase(LookupInterface):
    """What the two kinds of tables that change have in common."""

    _Saveable = TableSaveable
    _default_value: Tensor
    _name: str

    @property
    def name(self) -> str:
        """The name of the table's node, without scopes."""
        name: str = self.resource_handle.op.name
        return name.split("/")[-1]

    def _save_as(self, name: str) -> None:
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._Saveable(self, name))

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """Return what a Saver that is given the table saves."""
        return {"table": lambda name=self._name: self._Saveable(self, name, self._name)}

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of keys, an int64 tensor."""
        with name_scope(name, f"{self.name}_Size", [self.resource_handle]), colocate_with(self.resource_handle):
            return apply_op("LookupTableSizeV2", self.resource_handle)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Return an operation that sets the values of `keys`. Raises: TypeError for other dtypes than the table's."""
        with name_scope(name, f"{self.name}_lookup_table_insert", [self.resource_handle, keys, values]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = convert_to_tensor(values, self._value_dtype, name="values")
            with colocate_with(self.resource_handle):
                return apply_op("LookupTableInsertV2", self.resource_handle, keys, values)

    def _remove(self, keys: Any, name: str | None) -> Operation:
        scope_values = (self.resource_handle, keys, self._default_value)
        with name_scope(name, f"{self.name}_lookup_table_remove", scope_values):
            return apply_op("LookupTableRemoveV2", self.resource_handle, keys)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values; of a DenseHashTable its buckets."""
        with (
            name_scope(name, f"{self.name}_lookup_table_export_values", [self.resource_handle]),
            colocate_with(self.resource_handle),
        ):
            keys, values = apply_op(
                "LookupTableExportV2", self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        return keys, values


class MutableHashTable(MutableTableBase):
    """A table that may change at any time."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """default_value: of keys that are not there; its shape, a scalar's or a vector's, is that of all values.
        checkpoint: let Savers save the table; it then is shared under its node's name.
        experimental_is_anonymous: let each run make a table of its own, which its handle alone leads to.
        """
        super().__init__(key_dtype, value_dtype)
        self._name = name
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        shape = self._default_value.shape
        attrs: dict[str, Any] = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if shape.ndims != 0:
            attrs["value_shape"] = shape
        kind = "MutableHashTable" if shape.ndims == 0 else "MutableHashTableOfTensors"
        if experimental_is_anonymous:
            self._resource_handle = apply_op(f"Anonymous{kind}", name=name, **attrs)
        else:
            self._resource_handle = apply_op(f"{kind}V2", use_node_name_sharing=checkpoint, name=name, **attrs)
        if checkpoint:
            self._save_as(name)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Return an operation that removes those of `keys` that are there. Raises: TypeError for another dtype."""
        if keys.dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
        return self._remove(keys, name)

    def lookup(  # type: ignore[override]  # the order of the arguments is TensorFlow's
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """Return the values of `keys`.

        dynamic_default_values: instead of the table's default value, another one, or one for each key.

        Raises: TypeError for another dtype than the table's.
        """
        scope_values = (self.resource_handle, keys, self._default_value)
        with name_scope(name, f"{self.name}_lookup_table_find", scope_values):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            default = self._default_value if dynamic_default_values is None else dynamic_default_values
            with colocate_with(self.resource_handle):
                return apply_op("LookupTableFindV2", self.resource_handle, keys, default)


class DenseHashTable(MutableTableBase):
    """A table that may change at any time and whose buckets are plain arrays. Keys may be vectors."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """empty_key, deleted_key: two keys set apart, for buckets without a key and for those whose key was removed.
        initial_num_buckets: a power of 2, by default 131072. The other arguments are those of `MutableHashTable`.
        """
        super().__init__(key_dtype, value_dtype)
        self._name = name
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype, name="default_value")
        empty = convert_to_tensor(empty_key, dtype=self._key_dtype, name="empty_key")
        deleted = convert_to_tensor(deleted_key, dtype=self._key_dtype, name="deleted_key")
        attrs: dict[str, Any] = {
            "value_dtype": self._value_dtype,
            "value_shape": self._default_value.shape,
            "initial_num_buckets": initial_num_buckets,
        }
        if experimental_is_anonymous:
            op = "AnonymousMutableDenseHashTable"
        else:
            op = "MutableDenseHashTableV2"
            attrs["use_node_name_sharing"] = checkpoint
        self._resource_handle = apply_op(op, empty, deleted, name=name, **attrs)
        if checkpoint:
            self._save_as(name)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Return the values of `keys`. Raises: TypeError for another dtype than the table's."""
        with name_scope(name, f"{self.name}_lookup_table_find", [self.resource_handle, keys]):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            with colocate_with(self.resource_handle):
                return apply_op("LookupTableFindV2", self.resource_handle, keys, self._default_value)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Do as `insert`."""
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation:
        """Return an operation that removes those of `keys` that are there. Raises: TypeError for another dtype."""
        if keys.dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")
        return self._remove(keys, name)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Do as `erase`."""
        return self.erase(keys, name)
