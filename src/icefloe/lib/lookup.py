"""Lookup tables that are filled once: `tf.lookup.StaticHashTable`, and what it is filled by.

Source: tensorflow/python/ops/lookup_ops.py (arguments, messages, names of nodes).
"""

from __future__ import annotations

import uuid
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, device, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.scopes import init_scope
from icefloe.shapes import TensorShape


def values_of(keys: Any) -> Any:
    """Return the values of sparse or ragged keys, other keys as they are."""
    return keys.values if hasattr(keys, "with_values") else keys


def like(keys: Any, values: Any) -> Any:
    """Return values as a sparse or ragged tensor of the kind and places of `keys`, or as they are."""
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, values, keys.dense_shape)
    return keys.with_values(values) if hasattr(keys, "with_values") else values


class LookupInterface:
    """Base of tables, which keep what they hold between runs."""

    _resource_handle: Any = None

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = datatypes.as_dtype(key_dtype)
        self._value_dtype = datatypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> datatypes.DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> datatypes.DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> Any:
        """The name of the table's node, without scopes."""
        raise NotImplementedError

    @property
    def resource_handle(self) -> Any:
        """The tensor by which ops know the table."""
        return self._resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return the number of keys, an int64 tensor."""
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the values of `keys`."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        """Return the values of `keys`."""
        return self.lookup(keys)


class TableInitializerBase:
    """Base of what a table is filled by."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = datatypes.as_dtype(key_dtype)
        self._value_dtype = datatypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> datatypes.DType:
        """The dtype of the keys of a table that can be filled by this."""
        return self._key_dtype

    @property
    def value_dtype(self) -> datatypes.DType:
        """The dtype of the values of a table that can be filled by this."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Return the operation that fills `table`."""
        raise NotImplementedError

    @property
    def _shared_name(self) -> str:
        """The name under which tables filled by the same are one; "" where each is its own."""
        return ""


def check_table_dtypes(table: Any, key_dtype: datatypes.DType, value_dtype: datatypes.DType) -> None:
    """Raise TypeError if a table has other dtypes."""
    for word, wanted, got in (("key", table.key_dtype, key_dtype), ("value", table.value_dtype, value_dtype)):
        if got.base_dtype != wanted:
            raise TypeError(f"Invalid {word} dtype for table, expected {wanted} but got {got}.")


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with a vector of keys and one of values."""

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        """keys, values: vectors of one length. key_dtype, value_dtype: of what is given as Python lists."""
        if get_default_graph()._get_control_flow_context() is not None:
            with init_scope():
                self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
                self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        else:
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Return the operation that fills `table`. Raises: TypeError if the table has other dtypes."""
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        with name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
            op = apply_op("LookupTableImportV2", table.resource_handle, self._keys, self._values)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op


class TextFileIndex:
    """Instead of the number of a column: the whole line, or its number from 0."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Fills a table with the lines of a text file."""

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        """Say which parts of each line are key and value.

        key_index, value_index: the number of a column, or a constant of `TextFileIndex`.
        vocab_size: how many lines the file has, where that is known. delimiter: one character between columns.
        value_index_offset: added to line numbers.

        Raises: ValueError if there is no file name, or the dtypes cannot hold such parts.
        """
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_index("key", key_index, self.key_dtype)
        _check_index("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename_arg = filename
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        self._offset = value_index_offset
        with init_scope(), device("CPU"):
            self._filename = convert_to_tensor(filename, dtype=datatypes.string, name="asset_path")

    def initialize(self, table: Any) -> Any:
        """Return the operation that fills `table`. Raises: TypeError if the table has other dtypes."""
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        with name_scope(self._name, "text_file_init", (table.resource_handle,)):
            op = apply_op(
                "InitializeTableFromTextFileV2",
                table.resource_handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        if self._filename.op.type == "Const":
            add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return op

    @property
    def _shared_name(self) -> str:
        parts = [self._filename_arg, self._key_index, self._value_index]
        if self._vocab_size:
            parts.insert(1, self._vocab_size)
        if self._offset:
            parts.append(self._offset)
        return "hash_table_" + "_".join(map(str, parts))


def _check_index(word: str, index: int, dtype: datatypes.DType) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{word}_index` should be >= -2, received: {index}" + ("." if word == "key" else ""))
    if index == TextFileIndex.LINE_NUMBER and dtype != datatypes.int64:
        where = f"if `key_index` is {index}" if word == "key" else f"for `value_index` {index}"
        raise ValueError(f"`{word}_dtype` must be int64 {where}, received: {dtype}")
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != datatypes.string:
        raise ValueError(
            f"`{word}_dtype` should be either integer or string for `{word}_index` {index}, received: {dtype}"
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from int64 ids to strings, by default from line numbers to lines."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        """See `TextFileInitializer`."""
        super().__init__(
            filename,
            datatypes.int64,
            key_column_index,
            datatypes.string,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from strings, or integers, to int64 ids, by default from lines to their numbers."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: Any = datatypes.string,
    ) -> None:
        """See `TextFileInitializer`."""
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            datatypes.int64,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


class StaticHashTable(LookupInterface):
    """A table that an initializer fills and that does not change afterwards.

    Run `initializer`, or `tables_initializer()`, once before looking anything up.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """initializer: what the table is filled by; it gives the dtypes. default_value: of keys that are not there.
        experimental_is_anonymous: let each run make a table of its own, which its handle alone leads to.
        """
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._initializer = initializer
        self._is_anonymous = experimental_is_anonymous
        # Nodes of several graphs, or of functions, that stand for one table must find it by one name.
        self._table_shared_name = initializer._shared_name or f"hash_table_{uuid.uuid4()}"
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.shape.merge_with(TensorShape([]))
        with init_scope():
            self._resource_handle = self._create_resource(name or "hash_table")
        self._table_name = self._resource_handle.op.name.split("/")[-1]
        if get_default_graph()._get_control_flow_context() is not None:
            with init_scope():
                self._init_op = initializer.initialize(self)
        else:
            self._init_op = initializer.initialize(self)
        self._value_shape = self._default_value.shape

    def _create_resource(self, name: str) -> Tensor:
        dtypes = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if self._is_anonymous:
            return apply_op("AnonymousHashTable", name=name, **dtypes)
        return apply_op("HashTableV2", shared_name=self._table_shared_name, name=name, **dtypes)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    @property
    def initializer(self) -> Any:
        """The operation that fills the table."""
        return self._init_op

    @property
    def name(self) -> str:
        """The name of the table's node, without scopes."""
        return self._table_name

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of keys, an int64 tensor."""
        with name_scope(name, f"{self.name}_Size", [self.resource_handle]):
            return apply_op("LookupTableSizeV2", self.resource_handle)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the values of `keys`, a tensor, SparseTensor or ragged tensor.

        Raises: TypeError if the keys have another dtype than the table's.
        """
        key_tensor = values_of(keys)
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
        with name_scope(name, f"{self.name}_Lookup", (self.resource_handle, key_tensor, self._default_value)):
            values = apply_op("LookupTableFindV2", self.resource_handle, key_tensor, self._default_value)
        values.set_shape(key_tensor.shape)
        return like(keys, values)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values."""
        with name_scope(name, f"{self.name}_Export", [self.resource_handle]):
            keys, values = apply_op(
                "LookupTableExportV2", self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        values.set_shape(keys.shape.concatenate(self._value_shape))
        return keys, values


class HashTable(StaticHashTable):
    """`StaticHashTable` by its older name."""

    @property
    def init(self) -> Any:
        """The operation that fills the table."""
        return self.initializer
