"""`MonitoredSession`: a session that initializes or restores itself, calls hooks and knows when to stop.

Source: tensorflow/python/training/monitored_session.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from icefloe import errors
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection
from icefloe.graph.graph import get_default_graph
from icefloe.training.coordinator import Coordinator
from icefloe.training.hooks_reporting import StepCounterHook, SummarySaverHook
from icefloe.training.hooks_saving import CheckpointSaverHook
from icefloe.training.queue_runner import start_queue_runners
from icefloe.training.scaffold import Scaffold
from icefloe.training.session_creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from icefloe.training.session_run_hook import SessionRunHook
from icefloe.training.wrapped_sessions import CoordinatedSession, HookedSession, RecoverableSession, StepContext

# Told from None, which switches something off.
USE_DEFAULT = object()


class _CoordinatedSessionCreator(SessionCreator):
    """Makes a session with its queue runners started and its hooks told."""

    def __init__(
        self, session_creator: SessionCreator, hooks: list[SessionRunHook], stop_grace_period_secs: float
    ) -> None:
        self._session_creator = session_creator
        self._hooks = hooks
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None
        self._stop_grace_period_secs = stop_grace_period_secs

    def create_session(self) -> CoordinatedSession:
        self.tf_sess = self._session_creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        hooked = HookedSession(self.tf_sess, self._hooks)
        return CoordinatedSession(hooked, self.coord, self._stop_grace_period_secs)


class BaseMonitoredSession:
    """What `MonitoredSession` and `SingularMonitoredSession` have in common."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Iterable[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = _CoordinatedSessionCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        self._sess: Any
        if should_recover:
            self._sess = RecoverableSession(self._coordinated_creator)
        else:
            self._sess = self._coordinated_creator.create_session()

    @property
    def graph(self) -> Any:
        """The graph that the session runs, None once it is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Run as `Session.run`, calling the hooks.

        Raises: RuntimeError if a hook has requested a stop.
        """
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Return a handle for running `fetches` in parts, as `Session.partial_run_setup`. No hooks are called."""
        return self._sess.partial_run_setup(fetches, feeds)

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Run a part of what `partial_run_setup` declared, as `Session.partial_run`. No hooks are called."""
        return self._sess.partial_run(handle, fetches, feed_dict)

    def partial(self, fetches: Any, feeds: Any = None) -> Any:
        """Return a context manager for a partial run, as `Session.partial`."""
        return self._tf_sess().partial(fetches, feeds)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Call `step_fn` with a `StepContext` and return what it does; what it runs there may do without hooks.

        Raises: ValueError unless its one argument, but for `self`, is called `step_context`; StopIteration, on which
        the `with` block of the session ends, if it requests a stop.
        """
        names = _argument_names(step_fn)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Whether the session is not to be used any more: it is closed, or a hook or a thread said stop."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """End the hooks, stop the threads and close the session.

        Raises: RuntimeError if it is closed; what a thread reported.
        """
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, traceback: object) -> bool:
        if kind in (errors.OutOfRangeError, StopIteration):
            kind = None
        self._close(kind)
        return kind is None

    def _close(self, kind: type[BaseException] | None = None) -> None:
        with self._letting_go():
            if kind is None:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)

    @contextlib.contextmanager
    def _letting_go(self) -> Iterator[None]:
        """Close the session behind the block, whatever that raises."""
        try:
            yield
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError("Session is already closed.")
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                if not self._graph_was_finalized:
                    get_default_graph()._unsafe_unfinalize()

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        return self._coordinated_creator.tf_sess


class MonitoredSession(BaseMonitoredSession):
    """A session that initializes or restores itself, starts the queue runners and calls hooks.

    session_creator: makes the session; a `ChiefSessionCreator` if None. hooks: called in this order.
    stop_grace_period_secs: how long threads have to stop.

    A session that a machine is lost of is made anew. At the end of a `with` block it is closed; OutOfRangeError and
    StopIteration end the block and are not raised again.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(BaseMonitoredSession):
    """As `MonitoredSession`, for a chief alone: it is not made anew, and `raw_session` gives the session itself.

    scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path: as of `ChiefSessionCreator`.
    """

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Return the session itself, e.g. to save it or to run without hooks."""
        return self._tf_sess()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Return a `MonitoredSession` for training: the chief's saves checkpoints and summaries, others wait for it.

    checkpoint_dir: where checkpoints are restored from and saved to, every `save_checkpoint_secs` seconds (600 if
    neither is given) or `save_checkpoint_steps` steps; both None saves none. summary_dir: where summaries go,
    `checkpoint_dir` if None, every `save_summaries_steps` steps (100 if neither is given) or `save_summaries_secs`
    seconds, and the steps per second every `log_step_count_steps`. hooks: besides; chief_only_hooks: for the chief.
    save_graph_def: write `graph.pbtxt` and MetaGraphDefs too. max_wait_secs: how long a worker waits for the chief.
    """
    summaries_steps, summaries_secs = _frequency(save_summaries_steps, save_summaries_secs, (100, None))
    checkpoint_steps, checkpoint_secs = _frequency(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)

    all_hooks = list(chief_only_hooks or ())
    chief = ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master, config=config)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if _is_asked_for(summaries_steps, summaries_secs):
            all_hooks.append(
                SummarySaverHook(
                    scaffold=scaffold, save_steps=summaries_steps, save_secs=summaries_secs, output_dir=summary_dir
                )
            )
    if checkpoint_dir and _is_asked_for(checkpoint_steps, checkpoint_secs):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=checkpoint_steps,
                save_secs=checkpoint_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    all_hooks.extend(hooks or ())
    return MonitoredSession(chief, all_hooks, stop_grace_period_secs)


def _frequency(steps: Any, secs: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return steps and seconds from one time to the next; what is not given is None if the other is."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return (None if steps is USE_DEFAULT else steps), (None if secs is USE_DEFAULT else secs)


def _is_asked_for(steps: Any, secs: Any) -> bool:
    return bool((steps and steps > 0) or (secs and secs > 0))


def _argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's arguments, of a bound method without the first, of a partial without those
    given.
    """
    if isinstance(function, functools.partial):
        names = _argument_names(function.func)
        return tuple(name for name in names[len(function.args) :] if name not in function.keywords)
    target = function
    if not inspect.isroutine(function) and not isinstance(function, type):
        target = type(function).__call__
    try:
        names = tuple(inspect.getfullargspec(target).args)
    except TypeError:
        return ()
    bound = inspect.ismethod(function) or target is not function
    return names[1:] if bound else names
