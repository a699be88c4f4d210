"""Tensors that a session keeps between runs: GetSessionHandle, GetSessionTensor, DeleteSessionTensor.

Source: tensorflow/core/kernels/session_ops.cc, tensorflow/core/common_runtime/session_state.cc.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank
from icefloe.resources import DEFAULT_CONTAINER, ResourceManager
from icefloe.resources.session_tensor import SessionTensor
from icefloe.shapes import Dims

_NUMBER = "session tensors"


def _keep(value: Any, fresh: bool) -> SessionTensor:
    return SessionTensor(value if fresh or not isinstance(value, np.ndarray) else value.copy())


def _name(handle: Any) -> str:
    if np.ndim(handle):
        raise errors.InvalidArgumentError("handle must be scalar")
    item = handle.item() if isinstance(handle, np.ndarray) else handle
    return str(item, "utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


@kernel("GetSessionHandle")
def get_session_handle(value: Any, *, fresh: tuple[bool, ...], manager: ResourceManager, node: str) -> Any:
    """A string by which later runs find the value."""
    numbers = manager.node_state(_NUMBER, itertools.count)
    name = f"{node};{next(numbers)};/job:localhost/replica:0/task:0/device:CPU:0"
    manager.lookup_or_create(DEFAULT_CONTAINER, name, SessionTensor, lambda: _keep(value, fresh[0]))
    return np.array(name.encode("utf-8", "surrogateescape"), object)


@kernel("GetSessionHandleV2")
def get_session_handle_v2(value: Any, *, fresh: tuple[bool, ...]) -> SessionTensor:
    return _keep(value, fresh[0])


@kernel("GetSessionTensor", returns="stored")
def get_session_tensor(handle: Any, *, manager: ResourceManager) -> Any:
    """The value behind a handle. Raises: InvalidArgumentError if it was deleted or never kept."""
    name = _name(handle)
    try:
        return manager.lookup(DEFAULT_CONTAINER, name, SessionTensor).value
    except errors.NotFoundError:
        raise errors.InvalidArgumentError(f"The tensor with handle '{name}' is not in the session store.") from None


@kernel("DeleteSessionTensor")
def delete_session_tensor(handle: Any, *, manager: ResourceManager) -> tuple[()]:
    name = _name(handle)
    try:
        manager.delete(DEFAULT_CONTAINER, name, SessionTensor)
    except errors.NotFoundError:
        raise errors.InvalidArgumentError(
            f"Failed to delete a tensor with handle '{name}' in the session store."
        ) from None
    return ()


shape("GetSessionHandle", "GetSessionHandleV2")(scalar)


@shape("GetSessionTensor")
def get_session_tensor_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return [None]


@shape("DeleteSessionTensor")
def delete_session_tensor_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return []
