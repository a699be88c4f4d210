"""Rows dealt out to several tensors and put together again: DynamicPartition, DynamicStitch; UnravelIndex."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.indices import check_range
from icefloe.ops.array.values import Array, boxed, zeros
from icefloe.shapes import Dims, shape_text


@kernel("DynamicPartition")
def dynamic_partition(data: Any, partitions: Any, *, num_partitions: int) -> tuple[Array, ...]:
    """The slices of `data` whose entry in `partitions` is 0, those whose entry is 1, and so on."""
    a, partitions = boxed(data), np.asarray(partitions)
    outer = partitions.ndim
    if a.shape[:outer] != partitions.shape:
        raise errors.InvalidArgumentError(
            f"data.shape must start with partitions.shape, got data.shape = {shape_text(a.shape)}, partitions.shape ="
            f" {shape_text(partitions.shape)}"
        )
    check_range(partitions, num_partitions, "partitions")
    rows = a.reshape(partitions.size, *a.shape[outer:])
    numbers = partitions.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=num_partitions))
    return tuple(rows[part] for part in np.split(order, ends[:-1]))


@shape("DynamicPartition")
def dynamic_partition_shape(c: ShapeContext) -> list[Dims]:
    data, partitions = c.shape(0), c.shape(1)
    if data is None or partitions is None:
        return [None] * c.num_outputs
    merge(data[: len(partitions)], partitions)
    return [(None, *data[len(partitions) :])] * c.num_outputs


@kernel("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(indices: tuple[Any, ...], data: tuple[Any, ...]) -> Array:
    """Rows put where `indices` says; of several rows for one place the last counts.

    A place up to the largest index that no row is put in is zeros.
    """
    arrays = [boxed(d) for d in data]
    inner = arrays[0].shape[np.ndim(indices[0]) :]
    for i, (at, a) in enumerate(zip(indices, arrays)):
        at_shape = np.shape(at)
        if a.shape[: len(at_shape)] != at_shape:
            raise errors.InvalidArgumentError(
                f"data[{i}].shape = {shape_text(a.shape)} does not start with indices[{i}].shape ="
                f" {shape_text(at_shape)}"
            )
        if a.shape[len(at_shape) :] != inner:
            first = np.ndim(indices[0])
            raise errors.InvalidArgumentError(
                f"Need data[0].shape[{first}:] = data[{i}].shape[{len(at_shape)}:], got data[0].shape ="
                f" {shape_text(arrays[0].shape)}, data[{i}].shape = {shape_text(a.shape)}, indices[0].shape ="
                f" {shape_text(np.shape(indices[0]))}, indices[{i}].shape = {shape_text(at_shape)}"
            )
    places = np.concatenate([np.ravel(at) for at in indices])
    if places.size and places.min() < 0:
        raise errors.InvalidArgumentError(f"indices[{int(np.argmax(places < 0))}] is out of range")
    size = int(places.max()) + 1 if places.size else 0
    result = zeros(check_shape((size, *inner), arrays[0].dtype), arrays[0].dtype)
    for at, a in zip(indices, arrays):
        result[np.ravel(at)] = a.reshape(np.size(at), *inner)
    return result


@shape("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch_shape(c: ShapeContext) -> list[Dims]:
    inner: Dims = None
    most: int | None = -1
    for i, j in zip(c.group("indices"), c.group("data")):
        at, data, places = c.shape(i), c.shape(j), c.constant(i)
        if places is None:
            most = None
        elif most is not None and places.size:
            most = max(most, int(places.max()))
        if at is not None and data is not None:
            merge(data[: len(at)], at)
            inner = merge(inner, data[len(at) :])
    return [None if inner is None else (None if most is None else most + 1, *inner)]


@kernel("UnravelIndex")
def unravel_index(indices: Any, dims: Any) -> Array:
    """The coordinates, one column each (a vector for a scalar), of row-major positions in a tensor of shape `dims`."""
    if np.ndim(dims) != 1:
        raise errors.InvalidArgumentError(f'The indices can only be 1-D, got "{shape_text(np.shape(dims))}"')
    if np.ndim(indices) > 1:
        raise errors.InvalidArgumentError(
            f'The indices can only be scalar or vector, got "{shape_text(np.shape(indices))}"'
        )
    if not np.size(indices):
        raise errors.InvalidArgumentError(f"received empty tensor indices: shape {shape_text(np.shape(indices))}")
    sizes = dims.tolist()
    for i, size in enumerate(sizes):
        if size == 0:
            raise errors.InvalidArgumentError(
                f"Input dims cannot contain a dim of zero, but dims contains zero at index {i}"
            )
        if size < 0:
            raise errors.InvalidArgumentError(f"Input dims cannot be negative. Got dim = {size} at index {i}")
    count = math.prod(sizes)
    if count > np.iinfo(dims.dtype).max:
        raise errors.InvalidArgumentError("Input dims product is causing integer overflow")
    if not sizes or (np.size(indices) and int(np.max(indices)) >= count):
        raise errors.InvalidArgumentError("index is out of bound as with dims")
    rest = np.asarray(indices)
    columns = []
    for size in reversed(sizes):
        # C++ division: towards zero, so that a negative index gives negative coordinates.
        quotient = np.abs(rest) // size * np.sign(rest)
        columns.append((rest - quotient * size).astype(dims.dtype))
        rest = quotient
    return np.stack(columns[::-1])


@shape("UnravelIndex")
def unravel_index_shape(c: ShapeContext) -> list[Dims]:
    indices, dims = c.shape(0), c.shape(1)
    if dims is not None and len(dims) > 1:
        raise errors.InvalidArgumentError(f"Shape must be at most rank 1 but is rank {len(dims)}")
    rank = None if dims is None else dims[0] if dims else 1
    if indices is None:
        return [None]
    if not indices:
        return [(rank,)]
    if len(indices) == 1:
        return [(rank, indices[0])]
    return [(rank, None)]
