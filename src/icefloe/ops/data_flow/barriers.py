"""Barrier ops: the handle is a reference, here always the barrier itself.

Source: tensorflow/core/kernels/barrier_ops.cc (checks and messages), tensorflow/core/ops/data_flow_ops.cc (shapes).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unknown, with_rank, with_rank_at_least
from icefloe.ops.data_flow.shared import behind, check_signature, full_shapes, shapes_text, shared_or_own, types_text
from icefloe.resources import ResourceManager
from icefloe.resources.barrier import Barrier
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text

Waiting = Generator[Pending, None, Any]
Signature = tuple[tuple[DType, ...], tuple[DType, ...]]


@kernel("Barrier", factory=True, returns="stored")
def barrier(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[Dims, ...],
    capacity: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Barrier]:
    shapes = full_shapes(shapes)
    if len(shapes) != len(component_types):
        raise errors.InvalidArgumentError("All of the component shapes must be specified")
    if capacity != -1:
        raise errors.InvalidArgumentError(
            "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited "
            "capacity."
        )

    def find() -> Barrier:
        found = shared_or_own(
            manager, Barrier, container, shared_name, node, lambda name: Barrier(name, component_types, shapes)
        )
        if found.dtypes != component_types:
            raise errors.InvalidArgumentError(
                f"Shared barrier '{found.name}' has component types {types_text(found.dtypes)} "
                f"but requested component types were {types_text(component_types)}"
            )
        if found.shapes != shapes:
            raise errors.InvalidArgumentError(
                f"Shared barrier '{found.name}' has component shapes {shapes_text(found.shapes)} "
                f"but requested component shapes were {shapes_text(shapes)}"
            )
        return found

    return find


@kernel("BarrierInsertMany", waits=True)
def insert_many(handle: Any, keys: Any, values: Any, *, component_index: int, signature: Signature) -> Waiting:
    found = behind(handle, Barrier)
    if component_index >= len(found.dtypes):
        raise errors.InvalidArgumentError(
            f"The component ID is out of range {component_index} > num_components (= {len(found.dtypes)})"
        )
    if component_index < 0:
        raise errors.InvalidArgumentError(f"The component ID is negative: {component_index}")
    check_signature(signature, (datatypes.string, found.dtypes[component_index]), ())
    if np.size(keys) != (values.shape[0] if np.ndim(values) else 1):
        raise errors.InvalidArgumentError(
            f"Expected a value for each of {np.size(keys)} keys, got values of shape {shape_text(np.shape(values))}"
        )
    yield from found.insert_many(component_index, keys, values if np.ndim(values) else np.reshape(values, 1)).outcome()
    return ()


@kernel("BarrierTakeMany", waits=True)
def take_many(
    handle: Any, num_elements: Any, *, allow_small_batch: bool, timeout_ms: int, signature: Signature
) -> Waiting:
    """Indices, keys and the components: flat, as the op's outputs end with a list."""
    if timeout_ms != -1:
        raise errors.InvalidArgumentError("Timeout not supported yet.")
    if np.ndim(num_elements):
        raise errors.InvalidArgumentError("num_elements must be a scalar.")
    found = behind(handle, Barrier)
    check_signature(signature, (datatypes.int32,), (datatypes.int64, datatypes.string, *found.dtypes))
    count = int(num_elements)
    if count < 0:
        raise errors.InvalidArgumentError(f"num_elements must not be negative, got {count}")
    return (yield from found.take_many(count, allow_small_batch).outcome())


@kernel("BarrierClose", waits=True)
def close(handle: Any, *, cancel_pending_enqueues: bool) -> Waiting:
    yield from behind(handle, Barrier).start_closing(cancel_pending_enqueues).outcome()
    return ()


@kernel("BarrierReadySize")
def ready_size(handle: Any) -> np.int32:
    return np.int32(behind(handle, Barrier).ready_size)


@kernel("BarrierIncompleteSize")
def incomplete_size(handle: Any) -> np.int32:
    return np.int32(behind(handle, Barrier).incomplete_size)


@shape("Barrier")
def barrier_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


@shape("BarrierInsertMany")
def insert_many_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c)
    keys, values = with_rank(c.shape(1), 1), with_rank_at_least(c.shape(2), 1)
    merge(keys, None if values is None else values[:1])
    return []


shape("BarrierTakeMany")(unknown)


@shape("BarrierClose")
def close_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c)
    return []


@shape("BarrierReadySize", "BarrierIncompleteSize")
def size_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c)
    return [()]


def _check_handle(c: ShapeContext) -> None:
    merge(with_rank(c.shape(0), 1), (2,))
