"""Records of CSV files: fields of RFC 4180's dialect, taken from the file as they are needed.

Source: tensorflow/core/kernels/data/experimental/csv_dataset_op.cc.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.string.elements import escaped
from icefloe.ops.string.numbers import parser_of
from icefloe.ops.wording import dtype_name
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, Spec, State
from icefloe.resources.datasets.record_files import open_bytes
from icefloe.shapes import Dims

_CHUNK = 1 << 16
_LINE_ENDS = b"\r\n"


class _Fields:
    """The fields of an open file, record by record."""

    def __init__(self, file: IO[bytes], delimiter: bytes, quotes: bool) -> None:
        self._file = file
        self._quotes = quotes
        stops = delimiter + (b'\r\n"' if quotes else b"\r\n")
        self._stop = re.compile(b"[" + re.escape(stops) + b"]")
        self._delimiter = delimiter
        self._data = b""
        self._at = 0
        self.position = 0  # of `_data` in the file

    def close(self) -> None:
        self._file.close()

    def begins_at(self) -> int:
        """Return where in the file the next record begins."""
        return self.position + self._at

    def seek(self, position: int) -> None:
        """Go on at the beginning of a record."""
        left = position
        while left > 0 and (part := self._file.read(min(left, _CHUNK))):
            left -= len(part)
        self.position = position

    def _more(self) -> bool:
        # A field that goes on and on is not copied for every piece of it.
        part = self._file.read(max(_CHUNK, len(self._data)))
        self._data += part
        return bool(part)

    def _has(self, at: int) -> bool:
        """Return whether there is a byte at `at`."""
        return at < len(self._data) or (self._more() and at < len(self._data))

    def record(self) -> list[bytes] | None:
        """Return the fields of the next record, or None at the end.

        Raises: InvalidArgumentError for quotes out of place; the next record is the one behind that.
        """
        self.position += self._at
        self._data, self._at = self._data[self._at :], 0
        if not self._has(0):
            return None
        fields: list[bytes] = []
        at = 0
        while True:
            try:
                if self._quotes and self._has(at) and self._data[at : at + 1] == b'"':
                    field, at = self._quoted(at)
                else:
                    field, at = self._plain(at)
            except errors.InvalidArgumentError:
                self._skip_line(at)
                raise
            fields.append(field)
            if not self._has(at):
                self._at = at
                return fields
            mark = self._data[at : at + 1]
            at += 1
            if mark != self._delimiter:
                if mark == b"\r" and self._has(at) and self._data[at : at + 1] == b"\n":
                    at += 1
                self._at = at
                return fields

    def _plain(self, at: int) -> tuple[bytes, int]:
        """Return the field at `at` and where it ends: at a delimiter, a line's end or the file's."""
        start, look = at, at
        while True:
            found = self._stop.search(self._data, look)
            if found is not None:
                if found[0] == b'"':
                    raise errors.InvalidArgumentError("Unquoted fields cannot have quotes inside")
                return self._data[start : found.start()], found.start()
            look = len(self._data)
            if not self._more():
                return self._data[start:], look

    def _quoted(self, at: int) -> tuple[bytes, int]:
        look = at + 1
        while True:
            quote = self._data.find(b'"', look)
            if quote < 0:
                look = len(self._data)
                if not self._more():
                    self._at = look
                    raise errors.InvalidArgumentError("Reached end of file without closing quoted field in record")
                continue
            after = self._data[quote + 1 : quote + 2] if self._has(quote + 1) else b""
            if after == b'"':
                look = quote + 2
            elif after == b"" or after == self._delimiter or after in _LINE_ENDS:
                return self._data[at + 1 : quote].replace(b'""', b'"'), quote + 1
            else:
                raise errors.InvalidArgumentError("Quote inside a string has to be escaped by another quote")

    def _skip_line(self, at: int) -> None:
        while self._has(at) and self._data[at] not in _LINE_ENDS:
            at += 1
        if self._has(at):
            at += 2 if self._has(at + 1) and self._data[at : at + 2] == b"\r\n" else 1
        self._at = at


class CsvFiles(Dataset):
    """The records of CSV files, a component for each column that is read.

    defaults: for each component a list of its default, or an empty one where the field is required.
    columns: which fields are read, or None for all; or with `excludes` which are not.
    """

    kind = "CSV"

    def __init__(
        self,
        paths: Sequence[str],
        *,
        compression: str,
        header: bool,
        delimiter: bytes,
        quotes: bool,
        missing: bytes,
        columns: Sequence[int],
        excludes: bool,
        defaults: Sequence[Any],
        dtypes: Sequence[DType],
        shapes: Sequence[Dims],
        check: Callable[[str], None],
    ) -> None:
        super().__init__(Spec(tuple(dtypes), tuple(shapes)))
        if len(delimiter) != 1:
            raise errors.InvalidArgumentError("field_delim should be only 1 char")
        if any(b <= a for a, b in itertools.pairwise(columns)):
            raise errors.InvalidArgumentError("select_cols should be strictly increasing indices")
        if columns and columns[0] < 0:
            raise errors.InvalidArgumentError("select_cols should be non-negative indices")
        if columns and not excludes and len(columns) != len(dtypes):
            raise errors.InvalidArgumentError("select_cols should match output size")
        for i, default in enumerate(defaults):
            if len(default) > 1:
                raise errors.InvalidArgumentError(
                    f"There should only be 1 default per field but field {i} has {len(default)}"
                )
        self.paths = paths
        self.compression, self.header = compression, header
        self.delimiter, self.quotes = delimiter, quotes
        self._missing, self._columns, self._excludes = missing, columns, excludes
        self._defaults = defaults
        self._parsers = [None if d.name == "string" else parser_of(d) for d in dtypes]
        self.check = check

    def iterator(self, context: Context) -> Iterator:
        return _CsvIterator(self, context)

    def element(self, fields: list[bytes]) -> Element:
        """Return what a record holds. Raises: InvalidArgumentError for other fields than the dataset has."""
        count = len(self._parsers)
        if self._excludes:
            fields = [field for i, field in enumerate(fields) if i not in self._columns]
        elif self._columns:
            fields = [fields[i] for i in self._columns if i < len(fields)]
        element = tuple([self._component(i, field) for i, field in enumerate(fields[:count])])
        if len(fields) != count:
            have = "more" if len(fields) > count else str(len(fields))
            raise errors.InvalidArgumentError(f"Expect {count} fields but have {have} in record")
        return element

    def _component(self, i: int, field: bytes) -> Any:
        dtype, parse = self.spec.dtypes[i], self._parsers[i]
        if not field or field == self._missing:
            if not self._defaults[i]:
                raise errors.InvalidArgumentError(f"Field {i} is required but missing in record!")
            value = self._defaults[i][0]
        else:
            value = field if parse is None else parse(field)
        if value is None:
            raise errors.InvalidArgumentError(
                f"Field {i} in record is not a valid {dtype_name(dtype)}: {escaped(field)}"
            )
        return np.array(value, object) if parse is None else dtype.numpy.type(value)


class _CsvIterator(Iterator):
    def __init__(self, dataset: CsvFiles, context: Context) -> None:
        self._dataset = dataset
        self._context = context
        self._file = 0
        self._fields: _Fields | None = None

    def next(self) -> Element | None:
        while self._file < len(self._dataset.paths):
            fields = self._fields or self._open()
            record = fields.record()
            if record is not None:
                return self._dataset.element(record)
            self._leave()
            self._context.check()
        return None

    def _open(self, position: int | None = None) -> _Fields:
        dataset = self._dataset
        path = dataset.paths[self._file]
        dataset.check(path)
        made = _Fields(open_bytes(path, dataset.compression), dataset.delimiter, dataset.quotes)
        if position is not None:
            made.seek(position)
        elif dataset.header:
            made.record()
        self._fields = made
        return made

    def _leave(self) -> None:
        if self._fields is not None:
            self._fields.close()
        self._fields = None
        self._file += 1

    def __del__(self) -> None:
        if self._fields is not None:
            self._fields.close()

    def save(self) -> State:
        return {"file": self._file, "at": None if self._fields is None else self._fields.begins_at()}

    def restore(self, state: State) -> None:
        self._file = int(state["file"])
        if state["at"] is not None:
            self._open(int(state["at"]))
