"""`DenseTable`: a lookup table whose buckets are plain arrays, laid out as TensorFlow does.

What such a table exports, and a checkpoint holds, are its buckets: key i sits where its hash leads, after as many steps
of quadratic probing as there were keys in the way. So a table saved here can be read there and the other way round.
Beside the buckets a dict says where each key is, which is all that lookups need.

Source: tensorflow/core/kernels/lookup_table_op.cc (MutableDenseHashTable), tensorflow/core/lib/hash/hash.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources.elements import zeros
from icefloe.resources.table import Array, Shape, Table, key_array
from icefloe.shapes import shape_text

# Of one element of a key: an int's own bits, or a hash of its bytes.
Hash: TypeAlias = Callable[[bytes], int]
_MASK = (1 << 64) - 1


def _combined(a: int, b: int) -> int:
    return a ^ (b + 0x9E3779B97F4A7800 + (a << 10 & _MASK) + (a >> 4)) & _MASK


class DenseTable(Table):
    """A table of keys that are scalars or vectors, of which two are set apart: for buckets without a key, and for those
    whose key was removed.

    hash_string: TensorFlow's Hash64 of bytes. reserve: called with shape and dtype of each array before it is made;
    raises if there is no room for it.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        empty_key: Array,
        deleted_key: Array | None,
        value_shape: Shape = (),
        *,
        buckets: int,
        max_load_factor: float,
        hash_string: Hash,
        reserve: Callable[[Shape, np.dtype[Any]], Any],
        container: str = "",
        name: str = "",
    ) -> None:
        """Raises: InvalidArgumentError if an argument makes no sense."""
        if not 0 < max_load_factor < 1:
            raise errors.InvalidArgumentError(f"max_load_factor must be between 0 and 1, got: {max_load_factor:g}")
        if len(value_shape) > 1:
            raise errors.InvalidArgumentError(
                f"Empty value must be a scalar or a vector, got shape {shape_text(value_shape)}"
            )
        if empty_key.ndim > 1:
            raise errors.InvalidArgumentError(
                f"Empty key must be a scalar or a vector, got shape {shape_text(empty_key.shape)}"
            )
        if deleted_key is not None and deleted_key.shape != empty_key.shape:
            raise errors.InvalidArgumentError(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{shape_text(empty_key.shape)} and {shape_text(deleted_key.shape)}"
            )
        super().__init__(key_dtype, value_dtype, empty_key.shape, value_shape, container, name)
        self._load_factor = np.float32(max_load_factor)
        self._hash_string = hash_string
        self._reserve = reserve
        self._key_size = int(np.prod(empty_key.shape, dtype=int))
        self._empty = self._key(empty_key.reshape(-1))
        self._deleted = None if deleted_key is None else self._key(deleted_key.reshape(-1))
        if self._empty == self._deleted:
            raise errors.InvalidArgumentError("Empty and deleted keys cannot be equal")
        self._where: dict[Any, int] = {}
        # For each bucket 1 where it has a key. One whose key was removed has none.
        self._taken = bytearray()
        self._keys, self._values = self._blank(buckets)

    def _blank(self, buckets: int) -> tuple[Array, Array]:
        if buckets < 4 or buckets & (buckets - 1):
            raise errors.InvalidArgumentError(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
        key_shape = (buckets, self._key_size)
        value_shape = (buckets, int(np.prod(self.value_shape, dtype=int)))
        self._reserve(key_shape, self.key_dtype.numpy)
        self._reserve(value_shape, self.value_dtype.numpy)
        self._taken = bytearray(buckets)
        keys = np.empty(key_shape, self.key_dtype.numpy)
        keys[:] = self._row(self._empty)
        return keys, zeros(value_shape, self.value_dtype)

    # A key is known by its only element, or by a tuple of them.

    def _key(self, row: Array) -> Any:
        items: list[Any] = row.tolist()
        return items[0] if len(items) == 1 else tuple(items)

    def _row(self, key: Any) -> list[Any]:
        return [key] if self._key_size == 1 else list(key)

    def _matrix(self, keys: list[Any]) -> Array:
        if self._key_size == 1:
            return key_array(keys, self.key_dtype).reshape(-1, 1)
        return np.array(keys, self.key_dtype.numpy).reshape(-1, self._key_size)

    def _listed(self, keys: Array) -> list[Any]:
        if self._key_size == 1:
            found: list[Any] = keys.reshape(-1).tolist()
            return found
        return list(map(tuple, keys.reshape(-1, self._key_size).tolist()))

    def _hash(self, key: Any) -> int:
        parts = [self._hash_string(part) if isinstance(part, bytes) else part & _MASK for part in self._row(key)]
        if self._key_size == 1:
            return parts[0]
        result = 0
        for part in parts:
            result = _combined(result, part)
        return result

    def _checked(self, keys: Array) -> list[Any]:
        count = len(keys) if keys.ndim else 1
        if keys.size != count * self._key_size:
            expected = (count, *self.key_shape)
            raise errors.InvalidArgumentError(f"Expected key shape {shape_text(expected)} got {shape_text(keys.shape)}")
        listed = self._listed(keys)
        for key, name in ((self._empty, "empty_key"), (self._deleted, "deleted_key")):
            if key is not None and key in listed:
                raise errors.InvalidArgumentError(f"Using the {name} as a table key is not allowed")
        return listed

    @property
    def size(self) -> int:
        return len(self._where)

    def find(self, keys: Array, default: Array) -> Array:
        """Return the values of `keys`; of several default values only the first counts, as in TensorFlow.

        Raises: InvalidArgumentError if one of the keys set apart is among them.
        """
        listed = self._checked(keys)
        size = self._values.shape[1]
        one = default.reshape(-1)[:size]
        with self._lock:
            rows = np.array([self._where.get(key, -1) for key in listed], np.intp)
            found: Array = self._values[rows] if self._where else zeros((len(rows), size), self.value_dtype)
        if len(one) < size and (rows < 0).any():
            raise errors.InvalidArgumentError(f"The default value has {len(one)} elements, expected {size}")
        found[rows < 0] = one
        return found.reshape(self.values_shape(keys.shape))

    def insert(self, keys: Array, values: Array) -> None:
        """Set the values of `keys`. Raises: InvalidArgumentError if one of the keys set apart is among them."""
        listed = self._checked(keys)
        rows = values.reshape(len(listed), self._values.shape[1])
        with self._lock:
            # As if all keys were new: it decides when the table grows, and so where its keys are.
            wanted = np.float32(self.size + len(listed))
            buckets = len(self._keys)
            while buckets and wanted > np.float32(buckets) * self._load_factor:
                buckets *= 2
            if buckets != len(self._keys):
                self._rebuild(buckets)
            self._put(listed, rows)

    def _rebuild(self, buckets: int) -> None:
        old_keys, old_values = self._keys, self._values
        self._keys, self._values = self._blank(buckets)
        self._where = {}
        listed = self._listed(old_keys)
        kept = [i for i, key in enumerate(listed) if key not in (self._empty, self._deleted)]
        self._put([listed[i] for i in kept], old_values[kept])

    def _put(self, keys: list[Any], values: Array) -> None:
        places = np.empty(len(keys), np.intp)
        new: dict[int, Any] = {}
        try:
            for i, key in enumerate(keys):
                place = self._where.get(key)
                if place is None:
                    place = self._free(key)
                    self._where[key] = place
                    self._taken[place] = 1
                    new[place] = key
                places[i] = place
        finally:
            if new:
                self._keys[list(new)] = self._matrix(list(new.values()))
        self._values[places] = values

    def _free(self, key: Any) -> int:
        """Return the bucket for a new key: the first on its way that has none."""
        buckets = len(self._keys)
        place = self._hash(key) & (buckets - 1)
        for step in range(1, buckets + 1):
            if not self._taken[place]:
                return place
            place = (place + step) & (buckets - 1)
        raise errors.InternalError("Internal error in MutableDenseHashTable insert")

    def remove(self, keys: Array) -> None:
        """Remove `keys`. Raises: InvalidArgumentError if one of the keys set apart is among them."""
        if not keys.ndim:
            raise errors.InvalidArgumentError(f"Expected key shape {shape_text((1, *self.key_shape))} got []")
        listed = self._checked(keys)
        if self._deleted is None:
            raise errors.InvalidArgumentError("A table without a deleted_key cannot remove keys")
        gone = self._row(self._deleted)
        with self._lock:
            for key in listed:
                place = self._where.pop(key, None)
                if place is not None:
                    self._taken[place] = 0
                    self._keys[place] = gone

    def check_loaded(self, keys: Shape, values: Shape) -> None:
        """Raise InvalidArgumentError if these are no buckets: a matrix of keys and one of values."""
        self.check_keys(keys)
        expected = keys[: len(keys) - max(len(self.key_shape), 1)] + (self.value_shape or (1,))
        if values != expected:
            raise errors.InvalidArgumentError(
                f"Expected shape {shape_text(expected)} for value, got {shape_text(values)}"
            )

    def load(self, keys: Array, values: Array) -> None:
        """Replace the buckets by those of another table, as it exported them."""
        if keys.ndim != 2 or keys.shape[1] != self._key_size or len(values) != len(keys):
            raise errors.InvalidArgumentError(
                f"Expected buckets of shape [?,{self._key_size}], got {shape_text(keys.shape)}"
            )
        listed = self._listed(keys)
        with self._lock:
            self._keys, self._values = keys.copy(), values.reshape(len(keys), self._values.shape[1]).copy()
            where = {key: i for i, key in reversed(list(enumerate(listed)))}
            where.pop(self._empty, None)
            where.pop(self._deleted, None)
            self._where = where
            self._taken = bytearray(len(keys))
            for place in where.values():
                self._taken[place] = 1

    def export(self) -> tuple[Array, Array]:
        """Return the buckets: a matrix of keys and one of values."""
        with self._lock:
            return self._keys.copy(), self._values.copy()
