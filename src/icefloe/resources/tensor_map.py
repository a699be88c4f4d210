"""`TensorMap`: what a variant tensor holds as a map from tensors to tensors. A value: what changes it returns another.

A hash table whose buckets are a `PersistentVector`, so that inserting copies a few small tuples, not the map.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.resources import elements
from icefloe.resources.persistent import PersistentVector

# Serial number, for the order of insertion; the key as compared; key and value.
Entry: TypeAlias = tuple[int, Hashable, Any, Any]

_FIRST = PersistentVector().resize(8)


def _comparable(key: Any) -> Hashable:
    """Return what equals that of another key if dtype, shape and bytes are the same."""
    array = np.asarray(key)
    if not array.dtype.hasobject:
        return array.dtype.str, array.dtype.names, array.shape, array.tobytes()
    items = tuple(array.reshape(-1).tolist())
    if not all(isinstance(item, bytes) for item in items):
        raise errors.InvalidArgumentError("A variant or resource cannot be the key of a map")
    return "O", None, array.shape, items


class TensorMap:
    """A map from tensors to tensors. size: the number of its entries."""

    __slots__ = ("_buckets", "_serial", "size")

    type_name = "tensorflow::TensorMap"

    def __init__(self, buckets: PersistentVector = _FIRST, size: int = 0, serial: int = 0) -> None:
        self._buckets = buckets
        self._serial = serial
        self.size = size

    def __repr__(self) -> str:
        return f"<TensorMap of {self.size}>"

    def _find(self, known: Hashable) -> tuple[int, tuple[Entry, ...], int | None]:
        at = hash(known) % len(self._buckets)
        bucket: tuple[Entry, ...] = self._buckets[at] or ()
        place = next((i for i, entry in enumerate(bucket) if entry[1] == known), None)
        return at, bucket, place

    def __contains__(self, key: Any) -> bool:
        return self._find(_comparable(key))[2] is not None

    def get(self, key: Any) -> Any:
        """Return the value of `key`, None if there is none."""
        _, bucket, place = self._find(_comparable(key))
        return None if place is None else bucket[place][3]

    def insert(self, key: Any, value: Any) -> TensorMap:
        """Return the map with `value` for `key`, whether it was there or not."""
        known = _comparable(key)
        at, bucket, place = self._find(known)
        if place is not None:
            changed = (*bucket[:place], (bucket[place][0], known, key, value), *bucket[place + 1 :])
            return TensorMap(self._buckets.set(at, changed), self.size, self._serial)
        if self.size >= 2 * len(self._buckets):
            return self._spread().insert(key, value)
        grown = (*bucket, (self._serial, known, key, value))
        return TensorMap(self._buckets.set(at, grown), self.size + 1, self._serial + 1)

    def _spread(self) -> TensorMap:
        count = 8 * len(self._buckets)
        buckets: list[Any] = [None] * count
        for entry in self._entries():
            at = hash(entry[1]) % count
            buckets[at] = (*(buckets[at] or ()), entry)
        return TensorMap(PersistentVector(buckets), self.size, self._serial)

    def erase(self, key: Any) -> TensorMap:
        """Return the map without `key`, which it must hold."""
        at, bucket, place = self._find(_comparable(key))
        assert place is not None
        rest = (*bucket[:place], *bucket[place + 1 :])
        return TensorMap(self._buckets.set(at, rest or None), self.size - 1, self._serial)

    def _entries(self) -> list[Entry]:
        entries = [entry for bucket in self._buckets.present() for entry in bucket]
        entries.sort(key=lambda entry: entry[0])
        return entries

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Yield keys and values, those first that were inserted first."""
        for _, _, key, value in self._entries():
            yield key, value

    def zeros_like(self) -> TensorMap:
        """Return an empty map, which adds nothing."""
        return TensorMap()

    def __add__(self, other: TensorMap) -> TensorMap:
        """Return the map of all keys; values that both have are added."""
        result = self
        for key, value in other.items():
            mine = self.get(key)
            result = result.insert(key, value if mine is None else elements.add(value, mine))
        return result
