"""Mutexes: MutexV2, MutexLock, ConsumeMutexLock."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.array.values import unboxed
from icefloe.ops.data_flow.handles import describe
from icefloe.resources import DEFAULT_CONTAINER, ResourceManager
from icefloe.resources.mutex import Mutex, MutexLock
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text


@kernel("MutexV2", returns="stored")
def mutex(*, container: str, shared_name: str, manager: ResourceManager, node: str) -> Mutex:
    name = shared_name or node
    return manager.lookup_or_create(container or DEFAULT_CONTAINER, name, Mutex, lambda: Mutex(name))


@kernel("MutexLock", waits=True)
def mutex_lock(handle: Any) -> Generator[Pending, None, MutexLock]:
    """The hold on a mutex, once nobody else has it. It lasts until the run has no more use for this."""
    if not isinstance(handle, Mutex):
        raise errors.InvalidArgumentError(f"Expected the handle of a mutex, got {type(handle).__name__}")
    lock: MutexLock = yield from handle.acquire().outcome()
    return lock


@kernel("ConsumeMutexLock")
def consume_mutex_lock(lock: Any) -> tuple[()]:
    """Do nothing: what depends on this keeps the lock until now."""
    if np.ndim(lock):
        raise errors.InvalidArgumentError(f"Expected input to be a scalar, saw shape: {shape_text(np.shape(lock))}")
    if not isinstance(unboxed(lock), MutexLock):
        raise errors.InvalidArgumentError(
            f"Expected input to contain a SharedLockReleaser object, but saw variant: '{describe(unboxed(lock))}'"
        )
    return ()


shape("MutexV2", "MutexLock")(scalar)


@shape("ConsumeMutexLock")
def consume_mutex_lock_shape(c: ShapeContext) -> list[Dims]:
    return []
