"""`RunContext`: what a kernel registered as `per_run` may ask about the run it is in."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from icefloe import errors


class RunContext:
    """One call of `run`, its inner function calls included.

    session: the session that runs, for kernels that run it again.
    deadline: when the run must end, by `time.monotonic`, or None.
    """

    __slots__ = ("_is_closed", "deadline", "session")

    def __init__(self, session: Any, is_closed: Callable[[], bool], deadline: float | None = None) -> None:
        self.session = session
        self.deadline = deadline
        self._is_closed = is_closed

    def check(self) -> None:
        """Do nothing while the run may go on. Kernels and engines that wait call it between two looks.

        Raises: DeadlineExceededError past the deadline, CancelledError once the session is closed.
        """
        if self._is_closed():
            raise errors.CancelledError("Session was closed while the run was waiting")
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise errors.DeadlineExceededError("Timed out waiting for notification")
