"""What steps wait for: listeners, attempts in line, giving up, also in the middle of another attempt."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from typing import Any

import pytest

from icefloe import errors
from icefloe.resources.heap import pop_heap, push_heap
from icefloe.resources.waiting import Arena, Attempt, Pending, Progress


def test_listeners() -> None:
    told: list[str] = []
    pending = Pending()
    pending.listen(lambda: told.append("before"))
    pending.end(3)
    pending.end(4)
    assert (told, pending.result) == (["before"], 3)
    pending.listen(lambda: told.append("after"))
    assert told == ["before", "after"]


def test_outcome() -> None:
    pending = Pending()
    steps = pending.outcome()
    assert next(steps) is pending and next(steps) is pending
    pending.end(3)
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value == 3
    failed = Pending()
    failed.end(error=KeyError("x"))
    with pytest.raises(KeyError):
        next(failed.outcome())


class Counter(Arena):
    """A number; attempts in line 0 raise it, those in line 1 wait until they can lower it."""

    def __init__(self, *, in_order: bool = True) -> None:
        super().__init__(("Give", "Take"), in_order=in_order)
        self.value = 0
        self.during: Callable[[], None] = lambda: None

    def give(self, n: int) -> Attempt:
        def step(attempt: Attempt) -> Progress:
            self.value += n
            self.during()
            attempt.end()
            return Progress.ENDED

        return self.submit(Attempt(self, 0, step))

    def take(self, n: int) -> Attempt:
        def step(attempt: Attempt) -> Progress:
            if n < 0:
                raise ValueError("negative")
            if self.value < n:
                return Progress.NONE
            self.value -= n
            attempt.end(n)
            return Progress.ENDED

        return self.submit(Attempt(self, 1, step))


def test_attempts_in_order() -> None:
    arena = Counter()
    five, one = arena.take(5), arena.take(1)
    arena.give(4)
    assert not five.done and not one.done
    arena.give(2)
    assert five.result == 5 and one.result == 1 and arena.value == 0


def test_attempts_in_any_order() -> None:
    arena = Counter(in_order=False)
    five, one = arena.take(5), arena.take(1)
    arena.give(4)
    assert not five.done and one.result == 1
    arena.give(2)
    assert five.result == 5


def test_an_error_ends_an_attempt_only() -> None:
    arena = Counter()
    bad, good = arena.take(-1), arena.take(1)
    assert isinstance(bad.error, ValueError)
    arena.give(1)
    assert good.done and good.error is None


def test_giving_up_lets_the_next_try() -> None:
    arena = Counter()
    arena.give(2)
    five, two = arena.take(5), arena.take(2)
    five.cancel()
    assert isinstance(five.error, errors.CancelledError)
    assert five.error.message == "Take operation was cancelled"
    assert two.result == 2
    two.cancel()  # has ended
    assert two.error is None


def test_closing_a_generator_gives_up() -> None:
    arena = Counter()
    attempt = arena.take(1)
    steps = attempt.outcome()
    next(steps)
    steps.close()
    assert isinstance(attempt.error, errors.CancelledError) and not any(arena._lines)


def test_close_gives_up_all() -> None:
    arena = Counter()
    attempts = [arena.take(1) for _ in range(3)]
    arena.close()
    assert all(isinstance(a.error, errors.CancelledError) for a in attempts) and not any(arena._lines)


def test_giving_up_in_the_middle_of_another_attempt() -> None:
    """As the cycle collector may, which runs wherever memory is asked for."""
    arena = Counter()
    waiting: Any = arena.take(9).outcome()
    next(waiting)
    cycle = [waiting]
    cycle.append(cycle)
    later = arena.take(1)
    del waiting

    def collect() -> None:
        nonlocal cycle
        cycle = []
        gc.collect()

    arena.during = collect
    arena.give(1)
    assert later.result == 1 and not any(arena._lines)


def test_heap() -> None:
    """Lowest keys first; entries of one key are not lost or doubled."""
    numbers = random.Random(0)
    heap: list[tuple[int, int]] = []
    inside: list[tuple[int, int]] = []
    for i in range(2000):
        if heap and numbers.random() < 0.45:
            entry = pop_heap(heap)
            assert entry[0] == min(inside)[0]
            inside.remove(entry)
        else:
            entry = (numbers.randrange(8), i)
            push_heap(heap, entry)
            inside.append(entry)
    assert sorted(heap) == sorted(inside)
