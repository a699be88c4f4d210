"""Summary writers as resources: ops that append events to an event file, as TensorBoard reads it.

    SummaryWriter gives the handle, CreateSummaryFileWriter its file, Write... append, CloseSummaryWriter ends it.

Source: tensorflow/core/kernels/summary_kernels.cc, tensorflow/core/summary/summary_file_writer.cc.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.summary import pack
from icefloe.proto import Event, GraphDef, SourceMetadata, Summary
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text
from icefloe.wire.record import frame

_VERSION = "brain.Event:2"
_numbers = itertools.count()


class SummaryWriter:
    """What a handle stands for: an event file once one is created, until it is closed.

    Events wait until there are more than `max_queue`, `flush_millis` have passed, or someone asks for them to be
    written.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._path: str | None = None
        self._queue: list[bytes] = []
        self._max_queue = 0
        self._flush_seconds = 0.0
        self._flushed = 0.0

    def open(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        """Make the directory and a file in it; nothing happens where there is one already."""
        with self._lock:
            if self._path is not None:
                return
            files.make_directory(logdir)
            now = time.time()
            unique = f"{os.getpid()}.{next(_numbers)}{'' if suffix.startswith('.') else '.'}{suffix}"
            path = os.path.join(logdir, f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}.{unique}")
            os.close(files.create(path))
            self._path, self._max_queue, self._flush_seconds = path, max_queue, flush_millis / 1000
            first = Event(wall_time=now, file_version=_VERSION, source_metadata=SourceMetadata(writer="icefloe"))
            self._queue.append(first.SerializeToString())
            self._write()

    def _write(self) -> None:
        assert self._path is not None
        try:
            with open(self._path, "ab") as file:
                file.write(b"".join(map(frame, self._queue)))
        except OSError as error:
            raise files.os_error(error, self._path) from None
        self._queue.clear()
        self._flushed = time.monotonic()

    def _check_open(self) -> None:
        if self._path is None:
            raise errors.NotFoundError(
                f"Resource {self.name} does not exist: there is no file, or it was closed",
                hint="Run the op that creates the writer first.",
            )

    def add(self, event: Event) -> None:
        """Append an event. Raises: NotFoundError if there is no file."""
        with self._lock:
            self._check_open()
            self._queue.append(event.SerializeToString())
            if len(self._queue) > self._max_queue or time.monotonic() - self._flushed > self._flush_seconds:
                self._write()

    def flush(self) -> None:
        """Write all events to the file. Raises: NotFoundError if there is none."""
        with self._lock:
            self._check_open()
            self._write()

    def finish(self) -> None:
        """Write all events and forget the file. Raises: NotFoundError if there is none."""
        self.flush()
        self._path = None

    def close(self) -> None:
        """End with the session: write what waits."""
        if self._path is not None:
            self.finish()


def _writer(handle: Any) -> SummaryWriter:
    if not isinstance(handle, SummaryWriter):
        raise errors.InvalidArgumentError(f"Expected the handle of a summary writer, got {type(handle).__name__}")
    return handle


def _scalar(name: str, value: Any) -> Any:
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"{name} must be a scalar, got shape {shape_text(np.shape(value))}")
    return np.asarray(value, object).item()


def _event(step: Any, **content: Any) -> Event:
    return Event(step=int(_scalar("step", step)), wall_time=time.time(), **content)


def _add_summary(writer: Any, step: Any, packed: Any) -> tuple[()]:
    _writer(writer).add(_event(step, summary=Summary.FromString(packed.item())))
    return ()


@kernel("SummaryWriter", returns="stored")
def summary_writer(*, shared_name: str, container: str, manager: ResourceManager, node: str) -> SummaryWriter:
    name = shared_name or node
    return manager.lookup_or_create(container, name, SummaryWriter, lambda: SummaryWriter(name))


@kernel("CreateSummaryFileWriter")
def create_summary_file_writer(
    writer: Any, logdir: Any, max_queue: Any, flush_millis: Any, filename_suffix: Any, *, manager: ResourceManager
) -> tuple[()]:
    """Open an event file in `logdir` unless the writer has one."""
    directory = os.fsdecode(_scalar("logdir", logdir))
    manager.check_file(directory, "write")
    suffix = os.fsdecode(_scalar("filename_suffix", filename_suffix))
    if "/" in suffix:
        raise errors.InvalidArgumentError(f"filename_suffix {suffix!r} is no part of a file's name")
    limits = int(_scalar("max_queue", max_queue)), int(_scalar("flush_millis", flush_millis))
    _writer(writer).open(directory, *limits, suffix)
    return ()


@kernel("FlushSummaryWriter")
def flush_summary_writer(writer: Any) -> tuple[()]:
    _writer(writer).flush()
    return ()


@kernel("CloseSummaryWriter")
def close_summary_writer(writer: Any) -> tuple[()]:
    _writer(writer).finish()
    return ()


@kernel("WriteSummary")
def write_summary(writer: Any, step: Any, tensor: Any, tag: Any, summary_metadata: Any) -> tuple[()]:
    """Append a tensor; metadata: a SummaryMetadata message, or nothing."""
    packed = pack.tensor_summary_v2(tag, tensor, summary_metadata)
    if not _scalar("summary_metadata", summary_metadata):
        bare = Summary.FromString(packed.item())
        bare.value[0].ClearField("metadata")
        packed = pack.packed(bare)
    return _add_summary(writer, step, packed)


@kernel("WriteRawProtoSummary")
def write_raw_proto_summary(writer: Any, step: Any, tensor: Any) -> tuple[()]:
    """Append the values of all Summary messages in `tensor` as one event."""
    event = _event(step)
    for i, data in enumerate(np.asarray(tensor, object).reshape(-1).tolist()):
        try:
            event.summary.MergeFromString(data)
        except DecodeError:
            raise errors.DataLossError(f"Bad tf.compat.v1.Summary binary proto tensor string at index {i}") from None
    _writer(writer).add(event)
    return ()


@kernel("WriteScalarSummary")
def write_scalar_summary(writer: Any, step: Any, tag: Any, value: Any) -> tuple[()]:
    _scalar("value", value)
    return _add_summary(writer, step, pack.scalar_summary(tag, value))


@kernel("WriteHistogramSummary")
def write_histogram_summary(writer: Any, step: Any, tag: Any, values: Any) -> tuple[()]:
    return _add_summary(writer, step, pack.histogram_summary(tag, values))


@kernel("WriteImageSummary")
def write_image_summary(writer: Any, step: Any, tag: Any, tensor: Any, bad_color: Any, *, max_images: int) -> tuple[()]:
    return _add_summary(writer, step, pack.image_summary(tag, tensor, max_images=max_images, bad_color=bad_color))


@kernel("WriteAudioSummary")
def write_audio_summary(
    writer: Any, step: Any, tag: Any, tensor: Any, sample_rate: Any, *, max_outputs: int
) -> tuple[()]:
    return _add_summary(writer, step, pack.audio_summary_v2(tag, tensor, sample_rate, max_outputs=max_outputs))


@kernel("WriteGraphSummary")
def write_graph_summary(writer: Any, step: Any, tensor: Any) -> tuple[()]:
    """Append a GraphDef message."""
    data = _scalar("tensor", tensor)
    try:
        GraphDef.FromString(data)
    except DecodeError:
        raise errors.DataLossError("Bad tf.GraphDef binary proto tensor string") from None
    _writer(writer).add(_event(step, graph_def=data))
    return ()


@kernel("ImportEvent")
def import_event(writer: Any, event: Any) -> tuple[()]:
    """Append an Event message as it is."""
    try:
        parsed = Event.FromString(_scalar("event", event))
    except DecodeError:
        raise errors.DataLossError("Bad tf.Event binary proto tensor string") from None
    _writer(writer).add(parsed)
    return ()


@shape("SummaryWriter")
def summary_writer_shape(c: ShapeContext) -> list[Dims]:
    return [()]


@shape(
    "CreateSummaryFileWriter",
    "FlushSummaryWriter",
    "CloseSummaryWriter",
    "WriteSummary",
    "WriteRawProtoSummary",
    "WriteScalarSummary",
    "WriteHistogramSummary",
    "WriteImageSummary",
    "WriteAudioSummary",
    "WriteGraphSummary",
    "ImportEvent",
)
def no_outputs(c: ShapeContext) -> list[Dims]:
    return []
