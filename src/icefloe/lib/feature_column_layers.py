"""Feature columns put to use: one dense input, a linear model, what to parse.

Source: tensorflow/python/feature_column/feature_column.py (nodes, names and messages).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.feature_columns import CategoricalColumn, DenseColumn, FeatureBuilder, FeatureColumn
from icefloe.lib.initializers import Zeros
from icefloe.lib.math_elementwise import add_n
from icefloe.lib.math_matrix import matmul
from icefloe.lib.nn_activations import bias_add
from icefloe.lib.nn_embedding import safe_embedding_lookup_sparse
from icefloe.lib.sparse_layout import sparse_reshape
from icefloe.lib.variable_scope import get_variable, get_variable_scope, variable_scope


def _listed(feature_columns: Any) -> list[Any]:
    """Return columns as a list. Raises: ValueError if there is none, or two of one name, or what is no column."""
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Iterator):
        feature_columns = list(feature_columns)
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")  # noqa: TRY004
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(  # noqa: TRY004
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not feature_columns:
        raise ValueError("feature_columns must not be empty.")
    by_name: dict[str, Any] = {}
    for column in feature_columns:
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. This usually "
                "means that these columns refer to same base feature. Either one must be discarded or a duplicated but "
                "renamed item must be inserted in features dict."
            )
        by_name[column.name] = column
    return list(feature_columns)


def _collections(weight_collections: Any) -> list[str]:
    names = list(weight_collections or [])
    for name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if name not in names:
            names.append(name)
    return names


def _check_batches(tensors: list[Any], columns: list[Any]) -> None:
    """Check that all tensors have one batch size. Raises: ValueError if not."""
    first: Any = None
    for tensor, column in zip(tensors, columns):
        size = tensor.shape.as_list()[0] if tensor.shape.ndims else None
        if size is None:
            continue
        if first is None:
            first = (size, column)
        elif size != first[0]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({first[1].name}, {column.name}): ({first[0]}, {size})"
            )


def _flat(column: Any, builder: FeatureBuilder, weight_collections: Any, trainable: bool) -> tuple[Tensor, int]:
    tensor = column.dense_tensor(builder, weight_collections=weight_collections, trainable=trainable)
    count = column.variable_shape.num_elements()
    return reshape(tensor, shape=(shape_of(tensor)[0], count)), count


def input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Tensor:
    """Return the values of dense columns side by side, in the order of their names, [batch, sum of sizes].

    features: tensors by name. cols_to_vars, cols_to_output_tensors: dicts to fill, by column.

    Raises: ValueError for a column that is not dense, or batches of different sizes.
    """
    columns = _listed(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(  # noqa: TRY004
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    names = _collections(weight_collections)
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        builder = FeatureBuilder(features)
        ordered = sorted(columns, key=lambda c: str(c.name))
        outputs = []
        for column in ordered:
            with variable_scope(None, default_name=column.var_scope_name):
                output, _ = _flat(column, builder, names, trainable)
                outputs.append(output)
                if cols_to_vars is not None:
                    scope = get_variable_scope().name
                    cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = output
        _check_batches(outputs, ordered)
        return concat(outputs, 1)


def linear_model(
    features: Any,
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
) -> Tensor:
    """Return the weighted sum of all columns and a bias, [batch, units]; weights start as zeros.

    sparse_combiner: how the ids of an example combine: sum, mean or sqrtn. cols_to_vars: a dict to fill, by column, and
    `bias`.

    Raises: ValueError for a column that is neither dense nor categorical, or batches of different sizes.
    """
    columns = _listed(feature_columns)
    names = _collections(weight_collections)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(  # noqa: TRY004
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    found: dict[Any, Any] = {}

    def weights(name: str, shape: Any) -> Any:
        return get_variable(name, shape=shape, initializer=Zeros(), trainable=trainable, collections=names)

    with variable_scope(None, "linear_model"):
        builder = FeatureBuilder(features)
        ordered = sorted(columns, key=lambda c: str(c.name))
        sums = []
        for column in ordered:
            with variable_scope(None, default_name=column.var_scope_name):
                if isinstance(column, CategoricalColumn):
                    weight = weights("weights", (column.num_buckets, units))
                    total = _sum_of_ids(column, builder, weight, sparse_combiner)
                else:
                    weight = weights("weights", (column.variable_shape.num_elements(), units))
                    tensor, _ = _flat(column, builder, names, trainable)
                    total = matmul(tensor, weight, name="weighted_sum")
                sums.append(total)
                scope = get_variable_scope().name
                found[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=f"{scope}/")
        _check_batches(sums, ordered)
        without_bias = add_n(sums, name="weighted_sum_no_bias")
        bias = weights("bias_weights", [units])
        found["bias"] = [bias] if not hasattr(bias, "_get_variable_list") else list(bias)
        if cols_to_vars is not None:
            cols_to_vars.update(found)
        return bias_add(without_bias, bias, name="weighted_sum")


def _sum_of_ids(column: Any, builder: FeatureBuilder, weight: Any, combiner: str) -> Tensor:
    ids, weights = column.sparse_tensors(builder)
    ids = sparse_reshape(ids, [ids.dense_shape[0], -1])
    if weights is not None:
        weights = sparse_reshape(weights, [weights.dense_shape[0], -1])
    return safe_embedding_lookup_sparse(weight, ids, sparse_weights=weights, combiner=combiner, name="weighted_sum")


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return what `parse_example` needs for these columns. Raises: ValueError if two need one feature differently."""
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(  # noqa: TRY004
                f"All feature_columns must be _FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if key in spec and spec[key] != value:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and {spec[key]}"
                )
            spec[key] = value
    return spec
