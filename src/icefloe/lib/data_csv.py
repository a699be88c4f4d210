"""`tf.data.experimental.make_csv_dataset`: pipelines of CSV files whose columns are found out by reading them.

Source: tensorflow/python/data/experimental/ops/readers.py.
"""

from __future__ import annotations

import csv
import gzip
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant
from icefloe.graph.tensor import Tensor
from icefloe.lib import files
from icefloe.lib.data_arguments import AUTOTUNE
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_examples import files_interleaved, shuffled_and_repeated
from icefloe.lib.data_readers import CsvDataset

_TYPES = (datatypes.int32, datatypes.int64, datatypes.float32, datatypes.float64, datatypes.string)
Opener = Callable[[str], Any]


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Return batches of the rows of CSV files as dicts of columns, or pairs of such a dict and a label.

    column_names: default those of the files' first line. column_defaults: for each column a dtype, where a value is
    required, or what an empty field stands for; default found out from the first rows. label_name: the column that is
    the label. select_columns: names or numbers of those to read. num_epochs: default without end.

    Raises: ValueError for columns that do not fit the files, or no files.
    """
    names = _file_names(file_pattern)
    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    opener = _opener(compression_type, encoding) if column_names is None or column_defaults is None else None
    quoting = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        assert opener is not None
        column_names = _column_names(names, field_delim, quoting, opener)
    columns = list(column_names)
    _check_once(columns)
    chosen = None if select_columns is None else _column_numbers(select_columns, columns)
    if column_defaults is None:
        assert opener is not None
        rows = _rows(names, len(columns), field_delim, quoting, header, opener)
        defaults = _defaults(itertools.islice(rows, num_rows_for_inference), chosen or range(len(columns)), na_value)
    else:
        defaults = [constant([], dtype=d) if not isinstance(d, Tensor) and _is_type(d) else d for d in column_defaults]
    if chosen is not None:
        if len(defaults) != len(chosen):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has "
                f"length {len(defaults)}, `select_columns` has length {len(chosen)}."
            )
        columns = [columns[i] for i in chosen]
    by_name = _by_name(columns, label_name)

    def read(name: Any) -> Dataset:
        found: Dataset = CsvDataset(
            name,
            record_defaults=defaults,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=chosen,
            header=header,
            compression_type=compression_type,
        )
        return found.ignore_errors() if ignore_errors else found

    reads = 1 if num_parallel_reads is None else num_parallel_reads
    dataset = files_interleaved(dataset, read, reads, sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(by_name)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _check_once(columns: list[str]) -> None:
    twice = {name for name in columns if columns.count(name) > 1}
    if twice:
        raise ValueError(f"Either `column_names` argument or CSV header row contains duplicate column names: {twice}.")


def _by_name(columns: list[str], label_name: str | None) -> Callable[..., Any]:
    """Return what makes a dict of a row's values, or a pair of the dict and the label."""
    if label_name is not None and label_name not in columns:
        raise ValueError(f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}.")

    def by_name(*values: Any) -> Any:
        features = OrderedDict(zip(columns, values))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return by_name


def _is_type(value: Any) -> bool:
    try:
        return datatypes.as_dtype(value) in _TYPES and not isinstance(value, (str, bytes))
    except TypeError:
        return False


def _file_names(pattern: Any) -> list[str]:
    if isinstance(pattern, list):
        if not pattern:
            raise ValueError("Argument `file_pattern` should not be empty.")
        found = [name for each in pattern for name in files.Glob(each)]
    else:
        found = list(files.Glob(pattern))
    if not found:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return sorted(found)


def _opener(compression: Any, encoding: str) -> Opener:
    kind = constant_value(compression) if isinstance(compression, Tensor) else compression
    text = kind.decode() if isinstance(kind, bytes) else (kind if kind is None else str(np.asarray(kind)[()]))
    if text == "GZIP":
        return lambda name: gzip.open(name, "rt", encoding=encoding, newline="")
    if text == "ZLIB":
        raise ValueError(f"`compression_type` {compression} is not supported for probing columns.")
    if text:
        raise ValueError(f"Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or  (empty string).")
    return lambda name: open(name, encoding=encoding, newline="")


def _column_names(names: Sequence[str], delimiter: str, quoting: Any, opener: Opener) -> list[str]:
    """Return the first line that all files share."""
    found: list[str] | None = None
    for name in names:
        with opener(name) as file:
            first = next(csv.reader(file, delimiter=delimiter, quoting=quoting), None)
        if first is None:
            raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
        if found is not None and first != found:
            raise ValueError(
                "All input CSV files should have the same column names in the header row. File "
                f"{name} has different column names."
            )
        found = first
    assert found is not None
    return found


def _column_numbers(select: Sequence[Any], columns: list[str]) -> list[int]:
    found = []
    for which in select:
        if isinstance(which, int):
            if not 0 <= which < len(columns):
                raise ValueError(
                    f"Column index {which} specified in `select_columns` should be > 0  and <= {len(columns)}, "
                    "which is the number of columns."
                )
            found.append(which)
        elif which not in columns:
            keys = dict.fromkeys(columns).keys()
            raise ValueError(f"Column {which} specified in `select_columns` must be of one of the columns: {keys}.")
        else:
            found.append(columns.index(which))
    twice = {i for i in found if found.count(i) > 1}
    if twice:
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(found)


def _rows(
    names: Sequence[str], count: int, delimiter: str, quoting: Any, header: bool, opener: Opener
) -> Iterator[list[str]]:
    for name in names:
        with opener(name) as file:
            reader = csv.reader(file, delimiter=delimiter, quoting=quoting)
            for i, row in enumerate(reader, 1):
                if header and i == 1:
                    continue
                if len(row) != count:
                    raise ValueError(
                        f"Problem inferring types: CSV row {i} has {len(row)} number of fields. Expected: {count}."
                    )
                yield row


def _defaults(rows: Iterator[list[str]], chosen: Sequence[int], na_value: str) -> list[Tensor]:
    """Return 0, or an empty string, of the narrowest dtype that holds all values of each column."""
    kinds = [-1] * len(chosen)
    for row in rows:
        for j, column in enumerate(chosen):
            if row[column] not in ("", na_value):
                kinds[j] = max(kinds[j], _kind(row[column]))
    types = [_TYPES[kind] for kind in kinds]  # the last one where no row has a value
    return [constant(["" if dtype == datatypes.string else 0], dtype=dtype) for dtype in types]


def _kind(text: str) -> int:
    """Return the place in `_TYPES` of the narrowest dtype that holds a value."""
    try:
        whole = int(text)
    except ValueError:
        pass
    else:
        if -(1 << 31) <= whole < 1 << 31:
            return 0
        if -(1 << 63) <= whole < 1 << 63:
            return 1
    try:
        value = float(text)
    except ValueError:
        return 4
    with np.errstate(over="ignore"):
        if np.float32(value) < np.inf:
            return 2
    return 3 if value < np.inf else 4
