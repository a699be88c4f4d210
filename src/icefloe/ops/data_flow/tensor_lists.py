"""TensorList ops: making lists, one element, the length; see `tensor_lists_joined` for many elements at once.

Source: tensorflow/core/kernels/list_kernels.h, list_kernels.cc; tensorflow/core/ops/list_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, scalar, with_rank, with_rank_at_least, with_rank_at_most
from icefloe.ops.array.values import boxed, unboxed
from icefloe.ops.data_flow.handles import asked_shape, scalar_of
from icefloe.ops.data_flow.lists import GIVEN, POPPED, PUSHED, check_dtype, input_list, known_shape, rows, same_list
from icefloe.ops.wording import dtype_name
from icefloe.resources import elements
from icefloe.resources.persistent import PersistentVector
from icefloe.resources.tensor_list import TensorList
from icefloe.shapes import Dims, shape_text

# Making


@kernel("EmptyTensorList")
def empty_tensor_list(element_shape: Any, max_num_elements: Any, *, element_dtype: DType) -> TensorList:
    limit = scalar_of(max_num_elements, "max_num_elements expected to be a scalar but got shape: ")
    return TensorList(element_dtype, asked_shape(element_shape), max_num_elements=limit)


@kernel("TensorListReserve")
def tensor_list_reserve(element_shape: Any, num_elements: Any, *, element_dtype: DType) -> TensorList:
    """A list of elements that are not set: zeros, once their shape is known."""
    dims = asked_shape(element_shape)
    count = scalar_of(num_elements, "The num_elements to reserve must be a tensor size 1, but got ")
    if count < 0:
        raise errors.InvalidArgumentError(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorList(element_dtype, dims, PersistentVector().resize(count))


@shape("EmptyTensorList", "TensorListReserve")
def made_list_shape(c: ShapeContext) -> list[Dims]:
    with_rank_at_most(c.shape(0), 1)
    c.set_handle(0, c.attr("element_dtype"), c.shape_value(0))
    return [()]


@kernel("TensorListFromTensor")
def tensor_list_from_tensor(tensor: Any, element_shape: Any, *, element_dtype: DType) -> TensorList:
    """The rows of a tensor as a list."""
    if np.ndim(element_shape) > 1:
        raise errors.InvalidArgumentError(
            "TensorListFromTensor: element_shape must be at most rank 1 but has the shape of "
            f"{shape_text(np.shape(element_shape))}"
        )
    dims = asked_shape(element_shape)
    return TensorList(element_dtype, dims, PersistentVector(rows(tensor, dims)))


@shape("TensorListFromTensor")
def tensor_list_from_tensor_shape(c: ShapeContext) -> list[Dims]:
    dims = with_rank_at_least(c.shape(0), 1)
    with_rank_at_most(c.shape(1), 1)
    asked = c.shape_value(1)
    merge(None if dims is None else dims[1:], asked)
    c.set_handle(0, c.attr("element_dtype"), asked)
    return [()]


# What a list is


@kernel("TensorListLength")
def tensor_list_length(handle: Any) -> Any:
    return np.int32(len(input_list(handle).items))


shape("TensorListLength")(scalar)


@kernel("TensorListElementShape")
def tensor_list_element_shape(handle: Any, *, shape_type: DType) -> Any:
    """The elements' shape with -1 for what is not known; the scalar -1 for unknown rank."""
    dims = input_list(handle).element_shape
    if dims is None:
        return np.array(-1, shape_type.numpy)
    return np.array([-1 if n is None else n for n in dims], shape_type.numpy)


@shape("TensorListElementShape")
def tensor_list_element_shape_shape(c: ShapeContext) -> list[Dims]:
    known = c.handle(0)
    return [None if known is None or known[1] is None else (len(known[1]),)]


# One element


@kernel("TensorListGetItem", returns="stored")
def tensor_list_get_item(handle: Any, index: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    found = input_list(handle)
    check_dtype(found, element_dtype)
    at = scalar_of(index, "Expected index to be a scalar, but got shape: ")
    if not 0 <= at < len(found.items):
        raise errors.InvalidArgumentError(f"Trying to access element {at} in a list with {len(found.items)} elements.")
    item = found.items[at]
    return item if item is not None else found.element(at, asked_shape(element_shape))


@shape("TensorListGetItem")
def tensor_list_get_item_shape(c: ShapeContext) -> list[Dims]:
    return [merge(known_shape(c, GIVEN), c.shape_value(2))]


@kernel("TensorListSetItem", returns="stored")
def tensor_list_set_item(
    handle: Any, index: Any, item: Any, *, element_dtype: DType, resize_if_index_out_of_bounds: bool
) -> TensorList:
    """The list with another element; the list that was given stays as it is."""
    found = input_list(handle)
    check_dtype(found, element_dtype)
    at = scalar_of(index, "Expected argument 1 to be a scalar. Received shape: ")
    if not elements.fits(found.element_shape, elements.shape_of(item)):
        raise errors.InvalidArgumentError(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{shape_text(elements.shape_of(item))} list shape: {shape_text(found.element_shape)}"
        )
    items = found.items
    size = len(items)
    if at < 0 or (at >= size and not resize_if_index_out_of_bounds):
        raise errors.InvalidArgumentError(f"Trying to modify element {at} in a list with {size} elements.")
    if at >= size:
        items = (items if at == size else items.resize(at)).append(item)
    else:
        items = items.set(at, item)
    return found.with_items(items)


@shape("TensorListSetItem")
def tensor_list_set_item_shape(c: ShapeContext) -> list[Dims]:
    known = c.handle(0)
    if known is None:
        c.set_handle(0, c.attr("element_dtype"), None)
    else:
        merge(c.shape(2), known[1])
        c.set_handle(0, *known)
    return [()]


@kernel("TensorListPushBack", returns="stored")
def tensor_list_push_back(handle: Any, tensor: Any, *, element_dtype: DType) -> TensorList:
    found = input_list(handle)
    got = elements.shape_of(tensor)
    if not elements.fits(found.element_shape, got):
        raise errors.InvalidArgumentError(
            f"Tried to append a tensor with incompatible shape to a list. Op element shape: {shape_text(got)} "
            f"list shape: {shape_text(found.element_shape)}"
        )
    check_dtype(found, element_dtype)
    size = len(found.items)
    if found.max_num_elements != -1 and size >= found.max_num_elements:
        raise errors.InvalidArgumentError(
            f"Tried to push item into a full list list size: {size} max_num_elements: {found.max_num_elements}"
        )
    return found.with_items(found.items.append(tensor))


@shape("TensorListPushBack")
def tensor_list_push_back_shape(c: ShapeContext) -> list[Dims]:
    same_list(c, PUSHED)
    return [()]


@kernel("TensorListPopBack", returns="stored")
def tensor_list_pop_back(handle: Any, element_shape: Any, *, element_dtype: DType) -> tuple[TensorList, Any]:
    """The list without its last element, and that element."""
    found = input_list(handle)
    check_dtype(found, element_dtype)
    size = len(found.items)
    if not size:
        raise errors.InvalidArgumentError("Trying to pop from an empty list.")
    last = found.items[size - 1]
    if last is None:
        dims = elements.merged(asked_shape(element_shape), found.element_shape)
        if dims is None or None in dims:
            raise errors.InvalidArgumentError(
                f"Trying to read an uninitialized tensor but element_shape is not fully defined.{shape_text(dims)}"
            )
        last = elements.zeros(tuple([n or 0 for n in dims]), element_dtype)
    return found.with_items(found.items.resize(size - 1)), last


@shape("TensorListPopBack")
def tensor_list_pop_back_shape(c: ShapeContext) -> list[Dims]:
    return [(), same_list(c, POPPED)]


@kernel("TensorListPushBackBatch", returns="stored")
def tensor_list_push_back_batch(handles: Any, tensor: Any, *, element_dtype: DType) -> Any:
    """Each list of a vector with the row of `tensor` of its number behind it."""
    shape = elements.shape_of(tensor)
    if not shape:
        raise errors.InvalidArgumentError("Expected tensor to be at least a vector, but saw shape: []")
    lists = boxed(handles)
    if lists.ndim != 1:
        raise errors.InvalidArgumentError(
            f"Expected input_handles to be a vector, but saw shape: {shape_text(lists.shape)}"
        )
    if len(lists) != shape[0]:
        raise errors.InvalidArgumentError(
            f"Expected tensor.shape[0] == input_handles.size, but saw {shape[0]} vs. {len(lists)}"
        )
    made = np.empty(len(lists), object)
    source = boxed(tensor)
    for i, found in enumerate(lists.tolist()):
        if not isinstance(found, TensorList):
            raise errors.InvalidArgumentError(f"Input handle at index {i} is not a list. Saw: '{found!r}'")
        if not elements.fits(found.element_shape, shape[1:]):
            raise errors.InvalidArgumentError(
                f"Tried to append a tensor with incompatible shape to a list at index {i}. Op element shape: "
                f"{shape_text(shape[1:])} list shape: {shape_text(found.element_shape)}"
            )
        if found.element_dtype != element_dtype:
            raise errors.InvalidArgumentError(
                f"Invalid data type at index {i}; op elements {dtype_name(element_dtype)} but list elements "
                f"{dtype_name(found.element_dtype)}"
            )
        made[i] = found.with_items(found.items.append(unboxed(source[i : i + 1].reshape(shape[1:]))))
    return made


@shape("TensorListPushBackBatch")
def tensor_list_push_back_batch_shape(c: ShapeContext) -> list[Dims]:
    handles = with_rank(c.shape(0), 1)
    tensor = with_rank_at_least(c.shape(1), 1)
    same_list(c, PUSHED)
    return [merge(handles, None if tensor is None else tensor[:1])]


# The length


@kernel("TensorListResize", returns="stored")
def tensor_list_resize(handle: Any, size: Any) -> TensorList:
    """The first `size` elements, with unset ones behind them where there are fewer."""
    found = input_list(handle)
    if np.ndim(size):
        raise errors.InvalidArgumentError("size must be a scalar")
    if size < 0:
        raise errors.InvalidArgumentError(f"TensorListSlice expects size to be non-negative. Got: {int(size)}")
    return found.with_items(found.items.resize(int(size)))


@shape("TensorListResize")
def tensor_list_resize_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(1), 0)
    if known := c.handle(0):
        c.set_handle(0, *known)
    return [()]
