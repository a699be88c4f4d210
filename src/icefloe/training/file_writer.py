"""`FileWriter`: writes summaries, graphs and marks of sessions to event files.

Source: tensorflow/python/summary/writer/writer.py, writer_cache.py (names, rules and messages).
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from typing import Any, ClassVar, Self

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.lib import messages
from icefloe.meta_graph.export import create_meta_graph_def
from icefloe.proto import Event, GraphDef, MetaGraphDef, SessionLog, Summary, TaggedRunMetadata
from icefloe.training.event_files import EventFile
from icefloe.training.session_event_files import SessionEventFile


def _is(message: Any, kind: type) -> bool:
    """Whether `message` is of this kind, ours or TensorFlow's."""
    descriptor = getattr(message, "DESCRIPTOR", None)
    return getattr(descriptor, "full_name", None) == kind.DESCRIPTOR.full_name  # type: ignore[attr-defined]


class FileWriter:
    """Writes events to an event file of `logdir`, which is made where it is missing.

    graph: is written at once, as by `add_graph`, with its MetaGraphDef. max_queue: how many events may wait, where a
    session writes; else they are written at once. flush_secs: after how long they reach the disk. graph_def: older
    form of `graph`. filename_suffix: put behind the file's name. session: writes the file, by ops that are added to
    its graph; writers of one session and `logdir` share it.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self.event_writer: EventFile | SessionEventFile
        if session is None:
            self.event_writer = EventFile(logdir, flush_secs, filename_suffix)
        else:
            self.event_writer = SessionEventFile(session, logdir, max_queue, flush_secs, filename_suffix)
        self._closed = False
        self._run_tags: set[str] = set()
        self._seen_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            whole = graph if isinstance(graph, Graph) else None
            as_def = graph_def or (graph if whole is None else whole.as_graph_def(add_shapes=True))
            self.add_meta_graph(create_meta_graph_def(graph_def=as_def, graph=whole))

    def get_logdir(self) -> str:
        """Return the directory of the event file."""
        return self.event_writer.get_logdir()

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a Summary message, or one serialized, as summary ops give it; `global_step` is its place in time.

        The metadata of a tag is written the first time only.

        Raises: InvalidArgumentError if bytes are no such message.
        """
        if isinstance(summary, bytes):
            try:
                summary = Summary.FromString(summary)
            except DecodeError as error:
                raise errors.InvalidArgumentError(f"add_summary: the bytes are no Summary message: {error}") from None
        event = Event()
        event.summary.MergeFromString(summary.SerializeToString())
        for value in event.summary.value:
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            else:
                self._seen_tags.add(value.tag)
        self._add_event(event, global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write a SessionLog message: a start, a stop, a checkpoint."""
        event = Event(session_log=SessionLog.FromString(session_log.SerializeToString()))
        self._add_event(event, global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph, with the shapes of its tensors. graph_def: older form, a GraphDef.

        Raises: ValueError if both are given; TypeError if neither is a graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph_def if graph is None else graph
        if isinstance(given, Graph):
            if graph is None:
                messages.warning(
                    "When passing a `Graph` object, please use the `graph` named argument instead of `graph_def`."
                )
            given = given.as_graph_def(add_shapes=True)
        elif _is(given, GraphDef):
            messages.warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as "
                "`sess.graph`."
            )
        else:
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        self._add_event(Event(graph_def=given.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a MetaGraphDef. Raises: TypeError if it is none."""
        if not _is(meta_graph_def, MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add_event(Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write the RunMetadata of a run under a tag. Raises: ValueError if the tag was used before."""
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add_event(Event(tagged_run_metadata=tagged), global_step)

    def add_event(self, event: Any) -> None:
        """Write an Event message as it is."""
        self._warn_if_closed()
        self.event_writer.add_event(event)

    def _add_event(self, event: Event, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def _warn_if_closed(self) -> None:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is "
                "explicitly reopened.",
                stacklevel=4,
            )

    def flush(self) -> None:
        """Hand all events to the system."""
        self._warn_if_closed()
        self.event_writer.flush()

    def close(self) -> None:
        """Finish the file; what is added later is dropped with a warning."""
        self.event_writer.close()
        self._closed = True

    def reopen(self) -> None:
        """Let events be added again, to a new file, after `close`."""
        self.event_writer.reopen()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class FileWriterCache:
    """The file writers of the process, one per directory."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Close and forget all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """Return the writer of a directory, a new one with the default graph if there is none."""
        with FileWriterCache._lock:
            key = os.fsdecode(logdir)
            if key not in FileWriterCache._cache:
                FileWriterCache._cache[key] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._cache[key]


def all_v2_summary_ops() -> list[Any]:
    """Return the summary ops of the second kind in the default graph, those that write by themselves."""
    return get_default_graph().get_collection("_SUMMARY_V2")


def initialize(graph: Any = None, session: Any = None) -> None:
    """Open the default writer of such summary ops, which icefloe does not make.

    Raises: RuntimeError, as TensorFlow does without a default writer.
    """
    raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
