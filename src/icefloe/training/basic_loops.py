"""`basic_train_loop`: a step function called until a supervisor says stop.

Source: tensorflow/python/training/basic_loops.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import errors
from icefloe.training.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Call `train_step_fn(session, *args, **kwargs)` in a managed session until the supervisor says stop.

    After AbortedError, which says that a machine is gone, it begins anew. master: as of `Session`.
    """
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
        except errors.AbortedError:
            continue
        return
