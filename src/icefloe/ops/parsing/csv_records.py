"""DecodeCSV: records of comma-separated fields to one tensor per column.

The dialect is RFC 4180's, stricter than Python's: a quote may stand only around a whole field, doubled inside of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank_at_most
from icefloe.ops.array.values import Array
from icefloe.ops.string.elements import escaped, flat, strings
from icefloe.ops.string.numbers import parser_of
from icefloe.ops.wording import dtype_name
from icefloe.shapes import Dims


def fields_of(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """Return the fields of a record, none for an empty one. quotes: whether a quote has a meaning."""
    if not record:
        return []
    if not quotes or b'"' not in record:
        if quotes and (b"\n" in record or b"\r" in record):
            raise errors.InvalidArgumentError("Unquoted fields cannot have quotes/CRLFs inside")
        return record.split(delimiter)
    fields = []
    at = 0
    while True:
        if record[at : at + 1] != b'"':
            end = record.find(delimiter, at)
            end = len(record) if end < 0 else end
            field = record[at:end]
            if any(mark in field for mark in (b'"', b"\n", b"\r")):
                raise errors.InvalidArgumentError("Unquoted fields cannot have quotes/CRLFs inside")
        else:
            field, end = _quoted(record, at, delimiter)
        fields.append(field)
        if end >= len(record):
            return fields
        at = end + 1
        if at == len(record):
            return [*fields, b""]


def _quoted(record: bytes, start: int, delimiter: bytes) -> tuple[bytes, int]:
    """Return the field that begins with the quote at `start`, and where it ends."""
    at = start + 1
    while True:
        quote = record.find(b'"', at)
        if quote < 0:
            raise errors.InvalidArgumentError("Quoted field has to end with quote followed by delim or end")
        after = record[quote + 1 : quote + 2]
        if after == b'"':
            at = quote + 2
        elif after in (b"", delimiter):
            return record[start + 1 : quote].replace(b'""', b'"'), quote + 1
        else:
            raise errors.InvalidArgumentError("Quote inside a string has to be escaped by another quote")


@kernel("DecodeCSV")
def decode_csv(
    records: Any,
    defaults: tuple[Any, ...],
    *,
    OUT_TYPE: tuple[DType, ...],
    field_delim: str,
    use_quote_delim: bool,
    na_value: str | bytes,
    select_cols: tuple[int, ...],
) -> tuple[Array, ...]:
    """The columns of CSV records, each in its dtype.

    defaults: what an empty field, or `na_value`, is; without elements, the field is required.
    select_cols: the columns to read, ascending; none means all.
    """
    if len(field_delim.encode()) != 1:
        raise errors.InvalidArgumentError("field_delim should be only 1 char")
    if select_cols and len(select_cols) != len(OUT_TYPE):
        raise errors.InvalidArgumentError("select_cols should match output size")
    if any(b <= a for a, b in zip((-1, *select_cols), select_cols)):
        raise errors.InvalidArgumentError("select_cols should be strictly increasing indices")
    for i, default in enumerate(defaults):
        if np.ndim(default) > 1:
            raise errors.InvalidArgumentError(f"Each record default should be at most rank 1, but default {i} is not")
        if np.size(default) > 1:
            raise errors.InvalidArgumentError(
                f"There should only be 1 default per field but field {i} has {np.size(default)}"
            )
    missing = na_value if isinstance(na_value, bytes) else na_value.encode()
    delimiter = field_delim.encode()
    parsers = [None if dtype.name == "string" else parser_of(dtype) for dtype in OUT_TYPE]
    instead = [np.ravel(default).tolist() for default in defaults]
    columns: list[list[Any]] = [[] for _ in OUT_TYPE]
    for r, record in enumerate(flat(records)):
        fields = fields_of(record, delimiter, use_quote_delim)
        if select_cols:
            fields = [fields[i] for i in select_cols if i < len(fields)]
        if len(fields) != len(OUT_TYPE):
            raise errors.InvalidArgumentError(f"Expect {len(OUT_TYPE)} fields but have {len(fields)} in record {r}")
        for f, (field, parse) in enumerate(zip(fields, parsers)):
            if not field or field == missing:
                if not instead[f]:
                    raise errors.InvalidArgumentError(f"Field {f} is required but missing in record {r}!")
                columns[f].append(instead[f][0])
                continue
            value = field if parse is None else parse(field)
            if value is None:
                raise errors.InvalidArgumentError(
                    f"Field {f} in record {r} is not a valid {dtype_name(OUT_TYPE[f])}: {escaped(field)}"
                )
            columns[f].append(value)
    target = np.shape(records)
    return tuple(
        strings(column, target) if dtype.name == "string" else np.array(column, dtype.numpy).reshape(target)
        for column, dtype in zip(columns, OUT_TYPE)
    )


@shape("DecodeCSV")
def decode_csv_shape(c: ShapeContext) -> list[Dims]:
    for i in c.group("record_defaults"):
        known = with_rank_at_most(c.shape(i), 1)
        if known and known[0] is not None and known[0] > 1:
            raise errors.InvalidArgumentError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [c.shape(0)] * c.num_outputs
