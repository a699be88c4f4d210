"""Keys and values out of the lines of a text file. Registers nothing.

Source: tensorflow/core/kernels/lookup_util.cc.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.wording import dtype_name

# Instead of the number of a column.
WHOLE_LINE = -2
LINE_NUMBER = -1

_INTEGER = re.compile(rb"\s*[+-]?[0-9]+\s*")
_REAL = re.compile(rb"\s*[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf|infinity|nan)\s*", re.I)


@dataclass(frozen=True)
class Columns:
    """Which parts of each line are key and value.

    key, value: the number of a column, WHOLE_LINE or LINE_NUMBER. vocab_size: how many lines to read, -1 for all.
    offset: added to line numbers and, as TensorFlow does, to int32 values.
    """

    key: int
    value: int
    vocab_size: int
    delimiter: bytes
    offset: int

    def check(self, key_dtype: DType, value_dtype: DType) -> None:
        """Raise InvalidArgumentError if a table with these dtypes cannot hold such parts."""
        number, line = "{} index for line number requires table {}dtype of int64, got {}", ""
        if self.key == LINE_NUMBER and key_dtype.name != "int64":
            raise errors.InvalidArgumentError(number.format("Key", "key ", dtype_name(key_dtype)))
        if self.key == WHOLE_LINE and not (key_dtype.is_integer or key_dtype.name == "string"):
            line = f"Key index for whole line requires string or integer table key, got {dtype_name(key_dtype)}"
        elif self.value == LINE_NUMBER and value_dtype.name != "int64":
            line = number.format("Value", "value ", dtype_name(value_dtype))
        elif self.value == WHOLE_LINE and not (value_dtype.is_integer or value_dtype.name == "string"):
            line = (
                "Value index for whole line requires table value dtype of integer or string, "
                f"got {dtype_name(value_dtype)}"
            )
        if line:
            raise errors.InvalidArgumentError(line)


def read(path: Path, columns: Columns, key_dtype: DType, value_dtype: DType) -> Iterator[tuple[Any, Any]]:
    """Yield key and value of each line.

    Raises: InvalidArgumentError for an empty line, too few columns, what is no number where one is wanted, or too few
    lines; OutOfRangeError if there are none.
    """
    number = -1
    position = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file):
            if number == columns.vocab_size:
                return
            position += len(raw)
            line = raw.removesuffix(b"\n").replace(b"\r", b"")
            if not line:
                raise errors.InvalidArgumentError(
                    f"Invalid content in {path}: empty line found at position {position}."
                )
            tokens = _tokens(path, number, line, columns)
            yield (
                _part(line, number, tokens, columns.key, columns.offset, key_dtype),
                _part(line, number, tokens, columns.value, columns.offset, value_dtype),
            )
    if columns.vocab_size not in (-1, number + 1):
        raise errors.InvalidArgumentError(
            f"Invalid vocab_size in {path}: expected {columns.vocab_size} but got {number + 1}"
        )
    if number < 0:
        raise errors.OutOfRangeError(f"{path} has no lines")


def _tokens(path: Path, number: int, line: bytes, columns: Columns) -> list[bytes]:
    last = max(columns.key, columns.value)
    if last < 0:
        return []
    tokens = line.split(columns.delimiter)
    if len(tokens) <= last:
        raise errors.InvalidArgumentError(
            f"Invalid number of columns in {path} line {number} ({line.decode(errors='replace')}) : expected at least "
            f"{last + 1} got {len(tokens)}"
        )
    return tokens


def _part(line: bytes, number: int, tokens: list[bytes], index: int, offset: int, dtype: DType) -> Any:
    if index == LINE_NUMBER:
        return number + offset
    token = line if index == WHOLE_LINE else tokens[index]
    name = dtype.name
    if name == "string":
        return token
    if name in ("int32", "int64"):
        value = int(token) if _INTEGER.fullmatch(token) else None
        if value is not None and dtype.min <= value <= dtype.max:
            return int(np.array(value + offset).astype(np.int32)) if name == "int32" else value
    elif name in ("float32", "float64"):
        if _REAL.fullmatch(token):
            real = float(token)
            # TensorFlow reads a float32 as one: what is too large for it becomes infinite.
            return float(np.float32(real)) if name == "float32" and math.isfinite(real) else real
    else:
        raise errors.InvalidArgumentError(f"Data type {dtype_name(dtype)} not supported.")
    raise errors.InvalidArgumentError(
        f"Field {token.decode(errors='replace')} in line {number} is not a valid {dtype_name(dtype)}."
    )
