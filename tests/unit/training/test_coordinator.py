"""Coordinator and LooperThread: who stops, when, and what is raised where."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

import icefloe as tf
from icefloe import errors
from icefloe.train import Coordinator, LooperThread


def started(target: Any, *args: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


def test_stop() -> None:
    coord = Coordinator()
    assert not coord.should_stop() and not coord.joined
    assert not coord.wait_for_stop(0.001)
    coord.request_stop()
    assert coord.should_stop() and coord.wait_for_stop(5)
    coord.clear_stop()
    assert not coord.should_stop()


def test_join_waits_for_threads() -> None:
    coord = Coordinator()
    done: list[int] = []

    def work(i: int) -> None:
        coord.wait_for_stop()
        done.append(i)

    coord.register_thread(started(work, 1))
    other = started(work, 2)
    coord.request_stop()
    coord.join([other])
    assert sorted(done) == [1, 2] and coord.joined


def test_join_when_all_end_by_themselves() -> None:
    coord = Coordinator()
    coord.join([started(lambda: None) for _ in range(3)])
    assert coord.joined and not coord.should_stop()


def test_join_raises_what_was_reported_first() -> None:
    coord = Coordinator()

    def work() -> None:
        with coord.stop_on_exception():
            raise ValueError("first")

    thread = started(work)
    thread.join()
    coord.request_stop(RuntimeError("second"))
    with pytest.raises(ValueError, match="first"):
        coord.raise_requested_exception()
    with pytest.raises(ValueError, match="first"):
        coord.join([thread])
    # Nobody joins any more: what comes now is raised where it is reported.
    with pytest.raises(RuntimeError, match="late"):
        coord.request_stop(RuntimeError("late"))
    coord.clear_stop()
    coord.raise_requested_exception()


@pytest.mark.parametrize("reported", ["exception", "exc_info"])
def test_reports(reported: str) -> None:
    coord = Coordinator()
    try:
        raise KeyError("x")
    except KeyError as error:
        coord.request_stop(sys.exc_info() if reported == "exc_info" else error)
    with pytest.raises(KeyError, match="x"):
        coord.join()


def test_what_is_no_exception() -> None:
    coord = Coordinator()
    coord.request_stop("a text")
    with pytest.raises(
        ValueError, match="ex must be a tuple or sys.exc_info must return the current exception: a text"
    ):
        coord.join()


def test_clean_stops() -> None:
    coord = Coordinator()
    coord.request_stop(errors.OutOfRangeError("end"))
    coord.join()
    coord = Coordinator(clean_stop_exception_types=(errors.CancelledError, KeyError))
    coord.request_stop(KeyError("x"))
    coord.join()
    coord = Coordinator(clean_stop_exception_types=())
    coord.request_stop(errors.OutOfRangeError("end"))
    with pytest.raises(errors.OutOfRangeError, match="end"):
        coord.join()


def test_threads_that_go_on() -> None:
    coord = Coordinator()
    go = threading.Event()
    thread = threading.Thread(target=go.wait, daemon=True, name="slow")
    thread.start()
    coord.register_thread(thread)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="Coordinator stopped with threads still running: slow"):
        coord.join(stop_grace_period_secs=0.01)
    coord.clear_stop()
    coord.register_thread(thread)
    coord.request_stop()
    coord.join(stop_grace_period_secs=0.01, ignore_live_threads=True)
    go.set()
    thread.join()


def test_looper() -> None:
    coord = Coordinator()
    calls: list[tuple[Any, ...]] = []
    enough = threading.Event()

    def target(*args: Any, **kwargs: Any) -> None:
        calls.append((args, kwargs))
        if len(calls) >= 3:
            enough.set()

    looper = LooperThread.loop(coord, 0.001, target, args=(1,), kwargs={"x": 2})
    assert looper.daemon
    enough.wait(10)
    coord.request_stop()
    coord.join()
    assert calls[:3] == [((1,), {"x": 2})] * 3


def test_looper_of_a_subclass() -> None:
    coord = Coordinator()
    seen: list[str] = []

    class Loop(LooperThread):
        def start_loop(self) -> None:
            seen.append("start")

        def run_loop(self) -> None:
            seen.append("run")
            if len(seen) == 3:
                coord.request_stop()

        def stop_loop(self) -> None:
            seen.append("stop")

    Loop(coord, None).start()
    coord.join()
    assert seen == ["start", "run", "run", "stop"]


def test_looper_reports() -> None:
    coord = Coordinator()

    def target() -> None:
        raise ValueError("no")

    LooperThread.loop(coord, None, target)
    with pytest.raises(ValueError, match="no"):
        coord.join()


def test_looper_refuses() -> None:
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator"):
        LooperThread(None, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="require that you also pass 'target'"):
        LooperThread(Coordinator(), 1, args=(1,))
    assert tf.train.LooperThread is LooperThread
