"""What the ops on tensor lists share. Registers nothing."""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.array.values import boxed, unboxed
from icefloe.ops.data_flow.handles import the_only
from icefloe.ops.wording import dtype_name
from icefloe.resources import elements
from icefloe.resources.tensor_list import TensorList
from icefloe.shapes import Dims, shape_text

PUSHED = "Trying to push to list with wrong element dtype. List has type {} but trying to push element with type {}"
POPPED = "Trying to read from list with wrong element dtype. List has type {} but trying to push element with type {}"
READ = "Trying to read from list with wrong element dtype. List has type {} but expected type {}"
GIVEN = "Expected list with element dtype {1} but got list with element dtype {0}"


def input_list(handle: Any) -> TensorList:
    """Return the list in a scalar variant. Raises: InvalidArgumentError if there is none."""
    if isinstance(handle, TensorList):
        return handle
    return the_only(handle, TensorList, "list", " saw:")


def check_dtype(found: TensorList, dtype: DType) -> None:
    """Raise InvalidArgumentError if the elements have another dtype."""
    if found.element_dtype is not dtype and found.element_dtype != dtype:
        raise errors.InvalidArgumentError(
            f"Invalid data types; op elements {dtype_name(dtype)} but list elements {dtype_name(found.element_dtype)}"
        )


def rows(tensor: Any, dims: Dims) -> list[Any]:
    """Return the rows of a tensor as elements, which are views of it.

    Raises: InvalidArgumentError if it has none or they do not fit `dims`.
    """
    shape = elements.shape_of(tensor)
    if not shape:
        raise errors.InvalidArgumentError("Tensor must be at least a vector, but saw shape: []")
    if not elements.fits(dims, shape[1:]):
        raise errors.InvalidArgumentError(
            f"Specified a list with shape {shape_text(dims)} from a tensor with shape {shape_text(shape[1:])}"
        )
    array = boxed(tensor)
    if len(shape) > 1:
        return list(array)
    return [unboxed(array[i : i + 1].reshape(())) for i in range(len(array))]


def known_shape(c: ShapeContext, message: str) -> Dims:
    """Return what is known of the shape of the elements of the list that is input 0.

    Raises: InvalidArgumentError, with `message` and both dtypes, if they are known to have another dtype than the op's.
    """
    known = c.handle(0)
    if known is None:
        return None
    dtype = c.attr("element_dtype")
    if known[0] != dtype:
        raise errors.InvalidArgumentError(message.format(dtype_name(known[0]), dtype_name(dtype)))
    return known[1]


def same_list(c: ShapeContext, message: str) -> Dims:
    """Say that output 0 is a list as input 0 is, and return what is known of its elements' shape.

    Raises: as `known_shape`.
    """
    dims = known_shape(c, message)
    c.set_handle(0, c.attr("element_dtype"), dims)
    return dims
