"""TensorArray ops of all three generations: making arrays, one element, the size; see `tensor_arrays_joined` for many
elements at once. The handle is a reference, a string or a resource, here always the array itself.

Source: tensorflow/core/kernels/tensor_array_ops.cc (order of checks, messages).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unknown, with_rank
from icefloe.ops.data_flow.arrays import (
    array_of,
    check_handle,
    check_read,
    check_written,
    generations,
    index_of,
)
from icefloe.resources import elements
from icefloe.resources.tensor_array import TensorArray
from icefloe.shapes import Dims, shape_text

_FLOW = np.float32(0)

# Making


def _make(
    size: Any,
    dtype: DType,
    element_shape: Dims,
    dynamic_size: bool,
    clear_after_read: bool,
    name: str,
    identical_element_shapes: bool = False,
) -> TensorArray:
    if np.ndim(size):
        raise errors.InvalidArgumentError(
            f"TensorArray size must be scalar, but had shape: {shape_text(np.shape(size))}"
        )
    if size < 0:
        raise errors.InvalidArgumentError("Size should be >= 0.")
    return TensorArray(
        name,
        dtype,
        int(size),
        element_shape,
        identical_element_shapes=identical_element_shapes,
        dynamic_size=dynamic_size,
        clear_after_read=clear_after_read,
    )


@kernel("TensorArray", "TensorArrayV2")
def tensor_array(
    size: Any,
    *,
    dtype: DType,
    element_shape: Dims,
    dynamic_size: bool,
    clear_after_read: bool,
    tensor_array_name: str,
    node: str,
) -> TensorArray:
    return _make(size, dtype, element_shape, dynamic_size, clear_after_read, tensor_array_name or node)


@kernel("TensorArrayV3")
def tensor_array_v3(
    size: Any,
    *,
    dtype: DType,
    element_shape: Dims,
    dynamic_size: bool,
    clear_after_read: bool,
    identical_element_shapes: bool,
    tensor_array_name: str,
    node: str,
) -> tuple[TensorArray, Any]:
    """A new array, and a flow that orders what is done with it. It lives as long as the run."""
    name = tensor_array_name or node
    made = _make(size, dtype, element_shape, dynamic_size, clear_after_read, name, identical_element_shapes)
    return made, _FLOW


@shape("TensorArrayV2")
def tensor_array_v2_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return [(2,)]


@shape("TensorArrayV3")
def tensor_array_v3_shape(c: ShapeContext) -> list[Dims]:
    """The handle's shape is that of the older generations' handles, which nothing relies on."""
    with_rank(c.shape(0), 0)
    dims = c.attr("element_shape")
    if elements.is_known(dims) or c.attr("identical_element_shapes"):
        c.set_handle(0, c.attr("dtype"), dims)
    return [(2,), ()]


@kernel("TensorArrayGrad", "TensorArrayGradV2")
def tensor_array_grad(handle: Any, flow: Any, *, source: str) -> TensorArray:
    return array_of(handle).gradient(source)


@kernel("TensorArrayGradV3")
def tensor_array_grad_v3(handle: Any, flow: Any, *, source: str) -> tuple[TensorArray, Any]:
    """The array of an array's gradients, one for each `source`; the first one who asks makes it."""
    return array_of(handle).gradient(source), _FLOW


@kernel("TensorArrayGradWithShape")
def tensor_array_grad_with_shape(
    handle: Any, flow: Any, shape_to_prepend: Any, *, source: str
) -> tuple[TensorArray, Any]:
    prefix = tuple(np.ravel(shape_to_prepend).tolist())
    if any(n < 0 for n in prefix):
        raise errors.InvalidArgumentError(f"Dimension {min(prefix)} must be >= 0")
    return array_of(handle).gradient(source, prefix), _FLOW


@shape("TensorArrayGradV2")
def tensor_array_grad_v2_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    return [(2,)]


@shape("TensorArrayGradV3")
def tensor_array_grad_v3_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    if found := c.handle(0):
        c.set_handle(0, *found)
    return [(2,), ()]


@shape("TensorArrayGradWithShape")
def tensor_array_grad_with_shape_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    if found := c.handle(0):
        dtype, dims = found
        prefix = c.shape(2)
        rank = prefix[0] if prefix else None
        c.set_handle(0, dtype, None if dims is None or rank is None else (*(None,) * rank, *dims))
    return [(2,), ()]


# One element


@kernel(*generations("Write"), returns="stored")
def write(handle: Any, index: Any, value: Any, flow: Any, *, T: DType) -> Any:
    at = index_of(index)
    array = array_of(handle)
    check_written(array, T)
    array.write(at, value)
    return flow


@kernel(*generations("Read"), returns="stored")
def read(handle: Any, index: Any, flow: Any, *, dtype: DType) -> Any:
    at = index_of(index)
    array = array_of(handle)
    check_read(array, dtype)
    return array.read(at)


@shape("TensorArrayWriteV2")
def write_v2_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(1), 0)
    with_rank(c.shape(3), 0)
    return [()]


@shape("TensorArrayWriteV3")
def write_v3_shape(c: ShapeContext) -> list[Dims]:
    found = write_v2_shape(c)
    if known := c.handle(0):
        merge(known[1], c.shape(2))
    return found


@shape("TensorArrayReadV2", "TensorArrayReadV3")
def read_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(1), 0)
    with_rank(c.shape(2), 0)
    known = c.handle(0)
    return [known[1] if known else None]


# The array as a whole


@kernel(*generations("Size"))
def size_of(handle: Any, flow: Any) -> Any:
    return np.int32(array_of(handle).size)


@shape("TensorArraySizeV2", "TensorArraySizeV3")
def size_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    return [()]


@kernel(*generations("Close"))
def close(handle: Any) -> tuple[()]:
    array_of(handle).close()
    return ()


@shape("TensorArrayCloseV2", "TensorArrayCloseV3")
def close_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    return []


shape("TensorArray", "TensorArrayGrad", "TensorArrayWrite", "TensorArrayRead", "TensorArraySize", "TensorArrayClose")(
    unknown
)
