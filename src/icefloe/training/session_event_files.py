"""Event files written by a session: by ops on a summary writer that all ops of the session share.

Source: tensorflow/python/summary/writer/event_file_writer_v2.py.
"""

from __future__ import annotations

import os
from typing import Any

from icefloe import datatypes
from icefloe.checkpoint import files
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import add_to_collection, control_dependencies, device, name_scope

# Where the ops are that open the writers.
WRITERS = "_SUMMARY_WRITER_V2"


class SessionEventFile:
    """The event file of a directory in a session, `events.out.tfevents.<seconds>.<host>.<process>.<number><suffix>`.

    Nodes are added to the session's graph, and the file is opened. Others of the same session and directory share it;
    that it is closed by one of them shows in NotFoundError.

    Raises: RuntimeError if the graph is finalized; what the system says, if the directory cannot be made.
    """

    def __init__(
        self, session: Any, logdir: Any, max_queue: int, flush_secs: float, filename_suffix: str | None
    ) -> None:
        self._session = session
        self._logdir = os.fsdecode(logdir)
        self._closed = False
        files.make_directory(self._logdir)
        with session.graph.as_default(), name_scope("filewriter"):
            with device("cpu:0"):
                suffix: Any = constant(".v2") if filename_suffix is None else filename_suffix
                writer = apply_op("SummaryWriter", shared_name=f"logdir:{self._logdir}")
                self._open = apply_op(
                    "CreateSummaryFileWriter",
                    writer=writer,
                    logdir=self._logdir,
                    max_queue=max_queue,
                    flush_millis=int(flush_secs * 1000),
                    filename_suffix=suffix,
                )
                add_to_collection(WRITERS, self._open)
            unused = constant("unused", datatypes.string)
            self._event = apply_op("PlaceholderWithDefault", unused, shape=[])
            self._add = apply_op("ImportEvent", writer, self._event)
            with device("cpu:0"):
                self._flush = apply_op("FlushSummaryWriter", writer)
                with control_dependencies([apply_op("FlushSummaryWriter", writer)]):
                    self._close = apply_op("CloseSummaryWriter", writer)
        session.run(self._open)

    def get_logdir(self) -> str:
        """Return the directory."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Write an Event message; nothing happens after `close`. Raises: NotFoundError if another closed the file."""
        if not self._closed:
            self._session.run(self._add, {self._event: event.SerializeToString()})

    def flush(self) -> None:
        """Hand all events to the system. Raises: NotFoundError if the file is closed."""
        self._session.run(self._flush)

    def close(self) -> None:
        """Finish the file. Raises: NotFoundError if another closed it."""
        if not self._closed:
            self._session.run(self._close)
            self._closed = True

    def reopen(self) -> None:
        """Let events be added again, to a new file, after `close`."""
        if self._closed:
            self._closed = False
            self._session.run(self._open)
