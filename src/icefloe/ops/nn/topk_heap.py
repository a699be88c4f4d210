"""The order in which TensorFlow's search for the greatest elements leaves them where nobody asked to sort them.

It keeps a heap whose root is the least of those found. Registers nothing.
Source: tensorflow/core/lib/gtl/top_n.h (order), the C++ library's heaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Key = tuple[Any, int]  # (value, minus its index): of equal values the one with the lower index is the greater


def heap_order(row: Any, k: int) -> list[int]:
    """Return the indices of the `k` greatest elements of a vector, 0 < k < len(row), as the heap has them."""
    # Unordered until there is one too many.
    heap: list[Key] = [(value, -index) for index, value in enumerate(row[: k + 1].tolist())]
    for start in range((k + 1) // 2 - 1, -1, -1):
        _sink(heap, start, k + 1, heap[start])
    _drop_root(heap)
    heap.pop()
    start = k + 1
    while start < len(row):
        part = row[start : 2 * start]
        for place in np.flatnonzero(part > heap[0][0]).tolist():
            key = (part[place].item(), -(start + place))
            if key > heap[0]:
                _drop_root(heap)
                _rise(heap, k - 1, key)
        start *= 2
    return [-index for _, index in heap]


def _sink(heap: list[Key], hole: int, size: int, key: Key) -> None:
    """Put `key` where it belongs at or below `hole`: the hole goes all the way down, then the key rises."""
    top = hole
    while (child := 2 * hole + 2) < size:
        if heap[child - 1] < heap[child]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if child == size:
        heap[hole] = heap[child - 1]
        hole = child - 1
    _rise(heap, hole, key, top)


def _rise(heap: list[Key], hole: int, key: Key, top: int = 0) -> None:
    while hole > top and heap[(hole - 1) // 2] > key:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = key


def _drop_root(heap: list[Key]) -> None:
    """Bring the least to the end, out of the heap of the others."""
    last, heap[-1] = heap[-1], heap[0]
    _sink(heap, 0, len(heap) - 1, last)
