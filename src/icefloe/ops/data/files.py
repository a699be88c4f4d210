"""Datasets of records, lines and pieces in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable
from icefloe.ops.data.csv_files import CsvFiles
from icefloe.ops.data.making import dataset_op, flag, number, text, texts
from icefloe.resources.datasets.base import Context, Dataset, as_dataset
from icefloe.resources.datasets.files import Files, Opener
from icefloe.resources.datasets.record_files import Lines, Pieces, Reader, Records, RecordWriter
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims

not_differentiable("DatasetToTFRecord", "ExperimentalDatasetToTFRecord")


def _paths(filenames: Any) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in texts(filenames, "filenames")]


def _compression(value: Any) -> str:
    return text(value, "compression_type").decode("latin-1")


def _check_compression(compression: str) -> str:
    if compression not in ("", "ZLIB", "GZIP"):
        raise errors.InvalidArgumentError("Unsupported compression_type.")
    return compression


def _checked(manager: ResourceManager, opener: Opener) -> Opener:
    """Return `opener` for files that this session may read."""

    def opened(path: str) -> Reader:
        manager.check_file(path, "read")
        return opener(path)

    return opened


def _check_buffer(buffer_size: Any) -> None:
    if number(buffer_size, "buffer_size") < -1:
        raise errors.InvalidArgumentError("`buffer_size` must be >= 0 (0 == no buffering)")


@dataset_op("TFRecordDataset")
def tf_record_dataset(filenames: Any, compression_type: Any, buffer_size: Any, *, manager: ResourceManager) -> Dataset:
    """The records of TFRecord files; an unknown compression is taken for none, as TensorFlow does."""
    return _records(filenames, compression_type, buffer_size, None, manager)


@dataset_op("TFRecordDatasetV2")
def tf_record_dataset_v2(
    filenames: Any, compression_type: Any, buffer_size: Any, byte_offsets: Any, *, manager: ResourceManager
) -> Dataset:
    """The records of TFRecord files, each from an offset on; no offsets mean the start."""
    return _records(filenames, compression_type, buffer_size, byte_offsets, manager)


def _records(
    filenames: Any, compression_type: Any, buffer_size: Any, byte_offsets: Any, manager: ResourceManager
) -> Dataset:
    paths, compression = _paths(filenames), _compression(compression_type)
    _check_buffer(buffer_size)
    offsets = None
    if byte_offsets is not None and np.size(byte_offsets):
        offsets = np.reshape(byte_offsets, -1).tolist()
        if len(offsets) != len(paths):
            raise errors.InvalidArgumentError("The number of filenames and byte offsets must be the same.")
        if min(offsets) < 0:
            raise errors.InvalidArgumentError("Byte offsets must be >= 0.")
    opener = _checked(manager, lambda path: Records(path, compression))
    return Files(paths, opener, "TFRecord", offsets=offsets, skips_damage=True)


@dataset_op("TextLineDataset")
def text_line_dataset(filenames: Any, compression_type: Any, buffer_size: Any, *, manager: ResourceManager) -> Dataset:
    paths, compression = _paths(filenames), _check_compression(_compression(compression_type))
    _check_buffer(buffer_size)
    return Files(paths, _checked(manager, lambda path: Lines(path, compression)), "TextLine")


@dataset_op("FixedLengthRecordDataset")
def fixed_length_record_dataset(
    filenames: Any,
    header_bytes: Any,
    record_bytes: Any,
    footer_bytes: Any,
    buffer_size: Any,
    *,
    manager: ResourceManager,
) -> Dataset:
    return _pieces(filenames, header_bytes, record_bytes, footer_bytes, buffer_size, "", manager)


@dataset_op("FixedLengthRecordDatasetV2")
def fixed_length_record_dataset_v2(
    filenames: Any,
    header_bytes: Any,
    record_bytes: Any,
    footer_bytes: Any,
    buffer_size: Any,
    compression_type: Any,
    *,
    manager: ResourceManager,
) -> Dataset:
    compression = _check_compression(_compression(compression_type))
    return _pieces(filenames, header_bytes, record_bytes, footer_bytes, buffer_size, compression, manager)


def _pieces(
    filenames: Any,
    header_bytes: Any,
    record_bytes: Any,
    footer_bytes: Any,
    buffer_size: Any,
    compression: str,
    manager: ResourceManager,
) -> Dataset:
    header, record = number(header_bytes, "header_bytes"), number(record_bytes, "record_bytes")
    footer = number(footer_bytes, "footer_bytes")
    for name, value in (("header_bytes", header), ("footer_bytes", footer)):
        if value < 0:
            raise errors.InvalidArgumentError(f"`{name}` must be >= 0")
    if record <= 0:
        raise errors.InvalidArgumentError("`record_bytes` must be > 0")
    _check_buffer(buffer_size)
    opener = _checked(manager, lambda path: Pieces(path, compression, header, record, footer))
    return Files(_paths(filenames), opener, "FixedLengthRecord", skips_damage=True)


@dataset_op("CSVDataset")
def csv_dataset(
    filenames: Any,
    compression_type: Any,
    buffer_size: Any,
    header: Any,
    field_delim: Any,
    use_quote_delim: Any,
    na_value: Any,
    select_cols: Any,
    record_defaults: tuple[Any, ...],
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    """The records of CSV files, one component for each column that is read."""
    options = header, field_delim, use_quote_delim, na_value, record_defaults
    columns, spec = (select_cols, False), (output_types, output_shapes)
    return _csv(filenames, compression_type, buffer_size, options, columns, spec, manager)


@dataset_op("CSVDatasetV2")
def csv_dataset_v2(
    filenames: Any,
    compression_type: Any,
    buffer_size: Any,
    header: Any,
    field_delim: Any,
    use_quote_delim: Any,
    na_value: Any,
    select_cols: Any,
    record_defaults: tuple[Any, ...],
    exclude_cols: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    """The records of CSV files; either which columns are read or which are not may be said."""
    excludes = bool(np.size(exclude_cols))
    if excludes and np.size(select_cols):
        raise errors.InvalidArgumentError("Either select_cols or exclude_cols should be empty")
    options = header, field_delim, use_quote_delim, na_value, record_defaults
    columns, spec = (exclude_cols if excludes else select_cols, excludes), (output_types, output_shapes)
    return _csv(filenames, compression_type, buffer_size, options, columns, spec, manager)


def _csv(
    filenames: Any,
    compression_type: Any,
    buffer_size: Any,
    options: tuple[Any, ...],
    columns: tuple[Any, bool],
    spec: tuple[Sequence[DType], Sequence[Dims]],
    manager: ResourceManager,
) -> Dataset:
    header, field_delim, use_quote_delim, na_value, record_defaults = options
    _check_buffer(buffer_size)
    for i, default in enumerate(record_defaults):
        if np.ndim(default) > 1:
            raise errors.InvalidArgumentError(f"Each record default should be at most rank 1, but default {i} is not")
    return CsvFiles(
        _paths(filenames),
        compression=_check_compression(_compression(compression_type)),
        header=flag(header, "header"),
        delimiter=text(field_delim, "field_delim"),
        quotes=flag(use_quote_delim, "use_quote_delim"),
        missing=text(na_value, "na_value"),
        columns=np.reshape(columns[0], -1).tolist(),
        excludes=columns[1],
        defaults=[np.ravel(default).tolist() for default in record_defaults],
        dtypes=spec[0],
        shapes=spec[1],
        check=lambda path: manager.check_file(path, "read"),
    )


@kernel("DatasetToTFRecord", "ExperimentalDatasetToTFRecord", per_run=True)
def dataset_to_tf_record(
    input_dataset: Any, filename: Any, compression_type: Any, *, manager: ResourceManager, run: Any
) -> tuple[()]:
    """Write the elements, which are single strings, to a TFRecord file."""
    compression = _check_compression(_compression(compression_type))
    path = text(filename, "filename").decode("utf-8", "surrogateescape")
    dataset = as_dataset(input_dataset)
    if [d.name for d in dataset.spec.dtypes] != ["string"]:
        raise errors.InvalidArgumentError("DatasetToTFRecord takes a dataset of single strings")
    manager.check_file(path, "write")
    iterator = dataset.iterator(Context(run))
    with RecordWriter(path, compression) as writer:
        while (element := iterator.next()) is not None:
            writer.write(text(element[0], "each element"))
    return ()
