"""`tf.data.experimental`: transformations as functions of a dataset, for `Dataset.apply`.

Source: tensorflow/python/data/experimental/ops/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import SparseTensorSpec, TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.array_create import zeros
from icefloe.lib.data_arguments import AUTOTUNE, INFINITE, INT64, UNKNOWN, arguments, flag, number, seed_pair
from icefloe.lib.data_batches import rebatch, sparse_batch, unbatch
from icefloe.lib.data_choice import choose_from_datasets, sample_from_datasets
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_function import DatasetFunction
from icefloe.lib.data_functional import Reducer, group_by_window, legacy_interleave, scan, take_while
from icefloe.lib.data_functional import group_by_reducer as reduced_groups
from icefloe.lib.data_sources import counter

Transformation = Callable[[Dataset], Dataset]
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN
__all__ = ["AUTOTUNE", "Reducer", "choose_from_datasets", "counter", "sample_from_datasets"]


def _method(name: str) -> Callable[..., Transformation]:
    """Return a function whose result calls the method `name` of a dataset."""

    def function(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    function.__name__ = name
    function.__doc__ = f"Return what `Dataset.{name}` does, for `Dataset.apply`."
    return function


bucket_by_sequence_length = _method("bucket_by_sequence_length")
enumerate_dataset = _method("enumerate")
unique = _method("unique")
rejection_resample = _method("rejection_resample")
dense_to_ragged_batch = _method("ragged_batch")
SHARD_HINT = -1


def unbatched() -> Transformation:
    """Return the rows of each element."""
    return unbatch


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Return the elements that can be made."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return the elements in random order, `count` times over."""

    def transform(dataset: Dataset) -> Dataset:
        size = number(buffer_size, "buffer_size")
        times = number(-1 if count is None else count, "count")
        return dataset._transformed("ShuffleAndRepeatDataset", size, *seed_pair(seed), times)

    return transform


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Return batches of `map_func` of each element. Raises: ValueError if both numbers of calls are given."""
    if num_parallel_calls is not None and num_parallel_batches is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
            f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to "
            f"{num_parallel_calls}."
        )
    calls = num_parallel_calls
    if calls is None:
        calls = batch_size if num_parallel_batches is None else batch_size * num_parallel_batches

    def transform(dataset: Dataset) -> Dataset:
        from icefloe.lib.data_arguments import batched

        function = DatasetFunction(map_func, "tf.data.experimental.map_and_batch()", dataset.element_spec)
        size, drop = number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder")
        return dataset._transformed(
            "MapAndBatchDataset",
            function.captured,
            size,
            number(calls, "num_parallel_calls"),
            drop,
            spec=batched(function.spec, size, drop),
            f=function.attr,
            preserve_cardinality=True,
        )

    return transform


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Return the elements of the datasets that `map_func` makes, `block_length` of each in turn."""
    return lambda dataset: legacy_interleave(
        dataset, map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    )


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Return what `reducer` makes of the elements of each key."""
    return lambda dataset: reduced_groups(dataset, key_func, reducer)


def grouped_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Return the elements of `reduce_func(key, group)` for groups of elements of one key."""
    return lambda dataset: group_by_window(dataset, key_func, reduce_func, window_size, window_size_func)


def scanned(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """Return the outputs of `(state, output) = scan_func(state, element)`."""
    return lambda dataset: scan(dataset, initial_state, scan_func)


def taken_while(predicate: Callable[..., Any]) -> Transformation:
    """Return the elements before the first for which `predicate` is false."""
    return lambda dataset: take_while(dataset, predicate)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Return batches of `batch_size` tensors as sparse tensors with rows of `row_shape`."""
    return lambda dataset: sparse_batch(dataset, batch_size, row_shape)


def rebatched(batch_size: Any, drop_remainder: Any = False) -> Transformation:
    """Return the rows of all elements in batches of other sizes."""
    return lambda dataset: rebatch(dataset, batch_size, drop_remainder)


def cardinality(dataset: Dataset) -> Tensor:
    """Return the number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Return the elements; a run raises FailedPreconditionError if they are not as many."""

    def transform(dataset: Dataset) -> Dataset:
        size = convert_to_tensor(expected_cardinality, dtype=INT64, name="expected_cardinality")
        attrs = arguments(dataset.element_spec, None)
        del attrs["metadata"]
        variant = apply_op("AssertCardinalityDataset", dataset._variant_tensor, size, **attrs)
        return Dataset(variant, dataset.element_spec, (dataset,))

    return transform


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Return the elements; they are made once, written to a folder, and then read from there."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Return the elements, dicts, and as many of zeros as are missing to `cardinality`; `mask_key` tells them apart.

    Raises: ValueError, when applied, for elements that are no dicts.
    """

    def transform(dataset: Dataset) -> Dataset:
        if not isinstance(dataset.element_spec, Mapping):
            raise ValueError(  # noqa: TRY004 (as TensorFlow)
                "`pad_to_cardinality` requires its input dataset to be a dictionary."
            )
        filler = {key: zeros(spec.shape, spec.dtype) for key, spec in dataset.element_spec.items()}
        padding = Dataset.from_tensors({**filler, mask_key: False}).repeat(cardinality - dataset.cardinality())
        return dataset.map(lambda element: {**element, mask_key: True}).concatenate(padding)

    return transform


def to_variant(dataset: Dataset) -> Tensor:
    """Return the scalar variant that is the dataset in the graph."""
    tensor: Tensor = dataset._variant_tensor
    return tensor


def from_variant(variant: Any, structure: Any) -> Dataset:
    """Return the dataset in a scalar variant, whose elements are of `structure`."""
    return Dataset(variant, structure)


def get_structure(dataset_or_iterator: Any) -> Any:
    """Return the nest of TypeSpecs of an element. Raises: TypeError for what has no elements."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data iterator, "
            f"but got {type(dataset_or_iterator)}."
        ) from error


def tensor_structure(dtype: Any, shape: Any) -> TensorSpec:
    """Return a TensorSpec."""
    return TensorSpec(shape, dtype)


def sparse_tensor_structure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """Return a SparseTensorSpec."""
    return SparseTensorSpec(shape, dtype)


def ragged_tensor_structure(dtype: Any, shape: Any, ragged_rank: int) -> Any:
    """Return a RaggedTensorSpec."""
    from icefloe.lib.ragged_spec import RaggedTensorSpec

    return RaggedTensorSpec(shape, dtype, ragged_rank)


def tensor_array_structure(dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool) -> Any:
    """Return a TensorArraySpec."""
    from icefloe.lib.tensor_array import TensorArraySpec

    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return the elements: there is one device."""
    del target_device, source_device
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Return the elements, up to `buffer_size` made ahead: there is one device."""
    del device
    return lambda dataset: dataset.prefetch(1 if buffer_size is None else buffer_size)


def get_single_element(dataset: Dataset) -> Any:
    """Return the only element of a dataset."""
    return dataset.get_single_element()


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """Return a dataset of the elements of a list.

    Raises: ValueError if it is empty; TypeError if they differ in kind.
    """
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    if not isinstance(elements, list):
        raise ValueError(f"Invalid `elements`. `elements` must be a list. Got {type(elements)}.")  # noqa: TRY004
    normalized = [structure.normalize_element(e) for e in elements]
    specs = [structure.spec_of(e) for e in normalized]
    spec = specs[0]
    for other in specs[1:]:
        spec = nest.map_structure(lambda a, b: a.most_specific_compatible_type(b), spec, other)
    tensors = [t for e, s in zip(normalized, specs) for t in structure.to_tensors(s, e)]
    return Dataset(apply_op("ListDataset", tensors, **arguments(spec, name)), spec)


def at(dataset: Dataset, index: Any) -> Any:
    """Return the element at `index`."""
    spec = dataset.element_spec
    tensors = apply_op(
        "GetElementAtIndex",
        dataset._variant_tensor,
        index,
        output_types=structure.flat_types(spec),
        output_shapes=structure.flat_shapes(spec),
    )
    return structure.from_tensors(spec, tensors)


class TFRecordWriter:
    """Writes the elements of a dataset of strings to a TFRecord file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = convert_to_tensor(filename, dtype=datatypes.string, name="filename")
        kind = "" if compression_type is None else compression_type
        self._compression_type = convert_to_tensor(kind, dtype=datatypes.string, name="compression_type")

    def write(self, dataset: Dataset) -> Operation:
        """Return the operation that writes. Raises: TypeError unless elements are single strings."""
        if dataset.output_types != datatypes.string or not dataset.output_shapes.is_compatible_with([]):
            raise TypeError(
                "Invalid `dataset`. `dataset` must contain single strings. Got "
                f"{dataset.output_types} of shape {dataset.output_shapes}."
            )
        parts = dataset._variant_tensor, self._filename, self._compression_type
        made: Operation = apply_op("DatasetToTFRecord", *parts)
        return made


def random_dataset(seed: Any = None) -> Dataset:
    """Return a dataset of random numbers of 32 bits, without end."""
    return Dataset.random(seed)


def counter_v1(start: Any = 0, step: Any = 1, dtype: Any = INT64) -> Dataset:
    """Return a dataset of `start`, `start + step`, ... without end."""
    return counter(start, step, dtype)
