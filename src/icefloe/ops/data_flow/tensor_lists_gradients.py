"""Gradient rules of tensor lists: the gradient of a list is the list of its elements' gradients.

Source: tensorflow/python/ops/list_ops.py.
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor

not_differentiable(
    "EmptyTensorList",
    "TensorListConcatLists",
    "TensorListElementShape",
    "TensorListLength",
    "TensorListPushBackBatch",
    "TensorListReserve",
)


def _element_shape(handle: Tensor) -> Tensor:
    made: Tensor = apply_op("TensorListElementShape", handle, shape_type=datatypes.int32)
    return made


def _shape(x: Tensor) -> Tensor:
    made: Tensor = apply_op("Shape", x)
    return made


def _row_shape(x: Tensor) -> Tensor:
    """Return the shape of each row of `x`."""
    made: Tensor = apply_op("Slice", _shape(x), [1], [-1])
    return made


def _zeros_like(x: Tensor) -> Tensor:
    made: Tensor = apply_op("ZerosLike", x)
    return made


@gradient("TensorListPushBack")
def push_back_gradient(op: Operation, grad: Any) -> Any:
    """The last of the gradients, and the list of the others."""
    value = op.inputs[1]
    return apply_op("TensorListPopBack", grad, _shape(value), element_dtype=value.dtype)


@gradient("TensorListPopBack")
def pop_back_gradient(op: Operation, list_grad: Any, grad: Any) -> tuple[Any, None]:
    """The list of gradients with that of the element behind it."""
    value = op.outputs[1]
    if grad is None:
        grad = _zeros_like(value)
    if list_grad is None:
        list_grad = apply_op("EmptyTensorList", _element_shape(op.outputs[0]), -1, element_dtype=grad.dtype)
    return apply_op("TensorListPushBack", list_grad, grad), None


@gradient("TensorListStack")
def stack_gradient(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The rows of the gradient."""
    return apply_op("TensorListFromTensor", grad, _row_shape(grad)), None


@gradient("TensorListFromTensor")
def from_tensor_gradient(op: Operation, grad: Any) -> tuple[Any, None]:
    """The gradients as rows of one tensor."""
    x = op.inputs[0]
    count = -1 if x.shape.rank is None else x.shape.as_list()[0]
    size = -1 if count is None else count
    return apply_op("TensorListStack", grad, _row_shape(x), element_dtype=x.dtype, num_elements=size), None


@gradient("TensorListConcat", "TensorListConcatV2")
def concat_gradient(op: Operation, grad: Any, _: Any) -> list[Any]:
    """The gradient cut where the elements came together."""
    made = apply_op("TensorListSplit", grad, _element_shape(op.inputs[0]), op.outputs[1])
    return [made, *[None] * (len(op.inputs) - 1)]


@gradient("TensorListSplit")
def split_gradient(op: Operation, grad: Any) -> tuple[Any, None, None]:
    """The gradients, one after another."""
    x, shape, _ = op.inputs
    made = apply_op(
        "TensorListConcatV2", grad, shape, apply_op("Cast", op.inputs[2], DstT=datatypes.int64), element_dtype=x.dtype
    )
    return made[0], None, None


@gradient("TensorListGetItem")
def get_item_gradient(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """A list of zeros, but for this element."""
    handle, index, _ = op.inputs
    size = apply_op("TensorListLength", handle)
    empty = apply_op("TensorListReserve", _element_shape(handle), size, element_dtype=grad.dtype)
    return apply_op("TensorListSetItem", empty, index, grad), None, None


@gradient("TensorListSetItem")
def set_item_gradient(op: Operation, grad: Any) -> tuple[Any, None, Any]:
    """The gradient of this element, and the others."""
    _, index, item = op.inputs
    others = apply_op("TensorListSetItem", grad, index, _zeros_like(item))
    return others, None, apply_op("TensorListGetItem", grad, index, _shape(item), element_dtype=item.dtype)


@gradient("TensorListResize")
def resize_gradient(op: Operation, grad: Any) -> tuple[Any, None]:
    """The gradients of as many elements as there were."""
    return apply_op("TensorListResize", grad, apply_op("TensorListLength", op.inputs[0])), None


@gradient("TensorListGather")
def gather_gradient(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """A list of zeros, but for the elements that were taken."""
    handle, indices, _ = op.inputs
    size = apply_op("TensorListLength", handle)
    empty = apply_op("TensorListReserve", _row_shape(grad), size, element_dtype=grad.dtype)
    return apply_op("TensorListScatterIntoExistingList", empty, grad, indices), None, None


@gradient("TensorListScatter", "TensorListScatterV2")
def scatter_gradient(op: Operation, grad: Any) -> list[Any]:
    """The gradients of the elements that were put there."""
    x, indices = op.inputs[:2]
    made = apply_op("TensorListGather", grad, indices, _row_shape(x), element_dtype=x.dtype)
    return [made, *[None] * (len(op.inputs) - 1)]


@gradient("TensorListScatterIntoExistingList")
def scatter_into_gradient(op: Operation, grad: Any) -> tuple[Any, Any, None]:
    """The gradients of the elements that were put there, and the others."""
    _, x, indices = op.inputs
    made = apply_op("TensorListGather", grad, indices, _row_shape(x), element_dtype=x.dtype)
    others = apply_op("TensorListScatterIntoExistingList", grad, _zeros_like(x), indices)
    return others, made, None
