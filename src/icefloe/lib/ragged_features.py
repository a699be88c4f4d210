"""`RaggedFeature`: a feature of Examples that is read as a RaggedTensor, and how its partitions are put together.

Source: tensorflow/python/ops/parsing_config.py (nodes, names and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.lib import checks
from icefloe.lib.array_batch_gather import repeat
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.math_cast import cast
from icefloe.lib.parsing_features import RaggedFeature
from icefloe.lib.ragged_partition import maximum
from icefloe.lib.ragged_reduce import reduce_max
from icefloe.lib.ragged_tensor import RaggedTensor

_MAKERS: dict[Any, Any] = {
    RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
    RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
    RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
    RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
    RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
}


def ragged_value(key: str, feature: RaggedFeature, found: dict[str, Any]) -> Any:
    """Return the value of a feature from what was read: of one example tensors, of a batch RaggedTensors."""
    value = found[key if feature.value_key is None else feature.value_key]
    if not isinstance(value, RaggedTensor):
        for partition in reversed(feature.partitions):
            value = _of_one(value, partition, found, feature)
        return value
    outer = None
    if value.ragged_rank > 1:
        outer, value = value.row_splits, value.values
    for partition in reversed(feature.partitions):
        value = _of_batch(value, partition, found, key, feature.validate, outer)
    return value if outer is None else RaggedTensor.from_row_splits(value, outer, validate=feature.validate)


def _of_one(values: Any, partition: Any, found: dict[str, Any], feature: RaggedFeature) -> Any:
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if isinstance(values, RaggedTensor):
            length = convert_to_tensor(partition.length, dtype=feature.row_splits_dtype)
            return RaggedTensor.from_uniform_row_length(values, length, validate=feature.validate)
        return reshape(values, concat([[-1, partition.length], shape_of(values)[1:]], axis=0))
    rows = cast(found[partition.key], feature.row_splits_dtype)
    return _MAKERS[type(partition)](values, rows, validate=feature.validate)


def _of_batch(value: Any, partition: Any, found: dict[str, Any], key: str, validate: bool, outer: Any) -> Any:
    """Divide the rows of `value`, which has one row for each example, once more."""
    dtype = value.row_splits.dtype
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if value.ragged_rank > 1:
            length = convert_to_tensor(partition.length, dtype)
            rows = RaggedTensor.from_uniform_row_length(value.values, length, validate=validate)
            return RaggedTensor.from_row_splits(rows, value.row_splits // length, validate=validate)
        flat = reshape(value.values, concat([[-1, partition.length], shape_of(value.values)[1:]], axis=0))
        return RaggedTensor.from_row_splits(flat, value.row_splits // partition.length, validate=validate)
    rows = found[partition.key]
    if rows.values.dtype != dtype:
        rows = rows.with_flat_values(cast(rows.flat_values, dtype))
    aligned = []
    if outer is not None:
        if validate:
            said = f"Feature {key}: values and partitions are not aligned"
            aligned.append(checks.assert_equal(outer, rows.row_splits, message=said))
        rows = rows.values
    with control_dependencies(aligned):
        if isinstance(partition, RaggedFeature.RowLengths):
            inner = RaggedTensor.from_row_lengths(value.values, rows.values, validate=validate)
            return rows.with_values(inner)
        if isinstance(partition, RaggedFeature.ValueRowIds):
            counts = maximum(reduce_max(rows + 1, axis=1), 0)
            starts = concat([[0], apply_op("Cumsum", counts, 0)], axis=0)
            ids = rows.values + repeat(starts[:-1], rows.row_lengths())
            inner = RaggedTensor.from_value_rowids(value.values, ids, nrows=starts[-1], validate=validate)
            return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
        if isinstance(partition, RaggedFeature.RowSplits):
            rows = rows[:, 1:]
        moved = rows.values + repeat(value.row_starts(), rows.row_lengths())
        make = (
            RaggedTensor.from_row_starts
            if isinstance(partition, RaggedFeature.RowStarts)
            else RaggedTensor.from_row_limits
        )
        return rows.with_values(make(value.values, moved, validate=validate))


def read_rows(values: Any, splits: Any, is_batch: bool) -> Any:
    """Return what an op read of a feature: the values of one example, or one row for each of a batch."""
    return RaggedTensor.from_row_splits(values, splits, validate=False) if is_batch else values
