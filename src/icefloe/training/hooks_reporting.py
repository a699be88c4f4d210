"""Hooks that tell how it goes: values in the log, steps per second, summaries, timelines.

Source: tensorflow/python/training/basic_session_run_hooks.py (rules and messages).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.graph.graph import get_default_graph
from icefloe.lib import messages
from icefloe.lib.files import GFile
from icefloe.lib.global_step import get_global_step
from icefloe.proto import RunOptions, SessionLog, Summary
from icefloe.runtime.chrome_trace import Timeline
from icefloe.training.file_writer import FileWriterCache
from icefloe.training.hooks_timing import NeverTriggerTimer, SecondOrStepTimer
from icefloe.training.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from icefloe.training.step_reading import step_to_read


class LoggingTensorHook(SessionRunHook):
    """Logs values at INFO every so many runs or seconds, or at the end.

    tensors: a dict of tag -> tensor or its name, or a list of tensors and names. every_n_iter, every_n_secs: how often.
    at_end: log at the end, too. formatter: makes the text of a dict of tag -> value.

    Raises: ValueError unless exactly one of `every_n_iter`, positive, and `every_n_secs` is given, or `at_end` alone.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tensors = tensors
            self._tag_order = sorted(tensors)
        else:
            self._tag_order = list(tensors)
            self._tensors = {item: item for item in self._tag_order}
        self._formatter = formatter
        self._timer = (
            NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )
        self._log_at_end = at_end

    def begin(self) -> None:
        """Find the tensors. Raises: KeyError, ValueError for what is not in the default graph."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _graph_element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetch the tensors if it is time."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Log them."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        """Log them at the end."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values: dict[Any, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                messages.info(self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tag_order)
            if seconds is None:
                messages.info("%s", text)
            else:
                messages.info("%s (%.3f sec)", text, seconds)


class StepCounterHook(SessionRunHook):
    """Logs the steps per second and writes them as a summary `global_step/sec`.

    every_n_steps, every_n_secs: how often. summary_writer, output_dir: where the summary goes; neither is nowhere.

    Raises: ValueError unless exactly one of `every_n_steps` and `every_n_secs` is given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step: Any = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Open the event file. Raises: RuntimeError if the graph has no global step."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = step_to_read("StepCounterHook")
        self._summary_tag = get_global_step().op.name + "/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Tell the steps per second if it is time; warn if the step stays the same."""
        stale = run_values.results
        if self._timer.should_trigger_for_step(stale + self._steps_per_run):
            # What was fetched is the step before the run.
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._log_and_record(steps, seconds, step)
        if stale == self._last_global_step:
            messages.log_first_n(
                messages.WARN,
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                5,
                stale,
                self._last_global_step,
            )
        self._last_global_step = stale

    def _log_and_record(self, elapsed_steps: Any, elapsed_time: float, global_step: Any) -> None:
        per_second = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = Summary(value=[Summary.Value(tag=self._summary_tag, simple_value=per_second)])
            self._summary_writer.add_summary(summary, global_step)
        messages.info("%s: %g", self._summary_tag, per_second)


class SummarySaverHook(SessionRunHook):
    """Writes summaries to an event file every so many steps or seconds.

    summary_op, scaffold: what gives the summaries, a tensor or a list of them; one of the two.
    save_steps, save_secs: how often, one of them. summary_writer, output_dir: where they go.

    Raises: ValueError unless one of each is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Open the event file. Raises: RuntimeError if the graph has no global step."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: Any = None
        self._global_step_tensor = step_to_read("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step, and the summaries if it is time."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests: dict[str, Any] = {"global_step": self._global_step_tensor}
        summaries = self._summaries() if self._request_summary else None
        if summaries is not None:
            requests["summary"] = summaries
        return SessionRunArgs(requests)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Write the summaries."""
        if not self._summary_writer:
            return
        step = run_values.results["global_step"] + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Flush the event file."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _summaries(self) -> list[Any] | None:
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if found is None or isinstance(found, list):
            return found
        return [found]


class ProfilerHook(SessionRunHook):
    """Writes what some runs took, as `timeline-<step>.json` for the trace viewer of Chrome, and to an event file.

    save_steps, save_secs: how often, one of them. output_dir: the current directory by default.
    show_dataflow: connect who makes a tensor and who takes it. show_memory: show how large tensors are.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Raises: RuntimeError if the graph has no global step."""
        self._next_step: Any = None
        self._global_step_tensor = step_to_read("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the global step; let the run be traced if it is time."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Write the timeline."""
        stale = run_values.results["global_step"]
        if self._next_step is None:
            # The first run is left out: plans are made in it.
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1

    def _save(self, step: Any, path: str, step_stats: Any) -> None:
        messages.info("Saving timeline for %d into '%s'.", step, path)
        trace = Timeline(step_stats).generate_chrome_trace_format(
            show_dataflow=self._show_dataflow, show_memory=self._show_memory
        )
        with GFile(path, "w") as file:
            file.write(trace)


def _graph_element(wanted: Any) -> Any:
    """Return a tensor or operation of the default graph by itself or its name; of an operation its one output.

    Raises: ValueError for one of another graph, or an operation of several outputs; KeyError for an unknown name.
    """
    graph = get_default_graph()
    if not isinstance(wanted, str):
        if not hasattr(wanted, "graph") or wanted.graph != graph:
            raise ValueError(f"Passed {wanted} should have graph attribute that is equal to current graph {graph}.")
        return wanted
    if ":" in wanted:
        return graph.as_graph_element(wanted)
    element = graph.as_graph_element(f"{wanted}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {wanted} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element
