"""Placeholders for sparse tensors."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import placeholder, placeholder_with_default
from icefloe.shapes import TensorShape, dimension_value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Return a SparseTensor whose three parts must be fed, its shape only where `shape` is None."""

    def part(what: str) -> str | None:
        return None if name is None else f"{name}/{what}"

    rank: Any = None
    if shape is None:
        dense_shape = placeholder(datatypes.int64, shape=[None], name=part("shape"))
        known = constant_value_as_shape(dense_shape)
    else:
        if isinstance(shape, Tensor):
            rank = shape.shape.as_list()[0]
            known = constant_value_as_shape(shape)
        else:
            sizes = [dimension_value(size) for size in shape]
            rank = len(sizes)
            known = TensorShape([None if size == -1 else size for size in sizes])
            sizes = [-1 if size is None else size for size in sizes]
            shape = convert_to_tensor(tuple(sizes), dtype=datatypes.int64, name=part("shape_default"))
        dense_shape = placeholder_with_default(shape, shape=shape.shape, name=part("shape"))
    values = placeholder(dtype, shape=[None], name=part("values"))
    indices = placeholder(datatypes.int64, shape=[None, rank], name=part("indices"))
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known)
    return result
