"""Readers: they take the names of files from a queue and give the records in them, as pairs of key and value.

Source: tensorflow/python/ops/io_ops.py (names and rules).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

_COMPRESSIONS = {None: "", 0: "", 1: "ZLIB", 2: "GZIP", "": "", "ZLIB": "ZLIB", "GZIP": "GZIP"}


class ReaderBase:
    """A reader.

    Reading waits for the queue where that is empty; when the queue is closed and empty it raises OutOfRangeError.
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        """reader_ref: the reader's handle. supports_serialize: whether its state can be saved."""
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The reader's handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether the reader's state can be saved and restored."""
        return self._supports_serialize

    def _op(self, op: str, *inputs: Any, name: str | None) -> Any:
        v = "V2" if self._reader_ref.dtype == datatypes.resource else ""
        return apply_op(f"{op}{v}", self._reader_ref, *inputs, name=name)

    def _queue_ref(self, queue: Any) -> Tensor:
        ref: Tensor = queue if isinstance(queue, Tensor) else queue.queue_ref
        if self._reader_ref.dtype != datatypes.resource:
            ref = apply_op("FakeQueue", ref)
        return ref

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Return key and value, scalar strings, of the next record. queue: of strings, the names of files."""
        return self._op("ReaderRead", self._queue_ref(queue), name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """Return keys and values, vectors of strings, of at most `num_records` records of one file."""
        return self._op("ReaderReadUpTo", self._queue_ref(queue), num_records, name=name)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Return how many records the reader gave: an int64 scalar."""
        return self._op("ReaderNumRecordsProduced", name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Return how many files the reader has come to the end of: an int64 scalar."""
        return self._op("ReaderNumWorkUnitsCompleted", name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Return the reader's state, a scalar string; not all readers can."""
        return self._op("ReaderSerializeState", name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """Return an operation that sets the reader's state to what `serialize_state` gave."""
        return self._op("ReaderRestoreState", state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """Return an operation that lets the reader begin anew."""
        return self._op("ReaderReset", name=name)


class WholeFileReader(ReaderBase):
    """A record is a file: its name and its content."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(apply_op("WholeFileReaderV2", name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """A record is a line without its end; the key is `<file>:<number of the line>`."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        """skip_header_lines: how many to leave out at the beginning of each file."""
        super().__init__(apply_op("TextLineReaderV2", skip_header_lines=skip_header_lines, name=name))


class FixedLengthRecordReader(ReaderBase):
    """A record is so many bytes; the key is `<file>:<number of the record>`."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        """header_bytes, footer_bytes: left out at the ends of files. hop_bytes: from one record to the next, 0 for as
        long as one is. encoding: "ZLIB" or "GZIP" where files are compressed.
        """
        reader_ref = apply_op(
            "FixedLengthRecordReaderV2",
            record_bytes=record_bytes,
            header_bytes=header_bytes,
            footer_bytes=footer_bytes,
            hop_bytes=hop_bytes,
            encoding=encoding,
            name=name,
        )
        super().__init__(reader_ref)


class TFRecordReader(ReaderBase):
    """A record is one of a TFRecord file; the key is `<file>:<where it begins>`."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        """options: how files are compressed: TFRecordOptions, "ZLIB" or "GZIP".

        Raises: ValueError for another compression.
        """
        kind = getattr(options, "compression_type", options)
        if kind not in _COMPRESSIONS:
            raise ValueError(f'Not a valid compression_type: "{kind}"')
        super().__init__(apply_op("TFRecordReaderV2", compression_type=_COMPRESSIONS[kind], name=name))


class LMDBReader(ReaderBase):
    """A record is one of an LMDB file. There is no kernel: graphs can be built, but reading is not implemented."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        """options: ignored, as in TensorFlow."""
        super().__init__(apply_op("LMDBReader", name=name))


class IdentityReader(ReaderBase):
    """A record is what comes from the queue, as key and value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(apply_op("IdentityReaderV2", name=name), supports_serialize=True)
