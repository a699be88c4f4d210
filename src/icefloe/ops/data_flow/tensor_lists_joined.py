"""TensorList ops on many elements at once: stacked, joined, split, gathered, scattered.

Source: tensorflow/core/kernels/list_kernels.h, list_kernels.cc; tensorflow/core/ops/list_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    concatenate,
    merge,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import boxed, unboxed
from icefloe.ops.data_flow.handles import asked_shape
from icefloe.ops.data_flow.lists import GIVEN, READ, check_dtype, input_list, known_shape, rows, same_list
from icefloe.ops.wording import dtype_name
from icefloe.resources import elements
from icefloe.resources.persistent import PersistentVector
from icefloe.resources.tensor_list import TensorList
from icefloe.shapes import Dims, shape_text

# Stacking and gathering


def _stacked(found: TensorList, items: Sequence[Any] | PersistentVector, shape: tuple[int, ...]) -> Any:
    """Return elements as one array, zeros for those that are not set."""
    dtype = found.element_dtype
    sizes = check_shape((len(items), *shape), dtype.numpy)
    if 0 in sizes:
        return elements.zeros(sizes, dtype)
    check_shape((len(items), 4), np.dtype(object))
    listed = list(items)
    for item in listed:
        if item is not None and elements.shape_of(item) != shape:
            raise errors.InvalidArgumentError(
                f"The list holds an element of shape {shape_text(elements.shape_of(item))}, "
                f"expected {shape_text(shape)}"
            )
    if any(item is None for item in listed):
        blank = elements.zeros(shape, dtype)
        listed = [blank if item is None else item for item in listed]
    return elements.stacked(listed, shape, dtype)


@kernel("TensorListStack")
def tensor_list_stack(handle: Any, element_shape: Any, *, element_dtype: DType, num_elements: int) -> Any:
    """All elements, stacked; zeros for those that are not set."""
    found = input_list(handle)
    check_dtype(found, element_dtype)
    size = len(found.items)
    if num_elements not in (-1, size):
        raise errors.InvalidArgumentError(
            f"Operation expected a list with {num_elements} elements but got a list with {size} elements."
        )
    dims = elements.merged(asked_shape(element_shape), found.element_shape)
    if not size and not elements.is_known(dims):
        raise errors.InvalidArgumentError(
            f"Tried to stack elements of an empty list with non-fully-defined element_shape: {shape_text(dims)}"
        )
    if not elements.is_known(found.element_shape):
        for item in found.items.present():
            dims = elements.merged(dims, elements.shape_of(item))
    if dims is None or None in dims:
        raise errors.InvalidArgumentError(
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: "
            f"{shape_text(dims)}"
        )
    return _stacked(found, found.items, tuple([n or 0 for n in dims]))


@shape("TensorListStack")
def tensor_list_stack_shape(c: ShapeContext) -> list[Dims]:
    dims = merge(known_shape(c, READ), c.shape_value(1))
    count = c.attr("num_elements")
    return [concatenate((None if count == -1 else count,), dims)]


@kernel("TensorListGather")
def tensor_list_gather(handle: Any, indices: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    """The elements at `indices`, stacked."""
    found = input_list(handle)
    check_dtype(found, element_dtype)
    dims = elements.merged(asked_shape(element_shape), found.element_shape)
    places: list[int] = np.ravel(indices).tolist()
    if not places and not elements.is_known(dims):
        raise errors.InvalidArgumentError(
            f"Tried to gather 0-elements from a list with non-fully-defined shape: {shape_text(dims)}"
        )
    size = len(found.items)
    known = elements.is_known(found.element_shape)
    for i in places:
        if not 0 <= i < size:
            raise errors.InvalidArgumentError(
                f"Index {i} out o range; list only has {size} elements."
                if known
                else f"Trying to gather element {i} in a list with {size} elements."
            )
    items = [found.items[i] for i in places]
    if not known:
        for item in items:
            if item is not None:
                dims = elements.merged(dims, elements.shape_of(item))
    if dims is None or None in dims:
        raise errors.InvalidArgumentError(
            "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: "
            f"{shape_text(dims)}"
        )
    return _stacked(found, items, tuple([n or 0 for n in dims]))


@shape("TensorListGather")
def tensor_list_gather_shape(c: ShapeContext) -> list[Dims]:
    return [concatenate(c.shape(1), merge(known_shape(c, GIVEN), c.shape_value(2)))]


# Joining and splitting


@kernel("TensorListConcat")
def tensor_list_concat(handle: Any, *, element_dtype: DType, element_shape: Dims) -> tuple[Any, Any]:
    if element_shape == ():
        raise errors.InvalidArgumentError("element_shape must not be empty")
    found = input_list(handle)
    check_dtype(found, element_dtype)
    return _joined(found, None, None if element_shape is None else element_shape[1:], None)


@kernel("TensorListConcatV2")
def tensor_list_concat_v2(
    handle: Any, element_shape: Any, leading_dims: Any, *, element_dtype: DType
) -> tuple[Any, Any]:
    """All elements, joined along their first axis, and the length of each.

    leading_dims: the lengths of elements that are not set.
    """
    found = input_list(handle)
    check_dtype(found, element_dtype)
    dims = elements.merged(asked_shape(element_shape), found.element_shape)
    if dims == ():
        raise errors.InvalidArgumentError("Concat requires elements to be at least vectors, found scalars instead.")
    first, rest = (None, None) if dims is None else (dims[0], dims[1:])
    return _joined(found, first, rest, np.ravel(leading_dims).tolist())


def _joined(found: TensorList, first: int | None, rest: Dims, given: list[int] | None) -> tuple[Any, Any]:
    """Join the elements. first: the length of each, where they share one. rest: what is known of the other sizes.
    given: lengths of elements that are not set, None where the op has no such input."""
    size = len(found.items)
    if not size and not elements.is_known(rest):
        raise errors.InvalidArgumentError(
            "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: "
            f"{shape_text(rest)}"
        )
    check_shape((size, 4), np.dtype(object))
    items = list(found.items)
    if not elements.is_known(found.element_shape):
        first, rest = _common(items, first, rest)
    if rest is None or None in rest:
        raise errors.InvalidArgumentError(
            "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
            f"defined: {shape_text(rest)}"
        )
    inner = tuple([n or 0 for n in rest])
    lengths = [_length(i, item, first, given) for i, item in enumerate(items)]
    check_shape((sum(lengths), *inner), found.element_dtype.numpy)
    pieces = [
        elements.zeros((length, *inner), found.element_dtype) if item is None else item
        for item, length in zip(items, lengths)
    ]
    if pieces:
        value = np.concatenate(pieces)
    else:
        value = elements.zeros((0, *inner), found.element_dtype)
    return value, np.array(lengths, np.int64)


def _common(items: list[Any], first: int | None, rest: Dims) -> tuple[int | None, Dims]:
    """Return the length that all set elements share, None if they do not, and what all know of the other sizes."""
    seen: set[int] = set()
    for i, item in enumerate(items):
        if item is None:
            continue
        shape = elements.shape_of(item)
        if not shape:
            raise errors.InvalidArgumentError(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        rest = elements.merged(rest, shape[1:])
        if first is not None and first != shape[0]:
            raise errors.InvalidArgumentError(
                "First entry of element_shape input does not match the first dim of list element at index: "
                f"{i} Expected: {first} Actual: {shape[0]}"
            )
        seen.add(shape[0])
    return (seen.pop() if first is None and len(seen) == 1 else first), rest


def _length(i: int, item: Any, first: int | None, given: list[int] | None) -> int:
    if item is not None:
        return elements.shape_of(item)[0]
    if first is not None and (given is None or i >= len(given)):
        return first
    if given is None:
        raise errors.InvalidArgumentError(
            "Concating lists with uninitialized tensors is not supported in this version of TensorListConcat. Consider "
            "updating your GraphDef to run the newer version."
        )
    if i >= len(given):
        raise errors.InvalidArgumentError(
            f"List contains uninitialized tensor at index {i} but leading_dims has only {len(given)} elements."
        )
    return given[i]


def _concat_shape(c: ShapeContext, dims: Dims) -> list[Dims]:
    dims = merge(dims, known_shape(c, READ))
    if dims is not None and not dims:
        raise errors.InvalidArgumentError("Shape must be at least rank 1 but is rank 0")
    return [None if dims is None else (None, *dims[1:]), (None,)]


@shape("TensorListConcat")
def tensor_list_concat_shape(c: ShapeContext) -> list[Dims]:
    return _concat_shape(c, c.attr("element_shape"))


@shape("TensorListConcatV2")
def tensor_list_concat_v2_shape(c: ShapeContext) -> list[Dims]:
    return _concat_shape(c, c.shape_value(1))


@kernel("TensorListSplit")
def tensor_list_split(tensor: Any, element_shape: Any, lengths: Any, *, element_dtype: DType) -> TensorList:
    """Pieces of a tensor of these lengths along its first axis, as a list."""
    dims = asked_shape(element_shape)
    if dims == ():
        raise errors.InvalidArgumentError(
            "TensorListSplit requires element_shape to be at least of rank 1, but saw: []"
        )
    shape = elements.shape_of(tensor)
    if not shape:
        raise errors.InvalidArgumentError("Tensor must be at least a vector, but saw shape: []")
    if dims is not None and not elements.fits(dims[1:], shape[1:]):
        raise errors.InvalidArgumentError(
            f"tensor shape {shape_text(shape)} is not compatible with element_shape {shape_text(dims)}"
        )
    if np.ndim(lengths) != 1:
        raise errors.InvalidArgumentError(
            f"Expected lengths to be a vector, received shape: {shape_text(np.shape(lengths))}"
        )
    pieces, start = [], 0
    for length in lengths.tolist():
        if length < 0:
            raise errors.InvalidArgumentError(f"Invalid value in lengths: {length}")
        end = start + length
        if end > shape[0]:
            raise errors.InvalidArgumentError(
                f"Attempting to slice [{start}, {end}] from tensor with length {shape[0]}"
            )
        pieces.append(tensor[start:end])
        start = end
    if start != shape[0]:
        raise errors.InvalidArgumentError(f"Unused values in tensor. Length of tensor: {shape[0]} Values used: {start}")
    return TensorList(element_dtype, dims, PersistentVector(pieces))


@shape("TensorListSplit")
def tensor_list_split_shape(c: ShapeContext) -> list[Dims]:
    dims = with_rank_at_least(c.shape(0), 1)
    with_rank(c.shape(2), 1)
    with_rank_at_most(c.shape(1), 1)
    asked = c.shape_value(1)
    merge(None if dims is None else (None, *dims[1:]), asked)
    c.set_handle(0, c.attr("element_dtype"), asked)
    return [()]


# Scattering


@kernel("TensorListScatter")
def tensor_list_scatter(tensor: Any, indices: Any, element_shape: Any, *, element_dtype: DType) -> TensorList:
    return _scattered(tensor, indices, element_shape, -1, element_dtype)


@kernel("TensorListScatterV2")
def tensor_list_scatter_v2(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any, *, element_dtype: DType
) -> TensorList:
    """A list of at least `num_elements` with the rows of a tensor at `indices`."""
    if np.ndim(num_elements):
        raise errors.InvalidArgumentError("num_elements must be a scalar")
    return _scattered(tensor, indices, element_shape, int(num_elements), element_dtype)


def _scattered(tensor: Any, indices: Any, element_shape: Any, count: int, element_dtype: DType) -> TensorList:
    if np.ndim(element_shape) > 1:
        raise errors.InvalidArgumentError(
            "TensorListScatter: element_shape must be at most rank 1 but has the shape of "
            f"{shape_text(np.shape(element_shape))}"
        )
    dims = asked_shape(element_shape)
    if count < -1:
        raise errors.InvalidArgumentError(f"TensorListScatter expects num_elements >= -1, found: {count}")
    found = rows(tensor, dims)
    places: list[int] = np.ravel(indices).tolist()
    if len(places) != len(found):
        raise errors.InvalidArgumentError(
            f"Invalid number of rows in input tensor. Expected: {len(places)} Actual: {len(found)}"
        )
    for i in places:
        if i < 0:
            raise errors.InvalidArgumentError("Indices in TensorListScatter must all be non-negative.")
        if count != -1 and i >= count:
            raise errors.InvalidArgumentError(
                f"TensorListScatter: Trying to scatter at index {i} in list with size {count}"
            )
    items = PersistentVector().resize(max(max(places, default=-1) + 1, count))
    return TensorList(element_dtype, dims, _put(items, places, found))


def _put(items: PersistentVector, places: list[int], values: list[Any]) -> PersistentVector:
    if len(items) <= 4 * len(places):
        listed = list(items)
        for i, value in zip(places, values):
            listed[i] = value
        return PersistentVector(listed)
    for i, value in zip(places, values):
        items = items.set(i, value)
    return items


@shape("TensorListScatter", "TensorListScatterV2")
def tensor_list_scatter_shape(c: ShapeContext) -> list[Dims]:
    with_rank_at_most(c.shape(2), 1)
    c.set_handle(0, c.attr("element_dtype"), c.shape_value(2))
    return [()]


@kernel("TensorListScatterIntoExistingList")
def tensor_list_scatter_into_existing_list(
    handle: Any, tensor: Any, indices: Any, *, element_dtype: DType
) -> TensorList:
    """The list with the rows of a tensor at `indices`, made longer if it must be."""
    found = input_list(handle)
    if found.element_dtype != element_dtype:
        raise errors.InvalidArgumentError(
            f"Invalid data types; input tensor type: {dtype_name(element_dtype)} list element_type: "
            f"{dtype_name(found.element_dtype)}"
        )
    values = rows(tensor, None)
    if np.ndim(indices) != 1:
        raise errors.InvalidArgumentError(
            f"Expected indices to be a vector, but received shape: {shape_text(np.shape(indices))}"
        )
    places: list[int] = indices.tolist()
    if len(places) != len(values):
        raise errors.InvalidArgumentError(
            f"Expected len(indices) == tensor.shape[0], but saw: {len(places)} vs. {len(values)}"
        )
    if min(places, default=0) < 0:
        raise errors.InvalidArgumentError(f"Indices must not be negative, got {min(places)}")
    items = found.items
    last = max(places, default=-1)
    if last >= len(items):
        items = items.resize(last + 1)
    return found.with_items(_put(items, places, values))


@shape("TensorListScatterIntoExistingList")
def tensor_list_scatter_into_shape(c: ShapeContext) -> list[Dims]:
    with_rank_at_least(c.shape(1), 1)
    with_rank(c.shape(2), 1)
    same_list(c, GIVEN)
    return [()]


# Lists of lists


@kernel("TensorListConcatLists")
def tensor_list_concat_lists(input_a: Any, input_b: Any, *, element_dtype: DType) -> Any:
    """Each list of `input_a` with the elements of the one in the same place of `input_b` behind its own."""
    a, b = boxed(input_a), boxed(input_b)
    if a.shape != b.shape:
        raise errors.InvalidArgumentError(
            f"Incompatible input TensorList tensor shapes: {shape_text(a.shape)} vs. {shape_text(b.shape)}"
        )
    made = np.empty(a.shape, object)
    flat = made.reshape(-1)
    for i, (x, y) in enumerate(zip(a.reshape(-1).tolist(), b.reshape(-1).tolist())):
        for name, found in (("a", x), ("b", y)):
            if not isinstance(found, TensorList):
                raise errors.InvalidArgumentError(f"input_{name} is not a TensorList at index {i}.  Saw: '{found!r}'")
        for name, found in (("a", x), ("b", y)):
            if found.element_dtype != element_dtype:
                raise errors.InvalidArgumentError(
                    f"input_{name}[{i}].dtype != element_dtype.  Saw: {dtype_name(found.element_dtype)} vs. "
                    f"{dtype_name(element_dtype)}"
                )
        if x.element_shape != y.element_shape:
            raise errors.InvalidArgumentError(
                f"input_a and input_b TensorList element shapes are not identical at index {i}.  Saw "
                f"{shape_text(x.element_shape)} vs. {shape_text(y.element_shape)}"
            )
        check_shape((len(x.items) + len(y.items), 4), np.dtype(object))
        flat[i] = x.with_items(PersistentVector([*x.items, *y.items]))
    return unboxed(made)


@shape("TensorListConcatLists")
def tensor_list_concat_lists_shape(c: ShapeContext) -> list[Dims]:
    dtype = c.attr("element_dtype")
    dims: Dims = None
    for i, name in enumerate("ab"):
        known = c.handle(i)
        if known is not None:
            if known[0] != dtype:
                raise errors.InvalidArgumentError(
                    f"input_{name}.type != element_dtype: {dtype_name(known[0])} vs. {dtype_name(dtype)}"
                )
            dims = merge(dims, known[1])
    c.set_handle(0, dtype, dims)
    return [merge(c.shape(0), c.shape(1))]
