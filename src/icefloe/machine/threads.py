"""One pool of threads for all kernels: a large piece of work is cut into parts that the machine's cores share.

    threads.share(len(tiles), lambda i: work(tiles[i]))

The calling thread does parts too, and takes all of them where no other core comes by. Where it had to wait long for a
part that another thread had taken, because the machine is busy, it keeps its next pieces of work to itself. How many
threads take part is the number of cores the process may use, or what `using` says for the calling thread
(`Config.intra_op_parallelism_threads`). A part must spend its time in calls of numpy, which let go of the interpreter;
a part that calls `share` itself runs the parts of that in order.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine import blas

Array: TypeAlias = np.ndarray[Any, Any]

# Scratch memory that a thread keeps from one call to the next.
_MAX_SCRATCH_BYTES = 8 << 20

# Seconds that a thread waits for another without drawing conclusions, and how many jobs it then does alone.
_PATIENCE = 0.0003
_SHORTEST_REST = 8
_LONGEST_REST = 128


class _Local(threading.local):
    width = 0
    is_helper = False

    def __init__(self) -> None:
        self.scratch: Array = np.empty(0, np.uint8)


_local = _Local()


def cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def width() -> int:
    """Return how many threads may share the calling thread's work, at least 1."""
    if _local.is_helper:
        return 1
    return _local.width or _pool().cores


@contextlib.contextmanager
def using(count: int) -> Iterator[None]:
    """Let `count` threads share the calling thread's work inside a `with` block; 0 for as many as did outside."""
    before = _local.width
    _local.width = count or before
    try:
        yield
    finally:
        _local.width = before


def scratch(size: int, dtype: Any) -> Array:
    """Return `size` uninitialized elements that stay the calling thread's until its next call of this function."""
    dtype = np.dtype(dtype)
    wanted = size * dtype.itemsize
    if wanted > _MAX_SCRATCH_BYTES:
        return np.empty(size, dtype)
    if _local.scratch.nbytes < wanted:
        _local.scratch = np.empty(wanted, np.uint8)
    return _local.scratch[:wanted].view(dtype)


def share(count: int, part: Callable[[int], Any], *, large: bool = True) -> None:
    """Call `part` with each number below `count`, in no order, on up to `width()` threads; return when all are done.

    large: whether the work is worth waking other threads, which takes some 20 microseconds; else this one does it all.
    Raises: what a part raises first; parts not begun by then are left out.
    """
    helpers = min(width(), count) - 1 if large else 0
    if helpers < 1:
        for i in range(count):
            part(i)
        return
    _pool().run(_Job(count, part), helpers)


class _Job:
    """Parts that several threads take from. Each part is taken once; the last to end opens `ended`."""

    def __init__(self, count: int, part: Callable[[int], Any]) -> None:
        self.count = count
        self.part = part
        self.taken = itertools.count()
        self.done = itertools.count(1)
        self.error: BaseException | None = None
        self.ended = threading.Lock()
        self.ended.acquire()

    def work(self) -> None:
        """Take parts until none is left."""
        while (i := next(self.taken)) < self.count:
            if self.error is None:
                try:
                    self.part(i)
                except BaseException as error:  # the thread that shares the work raises it
                    self.error = self.error or error
            if next(self.done) == self.count:
                self.ended.release()


class _Pool:
    """Threads that wait for jobs. They are started when first needed and never end."""

    def __init__(self) -> None:
        self.cores = cores()
        # How many of the next jobs are to be done alone, and of how many that was said last.
        self._alone = 0
        self._rest = 0
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._started = 0
        self._lock = threading.Lock()

    def run(self, job: _Job, helpers: int) -> None:
        """Do a job with up to `helpers` threads of the pool, unless these were late with one of the last."""
        if self._alone > 0:
            self._alone -= 1
            helpers = 0
        if self._started < helpers:
            self._start(helpers)
        for _ in range(helpers):
            self._jobs.put(job)
        start = time.perf_counter()
        job.work()
        worked = time.perf_counter()
        job.ended.acquire()
        waited = time.perf_counter() - worked
        if waited > _PATIENCE and waited > (worked - start) / 2:
            self._rest = min(_LONGEST_REST, 2 * self._rest or _SHORTEST_REST)
            self._alone = self._rest
        elif helpers:
            self._rest = 0
        if job.error is not None:
            raise job.error

    def _start(self, helpers: int) -> None:
        with self._lock:
            while self._started < helpers:
                threading.Thread(target=self._help, name=f"icefloe-{self._started}", daemon=True).start()
                self._started += 1

    def _help(self) -> None:
        _local.is_helper = True
        blas.stay_alone()
        with np.errstate(all="ignore"):
            while True:
                self._jobs.get().work()


_pools: list[_Pool] = []


def _pool() -> _Pool:
    if not _pools:
        _pools.append(_Pool())
    return _pools[0]


# The threads of a pool do not live on in a child process.
os.register_at_fork(after_in_child=_pools.clear)
