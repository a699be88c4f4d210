"""TensorFlow.js models: `model.json` with its files of weights, as a graph.

    graph = icefloe.load_graph("web_model/")            or "web_model/model.json"

A graph model holds a GraphDef as JSON whose constants, in library functions too, have their values in the files of
weights. A layers model holds the configuration of a Keras model; see `importers.keras`. What TensorFlow.js calls
otherwise than TensorFlow gets TensorFlow's name.

Source: tfjs-converter (fields of model.json).
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from google.protobuf import json_format

from icefloe import errors
from icefloe.datatypes import as_dtype
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.importers.tfjs_weights import inline_weights, read_weights
from icefloe.proto import POOL, GraphDef, NodeDef, SignatureDef

_MOST_JSON = 1 << 30
# What TensorFlow.js calls an op -> TensorFlow's name.
_NAMES = {"FusedDepthwiseConv2dNative": "_FusedDepthwiseConv2dNative"}


def load(path: str) -> Graph:
    """Return the graph of a model.json, or of the directory that holds one.

    Raises: NotFoundError if it or files of weights are missing; DataLossError if it is damaged; InvalidArgumentError if
    it is no model of TensorFlow.js, or a layers model with layers that are not known.
    """
    if os.path.isdir(path):
        path = os.path.join(path, "model.json")
    try:
        return from_json(read_json(path), os.path.dirname(path) or ".")
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def read_json(path: str) -> dict[str, Any]:
    """Return the object in a JSON file. Raises: NotFoundError; DataLossError if it is none."""
    try:
        if os.path.getsize(path) > _MOST_JSON:
            raise errors.InvalidArgumentError(f"a model.json of over {_MOST_JSON:,} bytes is not read")
        with open(path, "rb") as file:
            data = json.loads(file.read())
    except FileNotFoundError:
        raise errors.NotFoundError("no such file") from None
    except OSError as error:
        raise errors.UnknownError(f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise errors.DataLossError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise errors.DataLossError(f"expected a JSON object, got {type(data).__name__}")
    return data


def from_json(data: dict[str, Any], directory: str) -> Graph:
    """Return the graph of a model.json that was read. Raises: as `load`."""
    topology = data.get("modelTopology")
    if not isinstance(topology, dict):
        raise errors.InvalidArgumentError("not a model of TensorFlow.js: there is no modelTopology")
    if "weightSpecs" in data and "weightsManifest" not in data:
        weights = inline_weights(data["weightSpecs"], data.get("weightData", ""))
    else:
        weights = read_weights(directory, data.get("weightsManifest") or [])
    if "node" not in topology:
        from icefloe.importers.keras.model import from_tfjs

        return from_tfjs(topology, weights)
    definition = _graph_def(topology)
    start = data.get("modelInitializer")
    if isinstance(start, dict) and start.get("node"):
        _add_start(definition, _graph_def(start))
    _place_weights(definition, weights)
    graph = read_graph(definition)
    for op in graph.get_operations():
        if op.type.startswith(("InitializeTable", "LookupTableImport")):
            graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
    signature = _signature(data)
    if signature is not None:
        graph.signature_defs["serving_default"] = signature
    return graph


def _graph_def(topology: dict[str, Any]) -> GraphDef:
    try:
        definition = json_format.ParseDict(
            topology, GraphDef(), ignore_unknown_fields=True, descriptor_pool=POOL, max_recursion_depth=100
        )
    except (json_format.ParseError, RecursionError, ValueError, TypeError) as error:
        raise errors.DataLossError(f"modelTopology is no GraphDef: {str(error)[:300]}") from None
    for node in _all_nodes(definition):
        if node.op in _NAMES:
            node.op = _NAMES[node.op]
            if "explicit_paddings" in node.attr:
                del node.attr["explicit_paddings"]
        if node.op == "_FusedConv2D" and "TArgs" not in node.attr:  # older converters left it out
            count = min(max(node.attr["num_args"].i if "num_args" in node.attr else 0, 0), len(node.input))
            node.attr["TArgs"].list.type.extend([_attr_type(node, "T")] * count)
    return definition


def _add_start(definition: GraphDef, start: GraphDef) -> None:
    """Add the nodes that fill tables, which a model.json holds apart, and their functions."""
    known = {node.name for node in definition.node}
    definition.node.extend(node for node in start.node if node.name not in known)
    functions = {function.signature.name for function in definition.library.function}
    definition.library.function.extend(f for f in start.library.function if f.signature.name not in functions)


def _all_nodes(definition: GraphDef) -> list[NodeDef]:
    return [*definition.node, *(node for function in definition.library.function for node in function.node_def)]


def _place_weights(definition: GraphDef, weights: dict[str, np.ndarray]) -> None:
    """Give constants their values. Raises: DataLossError if one has none."""
    empty = []
    for node in _all_nodes(definition):
        if node.op != "Const":
            continue
        value = weights.get(node.name)
        number = _attr_type(node, "dtype")
        if value is None:
            if "value" not in node.attr or not node.attr["value"].tensor.dtype or _lacks_content(node):
                empty.append(node.name)
            continue
        try:
            _give_value(node, number, value)
        except (TypeError, ValueError, OverflowError) as error:
            raise errors.DataLossError(f"constant {node.name!r} does not fit its weight: {str(error)[:200]}") from None
    if empty:
        shown = ", ".join(empty[:5]) + (", ..." if len(empty) > 5 else "")
        raise errors.DataLossError(f"{len(empty)} constants have no value in the files of weights: {shown}")


def _give_value(node: NodeDef, number: int, value: np.ndarray) -> None:
    """Give a constant its value. number: the DataType it says it has. Raises: TypeError, ValueError if they differ."""
    dtype = as_dtype(number or ("string" if value.dtype == object else value.dtype))
    if (dtype.name == "string") != (value.dtype == object):
        raise TypeError(f"it is of dtype {dtype.name}, the weight of {value.dtype}")
    if dtype.name not in ("string", value.dtype.name):
        with np.errstate(invalid="ignore", over="ignore"):
            value = value.astype(dtype.as_numpy_dtype)
    node.attr["dtype"].type = dtype.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype=dtype, shape=value.shape))


def _attr_type(node: NodeDef, name: str) -> int:
    """Return the DataType number in an attr of a node, 0 where it has none."""
    return node.attr[name].type if name in node.attr else 0


def _lacks_content(node: NodeDef) -> bool:
    """Whether a constant has a shape with elements and no value for them."""
    tensor = node.attr["value"].tensor
    if any(dim.size == 0 for dim in tensor.tensor_shape.dim) or tensor.tensor_content:
        return False
    fields = {field.name for field, _ in tensor.ListFields()}
    return not fields - {"dtype", "tensor_shape", "version_number"}


def _signature(data: dict[str, Any]) -> SignatureDef | None:
    """Return the signature that a model.json holds, at its top or in its metadata."""
    metadata = data.get("userDefinedMetadata")
    found = data.get("signature") or (metadata.get("signature") if isinstance(metadata, dict) else None)
    if not isinstance(found, dict):
        return None
    try:
        return json_format.ParseDict(found, SignatureDef(), ignore_unknown_fields=True, descriptor_pool=POOL)
    except (json_format.ParseError, RecursionError, ValueError, TypeError) as error:
        raise errors.DataLossError(f"the signature is none: {str(error)[:300]}") from None
