"""`SessionManager`: makes sessions whose variables are restored, initialized or waited for.

Source: tensorflow/python/training/session_manager.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.graph import get_default_graph
from icefloe.lib import messages
from icefloe.saver.state import recorded_checkpoints
from icefloe.session import Session


class SessionManager:
    """Makes sessions that are ready to be used.

    local_init_op: run in each new session, e.g. for local variables and tables. ready_op: gives the names of what is
    not initialized, as a vector of strings; none means ready. ready_for_local_init_op: the same, asked before
    `local_init_op`. graph: the default graph if None. recovery_wait_secs: seconds from one look to the next, at a
    directory or a session. local_init_run_options, local_init_feed_dict: of the run of `local_init_op`.

    Raises: ValueError for a `ready_for_local_init_op` without `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )

    def _restored(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: Any,
        checkpoint_filename_with_path: Any,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Session, bool]:
        """Return a new session and whether a checkpoint was restored in it."""
        session = Session(master, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return session, False
        if checkpoint_filename_with_path:
            _restore(session, saver, checkpoint_filename_with_path)
            return session, True
        waited = 0.0
        state = recorded_checkpoints(checkpoint_dir)
        while not (state and state.model_checkpoint_path):
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return session, False
            messages.info("Waiting for checkpoint to be available.")
            pause = min(self._recovery_wait_secs, max_wait_secs - waited)
            time.sleep(pause)
            waited += pause
            state = recorded_checkpoints(checkpoint_dir)
        _restore(session, saver, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Session:
        """Return a new session, restored from the latest checkpoint if there is one, else initialized.

        master, config: as of `Session`. checkpoint_dir, checkpoint_filename_with_path: where the checkpoint is.
        wait_for_checkpoint: wait for one, at most `max_wait_secs`. init_op, init_feed_dict: what initializes;
        init_fn: is called with the session after that.

        Raises: RuntimeError if there is nothing that initializes, or the model is not ready afterwards; ValueError for
        both ways to name a checkpoint.
        """
        session, restored = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        done, why = self._try_run_local_init_op(session)
        if not done:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  "
                f"Init op: {_name(init_op)}, init fn: {init_fn}, error: {why}"
            )
        ready, why = self._model_ready(session)
        if not ready:
            raise RuntimeError(
                "Init operations did not make model ready.  "
                f"Init op: {_name(init_op)}, init fn: {init_fn}, local_init_op: {self._local_init_op}, error: {why}"
            )
        return session

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """Return a new session and whether it was restored from a checkpoint and is ready.

        The arguments are those of `prepare_session`; nothing but `local_init_op` is run to initialize.
        """
        session, restored = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        done, why = self._try_run_local_init_op(session)
        if not restored:
            return session, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if not done:
            messages.info("Restoring model from %s did not make model ready for local init: %s", source, why)
            return session, False
        ready, why = self._model_ready(session)
        if not ready:
            messages.info("Restoring model from %s did not make model ready: %s", source, why)
            return session, False
        messages.info("Restored model from %s", source)
        return session, True

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: float | None = math.inf) -> Session:
        """Return a new session once its model is ready, which another thread sees to.

        Raises: DeadlineExceededError if that takes longer than `max_wait_secs`.
        """
        limit = math.inf if max_wait_secs is None else max_wait_secs
        end = time.monotonic() + limit
        while True:
            session = Session(master, graph=self._graph, config=config)
            not_ready = None
            done, not_ready_for_local = self._try_run_local_init_op(session)
            if done:
                ready, not_ready = self._model_ready(session)
                if ready:
                    return session
            with contextlib.suppress(errors.OpError):  # it is given up for another in any case
                session.close()
            if max(0.0, end - time.monotonic()) < self._recovery_wait_secs:
                raise errors.DeadlineExceededError(f"Session was not ready after waiting {int(limit)} secs.")
            messages.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                not_ready_for_local,
                not_ready,
            )
            time.sleep(self._recovery_wait_secs)

    def _model_ready(self, session: Any) -> tuple[bool, str | None]:
        return is_ready(self._ready_op, session, "Model not ready")

    def _try_run_local_init_op(self, session: Any) -> tuple[bool, str | None]:
        """Run `local_init_op` if the model is ready for it; return whether it is, and why not."""
        if self._local_init_op is None:
            return True, None
        ready, why = is_ready(self._ready_for_local_init_op, session, "Model not ready for local init")
        if not ready:
            return False, why
        messages.info("Running local_init_op.")
        session.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
        messages.info("Done running local_init_op.")
        return True, None


def is_ready(op: Any, session: Any, message: str) -> tuple[bool, str | None]:
    """Return whether `op` names nothing that is not initialized, and if not, what; None as `op` is always ready.

    Raises: FailedPreconditionError for another reason than an uninitialized variable, after logging `message`.
    """
    if op is None:
        return True, None
    try:
        missing = session.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            messages.warning("%s : error [%s]", message, str(error))
            raise
        return False, str(error)
    if missing is None or missing.dtype == np.int32 or missing.size == 0:
        return True, None
    return False, "Variables not initialized: " + ", ".join(name.decode() for name in missing)


def _name(op: Any) -> Any:
    """Return the name of an op for a message."""
    if op is None:
        return "None"
    return op.name if hasattr(op, "name") else f"<no name for {type(op)}>"


def _restore(session: Any, saver: Any, path: Any) -> None:
    # What was made when a SavedModel was loaded into the graph gives values that the checkpoint then replaces.
    loaded = get_default_graph().get_collection("saved_model_initializers")
    if loaded:
        session.run(loaded)
    saver.restore(session, path)
