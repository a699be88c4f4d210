"""Sets held in the rows of dense and sparse tensors: union, intersection, differences, sizes.

The last axis of a tensor holds the elements of a set, in any order and repeated at will; the other axes number the
sets. Results are sparse, each set's elements in ascending order. Sets are worked on all at once, an element being the
number `set * distinct values + rank of its value`.
Source: tensorflow/core/kernels/set_kernels.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank, with_rank_at_least
from icefloe.ops.allocation import check_shape

Function = Callable[..., Any]

_OPERATIONS: dict[str, Function] = {
    "a-b": lambda a, b: np.setdiff1d(a, b, assume_unique=True),
    "b-a": lambda a, b: np.setdiff1d(b, a, assume_unique=True),
    "intersection": lambda a, b: np.intersect1d(a, b, assume_unique=True),
    "union": np.union1d,
}


def _operation(name: str) -> Function:
    found = _OPERATIONS.get(name.lower())
    if found is None:
        raise errors.InvalidArgumentError(f"Invalid set_operation {name}.")
    return found


class _Sets:
    """A tensor's sets: for each element the number of its set and its value.

    shape: how the sets are arranged, the tensor's shape without the last axis.
    """

    def __init__(self, shape_of: tuple[int, ...], numbers: Any, values: Any) -> None:
        self.shape, self.numbers, self.values = shape_of, numbers, values


def _dense(x: Any) -> _Sets:
    if np.ndim(x) < 2:
        raise errors.InvalidArgumentError(f"Shape {shape_text(np.shape(x))} has rank {np.ndim(x)} < 2")
    groups = x.shape[:-1]
    return _Sets(groups, np.repeat(np.arange(math.prod(groups)), x.shape[-1]), np.ravel(x))


def _sparse(indices: Any, values: Any, dense_shape: Any, *, validate: bool) -> _Sets:
    if np.ndim(indices) != 2 or np.ndim(values) != 1 or np.ndim(dense_shape) != 1:
        raise errors.InvalidArgumentError("Input indices should be a matrix, values and shape vectors")
    if len(indices) != len(values):
        raise errors.InvalidArgumentError(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {len(values)})"
        )
    if len(dense_shape) < 2:
        raise errors.InvalidArgumentError(f"Invalid rank {len(dense_shape)}.")
    if indices.shape[1] != len(dense_shape):
        raise errors.InvalidArgumentError("Order length must be SparseTensor rank.")
    outside = np.flatnonzero(((indices < 0) | (indices >= dense_shape)).any(axis=1))
    if outside.size:
        at = int(outside[0])
        raise errors.InvalidArgumentError(
            f"indices[{at}] = {shape_text(indices[at].tolist())} is out of bounds: "
            f"need 0 <= index < {shape_text(dense_shape.tolist())}"
        )
    if validate and len(indices) > 1:
        _check_order(indices)
    groups = tuple(dense_shape[:-1].tolist())
    if math.prod(groups) > 2**62:
        raise errors.InvalidArgumentError(f"The shape {shape_text(dense_shape.tolist())} holds too many sets")
    numbers = np.zeros(len(indices), np.int64)
    for axis, size in enumerate(groups):
        numbers = numbers * size + indices[:, axis]
    return _Sets(groups, numbers, values)


def _check_order(indices: Any) -> None:
    step = np.diff(indices, axis=0)
    first = np.take_along_axis(step, (step != 0).argmax(axis=1)[:, None], axis=1)[:, 0]
    wrong = np.flatnonzero(first <= 0)
    if not wrong.size:
        return
    at = int(wrong[0])
    where = f"indices[{at + 1}] = {shape_text(indices[at + 1].tolist())}"
    if first[at] == 0:
        raise errors.InvalidArgumentError(f"{where} is repeated")
    raise errors.InvalidArgumentError(
        f"{where} is out of order. Many sparse ops require sorted indices.\n"
        "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
    )


def _combine(operation: Function, a: _Sets, b: _Sets) -> tuple[Any, Any, Any]:
    if a.shape != b.shape:
        raise errors.InvalidArgumentError(f"Mismatched shapes {shape_text(a.shape)} vs {shape_text(b.shape)}")
    distinct, rank = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    many = max(len(distinct), 1)
    if math.prod(a.shape) > 2**62 // many:
        raise errors.InvalidArgumentError(f"The shape {shape_text(a.shape)} holds too many sets")
    elements = np.concatenate([a.numbers, b.numbers]) * many + rank.reshape(-1)
    result = operation(np.unique(elements[: len(a.values)]), np.unique(elements[len(a.values) :]))
    numbers, ranks = np.divmod(result, many)
    place = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    indices = np.stack([*np.unravel_index(numbers, a.shape), place], axis=1) if len(numbers) else None
    if indices is None:
        indices = np.zeros((0, len(a.shape) + 1), np.int64)
    most = int(place.max()) + 1 if len(place) else 0
    return indices.astype(np.int64), distinct[ranks], np.array([*a.shape, most], np.int64)


@kernel("DenseToDenseSetOperation", factory=True)
def dense_to_dense(*, set_operation: str) -> Function:
    """Return (indices, values, shape) of the combined sets.

    Raises: InvalidArgumentError if the sets are not arranged alike.
    """
    operation = _operation(set_operation)
    return lambda a, b: _combine(operation, _dense(a), _dense(b))


@kernel("DenseToSparseSetOperation", factory=True)
def dense_to_sparse(*, set_operation: str, validate_indices: bool) -> Function:
    """Return (indices, values, shape) of the combined sets, the second tensor being sparse."""
    operation = _operation(set_operation)
    return lambda a, *b: _combine(operation, _dense(a), _sparse(*b, validate=validate_indices))


@kernel("SparseToSparseSetOperation", factory=True)
def sparse_to_sparse(*, set_operation: str, validate_indices: bool) -> Function:
    """Return (indices, values, shape) of the combined sets, both tensors being sparse."""
    operation = _operation(set_operation)
    return lambda *x: _combine(
        operation, _sparse(*x[:3], validate=validate_indices), _sparse(*x[3:], validate=validate_indices)
    )


@kernel("SetSize")
def set_size(indices: Any, values: Any, dense_shape: Any, *, validate_indices: bool) -> Any:
    """Return the number of distinct elements of each set, int32."""
    sets = _sparse(indices, values, dense_shape, validate=validate_indices)
    out = np.zeros(check_shape(sets.shape, np.dtype(np.int32)), np.int32)
    _, rank = np.unique(values, return_inverse=True)
    many = int(rank.max(initial=0)) + 1
    present = np.unique(sets.numbers * many + rank.reshape(-1)) // many
    np.add.at(out.reshape(-1), present, 1)
    return out


@shape("DenseToDenseSetOperation")
def dense_to_dense_shape(c: ShapeContext) -> list[Any]:
    a, b = with_rank_at_least(c.shape(0), 2), with_rank_at_least(c.shape(1), 2)
    if a is not None and b is not None:
        merge(a[:-1], b[:-1])
    known = a if a is not None else b
    return _result_shape(None if known is None else len(known))


@shape("DenseToSparseSetOperation")
def dense_to_sparse_shape(c: ShapeContext) -> list[Any]:
    dense, rank = with_rank_at_least(c.shape(0), 2), _sparse_rank(c, 1)
    return _result_shape(rank if dense is None else len(dense))


@shape("SparseToSparseSetOperation")
def sparse_to_sparse_shape(c: ShapeContext) -> list[Any]:
    first, second = _sparse_rank(c, 0), _sparse_rank(c, 3)
    return _result_shape(second if first is None else first)


def _sparse_rank(c: ShapeContext, i: int) -> int | None:
    """Return the rank of the sparse tensor whose indices, values and shape begin with input `i`, if it is known.

    Raises: InvalidArgumentError if the three do not fit each other.
    """
    indices, values = with_rank(c.shape(i), 2), with_rank(c.shape(i + 1), 1)
    (rank,) = with_rank(c.shape(i + 2), 1)
    if indices[0] is not None and values[0] is not None and indices[0] != values[0]:
        raise errors.InvalidArgumentError(
            f"Number of elements in index ({indices[0]}) and values ({values[0]}) do not match."
        )
    if indices[1] is not None and rank is not None and indices[1] != rank:
        raise errors.InvalidArgumentError(f"Index rank ({indices[1]}) and shape rank ({rank}) do not match.")
    return indices[1] if rank is None else rank


def _result_shape(rank: int | None) -> list[Any]:
    return [(None, rank), (None,), (rank,)]


@shape("SetSize")
def set_size_shape(c: ShapeContext) -> list[Any]:
    """Unknown, also where the shape of the sets is a constant: TensorFlow does not look at it."""
    return [None]
