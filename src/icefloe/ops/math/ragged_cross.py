"""RaggedCross: all combinations of the features in each row of ragged, sparse and dense inputs, joined or hashed.

Source: tensorflow/core/kernels/ragged_cross_op.cc, tensorflow/core/platform/fingerprint.h (FingerprintCat64).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, int64
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.math.row_partition import positions, row_of_each, splits_of
from icefloe.ops.string.fingerprints import fingerprint64

Function = Callable[..., Any]

_MULTIPLIER = np.uint64(0xC6A4A7935BD1E995)
_SHIFT = np.uint64(47)
_RANK = "tf.ragged.cross only supports inputs with rank=2."


@dataclass(frozen=True)
class _Feature:
    """One input: its values, and for each row where they start and how many there are."""

    values: Any
    starts: Any
    lengths: Any


def _ragged(values: Any, splits: Any) -> _Feature:
    if np.ndim(values) != 1 or np.ndim(splits) != 1:
        raise errors.InvalidArgumentError(_RANK)
    wrong = ""
    if splits.size == 0:
        wrong = "ragged splits must have at least one splits, but is empty"
    elif splits[0] != 0:
        wrong = f"first element of ragged splits  must be 0 but is {splits[0]}"
    elif np.any(splits[1:] < splits[:-1]):
        at = int(np.flatnonzero(splits[1:] < splits[:-1])[0])
        wrong = (
            "ragged splits must be monotonically increasing, but "
            f"ragged_splits[{at + 1}]={splits[at + 1]} is smaller than row_splits[{at}]={splits[at]}"
        )
    elif splits[-1] != len(values):
        wrong = f"last element of ragged splits must be the number of ragged values({len(values)}) but is {splits[-1]}"
    if wrong:
        raise errors.InvalidArgumentError(f"Invalid ragged splits: {wrong}")
    return _Feature(values, splits[:-1].astype(np.int64), np.diff(splits).astype(np.int64))


def _sparse(indices: Any, values: Any, dense_shape: Any) -> _Feature:
    if np.ndim(indices) != 2 or np.ndim(values) != 1 or np.shape(dense_shape) != (2,) or indices.shape[1] != 2:
        raise errors.InvalidArgumentError(_RANK)
    if len(values) > len(indices):
        raise errors.InvalidArgumentError("indices must have one row for each of the values")
    (count,) = check_shape(dense_shape[:1].tolist(), np.dtype(np.int64))
    rows = indices[: len(values), 0]
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        raise errors.InvalidArgumentError(f"sparse indices are out of bounds: rows must be in [0, {count})")
    order = np.argsort(rows, kind="stable")
    lengths = np.bincount(rows, minlength=count).astype(np.int64)
    return _Feature(values[order], np.cumsum(lengths) - lengths, lengths)


def _dense(values: Any) -> _Feature:
    if np.ndim(values) != 2:
        raise errors.InvalidArgumentError(_RANK)
    rows, columns = values.shape
    return _Feature(np.ravel(values), np.arange(rows) * columns, np.full(rows, columns))


def combine_fingerprints(first: Any, second: Any) -> Any:
    """Return the fingerprints of pairs of fingerprints, all uint64 arrays."""
    mixed = second * _MULTIPLIER
    result = (first ^ _MULTIPLIER) ^ ((mixed ^ (mixed >> _SHIFT)) * _MULTIPLIER)
    result = result * _MULTIPLIER
    result = (result ^ (result >> _SHIFT)) * _MULTIPLIER
    return result ^ (result >> _SHIFT)


def _fingerprints(values: Any) -> Any:
    if values.dtype == object:
        return np.array([fingerprint64(v) for v in values.tolist()], np.uint64)
    return values.astype(np.int64).view(np.uint64)


def _words(values: Any) -> list[bytes]:
    return values.tolist() if values.dtype == object else [b"%d" % v for v in values.tolist()]


@kernel("RaggedCross", factory=True)
def ragged_cross(
    *,
    input_order: str,
    num_buckets: int,
    hash_key: int,
    out_values_type: DType,
    out_row_splits_type: DType,
) -> Function:
    """Return (values, splits): each row's combinations, the last input's features turning fastest.

    input_order: R, S and D say from which kind of input the next feature comes. Features are joined with `_X_`, or
    for int64 hashed, modulo `num_buckets` unless 0.

    Raises: InvalidArgumentError for inputs of another rank, or different numbers of rows.
    """

    def cross(
        ragged_values: tuple[Any, ...],
        ragged_splits: tuple[Any, ...],
        sparse_indices: tuple[Any, ...],
        sparse_values: tuple[Any, ...],
        sparse_shapes: tuple[Any, ...],
        dense: tuple[Any, ...],
    ) -> tuple[Any, Any]:
        sources = {
            "R": list(map(_ragged, ragged_values, ragged_splits)),
            "S": list(map(_sparse, sparse_indices, sparse_values, sparse_shapes)),
            "D": list(map(_dense, dense)),
        }
        features = _ordered(input_order, sources)
        rows = len(features[0].lengths) if features else 0
        if any(len(f.lengths) != rows for f in features):
            raise errors.InvalidArgumentError("inputs must all have the same batch dimension size.")
        if features:
            total = np.prod([f.lengths.astype(float) for f in features], axis=0).sum()
            check_shape((int(total),), np.dtype(np.int64))
        counts = np.ones(rows, np.int64)
        for f in features:
            counts = counts * f.lengths
        row = row_of_each(counts)
        rest = positions(np.zeros(rows, np.int64), counts)
        picked = []
        for f in reversed(features):
            rest, place = np.divmod(rest, f.lengths[row])
            picked.append(f.starts[row] + place)
        picked.reverse()
        splits = splits_of(counts, out_row_splits_type.numpy)
        if out_values_type == int64:
            return _hashed(features, picked, len(row), hash_key, num_buckets), splits
        return _joined(features, picked, len(row)), splits

    return cross


def _ordered(order: str, sources: dict[str, list[_Feature]]) -> list[_Feature]:
    if len(order) != sum(map(len, sources.values())):
        raise errors.InvalidArgumentError("Invalid length for input_order")
    waiting = {kind: iter(found) for kind, found in sources.items()}
    features = []
    for kind in order:
        if kind not in waiting:
            raise errors.InvalidArgumentError("Unexpected input_order value.")
        feature = next(waiting[kind], None)
        if feature is None:
            raise errors.InvalidArgumentError("input_order does not match the inputs")
        features.append(feature)
    return features


def _hashed(features: list[_Feature], picked: list[Any], count: int, key: int, buckets: int) -> Any:
    result = np.full(count, key & (2**64 - 1), np.uint64)
    for feature, at in zip(features, picked):
        result = combine_fingerprints(result, _fingerprints(feature.values)[at])
    return (result % np.uint64(buckets or 2**63 - 1)).astype(np.int64)


def _joined(features: list[_Feature], picked: list[Any], count: int) -> Any:
    columns = []
    for feature, at in zip(features, picked):
        words = _words(feature.values)
        columns.append([words[i] for i in at.tolist()])
    out = np.empty(count, object)
    out[:] = [b"_X_".join(parts) for parts in zip(*columns)]
    return out


@shape("RaggedCross")
def ragged_cross_shape(c: ShapeContext) -> list[Any]:
    """One more split than the inputs have rows."""
    rows: list[int | None] = []
    for i in c.group("ragged_row_splits"):
        (count,) = with_rank(c.shape(i), 1)
        rows.append(None if count is None else count - 1)
    for i in c.group("sparse_shape"):
        sizes = c.shape_value(i)
        rows.append(sizes[0] if sizes else None)
    for i in c.group("dense_inputs"):
        dense = c.shape(i)
        if dense is not None and len(dense) != 2:
            raise errors.InvalidArgumentError("tf.ragged.cross only supports inputs with rank=2")
        rows.append(dense[0] if dense else None)
    known = {n for n in rows if n is not None}
    if len(known) > 1:
        raise errors.InvalidArgumentError("inputs must all have the same batch dimension size.")
    return [(None,), (known.pop() + 1 if known else None,)]
