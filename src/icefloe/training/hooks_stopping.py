"""Hooks that say when to stop, when to begin, and what to do at the end.

Source: tensorflow/python/training/basic_session_run_hooks.py (rules and messages).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.lib import messages
from icefloe.training.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from icefloe.training.step_reading import step_to_read


def check_stop_arguments(num_steps: int | None, last_step: int | None) -> None:
    """Raises: ValueError unless exactly one is given."""
    if num_steps is None and last_step is None:
        raise ValueError("One of num_steps or last_step must be specified.")
    if num_steps is not None and last_step is not None:
        raise ValueError("Only one of num_steps or last_step can be specified.")


class StopAtStepHook(SessionRunHook):
    """Requests a stop after `num_steps` steps, or once the global step is `last_step`.

    Raises: ValueError unless exactly one is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        check_stop_arguments(num_steps, last_step)
        self._num_steps = num_steps
        self._last_step: Any = last_step

    def begin(self) -> None:
        """Raises: RuntimeError if the graph has no global step."""
        self._global_step_tensor = step_to_read("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Count from the step the first session has."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Request a stop at the last step."""
        # What was fetched is the step before the run; it is read again before it ends the training.
        if run_values.results + 1 >= self._last_step:
            step = run_context.session.run(self._global_step_tensor)
            if step >= self._last_step:
                run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Raises, or requests a stop, when the loss is NaN.

    loss_tensor: a scalar. fail_on_nan_loss: raise, not only stop.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Raises: NanLossDuringTrainingError if the loss is NaN."""
        if np.isnan(run_values.results):
            message = "Model diverged with loss = NaN."
            if self._fail_on_nan_loss:
                messages.error(message)
                raise NanLossDuringTrainingError
            messages.warning(message)
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until the global step is `wait_until_step`, which others count up."""

    # Seconds from one look at the step to the next.
    pause = 0.5

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Raises: RuntimeError if the graph has no global step."""
        self._worker_is_started = False
        self._global_step_tensor = step_to_read("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Wait."""
        if self._worker_is_started:
            return
        if self._wait_until_step > 0:
            self._wait(run_context.session)
        self._worker_is_started = True

    def _wait(self, session: Any) -> None:
        messages.info("Waiting for global step %d before starting training.", self._wait_until_step)
        logged = 0
        while True:
            step = session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                return
            if step - logged > 1000:
                messages.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    step,
                )
                logged = step
            time.sleep(self.pause)


class FinalOpsHook(SessionRunHook):
    """Runs something at the end and keeps its values.

    final_ops: a tensor, or a list or dict of them. final_ops_feed_dict: what is fed.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, None before the end."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        """Run them. Raises: what that raises."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            messages.warning(
                "An OutOfRangeError or StopIteration exception is raised by the code in FinalOpsHook. This typically "
                "means the Ops running by the FinalOpsHook have a dependency back to some input source, which should "
                "not happen: they should read variables only, not another batch of an input that has ended."
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function returns: a dict of tensor -> value."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Call the function."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
