"""Ops on tensor lists, with element shapes as TensorShapes, lists of sizes or tensors.

Source: tensorflow/python/ops/list_ops.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.shapes import Dimension, TensorShape


def element_shape_tensor(shape: Any) -> Any:
    """Return an element shape as list ops take it: a vector with -1 for unknown sizes, -1 for unknown rank."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = None if shape.rank is None else shape.as_list()
    if shape is None:
        return -1
    if isinstance(shape, (int, np.ndarray, np.generic)) or not shape:
        return convert_to_tensor(shape, dtype=datatypes.int32)
    sizes = [size.value if isinstance(size, Dimension) else size for size in shape]
    return [-1 if size is None else size for size in sizes]


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Tensor:
    """Return a list without elements, to which at most `max_num_elements` can be pushed; None: any number."""
    limit = -1 if max_num_elements is None else max_num_elements
    shape = element_shape_tensor(element_shape)
    return apply_op("EmptyTensorList", shape, limit, element_dtype=element_dtype, name=name)


def tensor_list_reserve(element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None) -> Tensor:
    """Return a list of `num_elements` elements that are not set."""
    shape = element_shape_tensor(element_shape)
    return apply_op("TensorListReserve", shape, num_elements, element_dtype=element_dtype, name=name)


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """Return the rows of `tensor` as a list."""
    return apply_op("TensorListFromTensor", convert_to_tensor(tensor), element_shape_tensor(element_shape), name=name)


def tensor_list_length(input_handle: Tensor, name: str | None = None) -> Tensor:
    """Return the number of elements."""
    return apply_op("TensorListLength", input_handle, name=name)


def tensor_list_push_back(input_handle: Tensor, tensor: Any, name: str | None = None) -> Tensor:
    """Return the list with `tensor` behind it."""
    return apply_op("TensorListPushBack", input_handle, tensor, name=name)


def tensor_list_pop_back(input_handle: Tensor, element_dtype: Any, name: str | None = None) -> Any:
    """Return `(output_handle, tensor)`: the list without its last element, and that element."""
    return apply_op("TensorListPopBack", input_handle, -1, element_dtype=element_dtype, name=name)


def tensor_list_get_item(
    input_handle: Tensor, index: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return an element."""
    shape = element_shape_tensor(element_shape)
    return apply_op("TensorListGetItem", input_handle, index, shape, element_dtype=element_dtype, name=name)


def tensor_list_set_item(
    input_handle: Tensor, index: Any, item: Any, resize_if_index_out_of_bounds: Any = False, name: str | None = None
) -> Tensor:
    """Return the list with `item` at `index`, which may be past the end where the list is to be resized."""
    return apply_op(
        "TensorListSetItem",
        input_handle,
        index,
        item,
        resize_if_index_out_of_bounds=bool(resize_if_index_out_of_bounds),
        name=name,
    )


def tensor_list_stack(
    input_handle: Tensor, element_dtype: Any, num_elements: int = -1, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return all elements stacked. num_elements: how many there must be, -1 for any number."""
    shape = element_shape_tensor(element_shape)
    attrs = {"element_dtype": element_dtype, "num_elements": num_elements}
    return apply_op("TensorListStack", input_handle, shape, name=name, **attrs)


def tensor_list_gather(
    input_handle: Tensor, indices: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return the elements at `indices` stacked."""
    shape = element_shape_tensor(element_shape)
    return apply_op("TensorListGather", input_handle, indices, shape, element_dtype=element_dtype, name=name)


def tensor_list_scatter(
    tensor: Any, indices: Any, element_shape: Any = None, input_handle: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Return a list, or `input_handle`, with the rows of `tensor` at `indices`."""
    tensor = convert_to_tensor(tensor)
    if input_handle is not None:
        return apply_op("TensorListScatterIntoExistingList", input_handle, tensor, indices, name=name)
    shape = element_shape_tensor(element_shape)
    return apply_op("TensorListScatterV2", tensor, indices, shape, -1, name=name)


def tensor_list_concat(
    input_handle: Tensor, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return all elements joined along their first axis."""
    shape = element_shape_tensor(element_shape)
    leading = convert_to_tensor([], dtype=datatypes.int64)
    joined: Tensor = apply_op(
        "TensorListConcatV2", input_handle, shape, leading, element_dtype=element_dtype, name=name
    )[0]
    return joined


def tensor_list_split(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> Tensor:
    """Return pieces of `tensor` of these lengths along its first axis as a list."""
    return apply_op("TensorListSplit", tensor, element_shape_tensor(element_shape), lengths, name=name)
