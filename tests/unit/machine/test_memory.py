"""The memory that a process keeps for its next run, and that of large arrays."""

from __future__ import annotations

import gc
import mmap
import os
import platform
import subprocess
import sys
import weakref

import numpy as np
import pytest

import icefloe
from icefloe.machine import memory

# Frees what lies last on the heap, many times, and tells how many pages it had to ask for per round.
PROGRAM = """
import resource, sys
import numpy as np
from icefloe.machine import memory
if sys.argv[1] == "keep":
    print(memory.keep(), end=" ")
def turn():
    parts = [np.ones(1 << 19, np.float32) for _ in range(12)]
turn(); turn()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    turn()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)
"""


def _run(argument: str, **settings: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    command = [sys.executable, "-c", PROGRAM, argument]
    made = subprocess.run(command, env={**environment, **settings}, capture_output=True, text=True, check=True)
    return made.stdout.split()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc")
def test_pages_are_kept() -> None:
    (without,) = _run("leave")
    said, kept = _run("keep")
    assert said == "True"
    assert int(kept) < int(without) / 10


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc")
def test_settings_of_the_environment_stand() -> None:
    assert _run("keep", MALLOC_TRIM_THRESHOLD_="1000000")[0] == "False"


LARGE = (5 << 20) // 4 + 3  # float32 elements: more than from which on an array gets its own pages, no whole pages

huge_pages = pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="a system without huge pages")


@pytest.mark.parametrize("shape", [(), (0, 3), (7,), (LARGE,), (3, LARGE // 3), (LARGE, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.bool_, np.complex128, icefloe.bfloat16.numpy])
def test_arrays_to_fill(shape: tuple[int, ...], dtype: type) -> None:
    array = memory.empty(shape, np.dtype(dtype))
    assert array.shape == shape and array.dtype == dtype
    assert array.flags.c_contiguous and array.flags.writeable and array.flags.aligned
    assert memory.is_owner(array)
    array[...] = 1
    assert (array == 1).all()


def test_elements_that_are_objects() -> None:
    array = memory.empty((LARGE,), np.dtype(object))
    assert array[-1] is None and memory.is_owner(array)


@huge_pages
def test_large_arrays_begin_with_a_huge_page() -> None:
    assert memory.empty((LARGE,), np.dtype(np.float32)).ctypes.data % (2 << 20) == 0


def test_what_shares_memory_does_not_own_it() -> None:
    array = memory.empty((LARGE,), np.dtype(np.float32))
    for view in (array[1:], array.reshape(1, -1), array.view(np.uint8), array[::2][::2], np.asarray(memoryview(array))):
        assert not memory.is_owner(view)
    assert array[1:][1:].base is array
    assert memory.is_owner(array.copy())


@huge_pages
def test_memory_goes_with_the_last_view() -> None:
    array = memory.empty((LARGE,), np.dtype(np.float32))
    array[5] = 5
    view, pages = array[5:], weakref.ref(array.base)
    del array
    gc.collect()
    assert view[0] == 5 and pages() is not None
    del view
    gc.collect()
    assert pages() is None


def test_an_array_that_cannot_be() -> None:
    with pytest.raises(MemoryError, match="Unable to allocate"):
        memory.empty((1 << 50,), np.dtype(np.uint8))
    with pytest.raises(ValueError, match="array is too big"):
        memory.empty((1 << 40, 1 << 40), np.dtype(np.float32))
