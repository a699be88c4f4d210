"""Tensors in strings as they are: DecodeRaw, DecodePaddedRaw, DecodeCompressed, SerializeTensor, ParseTensor."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, scalar, unchanged, unknown
from icefloe.ops import variants
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, boxed
from icefloe.ops.string.elements import flat, mapped, strings
from icefloe.ops.wording import dtype_name
from icefloe.proto import TensorProto
from icefloe.shapes import Dims, dims_to_proto, shape_text

# A string may unpack to at most this: ours, so that a small one cannot fill the memory.
MAX_UNPACKED = 1 << 31


def _ordered(dtype: DType, little_endian: bool) -> np.dtype:
    """Return the numpy dtype in the byte order of the data."""
    return dtype.numpy if little_endian or dtype.numpy.itemsize == 1 else dtype.numpy.newbyteorder(">")


@kernel("DecodeRaw")
def decode_raw(x: Any, *, out_type: DType, little_endian: bool) -> Array:
    """The bytes of each string, all of one length, as numbers in a new last dimension."""
    words = flat(x)
    size = out_type.numpy.itemsize
    length = len(words[0]) if words else 0
    for i, word in enumerate(words):
        if len(word) != length:
            raise errors.InvalidArgumentError(
                f"DecodeRaw requires input strings to all be the same size, but element {i} has size {length} !="
                f" {len(word)}"
            )
    if length % size:
        raise errors.InvalidArgumentError(
            f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of"
            f" {dtype_name(out_type)}"
        )
    values = np.frombuffer(b"".join(words), _ordered(out_type, little_endian)).astype(out_type.numpy)
    return values.reshape(*np.shape(x), length // size)


@shape("DecodeRaw")
def decode_raw_shape(c: ShapeContext) -> list[Dims]:
    return [concatenate(c.shape(0), (None,))]


@kernel("DecodePaddedRaw")
def decode_padded_raw(x: Any, length: Any, *, out_type: DType, little_endian: bool) -> Array:
    """The first `length` bytes of each string, with zeros after a shorter one, as numbers in a new last dimension."""
    if np.ndim(length):
        raise errors.InvalidArgumentError(f"k must be scalar, got shape {shape_text(np.shape(length))}")
    width, size = int(length), out_type.numpy.itemsize
    if width <= 0:
        raise errors.InvalidArgumentError(f"fixed_length ({width}) must be greater than zero.")
    if width % size:
        raise errors.InvalidArgumentError(f"fixed_length ({width}) must be a multiple of the size of out_type ({size})")
    check_shape((np.size(x), width), np.dtype(np.uint8))
    data = b"".join(word[:width].ljust(width, b"\0") for word in flat(x))
    values = np.frombuffer(data, _ordered(out_type, little_endian)).astype(out_type.numpy)
    return values.reshape(*np.shape(x), width // size)


@shape("DecodePaddedRaw")
def decode_padded_raw_shape(c: ShapeContext) -> list[Dims]:
    length = c.constant(1)
    width = None
    if length is not None and not length.ndim:
        size = c.attr("out_type").size
        if int(length) % size:
            raise errors.InvalidArgumentError(f"Dimension size must be evenly divisible by {size} but is {int(length)}")
        width = int(length) // size
    return [concatenate(c.shape(0), (width,))]


def _inflated(data: bytes, window: int) -> bytes:
    unpack = zlib.decompressobj(window)
    try:
        result = unpack.decompress(data, MAX_UNPACKED)
    except zlib.error as e:
        raise errors.DataLossError(f"inflate() failed: {e}") from e
    if unpack.unconsumed_tail:
        raise errors.ResourceExhaustedError(f"The string unpacks to more than {MAX_UNPACKED:,} bytes")
    return result


@kernel("DecodeCompressed")
def decode_compressed(x: Any, *, compression_type: str) -> Array:
    """Each string unpacked: ZLIB, GZIP, or left as it is."""
    windows = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}
    if not compression_type:
        return np.asarray(x).copy()
    if compression_type not in windows:
        raise errors.InvalidArgumentError("Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    return mapped(lambda data: _inflated(data, windows[compression_type]) if data else b"", x)


shape("DecodeCompressed")(unchanged)


@kernel("SerializeTensor")
def serialize_tensor(x: Any, *, T: DType) -> Array:
    """A TensorProto that holds `x`, serialized."""
    array = boxed(x)
    message = TensorProto(dtype=T.as_datatype_enum, tensor_shape=dims_to_proto(array.shape))
    if T.name == "variant":
        message.tensor_content = variants.content(x)
    elif T.name == "string":
        message.string_val.extend(flat(array))
    else:
        message.tensor_content = np.ascontiguousarray(array).tobytes()
    return strings([message.SerializeToString(deterministic=True)], ())


shape("SerializeTensor")(scalar)


@kernel("ParseTensor")
def parse_tensor(serialized: Any, *, out_type: DType) -> Array:
    """The tensor in a serialized TensorProto.

    Raises: InvalidArgumentError if there is none, one of another dtype, or one whose parts do not fit.
    """
    if np.ndim(serialized):
        raise errors.InvalidArgumentError(
            f"Expected `serialized` to be a scalar, got shape: {shape_text(np.shape(serialized))}"
        )
    data = serialized.item()
    try:
        message = TensorProto.FromString(data)
    except DecodeError as e:
        text = base64.b64encode(data[:100]).decode()
        raise errors.InvalidArgumentError(f"Could not parse `serialized` as TensorProto, base64: {text}") from e
    if message.dtype and message.dtype != out_type.as_datatype_enum:
        raise errors.InvalidArgumentError(
            f"Type mismatch between parsed tensor ({_name_of(message.dtype)}) and dtype ({dtype_name(out_type)})"
        )
    try:
        return variants.decode_tensor(message)
    except (TypeError, ValueError) as e:
        raise errors.InvalidArgumentError(f"Cannot parse tensor from proto: {e}") from e


def _name_of(number: int) -> str:
    try:
        return dtype_name(DType(number))
    except TypeError:
        return f"unknown dtype enum {number}"


shape("ParseTensor")(unknown)
