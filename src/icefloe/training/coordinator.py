"""`Coordinator`: lets threads stop together, and tells who waits for them what went wrong.

Source: tensorflow/python/training/coordinator.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from icefloe import errors
from icefloe.lib.text import as_str_any

_LOG = logging.getLogger("icefloe")


class Coordinator:
    """A coordinator of threads.

    A thread looks at `should_stop` now and then; any thread calls `request_stop`; who started them calls `join`, which
    raises what was reported.
    """

    def __init__(self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None) -> None:
        """clean_stop_exception_types: exceptions that, when reported, just stop; OutOfRangeError where it is None."""
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._to_raise: BaseException | None = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop. ex: an exception to report, or what `sys.exc_info` gives; the first one counts.

        Raises: `ex` if `join` has returned; nobody else would get to know.
        """
        reported: Any = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if isinstance(reported, self._clean):
                reported = ex = None
            if self._joined and reported is not None:
                raise reported
            if self._stop_event.is_set():
                return
            if ex and self._to_raise is None:
                self._to_raise = _as_exception(ex)
                _LOG.info(
                    "Error reported to Coordinator: %s, %s", type(self._to_raise), as_str_any(str(self._to_raise))
                )
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Forget that a stop was asked for and what was reported, so that threads may be started again."""
        with self._lock:
            self._joined = False
            self._to_raise = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Return whether a stop was asked for."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Report what the block raises and go on behind it."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for, at most `timeout` seconds; return whether it was."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Let `join` wait for `thread` too."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until `threads` and those registered have ended.

        stop_grace_period_secs: how long they have after a stop was asked for. ignore_live_threads: do not mind those
        that go on longer.

        Raises: what was reported; RuntimeError for threads that go on longer.
        """
        with self._lock:
            waited_for = list(self._registered_threads.union(threads or ()))
        pause = 0.001
        while any(t.is_alive() for t in waited_for) and not self.wait_for_stop(pause):
            pause = min(2 * pause, 0.05)
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited_for:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        stragglers = [t.name for t in waited_for if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._to_raise is not None:
                raise self._to_raise
            if stragglers:
                text = f"Coordinator stopped with threads still running: {' '.join(stragglers)}"
                if not ignore_live_threads:
                    raise RuntimeError(text)
                _LOG.info(text)

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise what was reported, if anything was."""
        with self._lock:
            if self._to_raise is not None:
                raise self._to_raise


def _as_exception(reported: Any) -> BaseException:
    """Return the exception that was reported; if that is none, what is being handled, or a ValueError about it."""
    found = reported
    if isinstance(reported, tuple):
        found = reported[1] if len(reported) == 3 and reported[0] else None
    elif not isinstance(reported, BaseException):
        found = sys.exc_info()[1]
    if isinstance(found, BaseException):
        return found
    return ValueError(f"ex must be a tuple or sys.exc_info must return the current exception: {reported}")


class LooperThread(threading.Thread):
    """A thread that calls something again and again until its coordinator says stop."""

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """timer_interval_secs: from one call to the next; None to call at once. target: what to call, with `args` and
        `kwargs`; where it is None, `run_loop` says what to do.

        Raises: ValueError for no coordinator, and for arguments without a target.
        """
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")  # noqa: TRY004 (TensorFlow's class)
        if not target and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__()
        self.daemon = True
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._called = target
        self._called_with = tuple(args or ()), dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Return a thread that was started; the arguments are the constructor's."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Call `start_loop`, then `run_loop` again and again, then `stop_loop`; report what they raise."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                # Calls are due at fixed times, however long they take.
                due = time.time()
                while not self._coord.wait_for_stop(due - time.time()):
                    due += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Do what is to be done once in front."""

    def stop_loop(self) -> None:
        """Do what is to be done once at the end."""

    def run_loop(self) -> None:
        """Do what is to be done again and again: call the target."""
        if self._called:
            args, kwargs = self._called_with
            self._called(*args, **kwargs)
