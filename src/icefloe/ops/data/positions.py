"""An iterator's position as a variant, so that a Saver can write it to a checkpoint.

The variant has TensorFlow's type name; what it holds is ours: a JSON text of the position's structure, in which tensors
are numbers that count the variant's tensors.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from google.protobuf.message import Message

from icefloe import errors
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.tensor_proto import make_listed_proto, make_ndarray
from icefloe.proto import VariantTensorDataProto
from icefloe.resources.datasets.base import Spec, State
from icefloe.resources.datasets.sources import Elements
from icefloe.resources.variants import Optional, Ragged, TensorVariant

TYPE_NAME = "tensorflow::Iterator"


def to_variant(state: State) -> Any:
    """Return a position as a VariantTensorDataProto.

    Raises: UnimplementedError for an element that holds a variant which has no written form.
    """
    message = VariantTensorDataProto(type_name=TYPE_NAME)
    message.metadata = json.dumps(_encoded(state, message), separators=(",", ":")).encode()
    return message


def from_variant(message: Any) -> State:
    """Return the position in a VariantTensorDataProto. Raises: InvalidArgumentError if it holds none of ours."""
    if not isinstance(message, Message) or getattr(message, "type_name", None) != TYPE_NAME:
        raise errors.InvalidArgumentError("the serialized iterator state is no variant of type " + TYPE_NAME)
    try:
        found = _decoded(json.loads(message.metadata), message)  # type: ignore[attr-defined]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise errors.InvalidArgumentError(f"the serialized iterator state cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise errors.InvalidArgumentError("the serialized iterator state holds no position")
    return found


def _encoded(value: Any, message: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {"fields": {name: _encoded(v, message) for name, v in value.items()}}
    if isinstance(value, tuple):
        return {"element": [_encoded(v, message) for v in value]}
    if isinstance(value, list):
        return [_encoded(v, message) for v in value]
    if isinstance(value, bytes):
        value = np.array(value, object)
    if isinstance(value, (np.ndarray, np.generic)):
        return _encoded_tensor(np.asarray(value), message)
    if isinstance(value, Ragged):
        parts = [*value.splits, value.values]
        return {"ragged": [_encoded(v, message) for v in parts], "dtype": value.dtype.name}
    if isinstance(value, TensorVariant):
        return {"boxed": _encoded(value.value, message)}
    if isinstance(value, Optional):
        present = None if value.components is None else [_encoded(v, message) for v in value.components]
        return {"optional": present, "dtypes": [d.name for d in value.dtypes]}
    if isinstance(value, Elements):
        elements = [_encoded(tuple(e), message) for e in value.elements]
        dtypes = [d.name for d in value.spec.dtypes]
        return {"elements": elements, "dtypes": dtypes, "shapes": [_listed(s) for s in value.spec.shapes]}
    raise errors.UnimplementedError(
        f"the position of this iterator cannot be saved: an element that it holds has a {type(value).__name__} in it"
    )


def _listed(shape: Any) -> Any:
    return None if shape is None else list(shape)


def _encoded_tensor(array: np.ndarray, message: Any) -> Any:
    if array.dtype.hasobject and not all(isinstance(item, bytes) for item in array.reshape(-1).tolist()):
        items = [_encoded(item, message) for item in array.reshape(-1).tolist()]
        return {"variants": items, "shape": list(array.shape)}
    dtype = as_dtype("string") if array.dtype.hasobject else as_dtype(array.dtype)
    message.tensors.append(make_listed_proto(array, dtype))
    return {"tensor": len(message.tensors) - 1}


def _decoded(value: Any, message: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(v, message) for v in value]
    if not isinstance(value, dict):
        return value
    if "fields" in value:
        return {name: _decoded(v, message) for name, v in value["fields"].items()}
    if "element" in value:
        return tuple([_decoded(v, message) for v in value["element"]])
    if "tensor" in value:
        array = make_ndarray(message.tensors[value["tensor"]])
        return array[()] if array.ndim == 0 and not array.dtype.hasobject else array
    if "variants" in value:
        return _decoded_variants(value, message)
    if "boxed" in value:
        return TensorVariant(np.asarray(_decoded(value["boxed"], message)))
    if "ragged" in value:
        *splits, values = [_decoded(v, message) for v in value["ragged"]]
        return Ragged(tuple(splits), values, as_dtype(value["dtype"]))
    dtypes: tuple[DType, ...] = tuple([as_dtype(name) for name in value["dtypes"]])
    if "optional" in value:
        parts = value["optional"]
        return Optional(None if parts is None else tuple([_decoded(v, message) for v in parts]), dtypes)
    shapes = tuple([None if s is None else tuple(s) for s in value["shapes"]])
    return Elements([_decoded(v, message) for v in value["elements"]], Spec(dtypes, shapes))


def _decoded_variants(value: Any, message: Any) -> np.ndarray:
    items = [_decoded(v, message) for v in value["variants"]]
    array = np.empty(len(items), object)
    for i, item in enumerate(items):
        array[i] = item
    return array.reshape(value["shape"])
