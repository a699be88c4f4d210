"""Feature columns: how raw features become numbers, and what of an Example they need.

A column is made by one of the functions of `feature_column_making`; `FeatureBuilder` works out each feature and column
once. Dense columns give tensors, categorical ones ids, perhaps with weights, as SparseTensors.

Source: tensorflow/python/feature_column/feature_column.py, feature_column_v2.py (nodes, names and messages).
"""

from __future__ import annotations

import collections
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib.array_create import fill, one_hot, ones_like, zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather_nd, where
from icefloe.lib.array_shape import expand_dims, rank, reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.lookup_vocabulary import index_table_from_file, index_table_from_tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range as range_of
from icefloe.lib.math_reduce import reduce_prod, reduce_sum
from icefloe.lib.parsing_features import FixedLenFeature, VarLenFeature
from icefloe.lib.sparse_arithmetic import sparse_cross_hashed
from icefloe.lib.sparse_convert import sparse_tensor_to_dense
from icefloe.lib.sparse_layout import sparse_merge, sparse_reshape, sparse_slice
from icefloe.shapes import TensorShape

IdWeightPair = collections.namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])
TensorSequenceLengthPair = collections.namedtuple("TensorSequenceLengthPair", ["dense_tensor", "sequence_length"])


class FeatureColumn:
    """One of the columns below."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name: that of the feature, with what is done to it."""
        raise NotImplementedError

    @property
    def var_scope_name(self) -> str:
        """The name of the scope of its variables."""
        return self.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What of an Example it needs: feature names and how to parse them."""
        raise NotImplementedError

    _parse_example_spec = parse_example_spec

    def transform(self, inputs: FeatureBuilder) -> Any:
        """Return the feature, transformed."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that gives a tensor."""

    __slots__ = ()

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one example's values."""
        raise NotImplementedError

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        """Return the values, [batch, *variable_shape]."""
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column that gives ids."""

    __slots__ = ()

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        raise NotImplementedError

    def sparse_tensors(self, inputs: FeatureBuilder) -> IdWeightPair:
        """Return the ids and their weights, or None for these."""
        return IdWeightPair(inputs.get(self), None)


class FeatureBuilder:
    """The features of a batch by name; each is converted, and each column worked out, once."""

    def __init__(self, features: Any) -> None:
        self._features = dict(features)
        self._found: dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """Return a feature by its name or what a column makes of it. Raises: ValueError, TypeError if there is none."""
        if key not in self._found:
            if key in self._features:
                self._found[key] = self._raw(key)
            elif isinstance(key, str):
                raise ValueError(f"Feature {key} is not in features dictionary.")
            elif not isinstance(key, FeatureColumn):
                raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
            else:
                self._found[key] = key.transform(self)
        return self._found[key]

    def _raw(self, key: Any) -> Any:
        tensor = convert_to_tensor_or_sparse_tensor(self._features[key])
        said = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"

        def column(value: Any) -> Any:
            if isinstance(value, SparseTensor):
                return sparse_reshape(value, [value.dense_shape[0], 1])
            return expand_dims(value, -1)

        ndims = tensor.shape.ndims
        if ndims == 0:
            raise ValueError(said)
        if ndims is not None:
            return column(tensor) if ndims == 1 else tensor
        with control_dependencies([checks.assert_positive(rank(tensor), message=said)]):
            vector = math_elementwise.equal(1, rank(tensor))
            return cond(vector, lambda: column(tensor), lambda: tensor)


def as_sparse_ids(tensor: Any, ignore_value: Any = None) -> SparseTensor:
    """Return a tensor's elements as a SparseTensor, without empty strings, -1 or what is to be ignored."""
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", (tensor, ignore_value)):
        if ignore_value is None:
            if tensor.dtype == datatypes.string:
                ignore_value = ""
            else:
                ignore_value = -1 if tensor.dtype.is_integer else tensor.dtype.as_numpy_dtype()
        ignored = cast(ignore_value, tensor.dtype, name="ignore_value")
        indices = where(math_elementwise.not_equal(tensor, ignored), name="indices")
        values = gather_nd(tensor, indices, name="values")
        return SparseTensor(indices, values, shape_of(tensor, out_type=datatypes.int64, name="dense_shape"))


def sequence_length(sparse: SparseTensor, num_elements: int = 1) -> Tensor:
    """Return how many steps each row of a SparseTensor has, 0 for rows without values."""
    with name_scope(None, "sequence_length") as scope:
        rows, columns = sparse.indices[:, 0], sparse.indices[:, 1]
        columns = columns + ones_like(columns)
        longest = apply_op("SegmentMax", columns, rows)
        steps = cast(math_elementwise.ceil(longest / num_elements), datatypes.int64)
        missing = sparse.dense_shape[:1] - shape_of(steps, out_type=datatypes.int64)[:1]
        return concat([steps, zeros(missing, dtype=steps.dtype)], axis=0, name=scope)


def check_string_or_int(dtype: Any, prefix: str) -> None:
    """Check that ids can be made of a dtype. Raises: ValueError if not."""
    if dtype != datatypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


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
