"""Datasets made of tensors, numbers and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.data.making import dataset_op, number, spec_of
from icefloe.resources.datasets.base import Dataset, check_shapes, check_types
from icefloe.resources.datasets.passing import Generator
from icefloe.resources.datasets.randomness import SeedGenerator
from icefloe.resources.datasets.shuffling import Random
from icefloe.resources.datasets.sources import List, Range, Slices, SparseSlices, Tensors
from icefloe.shapes import Dims


@dataset_op("TensorDataset")
def tensor_dataset(
    components: tuple[Any, ...], *, Toutput_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    made = Tensors(components, tuple(Toutput_types))
    check_shapes(output_shapes, made.spec.shapes)
    return made


@dataset_op("TensorSliceDataset")
def tensor_slice_dataset(
    components: tuple[Any, ...], *, Toutput_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    made = Slices(components, tuple(Toutput_types))
    check_shapes(output_shapes, made.spec.shapes)
    return made


@dataset_op("SparseTensorSliceDataset")
def sparse_tensor_slice_dataset(indices: Any, values: Any, dense_shape: Any, *, Tvalues: DType) -> Dataset:
    return SparseSlices(np.asarray(indices), np.asarray(values), np.asarray(dense_shape), Tvalues)


@dataset_op("RangeDataset")
def range_dataset(start: Any, stop: Any, step: Any, *, output_types: Sequence[DType]) -> Dataset:
    return Range(number(start, "start"), number(stop, "stop"), number(step, "step"), output_types[0])


@dataset_op("ListDataset")
def list_dataset(
    tensors: tuple[Any, ...],
    *,
    Tinput_types: Sequence[DType],
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    """The tensors, as many at a time as an element has components."""
    width = len(output_types)
    if not tensors or len(tensors) % width:
        raise errors.InvalidArgumentError(
            f"The number of tensors ({len(tensors)}) must be a multiple of the number of components ({width})."
        )
    for first in range(0, len(tensors), width):
        check_types(output_types, Tinput_types[first : first + width])
    elements = [tensors[first : first + width] for first in range(0, len(tensors), width)]
    return List(elements, spec_of(output_types, output_shapes))


@dataset_op("GeneratorDataset")
def generator_dataset(
    init_func_other_args: tuple[Any, ...],
    next_func_other_args: tuple[Any, ...],
    finalize_func_other_args: tuple[Any, ...],
    *,
    init_func: Any,
    next_func: Any,
    finalize_func: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    return Generator(
        (init_func, init_func_other_args),
        (next_func, next_func_other_args),
        (finalize_func, finalize_func_other_args),
        spec_of(output_types, output_shapes),
    )


@dataset_op("RandomDataset")
def random_dataset(seed: Any, seed2: Any) -> Dataset:
    return Random(SeedGenerator(number(seed, "seed"), number(seed2, "seed2"), False))


@dataset_op("RandomDatasetV2")
def random_dataset_v2(seed: Any, seed2: Any, seed_generator: Any, *, rerandomize_each_iteration: bool) -> Dataset:
    if isinstance(seed_generator, SeedGenerator):
        return Random(seed_generator)
    return Random(SeedGenerator(number(seed, "seed"), number(seed2, "seed2"), rerandomize_each_iteration))
