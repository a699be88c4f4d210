"""Datasets of the contents of files: lines, TFRecords, records of fixed length, CSV.

Source: tensorflow/python/data/ops/readers.py, tensorflow/python/data/experimental/ops/readers.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import metadata, number
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_functional import flat_map, interleave

_DEFAULT_BUFFER = 256 * 1024
_LINE = TensorSpec([], datatypes.string)


def _optional(value: Any, name: str, default: Any, dtype: Any) -> Tensor:
    return convert_to_tensor(default if value is None else value, dtype=dtype, name=name)


def _names(filenames: Any, name: str | None) -> Dataset:
    """Return a dataset of single names. Raises: TypeError for a dataset of something else or no strings."""
    if isinstance(filenames, Dataset):
        if filenames.output_types != datatypes.string:
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                f"`{filenames.output_types!r}` elements."
            )
        if not filenames.output_shapes.is_compatible_with([]):
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset "
                f"of element shape {filenames.output_shapes!r}."
            )
        return filenames
    tensor = convert_to_tensor(filenames, _empty_dtype(filenames))
    if tensor.dtype != datatypes.string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{tensor.dtype!r}` elements.")
    flat = apply_op("Reshape", tensor, [-1], name="flat_filenames")
    variant = apply_op("TensorSliceDataset", [flat], output_shapes=[[]], is_files=True, metadata=metadata(name))
    return Dataset(variant, _LINE)


def _empty_dtype(value: Any) -> Any:
    """Return string for an empty list, which would else be one of floats."""
    return datatypes.string if isinstance(value, (list, tuple)) and not value else None


def _read_all(
    filenames: Dataset, read_one_file: Callable[[Any], Dataset], num_parallel_reads: Any, name: str | None
) -> Dataset:
    if num_parallel_reads is None:
        return flat_map(filenames, read_one_file, name)
    return interleave(filenames, read_one_file, num_parallel_reads, 1, num_parallel_reads, None, name)


class _FileDataset(Dataset):
    """A dataset of what is in files, one after the other."""

    def __init__(self, filenames: Any, read: Callable[[Any], Any], num_parallel_reads: Any, name: str | None) -> None:
        def read_one_file(filename: Any) -> Dataset:
            return Dataset(read(filename), _LINE)

        names = _names(filenames, name)
        made = _read_all(names, read_one_file, num_parallel_reads, name)
        super().__init__(made._variant_tensor, _LINE, (made,))


class TextLineDataset(_FileDataset):
    """The lines of text files, without their ends."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        """compression_type: "", "ZLIB" or "GZIP"."""

        def read(filename: Any) -> Any:
            kind = _optional(compression_type, "compression_type", "", datatypes.string)
            size = _optional(buffer_size, "buffer_size", _DEFAULT_BUFFER, datatypes.int64)
            return apply_op("TextLineDataset", filename, kind, size, metadata=metadata(name))

        super().__init__(filenames, read, num_parallel_reads, name)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        """compression_type: "", "ZLIB" or "GZIP"."""

        def read(filename: Any) -> Any:
            kind = _optional(compression_type, "compression_type", "", datatypes.string)
            size = _optional(buffer_size, "buffer_size", -1, datatypes.int64)
            return apply_op("TFRecordDataset", filename, kind, size, metadata=metadata(name))

        super().__init__(filenames, read, num_parallel_reads, name)


class FixedLengthRecordDataset(_FileDataset):
    """Pieces of `record_bytes` of files, between a header and a footer."""

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        """compression_type: "", "ZLIB" or "GZIP"."""

        def read(filename: Any) -> Any:
            record = number(record_bytes, "record_bytes")
            header = _optional(header_bytes, "header_bytes", 0, datatypes.int64)
            footer = _optional(footer_bytes, "footer_bytes", 0, datatypes.int64)
            size = _optional(buffer_size, "buffer_size", _DEFAULT_BUFFER, datatypes.int64)
            kind = _optional(compression_type, "compression_type", "", datatypes.string)
            return apply_op(
                "FixedLengthRecordDatasetV2", filename, header, record, footer, size, kind, metadata=metadata(name)
            )

        super().__init__(filenames, read, num_parallel_reads, name)


class CsvDataset(Dataset):
    """The records of CSV files, a tuple of one tensor for each column."""

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        """record_defaults: for each column a dtype, where a value is required, or the value of an empty field."""
        names = convert_to_tensor(filenames, dtype=datatypes.string, name="filenames")
        defaults = [_default(d) for d in record_defaults]
        spec = tuple([TensorSpec([], d.dtype) for d in defaults])
        int64, string = datatypes.int64, datatypes.string
        given = [
            names,
            _optional(compression_type, "compression_type", "", string),
            _optional(buffer_size, "buffer_size", 4 * 1024 * 1024, int64),
            convert_to_tensor(header, dtype=datatypes.bool, name="header"),
            convert_to_tensor(field_delim, dtype=string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtype=datatypes.bool, name="use_quote_delim"),
            convert_to_tensor(na_value, dtype=string, name="na_value"),
            _optional(select_cols, "select_cols", [], int64),
            defaults,
            _optional(exclude_cols, "exclude_cols", [], int64),
        ]
        variant = apply_op("CSVDatasetV2", *given, output_shapes=structure.flat_shapes(spec))
        super().__init__(variant, spec)


class SqlDataset(Dataset):
    """The rows of a query's result."""

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any) -> None:
        """driver_name: "sqlite". data_source_name: the database's file. output_types: the dtypes of the columns."""
        texts = (driver_name, "driver_name"), (data_source_name, "data_source_name"), (query, "query")
        given = [convert_to_tensor(value, dtype=datatypes.string, name=name) for value, name in texts]
        spec = nest.map_structure(lambda dtype: TensorSpec([], dtype), output_types)
        types, shapes = structure.flat_types(spec), structure.flat_shapes(spec)
        super().__init__(apply_op("SqlDataset", *given, output_types=types, output_shapes=shapes), spec)


def _default(value: Any) -> Tensor:
    if isinstance(value, datatypes.DType) or (isinstance(value, type) and value in (int, float, str, bool)):
        return convert_to_tensor([], dtype=datatypes.as_dtype(value))
    return convert_to_tensor(value)
