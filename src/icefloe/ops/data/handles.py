"""Handles of what datasets share: seed generators and memory caches; and the caching itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.data.file_cache import FileCache
from icefloe.ops.data.making import dataset_op, flag, number, spec_of, text
from icefloe.resources.datasets.base import Dataset, as_dataset
from icefloe.resources.datasets.caching import Cache, MemoryCache
from icefloe.resources.datasets.randomness import NoResource, SeedGenerator
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims

not_differentiable(
    "DummySeedGenerator",
    "AnonymousSeedGenerator",
    "AnonymousRandomSeedGenerator",
    "DeleteSeedGenerator",
    "DeleteRandomSeedGenerator",
    "DummyMemoryCache",
    "AnonymousMemoryCache",
    "DeleteMemoryCache",
    "ThreadPoolHandle",
    "ExperimentalThreadPoolHandle",
)


@kernel("DummySeedGenerator", "DummyMemoryCache", returns="stored")
def dummy_handle() -> NoResource:
    return NoResource()


@kernel("ThreadPoolHandle", "ExperimentalThreadPoolHandle", returns="stored")
def thread_pool_handle() -> NoResource:
    """Nothing: elements are made by the thread that asks for them."""
    return NoResource()


@kernel("AnonymousSeedGenerator", returns="stored")
def anonymous_seed_generator(seed: Any, seed2: Any, reshuffle: Any) -> tuple[SeedGenerator, Any]:
    made = SeedGenerator(number(seed, "seed"), number(seed2, "seed2"), flag(reshuffle, "reshuffle"))
    return made, made


@kernel("AnonymousRandomSeedGenerator", returns="stored")
def anonymous_random_seed_generator(seed: Any, seed2: Any) -> tuple[SeedGenerator, Any]:
    made = SeedGenerator(number(seed, "seed"), number(seed2, "seed2"), True)
    return made, made


@kernel("AnonymousMemoryCache", returns="stored")
def anonymous_memory_cache() -> tuple[MemoryCache, Any]:
    made = MemoryCache()
    return made, made


@kernel("DeleteSeedGenerator", "DeleteRandomSeedGenerator", "DeleteMemoryCache")
def delete_handle(handle: Any, deleter: Any) -> tuple[()]:
    """Nothing: what a handle refers to goes when nothing holds it."""
    return ()


@dataset_op("CacheDataset")
def cache_dataset(
    input_dataset: Any,
    filename: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    """The elements kept in files that start with `filename`; in memory where that is empty."""
    return _cached(input_dataset, filename, MemoryCache(), spec_of(output_types, output_shapes), manager)


@dataset_op("CacheDatasetV2")
def cache_dataset_v2(
    input_dataset: Any,
    filename: Any,
    cache: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    memory = cache if isinstance(cache, MemoryCache) else MemoryCache()
    return _cached(input_dataset, filename, memory, spec_of(output_types, output_shapes), manager)


def _cached(input_dataset: Any, filename: Any, memory: MemoryCache, spec: Any, manager: ResourceManager) -> Dataset:
    path = text(filename, "filename")
    if path:
        return FileCache(as_dataset(input_dataset), path.decode("utf-8", "surrogateescape"), spec, manager)
    return Cache(as_dataset(input_dataset), memory, spec)


shape("DummySeedGenerator", "DummyMemoryCache", "ThreadPoolHandle", "ExperimentalThreadPoolHandle")(scalar)


@shape("AnonymousSeedGenerator", "AnonymousRandomSeedGenerator", "AnonymousMemoryCache")
def handle_and_deleter_shape(c: ShapeContext) -> list[Dims]:
    return [(), ()]
