"""Fields of protocol buffers of any message type as tensors: DecodeProtoV2, EncodeProto.

Source: tensorflow/core/kernels/decode_proto_op.cc, encode_proto_op.cc, util/proto/descriptors.cc, proto_utils.cc.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf import descriptor_pool, message_factory, text_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, with_rank_at_least
from icefloe.ops.wording import dtype_name
from icefloe.proto import POOL
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text
from icefloe.wire import message
from icefloe.wire.coding import decode_varint, encode_varint, from_signed64, to_signed64

not_differentiable("DecodeProtoV2", "EncodeProto")

Array = np.ndarray[Any, Any]
F = FieldDescriptor

# Field type -> dtypes that its values may have, and how one stands in the bytes: "z" zigzag, "v" varint, "b" bytes, "g"
# a group, else a struct format.
_TYPES: dict[int, tuple[tuple[str, ...], str]] = {
    F.TYPE_DOUBLE: (("float64",), "<d"),
    F.TYPE_FLOAT: (("float32", "float64"), "<f"),
    F.TYPE_INT64: (("int64",), "v"),
    F.TYPE_UINT64: (("uint64",), "v"),
    F.TYPE_INT32: (("int32", "int64"), "v"),
    F.TYPE_FIXED64: (("uint64",), "<Q"),
    F.TYPE_FIXED32: (("uint32", "uint64"), "<I"),
    F.TYPE_BOOL: (("bool",), "v"),
    F.TYPE_STRING: (("string",), "b"),
    F.TYPE_GROUP: (("string",), "g"),
    F.TYPE_MESSAGE: (("string",), "b"),
    F.TYPE_BYTES: (("string",), "b"),
    F.TYPE_UINT32: (("uint32", "uint64"), "v"),
    F.TYPE_ENUM: (("int32",), "v"),
    F.TYPE_SFIXED32: (("int32", "int64"), "<i"),
    F.TYPE_SFIXED64: (("int64",), "<q"),
    F.TYPE_SINT32: (("int32", "int64"), "z"),
    F.TYPE_SINT64: (("int64",), "z"),
}
_UNSIGNED = frozenset((F.TYPE_UINT64, F.TYPE_UINT32, F.TYPE_BOOL))
_32_BITS = frozenset((F.TYPE_INT32, F.TYPE_UINT32, F.TYPE_ENUM, F.TYPE_SINT32))


def _find_message(source: str | bytes, name: str, manager: ResourceManager) -> Descriptor:
    """Return a message's descriptor: of TensorFlow's own messages ("" or local://), of a FileDescriptorSet in the text
    (bytes://), or of one in a file.
    """
    given = source if isinstance(source, bytes) else source.encode()
    pool: Any = POOL
    if given not in (b"", b"local://"):
        if given.startswith(b"bytes://"):
            data = given.removeprefix(b"bytes://")
        else:
            path = given.decode("utf-8", "surrogateescape")
            manager.check_file(path, "read")
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except OSError as error:
                raise os_error(error, path) from None
        pool = descriptor_pool.DescriptorPool()
        try:
            for found in FileDescriptorSet.FromString(data).file:
                pool.Add(found) if hasattr(pool, "Add") else pool.AddSerializedFile(found.SerializeToString())
        except (DecodeError, TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(f"Unable to parse descriptor_source: {error}") from None
    try:
        found = pool.FindMessageTypeByName(name)
    except KeyError:
        raise errors.InvalidArgumentError(f"No descriptor found for message type {name}") from None
    return found


def _fields_of(descriptor: Descriptor, names: tuple[str, ...]) -> list[FieldDescriptor]:
    found = []
    for name in names:
        field = descriptor.fields_by_name.get(name)
        if field is None and name.startswith("["):
            field = descriptor.file.pool.FindExtensionByName(name[1:-1])
        if field is None:
            raise errors.InvalidArgumentError(f"Unknown field: {name} in message type {descriptor.full_name}")
        found.append(field)
    return found


def _repeats(field: FieldDescriptor) -> bool:
    known = getattr(field, "is_repeated", None)
    return bool(getattr(field, "label", None) == F.LABEL_REPEATED if known is None else known)


def _number(value: int, field: FieldDescriptor) -> int:
    """Return the integer that a varint stands for in a field."""
    if field.type == F.TYPE_BOOL:
        return int(value != 0)
    if _TYPES[field.type][1] == "z":
        value = (value >> 1) ^ -(value & 1)
    elif field.type not in _UNSIGNED:
        value = to_signed64(value)
    if field.type in _32_BITS:
        value &= 0xFFFFFFFF
        if field.type != F.TYPE_UINT32 and value >> 31:
            value -= 1 << 32
    return value


def _values(data: bytes, at: message.Field, field: FieldDescriptor) -> list[Any] | None:
    """Return the values that stand at one place: several where they are packed; None for bytes of another kind."""
    coding = _TYPES[field.type][1]
    part = data[at.payload : at.end]
    if coding in "bg":
        if coding == "g" or at.wire_type != message.BYTES:
            return None if coding == "b" else [part[: -len(encode_varint(at.number << 3 | 4))]]
        return [part]
    if coding in "vz":
        if at.wire_type not in (message.VARINT, message.BYTES):
            return None
        found, pos = [], 0
        while pos < len(part):
            value, pos = decode_varint(part, pos)
            found.append(_number(value, field))
        return found
    size = struct.calcsize(coding)
    if at.wire_type != message.BYTES and len(part) != size:
        return None
    if len(part) % size:
        raise errors.DataLossError(f"Illegal data length for packed fixed-size type: {len(part)}")
    return [value for (value,) in struct.iter_unpack(coding, part)]


def _default(field: FieldDescriptor) -> Any:
    if _TYPES[field.type][0] == ("string",):
        value = field.default_value
        return (
            b""
            if _repeats(field) or value is None or not value
            else value
            if isinstance(value, bytes)
            else value.encode()
        )
    return 0 if _repeats(field) else field.default_value


@kernel("DecodeProtoV2", factory=True)
def decode_proto_v2(
    *,
    message_type: str,
    field_names: tuple[str, ...],
    output_types: tuple[DType, ...],
    descriptor_source: str | bytes,
    message_format: str,
    sanitize: bool,
    manager: ResourceManager,
) -> Callable[[Any], tuple[Any, ...]]:
    """How often each field is in each message, int32 [..., fields], and the values of each field, [..., most].

    What is missing is the field's default. sanitize: write messages anew before they are looked at.
    """
    descriptor = _find_message(descriptor_source, message_type, manager)
    if len(field_names) != len(output_types):
        raise errors.InvalidArgumentError("field_names and output_types attributes must have the same length")
    chosen = _fields_of(descriptor, field_names)
    for field, dtype in zip(chosen, output_types):
        if dtype.name not in _TYPES[field.type][0]:
            raise errors.InvalidArgumentError(f"Unexpected output type for {field.full_name} to {dtype_name(dtype)}")
    if message_format not in ("binary", "text"):
        raise errors.InvalidArgumentError("format must be one of binary or text")
    by_number = {field.number: i for i, field in enumerate(chosen)}
    rewrite = functools.partial(_rewritten, descriptor, message_format)

    def run(serialized: Any) -> tuple[Any, ...]:
        words = np.asarray(serialized, object)
        if not words.size:
            raise errors.InvalidArgumentError("Bufs argument must contain at least one value")
        rows: list[list[list[Any]]] = []
        for data in words.reshape(-1).tolist():
            if message_format == "text" or sanitize:
                data = rewrite(data)
            rows.append(_collected(data, chosen, by_number))
        sizes = np.array([[len(v) for v in row] for row in rows], np.int32).reshape(*words.shape, len(chosen))
        outputs = []
        for i, (field, dtype) in enumerate(zip(chosen, output_types)):
            most = max(1, *[len(row[i]) for row in rows])
            made = np.empty((len(rows), most), dtype.numpy)
            made[...] = _default(field)
            for j, row in enumerate(rows):
                if row[i]:
                    made[j, : len(row[i])] = row[i]
            outputs.append(made.reshape(*words.shape, most))
        return (sizes, *outputs)

    return run


def _rewritten(descriptor: Descriptor, kind: str, data: bytes) -> bytes:
    parsed = message_factory.GetMessageClass(descriptor)()
    try:
        if kind == "text":
            text_format.Parse(data, parsed, descriptor_pool=descriptor.file.pool)
        else:
            parsed.ParseFromString(data)
    except (DecodeError, text_format.ParseError):
        raise errors.DataLossError(f"Unable to parse {kind} protobuf") from None
    return bytes(parsed.SerializePartialToString())


def _collected(data: bytes, chosen: list[FieldDescriptor], by_number: dict[int, int]) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in chosen]
    for at in message.fields(data):
        i = by_number.get(at.number)
        if i is None:
            continue
        values = _values(data, at, chosen[i])
        if values is not None:
            found[i] = found[i] + values if _repeats(chosen[i]) else values[-1:]
    return found


@shape("DecodeProtoV2")
def decode_proto_v2_shape(c: ShapeContext) -> list[Dims]:
    batch, types = c.shape(0), c.attr("output_types")
    return [concatenate(batch, (len(types),)), *[concatenate(batch, (None,)) for _ in types]]


def _written(value: Any, field: FieldDescriptor) -> bytes:
    coding = _TYPES[field.type][1]
    if coding in "bg":
        return bytes(value) if coding == "g" else encode_varint(len(value)) + value
    if coding in "vz":
        number = int(value)
        if field.type in _32_BITS and field.type != F.TYPE_UINT32:
            low = number & 0xFFFFFFFF
            number = low - (1 << 32) if low >> 31 else low
        if coding == "z":
            return encode_varint(((number << 1) ^ (number >> 63)) & (2**64 - 1))
        return encode_varint(from_signed64(number))
    if coding in ("<i", "<I"):
        return struct.pack("<I", int(value) & 0xFFFFFFFF)
    if coding in ("<q", "<Q"):
        return struct.pack("<Q", int(value) & (2**64 - 1))
    return struct.pack(coding, np.float32(value) if coding == "<f" else float(value))


def _encoded(values: list[Any], field: FieldDescriptor) -> bytes:
    """Return a field with its values, packed where its type says so."""
    coding = _TYPES[field.type][1]
    if coding == "g":
        start, end = encode_varint(field.number << 3 | 3), encode_varint(field.number << 3 | 4)
        return b"".join([start + v + end for v in values])
    if _repeats(field) and field.is_packed and values:
        body = b"".join([_written(v, field) for v in values])
        return message.encode_bytes(field.number, body)
    kind = message.BYTES if coding == "b" else message.VARINT if coding in "vz" else None
    if kind is None:
        kind = message.FIXED64 if struct.calcsize(coding) == 8 else message.FIXED32
    tag = encode_varint(field.number << 3 | kind)
    return b"".join([tag + _written(v, field) for v in values])


@kernel("EncodeProto", factory=True)
def encode_proto(
    *, field_names: tuple[str, ...], message_type: str, descriptor_source: str | bytes, manager: ResourceManager
) -> Callable[[Array, tuple[Any, ...]], Any]:
    """Serialized messages: of each field the first `sizes[..., i]` values of `values[i][..., :]`."""
    descriptor = _find_message(descriptor_source, message_type, manager)
    chosen = _fields_of(descriptor, field_names)
    order = sorted(range(len(chosen)), key=lambda i: chosen[i].number)

    def run(sizes: Array, values: tuple[Any, ...]) -> Any:
        if len(values) != len(chosen):
            raise errors.InvalidArgumentError("Length of inputs list must match field_names")
        batch: tuple[int, ...] | None = None
        for field, name, value in zip(chosen, field_names, values):
            dtype = "string" if value.dtype.hasobject else value.dtype.name
            if dtype not in _TYPES[field.type][0]:
                raise errors.InvalidArgumentError(f"Incompatible type for field {name}.  Saw dtype: {dtype}")
            if np.ndim(value) < 1:
                raise errors.InvalidArgumentError(
                    f"Invalid shape for field {name}.  Saw shape {shape_text(np.shape(value))} but it should be at "
                    "least a matrix."
                )
            if batch is not None and value.shape[:-1] != batch:
                raise errors.InvalidArgumentError("Values must match up to the last dimension")
            batch = value.shape[:-1]
        assert batch is not None
        if np.shape(sizes) != (*batch, len(chosen)):
            raise errors.InvalidArgumentError(
                f"sizes should be batch_size + [len(field_names)].  Saw: {shape_text(np.shape(sizes))} but expected: "
                f"{shape_text((*batch, len(chosen)))}"
            )
        counts = sizes.reshape(-1, len(chosen))
        rows = [value.reshape(-1, value.shape[-1]) for value in values]
        made = np.empty(len(counts), object)
        for j, count in enumerate(counts.tolist()):
            for i, n in enumerate(count):
                if not 0 <= n <= rows[i].shape[1]:
                    raise errors.InvalidArgumentError(
                        f"Size to write must not be larger than value tensor; but saw: {n} > {rows[i].shape[1]} at "
                        f"message {j} field {i}"
                    )
            made[j] = b"".join([_encoded(rows[i][j, : count[i]].tolist(), chosen[i]) for i in order])
        return made.reshape(batch)

    return run


@shape("EncodeProto")
def encode_proto_shape(c: ShapeContext) -> list[Dims]:
    sizes = c.shape(0)
    for i in c.group("values"):
        with_rank_at_least(c.shape(i), 2)
    return [None if sizes is None else sizes[:-1]]
