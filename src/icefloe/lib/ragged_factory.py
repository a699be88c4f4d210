"""RaggedTensors of nested lists, and placeholders for them.

Source: tensorflow/python/ops/ragged/ragged_factory_ops.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.conversion import constant as dense_constant
from icefloe.graph.default_graph import name_scope
from icefloe.lib.array_create import placeholder as dense_placeholder
from icefloe.lib.ragged_tensor import RaggedTensor, is_ragged
from icefloe.lib.ragged_value import RaggedTensorValue
from icefloe.shapes import TensorShape


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = datatypes.int64,
) -> Any:
    """Return a RaggedTensor of nested lists; a tensor where nothing is nested.

    ragged_rank: how many dimensions are ragged, default all but the last. inner_shape: that of the values below.

    Raises: TypeError, ValueError if the lists are not nested as they must be.
    """

    def divide(values: Any, row_splits: Any) -> RaggedTensor:
        splits = dense_constant(row_splits, dtype=row_splits_dtype)
        return RaggedTensor.from_row_splits(values, splits, validate=False)

    def fill(values: Any, dtype: Any, shape: Any, name: str = "Const") -> Any:
        return dense_constant(values, dtype, shape, name)

    with name_scope(name, "RaggedConstant"):
        return _nested(divide, fill, pylist, dtype, ragged_rank, inner_shape)


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Return a RaggedTensorValue of nested lists; an array where nothing is nested. Arguments as of `constant`."""
    if isinstance(dtype, datatypes.DType):
        dtype = dtype.as_numpy_dtype
    splits_dtype = datatypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def divide(values: Any, row_splits: Any) -> RaggedTensorValue:
        return RaggedTensorValue(values, np.array(row_splits, dtype=splits_dtype))

    def fill(values: Any, dtype: Any, shape: Any, name: str | None = None) -> Any:
        array = np.array(values, dtype=dtype) if dtype is object or dtype is None else np.array(values).astype(dtype)
        return array if shape is None else np.reshape(array, shape)

    return _nested(divide, fill, pylist, dtype, ragged_rank, inner_shape)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or np.ndim(value) != 0


def _nested(
    divide: Callable[[Any, Any], Any],
    fill: Callable[..., Any],
    pylist: Any,
    dtype: Any,
    ragged_rank: int | None,
    inner_shape: Any,
) -> Any:
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}")
        return fill(pylist, dtype, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    scalar_depth, max_depth = _depths(pylist)
    if scalar_depth is not None:
        if max_depth > scalar_depth:
            raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
        if ragged_rank is not None and max_depth < ragged_rank:
            raise ValueError(f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}")
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner_shape) + 1
        if (scalar_depth is not None and expected != scalar_depth) or (scalar_depth is None and expected < max_depth):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )
    flat = max_depth < 2 or (inner_shape is not None and max_depth - len(inner_shape) < 2)
    if ragged_rank == 0 or (ragged_rank is None and flat):
        return fill(pylist, dtype, inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        depth = max_depth if scalar_depth is None else scalar_depth - len(inner_shape)
        ragged_rank = max(1, depth - 1)
    nested_splits: list[list[int]] = []
    values = pylist
    for _ in range(ragged_rank):
        splits, below = [0], []
        for row in values:
            splits.append(splits[-1] + len(row))
            below.extend(row)
        nested_splits.append(splits)
        values = below
    result = fill(values, dtype=dtype, shape=(len(values), *inner_shape), name="values")
    for splits in reversed(nested_splits):
        result = divide(result, splits)
    return result


def _depths(pylist: Any) -> tuple[int | None, int]:
    """Return how deep the scalars are (None: there are none) and how deep the lists go."""
    if not _is_list(pylist):
        return 0, 0
    scalar_depth: int | None = None
    max_depth = 1
    for child in pylist:
        child_scalar, child_max = _depths(child)
        if child_scalar is not None:
            if scalar_depth not in (None, child_scalar + 1):
                raise ValueError("all scalar values must have the same nesting depth")
            scalar_depth = child_scalar + 1
        max_depth = max(max_depth, child_max + 1)
    return scalar_depth, max_depth


def _inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """Return the shape of the lists below the ragged dimensions. Raises: ValueError if they differ."""
    values = pylist
    for depth in range(ragged_rank):
        if not all(_is_list(v) for v in values):
            raise ValueError(
                f"pylist has scalar values depth {depth + 1}, but ragged_rank={ragged_rank} requires scalar value "
                f"depth greater than {ragged_rank}"
            )
        values = [item for row in values for item in row]

    def first_shape(item: Any) -> tuple[int, ...]:
        if not _is_list(item):
            return ()
        return (len(item), *first_shape(item[0])) if len(item) else (0,)

    def check(item: Any, shape: tuple[int, ...]) -> None:
        if _is_list(item) != bool(shape) or (shape and shape[0] != len(item)):
            raise ValueError("inner values have inconsistent shape")
        if shape:
            for child in item:
                check(child, shape[1:])

    shape = first_shape(values)
    check(values, shape)
    return shape[1:]


def placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None) -> Any:
    """Return a RaggedTensor to be fed; value_shape: that of a value below the ragged dimensions."""
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder", []):
        flat_shape = TensorShape([None]).concatenate(value_shape)
        result: Any = dense_placeholder(dtype, flat_shape, "flat_values")
        for i in reversed(range(ragged_rank)):
            row_splits = dense_placeholder(datatypes.int64, [None], f"row_splits_{i}")
            result = RaggedTensor.from_row_splits(result, row_splits, validate=False)
        return result
