"""A bounded cache of what was made from a request, dropping what was used longest ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """Holds at most `capacity` entries and a total weight of at most `weight`; one entry always fits.

    Looking up takes no lock; making an entry does, so that threads that ask for the same make it once.
    """

    def __init__(self, capacity: int, weight: int) -> None:
        self._entries: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._capacity = capacity
        self._weight = weight
        self._held = 0
        self._lock = RLock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable, make: Callable[[], T], weigh: Callable[[T], int]) -> T:
        """Return the entry of `key`, made and weighed if there is none."""
        known = self._entries.get(key)
        if known is None:
            return self._made(key, make, weigh)
        try:
            self._entries.move_to_end(key)
        except KeyError:  # another thread has dropped it meanwhile
            return known[0]
        self.hits += 1
        return known[0]

    def _made(self, key: Hashable, make: Callable[[], T], weigh: Callable[[T], int]) -> T:
        with self._lock:
            known = self._entries.get(key)
            if known is not None:
                return known[0]
            self.misses += 1
            made = make()
            weight = weigh(made)
            self._entries[key] = made, weight
            self._held += weight
            while len(self._entries) > 1 and (len(self._entries) > self._capacity or self._held > self._weight):
                _, (_, dropped) = self._entries.popitem(last=False)
                self._held -= dropped
            return made

    def entries(self) -> list[T]:
        """Return what it holds, that used longest ago first."""
        with self._lock:
            return [made for made, _ in self._entries.values()]

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._entries.clear()
            self._held = 0
