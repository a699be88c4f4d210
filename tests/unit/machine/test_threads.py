"""Work shared by threads: every part once, errors, nesting, forks."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from icefloe.machine import threads


@pytest.fixture(autouse=True)
def pool() -> None:
    """A pool that no busy machine has made reluctant yet."""
    threads._pools.clear()


@pytest.mark.parametrize("width", [1, 2, 5])
def test_each_part_is_done_once(width: int) -> None:
    seen: list[int] = []
    with threads.using(width):
        threads.share(100, seen.append)
    assert sorted(seen) == list(range(100))


def test_other_threads_take_part() -> None:
    seen = set()
    both = threading.Barrier(2, timeout=10)

    def part(i: int) -> None:
        both.wait()  # broken, and an error, where one thread does both parts
        seen.add(threading.get_ident())

    with threads.using(2):
        threads.share(2, part)
    assert len(seen) == 2


def test_after_a_long_wait_the_next_work_is_done_alone() -> None:
    def late(i: int) -> None:
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.05)

    helpers: list[bool] = []
    with threads.using(2):
        both = threading.Barrier(2, timeout=10)
        threads.share(2, late)
        rest = threads._pool()._alone
        assert rest == threads._SHORTEST_REST
        for _ in range(rest):
            threads.share(4, lambda i: helpers.append(threading.current_thread() is not threading.main_thread()))
        assert helpers == [False] * 4 * rest
        both.reset()
        threads.share(2, lambda i: both.wait())  # two threads again


def test_width() -> None:
    assert threads.width() == threads.cores() == len(os.sched_getaffinity(0))
    with threads.using(3):
        assert threads.width() == 3
        with threads.using(0):
            assert threads.width() == 3
    assert threads.width() == threads.cores()


def test_shared_work_shares_no_more() -> None:
    widths: list[int] = []
    inner: list[int] = []
    both = threading.Barrier(2, timeout=10)

    def part(i: int) -> None:
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            widths.append(threads.width())
            threads.share(3, inner.append)

    with threads.using(2):
        threads.share(2, part)
    assert widths == [1]
    assert sorted(inner) == [0, 1, 2]


def test_the_first_error_is_raised_when_all_is_done() -> None:
    def part(i: int) -> None:
        if i == 3:
            raise ValueError("part 3")

    for width in (1, 2):
        with threads.using(width), pytest.raises(ValueError, match="part 3"):
            threads.share(8, part)


def test_floating_point_errors_are_no_warnings() -> None:
    values = np.zeros(2, np.float32)

    def part(i: int) -> None:
        time.sleep(0.002)
        values[i] = np.float32(1) / values[i : i + 1][0]

    with threads.using(2), np.errstate(all="ignore"):
        threads.share(2, part)
    assert np.isinf(values).all()


def test_scratch_memory_is_of_its_thread() -> None:
    mine = threads.scratch(10, np.float32)
    assert mine.shape == (10,) and mine.dtype == np.float32
    assert np.shares_memory(mine, threads.scratch(3, np.float64))
    other: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: other.append(threads.scratch(10, np.float32)))
    thread.start()
    thread.join()
    assert not np.shares_memory(threads.scratch(10, np.float32), other[0])
    large = threads.scratch(64 << 20, np.uint8)
    assert large.size == 64 << 20
    assert not np.shares_memory(large, threads.scratch(1, np.uint8))


def test_a_child_process_makes_threads_of_its_own() -> None:
    with threads.using(2):
        threads.share(4, lambda i: None)
    child = os.fork()
    if not child:
        try:
            seen: list[int] = []
            with threads.using(2):
                threads.share(50, seen.append)
            os._exit(0 if sorted(seen) == list(range(50)) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
