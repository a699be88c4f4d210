"""Ops that join tensors or take them apart along an axis."""

from __future__ import annotations

import numbers
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.shapes import Dimension, TensorShape


def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Return `values` joined along `axis`; one value is returned as is, through an Identity."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            convert_to_tensor(axis, name="concat_dim", dtype=datatypes.int32).shape.assert_has_rank(0)
            return apply_op("Identity", values[0], name=name)
    return apply_op("ConcatV2", values, axis, name=name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Return `values`, of equal shape, along a new axis. Raises: ValueError if `axis` is out of range."""
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError, NotImplementedError):
            pass  # not one literal: packed below, whose error says more
    first = convert_to_tensor(values[0], name=name).shape
    if first.rank is not None and not -(first.rank + 1) <= axis < first.rank + 1:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-(first.rank + 1)}, {first.rank + 1})")
    return apply_op("Pack", values, axis=axis, name=name)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """Return the slices of `value` along `axis`; num: how many, inferred where the shape is known.

    Raises: ValueError if `axis` is out of range or `num` cannot be inferred.
    """
    if num is None:
        value = convert_to_tensor(value)
        shape = value.shape
        if shape.rank is not None:
            if not -shape.rank <= axis < shape.rank:
                raise ValueError(f"Argument `axis` = {axis} not in range [{-shape.rank}, {shape.rank})")
            num = shape.as_list()[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {shape}")
    return apply_op("Unpack", value, num=num, axis=axis, name=name)


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str | None = "split"
) -> list[Tensor]:
    """Return `value` split along `axis` into that many equal parts, or parts of the given sizes (one may be -1).

    num: the number of parts where `num_or_size_splits` is a tensor of unknown length.

    Raises: ValueError if it cannot be told.
    """
    if isinstance(num_or_size_splits, (numbers.Integral, Dimension)):
        return apply_op("Split", axis, value, num_split=int(num_or_size_splits), name=name)
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.shape.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    if num is None:
        num = sizes.shape.as_list()[0] if sizes.shape.rank else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return apply_op("SplitV", value, sizes, axis, num_split=num, name=name)


def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """Return `values`, of equal and known shape, along a new first axis, each written as it becomes ready."""
    with name_scope(name):
        first = convert_to_tensor(convert_to_tensor(values[0]))
        shape = TensorShape([len(values)]).concatenate(first.shape)
        return apply_op("ParallelConcat", [apply_op("ExpandDims", value, 0) for value in values], shape=shape)
