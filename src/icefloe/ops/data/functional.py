"""Transformations of datasets that call functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.data.making import dataset_op, flag, number, spec_of
from icefloe.resources.datasets.base import Dataset, as_dataset
from icefloe.resources.datasets.batching import Batch
from icefloe.resources.datasets.flattening import FlatMap, Interleave
from icefloe.resources.datasets.grouping import GroupByReducer, GroupByWindow
from icefloe.resources.datasets.mapping import Filter, Map, Scan, TakeWhile
from icefloe.shapes import Dims

_AUTOTUNE = -1


@dataset_op("MapDataset")
def map_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    preserve_cardinality: bool,
) -> Dataset:
    spec = spec_of(output_types, output_shapes)
    return Map(as_dataset(input_dataset), f, other_arguments, spec, preserve_cardinality)


@dataset_op("ParallelMapDataset", "ParallelMapDatasetV2")
def parallel_map_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    num_parallel_calls: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    preserve_cardinality: bool,
) -> Dataset:
    _positive_or_auto(num_parallel_calls, "num_parallel_calls")
    spec = spec_of(output_types, output_shapes)
    return Map(as_dataset(input_dataset), f, other_arguments, spec, preserve_cardinality, "ParallelMap")


def _cycle(value: Any) -> int:
    """Return how many datasets are open at a time: for -1 as many as there are processors."""
    found = number(value, "cycle_length")
    return (os.cpu_count() or 1) if found == _AUTOTUNE else found


def _positive_or_auto(value: Any, name: str) -> int:
    found = number(value, name)
    if found <= 0 and found != _AUTOTUNE:
        raise errors.InvalidArgumentError(f"{name} must be greater than zero.")
    return found


@dataset_op("MapAndBatchDataset")
def map_and_batch_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    batch_size: Any,
    num_parallel_calls: Any,
    drop_remainder: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    preserve_cardinality: bool,
) -> Dataset:
    _positive_or_auto(num_parallel_calls, "num_parallel_calls")
    spec = spec_of(output_types, output_shapes)
    inner = spec_of(output_types, [None if s is None else s[1:] for s in output_shapes])
    mapped = Map(as_dataset(input_dataset), f, other_arguments, inner, preserve_cardinality)
    return Batch(mapped, number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder"), spec)


@dataset_op("FilterDataset")
def filter_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    *,
    predicate: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return Filter(as_dataset(input_dataset), predicate, other_arguments, spec_of(output_types, output_shapes))


@dataset_op("ParallelFilterDataset")
def parallel_filter_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    num_parallel_calls: Any,
    *,
    predicate: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    _positive_or_auto(num_parallel_calls, "num_parallel_calls")
    return Filter(as_dataset(input_dataset), predicate, other_arguments, spec_of(output_types, output_shapes))


@dataset_op("TakeWhileDataset")
def take_while_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    *,
    predicate: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return TakeWhile(as_dataset(input_dataset), predicate, other_arguments, spec_of(output_types, output_shapes))


@dataset_op("ScanDataset")
def scan_dataset(
    input_dataset: Any,
    initial_state: tuple[Any, ...],
    other_arguments: tuple[Any, ...],
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    preserve_cardinality: bool,
) -> Dataset:
    spec = spec_of(output_types, output_shapes)
    return Scan(as_dataset(input_dataset), f, initial_state, other_arguments, spec, preserve_cardinality)


@dataset_op("FlatMapDataset")
def flat_map_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return FlatMap(as_dataset(input_dataset), f, other_arguments, spec_of(output_types, output_shapes))


@dataset_op("InterleaveDataset")
def interleave_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    cycle_length: Any,
    block_length: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    cycle, block = _cycle(cycle_length), number(block_length, "block_length")
    spec = spec_of(output_types, output_shapes)
    return Interleave(as_dataset(input_dataset), f, other_arguments, cycle, block, spec)


@dataset_op("ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3")
def parallel_interleave_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    cycle_length: Any,
    block_length: Any,
    num_parallel_calls: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    _positive_or_auto(num_parallel_calls, "num_parallel_calls")
    cycle, block = _cycle(cycle_length), number(block_length, "block_length")
    spec = spec_of(output_types, output_shapes)
    return Interleave(as_dataset(input_dataset), f, other_arguments, cycle, block, spec, is_parallel=True)


@dataset_op("ParallelInterleaveDatasetV4")
def parallel_interleave_dataset_v4(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    cycle_length: Any,
    block_length: Any,
    buffer_output_elements: Any,
    prefetch_input_elements: Any,
    num_parallel_calls: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    _positive_or_auto(num_parallel_calls, "num_parallel_calls")
    cycle, block = _cycle(cycle_length), number(block_length, "block_length")
    spec = spec_of(output_types, output_shapes)
    return Interleave(as_dataset(input_dataset), f, other_arguments, cycle, block, spec, is_parallel=True)


@dataset_op("ParallelInterleaveDataset")
def legacy_parallel_interleave_dataset(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    cycle_length: Any,
    block_length: Any,
    sloppy: Any,
    buffer_output_elements: Any,
    prefetch_input_elements: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    """Blocks from each open dataset in turn, also where TensorFlow might take whatever comes first."""
    spec = spec_of(output_types, output_shapes)
    cycle, block = number(cycle_length, "cycle_length"), number(block_length, "block_length")
    return Interleave(as_dataset(input_dataset), f, other_arguments, cycle, block, spec)


@dataset_op("LegacyParallelInterleaveDatasetV2")
def legacy_parallel_interleave_dataset_v2(
    input_dataset: Any,
    other_arguments: tuple[Any, ...],
    cycle_length: Any,
    block_length: Any,
    buffer_output_elements: Any,
    prefetch_input_elements: Any,
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    spec = spec_of(output_types, output_shapes)
    cycle, block = number(cycle_length, "cycle_length"), number(block_length, "block_length")
    return Interleave(as_dataset(input_dataset), f, other_arguments, cycle, block, spec)


@dataset_op("GroupByWindowDataset")
def group_by_window_dataset(
    input_dataset: Any,
    key_func_other_arguments: tuple[Any, ...],
    reduce_func_other_arguments: tuple[Any, ...],
    window_size_func_other_arguments: tuple[Any, ...],
    *,
    key_func: Any,
    reduce_func: Any,
    window_size_func: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return GroupByWindow(
        as_dataset(input_dataset),
        (key_func, key_func_other_arguments),
        (reduce_func, reduce_func_other_arguments),
        (window_size_func, window_size_func_other_arguments),
        spec_of(output_types, output_shapes),
    )


@dataset_op("GroupByReducerDataset")
def group_by_reducer_dataset(
    input_dataset: Any,
    key_func_other_arguments: tuple[Any, ...],
    init_func_other_arguments: tuple[Any, ...],
    reduce_func_other_arguments: tuple[Any, ...],
    finalize_func_other_arguments: tuple[Any, ...],
    *,
    key_func: Any,
    init_func: Any,
    reduce_func: Any,
    finalize_func: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return GroupByReducer(
        as_dataset(input_dataset),
        (key_func, key_func_other_arguments),
        (init_func, init_func_other_arguments),
        (reduce_func, reduce_func_other_arguments),
        (finalize_func, finalize_func_other_arguments),
        spec_of(output_types, output_shapes),
    )
