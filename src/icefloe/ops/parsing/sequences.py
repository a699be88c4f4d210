"""SequenceExample messages to tensors: ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, with_rank, with_rank_at_most
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, zeros
from icefloe.ops.parsing.features import (
    Values,
    chained,
    decode,
    element_shape,
    filled,
    lengths_of,
    positions,
    row_splits,
    sparse_parts,
    typed,
    values_of,
)
from icefloe.ops.string.elements import escaped, flat
from icefloe.ops.wording import dtype_name
from icefloe.proto import SequenceExample
from icefloe.shapes import Dims, shape_text

# The values at each step of an example, None where it has no such list.
Steps: TypeAlias = "list[Values | None] | None"


@dataclass(frozen=True, slots=True)
class Sequences:
    """Parsed sequence examples. single: one, and not in a vector."""

    messages: list[Any]
    names: list[bytes]
    single: bool

    def name(self, i: int) -> str:
        return escaped(self.names[i]) if self.names else "<unknown>"

    def context(self, key: bytes, dtype: DType) -> list[Values | None]:
        """Return the values of a context feature of each example."""
        word = key.decode("utf-8", "replace")
        column: list[Values | None] = []
        for i, message in enumerate(self.messages):
            features = message.context.feature
            try:
                column.append(values_of(features.get(word), dtype))
            except TypeError:
                raise errors.InvalidArgumentError(
                    f"Name: {self.name(i)}, Context feature: {escaped(key)}.  Data types don't match. Expected type:"
                    f" {dtype_name(dtype)}"
                ) from None
        return column

    def steps(self, key: bytes, dtype: DType) -> list[Steps]:
        """Return for each example the values at each step of a feature list."""
        word = key.decode("utf-8", "replace")
        column: list[Steps] = []
        for i, message in enumerate(self.messages):
            lists = message.feature_lists.feature_list
            if word not in lists:
                column.append(None)
                continue
            steps: list[Values | None] = []
            for t, feature in enumerate(lists[word].feature):
                try:
                    steps.append(values_of(feature, dtype))
                except TypeError:
                    raise errors.InvalidArgumentError(
                        f"Name: {self.name(i)}, Feature list: {escaped(key)}, Index: {t}.  Data types don't match."
                        f" Expected type: {dtype_name(dtype)}"
                    ) from None
            column.append(steps)
        return column

    def context_sparse(self, key: bytes, dtype: DType) -> tuple[Array, Array, Array]:
        column = self.context(key, dtype)
        if self.single:
            values = typed(column[0] or (), dtype)
            return np.arange(len(values))[:, None], values, np.array([len(values)], np.int64)
        return sparse_parts(column, dtype)

    def context_ragged(self, key: bytes, dtype: DType, splits: DType) -> tuple[Array, Array]:
        column = self.context(key, dtype)
        if self.single:
            return typed(column[0] or (), dtype), np.zeros((), splits.numpy)
        return chained(column, dtype), row_splits(lengths_of(column), splits)

    def context_dense(self, key: bytes, dtype: DType, sizes: Dims, default: Array) -> Array:
        _, fixed = element_shape(sizes)
        count = math.prod(fixed)
        instead = default.ravel().tolist()
        column: list[Values | None] = []
        for values in self.context(key, dtype):
            if values is None:
                if not instead:
                    raise errors.InvalidArgumentError(
                        f"Feature: {escaped(key)} (data type: {dtype_name(dtype)}) is required but could not be found."
                    )
                values = instead
            if len(values) != count:
                raise errors.InvalidArgumentError(
                    f"Inconsistent max number of elements for feature {escaped(key)}: expected {count}, but found"
                    f" {len(values)}"
                )
            column.append(values)
        result = filled(column, fixed, dtype)
        return result[0] if self.single else result

    def list_sparse(self, key: bytes, dtype: DType) -> tuple[Array, Array, Array]:
        """Return the sparse tensor with dimensions example, step and place."""
        column = self.steps(key, dtype)
        counts = np.array([len(steps or ()) for steps in column], np.int64)
        rows = [values for steps in column for values in steps or ()]
        lengths = lengths_of(rows)
        row, place = positions(lengths)
        example, step = positions(counts)
        indices = np.stack([example[row], step[row], place], axis=1).astype(np.int64)
        size = np.array([len(column), counts.max(initial=0), lengths.max(initial=0)], np.int64)
        first = 1 if self.single else 0
        return indices[:, first:], chained(rows, dtype), size[first:]

    def list_ragged(self, key: bytes, dtype: DType, splits: DType) -> tuple[Array, Array, Array]:
        """Return values, the splits of examples into steps, and those of steps into values."""
        column = self.steps(key, dtype)
        rows = [values for steps in column for values in steps or ()]
        counts = np.array([len(steps or ()) for steps in column], np.int64)
        outer = np.zeros((), splits.numpy) if self.single else row_splits(counts, splits)
        return chained(rows, dtype), outer, row_splits(lengths_of(rows), splits)

    def list_dense(self, key: bytes, dtype: DType, sizes: Dims, may_lack: bool) -> tuple[Array, Array]:
        """Return [example, step, *sizes], zeros after an example's last step, and the number of steps of each."""
        _, fixed = element_shape(sizes)
        count = math.prod(fixed)
        column = self.steps(key, dtype)
        for i, steps in enumerate(column):
            if steps is None and not may_lack:
                raise errors.InvalidArgumentError(
                    f"Name: {self.name(i)}, Feature list '{escaped(key)}' is required but could not be found.  Did you"
                    " mean to include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
                )
            total = sum(len(values or ()) for values in steps or ())
            if total % (count or 1):
                raise errors.InvalidArgumentError(
                    f"Feature list '{escaped(key)}' has an unexpected number of values.  Total values size: {total} is"
                    f" not consistent with output shape: {shape_text((None, *fixed))}"
                )
            for t, values in enumerate(steps or ()):
                if len(values or ()) != count:
                    raise errors.InvalidArgumentError(
                        f"Name: {self.name(i)}, Key: {escaped(key)}, Index: {t}.  Number of values != expected.  values"
                        f" size: {len(values or ())} but output shape: {shape_text(fixed)}"
                    )
        counts = np.array([len(steps or ()) for steps in column], np.int64)
        most = int(counts.max(initial=0))
        check_shape((len(column), most, *fixed), dtype.numpy)
        result = zeros((len(column), most, *fixed), dtype.numpy)
        rows = [values for steps in column for values in steps or ()]
        result[positions(counts)] = filled(rows, fixed, dtype)
        return (result[0], counts[0]) if self.single else (result, counts)


def read_sequences(serialized: Any, names: Any) -> Sequences:
    """Return the messages in a serialized sequence example, or in a vector of them."""
    if np.ndim(serialized) > 1:
        raise errors.InvalidArgumentError(
            f"Expected serialized to be a scalar or vector, got shape: {shape_text(np.shape(serialized))}"
        )
    if np.size(names) and np.shape(names) != np.shape(serialized):
        raise errors.InvalidArgumentError(
            "Expected names have the same shape as serialized:"
            f" name.shape={shape_text(np.shape(names))}, serialized.shape={shape_text(np.shape(serialized))}"
        )
    called = flat(names)
    messages = [
        decode(
            SequenceExample,
            data,
            f"Invalid protocol message input, example id: {escaped(called[i]) if called else '<unknown>'}",
        )
        for i, data in enumerate(flat(serialized))
    ]
    return Sequences(messages, called, not np.ndim(serialized))


@dataclass(frozen=True, slots=True)
class Wanted:
    """The features to gather: key, dtype, and what else their kind needs."""

    context_sparse: list[tuple[bytes, DType]]
    context_dense: list[tuple[bytes, DType, Dims, Array]]
    context_ragged: list[tuple[bytes, DType, DType]]
    list_sparse: list[tuple[bytes, DType]]
    list_dense: list[tuple[bytes, DType, Dims, bool]]
    list_ragged: list[tuple[bytes, DType, DType]]

    def gather(self, sequences: Sequences, *, lengths: bool = True) -> tuple[Array, ...]:
        context_sparse = [sequences.context_sparse(*wanted) for wanted in self.context_sparse]
        context_dense = [sequences.context_dense(*wanted) for wanted in self.context_dense]
        context_ragged = [sequences.context_ragged(*wanted) for wanted in self.context_ragged]
        list_sparse = [sequences.list_sparse(*wanted) for wanted in self.list_sparse]
        list_dense = [sequences.list_dense(*wanted) for wanted in self.list_dense]
        list_ragged = [sequences.list_ragged(*wanted) for wanted in self.list_ragged]
        return (
            *(part[i] for i in range(3) for part in context_sparse),
            *context_dense,
            *(part[i] for i in range(2) for part in context_ragged),
            *(part[i] for i in range(3) for part in list_sparse),
            *(part[i] for i in range(2 if lengths else 1) for part in list_dense),
            *(part[i] for i in range(3) for part in list_ragged),
        )


def _bytes(key: str | bytes) -> bytes:
    return key if isinstance(key, bytes) else key.encode()


@kernel("ParseSequenceExampleV2")
def parse_sequence_example_v2(
    serialized: Any,
    debug_name: Any,
    context_sparse_keys: Any,
    context_dense_keys: Any,
    context_ragged_keys: Any,
    list_sparse_keys: Any,
    list_dense_keys: Any,
    list_ragged_keys: Any,
    list_dense_may_lack: Any,
    context_dense_defaults: tuple[Any, ...],
    *,
    Tcontext_dense: tuple[DType, ...],
    context_sparse_types: tuple[DType, ...],
    context_ragged_value_types: tuple[DType, ...],
    context_ragged_split_types: tuple[DType, ...],
    context_dense_shapes: tuple[Dims, ...],
    feature_list_dense_types: tuple[DType, ...],
    feature_list_sparse_types: tuple[DType, ...],
    feature_list_ragged_value_types: tuple[DType, ...],
    feature_list_ragged_split_types: tuple[DType, ...],
    feature_list_dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """The named context features and feature lists of sequence examples, as sparse, dense and ragged tensors.

    serialized: a vector, or a scalar, which gives tensors without the dimension of examples.
    list_dense_may_lack: for each dense feature list, whether a missing one counts as one of no steps.
    """
    may_lack = np.ravel(list_dense_may_lack).tolist()
    defaults = map(np.asarray, context_dense_defaults)
    return Wanted(
        list(zip(flat(context_sparse_keys), context_sparse_types)),
        list(zip(flat(context_dense_keys), Tcontext_dense, context_dense_shapes, defaults)),
        list(zip(flat(context_ragged_keys), context_ragged_value_types, context_ragged_split_types)),
        list(zip(flat(list_sparse_keys), feature_list_sparse_types)),
        list(zip(flat(list_dense_keys), feature_list_dense_types, feature_list_dense_shapes, may_lack)),
        list(zip(flat(list_ragged_keys), feature_list_ragged_value_types, feature_list_ragged_split_types)),
    ).gather(read_sequences(serialized, debug_name))


@kernel("ParseSequenceExample")
def parse_sequence_example(
    serialized: Any,
    debug_name: Any,
    context_dense_defaults: tuple[Any, ...],
    *,
    feature_list_dense_missing_assumed_empty: tuple[str | bytes, ...],
    context_sparse_keys: tuple[str | bytes, ...],
    context_dense_keys: tuple[str | bytes, ...],
    feature_list_sparse_keys: tuple[str | bytes, ...],
    feature_list_dense_keys: tuple[str | bytes, ...],
    Tcontext_dense: tuple[DType, ...],
    context_sparse_types: tuple[DType, ...],
    context_dense_shapes: tuple[Dims, ...],
    feature_list_dense_types: tuple[DType, ...],
    feature_list_sparse_types: tuple[DType, ...],
    feature_list_dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """As ParseSequenceExampleV2, the keys being attrs, without ragged tensors."""
    may_lack = [key in feature_list_dense_missing_assumed_empty for key in feature_list_dense_keys]
    defaults = map(np.asarray, context_dense_defaults)
    return Wanted(
        list(zip(map(_bytes, context_sparse_keys), context_sparse_types)),
        list(zip(map(_bytes, context_dense_keys), Tcontext_dense, context_dense_shapes, defaults)),
        [],
        list(zip(map(_bytes, feature_list_sparse_keys), feature_list_sparse_types)),
        list(zip(map(_bytes, feature_list_dense_keys), feature_list_dense_types, feature_list_dense_shapes, may_lack)),
        [],
    ).gather(read_sequences(serialized, debug_name))


@kernel("ParseSingleSequenceExample")
def parse_single_sequence_example(
    serialized: Any,
    list_dense_may_lack: Any,
    context_sparse_keys: tuple[Any, ...],
    context_dense_keys: tuple[Any, ...],
    list_sparse_keys: tuple[Any, ...],
    list_dense_keys: tuple[Any, ...],
    context_dense_defaults: tuple[Any, ...],
    debug_name: Any,
    *,
    Tcontext_dense: tuple[DType, ...],
    context_sparse_types: tuple[DType, ...],
    context_dense_shapes: tuple[Dims, ...],
    feature_list_dense_types: tuple[DType, ...],
    feature_list_sparse_types: tuple[DType, ...],
    feature_list_dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """The named features of one sequence example; list_dense_may_lack: the keys that may be missing."""
    if np.ndim(serialized):
        raise errors.InvalidArgumentError(
            f"Expected serialized to be a scalar, got shape: {shape_text(np.shape(serialized))}"
        )
    keys = [[key.item() for key in group] for group in (context_sparse_keys, context_dense_keys)]
    list_keys = [[key.item() for key in group] for group in (list_sparse_keys, list_dense_keys)]
    lacking = set(flat(list_dense_may_lack))
    may_lack = [key in lacking for key in list_keys[1]]
    defaults = map(np.asarray, context_dense_defaults)
    return Wanted(
        list(zip(keys[0], context_sparse_types)),
        list(zip(keys[1], Tcontext_dense, context_dense_shapes, defaults)),
        [],
        list(zip(list_keys[0], feature_list_sparse_types)),
        list(zip(list_keys[1], feature_list_dense_types, feature_list_dense_shapes, may_lack)),
        [],
    ).gather(read_sequences(serialized, debug_name if np.size(debug_name) == 1 else b""), lengths=False)


def _shapes(c: ShapeContext, batch: Dims, context_ragged: int, list_ragged: int, lengths: bool) -> list[Dims]:
    rank = None if batch is None else len(batch)
    context_sparse, list_sparse = len(c.attr("context_sparse_types")), len(c.attr("feature_list_sparse_types"))
    one, two = (None, None) if rank is None else (rank + 1, rank + 2)
    splits: Dims = None if batch is None else () if not batch else (None if batch[0] is None else batch[0] + 1,)
    dense = c.attr("feature_list_dense_shapes")
    return [
        *[(None, one)] * context_sparse,
        *[(None,)] * context_sparse,
        *[(one,)] * context_sparse,
        *[concatenate(batch, sizes) for sizes in c.attr("context_dense_shapes")],
        *[(None,)] * context_ragged,
        *[splits] * context_ragged,
        *[(None, two)] * list_sparse,
        *[(None,)] * list_sparse,
        *[(two,)] * list_sparse,
        *[concatenate(concatenate(batch, (None,)), sizes) for sizes in dense],
        *[batch] * (len(dense) if lengths else 0),
        *[(None,)] * list_ragged,
        *[splits] * list_ragged,
        *[(None,)] * list_ragged,
    ]


@shape("ParseSequenceExampleV2")
def parse_sequence_example_v2_shape(c: ShapeContext) -> list[Dims]:
    batch = with_rank_at_most(c.shape(0), 1)
    context_ragged = len(c.attr("context_ragged_value_types"))
    return _shapes(c, batch, context_ragged, len(c.attr("feature_list_ragged_value_types")), True)


@shape("ParseSequenceExample")
def parse_sequence_example_shape(c: ShapeContext) -> list[Dims]:
    return _shapes(c, with_rank(c.shape(0), 1), 0, 0, True)


@shape("ParseSingleSequenceExample")
def parse_single_sequence_example_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return _shapes(c, (), 0, 0, False)
