"""Dense feature columns of numbers: as they are, in buckets, as indicators of ids, in sequences.

Source: tensorflow/python/feature_column/feature_column.py, feature_column_v2.py (nodes, names and messages).
"""

from __future__ import annotations

import collections
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import one_hot
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import expand_dims, reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.feature_column_ids import SequenceCategoricalColumn
from icefloe.lib.feature_columns import (
    CategoricalColumn,
    DenseColumn,
    FeatureBuilder,
    FeatureColumn,
    IdWeightPair,
    TensorSequenceLengthPair,
    sequence_length,
)
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range as range_of
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.parsing_features import FixedLenFeature, VarLenFeature
from icefloe.lib.sparse_convert import sparse_tensor_to_dense
from icefloe.lib.sparse_layout import sparse_merge, sparse_slice
from icefloe.shapes import TensorShape


class NumericColumn(
    DenseColumn, collections.namedtuple("NumericColumn", "key shape default_value dtype normalizer_fn")
):
    """Numbers as they are, or as `normalizer_fn` makes them."""

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform(self, inputs: FeatureBuilder) -> Any:
        tensor = inputs.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError(  # noqa: TRY004
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                f"{self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return cast(tensor, datatypes.float32)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        tensor: Tensor = inputs.get(self)
        return tensor


class BucketizedColumn(
    DenseColumn, CategoricalColumn, collections.namedtuple("BucketizedColumn", "source_column boundaries")
):
    """The intervals between boundaries that numbers are in."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.source_column.parse_example_spec
        return spec

    def transform(self, inputs: FeatureBuilder) -> Any:
        return apply_op("Bucketize", inputs.get(self.source_column), boundaries=list(self.boundaries))

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        ids = cast(inputs.get(self), datatypes.int64)
        return one_hot(indices=ids, depth=len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    @property
    def num_buckets(self) -> int:
        return (len(self.boundaries) + 1) * int(self.source_column.shape[0])

    def sparse_tensors(self, inputs: FeatureBuilder) -> IdWeightPair:
        buckets = inputs.get(self)
        batch = shape_of(buckets)[0]
        width = self.source_column.shape[0]
        rows = reshape(apply_op("Tile", expand_dims(range_of(0, batch), 1), [1, width]), (-1,))
        columns = apply_op("Tile", range_of(0, width), [batch])
        ids = reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * columns
        indices = cast(transpose(stack((rows, columns))), datatypes.int64)
        sizes = cast(stack([batch, width]), datatypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, sizes), None)


class IndicatorColumn(DenseColumn, collections.namedtuple("IndicatorColumn", "categorical_column")):
    """How often each id occurs, or the sums of its weights."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform(self, inputs: FeatureBuilder) -> Any:
        ids, weights = self.categorical_column.sparse_tensors(inputs)
        size = int(self.categorical_column.num_buckets)
        if weights is not None:
            merged = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=size)
            merged = sparse_slice(merged, [0, 0], merged.dense_shape)
            return apply_op("ScatterNd", merged.indices, merged.values, merged.dense_shape)
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        return reduce_sum(one_hot(dense, depth=size, on_value=1.0, off_value=0.0), axis=[-2])

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        check_no_sequence(self, "indicator_column")
        tensor: Tensor = inputs.get(self)
        return tensor


class SequenceNumericColumn(
    FeatureColumn, collections.namedtuple("SequenceNumericColumn", "key shape default_value dtype normalizer_fn")
):
    """Numbers that form a sequence."""

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, inputs: FeatureBuilder) -> Any:
        tensor = inputs.get(self.key)
        return tensor if self.normalizer_fn is None else self.normalizer_fn(tensor)

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one step's values."""
        return TensorShape(self.shape)

    def sequence_tensor(self, inputs: FeatureBuilder) -> TensorSequenceLengthPair:
        """Return the values, [batch, steps, *variable_shape], and how many steps there are."""
        sparse = inputs.get(self)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        sizes = concat([shape_of(dense)[:1], [-1], list(self.shape)], axis=0)
        flat = sparse.shape.ndims == 2
        count = self.variable_shape.num_elements() if flat else 1
        return TensorSequenceLengthPair(reshape(dense, sizes), sequence_length(sparse, count or 1))


def check_no_sequence(column: Any, what: str) -> None:
    """Check that a dense column is not of a sequence. Raises: ValueError if it is."""
    inner = column.categorical_column
    if isinstance(inner, SequenceCategoricalColumn):
        raise ValueError(  # noqa: TRY004
            f"In {what}: {column.name}. categorical_column must not be of type _SequenceCategoricalColumn. Suggested "
            "fix A: If you wish to use DenseFeatures, use a non-sequence categorical_column_with_*. Suggested fix B: "
            "If you wish to create sequence input, use SequenceFeatures instead of DenseFeatures. Given (type "
            f"{type(inner)}): {inner}"
        )
