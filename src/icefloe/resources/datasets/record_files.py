"""Readers of the files that datasets are made of: records, lines, pieces of fixed length; compressed or not.

    TFRecord file := record*
    record        := length: fixed64, masked crc of length: fixed32, data, masked crc of data: fixed32

Source: tensorflow/core/lib/io/record_reader.cc, kernels/data/reader_dataset_ops.cc (which ends are errors).
"""

from __future__ import annotations

import io
import os
import zlib
from typing import IO, Protocol, Self

from icefloe import errors
from icefloe.wire.crc import crc32c, unmask
from icefloe.wire.record import frame

_HEADER = 12
_CHUNK = 1 << 20
# What zlib takes for the size of its window says what surrounds the data.
_WINDOW = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


class Reader(Protocol):
    """What gives the pieces of one open file."""

    def read(self) -> bytes | None:
        """Return the next piece, or None at the end."""
        ...

    def position(self) -> int:
        """Return where the next piece begins, in decompressed bytes."""
        ...

    def seek(self, position: int) -> None:
        """Go on at a position told before."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class _Inflated(io.RawIOBase):
    """The decompressed bytes of a file."""

    def __init__(self, path: str, window: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 (closed by `close`)
        self._window = window
        self._inflate = zlib.decompressobj(window)
        self._given = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while True:
            data = self._inflated(len(view))
            if data is None:
                return 0
            if data:
                view[: len(data)] = data
                return len(data)

    def _inflated(self, size: int) -> bytes | None:
        if self._inflate.eof:
            # Files put together one after the other are read as one.
            self._given = self._inflate.unused_data or self._file.read(_CHUNK)
            if not self._given:
                return None
            self._inflate = zlib.decompressobj(self._window)
        elif not self._given:
            self._given = self._file.read(_CHUNK)
            if not self._given:
                return None
        try:
            data = self._inflate.decompress(self._given, size)
        except zlib.error as error:
            said = str(error).replace("Error", "error", 1).replace(" while decompressing data", "", 1)
            raise errors.DataLossError(f"inflate() failed with {said}") from error
        self._given = self._inflate.unconsumed_tail
        return data

    def close(self) -> None:
        self._file.close()
        super().close()


def open_bytes(path: str, compression: str) -> IO[bytes]:
    """Return a file open for reading. compression: "ZLIB", "GZIP", or anything else for none.

    Raises: NotFoundError if there is none.
    """
    try:
        if compression in _WINDOW:
            return io.BufferedReader(_Inflated(path, _WINDOW[compression]), _CHUNK)
        return open(path, "rb", buffering=_CHUNK)
    except FileNotFoundError:
        raise errors.NotFoundError(f"{path}; No such file or directory", path=path) from None


def _read(file: IO[bytes], size: int) -> bytes:
    """Read `size` bytes, or as many as there are; never asks for memory that the file does not fill."""
    if size <= _CHUNK:
        return file.read(size)
    parts = []
    while size:
        part = file.read(min(size, 16 * _CHUNK))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class _Placed:
    """An open file that counts the decompressed bytes taken from it."""

    def __init__(self, path: str, compression: str) -> None:
        self.path = path
        self.file = open_bytes(path, compression)
        self.at = 0

    def position(self) -> int:
        return self.at

    def seek(self, position: int) -> None:
        if self.file.seekable():
            self.file.seek(position)
        else:
            left = position - self.at
            while left > 0 and (part := self.file.read(min(left, _CHUNK))):
                left -= len(part)
        self.at = position

    def close(self) -> None:
        self.file.close()


class Records(_Placed):
    """The records of a TFRecord file. Raises: DataLossError for damaged ones; a header cut short is the end."""

    def read(self) -> bytes | None:
        start = self.at
        header = self.file.read(_HEADER)
        if len(header) < _HEADER:
            return None
        if crc32c(header[:8]) != unmask(int.from_bytes(header[8:], "little")):
            hint = " (Is this even a TFRecord file?)" if start == 0 else ""
            raise errors.DataLossError(f"corrupted record at {start}{hint}", path=self.path, offset=start)
        size = int.from_bytes(header[:8], "little")
        data = _read(self.file, size)
        check = self.file.read(4) if len(data) == size else b""
        if len(check) < 4:
            raise errors.DataLossError(
                f"truncated record at {start}' failed with Read less bytes than requested", path=self.path, offset=start
            )
        if crc32c(data) != unmask(int.from_bytes(check, "little")):
            place = start + _HEADER
            raise errors.DataLossError(f"corrupted record at {place}", path=self.path, offset=place)
        self.at = start + _HEADER + size + 4
        return data


class Lines(_Placed):
    """The lines of a text file, without line feeds; carriage returns are left out, wherever they are."""

    def read(self) -> bytes | None:
        line = self.file.readline()
        if not line:
            return None
        self.at += len(line)
        return line.removesuffix(b"\n").replace(b"\r", b"")


class Pieces(_Placed):
    """What lies between header and footer of a file, in pieces of `size` bytes."""

    def __init__(self, path: str, compression: str, header: int, size: int, footer: int) -> None:
        """Raises: InvalidArgumentError if the size of a file that is not compressed tells that it cannot be."""
        self._header, self._size, self._footer = header, size, footer
        self._is_compressed = compression in _WINDOW
        if not self._is_compressed and os.path.exists(path):
            body = os.path.getsize(path) - header - footer
            if body < 0 or body % size:
                raise self._misfit(path, body)
        super().__init__(path, compression)
        if len(_read(self.file, header)) < header:
            raise errors.InternalError("EOF reached before the end of the header", path=path)
        # Bytes that were read but may be the footer.
        self._ahead = b""

    def _misfit(self, path: str, body: int) -> errors.OpError:
        cls = errors.DataLossError if self._is_compressed else errors.InvalidArgumentError
        return cls(
            f'Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), input file "{path}" has '
            f"body length {body} bytes, which is not an exact multiple of the record length ({self._size} bytes)."
        )

    def read(self) -> bytes | None:
        wanted = self._size + self._footer
        self._ahead += _read(self.file, wanted - len(self._ahead))
        if len(self._ahead) < wanted:
            rest = len(self._ahead) - self._footer
            if rest:
                raise self._misfit(self.path, self.at + rest)
            return None
        piece, self._ahead = self._ahead[: self._size], self._ahead[self._size :]
        self.at += self._size
        return piece

    def seek(self, position: int) -> None:
        """position: in bytes of the body."""
        while self.at < position and self.read() is not None:
            pass


class RecordWriter:
    """Writes a TFRecord file, in a `with` block."""

    def __init__(self, path: str, compression: str) -> None:
        self._file = open(path, "wb")  # noqa: SIM115 (closed by `__exit__`)
        self._deflate = zlib.compressobj(wbits=_WINDOW[compression]) if compression in _WINDOW else None

    def write(self, data: bytes) -> None:
        """Write one record."""
        self._put(frame(data))

    def _put(self, data: bytes) -> None:
        self._file.write(data if self._deflate is None else self._deflate.compress(data))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            if self._deflate is not None:
                self._file.write(self._deflate.flush())
