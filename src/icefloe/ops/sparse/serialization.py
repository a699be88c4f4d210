"""Sparse tensors packed into tensors of three strings or variants, and back.

A sparse tensor is packed as its indices, values and shape: each a serialized TensorProto, or a `TensorVariant`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_least
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.ops.array.values import Array, boxed
from icefloe.ops.sparse.components import check_ranks, rows_of, stacked
from icefloe.ops.wording import dtype_name
from icefloe.proto import TensorProto
from icefloe.resources.variants import TensorVariant
from icefloe.shapes import Dims, dims_to_proto, shape_text
from icefloe.wire.coding import encode_varint


def _content(array: Array) -> bytes:
    if array.dtype != object:
        return np.ascontiguousarray(array).tobytes()
    words = array.ravel().tolist()
    return b"".join([*(encode_varint(len(word)) for word in words), *words])


def _pack_as_string(array: Array, dtype: DType) -> bytes:
    message = TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=dims_to_proto(array.shape))
    message.tensor_content = _content(array)
    return message.SerializeToString(deterministic=True)


def _pack_as_variant(array: Array, dtype: DType) -> TensorVariant:
    return TensorVariant(array.copy())


Pack = Callable[[Array, DType], Any]
_INT64 = DType(9)


def _packed(rows: Iterable[tuple[Array, Array, Array]], T: DType, out_type: DType) -> list[list[Any]]:
    pack: Pack = _pack_as_variant if out_type.name == "variant" else _pack_as_string
    return [[pack(i, _INT64), pack(v, T), pack(s, _INT64)] for i, v, s in rows]


def _objects(items: list[Any], shape: tuple[int, ...]) -> Array:
    result = np.empty(len(items), object)
    for i, item in enumerate(items):
        result[i] = item
    return result.reshape(shape)


@kernel("SerializeSparse")
def serialize_sparse(indices: Any, values: Any, sizes: Any, *, T: DType, out_type: DType) -> Array:
    """A vector of the three parts, packed."""
    check_ranks(indices, values, sizes)
    return _objects(_packed([(indices, values, sizes)], T, out_type)[0], (3,))


@shape("SerializeSparse")
def serialize_sparse_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 2)
    with_rank(c.shape(1), 1)
    with_rank(c.shape(2), 1)
    return [(3,)]


@kernel("SerializeManySparse")
def serialize_many_sparse(indices: Any, values: Any, sizes: Any, *, T: DType, out_type: DType) -> Array:
    """A row of three packed parts for each slice along the first dimension."""
    packed = _packed(rows_of(indices, values, sizes), T, out_type)
    return _objects([part for row in packed for part in row], (len(packed), 3))


@shape("SerializeManySparse")
def serialize_many_sparse_shape(c: ShapeContext) -> list[Dims]:
    serialize_sparse_shape(c)
    return [(None, 3)]


def _unpack(item: Any, dtype: DType, what: str, i: int) -> Array:
    if isinstance(item, TensorVariant):
        array = item.value
        found = None if array.dtype == dtype.numpy else str(array.dtype)
    elif isinstance(item, bytes):
        try:
            message = TensorProto.FromString(item)
            array = make_ndarray(message)
        except (DecodeError, TypeError, ValueError) as e:
            raise errors.InvalidArgumentError("Could not parse serialized proto") from e
        found = None if message.dtype == dtype.as_datatype_enum else dtype_name(DType(message.dtype))
    else:
        raise errors.InvalidArgumentError("Could not get a tensor from serialized sparse variant")
    if found is not None:
        raise errors.InvalidArgumentError(
            f"Requested SparseTensor of type {dtype_name(dtype)} but SparseTensor[{i}].{what}.dtype() == {found}"
        )
    return array


def unpack_sparse(packed: Any, dtype: DType) -> list[tuple[Array, Array, Array]]:
    """Return the (indices, values, sizes) in a tensor whose last dimension is 3; the values must be of `dtype`."""
    packed = boxed(packed)
    if packed.ndim < 1:
        raise errors.InvalidArgumentError("Serialized sparse should have non-zero rank [].")
    if packed.shape[-1] != 3:
        raise errors.InvalidArgumentError(
            f"Serialized sparse should have 3 as the last dimension {shape_text(packed.shape)}"
        )
    if not packed.size:
        raise errors.InvalidArgumentError(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension"
            f" {shape_text(packed.shape)}"
        )
    tensors = []
    for i, (indices, values, sizes) in enumerate(packed.reshape(-1, 3).tolist()):
        parts = (
            _unpack(indices, _INT64, "indices", i),
            _unpack(values, dtype, "values", i),
            _unpack(sizes, _INT64, "shape", i),
        )
        _check_unpacked(parts, i)
        tensors.append(parts)
    return tensors


def _check_unpacked(parts: tuple[Array, Array, Array], i: int) -> None:
    for name, part, rank in zip(("indices", "values", "shape"), parts, (2, 1, 1)):
        if part.ndim != rank:
            raise errors.InvalidArgumentError(
                f"Expected serialized_sparse[{i}, {('indices', 'values', 'shape').index(name)}] to represent a"
                f" {'matrix' if rank == 2 else 'vector'} but received shape {shape_text(part.shape)}"
            )
    if len(parts[0]) != len(parts[1]) or parts[0].shape[1] != len(parts[2]):
        raise errors.InvalidArgumentError(
            f"Expected parts of SparseTensor[{i}] to fit but received shapes {shape_text(parts[0].shape)},"
            f" {shape_text(parts[1].shape)}, {shape_text(parts[2].shape)}"
        )


@kernel("DeserializeSparse")
def deserialize_sparse(packed: Any, *, dtype: DType) -> tuple[Array, Array, Array]:
    """The sparse tensors in a tensor of shape [..., 3], stacked along its other dimensions."""
    packed = boxed(packed)
    tensors = unpack_sparse(packed, dtype)
    if packed.ndim == 1:
        return tensors[0]
    return stacked(tensors, packed.shape[:-1])


@shape("DeserializeSparse")
def deserialize_sparse_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 1)
    if known is not None and known[-1] not in (None, 3):
        raise errors.InvalidArgumentError(f"Dimension must be 3 but is {known[-1]}")
    return [(None, None), (None,), (None,)]


@kernel("DeserializeManySparse")
def deserialize_many_sparse(packed: Any, *, dtype: DType) -> tuple[Array, Array, Array]:
    """The sparse tensors in the rows of a matrix of three columns, stacked."""
    return deserialize_sparse(packed, dtype=dtype)


@shape("DeserializeManySparse")
def deserialize_many_sparse_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank(c.shape(0), 2)
    if known[1] not in (None, 3):
        raise errors.InvalidArgumentError(f"Dimension must be 3 but is {known[1]}")
    return [(None, None), (None,), (None,)]
