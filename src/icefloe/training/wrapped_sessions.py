"""Sessions around sessions, of which monitored sessions are made: one that calls hooks, one that stops with its
threads, one that makes itself anew after a machine was lost.

Source: tensorflow/python/training/monitored_session.py (names, rules and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from icefloe import errors
from icefloe.lib import messages
from icefloe.proto import RunMetadata, RunOptions
from icefloe.training.coordinator import Coordinator
from icefloe.training.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

# What a session raises when a machine it runs on is gone.
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)

_LOST = (
    "An error was raised. This may be due to a preemption in a connected worker or parameter server. The current "
    "session will be closed and a new session will be created. Error: %s"
)


class StepContext:
    """What a step function gets: the session, a way to run with hooks, and one to stop."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session itself; to run something in it calls no hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Run as the monitored session does."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Leave the step function and let `should_stop` be true. Raises: StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class WrappedSession:
    """A session around another, which it may say not to use any more; partial runs go through."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(sess, WrappedSession)

    @property
    def graph(self) -> Any:
        """The graph that the session runs."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether the session is not to be used any more."""
        if self._check_stop():
            return True
        if self._sess:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self) -> bool:
        """Whether this wrapper says to stop."""
        return False

    def close(self) -> None:
        """Close the session; that a machine is gone does not matter."""
        if self._sess:
            try:
                self._sess.close()
            except PREEMPTION_ERRORS as error:
                messages.error(
                    "An error occurred when attempting to close the session. This may be due to a preemption in a "
                    "connected worker or parameter server. Error: %s",
                    error,
                )
            finally:
                self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run as `Session.run`."""
        return self._sess.run(*args, **kwargs)

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Return a handle as `Session.partial_run_setup`; hooks are not called."""
        return self._sess.partial_run_setup(fetches, feeds)

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Run a part as `Session.partial_run`; hooks are not called."""
        return self._sess.partial_run(handle, fetches, feed_dict)

    def run_step_fn(self, step_fn: Callable[[Any], Any], raw_session: Any, run_with_hooks: Any) -> Any:
        """Call a step function."""
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class RecoverableSession(WrappedSession):
    """Makes a new session and runs again when a machine is gone (AbortedError, UnavailableError)."""

    def __init__(self, sess_creator: Any) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except PREEMPTION_ERRORS as error:
                messages.info(
                    "An error was raised while a session was being created. This may be due to a preemption of a "
                    "connected worker or parameter server. A new session will be created. Error: %s",
                    error,
                )

    def _check_stop(self) -> bool:
        try:
            return self._sess._check_stop() if self._sess else True
        except PREEMPTION_ERRORS as error:
            messages.info(_LOST, error)
            self.close()
            self._sess = self._create_session()
            return False
        except Exception:
            # Whatever a thread reported is raised by the next run; here it means only that there is no going on.
            return True

    def _retried(self, call: Callable[[Any], Any]) -> Any:
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return call(self._sess)
            except PREEMPTION_ERRORS as error:
                messages.info(_LOST, error)
                self.close()
                self._sess = None

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Run as `Session.run`, again in a new session after a machine is gone."""
        return self._retried(
            lambda sess: sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
        )

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Return a handle as `Session.partial_run_setup`. A lost session takes its handles with it."""
        return self._retried(lambda sess: sess.partial_run_setup(fetches, feeds))

    def run_step_fn(self, step_fn: Callable[[Any], Any], raw_session: Any, run_with_hooks: Any) -> Any:
        """Call a step function, again with a new session after a machine is gone."""
        return self._retried(lambda sess: sess.run_step_fn(step_fn, raw_session, sess.run))


class CoordinatedSession(WrappedSession):
    """Raises what the threads of a coordinator report, and waits for them when it is closed."""

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Ask the threads to stop, wait for them, close the session. Raises: what they reported."""
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception as error:
                # Not to hide what the threads reported, which `join` is raising.
                messages.warning("Ignoring: %s", error)

    def _watched(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            # A thread that reported an error may have closed the queue on which the run failed: only a lost machine
            # tells more than the run's own error.
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise error from None
            raise

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run as `Session.run`. Raises: instead of its error that of a lost machine, if a thread reported one."""
        return self._watched(lambda: self._sess.run(*args, **kwargs))

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Run a part as `Session.partial_run`, with the errors of `run`."""
        return self._watched(lambda: self._sess.partial_run(handle, fetches, feed_dict))


class HookedSession(WrappedSession):
    """Calls hooks around each run, with what they ask for, until one of them requests a stop."""

    def __init__(self, sess: Any, hooks: Iterable[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = list(hooks)
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Run as `Session.run`, with what the hooks fetch and feed besides.

        Raises: RuntimeError if a stop was requested, or a tensor is fed twice.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        all_fetches: dict[Any, Any] = {"caller": fetches}
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        # A message of its own even where the caller gave none: hooks read it.
        options = RunOptions() if options is None else options
        feeds = self._call_hook_before_run(context, all_fetches, feed_dict, options)
        run_metadata = RunMetadata() if run_metadata is None else run_metadata
        outputs = super().run(fetches=all_fetches, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(outputs.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return outputs["caller"]

    def _call_hook_before_run(
        self, context: SessionRunContext, fetches: dict[Any, Any], user_feeds: Any, options: Any
    ) -> Any:
        """Add the hooks' fetches to `fetches` and their options to `options`; return what is fed."""
        hook_feeds: dict[Any, Any] = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                fetches[hook] = request.fetches
            if request.feed_dict:
                _refuse_common(hook_feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                hook_feeds.update(request.feed_dict)
            if request.options:
                merge_run_options(options, request.options)
        if not hook_feeds:
            return user_feeds
        if user_feeds:
            _refuse_common(user_feeds, hook_feeds, "Same tensor is fed by a SessionRunHook and user.")
            hook_feeds.update(user_feeds)
        return hook_feeds


def _refuse_common(first: Mapping[Any, Any], second: Mapping[Any, Any], message: str) -> None:
    common = set(first) & set(second)
    if common:
        raise RuntimeError(f"{message} Conflict(s): {list(common)}")


def merge_run_options(options: Any, incoming: Any) -> None:
    """Make `options` ask for what `incoming` asks for too: the larger numbers, either's flags, all watches."""
    options.trace_level = max(options.trace_level, incoming.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, incoming.timeout_in_ms)
    options.inter_op_thread_pool = max(options.inter_op_thread_pool, incoming.inter_op_thread_pool)
    for flag in ("output_partition_graphs", "report_tensor_allocations_upon_oom"):
        setattr(options, flag, getattr(options, flag) or getattr(incoming, flag))
    if incoming.HasField("debug_options"):
        debug, more = options.debug_options, incoming.debug_options
        debug.debug_tensor_watch_opts.MergeFrom(more.debug_tensor_watch_opts)
        debug.reset_disk_byte_usage = debug.reset_disk_byte_usage or more.reset_disk_byte_usage
