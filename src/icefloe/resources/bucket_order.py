"""The order in which TensorFlow lists the keys of a mutable hash table, so that a saved table has the same bytes.

It is that of a `std::unordered_map` of GNU's C++ library. Its nodes are one linked list in which the keys of a bucket
stand together, a new bucket's keys in front of all others, a new key in front of its bucket's. When there are more keys
than buckets the list is gone through once and built anew with more buckets.

Keys that were removed may have left their mark on the order in TensorFlow; here they do not.

Source: the bucket counts were read off a program that fills such a map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

# Each is the first prime of the library's list that is at least twice the one before.
BUCKETS = (
    1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153,
    2938679, 5967347, 12117689, 24607243, 49969847, 101473717,
)  # fmt: skip

Groups = dict[int, list[Any]]


def _listed(groups: Groups) -> list[Any]:
    return [key for group in reversed(groups.values()) for key in reversed(group)]


def in_bucket_order(keys: Iterable[Any], hashed: Callable[[Any], int], held: int = 0) -> list[Any]:
    """Return `keys`, given in the order in which they were inserted, in the map's order.

    hashed: the hash of a key, 64 bits. held: how many keys the map held at once before, when it was cleared.
    """
    level = next((i for i, count in enumerate(BUCKETS) if count >= held), len(BUCKETS) - 1) if held else 0
    buckets = BUCKETS[level]
    limit = 0 if not level else buckets
    groups: Groups = {}
    for size, key in enumerate(keys, 1):
        if size > limit and level + 1 < len(BUCKETS):
            level += 1
            buckets = limit = BUCKETS[level]
            before, groups = _listed(groups), {}
            for known in before:
                groups.setdefault(hashed(known) % buckets, []).append(known)
        groups.setdefault(hashed(key) % buckets, []).append(key)
    return _listed(groups)
