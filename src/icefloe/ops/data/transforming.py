"""Transformations of datasets that need no function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.allocation import check_shape
from icefloe.ops.data.making import dataset_op, flag, number, spec_of, text
from icefloe.resources.datasets.base import Dataset, as_dataset
from icefloe.resources.datasets.batching import Batch, DenseToSparseBatch, PaddedBatch
from icefloe.resources.datasets.flattening import DirectedInterleave
from icefloe.resources.datasets.grouping import SlidingWindow, Window
from icefloe.resources.datasets.mapping import LastComponent
from icefloe.resources.datasets.passing import AssertCardinality, IgnoreErrors, Passing, Slow, Unique
from icefloe.resources.datasets.randomness import SeedGenerator
from icefloe.resources.datasets.rebatching import Rebatch, Split, Unbatch
from icefloe.resources.datasets.selecting import Concatenate, Repeat, Shard, Skip, Take, Zip
from icefloe.resources.datasets.shuffling import GlobalShuffle, Sampling, Shuffle
from icefloe.shapes import Dims

# Batches


@dataset_op("BatchDataset")
def batch_dataset(input_dataset: Any, batch_size: Any) -> Dataset:
    return Batch(as_dataset(input_dataset), number(batch_size, "batch_size"), False)


@dataset_op("BatchDatasetV2")
def batch_dataset_v2(input_dataset: Any, batch_size: Any, drop_remainder: Any) -> Dataset:
    return Batch(as_dataset(input_dataset), number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder"))


@dataset_op("ParallelBatchDataset")
def parallel_batch_dataset(
    input_dataset: Any, batch_size: Any, num_parallel_calls: Any, drop_remainder: Any
) -> Dataset:
    return batch_dataset_v2(input_dataset, batch_size, drop_remainder)


@dataset_op("PaddedBatchDataset")
def padded_batch_dataset(
    input_dataset: Any, batch_size: Any, padded_shapes: tuple[Any, ...], padding_values: tuple[Any, ...]
) -> Dataset:
    return padded_batch_dataset_v2(input_dataset, batch_size, padded_shapes, padding_values, False)


@dataset_op("PaddedBatchDatasetV2")
def padded_batch_dataset_v2(
    input_dataset: Any,
    batch_size: Any,
    padded_shapes: tuple[Any, ...],
    padding_values: tuple[Any, ...],
    drop_remainder: Any,
) -> Dataset:
    return PaddedBatch(
        as_dataset(input_dataset),
        number(batch_size, "batch_size"),
        padded_shapes,
        padding_values,
        flag(drop_remainder, "drop_remainder"),
        check_shape,
    )


@dataset_op("DenseToSparseBatchDataset")
def dense_to_sparse_batch_dataset(input_dataset: Any, batch_size: Any, row_shape: Any) -> Dataset:
    if np.ndim(row_shape) != 1:
        raise errors.InvalidArgumentError("row_shape must be a vector")
    row = tuple([None if n < 0 else int(n) for n in row_shape])
    return DenseToSparseBatch(as_dataset(input_dataset), number(batch_size, "batch_size"), row)


@dataset_op("UnbatchDataset")
def unbatch_dataset(input_dataset: Any) -> Dataset:
    return Unbatch(as_dataset(input_dataset))


@dataset_op("RebatchDatasetV2")
def rebatch_dataset_v2(
    input_dataset: Any,
    batch_sizes: Any,
    drop_remainder: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    if np.ndim(batch_sizes) > 1:
        raise errors.InvalidArgumentError("`batch_sizes` must be a scalar or a vector.")
    sizes = np.atleast_1d(batch_sizes).tolist()
    keep = flag(drop_remainder, "drop_remainder")
    return Rebatch(as_dataset(input_dataset), sizes, keep, spec_of(output_types, output_shapes))


@dataset_op("RebatchDataset")
def rebatch_dataset(
    input_dataset: Any, num_replicas: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    parts = number(num_replicas, "num_replicas")
    return Split(as_dataset(input_dataset), parts, spec_of(output_types, output_shapes))


@dataset_op("WindowDataset")
def window_dataset(input_dataset: Any, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> Dataset:
    return Window(
        as_dataset(input_dataset),
        number(size, "size"),
        number(shift, "shift"),
        number(stride, "stride"),
        flag(drop_remainder, "drop_remainder"),
    )


@dataset_op("SlidingWindowDataset")
def sliding_window_dataset(
    input_dataset: Any, window_size: Any, window_shift: Any, window_stride: Any, *, drop_remainder: bool
) -> Dataset:
    return SlidingWindow(
        as_dataset(input_dataset),
        number(window_size, "window_size"),
        number(window_shift, "window_shift"),
        number(window_stride, "window_stride"),
        drop_remainder,
    )


# Which elements, and in which order


@dataset_op("TakeDataset")
def take_dataset(input_dataset: Any, count: Any) -> Dataset:
    return Take(as_dataset(input_dataset), number(count, "count"))


@dataset_op("SkipDataset")
def skip_dataset(input_dataset: Any, count: Any) -> Dataset:
    return Skip(as_dataset(input_dataset), number(count, "count"))


@dataset_op("ShardDataset")
def shard_dataset(input_dataset: Any, num_shards: Any, index: Any, *, require_non_empty: bool) -> Dataset:
    shards = number(num_shards, "num_shards")
    return Shard(as_dataset(input_dataset), shards, number(index, "index"), require_non_empty)


@dataset_op("RepeatDataset")
def repeat_dataset(input_dataset: Any, count: Any) -> Dataset:
    return Repeat(as_dataset(input_dataset), number(count, "count"))


@dataset_op("ConcatenateDataset")
def concatenate_dataset(
    input_dataset: Any, another_dataset: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    return Concatenate(as_dataset(input_dataset), as_dataset(another_dataset), spec_of(output_types, output_shapes))


@dataset_op("ZipDataset")
def zip_dataset(input_datasets: tuple[Any, ...]) -> Dataset:
    return Zip(*[as_dataset(d) for d in input_datasets])


@dataset_op("DirectedInterleaveDataset")
def directed_interleave_dataset(
    selector_input_dataset: Any,
    data_input_datasets: tuple[Any, ...],
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    stop_on_empty_dataset: bool,
) -> Dataset:
    return DirectedInterleave(
        as_dataset(selector_input_dataset),
        [as_dataset(d) for d in data_input_datasets],
        stop_on_empty_dataset,
        spec_of(output_types, output_shapes),
    )


@dataset_op("FilterByLastComponentDataset")
def filter_by_last_component_dataset(
    input_dataset: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    return LastComponent(as_dataset(input_dataset), spec_of(output_types, output_shapes))


@dataset_op("UniqueDataset")
def unique_dataset(input_dataset: Any) -> Dataset:
    return Unique(as_dataset(input_dataset))


# Random order and choice


def _seeds(seed: Any, seed2: Any, reshuffle: bool, generator: Any = None) -> SeedGenerator:
    """Return the generator of a handle, or where that stands for none a new one."""
    if isinstance(generator, SeedGenerator):
        return generator
    return SeedGenerator(number(seed, "seed"), number(seed2, "seed2"), reshuffle)


@dataset_op("ShuffleDataset")
def shuffle_dataset(
    input_dataset: Any, buffer_size: Any, seed: Any, seed2: Any, *, reshuffle_each_iteration: bool
) -> Dataset:
    seeds = _seeds(seed, seed2, reshuffle_each_iteration)
    return Shuffle(as_dataset(input_dataset), number(buffer_size, "buffer_size"), seeds)


@dataset_op("ShuffleDatasetV2")
def shuffle_dataset_v2(input_dataset: Any, buffer_size: Any, seed_generator: Any) -> Dataset:
    if not isinstance(seed_generator, SeedGenerator):
        raise errors.NotFoundError("seed_generator is no handle of a seed generator")
    return Shuffle(as_dataset(input_dataset), number(buffer_size, "buffer_size"), seed_generator)


@dataset_op("ShuffleDatasetV3")
def shuffle_dataset_v3(
    input_dataset: Any,
    buffer_size: Any,
    seed: Any,
    seed2: Any,
    seed_generator: Any,
    *,
    reshuffle_each_iteration: bool,
) -> Dataset:
    seeds = _seeds(seed, seed2, reshuffle_each_iteration, seed_generator)
    return Shuffle(as_dataset(input_dataset), number(buffer_size, "buffer_size"), seeds)


def _shuffled_and_repeated(input_dataset: Any, buffer_size: Any, seeds: SeedGenerator, count: Any) -> Dataset:
    times = number(count, "count")
    if times <= 0 and times != -1:
        raise errors.InvalidArgumentError("count must be greater than zero or equal to -1.")
    return Repeat(Shuffle(as_dataset(input_dataset), number(buffer_size, "buffer_size"), seeds), times)


@dataset_op("ShuffleAndRepeatDataset")
def shuffle_and_repeat_dataset(
    input_dataset: Any, buffer_size: Any, seed: Any, seed2: Any, count: Any, *, reshuffle_each_iteration: bool
) -> Dataset:
    seeds = _seeds(seed, seed2, reshuffle_each_iteration)
    return _shuffled_and_repeated(input_dataset, buffer_size, seeds, count)


@dataset_op("ShuffleAndRepeatDatasetV2")
def shuffle_and_repeat_dataset_v2(
    input_dataset: Any,
    buffer_size: Any,
    seed: Any,
    seed2: Any,
    count: Any,
    seed_generator: Any,
    *,
    reshuffle_each_iteration: bool,
) -> Dataset:
    seeds = _seeds(seed, seed2, reshuffle_each_iteration, seed_generator)
    return _shuffled_and_repeated(input_dataset, buffer_size, seeds, count)


@dataset_op("GlobalShuffleDataset")
def global_shuffle_dataset(
    input_dataset: Any, seed: Any, seed2: Any, seed_generator: Any, *, reshuffle_each_iteration: bool
) -> Dataset:
    seeds = _seeds(seed, seed2, reshuffle_each_iteration, seed_generator)
    return GlobalShuffle(as_dataset(input_dataset), seeds)


@dataset_op("SamplingDataset")
def sampling_dataset(input_dataset: Any, rate: Any, seed: Any, seed2: Any) -> Dataset:
    return Sampling(as_dataset(input_dataset), rate, number(seed, "seed"), number(seed2, "seed2"))


# Elements as they are


@dataset_op("PrefetchDataset")
def prefetch_dataset(input_dataset: Any, buffer_size: Any) -> Dataset:
    if number(buffer_size, "buffer_size") < -1:
        raise errors.InvalidArgumentError("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    return Passing(as_dataset(input_dataset), "Prefetch")


@dataset_op("OptionsDataset")
def options_dataset(input_dataset: Any) -> Dataset:
    return Passing(as_dataset(input_dataset), "Options")


@dataset_op("ModelDataset", "FinalizeDataset", "NonSerializableDataset", "OptimizeDataset")
def same_dataset(input_dataset: Any, *_: Any) -> Dataset:
    """The same elements: how fast they come is not decided by the graph here."""
    return Passing(as_dataset(input_dataset), "Model")


@dataset_op("OptimizeDatasetV2")
def optimize_dataset_v2(input_dataset: Any, enabled: Any, disabled: Any, default: Any) -> Dataset:
    return Passing(as_dataset(input_dataset), "Optimize")


@dataset_op("MaxIntraOpParallelismDataset")
def max_intra_op_parallelism_dataset(input_dataset: Any, max_intra_op_parallelism: Any) -> Dataset:
    if number(max_intra_op_parallelism, "max_intra_op_parallelism") < 0:
        raise errors.InvalidArgumentError("`max_intra_op_parallelism` must be >= 0")
    return Passing(as_dataset(input_dataset), "MaxIntraOpParallelism")


@dataset_op("PrivateThreadPoolDataset")
def private_thread_pool_dataset(input_dataset: Any, num_threads: Any) -> Dataset:
    if number(num_threads, "num_threads") < 0:
        raise errors.InvalidArgumentError("`num_threads` must be >= 0")
    return Passing(as_dataset(input_dataset), "PrivateThreadPool")


@dataset_op("BytesProducedStatsDataset", "LatencyStatsDataset")
def observed_dataset(input_dataset: Any, tag: Any) -> Dataset:
    """The same elements: there is no aggregator of statistics."""
    text(tag, "tag")
    return Passing(as_dataset(input_dataset), "Stats")


@dataset_op("SleepDataset")
def sleep_dataset(input_dataset: Any, sleep_microseconds: Any) -> Dataset:
    return Slow(as_dataset(input_dataset), number(sleep_microseconds, "sleep_microseconds") / 1e6)


@dataset_op("ThreadPoolDataset")
def thread_pool_dataset(input_dataset: Any, thread_pool: Any) -> Dataset:
    return Passing(as_dataset(input_dataset), "ThreadPool")


@dataset_op("AssertCardinalityDataset")
def assert_cardinality_dataset(
    input_dataset: Any, cardinality: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    size = number(cardinality, "cardinality")
    return AssertCardinality(as_dataset(input_dataset), size, spec_of(output_types, output_shapes))


@dataset_op("IgnoreErrorsDataset")
def ignore_errors_dataset(input_dataset: Any) -> Dataset:
    return IgnoreErrors(as_dataset(input_dataset))


@dataset_op("RewriteDataset")
def rewrite_dataset(input_dataset: Any, rewrite_name: Any) -> Dataset:
    """The same elements: the rewrites that TensorFlow knows change how they are made on several machines."""
    text(rewrite_name, "rewrite_name")
    return Passing(as_dataset(input_dataset), "Rewrite")


@dataset_op("WrapDatasetVariant", "UnwrapDatasetVariant")
def wrapped_dataset(input_handle: Any) -> Dataset:
    return as_dataset(input_handle)
