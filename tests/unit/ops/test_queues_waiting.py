"""Queues between threads, within one run, in loops and functions: who waits, in which order, and what ends it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.lib.control_flow_toggles import disable_control_flow_v2, enable_control_flow_v2
from icefloe.lib.defun import Defun
from icefloe.proto import RunOptions
from icefloe.resources.queue import Queue
from icefloe.session import Config, Session


@pytest.fixture
def graph() -> Iterator[Graph]:
    made = Graph()
    with made.as_default():
        yield made


class Background:
    """A call in another thread. `result` or `error` are there after `join`."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: Exception | None = None
        self.call = call
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.result = self.call()
        except Exception as error:
            self.error = error

    def join(self) -> Background:
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self


def resource(session: Session) -> Queue:
    (found,) = session._manager.resources(Queue)
    return found


def until_waiting(session: Session, enqueues: int = 0, dequeues: int = 0) -> None:
    """Wait until so many attempts stand in the lines of the session's queue."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        queues = session._manager.resources(Queue)
        if queues and [len(line) for line in queues[0]._lines] == [enqueues, dequeues]:
            return
        time.sleep(0.0005)
    raise AssertionError("nothing waits")


def test_an_enqueue_waits_for_room(graph: Graph) -> None:
    q = tf.FIFOQueue(2, tf.float32, [[]])
    put, take, size = q.enqueue_many([np.float32([1, 2, 3, 4, 5])]), q.dequeue(), q.size()
    with Session() as s:
        background = Background(lambda: s.run(put))
        until_waiting(s, enqueues=1)
        assert s.run(size) == 2
        assert [s.run(take) for _ in range(3)] == [1, 2, 3]
        background.join()
        assert background.error is None
        assert [s.run(take) for _ in range(2)] == [4, 5]


def test_dequeues_are_served_in_order(graph: Graph) -> None:
    """A dequeue of three that has two lets none of one pass."""
    q = tf.FIFOQueue(9, tf.float32, [[]])
    x = tf.placeholder(tf.float32, [None])
    put, one, three = q.enqueue_many([x]), q.dequeue(), q.dequeue_many(3)
    with Session() as s:
        first = Background(lambda: s.run(three))
        until_waiting(s, dequeues=1)
        second = Background(lambda: s.run(one))
        until_waiting(s, dequeues=2)
        s.run(put, {x: [1, 2]})
        until_waiting(s, dequeues=2)
        s.run(put, {x: [3, 4]})
        assert first.join().result.tolist() == [1, 2, 3]
        assert second.join().result == 4


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_close_waits_behind_enqueues(graph: Graph, engine: str) -> None:
    q = tf.FIFOQueue(1, tf.float32, [[]])
    put, take, rest = q.enqueue_many([np.float32([1, 2])]), q.dequeue(), q.dequeue_up_to(9)
    close, closed, late = q.close(), q.is_closed(), q.enqueue([9.0])
    with Session(config=Config(engine=engine)) as s:
        first = Background(lambda: s.run(put))
        until_waiting(s, enqueues=1)
        second = Background(lambda: s.run(close))
        until_waiting(s, enqueues=2)
        third = Background(lambda: s.run(late))
        until_waiting(s, enqueues=3)
        assert not s.run(closed)
        assert s.run(take) == 1
        assert first.join().error is second.join().error is None
        assert isinstance(third.join().error, errors.CancelledError)
        assert str(third.error.message) == "FIFOQueue '_0_fifo_queue' is closed."  # type: ignore[union-attr]
        assert s.run(closed) and s.run(rest).tolist() == [2]


def test_close_that_cancels(graph: Graph) -> None:
    q = tf.FIFOQueue(1, tf.float32, [[]])
    put, take = q.enqueue_many([np.float32([1, 2])]), q.dequeue()
    close, cancel = q.close(), q.close(cancel_pending_enqueues=True)
    with Session() as s:
        waiting = [Background(lambda: s.run(put))]
        until_waiting(s, enqueues=1)
        waiting.append(Background(lambda: s.run(close)))
        until_waiting(s, enqueues=2)
        s.run(cancel)
        for background in waiting:
            error = background.join().error
            assert isinstance(error, errors.CancelledError)
            assert error.message == "Enqueue operation was cancelled"
        assert s.run(take) == 1  # what was in stays
        with pytest.raises(errors.OutOfRangeError, match=r"insufficient elements \(requested 1, current size 0\)"):
            s.run(take)


def test_close_ends_dequeues_and_puts_back(graph: Graph) -> None:
    q = tf.FIFOQueue(9, tf.float32, [[]])
    put, four, rest, close = q.enqueue_many([np.float32([1, 2, 3])]), q.dequeue_many(4), q.dequeue_up_to(9), q.close()
    with Session() as s:
        background = Background(lambda: s.run(four))
        until_waiting(s, dequeues=1)
        s.run(put)
        s.run(close)
        error = background.join().error
        assert isinstance(error, errors.OutOfRangeError)
        assert error.message == (
            "FIFOQueue '_0_fifo_queue' is closed and has insufficient elements (requested 1, current size 0)"
        )
        assert s.run(rest).tolist() == [1, 2, 3]


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_a_deadline_loses_nothing(graph: Graph, engine: str) -> None:
    q = tf.FIFOQueue(9, tf.float32, [[]])
    put, five, all_ = q.enqueue_many([np.float32([1, 2, 3])]), q.dequeue_many(5), q.dequeue_many(3)
    with Session(config=Config(engine=engine)) as s:
        s.run(put)
        for _ in range(5):
            with pytest.raises(errors.DeadlineExceededError, match="Timed out"):
                s.run(five, options=RunOptions(timeout_in_ms=2))
        assert all(not line for line in resource(s)._lines)
        assert s.run(all_).tolist() == [1, 2, 3]


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_closing_the_session_wakes_all(graph: Graph, engine: str) -> None:
    q = tf.FIFOQueue(1, tf.float32, [[]])
    take, put = q.dequeue_many(2), q.enqueue_many([np.float32([1, 2, 3])])
    s = Session(config=Config(engine=engine))
    background = [Background(lambda: s.run(take))]
    until_waiting(s, dequeues=1)
    s.close()
    other = Session(config=Config(engine=engine))
    background.append(Background(lambda: other.run(put)))
    until_waiting(other, enqueues=1)
    other.close()
    for b, what in zip(background, ("Dequeue", "Enqueue")):
        error = b.join().error
        assert isinstance(error, errors.CancelledError)
        assert error.message == f"{what} operation was cancelled"
        assert error.node is not None and error.node.startswith("fifo_queue")


def test_a_failing_step_gives_up_what_waits(graph: Graph) -> None:
    q = tf.FIFOQueue(1, tf.float32, [[]])
    x = tf.placeholder(tf.float32, [])
    fetches = [q.dequeue(), tf.check_numerics(x, "bad"), q.dequeue()]
    with Session() as s:
        with pytest.raises(errors.InvalidArgumentError, match="bad"):
            s.run(fetches, {x: np.nan})
        assert all(not line for line in resource(s)._lines)


def test_many_threads(graph: Graph) -> None:
    q = tf.FIFOQueue(3, [tf.int64, tf.string], [[], [2]])
    x = tf.placeholder(tf.int64, [])
    put = q.enqueue([x, [["a", "b"]][0]])
    many = q.enqueue_many([tf.stack([x, x, x]), [["a", "b"]] * 3])
    take, batch = q.dequeue()[0], q.dequeue_many(4)[0]
    found: list[int] = []
    with Session() as s:

        def produce(start: int) -> None:
            for i in range(start, start + 25):
                s.run(put, {x: i})
                s.run(many, {x: i})

        def consume() -> None:
            for _ in range(20):
                found.append(int(s.run(take)))
                found.extend(s.run(batch).tolist())

        threads = [Background(lambda i=i: produce(100 * i)) for i in range(4)]  # type: ignore[misc]
        threads += [Background(consume) for _ in range(4)]
        for thread in threads:
            assert thread.join().error is None
        assert s.run(q.size()) == 0
    assert sorted(found) == sorted(
        i for start in range(0, 400, 100) for i in range(start, start + 25) for _ in range(4)
    )


def test_what_is_in_is_its_own(graph: Graph) -> None:
    """Neither a fed array nor one that was fetched is the queue's."""
    q = tf.FIFOQueue(9, tf.float32, [[2]])
    x = tf.placeholder(tf.float32, [2])
    put, take = q.enqueue(x), q.dequeue()
    array = np.float32([1, 2])
    with Session() as s:
        for _ in range(60):  # also once the plan is compiled
            s.run(put, {x: array})
            array[:] = 7
            got = s.run(take)
            assert got.tolist() == [1, 2] and got.flags.writeable
            array[:] = [1, 2]


@pytest.fixture
def loops_of_v2() -> Iterator[None]:
    enable_control_flow_v2()
    yield
    disable_control_flow_v2()


def two_loops(q: Any, count: int) -> Any:
    """A loop that puts `count` numbers into a queue and one that takes them out and adds them up."""

    def put(i: Any) -> Any:
        with tf.control_dependencies([q.enqueue(i)]):
            return i + 1

    def take(i: Any, total: Any) -> Any:
        return i + 1, total * 2 + q.dequeue()

    def less(i: Any, *_: Any) -> Any:
        return i < count

    return tf.while_loop(less, put, [0]), tf.while_loop(less, take, [0, 0])[1]


def test_two_loops_joined_by_a_queue(graph: Graph) -> None:
    fetches = two_loops(tf.FIFOQueue(2, tf.int32, [[]]), 20)
    with Session() as s:
        assert list(s.run(fetches)) == [20, sum(i << (19 - i) for i in range(20))]


@pytest.mark.parametrize("limit", [1, 4])
def test_a_loop_runs_ahead_no_further_than_it_may(graph: Graph, limit: int) -> None:
    """The counter does not wait for the queue, what comes of it does; `parallel_iterations` says how many may be begun."""
    q = tf.FIFOQueue(100, tf.int32, [[]])
    put = q.enqueue_many([np.arange(30, dtype=np.int32)])

    def take(i: Any, total: Any) -> Any:
        return i + 1, total + q.dequeue()

    loop = tf.while_loop(lambda i, total: i < 30, take, [0, 0], parallel_iterations=limit)
    with Session() as s:
        background = Background(lambda: s.run(loop))
        until_waiting(s, dequeues=limit)
        s.run(put)
        assert list(background.join().result) == [30, sum(range(30))]


@pytest.mark.usefixtures("loops_of_v2")
def test_two_loops_of_functions_joined_by_a_queue(graph: Graph) -> None:
    """Each is one node that calls functions; these wait for each other."""
    fetches = two_loops(tf.FIFOQueue(2, tf.int32, [[]]), 20)
    with Session() as s:
        for _ in range(3):
            assert list(s.run(fetches)) == [20, sum(i << (19 - i) for i in range(20))]


def test_functions_that_wait_for_each_other(graph: Graph) -> None:
    q = tf.FIFOQueue(1, tf.float32, [[]], shared_name="q")

    @Defun(tf.float32)
    def put(x: Any) -> Any:
        inner = tf.FIFOQueue(1, tf.float32, [[]], shared_name="q")
        with tf.control_dependencies([inner.enqueue_many([tf.stack([x, x, x])])]):
            return tf.identity(x)

    @Defun()
    def take() -> Any:
        return tf.FIFOQueue(1, tf.float32, [[]], shared_name="q").dequeue_many(3)

    fetches = [take(), put(4.0), q.size()]
    failing = [take(), tf.check_numerics(tf.constant(np.nan), "bad")]
    with Session() as s:
        taken, given, _ = s.run(fetches)
        assert taken.tolist() == [4, 4, 4] and given == 4
        with pytest.raises(errors.InvalidArgumentError, match="bad"):
            s.run(failing)
        end = time.monotonic() + 20
        while any(resource(s)._lines) and time.monotonic() < end:  # the call gives up in its own thread
            time.sleep(0.001)
        assert not any(resource(s)._lines)
        with pytest.raises(errors.DeadlineExceededError):
            s.run(fetches[0], options=RunOptions(timeout_in_ms=5))


def test_closing_the_session_wakes_functions(graph: Graph) -> None:
    @Defun()
    def take() -> Any:
        return tf.FIFOQueue(1, tf.float32, [[]], shared_name="q").dequeue_many(3)

    fetches = [take(), take()]
    s = Session()
    background = Background(lambda: s.run(fetches))
    until_waiting(s, dequeues=2)
    s.close()
    assert isinstance(background.join().error, errors.CancelledError)


def test_partial_run(graph: Graph) -> None:
    """The first call returns while a dequeue waits for what the second feeds."""
    q = tf.FIFOQueue(1, tf.float32, [[]])
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    taken, put, twice = q.dequeue() + x, q.enqueue(y), x * 2
    with Session() as s:
        h = s.partial_run_setup([taken, put, twice], [x, y])
        assert s.partial_run(h, twice, {x: 3}) == 6
        assert s.partial_run(h, [taken, put], {y: 10}) == [13, None]
        h = s.partial_run_setup([taken, twice], [x])
        assert s.partial_run(h, twice, {x: 3}) == 6
        del h
        assert not any(resource(s)._lines)


def test_training_from_a_queue_is_compiled(graph: Graph) -> None:
    """One step that waits does not keep a run off the fast engines."""
    q = tf.FIFOQueue(100, tf.float32, [[2]])
    put, x = q.enqueue_many([np.ones((60, 2), np.float32)]), q.dequeue()
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    step = tf.assign_add(w, x * 0.5)
    with Session() as s:
        s.run([tf.global_variables_initializer(), put])
        for _ in range(59):
            s.run(step)
        assert s.run(step).tolist() == [30, 30]
        assert any(program._compiled is not None for program, _ in s._programs._entries.values())
