"""Categorical feature columns: ids by hash, vocabulary or as they are, with weights, crossed, in sequences.

Source: tensorflow/python/feature_column/feature_column.py, feature_column_v2.py (nodes, names and messages).
"""

from __future__ import annotations

import collections
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from icefloe.lib.array_create import fill
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.feature_columns import (
    CategoricalColumn,
    FeatureBuilder,
    FeatureColumn,
    IdWeightPair,
    as_sparse_ids,
    check_string_or_int,
)
from icefloe.lib.lookup_vocabulary import index_table_from_file, index_table_from_tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_prod
from icefloe.lib.parsing_features import VarLenFeature
from icefloe.lib.sparse_arithmetic import sparse_cross_hashed
from icefloe.lib.sparse_layout import sparse_reshape


class _KeyedIds(CategoricalColumn):
    """A categorical column of one feature."""

    __slots__ = ()

    key: Any
    dtype: Any

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def _ids(self, inputs: FeatureBuilder) -> SparseTensor:
        """Return the feature as a SparseTensor. Raises: ValueError if its dtype does not fit."""
        sparse = as_sparse_ids(inputs.get(self.key))
        prefix = f"column_name: {self.key} input_tensor"
        if self.dtype.is_integer != sparse.dtype.is_integer:
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: "
                f"{self.dtype}, tensor dtype: {sparse.dtype}"
            )
        check_string_or_int(sparse.dtype, prefix)
        return sparse


class HashedCategoricalColumn(
    _KeyedIds, collections.namedtuple("HashedCategoricalColumn", "key hash_bucket_size dtype")
):
    """Hashes of strings or integers."""

    def transform(self, inputs: FeatureBuilder) -> Any:
        sparse = self._ids(inputs)
        texts = sparse.values if self.dtype == datatypes.string else apply_op("AsString", sparse.values)
        ids = apply_op("StringToHashBucketFast", texts, num_buckets=self.hash_bucket_size, name="lookup")
        return SparseTensor(sparse.indices, ids, sparse.dense_shape)

    @property
    def num_buckets(self) -> int:
        return int(self.hash_bucket_size)


class _Vocabulary(_KeyedIds):
    __slots__ = ()

    def _table(self, key_dtype: Any) -> Any:
        raise NotImplementedError

    def transform(self, inputs: FeatureBuilder) -> Any:
        sparse = self._ids(inputs)
        key_dtype = self.dtype
        if sparse.dtype.is_integer:
            key_dtype = datatypes.int64
            sparse = cast(sparse, datatypes.int64)
        return self._table(key_dtype).lookup(sparse)


class VocabularyFileCategoricalColumn(
    _Vocabulary,
    collections.namedtuple(
        "VocabularyFileCategoricalColumn",
        "key vocabulary_file vocabulary_size num_oov_buckets dtype default_value file_format",
        defaults=(None,),
    ),
):
    """The lines of a file that words are in."""

    def _table(self, key_dtype: Any) -> Any:
        return index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    @property
    def num_buckets(self) -> int:
        return int(self.vocabulary_size + self.num_oov_buckets)


class VocabularyListCategoricalColumn(
    _Vocabulary,
    collections.namedtuple(
        "VocabularyListCategoricalColumn", "key vocabulary_list dtype default_value num_oov_buckets"
    ),
):
    """The places of words in a list."""

    def _table(self, key_dtype: Any) -> Any:
        return index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list),
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + int(self.num_oov_buckets)


class IdentityCategoricalColumn(
    CategoricalColumn, collections.namedtuple("IdentityCategoricalColumn", "key number_buckets default_value")
):
    """Integers that are ids already; those out of range become `default_value`, or fail later."""

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(datatypes.int64)}

    def transform(self, inputs: FeatureBuilder) -> Any:
        sparse = as_sparse_ids(inputs.get(self.key))
        if not sparse.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {sparse.dtype}")
        values = sparse.values
        if values.dtype != datatypes.int64:
            values = cast(values, datatypes.int64, name="values")
        if self.default_value is not None:
            count = cast(self.number_buckets, datatypes.int64, name="num_buckets")
            zero = cast(0, datatypes.int64, name="zero")
            outside = apply_op("LogicalOr", values < zero, values >= count, name="out_of_range")
            default = fill(shape_of(values), cast(self.default_value, datatypes.int64), name="default_values")
            values = where(outside, default, values)
        return SparseTensor(sparse.indices, values, sparse.dense_shape)

    @property
    def num_buckets(self) -> int:
        return int(self.number_buckets)


class WeightedCategoricalColumn(
    CategoricalColumn,
    collections.namedtuple("WeightedCategoricalColumn", "categorical_column weight_feature_key dtype"),
):
    """Ids with weights that are a feature of their own."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in spec:
            raise ValueError(f"Parse config {spec[key]} already exists for {key}.")
        spec[key] = VarLenFeature(self.dtype)
        return spec

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def transform(self, inputs: FeatureBuilder) -> Any:
        weights = convert_to_tensor_or_sparse_tensor(inputs.get(self.weight_feature_key))
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        if not isinstance(weights, SparseTensor):
            weights = as_sparse_ids(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = cast(weights, datatypes.float32)
        return inputs.get(self.categorical_column), weights

    def sparse_tensors(self, inputs: FeatureBuilder) -> IdWeightPair:
        return IdWeightPair(*inputs.get(self))


class CrossedColumn(CategoricalColumn, collections.namedtuple("CrossedColumn", "keys hash_bucket_size hash_key")):
    """Hashes of combinations of features or of other columns."""

    def _leaves(self) -> list[Any]:
        found: list[Any] = []
        for key in self.keys:
            found.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return found

    @property
    def name(self) -> str:
        names = [key.name if isinstance(key, FeatureColumn) else key for key in self._leaves()]
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            if isinstance(key, FeatureColumn):
                spec.update(key.parse_example_spec)
            else:
                spec[key] = VarLenFeature(datatypes.string)
        return spec

    def transform(self, inputs: FeatureBuilder) -> Any:
        tensors = []
        for key in self._leaves():
            if isinstance(key, CategoricalColumn):
                pair = key.sparse_tensors(inputs)
                if pair.weight_tensor is not None:
                    raise ValueError(
                        "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                        f"Given column: {key.name}"
                    )
                tensors.append(pair.id_tensor)
            else:
                tensors.append(inputs.get(key))
        return sparse_cross_hashed(tensors, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)

    @property
    def num_buckets(self) -> int:
        return int(self.hash_bucket_size)


class SequenceCategoricalColumn(
    CategoricalColumn, collections.namedtuple("SequenceCategoricalColumn", "categorical_column")
):
    """Ids that form a sequence."""

    @property
    def name(self) -> str:
        return str(self.categorical_column.name)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    def transform(self, inputs: FeatureBuilder) -> Any:
        return self.categorical_column.transform(inputs)

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def sparse_tensors(self, inputs: FeatureBuilder) -> IdWeightPair:
        ids, weights = self.categorical_column.sparse_tensors(inputs)
        sizes = ids.dense_shape
        wanted = [sizes[0], sizes[1], reduce_prod(sizes[2:])]
        ids = sparse_reshape(ids, wanted)
        return IdWeightPair(ids, None if weights is None else sparse_reshape(weights, wanted))
