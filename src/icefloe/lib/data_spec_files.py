"""The structure of a dataset's elements as a message, which lies beside a saved dataset's elements.

Source: tensorflow/python/saved_model/nested_structure_coder.py, tensorflow/core/protobuf/struct.proto.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import datatypes, errors
from icefloe.graph.type_specs import SparseTensorSpec, TensorSpec, TypeSpec
from icefloe.lib.ragged_spec import RaggedTensorSpec
from icefloe.proto import StructuredValue, TensorShapeProto
from icefloe.shapes import TensorShape, dims_from_proto

# Class of a spec -> its number and name in the message.
_CLASSES: dict[type, tuple[int, str]] = {
    SparseTensorSpec: (1, "SparseTensorSpec"),
    RaggedTensorSpec: (3, "RaggedTensorSpec"),
}


def encode(spec: Any) -> StructuredValue:
    """Return the message of a nest of specs. Raises: UnimplementedError for a leaf it has no word for."""
    found = StructuredValue()
    if spec is None:
        found.none_value.SetInParent()
    elif isinstance(spec, bool):
        found.bool_value = spec
    elif isinstance(spec, int):
        found.int64_value = spec
    elif isinstance(spec, TensorShape):
        found.tensor_shape_value.CopyFrom(spec.as_proto())
    elif isinstance(spec, datatypes.DType):
        found.tensor_dtype_value = spec.as_datatype_enum
    elif isinstance(spec, TensorSpec):
        value = found.tensor_spec_value
        value.shape.CopyFrom(spec.shape.as_proto())
        value.dtype = spec.dtype.as_datatype_enum
        value.name = spec.name or ""
    elif type(spec) in _CLASSES:
        number, name = _CLASSES[type(spec)]
        found.type_spec_value.type_spec_class = number
        found.type_spec_value.type_state.CopyFrom(encode(spec._serialize()))
        found.type_spec_value.type_spec_class_name = name
        found.type_spec_value.num_flat_components = len(spec._component_specs)
    elif isinstance(spec, tuple) and hasattr(spec, "_fields"):
        found.named_tuple_value.name = type(spec).__name__
        for key, part in zip(spec._fields, spec):
            found.named_tuple_value.values.add(key=key).value.CopyFrom(encode(part))
    elif isinstance(spec, tuple):
        found.tuple_value.SetInParent()
        found.tuple_value.values.extend(map(encode, spec))
    elif isinstance(spec, list):
        found.list_value.SetInParent()
        found.list_value.values.extend(map(encode, spec))
    elif isinstance(spec, Mapping):
        found.dict_value.SetInParent()
        for key, part in spec.items():
            found.dict_value.fields[key].CopyFrom(encode(part))
    else:
        raise errors.UnimplementedError(f"the structure of elements cannot be written: {spec!r}")
    return found


def decode(data: bytes, where: str) -> Any:
    """Return the nest of specs of a serialized message. Raises: DataLossError for what is none."""
    message = StructuredValue()
    try:
        message.ParseFromString(data)
        return _decoded(message)
    except (DecodeError, ValueError, TypeError, RecursionError) as error:
        raise errors.DataLossError(f"{where}: not the structure of a dataset's elements: {error}") from error


def _decoded(message: StructuredValue) -> Any:
    kind = message.WhichOneof("kind")
    if kind == "tensor_spec_value":
        value = message.tensor_spec_value
        return TensorSpec(_shape(value.shape), datatypes.as_dtype(value.dtype), value.name or None)
    if kind == "type_spec_value":
        number = message.type_spec_value.type_spec_class
        found = [cls for cls, (known, _) in _CLASSES.items() if known == number]
        if not found:
            raise ValueError(f"elements of kind {message.type_spec_value.type_spec_class_name!r} are not known")
        state = _decoded(message.type_spec_value.type_state)
        made: TypeSpec = found[0](*state)
        return made
    if kind == "tuple_value":
        return tuple(map(_decoded, message.tuple_value.values))
    if kind == "list_value":
        return list(map(_decoded, message.list_value.values))
    if kind == "dict_value":
        return {key: _decoded(value) for key, value in message.dict_value.fields.items()}
    if kind == "named_tuple_value":
        pairs = message.named_tuple_value.values
        return OrderedDict((pair.key, _decoded(pair.value)) for pair in pairs)
    if kind == "tensor_shape_value":
        return _shape(message.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return datatypes.as_dtype(message.tensor_dtype_value)
    if kind in ("int64_value", "bool_value"):
        return getattr(message, kind)
    if kind == "none_value":
        return None
    raise ValueError(f"a value of kind {kind}")


def _shape(message: TensorShapeProto) -> TensorShape:
    return TensorShape(dims_from_proto(message))
