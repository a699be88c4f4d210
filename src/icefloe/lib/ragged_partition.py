"""`RowPartition`: how the rows of a ragged dimension divide the values below it.

A partition is kept as its splits, beside whatever other form it was made from: lengths, the row of each value, the
number
of rows, or one length for all.

Source: tensorflow/python/ops/ragged/row_partition.py, segment_id_ops.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks
from icefloe.lib.array_batch_gather import repeat
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import shape
from icefloe.lib.constants import convert_to_int_tensor, get_static_value
from icefloe.lib.control import with_dependencies
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import cumsum, range
from icefloe.lib.math_segment import bincount
from icefloe.shapes import dimension_at_index, dimension_value

SPLITS_DTYPES = (datatypes.int32, datatypes.int64)


def as_partition_tensor(partition: Any, name: str, dtype_hint: Any = None) -> Tensor:
    """Return `partition` as a tensor, by default int64. Raises: ValueError if it is neither int32 nor int64."""
    if isinstance(partition, np.ndarray) and partition.dtype == np.int32:
        tensor: Tensor = convert_to_tensor(partition, name=name)
    else:
        tensor = convert_to_tensor(partition, preferred_dtype=dtype_hint or datatypes.int64, name=name)
    if tensor.dtype not in SPLITS_DTYPES:
        raise ValueError(f"{name} must have dtype int32 or int64")
    return tensor


def maximum(x: Any, y: Any) -> Tensor:
    """Return the greater of each two elements."""
    result: Tensor = apply_op("Maximum", x, y)
    return result


def minimum(x: Any, y: Any) -> Tensor:
    """Return the lesser of each two elements."""
    result: Tensor = apply_op("Minimum", x, y)
    return result


def _not_decreasing(tensor: Tensor, message: str) -> Any:
    return checks.assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def _is_zero(tensor: Tensor, message: str) -> Any:
    return checks.assert_equal(tensor, constant(0, dtype=tensor.dtype), message=message)


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


class RowPartition:
    """The rows that values are divided into. Made by its `from_` methods."""

    def __init__(
        self,
        row_splits: Tensor,
        row_lengths: Tensor | None = None,
        value_rowids: Tensor | None = None,
        nrows: Tensor | None = None,
        uniform_row_length: Tensor | None = None,
        nvals: Tensor | None = None,
    ) -> None:
        row_splits.shape.assert_has_rank(1)
        row_splits.set_shape([None])
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype_hint: Any = None
    ) -> RowPartition:
        """Return the partition in which value i is in row `value_rowids[i]`; nrows: default, up to the last row."""
        _check_flag(validate)
        with name_scope(None, "RowPartitionFromValueRowIds", [value_rowids, nrows]):
            value_rowids = as_partition_tensor(value_rowids, "value_rowids", dtype_hint)
            known = get_static_value(value_rowids)
            const_nrows: Any = None
            if nrows is None and known is None:
                nrows = concat([value_rowids[-1:], [-1]], axis=0)[0] + 1
            elif nrows is None:
                const_nrows = known[-1] + 1 if known.size > 0 else 0
                nrows = convert_to_tensor(const_nrows, value_rowids.dtype, name="nrows")
            else:
                nrows = convert_to_tensor(nrows, value_rowids.dtype, "nrows")
                const_nrows = get_static_value(nrows)
                if const_nrows is not None and const_nrows < 0:
                    raise ValueError(f"Expected nrows >= 0; got {int(const_nrows)}")
                if const_nrows is not None and known is not None and known.size and const_nrows < known[-1] + 1:
                    raise ValueError(
                        f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(const_nrows)}, "
                        f"value_rowids[-1]={int(known[-1])}"
                    )
            value_rowids.shape.assert_has_rank(1)
            nrows.shape.assert_has_rank(0)
            if validate:
                said = "Arguments to from_value_rowids do not form a valid RowPartition"
                found = [
                    checks.assert_rank(value_rowids, 1, message=said),
                    checks.assert_rank(nrows, 0, message=said),
                    checks.assert_non_negative(value_rowids[:1], message=said),
                    _not_decreasing(value_rowids, said),
                    checks.assert_less(value_rowids[-1:], nrows, message=said),
                ]
                value_rowids = with_dependencies(found, value_rowids)
            ids, count = cast(value_rowids, datatypes.int32), cast(nrows, datatypes.int32)
            row_lengths = bincount(ids, minlength=count, maxlength=count, dtype=value_rowids.dtype)
            row_splits = concat([[0], cumsum(row_lengths)], axis=0)
            if const_nrows is not None:
                row_lengths.set_shape([const_nrows])
                row_splits.set_shape([const_nrows + 1])
            return cls(row_splits, row_lengths=row_lengths, value_rowids=value_rowids, nrows=nrows)

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True, dtype_hint: Any = None) -> RowPartition:
        """Return the partition whose row i is `row_splits[i]` up to `row_splits[i + 1]`."""
        _check_flag(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with name_scope(None, "RowPartitionFromRowSplits", [row_splits]):
            row_splits = as_partition_tensor(row_splits, "row_splits", dtype_hint)
            row_splits.shape.assert_has_rank(1)
            if validate:
                said = "Arguments to from_row_splits do not form a valid RaggedTensor:"
                found = [
                    checks.assert_rank(row_splits, 1, message=said + "rank"),
                    _is_zero(row_splits[0], said + "zero"),
                    _not_decreasing(row_splits, said + "monotonic"),
                ]
                row_splits = with_dependencies(found, row_splits)
            return cls(row_splits)

    @classmethod
    def from_row_lengths(cls, row_lengths: Any, validate: bool = True, dtype_hint: Any = None) -> RowPartition:
        """Return the partition into rows of these lengths."""
        _check_flag(validate)
        with name_scope(None, "RowPartitionFromRowLengths", [row_lengths]):
            row_lengths = as_partition_tensor(row_lengths, "row_lengths", dtype_hint)
            row_lengths.shape.assert_has_rank(1)
            if validate:
                said = "Arguments to from_row_lengths do not form a valid RowPartition"
                found = [
                    checks.assert_rank(row_lengths, 1, message=said),
                    checks.assert_non_negative(row_lengths, message=said),
                ]
                row_lengths = with_dependencies(found, row_lengths)
            row_splits = concat([[0], cumsum(row_lengths)], axis=0)
            return cls(row_splits, row_lengths=row_lengths)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype_hint: Any = None
    ) -> RowPartition:
        """Return the partition of `nvals` values into rows that start here."""
        _check_flag(validate)
        with name_scope(None, "RowPartitionFromRowStarts", [row_starts]):
            row_starts = as_partition_tensor(row_starts, "row_starts", dtype_hint)
            row_starts.shape.assert_has_rank(1)
            nvals = cast(nvals, row_starts.dtype)
            if validate:
                said = "Arguments to from_row_starts do not form a valid RaggedTensor"
                found = [
                    checks.assert_rank(row_starts, 1, message=said),
                    _is_zero(row_starts[:1], said),
                    _not_decreasing(row_starts, said),
                    checks.assert_less_equal(row_starts[-1:], nvals, message=said),
                ]
                row_starts = with_dependencies(found, row_starts)
            return cls(concat([row_starts, [nvals]], axis=0), nvals=nvals)

    @classmethod
    def from_row_limits(cls, row_limits: Any, validate: bool = True, dtype_hint: Any = None) -> RowPartition:
        """Return the partition into rows that end here."""
        _check_flag(validate)
        with name_scope(None, "RowPartitionFromRowLimits", [row_limits]):
            row_limits = as_partition_tensor(row_limits, "row_limits", dtype_hint)
            row_limits.shape.assert_has_rank(1)
            if validate:
                said = "Arguments to from_row_limits do not form a valid RaggedTensor"
                found = [
                    checks.assert_rank(row_limits, 1, message=said),
                    checks.assert_non_negative(row_limits[:1], message=said),
                    _not_decreasing(row_limits, said),
                ]
                row_limits = with_dependencies(found, row_limits)
            return cls(concat([zeros([1], row_limits.dtype), row_limits], axis=0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Return the partition into rows of one length, of `nvals` values or into `nrows` rows."""
        _check_flag(validate)
        if nrows is None and nvals is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        with name_scope(None, "RowPartitionFromUniformRowLength", [uniform_row_length, nrows]):
            dtype = _target_dtype((uniform_row_length, nvals, nrows), dtype_hint)
            length: Tensor = convert_to_tensor(uniform_row_length, dtype=dtype, name="uniform_row_length")
            nvals = None if nvals is None else convert_to_tensor(nvals, dtype=dtype, name="nvals")
            nrows = None if nrows is None else convert_to_tensor(nrows, dtype=dtype, name="nrows")
            length.shape.assert_has_rank(0)
            known_length = get_static_value(length)
            if nrows is None:
                if known_length is None:
                    nrows = nvals // maximum(length, constant(1, length.dtype))
                elif known_length == 0:
                    nrows = constant(0, dtype=length.dtype)
                else:
                    nrows = nvals // known_length
            known_nrows = get_static_value(nrows)
            known_nvals = None if nvals is None else get_static_value(nvals)
            found = []
            if known_nvals is None and known_nrows is not None and known_length is not None:
                known_nvals = known_nrows * known_length
                if nvals is not None and validate:
                    found.append(checks.assert_equal(nvals, known_nvals))
                nvals = constant(known_nvals, length.dtype)
            if nvals is None:
                nvals = nrows * length
            if known_nrows is not None and known_length is not None:
                splits = [int(i * known_length) for i in builtins.range(known_nrows + 1)]
                row_splits = constant(splits, length.dtype)
            else:
                row_splits = range(nrows + 1, dtype=length.dtype) * length
            if validate:
                if known_nrows is None or known_length is None or known_nvals is None:
                    data = ("uniform_row_length", length, "times nrows", nrows, "must equal nvals", nvals)
                    found.append(checks.assert_equal(nrows * length, nvals, data))
                elif known_nrows * known_length != known_nvals:
                    raise ValueError(
                        f"uniform_row_length={int(known_length)} times nrows={int(known_nrows)} must equal "
                        f"nvals={int(known_nvals)}"
                    )
                if known_length is None:
                    said = "uniform_row_length must be >= 0."
                    found.append(checks.assert_greater_equal(length, constant(0, length.dtype), message=said))
                elif known_length < 0:
                    raise ValueError("uniform_row_length must be >= 0.")
                row_splits = with_dependencies(found, row_splits)
            return cls(row_splits, uniform_row_length=length, nrows=nrows, nvals=nvals)

    @property
    def dtype(self) -> datatypes.DType:
        """int32 or int64."""
        return self._row_splits.dtype

    def row_splits(self) -> Tensor:
        """Return where rows start, and where the last one ends."""
        return self._row_splits

    def value_rowids(self) -> Tensor:
        """Return the row of each value."""
        return row_splits_to_segment_ids(self._row_splits) if self._value_rowids is None else self._value_rowids

    def nvals(self) -> Tensor:
        """Return the number of values."""
        return self._row_splits[-1]

    def nrows(self) -> Tensor:
        """Return the number of rows."""
        if self._nrows is not None:
            return self._nrows
        known = dimension_at_index(self._row_splits.shape, 0).value
        if known is None:
            return shape(self._row_splits, out_type=self.dtype)[0] - 1
        return constant(known - 1, dtype=self.dtype)

    def uniform_row_length(self) -> Tensor | None:
        """Return the one length of all rows, or None if they are ragged."""
        return self._uniform_row_length

    def row_starts(self) -> Tensor:
        """Return where rows start."""
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """Return where rows end."""
        return self._row_splits[1:]

    def row_lengths(self) -> Tensor:
        """Return the lengths of rows."""
        if self._row_lengths is not None:
            return self._row_lengths
        return self._row_splits[1:] - self._row_splits[:-1]

    @property
    def static_nrows(self) -> int | None:
        """The number of rows where it is known."""
        splits = dimension_value(self._row_splits.shape[0])
        if splits is not None:
            return int(splits) - 1
        if self._row_lengths is not None:
            rows = dimension_value(self._row_lengths.shape[0])
            if rows is not None:
                return int(rows)
        known = None if self._nrows is None else get_static_value(self._nrows)
        return None if known is None else int(known)

    @property
    def static_uniform_row_length(self) -> int | None:
        """The one length of all rows where there is one and it is known."""
        known = None if self._uniform_row_length is None else get_static_value(self._uniform_row_length)
        return None if known is None else int(known)

    @property
    def is_uniform(self) -> bool:
        """Whether all rows have one length."""
        return self._uniform_row_length is not None

    def has_value_rowids(self) -> bool:
        """Return whether it was made from the rows of values."""
        return self._value_rowids is not None

    def known(self) -> dict[str, Tensor | None]:
        """Return the forms it is kept in, as arguments of the constructor."""
        return {
            "row_splits": self._row_splits,
            "row_lengths": self._row_lengths,
            "value_rowids": self._value_rowids,
            "nrows": self._nrows,
            "uniform_row_length": self._uniform_row_length,
            "nvals": self._nvals,
        }

    def with_dependencies(self, dependencies: Any) -> RowPartition:
        """Return the partition once the operations `dependencies` are done."""
        known: dict[str, Any] = self.known()
        known["row_splits"] = with_dependencies(dependencies, self._row_splits)
        del known["nvals"]
        return RowPartition(**known)

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Return the partition in int32 or int64."""
        dtype = datatypes.as_dtype(dtype)
        if dtype not in SPLITS_DTYPES:
            raise ValueError("dtype must be int32 or int64")
        if self.dtype == dtype:
            return self
        known: dict[str, Any] = self.known()
        del known["nvals"]
        changed: dict[str, Any] = {key: None if x is None else cast(x, dtype) for key, x in known.items()}
        return RowPartition(**changed)

    def merged(self, other: RowPartition) -> RowPartition:
        """Return a partition that has what this and `other`, an equal one, are kept in; they are checked to be
        equal.
        """
        ours, theirs = self.known(), other.known()
        if self is other or all(ours[key] is theirs[key] for key in ours):
            return self
        sure = False
        checked: set[str] = set()
        out: dict[str, Any] = {}
        for key in ("nrows", "nvals", "uniform_row_length", "row_splits", "row_lengths", "value_rowids"):
            a, b = ours[key], theirs[key]
            if a is None or b is None:
                out[key] = b if a is None else a
                continue
            out[key] = a
            if a is not b:
                said = f"RowPartition._merge_precomputed_encodings: partitions have incompatible {key}"
                if not a.shape.is_compatible_with(b.shape):
                    raise ValueError(said)
                if sure:
                    continue
                out[key] = with_dependencies([checks.assert_equal(a, b, message=said)], a)
            checked.add(key)
            sure = sure or key in ("row_splits", "row_lengths") or {"uniform_row_length", "nrows"} <= checked
        compared = ("row_splits", "row_lengths", "value_rowids", "nrows", "uniform_row_length")
        for known, partition in ((ours, self), (theirs, other)):
            if all(out[key] is known[key] for key in compared):
                return partition
        return RowPartition(**out)

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            return f"tf.RowPartition(nrows={self._nrows}, uniform_row_length={self._uniform_row_length})"
        return f"tf.RowPartition(row_splits={self._row_splits})"


def _target_dtype(values: Any, dtype_hint: Any) -> datatypes.DType:
    for kind in (Tensor, np.ndarray):
        for value in values:
            if isinstance(value, kind):
                return datatypes.as_dtype(value.dtype)
    return dtype_hint or datatypes.int64


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Return the row of each value: `[0, 3, 3, 5]` gives `[0, 0, 0, 2, 2]`.

    out_type: int32 or int64, default that of `splits`. Raises: ValueError if there are no splits or they are no
    integers.
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        splits = convert_to_tensor(splits, name="splits", preferred_dtype=datatypes.int64)
        if splits.dtype not in SPLITS_DTYPES:
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if dimension_value(splits.shape[0]) == 0:
            raise ValueError("Invalid row_splits: []")
        out_type = splits.dtype if out_type is None else datatypes.as_dtype(out_type)
        row_lengths = splits[1:] - splits[:-1]
        nrows = shape(splits, out_type=out_type)[-1] - 1
        return repeat(range(nrows), repeats=row_lengths, axis=0)


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Return where the rows of sorted `segment_ids` start and end: `[0, 0, 0, 2, 2]` gives `[0, 3, 3, 5]`.

    num_segments: the number of rows, default up to the last one. out_type: default that of the ids, int64 for a list.
    """
    if out_type is not None:
        out_type = datatypes.as_dtype(out_type)
    else:
        out_type = next((x.dtype for x in (segment_ids, num_segments) if isinstance(x, Tensor)), datatypes.int64)
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        segment_ids = convert_to_int_tensor(segment_ids, "segment_ids", dtype=datatypes.int32)
        segment_ids.shape.assert_has_rank(1)
        if num_segments is not None:
            num_segments = convert_to_int_tensor(num_segments, "num_segments", dtype=datatypes.int32)
            num_segments.shape.assert_has_rank(0)
        row_lengths = bincount(segment_ids, minlength=num_segments, maxlength=num_segments, dtype=out_type)
        splits = concat([[0], cumsum(row_lengths)], axis=0)
        known = None if num_segments is None else get_static_value(num_segments)
        if known is not None:
            splits.set_shape([known + 1])
        return splits


def lengths_to_splits(lengths: Tensor) -> Tensor:
    """Return the splits of rows of these lengths."""
    return concat([[0], cumsum(lengths)], axis=-1)


def repeat_ranges(params: Any, splits: Any, repeats: Any) -> Tensor:
    """Return `params` with each of the ranges that `splits` makes of it repeated so many times."""
    splits_checks = [
        checks.assert_non_negative(splits, message="Input argument 'splits' must be non-negative"),
        checks.assert_integer(
            splits, message=f"Input argument 'splits' must be integer, but got {splits.dtype} instead"
        ),
    ]
    repeats = convert_to_tensor(repeats) if not isinstance(repeats, Tensor) else repeats
    repeats_checks = [
        checks.assert_non_negative(repeats, message="Input argument 'repeats' must be non-negative"),
        checks.assert_integer(
            repeats, message=f"Input argument 'repeats' must be integer, but got {repeats.dtype} instead"
        ),
    ]
    splits = with_dependencies(splits_checks, splits)
    repeats = with_dependencies(repeats_checks, repeats)
    if repeats.shape.ndims != 0:
        starts = repeat(splits[:-1], repeats, axis=0)
        limits = repeat(splits[1:], repeats, axis=0)
    else:
        repeated = repeat(splits, repeats, axis=0)
        count = shape(repeated, out_type=repeats.dtype)[0]
        starts = repeated[: count - repeats]
        limits = repeated[repeats:]
    one = convert_to_tensor(np.ones((), starts.dtype.as_numpy_dtype), name="ones")
    offsets = apply_op("RaggedRange", starts, limits, one)
    return apply_op("GatherV2", params, offsets.rt_dense_values, 0)
