"""Ops on conditional accumulators, dense and sparse: the handle is a reference or a resource, here the object itself.

Source: tensorflow/core/kernels/conditional_accumulator_base_op.h and .cc, conditional_accumulator_op.cc,
sparse_conditional_accumulator_op.cc (checks and messages), tensorflow/core/ops/data_flow_ops.cc (shapes).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank
from icefloe.ops.data_flow.shared import behind, check_signature, shared_or_own
from icefloe.ops.wording import dtype_name
from icefloe.resources import ResourceManager
from icefloe.resources.accumulator import Accumulator, ConditionalAccumulator, SparseConditionalAccumulator
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text

Waiting = Generator[Pending, None, Any]
Signature = tuple[tuple[DType, ...], tuple[DType, ...]]

# What TensorFlow has kernels for.
_DTYPES = (datatypes.float16, datatypes.float32, datatypes.float64)


def _finder(
    kind: type[Accumulator],
    dtype: DType,
    dims: Dims,
    reduction_type: str,
    place: tuple[ResourceManager, str, str, str],
) -> Callable[[], Accumulator]:
    if dtype not in _DTYPES:
        raise errors.InvalidArgumentError(
            f"No OpKernel was registered to support a {kind.__name__} of dtype {dtype_name(dtype)}"
        )
    manager, container, shared_name, node = place

    def make(name: str) -> Accumulator:
        return kind(name, dtype, dims, reduction_type == "MEAN")

    return lambda: shared_or_own(manager, Accumulator, container, shared_name, node, make)


@kernel("ConditionalAccumulator", "ResourceConditionalAccumulator", factory=True, returns="stored")
def conditional_accumulator(
    *,
    dtype: DType,
    shape: Dims,
    reduction_type: str,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Accumulator]:
    return _finder(ConditionalAccumulator, dtype, shape, reduction_type, (manager, container, shared_name, node))


@kernel("SparseConditionalAccumulator", factory=True, returns="stored")
def sparse_conditional_accumulator(
    *,
    dtype: DType,
    shape: Dims,
    reduction_type: str,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Accumulator]:
    place = manager, container, shared_name, node
    return _finder(SparseConditionalAccumulator, dtype, shape, reduction_type, place)


def _scalar(name: str, value: Any) -> int:
    if np.ndim(value):
        raise errors.InvalidArgumentError(
            f"Argument {name} must be scalar, but had bad shape {shape_text(np.shape(value))}"
        )
    return int(value)


@kernel("AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated")
def num_accumulated(handle: Any) -> np.int32:
    return np.int32(behind(handle, Accumulator).count)


@kernel("AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep")
def set_global_step(handle: Any, new_global_step: Any) -> tuple[()]:
    # The message names another argument in TensorFlow, too.
    behind(handle, Accumulator).set_global_step(_scalar("num_required", new_global_step))
    return ()


@kernel("AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient")
def apply_gradient(handle: Any, local_step: Any, gradient: Any, *, signature: Signature) -> tuple[()]:
    found = behind(handle, ConditionalAccumulator)
    check_signature(signature, (datatypes.int64, found.dtype), ())
    found.apply(_scalar("local_step", local_step), gradient)
    return ()


@kernel("AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient", waits=True)
def take_gradient(handle: Any, num_required: Any, *, signature: Signature) -> Waiting:
    found = behind(handle, ConditionalAccumulator)
    check_signature(signature, (datatypes.int32,), (found.dtype,))
    return (yield from found.take(_scalar("num_required", num_required)).outcome())


@kernel("SparseAccumulatorApplyGradient")
def sparse_apply_gradient(
    handle: Any,
    local_step: Any,
    gradient_indices: Any,
    gradient_values: Any,
    gradient_shape: Any,
    *,
    has_known_shape: bool,
    signature: Signature,
) -> tuple[()]:
    found = behind(handle, SparseConditionalAccumulator)
    int64 = datatypes.int64
    check_signature(signature, (int64, int64, found.dtype, int64), ())
    known = np.asarray(gradient_shape) if has_known_shape else None
    values = (np.asarray(gradient_indices), np.asarray(gradient_values), known)
    found.apply(_scalar("local_step", local_step), *values)
    return ()


@kernel("SparseAccumulatorTakeGradient", waits=True)
def sparse_take_gradient(handle: Any, num_required: Any, *, signature: Signature) -> Waiting:
    """Indices, values and shape of the mean."""
    found = behind(handle, SparseConditionalAccumulator)
    check_signature(signature, (datatypes.int32,), (datatypes.int64, found.dtype, datatypes.int64))
    return (yield from found.take(_scalar("num_required", num_required)).outcome())


@shape("ConditionalAccumulator", "ResourceConditionalAccumulator", "SparseConditionalAccumulator")
def handle_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


shape("AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated")(scalar)


@shape(
    "AccumulatorSetGlobalStep",
    "ResourceAccumulatorSetGlobalStep",
    "AccumulatorApplyGradient",
    "ResourceAccumulatorApplyGradient",
    "SparseAccumulatorApplyGradient",
    "AccumulatorTakeGradient",
    "ResourceAccumulatorTakeGradient",
    "SparseAccumulatorTakeGradient",
)
def scalar_argument(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(1), 0)
    return [None] * c.num_outputs
