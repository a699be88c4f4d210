"""`tf.data.Dataset`, as in TensorFlow 1: nodes that describe a sequence of elements.

Source: tensorflow/python/data/ops/dataset_ops.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with
from icefloe.graph.graph import get_default_graph
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import (
    AUTOTUNE,
    INT64,
    arguments,
    batched,
    determinism,
    flag,
    metadata,
    number,
    seed_pair,
)
from icefloe.lib.data_kept import KeptInFiles
from icefloe.lib.data_options import Options
from icefloe.lib.data_spec import DatasetSpec
from icefloe.shapes import TensorShape


class Dataset(KeptInFiles):
    """A sequence of elements; an element is a nest of tensors, sparse tensors and datasets.

    Made by its static methods, and from others by its methods. Iterators draw from it: `make_one_shot_iterator`,
    `make_initializable_iterator`.
    """

    def __init__(self, variant_tensor: Any, element_spec: Any, inputs: Sequence[Dataset] = ()) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._inputs_given = tuple(inputs)
        self._graph = get_default_graph()
        options: Options = Options()
        for dataset in inputs:
            options = options.merge(dataset._options)
        self._options: Options = options

    def _inputs(self) -> list[Dataset]:
        return list(self._inputs_given)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self._element_spec!r}>"

    def __iter__(self) -> Any:
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function."
        )

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        raise TypeError(
            "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
        )

    @property
    def element_spec(self) -> Any:
        """The nest of TypeSpecs of an element."""
        return self._element_spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    @property
    def output_types(self) -> Any:
        """The nest of dtypes of an element."""
        return structure.legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The nest of shapes of an element."""
        return structure.legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The nest of classes of an element."""
        return structure.legacy_classes(self._element_spec)

    def options(self) -> Options:
        """Return the options of this dataset and of what it is made from."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Return this dataset with further options."""
        with colocate_with(self._variant_tensor):
            made = self._transformed("OptionsDataset", name=name, serialized_options=options.serialize())
        made._options = made._options.merge(options)
        return made

    def _transformed(self, op: str, *values: Any, spec: Any = None, name: str | None = None, **attrs: Any) -> Dataset:
        """Return the dataset of a dataset op on this one. spec: of its elements, as they are by default."""
        if spec is None:
            spec = self._element_spec
        variant = apply_op(op, self._variant_tensor, *values, **arguments(spec, name), **attrs)
        return Dataset(variant, spec, (self,))

    # Sources

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """Return a dataset of one element, `tensors`."""
        element = structure.normalize_element(tensors)
        spec = structure.spec_of(element)
        return _from_components("TensorDataset", structure.to_tensors(spec, element), spec, name)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """Return a dataset of the rows of `tensors`, which must be as many in each.

        Raises: ValueError if there are none, or their numbers are known to differ.
        """
        element = structure.normalize_element(tensors)
        whole = structure.spec_of(element)
        components = structure.to_row_tensors(whole, element)
        if not components:
            raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
        spec = nest.map_structure(lambda leaf: leaf.unbatch(), whole)
        rows = TensorShape([None])
        for tensor in components:
            rows = rows.merge_with(tensor.shape[:1])
        return _from_components("TensorSliceDataset", components, spec, name)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """Return a dataset of the rows of a SparseTensor. Raises: TypeError for anything else."""
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.SparseTensor`. Got {sparse_tensor!r}."
            )
        shapes = sparse_tensor.indices.shape[1:], sparse_tensor.dense_shape.shape
        rank = shapes[0].merge_with(shapes[1])[0].value
        inner = None if rank is None else rank - 1
        spec = (
            TensorSpec([None, inner], INT64),
            TensorSpec([None], sparse_tensor.dtype),
            TensorSpec([inner], INT64),
        )
        parts = sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape
        return Dataset(apply_op("SparseTensorSliceDataset", *parts), spec)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """Return a dataset of numbers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        output_type: their dtype, int64 by default.
        """
        output_type = datatypes.as_dtype(kwargs.pop("output_type", INT64))
        name = kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"range() got an unexpected keyword argument {next(iter(kwargs))!r}")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        spec = TensorSpec([], output_type)
        bounds = [number(v, n) for v, n in ((start, "start"), (stop, "stop"), (step, "step"))]
        return Dataset(apply_op("RangeDataset", *bounds, **arguments(spec, name)), spec)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Return a dataset of the elements of a nest of datasets, side by side."""
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        flat = nest.flatten(given)
        for dataset in flat:
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    f"Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects. Encountered object of type {type(dataset)}."
                )
        spec = nest.pack_sequence_as(given, [d.element_spec for d in flat])
        variant = apply_op("ZipDataset", [d._variant_tensor for d in flat], **arguments(spec, name))
        return Dataset(variant, spec, flat)

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Dataset:
        """Return a dataset of random numbers of 32 bits, without end."""
        spec = TensorSpec([], INT64)
        seeds = seed_pair(seed)
        if rerandomize_each_iteration:
            generator = apply_op("DummySeedGenerator")
            variant = apply_op(
                "RandomDatasetV2", *seeds, generator, rerandomize_each_iteration=True, **arguments(spec, name)
            )
        else:
            variant = apply_op("RandomDataset", *seeds, **arguments(spec, name))
        return Dataset(variant, spec)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Return a dataset of what a Python generator yields."""
        from icefloe.lib.data_sources import from_generator

        return from_generator(generator, output_types, output_shapes, args, output_signature, name)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """Return a dataset of the names of files that match patterns, in random order unless `shuffle` is False."""
        from icefloe.lib.data_sources import list_files

        return list_files(file_pattern, shuffle, seed, name)

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = INT64, name: str | None = None) -> Dataset:
        """Return a dataset of `start`, `start + step`, ... without end."""
        from icefloe.lib.data_sources import counter

        return counter(start, step, dtype, name)

    # Which elements, and in which order

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """Return the first `count` elements; all of them for -1."""
        return self._transformed("TakeDataset", number(count, "count"), name=name)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """Return all but the first `count` elements; none for -1."""
        return self._transformed("SkipDataset", number(count, "count"), name=name)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """Return the elements `count` times over, for ever by default."""
        return self._transformed("RepeatDataset", number(-1 if count is None else count, "count"), name=name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Return every `num_shards`th element from `index` on. Raises: ValueError if there is no such shard."""
        shards, place = number(num_shards, "num_shards"), number(index, "index")
        known, known_place = constant_value(shards), constant_value(place)
        if known is not None and known < 1:
            raise ValueError(f"`num_shards` must be >= 1. Got {known}.")
        if known_place is not None and (known_place < 0 or (known is not None and known_place >= known)):
            raise ValueError(f"`index` must be in [0, num_shards). Got index = {known_place}, num_shards = {known}.")
        return self._transformed("ShardDataset", shards, place, name=name)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """Return these elements, then those of `dataset`. Raises: TypeError if they are of another kind."""
        try:
            nest.assert_same_structure(self._element_spec, dataset._element_spec)
            spec = nest.map_structure(
                lambda a, b: a.most_specific_compatible_type(b), self._element_spec, dataset._element_spec
            )
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Incompatible dataset elements:\n  {self._element_spec} vs.   {dataset._element_spec}"
            ) from error
        variant = apply_op("ConcatenateDataset", self._variant_tensor, dataset._variant_tensor, **arguments(spec, name))
        return Dataset(variant, spec, (self, dataset))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Return the elements in random order: each is drawn from the next `buffer_size`."""
        reshuffle = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        size = number(buffer_size, "buffer_size")
        return self._transformed(
            "ShuffleDataset", size, *seed_pair(seed), name=name, reshuffle_each_iteration=reshuffle
        )

    def unique(self, name: str | None = None) -> Dataset:
        """Return the elements that did not come before. Raises: TypeError unless they are of one component of a fit
        dtype."""
        types = structure.flat_types(self._element_spec)
        if nest.is_nested(self._element_spec) or types[0].name not in ("int32", "int64", "string"):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {types[0].name} -- only `tf.int32`, "
                "`tf.int64`, and `tf.string` are supported."
            )
        return self._transformed("UniqueDataset", name=name)

    # Batches

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Return batches of `batch_size` elements; a last one that is smaller is left out if `drop_remainder`."""
        size, drop = number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder")
        spec = batched(self._element_spec, size, drop)
        if num_parallel_calls is None:
            return self._transformed("BatchDatasetV2", size, drop, spec=spec, name=name)
        calls = number(num_parallel_calls, "num_parallel_calls")
        return self._transformed(
            "ParallelBatchDataset", size, calls, drop, spec=spec, name=name, deterministic=determinism(deterministic)
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Return batches of `batch_size` elements padded to one shape."""
        from icefloe.lib.data_batches import padded_batch

        return padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder, name)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = INT64,
        name: str | None = None,
    ) -> Dataset:
        """Return batches whose tensors of sizes that are not known are ragged."""
        from icefloe.lib.data_ragged import ragged_batch

        return ragged_batch(self, batch_size, drop_remainder, row_splits_dtype, name)

    def unbatch(self, name: str | None = None) -> Dataset:
        """Return the rows of each element."""
        from icefloe.lib.data_batches import unbatch

        return unbatch(self, name)

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset:
        """Return the rows of all elements in batches of `batch_size`, or of several sizes in turn."""
        from icefloe.lib.data_batches import rebatch

        return rebatch(self, batch_size, drop_remainder, name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """Return batches of `batch_size` tensors as sparse tensors with rows of `row_shape`."""
        from icefloe.lib.data_batches import sparse_batch

        return sparse_batch(self, batch_size, row_shape, name)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Return windows of `size` elements, each a nest of datasets like an element."""
        numbers = [
            number(v, n) for v, n in ((size, "size"), (size if shift is None else shift, "shift"), (stride, "stride"))
        ]
        spec = nest.map_structure(DatasetSpec, self._element_spec)
        return self._transformed(
            "WindowDataset", *numbers, flag(drop_remainder, "drop_remainder"), spec=spec, name=name
        )

    # Functions

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Return `map_func` of each element."""
        from icefloe.lib.data_functional import mapped

        return mapped(self, map_func, num_parallel_calls, deterministic, synchronous, use_unbounded_threadpool, name)

    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None
    ) -> Dataset:
        """Return `map_func` of each element."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return the elements of the datasets that `map_func` makes of each element."""
        from icefloe.lib.data_functional import flat_map

        return flat_map(self, map_func, name)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Return the elements of the datasets that `map_func` makes, some of each in turn."""
        from icefloe.lib.data_functional import interleave

        return interleave(self, map_func, cycle_length, block_length, num_parallel_calls, deterministic, name)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return the elements for which `predicate` is true."""
        from icefloe.lib.data_functional import filtered

        return filtered(self, predicate, name)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Dataset:
        """Return the elements for which `predicate` is true."""
        return self.filter(predicate)

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Return pairs of a class and an element, some left out so that classes come in the shares of `target_dist`.

        class_func: gives an element's class, int32. initial_dist: the shares in the data, default as seen so far.
        """
        from icefloe.lib.data_resampling import rejection_resample

        return rejection_resample(self, class_func, target_dist, initial_dist, seed, name)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return the elements before the first for which `predicate` is false."""
        from icefloe.lib.data_functional import take_while

        return take_while(self, predicate, name)

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return the outputs of `(state, output) = scan_func(state, element)`."""
        from icefloe.lib.data_functional import scan

        return scan(self, initial_state, scan_func, name=name)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """Return the last state of `state = reduce_func(state, element)` over all elements."""
        from icefloe.lib.data_functional import reduce

        return reduce(self, initial_state, reduce_func, name)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Return the elements of `reduce_func(key, group)` for groups of elements of one key."""
        from icefloe.lib.data_functional import group_by_window

        return group_by_window(self, key_func, reduce_func, window_size, window_size_func, name)

    def bucket_by_sequence_length(self, element_length_func: Callable[..., Any], *args: Any, **kwargs: Any) -> Dataset:
        """Return padded batches of elements of like length."""
        from icefloe.lib.data_buckets import bucket_by_sequence_length

        return bucket_by_sequence_length(self, element_length_func, *args, **kwargs)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Return `transformation_func` of this dataset. Raises: TypeError if that is no dataset."""
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Return pairs of a number, from `start` on, and an element."""
        most = np.iinfo(np.int64).max
        numbers = Dataset.range(start, most, name=name)
        return Dataset.zip((numbers, self), name=name)

    # Elements as they are

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Return the elements; up to `buffer_size` may be made ahead."""
        size = number(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
        with colocate_with(self._variant_tensor):
            return self._transformed("PrefetchDataset", size, name=name, slack_period=0, legacy_autotune=False)

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """Return the elements; they are made once, and then kept in memory or in files that start with `filename`."""
        path = convert_to_tensor(filename, dtype=datatypes.string, name="filename")
        return self._transformed("CacheDataset", path, name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Return the elements that can be made."""
        attrs = arguments(self._element_spec, name)
        del attrs["metadata"]
        variant = apply_op("IgnoreErrorsDataset", self._variant_tensor, log_warning=log_warning, **attrs)
        return Dataset(variant, self._element_spec, (self,))

    # What it is as a whole

    def cardinality(self, name: str | None = None) -> Tensor:
        """Return the number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        del name
        size: Tensor = apply_op("DatasetCardinality", self._variant_tensor)
        return size

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the only element."""
        tensors = apply_op("DatasetToSingleElement", self._variant_tensor, **arguments(self._element_spec, name))
        return structure.from_tensors(self._element_spec, tensors)

    def make_one_shot_iterator(self) -> Any:
        """Return an iterator that starts by itself, once. The dataset may not depend on variables or placeholders."""
        from icefloe.lib.data_iterator import make_one_shot_iterator

        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Return an iterator that starts, each time, when its `initializer` is run."""
        from icefloe.lib.data_iterator import make_initializable_iterator

        return make_initializable_iterator(self, shared_name)

    @staticmethod
    def sample_from_datasets(*args: Any, **kwargs: Any) -> Dataset:
        """Return elements of several datasets, each time of one chosen at random."""
        from icefloe.lib.data_choice import sample_from_datasets

        return sample_from_datasets(*args, **kwargs)

    @staticmethod
    def choose_from_datasets(*args: Any, **kwargs: Any) -> Dataset:
        """Return elements of several datasets, each time of the one that another dataset names."""
        from icefloe.lib.data_choice import choose_from_datasets

        return choose_from_datasets(*args, **kwargs)


def _from_components(op: str, components: Sequence[Tensor], spec: Any, name: str | None) -> Dataset:
    variant = apply_op(op, components, output_shapes=structure.flat_shapes(spec), metadata=metadata(name))
    return Dataset(variant, spec)
