"""Stack ops of both generations: the handle is a reference or a resource, here always the stack itself.

Source: tensorflow/core/kernels/stack.cc.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unknown, with_rank
from icefloe.ops.data_flow.handles import in_this_run
from icefloe.ops.wording import dtype_name
from icefloe.resources.stack import Stack
from icefloe.shapes import Dims, shape_text

_count = itertools.count()


def _stack(handle: Any) -> Stack:
    if isinstance(handle, Stack):
        return handle
    return in_this_run(handle, Stack)


def _make(elem_type: DType, stack_name: str, node: str, max_size: int) -> Stack:
    return Stack(elem_type, f"{stack_name or node}_{next(_count)}", max_size)


@kernel("Stack")
def stack(*, elem_type: DType, stack_name: str, node: str) -> Stack:
    return _make(elem_type, stack_name, node, -1)


@kernel("StackV2")
def stack_v2(max_size: Any, *, elem_type: DType, stack_name: str, node: str) -> Stack:
    """A new stack; it lives as long as the run."""
    if np.ndim(max_size):
        raise errors.InvalidArgumentError(
            f"Stack size must be a scalar, but had shape: {shape_text(np.shape(max_size))}"
        )
    return _make(elem_type, stack_name, node, int(max_size))


@kernel("StackPush", "StackPushV2", returns="stored")
def push(handle: Any, elem: Any, *, T: DType) -> Any:
    """`elem` itself, once it is on the stack."""
    found = _stack(handle)
    if found.elem_type != T:
        raise errors.InvalidArgumentError(f"Must have type {dtype_name(found.elem_type)} but got {dtype_name(T)}")
    found.push(elem)
    return elem


@kernel("StackPop", "StackPopV2", returns="stored")
def pop(handle: Any) -> Any:
    return _stack(handle).pop()


@kernel("StackClose", "StackCloseV2")
def close(handle: Any) -> tuple[()]:
    _stack(handle).close()
    return ()


@shape("Stack", "StackV2")
def stack_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


@shape("StackPush", "StackPushV2")
def push_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(1)]


shape("StackPop", "StackPopV2")(unknown)


@shape("StackClose", "StackCloseV2")
def close_shape(c: ShapeContext) -> list[Dims]:
    merge(with_rank(c.shape(0), 1), (2,))
    return []
