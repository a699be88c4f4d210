"""Sparse tensors kept for later by handle: the ops of a SparseTensorsMap."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank
from icefloe.ops.array.values import Array
from icefloe.ops.sparse.components import check_ranks, rows_of, stacked
from icefloe.ops.wording import numpy_name
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims, shape_text


class SparseTensorsMap:
    """Sparse tensors by handles that count up from 0. Safe for threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._tensors: dict[int, tuple[Array, Array, Array]] = {}
        self._next = 0
        self._lock = threading.Lock()

    def add(self, tensors: list[tuple[Array, Array, Array]]) -> list[int]:
        """Keep copies of `tensors` and return their handles."""
        with self._lock:
            first = self._next
            self._next += len(tensors)
            for handle, parts in enumerate(tensors, first):
                self._tensors[handle] = (parts[0].copy(), parts[1].copy(), parts[2].copy())
            return list(range(first, self._next))

    def take(self, handles: list[int]) -> list[tuple[Array, Array, Array]]:
        """Return the tensors behind `handles` and forget them.

        Raises: InvalidArgumentError for an unknown handle; those before it are forgotten all the same.
        """
        taken = []
        with self._lock:
            for handle in handles:
                if handle not in self._tensors:
                    raise errors.InvalidArgumentError(f"Unable to find SparseTensor: {handle} in map: {self.name}")
                taken.append(self._tensors.pop(handle))
        return taken


def _map_of(manager: ResourceManager, container: str, name: str) -> SparseTensorsMap:
    return manager.lookup_or_create(container, name, SparseTensorsMap, lambda: SparseTensorsMap(name))


@kernel("AddSparseToTensorsMap")
def add_sparse_to_tensors_map(
    indices: Any, values: Any, sizes: Any, *, manager: ResourceManager, container: str, shared_name: str, node: str
) -> Array:
    """Keep a sparse tensor and return its handle."""
    check_ranks(indices, values, sizes)
    (handle,) = _map_of(manager, container, shared_name or node).add([(indices, values, sizes)])
    return np.array(handle, np.int64)


@kernel("AddManySparseToTensorsMap")
def add_many_sparse_to_tensors_map(
    indices: Any, values: Any, sizes: Any, *, manager: ResourceManager, container: str, shared_name: str, node: str
) -> Array:
    """Keep each slice of a sparse tensor along its first dimension and return their handles."""
    handles = _map_of(manager, container, shared_name or node).add(rows_of(indices, values, sizes))
    return np.array(handles, np.int64)


shape("AddSparseToTensorsMap")(scalar)


@shape("AddManySparseToTensorsMap")
def add_many_sparse_to_tensors_map_shape(c: ShapeContext) -> list[Dims]:
    return [(None,)]


@kernel("TakeManySparseFromTensorsMap")
def take_many_sparse_from_tensors_map(
    handles: Any, *, dtype: DType, manager: ResourceManager, container: str, shared_name: str, node: str
) -> tuple[Array, Array, Array]:
    """The sparse tensors behind a vector of handles, stacked; the map forgets them."""
    if np.ndim(handles) != 1:
        raise errors.InvalidArgumentError(
            f"sparse_handles should be a vector but received shape {shape_text(np.shape(handles))}"
        )
    if not len(handles):
        raise errors.InvalidArgumentError("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows")
    name = shared_name or node
    tensors = _map_of(manager, container, name).take(handles.tolist())
    for i, (_, values, _) in enumerate(tensors):
        if values.dtype != dtype.numpy:
            raise errors.InvalidArgumentError(
                f"Requested SparseTensor of type {dtype.name} but SparseTensor[{i}].values.dtype() =="
                f" {numpy_name(values.dtype)}"
            )
    return stacked(tensors, (len(tensors),))


@shape("TakeManySparseFromTensorsMap")
def take_many_sparse_from_tensors_map_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    return [(None, None), (None,), (None,)]
