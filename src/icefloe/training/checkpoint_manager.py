"""`CheckpointManager`: numbers the checkpoints of a `Checkpoint` and deletes old ones.

Source: tensorflow/python/checkpoint/checkpoint_management.py (names, rules and messages).
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.checkpoint import commit
from icefloe.lib import messages
from icefloe.lib.global_step import global_step
from icefloe.saver.retention import others_of
from icefloe.saver.save_names import step_number
from icefloe.saver.state import recorded_checkpoints, update_checkpoint_state
from icefloe.training.checkpoint import Checkpoint
from icefloe.training.checkpoint_options import CheckpointOptions
from icefloe.training.load_status import chosen_session


class CheckpointManager:
    """Saves checkpoints `directory/<checkpoint_name>-<number>` in the default session and keeps the newest.

    max_to_keep: how many; None for all. keep_checkpoint_every_n_hours: of those that would be deleted, one per so many
    hours is kept for good. step_counter, checkpoint_interval: save only where so many steps were made since the last
    time; last_checkpoint_step: the step to count from. init_fn: called by `restore_or_initialize` where there is no
    checkpoint. What the state file of the directory names is managed, too.

    Raises: ValueError for a `max_to_keep` below 1, and an interval without a counter.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        for name, value in (
            ("max_to_keep", max_to_keep),
            ("keep_checkpoint_every_n_hours", keep_checkpoint_every_n_hours),
        ):
            if value is not None and not isinstance(value, (int, float, np.number)):
                raise TypeError(f"{name}: expected a number or None, got {value!r}")
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep:d}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = os.fsdecode(directory)
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._init_fn = init_fn
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._last_checkpoint_step = last_checkpoint_step
        self._save_counter_assign: Any = None
        self._latest_checkpoint: str | None = None
        # Path -> when it was written, oldest first.
        self._managed: dict[str, float] = {}
        self._take_over()

    def _take_over(self) -> None:
        """Manage what the state file names."""
        now = time.time()
        state = recorded_checkpoints(self._directory)
        if state is None:
            # A little before now, so that a checkpoint written at once counts as newer.
            self._last_preserved = now - 1.0
            return
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved = state.last_preserved_timestamp
        if now < self._last_preserved:
            messages.warning(
                "time.time() returned a value %f seconds behind the last preserved checkpoint timestamp.",
                self._last_preserved - now,
            )
            self._last_preserved = now
        times = list(state.all_model_checkpoint_timestamps) or [self._last_preserved] * len(
            state.all_model_checkpoint_paths
        )
        for path, written in zip(state.all_model_checkpoint_paths, times, strict=False):
            # A file of the future would be kept for ever.
            written = min(written, now)
            if written > self._last_preserved:
                self._managed[path] = written

    @property
    def directory(self) -> str:
        """The directory of the checkpoints."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps are between two checkpoints."""
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint, None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are managed, oldest first; those kept for good are not."""
        return list(self._managed)

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def _prefix(self) -> str:
        return self._checkpoint_prefix

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Save a checkpoint in the default session, delete old ones and return its prefix.

        checkpoint_number: an integer, variable or tensor; the counter of saves if None. check_interval: save only if
        enough steps were made; None is returned where they were not.

        Raises: RuntimeError if there is no session.
        """
        session = chosen_session(None)
        if self._checkpoint_interval is not None:
            step = global_step(session, self._step_counter)
            last = self._last_checkpoint_step
            if last is not None and (step == last or (check_interval and step < last + self._checkpoint_interval)):
                return None
            self._last_checkpoint_step = step
        with session.graph.as_default():
            if self._checkpoint._save_counter is None:
                session.run(self._checkpoint.save_counter.initializer)
            counter = self._checkpoint.save_counter
            if self._save_counter_assign is None:
                self._save_counter_assign = counter.assign_add(1, read_value=False)
        session.run(self._save_counter_assign)
        number = step_number(session, counter if checkpoint_number is None else checkpoint_number, "checkpoint_number")
        options = CheckpointOptions() if options is None else copy.copy(options)
        options.experimental_write_callbacks = [*(options.experimental_write_callbacks or ()), self._record]
        return self._checkpoint._write(f"{self._checkpoint_prefix}-{number:d}", options=options)

    def _record(self, path: str) -> None:
        self._managed = {other: self._managed[other] for other in others_of(self._managed, path)}
        self._managed[path] = time.time()
        self._latest_checkpoint = path
        # First so that no file that is named is missing, should this be the last thing done.
        self._write_state()
        self._sweep()
        self._write_state()

    def _sweep(self) -> None:
        """Delete the oldest, or keep them for good."""
        while self._max_to_keep and len(self._managed) > self._max_to_keep:
            path = next(iter(self._managed))
            written = self._managed.pop(path)
            hours = self._keep_checkpoint_every_n_hours
            if hours and written - hours * 3600.0 >= self._last_preserved:
                self._last_preserved = written
            else:
                commit.delete_checkpoint(path)

    def _write_state(self) -> None:
        def shown(path: str) -> str:
            return os.path.relpath(path, self._directory) if os.path.isabs(path) else path

        update_checkpoint_state(
            self._directory,
            shown(self._latest_checkpoint or ""),
            [shown(path) for path in self._managed],
            all_model_checkpoint_timestamps=list(self._managed.values()),
            last_preserved_timestamp=self._last_preserved,
        )

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint in the default session and return its prefix; where there is none, call
        `init_fn`, if any.
        """
        if self._latest_checkpoint is not None:
            session = chosen_session(None)
            with session.graph.as_default():
                self._checkpoint.restore(self._latest_checkpoint).initialize_or_restore(session)
            if self._checkpoint_interval is not None:
                self._last_checkpoint_step = global_step(session, self._step_counter)
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
            messages.info("Customized initialization is done through the passed `init_fn`.")
        return None

    def sync(self) -> None:
        """Do nothing: what was saved is on the disk."""
