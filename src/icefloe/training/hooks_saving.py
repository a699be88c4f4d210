"""The hook that saves checkpoints, and what it tells of them.

Source: tensorflow/python/training/basic_session_run_hooks.py (rules and messages).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection
from icefloe.graph.graph import get_default_graph
from icefloe.lib import messages
from icefloe.meta_graph.export import create_meta_graph_def
from icefloe.proto import SessionLog
from icefloe.saver.meta_files import write_graph
from icefloe.training.file_writer import FileWriterCache
from icefloe.training.hooks_timing import SecondOrStepTimer
from icefloe.training.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from icefloe.training.step_reading import step_to_read


class CheckpointSaverListener:
    """What is called around each saving of a checkpoint; a subclass defines what it needs."""

    def begin(self) -> None:
        """Called once, before the session is made."""

    def before_save(self, session: Any, global_step_value: Any) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: Any) -> bool | None:
        """Called after a checkpoint was saved; return True to request a stop."""
        return None

    def end(self, session: Any, global_step_value: Any) -> None:
        """Called at the end, after the last saving."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the start, every so often and at the end.

    checkpoint_dir, checkpoint_basename: the prefix, to which the step is added. save_secs, save_steps: how often, one
    of them. saver, scaffold: what saves; neither is the Saver in the graph's collection. listeners: are called around
    each saving. save_graph_def: write `graph.pbtxt`, and a MetaGraphDef with each checkpoint.

    Raises: ValueError for both a saver and a scaffold, and unless one of `save_secs` and `save_steps` is given.
    """

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Iterable[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        messages.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or ())
        # A run may take many steps, so the step is read anew after each run before the timer is trusted.
        self._steps_per_run = 1000000
        self._save_graph_def = save_graph_def

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Open the event file. Raises: RuntimeError if the graph has no global step."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = step_to_read("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Write the graph and the first checkpoint."""
        step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        if self._save_graph_def:
            write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(
            create_meta_graph_def(graph_def=graph_def, saver_def=saver.saver_def if saver else None)
        )
        # What was restored is saved again, so that a listener sees it.
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Save a checkpoint if it is time."""
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        # What was fetched is the step before the run.
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save the last checkpoint, unless that has been done."""
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: Any) -> bool:
        """Save a checkpoint and return whether a listener asks for a stop."""
        messages.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        messages.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        messages.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                messages.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stop = True
        return stop

    def _get_saver(self) -> Any:
        """Return the Saver. Raises: RuntimeError if none was given and the collection has none or several."""
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or provide a saver "
                "or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it "
                "to the constructor."
            )
        self._saver = savers[0]
        return self._saver
