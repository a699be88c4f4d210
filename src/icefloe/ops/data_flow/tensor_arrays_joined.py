"""TensorArray ops of all three generations on many elements at once: gathered, scattered, joined, split.

Source: tensorflow/core/kernels/tensor_array_ops.cc (order of checks, messages).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    concatenate,
    merge,
    merge_sizes,
    unknown,
    with_rank,
    with_rank_at_least,
)
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import boxed, unboxed
from icefloe.ops.data_flow.arrays import (
    array_of,
    check_handle,
    check_read,
    check_written,
    generations,
    indices_of,
)
from icefloe.resources import elements
from icefloe.resources.tensor_array import TensorArray
from icefloe.shapes import Dims, shape_text

# Many elements


def _all(array: TensorArray) -> list[int]:
    """Return the indices of all elements. Raises: ResourceExhaustedError if not even their headers have room."""
    size = max(array.packed_size, 0)
    check_shape((size, 16), np.dtype(object))
    return list(range(size))


def _packed(array: TensorArray, indices: list[int], element_shape: Dims, dtype: DType) -> Any:
    check_read(array, dtype)
    array.narrow(element_shape)
    if not indices:
        if element_shape is None or None in element_shape:
            raise errors.UnimplementedError(
                f"TensorArray has size zero, but element shape {shape_text(element_shape)} is not fully defined. "
                "Currently only static shapes are supported when packing zero-size TensorArrays."
            )
        return np.zeros((0, *[n or 0 for n in element_shape]), dtype.numpy)
    values = [array.read(i) for i in indices]
    first = elements.shape_of(values[0])
    if not elements.fits(element_shape, first):
        raise errors.InvalidArgumentError(
            f"TensorArray was passed element_shape {shape_text(element_shape)} which does not match the Tensor at "
            f"index 0: {shape_text(first)}"
        )
    for i, value in enumerate(values):
        if elements.shape_of(value) != first:
            raise errors.InvalidArgumentError(
                f"TensorArray has inconsistent shapes.  Index 0 has shape: {shape_text(first)} but index {i} has "
                f"shape: {shape_text(elements.shape_of(value))}"
            )
    check_shape((len(values), *first), dtype.numpy)
    return elements.stacked(values, first, dtype)


@kernel(*generations("Gather"))
def gather(handle: Any, indices: Any, flow: Any, *, dtype: DType, element_shape: Dims) -> Any:
    """The elements at `indices`, which have one shape, stacked."""
    array = array_of(handle)
    check_read(array, dtype)
    return _packed(array, indices_of(indices), element_shape, dtype)


@kernel("TensorArrayPack")
def pack(handle: Any, flow: Any, *, dtype: DType, element_shape: Dims) -> Any:
    """All elements, stacked."""
    array = array_of(handle)
    return _packed(array, _all(array), element_shape, dtype)


@shape("TensorArrayGatherV2")
def gather_v2_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(1), 1)
    with_rank(c.shape(2), 0)
    return [None]


@shape("TensorArrayGatherV3")
def gather_v3_shape(c: ShapeContext) -> list[Dims]:
    gather_v2_shape(c)
    known = c.handle(0)
    return [concatenate(with_rank(c.shape(1), 1), known[1] if known else c.attr("element_shape"))]


def _rows(value: Any) -> list[Any]:
    """Return the rows of a tensor as elements, which are views of it."""
    array = boxed(value)
    return [unboxed(array[i : i + 1].reshape(array.shape[1:])) for i in range(len(array))]


def _check_unpackable(array: TensorArray, value: Any, dtype: DType) -> tuple[int, ...]:
    check_written(array, dtype)
    shape = elements.shape_of(value)
    if not shape:
        raise errors.InvalidArgumentError("Input value for unpack must be at least a vector but received shape: []")
    return shape


@kernel(*generations("Scatter"), returns="stored")
def scatter(handle: Any, indices: Any, value: Any, flow: Any, *, T: DType) -> Any:
    """Write the rows of `value` at `indices`."""
    array = array_of(handle)
    shape = _check_unpackable(array, value, T)
    size = array.size
    places = indices_of(indices)
    if len(places) != shape[0]:
        raise errors.InvalidArgumentError(
            f"Expected len(indices) == values.shape[0], but saw: {len(places)} vs. {shape[0]}"
        )
    last = max(places, default=-1)
    if last >= size and not array.dynamic_size:
        raise errors.InvalidArgumentError(f"Max scatter index must be < array size ({last} vs. {size})")
    for index, row in zip(places, _rows(value)):
        array.write(index, row)
    return flow


@kernel("TensorArrayUnpack", returns="stored")
def unpack(handle: Any, value: Any, flow: Any, *, T: DType) -> Any:
    """Write the rows of `value` at indices 0, 1, 2, ..."""
    array = array_of(handle)
    shape = _check_unpackable(array, value, T)
    size = max(array.size, shape[0]) if array.dynamic_size else array.size
    if shape[0] != size:
        raise errors.InvalidArgumentError(
            f"Input value must have first dimension equal to the array size ({shape[0]} vs. {size})"
        )
    array.mark_size(size)
    for index, row in enumerate(_rows(value)):
        array.write(index, row)
    return flow


@shape("TensorArrayScatterV2")
def scatter_v2_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(1), 1)
    with_rank(c.shape(3), 0)
    return [()]


@shape("TensorArrayScatterV3")
def scatter_v3_shape(c: ShapeContext) -> list[Dims]:
    scatter_v2_shape(c)
    value, indices = with_rank_at_least(c.shape(2), 1), c.shape(1)
    if value is not None:
        merge_sizes(value[0], indices[0] if indices else None)
        if known := c.handle(0):
            merge(known[1], value[1:])
    return [()]


# Elements of different lengths


@kernel(*generations("Concat"))
def concat(handle: Any, flow: Any, *, dtype: DType, element_shape_except0: Dims) -> tuple[Any, Any]:
    """All elements, joined along their first axis, and the length of each."""
    array = array_of(handle)
    check_read(array, dtype)
    rest = element_shape_except0
    indices = _all(array)
    if not indices:
        if rest is None or None in rest:
            raise errors.UnimplementedError(
                f"TensorArray has size zero, but element_shape_except0 {shape_text(rest)} is not fully defined. "
                "Currently only static shapes are supported when concatenating zero-size TensorArrays."
            )
        return np.zeros((0, *[n or 0 for n in rest]), dtype.numpy), np.zeros(0, np.int64)
    values = [array.read(i) for i in indices]
    shapes = [elements.shape_of(value) for value in values]
    for i, dims in enumerate(shapes):
        if not dims:
            raise errors.InvalidArgumentError(
                f"Concat saw a scalar shape at index {i} but requires at least vectors.  Did you mean to call pack?"
            )
        if i == 0 and not elements.fits(rest, dims[1:]):
            raise errors.InvalidArgumentError(
                f"TensorArray was passed element_shape_except0 {shape_text(rest)} but index 0 has (excepting dimension "
                f"0) shape: {shape_text(dims[1:])} which does not match."
            )
        if dims[1:] != shapes[0][1:]:
            raise errors.InvalidArgumentError(
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{shape_text(shapes[0][1:])} but index {i} has (excepting dimension 0) shape: {shape_text(dims[1:])}"
            )
    lengths = np.array([dims[0] for dims in shapes], np.int64)
    return np.concatenate(values), lengths


@shape("TensorArrayConcatV2", "TensorArrayConcatV3")
def concat_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(1), 0)
    return [None, (None,)]


@kernel(*generations("Split"), returns="stored")
def split(handle: Any, value: Any, lengths: Any, flow: Any, *, T: DType) -> Any:
    """Write pieces of `value` of these lengths along its first axis, at indices 0, 1, 2, ..."""
    array = array_of(handle)
    if np.ndim(lengths) != 1:
        raise errors.InvalidArgumentError(
            f"Expected lengths to be a vector, received shape: {shape_text(np.shape(lengths))}"
        )
    shape = elements.shape_of(value)
    if not shape:
        raise errors.InvalidArgumentError("Expected value to be at least a vector, but received shape: []")
    sizes: list[int] = lengths.tolist()
    if sum(sizes) != shape[0]:
        raise errors.InvalidArgumentError(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{sum(sizes)} and value's shape is: {shape_text(shape)}"
        )
    if min(sizes, default=0) < 0:
        raise errors.InvalidArgumentError(f"Lengths must not be negative, got {min(sizes)}")
    size = max(array.size, len(sizes)) if array.dynamic_size else array.size
    if size != len(sizes):
        raise errors.InvalidArgumentError(
            f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(sizes)}), and the TensorArray is "
            "not marked as dynamically resizeable"
        )
    check_written(array, T)
    array.mark_size(size)
    start = 0
    for index, length in enumerate(sizes):
        array.write(index, value[start : start + length])
        start += length
    return flow


@shape("TensorArraySplitV2", "TensorArraySplitV3")
def split_shape(c: ShapeContext) -> list[Dims]:
    check_handle(c)
    with_rank(c.shape(2), 1)
    with_rank(c.shape(3), 0)
    return [()]


shape(
    "TensorArrayPack",
    "TensorArrayUnpack",
    "TensorArrayGather",
    "TensorArrayScatter",
    "TensorArrayConcat",
    "TensorArraySplit",
)(unknown)
