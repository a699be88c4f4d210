"""Saving Dask arrays: the workers that compute them write them, and the parts are merged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.arguments import as_mapping
from icefloe.checkpoint.distributed.parts import parts
from icefloe.checkpoint.distributed.scheduling import absolute, cluster, import_dask
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.slices import FULL, TensorSlice
from icefloe.checkpoint.writer import BundleWriter

# What one task holds in memory, about.
_GROUP = 256 << 20
# Dtypes whose slices TensorFlow puts together when it restores the whole tensor.
_IN_SLICES = frozenset(
    ("bool", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "complex64", "complex128", "bfloat16")
)


@dataclass(frozen=True, slots=True)
class _Item:
    """What a task writes of one value: a tensor, or where `chosen` is given that slice of one of `shape`."""

    name: str
    shape: tuple[int, ...]
    chosen: TensorSlice | None


def save_dask(
    mapping: Mapping[str, Any],
    prefix: str | os.PathLike[str],
    *,
    scheduler: Any = None,
    group_bytes: int = _GROUP,
) -> None:
    """Write a V2 checkpoint with the tensors of `mapping`, Dask arrays or anything that `save_checkpoint` takes. The
    workers that compute an array write it; no process holds more than one group of them.

        save_dask({"w": dask_array, "step": np.int64(3)}, "/shared/model.ckpt-3")

    prefix: path or URL without suffix, in a place that all workers reach.
    scheduler: "threads", "processes", "sync", the address of a cluster, a `distributed.Client`, or None for Dask's own
        choice.
    group_bytes: arrays are written in groups of about so many bytes, each to a data file of its own. A larger array
        is stored in slices along its first dimension, as a partitioned variable, where its dtype allows that
        TensorFlow puts them together; else whole.

    A reader finds the old checkpoint or the new one, whole.

    Raises: UnimplementedError if Dask is not installed; InvalidArgumentError for a value that cannot be stored; what
    computing raises; what the file system says.
    """
    dask = import_dask()
    mapping = as_mapping(mapping, "from names to values")
    if group_bytes < 1:
        raise errors.InvalidArgumentError(f"expected group_bytes of at least 1, got {group_bytes}")
    target = absolute(prefix)
    groups = _groups(dask, mapping, group_bytes)
    with cluster(scheduler) as workers, parts(target, len(groups)) as made:
        write = dask.delayed(_write, pure=False)
        tasks = []
        for part, (items, values) in zip(made.prefixes, groups):
            if any(isinstance(value, dask.array.Array) for value in values):
                tasks.append(write(part, items, values))
            else:
                _write(part, items, values)
        workers.compute(tasks)


def _groups(dask: Any, mapping: Mapping[str, Any], limit: int) -> list[tuple[list[_Item], list[Any]]]:
    groups: list[tuple[list[_Item], list[Any]]] = []
    room: dict[bool, tuple[int, int]] = {}  # is lazy -> (number of the group that is being filled, its bytes)

    def put(item: _Item, value: Any, size: int, is_lazy: bool) -> None:
        number, used = room.get(is_lazy, (-1, limit))
        if used + size > limit:
            number, used = len(groups), 0
            groups.append(([], []))
        groups[number][0].append(item)
        groups[number][1].append(value)
        room[is_lazy] = (number, used + size)

    for name, value in mapping.items():
        to_key(name)
        if not isinstance(value, dask.array.Array):
            put(_Item(name, (), None), value, getattr(value, "nbytes", 0), False)
            continue
        if any(np.isnan(n) for n in value.shape):
            raise errors.InvalidArgumentError(
                f"tensor {name!r}: its shape is not known", hint="Call compute_chunk_sizes() of the array."
            )
        try:
            known = datatypes.as_dtype(value.dtype)
        except TypeError:
            raise errors.InvalidArgumentError(f"tensor {name!r}: no dtype for {value.dtype}") from None
        if value.nbytes <= limit or not value.ndim or known.name not in _IN_SLICES or value.shape[0] < 2:
            put(_Item(name, value.shape, None), value, value.nbytes, True)
            continue
        rows = max(limit * value.shape[0] // value.nbytes, 1)
        for start in range(0, value.shape[0], rows):
            stop = min(start + rows, value.shape[0])
            extents = ((start, stop - start), *((0, FULL),) * (value.ndim - 1))
            put(_Item(name, value.shape, TensorSlice(extents)), value[start:stop], value[start:stop].nbytes, True)
    return groups or [([], [])]


def _write(prefix: str, items: list[_Item], values: list[Any]) -> None:
    with BundleWriter(prefix) as writer:
        for item, value in zip(items, values):
            if item.chosen is None:
                writer.add(item.name, value)
            else:
                writer.add_slice(item.name, item.shape, item.chosen, value)
