"""What TensorFlow's tests put in the place of functions and classes, handed on to where icefloe looks for them.

The tests assign to attributes of their modules: a function that keeps what is logged, a writer that keeps what is
written. The modules they see are not icefloe's, so icefloe's own functions ask those modules here.
"""

from __future__ import annotations

import sys
import time
from typing import Any

_TF = "tensorflow.python."


def _module(name: str) -> Any:
    """Return the module of this name that the tests see, if any."""
    shim = sys.modules.get("tfshim")
    return None if shim is None else shim.fake(_TF + name)


def _hand_on_messages(name: str) -> None:
    from icefloe.lib import messages

    own = getattr(messages, name)
    busy = []

    def told(*args: Any, **kwargs: Any) -> Any:
        module = _module("platform.tf_logging")
        substitute = None if module is None or busy else module.__dict__.get(name)
        if substitute is None:
            return own(*args, **kwargs)
        busy.append(name)  # the substitute calls the function it stands for
        try:
            return substitute(*args, **kwargs)
        finally:
            busy.pop()

    setattr(messages, name, told)


def _hand_on_writers() -> None:
    from icefloe.training import file_writer

    own = file_writer.FileWriterCache.get

    def get(logdir: Any) -> Any:
        module = _module("summary.writer.writer_cache")
        substitute = None if module is None else module.__dict__.get("FileWriter")
        kept = file_writer.FileWriter
        if substitute is not None:
            file_writer.FileWriter = substitute  # type: ignore[misc]
        try:
            return own(logdir)
        finally:
            file_writer.FileWriter = kept  # type: ignore[misc]

    file_writer.FileWriterCache.get = staticmethod(get)  # type: ignore[method-assign]


class _Clock:
    """The clock of checkpoint managers."""

    @staticmethod
    def time() -> float:
        module = _module("checkpoint.checkpoint_management")
        substitute = None if module is None else module.__dict__.get("time")
        found: float = (substitute or time).time()
        return found


def install() -> None:
    """Let icefloe ask for substitutes."""
    from icefloe.training import checkpoint_manager

    checkpoint_manager.time = _Clock  # type: ignore[assignment]
    for name in ("info", "warning", "error", "log_first_n"):
        _hand_on_messages(name)
    _hand_on_writers()
