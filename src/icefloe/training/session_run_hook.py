"""`SessionRunHook`: what is called around the runs of a monitored session, and what it is told and may ask for.

Source: tensorflow/python/training/session_run_hook.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class SessionRunHook:
    """What is called at points in the life of a monitored session; a subclass defines those it needs."""

    def begin(self) -> None:
        """Called once, before the session is made; it may still add to the default graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called with each new session, also after a recovery; the graph is finalized. coord: of the threads."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; return what to fetch and feed besides, or None."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that raised nothing, with what `before_run` asked for."""

    def end(self, session: Any) -> None:
        """Called at the end, unless a run raised something else than the end of the input; the session is open."""


class SessionRunArgs(NamedTuple):
    """What a run fetches, what it is fed, and its RunOptions; the last two may be None."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a hook gets after a run: the values of its fetches, in their structure; RunOptions; RunMetadata."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """What a hook may know of a run, and by which it asks that there be no more."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the caller of `run` passed."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session of the run; to run something in it calls no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Let `should_stop` of the monitored session be true from now on."""
        self._stop_requested = True
