"""Tables from words to ids and back, with buckets for words that are in no vocabulary.

Source: tensorflow/python/ops/lookup_ops.py (arguments, messages, names of nodes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import size as size_of
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import no_op
from icefloe.lib.lookup import (
    HashTable,
    KeyValueTensorInitializer,
    LookupInterface,
    StaticHashTable,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
    like,
    values_of,
)
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, not_equal
from icefloe.lib.math_range import range as range_of


class HasherSpec(NamedTuple):
    """Which hash function sorts words into buckets: "fasthash", "legacy" or "stronghash" with its key."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """The keyed hash function, with a key of two integers: nobody who does not know it can aim at a bucket."""

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, (int, np.integer)) for part in key[:2]):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


def _as_string(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype.base_dtype == datatypes.string else apply_op("AsString", tensor)


class _Buckets(LookupInterface):
    """A table of ids, or none, and behind its ids a number of buckets for all other keys."""

    _table: Any
    _num_oov_buckets: int
    _table_name: str | None

    @property
    def initializer(self) -> Any:
        """The operation that fills the table."""
        if self._table is not None:
            return self._table.initializer
        with name_scope(None, "init"):
            return no_op()

    @property
    def resource_handle(self) -> Any:
        """The tensor by which ops know the table, None where there are buckets only."""
        return None if self._table is None else self._table.resource_handle

    @property
    def name(self) -> Any:
        """The name of the table's node, without scopes."""
        return self._table_name

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of keys and buckets, an int64 tensor."""
        with name_scope(name, f"{self.name}_Size"):
            if self._table is not None:
                size = self._table.size()
            else:
                size = convert_to_tensor(0, dtype=datatypes.int64)
            total: Tensor = size + self._num_oov_buckets
            return total

    def _values(self, keys: Any) -> Any:
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
        values = values_of(keys)
        if self._table is not None and self._table.key_dtype.base_dtype == datatypes.int64:
            return cast(values, datatypes.int64)
        return values

    def _ids(self, values: Any, spec: HasherSpec, name: str | None) -> Tensor:
        with name_scope(name, f"{self.name}_Lookup"):
            buckets = _hashed(_as_string(values), spec, self._num_oov_buckets)
            if self._table is None:
                return buckets
            ids = self._table.lookup(values)
            buckets = add(buckets, self._table.size())
            return where_v2(not_equal(ids, self._table.default_value), ids, buckets)


def _hashed(words: Tensor, spec: HasherSpec, buckets: int) -> Tensor:
    ops = {
        "fasthash": "StringToHashBucketFast",
        "legacy": "StringToHashBucket",
        "stronghash": "StringToHashBucketStrong",
    }
    if spec.hasher not in ops:
        raise ValueError(f"Found unknown hasher {spec.hasher} in `hasher_spec`")
    key = {"key": spec.key} if spec.hasher == "stronghash" else {}
    return apply_op(ops[spec.hasher], words, num_buckets=buckets, name="hash_bucket", **key)


def _checked_key_dtype(source: Any, key_dtype: datatypes.DType | None, *, expected_first: bool) -> datatypes.DType:
    """Return the dtype of keys to look up in a table, or one made by an initializer.

    Raises: TypeError if keys and values cannot be words and ids.
    """
    if key_dtype is None:
        key_dtype = source.key_dtype
    supported = (datatypes.int64, datatypes.string)
    if source.key_dtype not in supported:
        if expected_first:
            raise TypeError(f"Invalid `key_dtype`, expected one of {supported}, received {key_dtype}.")
        raise TypeError(f"Invalid `key_dtype`, expected one of {supported}, but got {source.key_dtype}.")
    if source.key_dtype.is_integer != key_dtype.is_integer:
        word = "`key dtype`" if expected_first else "`key_dtype`"
        kind = "integer" if key_dtype.is_integer else "non-integer"
        raise TypeError(f"Invalid {word}, expected {kind} but got {source.key_dtype}.")
    if source.value_dtype != datatypes.int64:
        if expected_first:
            raise TypeError(f"Invalid `value_dtype`: expected int64 but got {source.value_dtype}.")
        raise TypeError(f"Invalid `value_dtype`, expected {datatypes.int64} but got {source.value_dtype}.")
    return key_dtype


class IdTableWithHashBuckets(_Buckets):
    """A table from words to ids that gives every word outside of it one of a number of further ids, by its hash."""

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        """table: from strings or int64 to int64 ids, None for buckets only.

        Raises: ValueError if there is neither table nor bucket; TypeError if a dtype or `hasher_spec` makes no sense.
        """
        name = name.rstrip("/") if name else name
        if table:
            key_dtype = _checked_key_dtype(table, key_dtype, expected_first=True)
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
            key_dtype = datatypes.string if key_dtype is None else key_dtype
            name = name or "hash_bucket"
        if not key_dtype.is_integer and key_dtype != datatypes.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {key_dtype}.")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        self._table = table or None
        self._num_oov_buckets = num_oov_buckets
        self._hasher_spec = hasher_spec
        self._table_name = name.split("/")[-1] if name else None
        super().__init__(key_dtype, datatypes.int64)

    @property
    def init(self) -> Any:
        """The operation that fills the table, by its older name."""
        return self.initializer

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the ids of `keys`, a tensor, SparseTensor or ragged tensor. Raises: TypeError for another dtype."""
        values = self._values(keys)
        if self._num_oov_buckets == 0:
            return like(keys, self._table.lookup(values, name=name))
        return like(keys, self._ids(values, self._hasher_spec, name))


class StaticVocabularyTable(_Buckets):
    """A table from words to ids, filled by an initializer, that gives every other word one of a number of further ids,
    by its hash."""

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """initializer: of a table from strings or int64 to int64 ids, None for buckets only.

        Raises: ValueError if there are no buckets; TypeError if a dtype makes no sense.
        """
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        name = name.rstrip("/") if name else name
        self._table = None
        if initializer:
            lookup_key_dtype = _checked_key_dtype(initializer, lookup_key_dtype, expected_first=False)
            self._table = HashTable(initializer, default_value=-1, experimental_is_anonymous=experimental_is_anonymous)
            name = name or self._table.name
        else:
            lookup_key_dtype = datatypes.string
            name = name or "hash_bucket"
        if not lookup_key_dtype.is_integer and lookup_key_dtype != datatypes.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {lookup_key_dtype}")
        self._num_oov_buckets = num_oov_buckets
        self._table_name = name.split("/")[-1]
        super().__init__(lookup_key_dtype, datatypes.int64)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the ids of `keys`, a tensor, SparseTensor or ragged tensor. Raises: TypeError for another dtype."""
        return like(keys, self._ids(self._values(keys), FastHashSpec, name))


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: datatypes.DType = datatypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """Return a table from the words in a file, one a line, to their line numbers.

    num_oov_buckets: further ids that other words get by their hash; with 0 they get `default_value`.
    See `TextFileInitializer` for the other arguments.

    Raises: ValueError, TypeError if an argument makes no sense.
    """
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        file = vocabulary_file
        if isinstance(file, Tensor):
            file = get_static_value(file) or "?"
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: {file}.")
    if not key_dtype.is_integer and key_dtype.base_dtype != datatypes.string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            init = TextFileIdTableInitializer(
                vocabulary_file,
                vocab_size=vocab_size,
                key_dtype=datatypes.int64 if key_dtype.is_integer else key_dtype,
                name="table_init",
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                delimiter=delimiter,
            )
            table = StaticHashTable(init, default_value)
        return with_oov_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: datatypes.DType = datatypes.string,
    name: str | None = None,
) -> Any:
    """Return a table from the words in a vector to their places in it; see `index_table_from_file`.

    Raises: ValueError, TypeError if an argument makes no sense.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.")
    if not dtype.is_integer and dtype.base_dtype != datatypes.string:
        raise TypeError("`dtype` must either be integer or string.")
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = "integer" if dtype.is_integer else "non-integer"
            raise ValueError(f"Invalid `dtype`: Expected {kind}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Invalid `dtype`: Expected {dtype}, got {keys.dtype}.")
        values = cast(range_of(size_of(keys)), datatypes.int64)
        with name_scope(None, "hash_table"):
            words = cast(keys, datatypes.int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(words, values, words.dtype.base_dtype, datatypes.int64, name="table_init")
            table = StaticHashTable(init, default_value)
        return with_oov_buckets(table, num_oov_buckets, hasher_spec, dtype)


def with_oov_buckets(table: Any, num_oov_buckets: int, hasher_spec: HasherSpec, key_dtype: Any) -> Any:
    """Return a table that gives words outside of `table` further ids; itself if there are to be none."""
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """Return a table from line numbers to the words in a file. Raises: ValueError if an argument makes no sense."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        init = TextFileStringTableInitializer(
            vocabulary_file,
            vocab_size=vocab_size,
            name="table_init",
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            delimiter=delimiter,
        )
        return StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> StaticHashTable:
    """Return a table from places in a vector to the words in it. Raises: ValueError if there is no vector."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(vocabulary_list, datatypes.string)
        keys = cast(range_of(size_of(words)), datatypes.int64)
        init = KeyValueTensorInitializer(keys, words, datatypes.int64, datatypes.string, name="table_init")
        return StaticHashTable(init, default_value)
