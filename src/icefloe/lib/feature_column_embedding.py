"""Embeddings of categorical columns, alone or shared.

Source: tensorflow/python/feature_column/feature_column.py, feature_column_v2.py (nodes, names and messages).
"""

from __future__ import annotations

import collections
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import add_to_collection, get_collection, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.feature_column_numbers import check_no_sequence
from icefloe.lib.feature_columns import DenseColumn, FeatureBuilder
from icefloe.lib.nn_embedding import embedding_lookup_sparse, safe_embedding_lookup_sparse
from icefloe.lib.variable_scope import get_variable
from icefloe.shapes import TensorShape


class _Embedding(DenseColumn):
    __slots__ = ()

    categorical_column: Any
    dimension: Any
    combiner: Any
    initializer: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: Any
    max_norm: Any
    trainable: Any
    use_safe_embedding_lookup: Any

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    def transform(self, inputs: FeatureBuilder) -> Any:
        return inputs.get(self.categorical_column)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _table(self, weight_collections: Any, trainable: bool) -> Any:
        """Return a variable of the embeddings; it starts as a checkpoint has it, if one is named."""
        initializer = self.initializer
        if self.ckpt_to_load_from is not None:
            initializer = self._stored
        return get_variable(
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=datatypes.float32,
            initializer=initializer,
            trainable=self.trainable and trainable,
            collections=weight_collections,
        )

    def _stored(self, shape: Any, dtype: Any = datatypes.float32, partition_info: Any = None) -> Any:
        piece = ""
        if partition_info is not None:
            ranges = zip(partition_info.var_offset, shape)
            whole = " ".join(str(n) for n in partition_info.full_shape)
            piece = f"{whole} " + ":".join(f"{start},{size}" for start, size in ranges)
        dtype = datatypes.as_dtype(dtype)
        (value,) = apply_op("RestoreV2", self.ckpt_to_load_from, [self.tensor_name_in_ckpt], [piece], dtypes=[dtype])
        value.set_shape(shape)
        return value

    def _combined(self, pair: Any, table: Any) -> Tensor:
        ids, weights = pair
        ndims = ids.dense_shape.shape.as_list()[0] if ids.dense_shape.shape.ndims else None
        plain = not self.use_safe_embedding_lookup and ndims is not None and ndims <= 2
        how = {"combiner": self.combiner, "name": f"{self.name}_weights", "max_norm": self.max_norm}
        if plain:
            return embedding_lookup_sparse(table, ids, weights, partition_strategy="div", **how)
        return safe_embedding_lookup_sparse(table, ids, weights, **how)


class EmbeddingColumn(
    _Embedding,
    collections.namedtuple(
        "EmbeddingColumn",
        "categorical_column dimension combiner initializer ckpt_to_load_from tensor_name_in_ckpt max_norm trainable "
        "use_safe_embedding_lookup",
    ),
):
    """The combined embeddings of ids."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        check_no_sequence(self, "embedding_column")
        pair = self.categorical_column.sparse_tensors(inputs)
        if weight_collections and GraphKeys.GLOBAL_VARIABLES not in weight_collections:
            weight_collections.append(GraphKeys.GLOBAL_VARIABLES)
        return self._combined(pair, self._table(weight_collections, trainable))


class SharedEmbeddingColumn(
    _Embedding,
    collections.namedtuple(
        "SharedEmbeddingColumn",
        "categorical_column dimension combiner initializer shared_embedding_collection_name ckpt_to_load_from "
        "tensor_name_in_ckpt max_norm trainable use_safe_embedding_lookup",
    ),
):
    """The combined embeddings of ids, from a table that several columns share through a collection."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def var_scope_name(self) -> str:
        return str(self.shared_embedding_collection_name)

    def dense_tensor(self, inputs: FeatureBuilder, weight_collections: Any = None, trainable: bool = True) -> Tensor:
        check_no_sequence(self, "embedding_column")
        with name_scope(None, self.name):
            pair = self.categorical_column.sparse_tensors(inputs)
            return self._combined(pair, self._shared(weight_collections, trainable))

    def _shared(self, weight_collections: Any, trainable: bool) -> Any:
        collection = self.shared_embedding_collection_name
        found = get_collection(collection)
        advice = (
            "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to "
            "this collection. The feature_column library already adds a variable under the hood."
        )
        if not found:
            table = self._table(weight_collections, trainable)
            add_to_collection(collection, table)
            return table
        if len(found) > 1:
            raise ValueError(f"Collection {found} can only contain one variable. {advice}")
        shape = (self.categorical_column.num_buckets, self.dimension)
        if found[0].shape != TensorShape(shape):
            raise ValueError(
                f"Shared embedding collection {collection} contains variable {found[0].name} of unexpected shape "
                f"{found[0].shape}. Expected shape is {shape}. {advice}"
            )
        return found[0]
