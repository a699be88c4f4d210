"""RaggedTensors joined along an old axis or a new one.

Source: tensorflow/python/ops/ragged/ragged_concat_ops.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks
from icefloe.lib.array_join import concat as dense_concat
from icefloe.lib.array_join import stack as dense_stack
from icefloe.lib.array_shape import reshape, shape, transpose
from icefloe.lib.math_range import range
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_gather import gather
from icefloe.lib.ragged_partition import lengths_to_splits
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, matching_splits
from icefloe.shapes import TensorShape


def concat(values: Any, axis: int, name: str | None = None) -> Any:
    """Return the values joined along `axis`. Raises: ValueError if the ranks differ or there is no value."""
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", values):
        return _join(values, axis, stacked=False)


def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Return the values joined along a new axis, rows of different lengths as ragged ones."""
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", values):
        return _join(values, axis, stacked=True)


def splits_match(nested_splits: list[Any]) -> list[Any]:
    """Return checks that lists of splits are the same. Raises: ValueError if there are more of one than of another."""
    said = "Inputs must have identical ragged splits"
    first, *others = nested_splits
    if any(len(splits) != len(first) for splits in others):
        raise ValueError(said)
    return [checks.assert_equal(a, b, message=said) for splits in others for a, b in zip(first, splits)]


def _join(given: Any, axis: int, *, stacked: bool) -> Any:
    if not given:
        raise ValueError("rt_inputs may not be empty.")
    inputs = [as_tensor_or_ragged(t, name="rt_input") for t in given]
    dtype, _ = matching_splits(*inputs)
    if len(inputs) == 1 and not stacked:
        return inputs[0]
    ndims = None
    for t in inputs:
        if ndims is None:
            ndims = t.shape.ndims
        else:
            t.shape.assert_has_rank(ndims)
    out_ndims = ndims if ndims is None or not stacked else ndims + 1
    axis = positive_axis(axis, out_ndims)
    if stacked and ndims == 1 and axis == 0:
        return RaggedTensor.from_row_lengths(
            dense_concat(inputs, axis=0), dense_concat([shape(r) for r in inputs], axis=0)
        )
    if (
        not any(isinstance(t, RaggedTensor) for t in inputs)
        and ndims is not None
        and out_ndims is not None
        and axis in (out_ndims - 1, ndims - 1)
    ):
        return dense_stack(inputs, axis) if stacked else dense_concat(inputs, axis)
    inputs = [
        t if isinstance(t, RaggedTensor) else RaggedTensor.from_tensor(t, ragged_rank=1, row_splits_dtype=dtype)
        for t in inputs
    ]
    deepest = max(t.ragged_rank for t in inputs)
    inputs = [_of_ragged_rank(t, deepest, dtype) for t in inputs]
    if axis == 0:
        return _join_rows(inputs, stacked=stacked)
    if axis == 1:
        return _join_columns(inputs, stacked=stacked)
    values = [t.values for t in inputs]
    splits = [[t.row_splits] for t in inputs]
    with control_dependencies(splits_match(splits)):
        return RaggedTensor.from_row_splits(_join(values, axis - 1, stacked=stacked), splits[0][0], validate=False)


def _join_rows(inputs: list[RaggedTensor], *, stacked: bool) -> Any:
    flat = dense_concat([t.flat_values for t in inputs], axis=0)
    nested = [t.nested_row_splits for t in inputs]
    splits = [_joined_splits([s[dim] for s in nested]) for dim in builtins.range(inputs[0].ragged_rank)]
    if stacked:
        splits.insert(0, lengths_to_splits(dense_stack([t.nrows() for t in inputs])))
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def _join_columns(inputs: list[RaggedTensor], *, stacked: bool) -> RaggedTensor:
    count = len(inputs)
    nrows = inputs[0].nrows()
    found = [
        checks.assert_equal(
            nrows,
            t.nrows(),
            message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.",
        )
        for i, t in enumerate(inputs[1:], 1)
    ]
    with control_dependencies(found):
        rows = _join_rows(inputs, stacked=False)
        indices = range(nrows * count)
        by_input = reshape(indices, [count, -1])
        by_row = transpose(by_input)
        permuted = gather(rows, reshape(by_row, [-1]))
        if stacked:
            splits = range(0, nrows * count + 1, count)
            _note_rows(inputs, splits)
            return RaggedTensor.from_row_splits(permuted, splits, validate=False)
        splits = permuted.row_splits[::count]
        _note_rows(inputs, splits)
        return RaggedTensor.from_row_splits(permuted.values, splits, validate=False)


def _note_rows(inputs: list[RaggedTensor], splits: Tensor) -> None:
    for t in inputs:
        rows = t.shape.as_list()[0]
        if rows is not None:
            splits.set_shape(TensorShape([rows + 1]))


def _of_ragged_rank(t: Any, ragged_rank: int, dtype: Any) -> Any:
    if ragged_rank > 0:
        if not isinstance(t, RaggedTensor):
            t = RaggedTensor.from_tensor(t, row_splits_dtype=dtype)
        if t.ragged_rank < ragged_rank:
            t = t.with_values(_of_ragged_rank(t.values, ragged_rank - 1, dtype))
    return t


def _joined_splits(splits_list: list[Tensor]) -> Tensor:
    pieces = [splits_list[0]]
    offset: Any = splits_list[0][-1]
    for splits in splits_list[1:]:
        pieces.append(splits[1:] + offset)
        offset = offset + splits[-1]
    return dense_concat(pieces, axis=0)
