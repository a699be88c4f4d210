"""`Supervisor`: prepares a session, saves and writes summaries in the background, and stops what it started.

Source: tensorflow/python/training/supervisor.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from icefloe import datatypes
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import add_to_collection, get_collection
from icefloe.graph.graph import get_default_graph
from icefloe.lib import messages, summaries
from icefloe.lib.control import group
from icefloe.lib.global_step import global_step as step_of
from icefloe.lib.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from icefloe.meta_graph.export import create_meta_graph_def
from icefloe.proto import SessionLog
from icefloe.saver.meta_files import write_graph
from icefloe.saver.saver import Saver
from icefloe.training.coordinator import Coordinator, LooperThread
from icefloe.training.file_writer import FileWriter
from icefloe.training.session_manager import SessionManager
from icefloe.training.supervisor_services import SVStepCounterThread, SVSummaryThread, SVTimerCheckpointThread


class Supervisor:
    """Runs the services of a training.

    graph: the default graph if None; it is finalized. What is USE_DEFAULT is taken from the graph's collections, or
    made; None does without: ready_op, ready_for_local_init_op, init_op (fed `init_feed_dict`), local_init_op,
    summary_op, saver, global_step, summary_writer. is_chief: whether it initializes and saves; others wait for who
    does. logdir: where checkpoints (`checkpoint_basename`, every `save_model_secs` seconds) and summaries (every
    `save_summaries_secs`) go; 0 switches them off. recovery_wait_secs: from one look at a session to the next.
    stop_grace_secs: how long threads have to stop. session_manager: makes sessions in place of one of these arguments.
    init_fn: is called with a session that is being initialized. local_init_run_options: of `local_init_op`.

    Raises: ValueError if it is no chief and a variable has no device.
    """

    # Told from None, which does without.
    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: Any = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        graph = get_default_graph() if graph is None else graph
        with graph.as_default():
            self._ready_op = _chosen(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = _chosen(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = _chosen(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._init_feed_dict = init_feed_dict
            self._local_init_op = _chosen(local_init_op, GraphKeys.LOCAL_INIT_OP, _default_local_init_op)
            self._saver = _chosen(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
            self._summary_op = _chosen(summary_op, GraphKeys.SUMMARY_OP, summaries.merge_all)
            self._global_step = _chosen(global_step, GraphKeys.GLOBAL_STEP, _default_global_step)
        self._graph = graph
        self._meta_graph_def = create_meta_graph_def(
            graph_def=graph.as_graph_def(add_shapes=True),
            saver_def=self._saver.saver_def if self._saver else None,
        )
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer = None
        self._graph_added_to_summary = False
        if is_chief:
            if not _is_default(summary_writer):
                self._summary_writer = summary_writer
            elif logdir:
                self._summary_writer = FileWriter(logdir)
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._verify_setup()
        graph.finalize()

    def _verify_setup(self) -> None:
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

    @property
    def is_chief(self) -> bool:
        """Whether it initializes and saves."""
        return self._is_chief

    @property
    def session_manager(self) -> Any:
        """What makes the sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of all threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """What initializes the model, or None."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """The names of what is not initialized, or None."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of what is not initialized before `local_init_op`, or None."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """What writes summaries, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """All summaries in one, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        """Seconds from one summary to the next."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The tensor of the global step, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The Saver, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        """Seconds from one checkpoint to the next."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The prefix of the checkpoints, without the step."""
        return self._save_path

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: Any) -> list[LooperThread] | None:
        """Start the threads that write summaries, steps per second and checkpoints, and return them.

        None without `logdir`, with a warning. Raises: RuntimeError if it is no chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            messages.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step_of(sess, self._global_step))
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Return a session, restored or initialized by the chief; others wait for it.

        master, config: as of `Session`. wait_for_checkpoint, max_wait_secs: as of `SessionManager`.
        start_standard_services: start the services and the queue runners.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self.saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                messages.info("Starting standard services.")
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            messages.info("Starting queue runners.")
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Start the threads of queue runners, all of the graph if None, and return them."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Any] = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
        return threads

    def loop(
        self, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Start and return a thread that calls `target` every so many seconds, at once again if None."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(
        self, threads: Iterable[Any] | None = None, close_summary_writer: bool = True, ignore_live_threads: bool = False
    ) -> None:
        """Stop the threads it knows, and `threads`, and wait for them; the session stays open.

        Raises: what a thread reported; RuntimeError if one goes on, unless `ignore_live_threads`.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """As `Coordinator.request_stop`."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """As `Coordinator.should_stop`."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> contextlib.AbstractContextManager[None]:
        """As `Coordinator.stop_on_exception`."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Wait until a stop is asked for."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Write a summary of the program's own. global_step: the session's if None.

        Raises: RuntimeError if there is no writer.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = step_of(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Yield a prepared session; stop everything and close it at the end of the block.

        Raises: what the block or a thread raised, but for OutOfRangeError, which ends the block.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services
            )
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    # Their names before version 1.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _is_default(given: Any) -> bool:
    return given is Supervisor.USE_DEFAULT


def _chosen(given: Any, key: str, make: Callable[[], Any]) -> Any:
    """Return what was given unless that is the default: the first of a collection, or what is made, added to it."""
    if not _is_default(given):
        return given
    known = get_collection(key)
    if len(known) > 1:
        messages.info("Found %d %s operations. Returning the first one.", len(known), key)
    if known:
        return known[0]
    made = make()
    if made is not None:
        add_to_collection(key, made)
    return made


def _default_local_init_op() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _default_global_step() -> Any:
    try:
        step = get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if step.dtype.base_dtype in (datatypes.int32, datatypes.int64):
        return step
    messages.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None
