"""Conversions to tensors that functions of TensorFlow's API share, and what is known of a tensor without running it."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph import conversion
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.tensor import Tensor
from icefloe.shapes import dimension_value


def hinted(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return `value` as a tensor of `dtype` where that is possible, else of its own dtype."""
    return conversion.convert_to_tensor(value, name=name, preferred_dtype=dtype)


def convert_to_int_tensor(value: Any, name: str, dtype: Any = datatypes.int32) -> Tensor:
    """Return `value` as an integer tensor, cast to `dtype`.

    Raises: TypeError if it is no integer.
    """
    tensor = conversion.convert_to_tensor(value, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = {tensor} of dtype: "
            f"{tensor.dtype}"
        )
    return apply_op("Cast", tensor, DstT=dtype)


def is_tensor(x: Any) -> bool:
    """Return whether `x` is a tensor or stands for one: a variable, a SparseTensor, IndexedSlices."""
    return isinstance(x, Tensor) or getattr(type(x), "is_tensor_like", False)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Return whether `tensor` is an edge of a graph, or stands for some: a variable, a SparseTensor, IndexedSlices."""
    return is_tensor(tensor) or hasattr(tensor, "consumers")


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of `tensor` as an ndarray where it is known without running the graph, else None.

    What is no tensor is returned as it is; a variable's value is not known.
    """
    if isinstance(tensor, Tensor):
        return constant_value(tensor, partial)
    return None if is_tensor(tensor) else tensor


def shape_tensor(shape: Any) -> Tensor:
    """Return `shape` as an integer tensor, int32 where it is an empty list; Dimensions count as their sizes."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        if not shape:
            dtype = datatypes.int32
        shape = tuple(dimension_value(size) for size in shape)
    return conversion.convert_to_tensor(shape, dtype=dtype, name="shape")
