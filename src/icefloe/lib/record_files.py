"""Writing and reading TFRecord files without a graph, as in tf.python_io.

Source: tensorflow/python/lib/io/tf_record.py, tensorflow/core/lib/io/zlib_compression_options.h (defaults).
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.resources.datasets.record_files import Records
from icefloe.wire.record import frame


class TFRecordCompressionType:
    """How the records of a file are compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a TFRecord file is written.

    compression_type: "GZIP", "ZLIB", "" or a `TFRecordCompressionType`. The others are zlib's, None for its defaults;
    buffer sizes are taken for TensorFlow's sake and do not matter.

    Raises: ValueError for another compression.
    """

    compression_type_map: ClassVar[dict[Any, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Return "GZIP", "ZLIB" or "" for options, a compression type or its name. Raises: ValueError for another."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        known = cls.compression_type_map
        if options in known:
            return known[options]
        if options in known.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def _compressor(self) -> Any:
        """Return what compresses as these options say, None for no compression."""
        kind = self.get_compression_type_string(self.compression_type)
        if not kind:
            return None

        def given(value: int | None, default: int) -> int:
            return default if value is None else value

        return zlib.compressobj(
            given(self.compression_level, zlib.Z_DEFAULT_COMPRESSION),
            given(self.compression_method, zlib.DEFLATED),
            given(self.window_bits, zlib.MAX_WBITS | (16 if kind == "GZIP" else 0)),
            given(self.mem_level, 9),
            given(self.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
        )


class TFRecordWriter:
    """Writes records to a file, replacing what it held.

    options: `TFRecordOptions`, a compression type or its name.

    Raises: NotFoundError and what the system says if the file cannot be written; ValueError for another compression.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._path = os.fsdecode(path)
        self._compressor = options._compressor()
        self._file: Any = None
        with _system(self._path):
            self._file = open(self._path, "wb")  # noqa: SIM115 (closed by `close`)

    def _put(self, data: bytes) -> None:
        with _system(self._path):
            self._file.write(data)

    def _check_open(self) -> None:
        if self._file is None:
            raise errors.FailedPreconditionError("Writer is closed.", path=self._path)

    def write(self, record: bytes | str) -> None:
        """Append a record. Raises: TypeError if it is no bytes; FailedPreconditionError after `close`."""
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(f"write(): expected bytes, got {type(record).__name__}")
        self._check_open()
        data = frame(bytes(record))
        self._put(data if self._compressor is None else self._compressor.compress(data))

    def flush(self) -> None:
        """Hand what was written to the system, so that a reader can have it."""
        self._check_open()
        if self._compressor is not None:
            self._put(self._compressor.flush(zlib.Z_PARTIAL_FLUSH))
        with _system(self._path):
            self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with _system(self._path), contextlib.closing(file):
            if self._compressor is not None:
                file.write(self._compressor.flush())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


@contextlib.contextmanager
def _system(path: str) -> Iterator[None]:
    """Raise the system's errors as icefloe's."""
    try:
        yield
    except errors.OpError:  # some are OSError or ValueError, too
        raise
    except OSError as error:
        raise os_error(error, path) from None
    except ValueError as error:  # an embedded NUL
        raise errors.InvalidArgumentError(f"{path!r}; {error}") from None


class _RecordIterator:
    def __init__(self, path: Any, compression: str) -> None:
        self._path = os.fsdecode(path)
        with _system(self._path):
            self._records = Records(self._path, compression)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        with _system(self._path):
            record = self._records.read()
            if record is None and self._records.file.seekable():  # a header cut short is read again
                self._records.seek(self._records.at)
        if record is None:
            raise StopIteration
        return record

    def __del__(self) -> None:
        if hasattr(self, "_records"):
            self._records.close()


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Return an iterator of the records of a file. At the end it may be asked again, for what was added since.

    Raises: NotFoundError if there is no such file; DataLossError, from the iterator, for a damaged record.
    """
    return _RecordIterator(path, TFRecordOptions.get_compression_type_string(options))
