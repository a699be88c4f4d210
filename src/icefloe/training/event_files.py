"""Event files, as TensorBoard reads them: TFRecord files of Event messages.

The first event of a file says that it is one. Events are written at once and reach the disk when the file is flushed:
by whoever asks for it, with the first event and then every `flush_secs` seconds.

Source: tensorflow/core/util/events_writer.cc, tensorflow/python/summary/writer/event_file_writer.py.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import IO, Any, Self

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.lib.record_files import tf_record_iterator
from icefloe.proto import Event, SourceMetadata
from icefloe.wire.record import frame

_VERSION = "brain.Event:2"


class EventFile:
    """An event file of a directory, `events.out.tfevents.<seconds>.<host><suffix>`, made with the first event.

    Several threads may add events. After `close` and `reopen` events go to a new file.

    Raises: what the system says, if the directory cannot be made.
    """

    def __init__(self, logdir: Any, flush_secs: float = 120, filename_suffix: str | None = None) -> None:
        self._logdir = os.fsdecode(logdir)
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = None
        self._closed = False
        self._flush_at = 0.0
        self.path: str | None = None
        files.make_directory(self._logdir)

    def get_logdir(self) -> str:
        """Return the directory."""
        return self._logdir

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            seconds = int(time.time())
            host = socket.gethostname()
            while True:
                path = os.path.join(self._logdir, f"events.out.tfevents.{seconds:010d}.{host}{self._suffix}")
                try:
                    self._file = os.fdopen(files.create(path), "wb")
                    break
                except errors.AlreadyExistsError:
                    seconds += 1  # another writer has this second's name
            self.path = path
            header = Event(wall_time=float(seconds), file_version=_VERSION)
            header.source_metadata.CopyFrom(SourceMetadata(writer="icefloe"))
            self._file.write(frame(header.SerializeToString()))
        return self._file

    @contextlib.contextmanager
    def _system(self) -> Iterator[None]:
        """Hold the lock, and raise the system's errors as icefloe's."""
        with self._lock:
            try:
                yield
            except errors.OpError:  # some are OSError, too
                raise
            except OSError as error:
                raise files.os_error(error, self.path or self._logdir) from None

    def add_event(self, event: Any) -> None:
        """Write an Event message; nothing happens after `close`."""
        data = frame(event.SerializeToString())
        with self._system():
            if self._closed:
                return
            file = self._opened()
            file.write(data)
            now = time.monotonic()
            if now >= self._flush_at:
                file.flush()
                self._flush_at = now + self._flush_secs

    def flush(self) -> None:
        """Hand all events to the system."""
        with self._system():
            if self._file is not None:
                self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        with self._system():
            self._closed = True
            file, self._file = self._file, None
            self._flush_at = 0.0
            if file is not None:
                file.close()

    def reopen(self) -> None:
        """Let events be added again, to a new file, after `close`."""
        with self._lock:
            self._closed = False

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._file.close()  # type: ignore[union-attr]


class _Events:
    def __init__(self, path: Any) -> None:
        self._path = path
        self._records = tf_record_iterator(path)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        record = next(self._records)
        try:
            return Event.FromString(record)
        except DecodeError as error:
            raise errors.DataLossError(
                f"a record is no Event message: {error}",
                path=self._path,
                hint="For records of another kind there is python_io.tf_record_iterator.",
            ) from None

    next = __next__


def summary_iterator(path: Any) -> Iterator[Event]:
    """Return an iterator of the Event messages in an event file. At the end it may be asked again, for new ones.

    Raises: NotFoundError if there is no such file; DataLossError, from the iterator, for a damaged one.
    """
    return _Events(path)
