"""RaggedFillEmptyRows: a ragged matrix, given by row numbers, with one default value in each row that has none.

Source: tensorflow/core/kernels/fill_empty_rows_functor.h, ragged_fill_empty_rows_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.ops.allocation import check_shape


@kernel("RaggedFillEmptyRows")
def ragged_fill_empty_rows(rows: Any, values: Any, count: Any, default: Any) -> tuple[Any, Any, Any, Any]:
    """Return (row numbers, values, whether each row was empty, where each input value went), sorted by row.

    Raises: InvalidArgumentError for inputs of another rank, or a row number that is no row.
    """
    for name, v in (("value_rowids", rows), ("values", values)):
        if np.ndim(v) != 1:
            raise errors.InvalidArgumentError(f"{name} must be a vector, saw: {shape_text(np.shape(v))}")
    for name, v in (("nrows", count), ("default_value", default)):
        if np.ndim(v):
            raise errors.InvalidArgumentError(f"{name} must be a scalar, saw: {shape_text(np.shape(v))}")
    if len(rows) != len(values):
        raise errors.InvalidArgumentError(
            f"The length of `values` ({len(values)}) must match the first dimension of `value_rowids` ({len(rows)})."
        )
    if count < 0:
        raise errors.InvalidArgumentError(f"Expected shape dimensions to be non-negative, got {int(count)}")
    (size,) = check_shape((int(count),), np.dtype(np.int64))
    bad = np.flatnonzero((rows < 0) | (rows >= size))
    if bad.size:
        raise errors.InvalidArgumentError(f"indices({bad[0]}, 0) is invalid: {rows[bad[0]]} >= {size}")
    lengths = np.bincount(rows, minlength=size)
    empty = lengths == 0
    filled = np.maximum(lengths, 1)
    out_rows = np.repeat(np.arange(size), filled)
    order = np.argsort(rows, kind="stable")
    within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.empty(len(rows), np.int64)
    place[order] = (np.cumsum(filled) - filled)[rows[order]] + within
    out = np.empty(len(out_rows), values.dtype)
    out[...] = default
    out[place] = values
    return out_rows.astype(np.int64), out, empty, place


@shape("RaggedFillEmptyRows")
def ragged_fill_empty_rows_shape(c: ShapeContext) -> list[Any]:
    (given,) = with_rank(c.shape(0), 1)
    (values,) = with_rank(c.shape(1), 1)
    if given is not None and values is not None and given != values:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {given} and {values}")
    with_rank(c.shape(2), 0)
    with_rank(c.shape(3), 0)
    count = c.constant(2)
    rows = int(count) if count is not None and count >= 0 else None
    return [(None,), (None,), (rows,), merge((given,), (values,))]


@kernel("RaggedFillEmptyRowsGrad")
def ragged_fill_empty_rows_grad(places: Any, grad: Any) -> tuple[Any, Any]:
    """Return the gradients of the values, and of the default: the sum of what went to no value."""
    for name, v in (("reverse_index_map", places), ("grad_values", grad)):
        if np.ndim(v) != 1:
            raise errors.InvalidArgumentError(f"{name} must be a vector, saw: {shape_text(np.shape(v))}")
    bad = places[(places < 0) | (places >= len(grad))]
    if bad.size:
        raise errors.InvalidArgumentError(f"Elements in reverse index must be in [0, {len(grad)}) but got {bad[0]}")
    rest = np.ones(len(grad), bool)
    rest[places] = False
    return grad[places], np.add.reduce(grad[rest], dtype=grad.dtype)


@shape("RaggedFillEmptyRowsGrad")
def ragged_fill_empty_rows_grad_shape(c: ShapeContext) -> list[Any]:
    with_rank(c.shape(1), 1)
    return [with_rank(c.shape(0), 1), ()]
