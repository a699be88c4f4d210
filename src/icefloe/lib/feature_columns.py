"""Feature columns: how raw features become numbers, and what of an Example they need.

A column is made by one of the functions of `feature_column_making`; `FeatureBuilder` works out each feature and column
once. Dense columns (`feature_column_numbers`, `feature_column_embedding`) give tensors, categorical ones
(`feature_column_ids`) ids, perhaps with weights, as SparseTensors.

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
from icefloe.lib.array_create import ones_like, zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather_nd, where
from icefloe.lib.array_shape import expand_dims, rank
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.sparse_layout import sparse_reshape
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
