"""`RunContext`: what a kernel registered as `per_run` may ask about the run it is in, and where a run sleeps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from icefloe import errors
from icefloe.runtime.observing import Observer

# Seconds that a lock may be asked to wait for.
_LONG = 3600.0


class Sleepers:
    """The runs of a session that sleep now. Closing the session wakes them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inboxes: set[SimpleQueue[Any]] = set()

    def add(self, inbox: SimpleQueue[Any]) -> None:
        with self._lock:
            self._inboxes.add(inbox)

    def remove(self, inbox: SimpleQueue[Any]) -> None:
        with self._lock:
            self._inboxes.discard(inbox)

    def wake(self) -> None:
        """Make every run that sleeps look whether it may go on."""
        with self._lock:
            for inbox in self._inboxes:
                inbox.put(None)


class RunContext:
    """One call of `run`, its inner function calls included.

    session: the session that runs, for kernels that run it again.
    deadline: when the run must end, by `time.monotonic`, or None. observer: called after each step, or None.
    """

    __slots__ = ("_is_cancelled", "_is_closed", "_parent", "_sleepers", "deadline", "observer", "session")

    def __init__(
        self,
        session: Any,
        is_closed: Callable[[], bool],
        deadline: float | None = None,
        sleepers: Sleepers | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.session = session
        self.deadline = deadline
        self.observer = observer
        self._is_closed = is_closed
        self._sleepers = sleepers or Sleepers()
        self._is_cancelled = False
        self._parent: RunContext | None = None

    def child(self) -> RunContext:
        """Return a context for a part of the run, which may be cancelled alone."""
        made = RunContext(self.session, self._is_closed, self.deadline, self._sleepers, self.observer)
        made._parent = self
        return made

    def evaluate(self, graph: Any, fetches: Any, manager: Any) -> list[Any]:
        """Return the values of tensors of another graph, as a part of this run, on the state in `manager`."""
        from icefloe.runtime.functions import evaluate

        return evaluate(graph, fetches, manager, self)

    def cancel(self) -> None:
        """Make what waits in this run, or this part of one, give up."""
        self._is_cancelled = True
        self._sleepers.wake()

    def check(self) -> None:
        """Do nothing while the run may go on. Kernels that take long call it now and then.

        Raises: DeadlineExceededError past the deadline, CancelledError once the session is closed or the run cancelled.
        """
        if self._is_closed():
            raise errors.CancelledError("Session was closed while the run was waiting")
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise errors.DeadlineExceededError("Timed out waiting for notification")
        part: RunContext | None = self
        while part is not None:
            if part._is_cancelled:
                raise errors.CancelledError("The run was cancelled: another of its steps has failed")
            part = part._parent

    def sleep(self, inbox: SimpleQueue[Any]) -> Any:
        """Return the next item of `inbox`, which is not None; sleep until there is one.

        Raises: as `check`, as soon as that does.
        """
        self._sleepers.add(inbox)
        try:
            while True:
                self.check()
                left = _LONG if self.deadline is None else min(_LONG, max(0.0, self.deadline - time.monotonic()))
                try:
                    item = inbox.get(timeout=left)
                except Empty:
                    continue
                if item is not None:
                    return item
        finally:
            self._sleepers.remove(inbox)
