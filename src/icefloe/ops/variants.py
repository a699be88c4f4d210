"""Variants as VariantTensorDataProto messages and back, for checkpoints and serialized tensors.

A variant of a class that is not known here is kept as its message, and written back as that.

Source: tensorflow/core/kernels/tensor_list.cc and the other classes' Encode and Decode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import datatypes, errors, shapes
from icefloe.datatypes import DType
from icefloe.graph.tensor_proto import make_listed_proto, make_ndarray
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import boxed, unboxed
from icefloe.proto import TensorProto, TensorShapeProto, VariantTensorDataProto
from icefloe.resources.elements import shape_of
from icefloe.resources.persistent import PersistentVector
from icefloe.resources.tensor_list import TensorList
from icefloe.resources.tensor_map import TensorMap
from icefloe.resources.variants import Composite, Optional, Ragged, TensorVariant
from icefloe.wire.coding import decode_varint, encode_varint, from_signed64, to_signed64

_TENSOR = "tensorflow::Tensor"
# What TensorFlow fills a tensor of variants with where it wants zeros; None here.
_ZERO = VariantTensorDataProto(type_name="int", metadata=b"\0\0\0\0")


def encode_tensor(value: Any, dtype: DType | None = None) -> TensorProto:
    """Return a tensor as a message with its values one by one, as TensorFlow writes tensors inside variants.

    Raises: InvalidArgumentError for what cannot be written, such as a resource.
    """
    if dtype is None:
        dtype = _dtype_of(value)
    if dtype != datatypes.variant:
        if dtype == datatypes.resource:
            raise errors.InvalidArgumentError("A resource cannot be saved")
        return make_listed_proto(np.asarray(value), dtype)
    shape = shape_of(value)
    proto = TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shapes.dims_to_proto(shape))
    items = value.reshape(-1).tolist() if isinstance(value, np.ndarray) else [value]
    proto.variant_val.extend(encode(item) for item in items)
    return proto


def _dtype_of(value: Any) -> DType:
    if not isinstance(value, (np.ndarray, np.generic)):
        return datatypes.variant
    if value.dtype.hasobject and value.size and not isinstance(value.reshape(-1)[0], bytes):
        return datatypes.variant
    return datatypes.as_dtype(value.dtype)


def decode_tensor(proto: TensorProto) -> Any:
    """Return the tensor of a message. Raises: InvalidArgumentError if the message makes no sense."""
    if proto.dtype != datatypes.variant.as_datatype_enum:
        return make_ndarray(proto)
    dims = shapes.dims_from_proto(proto.tensor_shape)
    count = -1 if dims is None or None in dims else math.prod([n or 0 for n in dims])
    messages = list(proto.variant_val) or _split(proto.tensor_content, count)
    if dims is None or len(messages) != count:
        raise errors.InvalidArgumentError(f"tensor of {len(messages)} variants with shape {shapes.shape_text(dims)}")
    items = [decode(message) for message in messages]
    if not dims:
        return items[0]
    made = np.empty(count, object)
    for i, item in enumerate(items):
        made[i] = item
    return made.reshape([n or 0 for n in dims])


def content(value: Any) -> bytes:
    """Return a tensor of variants as the `tensor_content` of its message: all lengths, then all variants."""
    items = value.reshape(-1).tolist() if isinstance(value, np.ndarray) else [value]
    written = [encode(item).SerializeToString(deterministic=True) for item in items]
    return b"".join([*[encode_varint(len(data)) for data in written], *written])


def _split(data: bytes, count: int) -> list[VariantTensorDataProto]:
    """Return the `count` variants in a `tensor_content`. Raises: InvalidArgumentError if they are not there."""
    if not 0 <= count <= len(data):
        raise errors.InvalidArgumentError(f"tensor of {count} variants in {len(data)} bytes")
    try:
        lengths, pos = [], 0
        for _ in range(count):
            length, pos = decode_varint(data, pos)
            lengths.append(length)
        found = []
        for length in lengths:
            found.append(VariantTensorDataProto.FromString(data[pos : pos + length]))
            pos += length
    except (errors.DataLossError, DecodeError) as error:
        raise errors.InvalidArgumentError(f"tensor of {count} variants: {error}") from None
    if pos != len(data):
        raise errors.InvalidArgumentError(f"tensor of {count} variants: expected {pos} bytes, got {len(data)}")
    return found


def messages_of(value: Any) -> np.ndarray[Any, Any]:
    """Return a tensor of variants as one of messages, as checkpoints hold it."""
    array = boxed(value)
    made = np.empty(array.size, object)
    for i, item in enumerate(array.reshape(-1).tolist()):
        made[i] = encode(item)
    return made.reshape(array.shape)


def of_messages(array: np.ndarray[Any, Any]) -> Any:
    """Return a tensor of messages as one of variants. Raises: InvalidArgumentError if one does not make sense."""
    made = np.empty(array.size, object)
    for i, item in enumerate(array.reshape(-1).tolist()):
        made[i] = decode(item)
    return unboxed(made.reshape(array.shape))


# Writing


def _message(type_name: str, metadata: bytes, tensors: Iterable[TensorProto]) -> VariantTensorDataProto:
    return VariantTensorDataProto(type_name=type_name, metadata=metadata, tensors=tensors)


def encode(value: Any) -> VariantTensorDataProto:
    """Return a variant as a message. Raises: InvalidArgumentError if its class has no written form."""
    if isinstance(value, VariantTensorDataProto):
        return value
    if value is None:
        return _ZERO
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise errors.InvalidArgumentError(f"A variant of class {type(value).__name__} cannot be saved")
    return writer(value)


def _encode_list(value: TensorList) -> VariantTensorDataProto:
    check_shape((len(value.items), 8), np.dtype(object))
    items = list(value.items)
    unset = [i for i, item in enumerate(items) if item is None]
    numbers = [len(unset), *unset, value.element_dtype.as_datatype_enum, value.max_num_elements]
    metadata = b"".join(encode_varint(from_signed64(n)) for n in numbers)
    metadata += shapes.dims_to_proto(value.element_shape).SerializeToString(deterministic=True)
    tensors = [encode_tensor(item, value.element_dtype) for item in items if item is not None]
    return _message(value.type_name, metadata, tensors)


def _encode_map(value: TensorMap) -> VariantTensorDataProto:
    return _message(value.type_name, b"", [encode_tensor(part) for entry in value.items() for part in entry])


def _encode_optional(value: Optional) -> VariantTensorDataProto:
    components = value.components or ()
    tensors = [encode_tensor(c, dtype) for c, dtype in zip(components, value.dtypes)]
    return _message(value.type_name, b"\0" if value.components is None else b"\1", tensors)


def _encode_ragged(value: Ragged) -> VariantTensorDataProto:
    return _message(value.type_name, b"", [*map(encode_tensor, value.splits), encode_tensor(value.values, value.dtype)])


def _encode_composite(value: Composite) -> VariantTensorDataProto:
    tensors = [encode_tensor(c, dtype) for c, dtype in zip(value.components, value.dtypes)]
    return _message(value.type_name, value.metadata, tensors)


def _encode_tensor_variant(value: TensorVariant) -> VariantTensorDataProto:
    return _message(_TENSOR, b"", [encode_tensor(value.value)])


_WRITERS: dict[type[Any], Callable[[Any], VariantTensorDataProto]] = {
    TensorList: _encode_list,
    TensorMap: _encode_map,
    Optional: _encode_optional,
    Ragged: _encode_ragged,
    Composite: _encode_composite,
    TensorVariant: _encode_tensor_variant,
}


# Reading


def decode(message: VariantTensorDataProto) -> Any:
    """Return the variant that a message holds; the message itself where its class is not known.

    Raises: InvalidArgumentError if it does not make sense.
    """
    reader = _READERS.get(message.type_name)
    if reader is None:
        return None if message == _ZERO else message
    return reader(message)


def _decode_list(message: VariantTensorDataProto) -> TensorList:
    data = message.metadata
    try:
        count, pos = decode_varint(data, 0)
        if count > len(data):
            raise errors.InvalidArgumentError(f"a list with {count} unset items in {len(data)} bytes")
        unset = []
        for _ in range(count):
            index, pos = decode_varint(data, pos)
            unset.append(index)
        number, pos = decode_varint(data, pos)
        limit, pos = decode_varint(data, pos)
        element_shape = shapes.dims_from_proto(TensorShapeProto.FromString(data[pos:]))
        dtype = datatypes.as_dtype(number)
    except errors.DataLossError as error:
        raise errors.InvalidArgumentError(f"the metadata of a list is cut off: {error.message}") from None
    except (TypeError, DecodeError) as error:
        raise errors.InvalidArgumentError(f"the metadata of a list is damaged: {error}") from None
    tensors = iter(message.tensors)
    missing = set(unset)
    size = len(message.tensors) + len(unset)
    if len(missing) != len(unset) or any(index >= size for index in missing):
        raise errors.InvalidArgumentError(f"a list of {size} items whose unset ones are {unset[:10]}")
    items = PersistentVector(None if i in missing else decode_tensor(next(tensors)) for i in range(size))
    return TensorList(dtype, element_shape, items, to_signed64(limit))


def _decode_map(message: VariantTensorDataProto) -> TensorMap:
    tensors = [decode_tensor(t) for t in message.tensors]
    if len(tensors) % 2:
        raise errors.InvalidArgumentError(f"a map of {len(tensors)} keys and values: expected an even number")
    made = TensorMap()
    for key, value in zip(tensors[::2], tensors[1::2]):
        made = made.insert(key, value)
    return made


def _decode_optional(message: VariantTensorDataProto) -> Optional:
    if message.metadata not in (b"\0", b"\1"):
        raise errors.InvalidArgumentError(f"an optional with metadata {message.metadata[:10]!r}: expected 0 or 1")
    if message.metadata == b"\0":
        return Optional(None)
    return Optional(tuple([decode_tensor(t) for t in message.tensors]), _dtypes(message))


def _dtypes(message: VariantTensorDataProto) -> tuple[DType, ...]:
    return tuple([datatypes.as_dtype(t.dtype).base_dtype for t in message.tensors])


def _decode_ragged(message: VariantTensorDataProto) -> Ragged:
    if not message.tensors:
        raise errors.InvalidArgumentError("a ragged tensor without values")
    *splits, values = [decode_tensor(t) for t in message.tensors]
    return Ragged(tuple(splits), values, _dtypes(message)[-1])


def _decode_composite(message: VariantTensorDataProto) -> Composite:
    return Composite(message.metadata, tuple([decode_tensor(t) for t in message.tensors]), _dtypes(message))


def _decode_tensor_variant(message: VariantTensorDataProto) -> TensorVariant:
    if len(message.tensors) != 1:
        raise errors.InvalidArgumentError(f"a variant that holds a tensor, with {len(message.tensors)} of them")
    return TensorVariant(np.asarray(decode_tensor(message.tensors[0])))


_READERS: dict[str, Callable[[VariantTensorDataProto], Any]] = {
    TensorList.type_name: _decode_list,
    TensorMap.type_name: _decode_map,
    Optional.type_name: _decode_optional,
    Ragged.type_name: _decode_ragged,
    Composite.type_name: _decode_composite,
    _TENSOR: _decode_tensor_variant,
}
