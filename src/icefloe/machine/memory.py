"""Keep the memory of one run for the next: glibc's `malloc` gives it back to the system and asks for it anew.

A training step of 25 ms was seen to spend 5 ms on pages that it had given back at its end. Whether it does depends on
what happens to lie at the end of the heap, and on the largest array freed so far.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys

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
