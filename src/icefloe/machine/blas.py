"""Hold the BLAS that numpy calls to one thread per call: `icefloe.machine.threads` shares the work out instead.

The threads of OpenBLAS wait busily. Where other processes want the cores, a product that takes 1 ms on one thread was
seen to take 15 ms on two; and threads of ours that call BLAS side by side would each wake all of its own.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from icefloe.machine import memory


class _Held(threading.local):
    """depth: how often the calling thread is in `alone`."""

    depth = 0


HELD = _Held()


class _Alone:
    """A context that threads may be in at once: the first to enter takes BLAS's threads, the last to leave gives them
    back. A thread that is in it already enters again at little cost.

    entered: how often a thread has entered that was not in it.
    """

    def __init__(self) -> None:
        self.entered = 0
        self._lock = threading.Lock()
        self._users = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        HELD.depth += 1
        if HELD.depth > 1:
            return
        with self._lock:
            self.entered += 1
            self._users += 1
            if self._users == 1:
                self._before = [get() for get, _ in _libraries()]
                for _, limit in _libraries():
                    limit(1)
                memory.keep()  # who multiplies large matrices has large arrays

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        HELD.depth -= 1
        if HELD.depth:
            return
        with self._lock:
            self._users -= 1
            if not self._users:
                for (_, limit), count in zip(_libraries(), self._before):
                    limit(count)

    def begin_in_child(self) -> None:
        """Forget the threads that a child process does not have."""
        self._lock = threading.Lock()
        if self._users and not HELD.depth:
            for (_, limit), count in zip(_libraries(), self._before):
                limit(count)
        self._users = 1 if HELD.depth else 0


alone = _Alone()
os.register_at_fork(after_in_child=alone.begin_in_child)


def stay_alone() -> None:
    """Say that the calling thread only ever calls BLAS while another is in `alone` and waits for it."""
    HELD.depth += 1


@functools.cache
def _libraries() -> tuple[tuple[Callable[[], int], Callable[[int], Any]], ...]:
    """Return (get, set) of the number of threads of each OpenBLAS that is loaded when first asked for: numpy's is.

    threadpoolctl's own way to set it is not used: it obeys one thread of a process alone.
    """
    import threadpoolctl

    found = []
    for info in threadpoolctl.threadpool_info():
        if info["internal_api"] == "openblas" and info.get("threading_layer") == "pthreads":
            library = ctypes.CDLL(info["filepath"])
            for prefix, suffix in itertools.product(("scipy_", ""), ("64_", "")):
                limit = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
                get = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
                if limit is not None and get is not None:
                    found.append((get, limit))
                    break
    return tuple(found)


def is_alone() -> bool:
    """Whether BLAS can be held to one thread here: an OpenBLAS with threads of its own."""
    return bool(_libraries())
