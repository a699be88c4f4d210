"""The threads of a `Supervisor`: summaries, steps per second and checkpoints on a timer.

Source: tensorflow/python/training/supervisor.py.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from icefloe.lib import messages
from icefloe.lib.global_step import global_step
from icefloe.proto import SessionLog, Summary
from icefloe.training.coordinator import LooperThread

if TYPE_CHECKING:
    from icefloe.training.supervisor import Supervisor


class SVSummaryThread(LooperThread):
    """Writes the summaries every `save_summaries_secs` seconds."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Compute the summaries and write them."""
        step = None
        if self._sv.global_step is not None:
            summary, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summary = self._sess.run(self._sv.summary_op)
        if self._sv.summary_writer:
            messages.info("Recording summary at step %s.", step)
            self._sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(LooperThread):
    """Writes the steps per second every `save_summaries_secs` seconds. step_counter: the supervisor's if None."""

    def __init__(self, sv: Supervisor, sess: Any, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time = 0.0
        self._last_step = 0
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f"{self._step_counter.op.name}/sec"

    def start_loop(self) -> None:
        """Begin to count."""
        self._last_time = time.time()
        self._last_step = global_step(self._sess, self._step_counter)

    def run_loop(self) -> None:
        """Write how many steps were made since the last time."""
        step, now = global_step(self._sess, self._step_counter), time.time()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_step, self._last_time = step, now
        per_second = steps / seconds if seconds > 0 else math.inf
        summary = Summary(value=[Summary.Value(tag=self._summary_tag, simple_value=per_second)])
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(summary, step)
        messages.log_first_n(messages.INFO, "%s: %g", 10, self._summary_tag, per_second)


class SVTimerCheckpointThread(LooperThread):
    """Saves a checkpoint every `save_model_secs` seconds."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Save a checkpoint."""
        messages.info("Saving checkpoint to path %s", self._sv.save_path)
        self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path)
            self._sv.summary_writer.add_session_log(log, global_step(self._sess, self._sv.global_step))
