"""Readers: they take works, such as names of files, from a queue and give the records of each as key and value.

A read that has to wait for the queue keeps its turn; others wait for it.

Source: tensorflow/core/framework/reader_base.cc, tensorflow/core/kernels/identity_reader_op.cc,
whole_file_read_ops.cc, text_line_reader_op.cc, fixed_length_record_reader_op.cc, tf_record_reader_op.cc.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator
from typing import IO, Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.resources.datasets.record_files import Records, open_bytes
from icefloe.resources.queue import Queue
from icefloe.resources.waiting import Arena, Attempt, Pending, Progress
from icefloe.wire import message

Record = tuple[bytes, bytes]
Waiting = Generator[Pending, None, Any]


class Reader(Arena):
    """A reader whose works are their own records.

    name: of its node. may_read: called with a path before that is opened; raises if it may not be.
    """

    kind = "IdentityReader"

    def __init__(self, name: str, may_read: Callable[[str], None]) -> None:
        super().__init__(("Read",))
        self.name = f"{self.kind} '{name}'"
        self._may_read = may_read
        self._is_taken = False
        self._work = b""
        self._started = 0
        self._finished = 0
        self._produced = 0

    def __repr__(self) -> str:
        return f"<{self.name}: {self._produced} records of {self._finished} works>"

    @property
    def records_produced(self) -> int:
        """How many records were given."""
        return self._produced

    @property
    def works_completed(self) -> int:
        """How many works came to their end."""
        return self._finished

    def read_up_to(self, queue: Queue, count: int) -> Waiting:
        """Return the keys and values of at most `count` records, one at least, of one work if there are some.

        A generator, as kernels that wait are. Raises: what the queue does; InvalidArgumentError if that holds no single
        strings; what opening and reading a file raises.
        """
        keys: list[bytes] = []
        values: list[bytes] = []
        turn = self.submit(Attempt(self, 0, self._take_turn))
        try:
            yield from turn.outcome()
            while len(keys) < count:
                if self._finished == self._started:
                    self._work = b""
                    self._work = yield from _next_work(queue)
                    self._begin(os.fsdecode(self._work))
                    self._started += 1
                record, is_last = self._read()
                if record is not None:
                    keys.append(record[0])
                    values.append(record[1])
                    self._produced += 1
                if is_last:
                    self._stop()
                    self._finished = self._started
                    if keys:
                        break
        finally:
            if turn.error is None and turn.done:
                self._is_taken = False
                self.changed()
        return keys, values

    def _take_turn(self, attempt: Attempt) -> Progress:
        if self._is_taken:
            return Progress.NONE
        self._is_taken = True
        attempt.end()
        return Progress.ENDED

    def _key(self, place: int) -> bytes:
        return b"%s:%d" % (self._work, place)

    def _begin(self, path: str) -> None:
        try:
            with _named(path):
                self._start(path)
        except BaseException:
            self._stop()
            raise

    def _start(self, path: str) -> None:
        """Begin with a work."""

    def _read(self) -> tuple[Record | None, bool]:
        """Return the next record of the work, or None, and whether the work is at its end."""
        return (self._work, self._work), True

    def _stop(self) -> None:
        """Let go of a work."""

    def close(self) -> None:
        """Cancel reads that wait and let go of the file under way."""
        super().close()
        self._stop()

    def reset(self) -> None:
        """Forget the work under way and all counts."""
        self._stop()
        self._work = b""
        self._started = self._finished = self._produced = 0

    # State: the fields of a ReaderBaseState message

    def serialize(self) -> bytes:
        """Return the state, for `restore`. Raises: UnimplementedError for readers of parts of files."""
        counts = (self._started, self._finished, self._produced)
        parts = [message.encode_int(i, count) for i, count in enumerate(counts, 1)]
        if self._work:
            parts.append(message.encode_bytes(4, self._work))
        return b"".join(parts)

    def restore(self, state: bytes) -> None:
        """Set the state. Raises: InvalidArgumentError if it is none, and then the reader is reset."""
        try:
            counts, work = _decoded(state, self.name)
        except errors.InvalidArgumentError:
            self.reset()
            raise
        self._started, self._finished, self._produced = counts
        self._work = work


def _escaped(data: bytes) -> str:
    """Return bytes as C writes them in a string."""
    named = {ord(c): f"\\{escape}" for c, escape in zip("\n\r\t\"'\\", "nrt\"'\\")}
    return "".join([named.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in data])


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except IsADirectoryError:
        raise errors.FailedPreconditionError(f"{path}; Is a directory", path=path) from None


def _decoded(state: bytes, name: str) -> tuple[list[int], bytes]:
    counts, work = [0, 0, 0], b""
    try:
        for number, wire_type, value, stop in message.scan(state):
            if number <= 3 and wire_type == message.VARINT:
                counts[number - 1] = value - (1 << 64) if value >> 63 else value
            elif number == 4 and wire_type == message.BYTES:
                work = bytes(state[value:stop])
    except errors.DataLossError as error:
        raise errors.InvalidArgumentError(f"Could not parse state for {name}: {_escaped(state)}") from error
    if min(counts) < 0 or counts[0] > counts[1]:
        what = "Unexpected negative value" if min(counts) < 0 else "Inconsistent work started vs. finished"
        raise errors.InvalidArgumentError(
            f"{what} when restoring in {name}: work_started: {counts[0]} work_finished: {counts[1]} "
            f"num_records_produced: {counts[2]}"
        )
    return counts, work


def _next_work(queue: Queue) -> Waiting:
    element = yield from queue.dequeue().outcome()
    if len(element) != 1:
        raise errors.InvalidArgumentError("Expected single component queue")
    if queue.dtypes[0] != datatypes.string:
        raise errors.InvalidArgumentError("Expected queue with single string component")
    if np.size(element[0]) != 1:
        raise errors.InvalidArgumentError("Expected to dequeue a one-element string tensor")
    return np.reshape(element[0], -1)[0]


class WholeFileReader(Reader):
    """A record is a file: its name and its content."""

    kind = "WholeFileReader"

    def _read(self) -> tuple[Record | None, bool]:
        path = os.fsdecode(self._work)
        self._may_read(path)
        with _named(path), open_bytes(path, "") as file:
            return (self._work, file.read()), True


class _PartReader(Reader):
    """A reader of parts of files. Its state cannot be saved, as in TensorFlow."""

    _file: IO[bytes] | None = None

    def _open(self, path: str) -> None:
        self._may_read(path)
        self._file = open_bytes(path, "")

    def _stop(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def serialize(self) -> bytes:
        raise errors.UnimplementedError("Reader SerializeState")

    def restore(self, state: bytes) -> None:
        self.reset()
        raise errors.UnimplementedError("Reader RestoreState")


class TextLineReader(_PartReader):
    """A record is a line, without its end; its key has the number of the line, from 1. skip: lines at the beginning."""

    kind = "TextLineReader"

    def __init__(self, name: str, may_read: Callable[[str], None], skip: int) -> None:
        super().__init__(name, may_read)
        self._skip = skip
        self._line = 0

    def _start(self, path: str) -> None:
        self._open(path)
        self._line = 0
        while self._line < self._skip and self._next() is not None:
            self._line += 1

    def _next(self) -> bytes | None:
        assert self._file is not None
        line = self._file.readline()
        return line.removesuffix(b"\n").removesuffix(b"\r") if line else None

    def _read(self) -> tuple[Record | None, bool]:
        line = self._next()
        self._line += 1
        return (None, True) if line is None else ((self._key(self._line), line), False)


class FixedLengthRecordReader(_PartReader):
    """A record is `record` bytes; the next begins `hop` bytes on, and at least `footer` bytes follow the last."""

    kind = "FixedLengthRecordReader"

    def __init__(
        self,
        name: str,
        may_read: Callable[[str], None],
        header: int,
        record: int,
        footer: int,
        hop: int,
        encoding: str,
    ) -> None:
        """hop: 0 for as long as a record. encoding: "ZLIB" or "GZIP" for compressed files."""
        super().__init__(name, may_read)
        self._header, self._record, self._footer = header, record, footer
        self._hop = hop or record
        self._encoding = encoding
        self._ahead = b""
        self._number = 0

    def _start(self, path: str) -> None:
        self._may_read(path)
        self._file = open_bytes(path, self._encoding)
        self._ahead = b""
        self._number = 0
        if len(self._file.read(self._header)) < self._header:
            raise errors.OutOfRangeError("reached end of file")

    def _read(self) -> tuple[Record | None, bool]:
        assert self._file is not None
        if self._number:
            skip = self._hop - len(self._ahead)
            self._ahead = self._ahead[self._hop :]
            if skip > 0 and len(self._file.read(skip)) < skip:
                return None, True
        wanted = self._record + self._footer
        self._ahead += self._file.read(wanted - len(self._ahead))
        if len(self._ahead) < wanted:
            return None, True
        key = self._key(self._number)
        self._number += 1
        # Records of no bytes would never come to an end.
        return (key, self._ahead[: self._record]), not self._hop


class TFRecordReader(_PartReader):
    """A record is one of a TFRecord file; its key has the place where it begins in the decompressed file."""

    kind = "TFRecordReader"

    def __init__(self, name: str, may_read: Callable[[str], None], compression: str) -> None:
        """compression: "ZLIB" or "GZIP", anything else for none."""
        super().__init__(name, may_read)
        self._compression = compression
        self._records: Records | None = None
        self._broken: errors.DataLossError | None = None

    def _start(self, path: str) -> None:
        self._may_read(path)
        self._records = Records(path, self._compression)
        self._broken = None

    def _read(self) -> tuple[Record | None, bool]:
        assert self._records is not None
        if self._broken is not None:
            raise self._broken
        key = self._key(self._records.position())
        try:
            value = self._records.read()
        except errors.DataLossError as error:
            self._broken = error  # what follows a damaged record is not to be found
            raise
        return (None, True) if value is None else ((key, value), False)

    def _stop(self) -> None:
        if self._records is not None:
            self._records.close()
            self._records = None
