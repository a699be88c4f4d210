"""SqlDataset: the rows that a query gives on an SQLite database.

Source: tensorflow/core/kernels/data/experimental/sql_dataset_op.cc, sql/sqlite_query_connection.cc.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.data.making import dataset_op, spec_of, text
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, Spec, State
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims

_INTEGER = re.compile(r"\s*([+-]?\d+)")
_REAL = re.compile(r"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")


def _integer(value: Any) -> int:
    """Return what SQLite makes of a value where an integer is asked for."""
    if isinstance(value, float):
        return 0 if math.isnan(value) else min(max(int(max(min(value, 2.0**64), -(2.0**64))), -(2**63)), 2**63 - 1)
    if isinstance(value, (str, bytes)):
        found = _INTEGER.match(_words(value))
        return int(found.group(1)) if found else 0
    return value or 0


def _real(value: Any) -> float:
    if isinstance(value, (str, bytes)):
        found = _REAL.match(_words(value))
        return float(found.group(1)) if found else 0.0
    return float(value or 0)


def _words(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def _string(value: Any) -> bytes:
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        digits, e, exponent = f"{value:.15g}".partition("e")
        return f"{digits}{'' if '.' in digits or 'n' in digits else '.0'}{e}{exponent}".encode()
    return str(value).encode("utf-8", "surrogateescape")


def _converter(dtype: DType) -> Callable[[Any], Any]:
    """Return what makes a column's value a scalar of `dtype`. Raises: InvalidArgumentError for other dtypes."""
    name = dtype.name
    if name == "string":
        return lambda value: np.array(_string(value), object)
    if name == "bool":
        return lambda value: np.bool_(_integer(value) != 0)
    if name == "float64":
        return lambda value: np.float64(_real(value))
    if name in ("int8", "int16", "int32", "int64", "uint8", "uint16"):
        return lambda value: np.array(_integer(value) & (2**64 - 1), np.uint64).astype(dtype.numpy)[()]
    raise errors.InvalidArgumentError(
        "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, "
        "DT_UINT16, DT_BOOL, DT_DOUBLE "
    )


class SqlRows(Dataset):
    """The rows of a query, a scalar for each column. may_use: called before the database is opened; may raise."""

    kind = "Sql"

    def __init__(self, source: str, query: str, spec: Spec, may_use: Callable[[], None]) -> None:
        super().__init__(spec)
        self.source = source
        self.query = query
        self.converters = [_converter(dtype) for dtype in spec.dtypes]
        self.may_use = may_use

    def iterator(self, context: Context) -> Iterator:
        return _SqlIterator(self, context)


class _SqlIterator(Iterator):
    """How many rows were given, and the open query; after the end or an error it is closed."""

    def __init__(self, dataset: SqlRows, context: Context) -> None:
        self._dataset = dataset
        self._context = context
        self._given = 0
        self._skip = 0
        self._connection: sqlite3.Connection | None = None
        self._cursor: sqlite3.Cursor | None = None
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        self._context.check()
        try:
            row = self._row()
        except sqlite3.Error as error:
            self._close()
            raise _translated(error, self._dataset.source) from None
        if row is None:
            self._ended = True
            self._close()
            return None
        self._given += 1
        return tuple([convert(value) for convert, value in zip(self._dataset.converters, row, strict=True)])

    def _row(self) -> Any:
        if self._cursor is None:
            self._open()
        assert self._cursor is not None
        while self._skip:
            self._cursor.fetchone()
            self._skip -= 1
        return self._cursor.fetchone()

    def _open(self) -> None:
        dataset = self._dataset
        dataset.may_use()
        self._connection = sqlite3.connect(dataset.source, check_same_thread=False)
        self._connection.text_factory = bytes
        cursor = self._connection.execute(dataset.query)
        columns = len(cursor.description or ())
        if columns != len(dataset.converters):
            self._close()
            raise errors.InvalidArgumentError(
                f"The number of columns in query ({columns}) must match the number of elements in output_types "
                f"({len(dataset.converters)})."
            )
        self._cursor = cursor

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._cursor = None

    def __del__(self) -> None:
        self._close()

    def save(self) -> State:
        return {"given": self._given, "ended": int(self._ended)}

    def restore(self, state: State) -> None:
        self._given = self._skip = int(state["given"])
        self._ended = bool(state["ended"])


def _translated(error: sqlite3.Error, source: str) -> errors.OpError:
    """Return the error that TensorFlow gives for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    base = None if code is None else code & 0xFF
    if base in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_NOTADB):
        return errors.InvalidArgumentError(str(error), path=source)
    if base == sqlite3.SQLITE_CORRUPT:
        return errors.DataLossError(str(error), path=source)
    if base in (sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return errors.PermissionDeniedError(str(error), path=source)
    if base == sqlite3.SQLITE_FULL:
        return errors.ResourceExhaustedError(str(error), path=source)
    return errors.UnknownError(str(error), path=source)


@dataset_op("SqlDataset")
def sql_dataset(
    driver_name: Any,
    data_source_name: Any,
    query: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    """The rows of a query on an SQLite file; the query may write, so the session must be allowed to."""
    driver = text(driver_name, "driver_name")
    if driver != b"sqlite":
        raise errors.InvalidArgumentError(
            f"The database type, {driver.decode(errors='replace')}, is not supported by SqlDataset. The set of "
            "supported databases is: {'sqlite'}."
        )
    if any(s != () for s in output_shapes):
        raise errors.InvalidArgumentError("Each element of `output_shapes_` must be a scalar.")
    source = text(data_source_name, "data_source_name").decode("utf-8", "surrogateescape")
    words = text(query, "query").decode("utf-8", "surrogateescape")
    spec = spec_of(output_types, output_shapes)
    return SqlRows(source, words, spec, lambda: manager.check_file(source, "write"))
