"""A data file being written: small writes are gathered, neighbouring copies joined."""

from __future__ import annotations

from collections.abc import Callable

from icefloe.checkpoint import files
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.flushing import Flusher
from icefloe.checkpoint.transfer import PIECE

_WINDOW = 16 << 20
# What is smaller is read and gathered: a call of its own for each would take longer.
_SMALL = 256 << 10


class ShardFile:
    """Writes to the open file `fd`, which the caller closes; `path` is its name.

    advance: called with the number of bytes of each write.

    size: bytes written so far, gathered ones too.
    """

    def __init__(self, fd: int, path: str, advance: Callable[[int], None]) -> None:
        self._fd = fd
        self._path = path
        self._advance = advance
        self._buffer = bytearray()
        self._run: tuple[Source, int, int] | None = None  # a copy that may still grow: source, from, to
        self._flusher = Flusher(fd, path)
        self.size = 0

    def write(self, data: bytes | memoryview) -> None:
        self._end_run()
        self._gather(data)
        self.size += len(data)

    def _gather(self, data: bytes | memoryview) -> None:
        if len(self._buffer) + len(data) > PIECE:
            self._flush()
        if len(data) >= PIECE:
            self._put(data)
        else:
            self._buffer += data

    def copy(self, source: Source, offset: int, size: int) -> None:
        self.size += size
        if self._run is not None and self._run[0] is source and self._run[2] == offset:
            self._run = (source, self._run[1], offset + size)
            return
        self._end_run()
        self._run = (source, offset, offset + size)

    def _end_run(self) -> None:
        if self._run is None:
            return
        (source, start, stop), self._run = self._run, None
        if stop - start < _SMALL:
            self._gather(source.read(start, stop - start))
            return
        self._flush()
        while start < stop:
            size = min(_WINDOW, stop - start)
            files.copy(source, start, size, self._fd, self._path)
            self._written(size)
            start += size

    def _flush(self) -> None:
        if self._buffer:
            self._put(self._buffer)
            self._buffer = bytearray()

    def _put(self, data: bytes | bytearray | memoryview) -> None:
        files.write(self._fd, data, self._path)
        self._written(len(data))

    def _written(self, size: int) -> None:
        self._flusher.wrote(size)
        self._advance(size)

    def finish(self) -> None:
        self._end_run()
        self._flush()
        self._flusher.finish()

    def abandon(self) -> None:
        self._flusher.stop()
