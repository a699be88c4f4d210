"""When a hook acts: every so many seconds or steps.

Source: tensorflow/python/training/basic_session_run_hooks.py (rules and messages).
"""

from __future__ import annotations

import time
from typing import Any


class SecondOrStepTimer:
    """Says when `every_secs` seconds or `every_steps` steps have gone by.

    Raises: ValueError unless exactly one is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Forget when it last triggered."""
        self._last_triggered_step: Any = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: Any) -> bool:
        """Whether it is time at this step: the first time always, never twice at one step."""
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return bool(step >= self._last_triggered_step + self._every_steps)

    def update_last_triggered_step(self, step: Any) -> tuple[float | None, Any]:
        """Note that it triggered at this step; return seconds and steps since the last time, None the first time."""
        now = time.time()
        elapsed: tuple[float | None, Any] = (None, None)
        if self._last_triggered_time is not None:
            elapsed = (now - self._last_triggered_time, step - self._last_triggered_step)
        self._last_triggered_time = now
        self._last_triggered_step = step
        return elapsed

    def last_triggered_step(self) -> Any:
        """Return the step at which it last triggered, None if it has not."""
        return self._last_triggered_step


class NeverTriggerTimer(SecondOrStepTimer):
    """Never says that it is time."""

    def __init__(self) -> None:
        super().__init__(every_steps=1)

    def should_trigger_for_step(self, step: Any) -> bool:
        return False

    def update_last_triggered_step(self, step: Any) -> tuple[float | None, Any]:
        return None, None
