"""Lookup tables: maps from keys to values that outlive a run. `HashTable` is filled once, `MutableTable` at any time;
see `dense_table` for the third kind.

Keys are compared as Python's own numbers and bytes. The values of all keys are rows of one array, so that a lookup of
many keys is one gather.

Source: tensorflow/core/kernels/lookup_table_op.h, lookup_table_op.cc, initializable_lookup_table.cc.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources.bucket_order import in_bucket_order
from icefloe.resources.elements import zeros
from icefloe.shapes import shape_text

Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]


class Table:
    """What all tables have in common.

    key_shape, value_shape: of one key and of its value. container, name: as the session knows the table.
    Keys and values come as arrays whose last dimensions are these; kernels check dtypes, `check_...` shapes.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        key_shape: Shape = (),
        value_shape: Shape = (),
        container: str = "",
        name: str = "",
    ) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.key_shape = key_shape
        self.value_shape = value_shape
        self.container = container
        self.name = name
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.key_dtype.name}->{self.value_dtype.name} of {self.size}>"

    @property
    def size(self) -> int:
        """The number of keys."""
        raise NotImplementedError

    def find(self, keys: Array, default: Array) -> Array:
        """Return the values of `keys`, `default` for those that are not there."""
        raise NotImplementedError

    def insert(self, keys: Array, values: Array) -> None:
        """Set the values of `keys`."""
        raise NotImplementedError

    def remove(self, keys: Array) -> None:
        """Remove those of `keys` that are there."""
        raise NotImplementedError

    def load(self, keys: Array, values: Array) -> None:
        """Replace all keys and values."""
        raise NotImplementedError

    def export(self) -> tuple[Array, Array]:
        """Return all keys and their values."""
        raise NotImplementedError

    def values_shape(self, keys: Shape) -> Shape:
        """Return the shape of the values of keys of this shape."""
        return keys[: len(keys) - len(self.key_shape)] + self.value_shape

    def check_keys(self, keys: Shape) -> None:
        """Raise InvalidArgumentError if these are no keys of this table."""
        rank = len(self.key_shape)
        if len(keys) < rank or (rank and keys[-rank:] != self.key_shape):
            raise errors.InvalidArgumentError(
                f"Input key shape {shape_text(keys)} must end with the table's key shape {shape_text(self.key_shape)}"
            )

    def check_pair(self, keys: Shape, values: Shape) -> None:
        """Raise InvalidArgumentError if these are no keys and values of this table."""
        self.check_keys(keys)
        expected = self.values_shape(keys)
        if values != expected:
            raise errors.InvalidArgumentError(
                f"Expected shape {shape_text(expected)} for value, got {shape_text(values)}"
            )

    def check_loaded(self, keys: Shape, values: Shape) -> None:
        """Raise InvalidArgumentError if these are nothing to load."""
        self.check_pair(keys, values)

    def check_default(self, keys: Shape, default: Shape) -> None:
        """Raise InvalidArgumentError if this is neither one default value nor one for each key."""
        self.check_keys(keys)
        full = self.values_shape(keys)
        if default not in (self.value_shape, full):
            raise errors.InvalidArgumentError(
                f"Expected shape {shape_text(self.value_shape)} or {shape_text(full)} for default value, got "
                f"{shape_text(default)}"
            )


class Rows:
    """Keys, and their values as rows of an array that grows."""

    def __init__(self, value_dtype: DType, value_shape: Shape) -> None:
        self.index: dict[Any, int] = {}
        self._free: list[int] = []
        self._dtype = value_dtype
        self._shape = value_shape
        self._values: Array = self._blank(0)

    def _blank(self, count: int) -> Array:
        made: Array = zeros((count, *self._shape), self._dtype)
        return made

    def clear(self) -> None:
        """Forget all keys."""
        self.index = {}
        self._free = []
        self._values = self._blank(0)

    def gather(self, keys: list[Any], default: Array) -> Array:
        """Return the values of `keys`. default: one value, or one for each key."""
        count = len(keys)
        if default.shape == self._shape:
            default = np.broadcast_to(default, (count, *self._shape))
        if not self.index:
            return default.copy()
        rows = np.fromiter(map(self.index.get, keys, itertools.repeat(-1)), np.intp, count)
        found = self._values[rows]
        missing = rows < 0
        found[missing] = default[missing]
        return found

    def put(self, keys: list[Any], values: Array) -> None:
        """Set the values of `keys`; of a key that comes twice the last counts."""
        index, free = self.index, self._free
        rows = np.empty(len(keys), np.intp)
        for i, key in enumerate(keys):
            row = index.get(key)
            if row is None:
                row = index[key] = free.pop() if free else len(index) + len(free)
            rows[i] = row
        needed = len(index) + len(free)
        if needed > len(self._values):
            grown = self._blank(max(needed, 2 * len(self._values), 8))
            grown[: len(self._values)] = self._values
            self._values = grown
        self._values[rows] = values

    def drop(self, keys: list[Any]) -> None:
        """Remove `keys`."""
        for key in keys:
            row = self.index.pop(key, None)
            if row is not None:
                self._free.append(row)
                if self._values.dtype.hasobject:
                    self._values[row] = None

    def values(self, keys: list[Any]) -> Array:
        """Return the values of `keys`, all of which must be there."""
        return self._values[np.fromiter(map(self.index.__getitem__, keys), np.intp, len(keys))]


def key_array(keys: list[Any], dtype: DType) -> Array:
    """Return a vector of keys."""
    if not dtype.numpy.hasobject:
        return np.array(keys, dtype.numpy)
    made = np.empty(len(keys), object)
    made[:] = keys
    return made


def _bits(key: int) -> int:
    return key & (1 << 64) - 1


def _flat(keys: Array) -> list[Any]:
    found: list[Any] = keys.reshape(-1).tolist()
    return found


class HashTable(Table):
    """A table that is filled once and does not change afterwards."""

    def __init__(self, key_dtype: DType, value_dtype: DType, container: str = "", name: str = "") -> None:
        super().__init__(key_dtype, value_dtype, container=container, name=name)
        self._rows: Rows | None = None

    @property
    def initialized(self) -> bool:
        return self._rows is not None

    @property
    def size(self) -> int:
        """The number of keys, 0 before the table is filled."""
        return 0 if self._rows is None else len(self._rows.index)

    def find(self, keys: Array, default: Array) -> Array:
        """Return the values of `keys`; of several default values only the first counts, as in TensorFlow.

        Raises: FailedPreconditionError before the table is filled.
        """
        rows = self._rows
        if rows is None:
            raise errors.FailedPreconditionError("Table not initialized.")
        if default.ndim:
            default = default.reshape(-1)[:1].reshape(())
        return rows.gather(_flat(keys), default).reshape(keys.shape)

    def insert(self, keys: Array, values: Array) -> None:
        """Raise UnimplementedError."""
        raise errors.UnimplementedError("Insert not supported by InitializableLookupTable implementations")

    def remove(self, keys: Array) -> None:
        """Raise UnimplementedError."""
        raise errors.UnimplementedError("Remove not supported by InitializableLookupTable implementations")

    def load(self, keys: Array, values: Array) -> None:
        """Fill the table. Filling it again does nothing.

        Raises: InvalidArgumentError if there are no keys; FailedPreconditionError if one key has two values, or the
        table was filled with another number of keys.
        """
        if keys.shape != values.shape:
            raise errors.InvalidArgumentError(
                f"keys and values should have the same dimension.{shape_text(keys.shape)} vs {shape_text(values.shape)}"
            )
        if not keys.size:
            raise errors.InvalidArgumentError("keys and values cannot be empty tensors.")
        self.fill(_flat(keys), values.reshape(-1), keys.size)

    def fill(self, keys: list[Any], values: Array, size: int) -> None:
        """Fill the table with keys and a vector of values. size: what the table's size is compared to if it was filled.

        Raises: FailedPreconditionError as `load` does.
        """
        with self._lock:
            if self._rows is not None:
                if size != self.size:
                    raise errors.FailedPreconditionError("Table was already initialized with different data.")
                return
            rows = Rows(self.value_dtype, ())
            first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1)))
            if len(first) < len(keys):
                self._check_repeated(keys, values.tolist(), first)
            rows.put(keys, values)
            self._rows = rows

    def _check_repeated(self, keys: list[Any], values: list[Any], first: dict[Any, int]) -> None:
        for key, value in zip(keys, values):
            known = values[first[key]]
            if known != value:
                key, known, value = (
                    v.decode(errors="replace") if isinstance(v, bytes) else v for v in (key, known, value)
                )
                raise errors.FailedPreconditionError(
                    f"HashTable has different value for same key. Key {key} has {known} and trying to add value {value}"
                )

    def export(self) -> tuple[Array, Array]:
        """Return all keys and values. Raises: AbortedError before the table is filled."""
        rows = self._rows
        if rows is None:
            raise errors.AbortedError("HashTable is not initialized.")
        keys = list(rows.index)
        return key_array(keys, self.key_dtype), rows.values(keys)


class MutableTable(Table):
    """A table that may change at any time. Values have one shape, a scalar's or a vector's."""

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: Shape = (),
        container: str = "",
        name: str = "",
        *,
        hash_string: Callable[[bytes], int],
    ) -> None:
        """hash_string: TensorFlow's Hash64 of bytes, which decides the order of keys that are strings."""
        super().__init__(key_dtype, value_dtype, (), value_shape, container, name)
        self._rows = Rows(value_dtype, value_shape)
        self._hash = hash_string if key_dtype.name == "string" else _bits
        # How many keys the table ever held at once before it was cleared.
        self._held = 0

    @property
    def size(self) -> int:
        return len(self._rows.index)

    def find(self, keys: Array, default: Array) -> Array:
        listed = _flat(keys)
        if default.shape != self.value_shape:
            default = default.reshape(len(listed), *self.value_shape)
        with self._lock:
            return self._rows.gather(listed, default).reshape(keys.shape + self.value_shape)

    def insert(self, keys: Array, values: Array) -> None:
        listed = _flat(keys)
        with self._lock:
            self._rows.put(listed, values.reshape(len(listed), *self.value_shape))

    def remove(self, keys: Array) -> None:
        with self._lock:
            self._rows.drop(_flat(keys))

    def load(self, keys: Array, values: Array) -> None:
        listed = _flat(keys)
        with self._lock:
            self._held = max(self._held, self.size)
            self._rows.clear()
            self._rows.put(listed, values.reshape(len(listed), *self.value_shape))

    def export(self) -> tuple[Array, Array]:
        """Return all keys and their values in TensorFlow's order."""
        with self._lock:
            keys = in_bucket_order(self._rows.index, self._hash, self._held)
            return key_array(keys, self.key_dtype), self._rows.values(keys)
