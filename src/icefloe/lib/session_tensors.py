"""Tensors that a session keeps between runs, by handle.

Source: tensorflow/python/ops/session_ops.py (names, rules and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import colocate_with, device
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import placeholder
from icefloe.lib.text import as_str_any


def _device(handle: Any) -> Any:
    name = as_str_any(str(handle)).split(";")[-1]
    return device(name if name.startswith("/") else None)


def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """Return a tensor whose run keeps the value of `data` in the session and gives a TensorHandle.

    Raises: TypeError if `data` is no tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with colocate_with(data):
        return apply_op("GetSessionHandle", data, name=name)


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return a placeholder for a handle, and the tensor kept under the handle that is fed.

    handle: as text, of a tensor to come; only its device counts.
    """
    with _device(handle):
        holder = placeholder(datatypes.string)
        return holder, apply_op("GetSessionTensor", holder, dtype=dtype, name=name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """Return a placeholder for a handle, and an operation that deletes the tensor kept under the handle that is fed."""
    with _device(handle):
        holder = placeholder(datatypes.string)
        return holder, apply_op("DeleteSessionTensor", holder, name=name)
