"""All combinations of one feature from each column, row by row: SparseCross, SparseCrossV2, SparseCrossHashed.

Source: tensorflow/core/kernels/sparse_cross_op.cc.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.ops.string.elements import strings
from icefloe.ops.string.fingerprints import combine64, fingerprint64, strong_hash64
from icefloe.shapes import Dims, shape_text

_MASK = (1 << 64) - 1


def _check(
    indices: tuple[Any, ...],
    values: tuple[Any, ...],
    sizes: tuple[Any, ...],
    dense: tuple[Any, ...],
    internal: str | None,
) -> int:
    """Return the number of rows. internal: the dtype in which features are joined, or None where it is not asked."""
    for i, part in enumerate(indices):
        if np.ndim(part) != 2:
            raise errors.InvalidArgumentError(
                f"Input indices should be a matrix but received shape {shape_text(np.shape(part))} at position {i}"
            )
        if part.shape[1] != 2:
            raise errors.InvalidArgumentError(f"Expected D2 of index to be 2 got {part.shape[1]} at position {i}")
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(f"Expected {len(indices)} input values, got {len(values)}")
    for i, part in enumerate(values):
        if internal == "string" and part.dtype != object:
            raise errors.InvalidArgumentError("Input values should be of internal type string, but received int64")
        if np.ndim(part) != 1:
            raise errors.InvalidArgumentError(
                f"Input values should be a vector but received shape {shape_text(np.shape(part))} at position {i}"
            )
        if len(part) != len(indices[i]):
            raise errors.InvalidArgumentError(
                f"Expected size of values to be {len(indices[i])} got {len(part)} at position {i}"
            )
    for i, part in enumerate(sizes):
        if np.ndim(part) != 1:
            raise errors.InvalidArgumentError(
                f"Input shapes should be a vector but received shape {shape_text(np.shape(part))} at position {i}"
            )
        if len(part) != 2:
            raise errors.InvalidArgumentError(
                f"shape should imply a 2D tensor, but got {shape_text(np.shape(part))} at position {i}"
            )
    for i, part in enumerate(dense):
        if internal == "string" and part.dtype != object:
            raise errors.InvalidArgumentError("Dense inputs should be of internal type string but received int64")
        if np.ndim(part) != 2:
            raise errors.InvalidArgumentError(
                f"Dense inputs should be a matrix but received shape {shape_text(np.shape(part))} at position {i}"
            )
    rows = int(sizes[0][0]) if sizes else len(dense[0]) if dense else 0
    for i, part in enumerate(sizes):
        if part[0] != rows:
            raise errors.InvalidArgumentError(f"Expected batch size {rows} got {part[0]} at position {i}")
    for i, part in enumerate(dense):
        if len(part) != rows:
            raise errors.InvalidArgumentError(f"Expected batch size {rows} got {len(part)} at dense tensor {i}")
    return check_shape((rows,), np.dtype(np.int64))[0]


# The features of each row that has any.
Column: TypeAlias = dict[int, list[Any]]
Feature: TypeAlias = Callable[[Any, bool], Any]


def _rows_of(indices: Array, features: list[Any], rows: int) -> Column:
    """Return the features of each row; the elements must be in order: TensorFlow looks no further than they are."""
    column: Column = {}
    last = -1
    for row, group in itertools.groupby(zip(indices[:, 0].tolist(), features), lambda pair: pair[0]):
        if not last < row < rows:
            break
        column[row] = [feature for _, feature in group]
        last = row
    return column


def _crossed(columns: list[Column], rows: int, join: Callable[[Iterable[Any]], Any]) -> tuple[Any, ...]:
    """Return indices, values and shape; the last column's features turn fastest."""
    full = [b for b in columns[0] if all(b in column for column in columns)] if columns else []
    counts = [math.prod(len(column[b]) for column in columns) for b in full]
    check_shape((sum(counts), 2), np.dtype(np.int64))
    values = [join(parts) for b in full for parts in itertools.product(*(column[b] for column in columns))]
    pairs = [(b, i) for b, n in zip(full, counts) for i in range(n)]
    indices = np.array(pairs, np.int64).reshape(len(values), 2)
    return indices, values, np.array([rows, max(counts, default=0)], np.int64)


def _columns(
    indices: tuple[Any, ...], values: tuple[Any, ...], dense: tuple[Any, ...], rows: int, feature: Feature
) -> list[Column]:
    """Return each column's features by row. feature: takes an element, and whether its column is dense."""
    columns = [
        _rows_of(rows_of, [feature(v, False) for v in part.tolist()], rows) for rows_of, part in zip(indices, values)
    ]
    for part in dense:
        table = enumerate(part.tolist() if part.shape[1] else ())
        columns.append({b: [feature(v, True) for v in row] for b, row in table})
    return columns


def _word(value: Any, dense: bool) -> bytes:
    return value if isinstance(value, bytes) else b"%d" % value


def _hash(value: Any, dense: bool) -> int:
    return fingerprint64(value) if isinstance(value, bytes) else value & _MASK


def _bucket(value: int, buckets: int) -> int:
    # Without buckets the result is still kept from being negative.
    return value % (buckets if buckets > 0 else 2**63 - 1)


def _fold(start: int, parts: Iterable[int]) -> int:
    for part in parts:
        start = combine64(start, part)
    return start


@kernel("SparseCross")
def sparse_cross(
    indices: tuple[Any, ...],
    values: tuple[Any, ...],
    sizes: tuple[Any, ...],
    dense: tuple[Any, ...],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    internal_type: DType,
) -> tuple[Array, Array, Array]:
    """Crosses joined by `_X_`, or hashed into `num_buckets` (0: all of int64) from `hash_key` on."""
    rows = _check(indices, values, sizes, dense, internal_type.name)
    if not hashed_output:
        places, words, size = _crossed(_columns(indices, values, dense, rows, _word), rows, b"_X_".join)
        return places, strings(words), size
    columns = _columns(indices, values, dense, rows, _hash)
    places, hashes, size = _crossed(columns, rows, lambda parts: _bucket(_fold(hash_key & _MASK, parts), num_buckets))
    return places, np.array(hashes, np.int64), size


def _scalar(value: Any, what: str) -> Any:
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"Input {what} should be a scalar. Received: {shape_text(np.shape(value))}")
    return value.item()


@kernel("SparseCrossV2")
def sparse_cross_v2(
    indices: tuple[Any, ...], values: tuple[Any, ...], sizes: tuple[Any, ...], dense: tuple[Any, ...], sep: Any
) -> tuple[Array, Array, Array]:
    """Crosses joined by `sep`."""
    rows = _check(indices, values, sizes, dense, None)
    between: bytes = _scalar(sep, "separator")
    places, words, size = _crossed(_columns(indices, values, dense, rows, _word), rows, between.join)
    return places, strings(words), size


@kernel("SparseCrossHashed")
def sparse_cross_hashed(
    indices: tuple[Any, ...],
    values: tuple[Any, ...],
    sizes: tuple[Any, ...],
    dense: tuple[Any, ...],
    num_buckets: Any,
    strong_hash: Any,
    salt: Any,
) -> tuple[Array, Array, Array]:
    """Crosses hashed, with SipHash keyed by `salt` where `strong_hash`."""
    rows = _check(indices, values, sizes, dense, None)
    buckets = _scalar(num_buckets, "num_buckets")
    strong = _scalar(strong_hash, "strong_hash")
    key = np.ravel(salt).tolist()
    if len(key) != 2:
        raise errors.InvalidArgumentError(f"Salt must have 2 elements, got {len(key)}")
    words = (key[0], key[1])

    def feature(value: Any, from_dense: bool) -> int:
        if isinstance(value, bytes):
            return strong_hash64(words, value) if strong else fingerprint64(value)
        if from_dense and not strong:
            return value & _MASK
        # TensorFlow hashes the first four of the eight bytes of an integer.
        data = (value & 0xFFFFFFFF).to_bytes(4, "little")
        return strong_hash64(words, data) if strong else fingerprint64(data)

    columns = _columns(indices, values, dense, rows, feature)

    def join(parts: Iterable[int]) -> int:
        first, *rest = parts
        return _bucket(_fold(first, rest), buckets)

    places, hashes, size = _crossed(columns, rows, join)
    return places, np.array(hashes, np.int64), size


@shape("SparseCross", "SparseCrossV2", "SparseCrossHashed")
def sparse_cross_shape(c: ShapeContext) -> list[Dims]:
    return [(None, 2), (None,), (2,)]
