"""Features of Example messages gathered into dense, sparse and ragged tensors. Registers nothing.

A column is, for each example, the list of a feature's values, or None where the example has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, zeros
from icefloe.ops.string.elements import strings
from icefloe.ops.wording import dtype_name
from icefloe.shapes import Dims, shape_text

Values: TypeAlias = Sequence[Any]
Column: TypeAlias = "list[Values | None]"

_KINDS = {"float_list": "float", "int64_list": "int64", "bytes_list": "string"}


def decode(cls: Any, data: bytes, refusal: str) -> Any:
    """Return the message `cls` that `data` holds. Raises: InvalidArgumentError with `refusal` if it holds none."""
    try:
        return cls.FromString(data)
    except DecodeError as e:
        raise errors.InvalidArgumentError(refusal) from e


def kind_of(feature: Any) -> str | None:
    """Return TensorFlow's word for the dtype of a feature's values, None where there are none."""
    kind = None if feature is None else feature.WhichOneof("kind")
    return None if kind is None else _KINDS[kind]


def values_of(feature: Any, dtype: DType) -> Values | None:
    """Return the values of a feature, None where it is missing.

    Raises: TypeError if they are of another dtype.
    """
    kind = None if feature is None else feature.WhichOneof("kind")
    if kind is None:
        return None
    if _KINDS[kind] != dtype_name(dtype):
        raise TypeError(_KINDS[kind])
    return getattr(feature, kind).value


def typed(values: Values, dtype: DType) -> Array:
    """Return a vector of values."""
    if dtype.name == "string":
        return strings(values)
    return np.array(values, dtype.numpy)


def chained(column: Column, dtype: DType) -> Array:
    """Return the values of all examples in one vector."""
    return typed([value for values in column for value in values or ()], dtype)


def lengths_of(column: Column) -> Array:
    return np.array([len(values or ()) for values in column], np.int64)


def positions(lengths: Array) -> tuple[Array, Array]:
    """Return for each element of rows of these lengths its row, and its place in the row."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return row, place


def sparse_parts(column: Column, dtype: DType) -> tuple[Array, Array, Array]:
    """Return indices, values and shape of the sparse matrix with an example in each row."""
    lengths = lengths_of(column)
    indices = np.stack(positions(lengths), axis=1).astype(np.int64)
    return indices, chained(column, dtype), np.array([len(column), lengths.max(initial=0)], np.int64)


def row_splits(lengths: Array, dtype: DType) -> Array:
    """Return where rows of these lengths begin, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.numpy)


def element_shape(sizes: Dims) -> tuple[bool, tuple[int, ...]]:
    """Return whether the first dimension is of variable length, and the shape of the rest, or of all.

    Raises: InvalidArgumentError for a shape that is unknown elsewhere.
    """
    if sizes is None or None in sizes[1:]:
        raise errors.InvalidArgumentError(
            f"dense_shapes has unknown rank or unknown inner dimensions: {shape_text(sizes)}"
        )
    variable = bool(sizes) and sizes[0] is None
    fixed = tuple(size for size in sizes if size is not None)
    return variable, fixed


def check_default(i: int, sizes: Dims, default: Array, dtype: DType) -> None:
    """Raise InvalidArgumentError unless the default of dense feature `i` fits its shape: empty where it is required."""
    variable, fixed = element_shape(sizes)
    if default.dtype != dtype.numpy:
        raise errors.InvalidArgumentError(
            f"dense_defaults[{i}].dtype() == {default.dtype} != dense_types[{i}] == {dtype_name(dtype)}"
        )
    if variable:
        if default.size != 1:
            raise errors.InvalidArgumentError(
                f"dense_shape[{i}] is a variable length shape: {shape_text(sizes)}, therefore def_value[{i}] must"
                f" contain a single element (the padding element).  But its shape is: {shape_text(default.shape)}"
            )
    elif default.size and default.shape != fixed:
        raise errors.InvalidArgumentError(
            f"def_value[{i}].shape() == {shape_text(default.shape)} is not compatible with dense_shapes_[{i}] =="
            f" {shape_text(sizes)}"
        )


def padded(column: Column, inner: tuple[int, ...], dtype: DType, pad: Array) -> Array:
    """Return [examples, most, *inner]: each example's values, whole multiples of `inner`, and `pad` after them."""
    stride = math.prod(inner)
    lengths = lengths_of(column) // stride if stride else np.zeros(len(column), np.int64)
    most = int(lengths.max(initial=0))
    check_shape((len(column), most, *inner), dtype.numpy)
    result = np.full(
        (len(column), most * stride), pad.item() if dtype.name == "string" else pad.reshape(()), dtype.numpy
    )
    row, place = positions(lengths * stride)
    result[row, place] = chained(column, dtype)
    return result.reshape(len(column), most, *inner)


def filled(column: Column, sizes: tuple[int, ...], dtype: DType) -> Array:
    """Return [examples, *sizes] of a column in which every example has as many values."""
    shape = check_shape((len(column), *sizes), dtype.numpy)
    if not math.prod(shape):
        return zeros(shape, dtype.numpy)
    return chained(column, dtype).reshape(shape)
