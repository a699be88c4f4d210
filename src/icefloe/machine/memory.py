"""The memory of large arrays.

`keep`: glibc's `malloc` gives the memory of one run back to the system and asks for it anew in the next. A training
step of 25 ms was seen to spend 5 ms on pages that it had given back at its end. Whether it does depends on what happens
to lie at the end of the heap, and on the largest array freed so far.

`empty`: an array to be filled at once lies best on huge pages from its first byte to its last. numpy asks for huge
pages too, but `malloc` begins 16 bytes into one, so up to 4 MB of each array are small pages: reading 1 GB took
0.15 s with them and 0.09 s without.
"""

from __future__ import annotations

import ctypes
import functools
import math
import mmap
import os
import sys
from typing import Any

import numpy as np

# Parameters of `mallopt`, from glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

_KEPT_BYTES = 64 << 20  # free memory at the end of the heap that is not given back
_HEAP_BYTES = 32 << 20  # arrays up to this size lie on the heap; glibc allows no more

_OWN_SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")


@functools.cache
def keep() -> bool:
    """Let the process keep some 64 MB of freed memory from now on. Return whether that could be said.

    It cannot where the C library is another than glibc, nor is it where the environment has settings for `malloc`.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _OWN_SETTINGS):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)) and bool(mallopt(_MMAP_THRESHOLD, _HEAP_BYTES))


# Arrays from this size on get pages of their own.
_PAGED_FROM = 4 << 20
_HUGE_PAGE = 2 << 20  # of x86-64 and, with small pages of 4 KiB, of arm64
_MAX_SIZE = sys.maxsize - _HUGE_PAGE


class _Pages(mmap.mmap):
    """The memory of one array, which alone refers to it."""

    __slots__ = ()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an array of `shape` in C order, not initialized, that is about to be filled whole.

    Raises: as `numpy.empty`, so ValueError for a shape that it cannot hold and MemoryError.
    """
    size = math.prod(shape) * dtype.itemsize
    if size < _PAGED_FROM or size > _MAX_SIZE or dtype.hasobject or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.empty(shape, dtype)
    try:
        pages = _Pages(-1, size + _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        raise MemoryError(f"Unable to allocate {size} bytes for an array of shape {shape}") from None
    start = -np.frombuffer(pages, np.uint8).ctypes.data % _HUGE_PAGE
    end = start + size // _HUGE_PAGE * _HUGE_PAGE
    try:
        pages.madvise(mmap.MADV_HUGEPAGE, 0, end)
        # Else the last huge page would take the memory behind the array too.
        pages.madvise(mmap.MADV_NOHUGEPAGE, end)
    except OSError:  # the kernel was built without huge pages
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, pages, start)


def is_owner(array: np.ndarray[Any, Any]) -> bool:
    """Whether the memory of an array is its own: what else may share it is a view of this very array."""
    base = array.base
    return array.flags.owndata if base is None else isinstance(base, _Pages)
