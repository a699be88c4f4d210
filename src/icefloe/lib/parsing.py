"""Examples, CSV, JSON and raw bytes parsed into tensors."""

from __future__ import annotations

import itertools
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import rank
from icefloe.lib.checks import Assert
from icefloe.lib.control import with_dependencies
from icefloe.lib.math_elementwise import equal
from icefloe.lib.parsing_features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from icefloe.lib.sparse_layout import sparse_merge


def parse_example(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> dict[str, Any]:
    """Return the features of a vector, or of one, of serialized Example messages: tensors and SparseTensors by key.

    features: dict of FixedLenFeature, FixedLenSequenceFeature, VarLenFeature and SparseFeature.

    Raises: ValueError for features that cannot be read.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    features = {key: with_length(feature) for key, feature in features.items()}
    wanted = Wanted(features, [VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature])
    with name_scope(name, "ParseExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, name="serialized")
        inputs = {
            "serialized": serialized,
            "names": [] if example_names is None else example_names,
            "sparse_keys": list(wanted.sparse),
            "dense_keys": list(wanted.dense),
            "ragged_keys": list(wanted.ragged),
            "dense_defaults": wanted.default_tensors(),
        }
        attrs: dict[str, Any] = {
            "num_sparse": len(wanted.sparse),
            "sparse_types": list(wanted.sparse.values()),
            "ragged_value_types": [dtype for dtype, _ in wanted.ragged.values()],
            "ragged_split_types": [dtype for _, dtype in wanted.ragged.values()],
            "dense_shapes": [shape.as_proto() for shape in wanted.shapes],
        }
        indices, values, shapes, dense, flat, splits = apply_op("ParseExampleV2", **inputs, **attrs, name=name)
        sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes)]
        found = dict(zip([*wanted.sparse, *wanted.dense], [*sparse, *dense]))
        if wanted.ragged:
            from icefloe.lib.ragged_features import read_rows

            is_batch = serialized.shape.rank != 0
            rows = [read_rows(*parts, is_batch) for parts in zip(flat, splits)]
            found.update(zip(wanted.ragged, rows))
    return merged_features(features, found)


def with_length(feature: Any) -> Any:
    if not isinstance(feature, FixedLenSequenceFeature):
        return feature
    if not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    return feature._replace(shape=[None, *feature.shape])


def merged_features(features: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors asked for, those of SparseFeatures put together."""
    read = dict(found)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, RaggedFeature):
            from icefloe.lib.ragged_features import ragged_value

            found[key] = ragged_value(key, feature, read)
        elif isinstance(feature, SparseFeature):
            keys = feature.index_key
            ids = found[keys] if isinstance(keys, str) else [found[index_key] for index_key in keys]
            found[key] = sparse_merge(
                ids, found[feature.value_key], vocab_size=feature.size, already_sorted=feature.already_sorted
            )
    return {key: value for key, value in found.items() if key in features}


def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Return what `parse_example` does, of one Example."""
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        serialized = _scalar(convert_to_tensor(serialized, name="serialized"))
        return parse_example(serialized, features, name, example_names)


def _scalar(serialized: Tensor) -> Tensor:
    ndims = serialized.shape.rank
    if ndims == 0:
        return serialized
    message = "Input serialized must be a scalar"
    if ndims is not None:
        raise ValueError(message)
    check = Assert(equal(rank(serialized), 0), [message], name="SerializedIsScalar")
    result: Tensor = with_dependencies([check], serialized, name="serializedDependencies")
    result.set_shape([])
    return result


def _sequence_parts(context_features: Any, sequence_features: Any) -> tuple[Wanted, Wanted]:
    context = Wanted(context_features, [VarLenFeature, FixedLenFeature])
    return context, Wanted(sequence_features, [VarLenFeature, FixedLenSequenceFeature])


def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return (context features, features of the sequences, their lengths) of serialized SequenceExample messages.

    Raises: ValueError for features that cannot be read.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one should have values."
        )
    context, lists = _sequence_parts(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        return _parse_sequence(serialized, example_names, context, lists, name)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (context features, features of the sequences) of one serialized SequenceExample message.

    Raises: ValueError for features that cannot be read.
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    context, lists = _sequence_parts(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        with name_scope(name, "ParseSingleExample", [serialized, example_name]):
            serialized = _scalar(convert_to_tensor(serialized, name="serialized"))
        found, sequences, _ = _parse_sequence(serialized, example_name, context, lists, name)
        return found, sequences


def _parse_sequence(
    serialized: Any, names: Any, context: Wanted, lists: Wanted, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    with name_scope(name, "ParseSequenceExample", [serialized]):
        for key, value in lists.defaults.items():
            if value is not None:
                raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        serialized = convert_to_tensor(serialized, name="serialized")
        inputs = {
            "serialized": serialized,
            "debug_name": [] if names is None else names,
            "context_sparse_keys": list(context.sparse),
            "context_dense_keys": list(context.dense),
            "context_ragged_keys": [],
            "feature_list_sparse_keys": list(lists.sparse),
            "feature_list_dense_keys": list(lists.dense),
            "feature_list_ragged_keys": [],
            "feature_list_dense_missing_assumed_empty": [key in lists.defaults for key in lists.dense],
            "context_dense_defaults": context.default_tensors(),
        }
        attrs: dict[str, Any] = {
            "Ncontext_sparse": len(context.sparse),
            "Nfeature_list_sparse": len(lists.sparse),
            "Nfeature_list_dense": len(lists.dense),
            "context_sparse_types": list(context.sparse.values()),
            "context_ragged_value_types": [],
            "context_ragged_split_types": [],
            "feature_list_dense_types": list(lists.dense.values()),
            "feature_list_sparse_types": list(lists.sparse.values()),
            "feature_list_ragged_value_types": [],
            "feature_list_ragged_split_types": [],
            "context_dense_shapes": [shape.as_proto() for shape in context.shapes],
            "feature_list_dense_shapes": lists.shapes,
        }
        outputs = apply_op("ParseSequenceExampleV2", **inputs, **attrs, name=name)
        found = _by_key(context, outputs[0:3], outputs[3])
        sequences = _by_key(lists, outputs[6:9], outputs[9])
        return found, sequences, dict(zip(lists.dense, outputs[10]))


def _by_key(wanted: Wanted, sparse: Any, dense: Any) -> dict[str, Any]:
    tensors = [SparseTensor(*parts) for parts in zip(*sparse)]
    return dict(zip([*wanted.sparse, *wanted.dense], [*tensors, *dense]))


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """Return the numbers that each string's bytes are, along a new last axis."""
    input_bytes = renamed("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    how: dict[str, Any] = {"out_type": out_type, "little_endian": little_endian}
    return apply_op("DecodeRaw", input_bytes, **how, name=name)


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """Return a tensor for each column of CSV lines, of the dtype of its default in `record_defaults`.

    Raises: ValueError for columns that are not in order or as many as the defaults.
    """
    if select_cols is not None:
        if any(a >= b for a, b in itertools.pairwise(select_cols)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    how: dict[str, Any] = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": [] if select_cols is None else select_cols,
    }
    columns: list[Tensor] = apply_op("DecodeCSV", records, record_defaults, **how, name=name)
    return columns


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Return Example messages in JSON as serialized ones."""
    return apply_op("DecodeJSONExample", json_examples, name=name)


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """Return a tensor as a serialized TensorProto message."""
    return apply_op("SerializeTensor", tensor, name=name)
