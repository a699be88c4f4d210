"""Specs, dtypes and shapes as the messages that saved models hold of them.

Source: tensorflow/core/protobuf/struct.proto, tensorflow/python/saved_model/nested_structure_coder.py.
"""

from __future__ import annotations

import re
from typing import Any

from icefloe import datatypes, errors
from icefloe.proto import SerializedDType, StructuredValue, TensorSpecProto, TypeSpecProto
from icefloe.shapes import TensorShape, dims_from_proto

# The classes that a TypeSpecProto names by number; others go by their name.
_NUMBERED = {
    "SparseTensorSpec": "SPARSE_TENSOR_SPEC",
    "IndexedSlicesSpec": "INDEXED_SLICES_SPEC",
    "RaggedTensorSpec": "RAGGED_TENSOR_SPEC",
    "TensorArraySpec": "TENSOR_ARRAY_SPEC",
    "DatasetSpec": "DATA_DATASET_SPEC",
    "IteratorSpec": "DATA_ITERATOR_SPEC",
    "OptionalSpec": "OPTIONAL_SPEC",
}


def dtype_to_proto(dtype: datatypes.DType) -> Any:
    """Return a SerializedDType."""
    return SerializedDType(datatype=dtype.as_datatype_enum)


def dtype_from_proto(proto: Any) -> datatypes.DType:
    """Return the dtype of a SerializedDType."""
    return datatypes.as_dtype(proto.datatype)


# `datatypes` is below the messages, so that its class gets these here.
for _name, _member in (
    ("experimental_as_proto", dtype_to_proto),
    ("experimental_from_proto", staticmethod(dtype_from_proto)),
    ("experimental_type_proto", staticmethod(lambda: SerializedDType)),
):
    setattr(datatypes.DType, _name, _member)


def tensor_spec_to_proto(spec: Any) -> Any:
    """Return a TensorSpecProto."""
    dtype = spec.dtype.as_datatype_enum
    return TensorSpecProto(name=spec.name or "", shape=spec.shape.as_proto(), dtype=dtype)


def spec_to_proto(spec: Any) -> Any:
    """Return a TypeSpecProto. Raises: UnimplementedError if the spec knows what the message has no place for."""
    name = type(spec).__name__
    number = _NUMBERED.get(name)
    proto = TypeSpecProto(
        type_spec_class=number or "REGISTERED_TYPE_SPEC",
        type_spec_class_name=name if number else f"tf.{name}",
        num_flat_components=len(spec.flatten()),
    )
    proto.type_state.tuple_value.SetInParent()
    for value in spec._serialize():
        proto.type_state.tuple_value.values.append(_encoded(value))
    return proto


def _encoded(value: Any) -> Any:
    made = StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, datatypes.DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif hasattr(value, "_component_specs"):
        if type(value).__name__ == "TensorSpec":
            made.tensor_spec_value.CopyFrom(tensor_spec_to_proto(value))
        else:
            made.type_spec_value.CopyFrom(spec_to_proto(value))
    else:
        raise errors.UnimplementedError(f"a spec that knows {value!r} has no message")
    return made


def spec_class_name(proto: Any) -> str:
    """Return the name of the class of a TypeSpecProto."""
    return re.sub(r"^.*\.", "", str(proto.type_spec_class_name))


def spec_state(proto: Any, classes: Any) -> list[Any]:
    """Return what a TypeSpecProto says, as arguments of its class. classes: the spec classes by name."""
    return [_decoded(value, classes) for value in proto.type_state.tuple_value.values]


def _decoded(value: Any, classes: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "tensor_shape_value":
        return TensorShape(dims_from_proto(value.tensor_shape_value))
    if kind == "tensor_dtype_value":
        return datatypes.as_dtype(value.tensor_dtype_value)
    if kind in ("bool_value", "int64_value"):
        return getattr(value, kind)
    if kind == "tensor_spec_value":
        return classes["TensorSpec"].experimental_from_proto(value.tensor_spec_value)
    if kind == "type_spec_value":
        return classes[spec_class_name(value.type_spec_value)].experimental_from_proto(value.type_spec_value)
    if kind in (None, "none_value"):
        return None
    raise errors.UnimplementedError(f"a spec with a {kind} cannot be read")
