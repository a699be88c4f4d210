"""A binary heap that keeps equal keys in the order of the C++ library TensorFlow is built with.

Which of several elements of one priority comes out first depends on how elements sink and rise. Here, as there, the
hole at the top sinks to the bottom along the smaller children (the right one of two that are equal), and what was last
rises from there.

Source: libstdc++ bits/stl_heap.h (std::push_heap, std::pop_heap).
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")
Entry = tuple[int, T]


def push_heap(heap: list[Entry[T]], entry: Entry[T]) -> None:
    """Put an entry in."""
    heap.append(entry)
    _rise(heap, len(heap) - 1, entry)


def pop_heap(heap: list[Entry[T]]) -> Entry[T]:
    """Take an entry with the lowest key out."""
    last = heap.pop()
    if not heap:
        return last
    top, size = heap[0], len(heap)
    hole, child = 0, 2
    while child < size:
        if heap[child][0] > heap[child - 1][0]:
            child -= 1
        heap[hole] = heap[child]
        hole, child = child, 2 * child + 2
    if child == size:
        heap[hole] = heap[child - 1]
        hole = child - 1
    _rise(heap, hole, last)
    return top


def _rise(heap: list[Entry[T]], hole: int, entry: Entry[T]) -> None:
    while hole:
        parent = (hole - 1) // 2
        if heap[parent][0] <= entry[0]:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = entry
