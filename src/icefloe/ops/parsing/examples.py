"""Example messages to tensors: ParseExample, ParseExampleV2, ParseSingleExample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, with_rank, with_rank_at_most
from icefloe.ops.array.values import Array
from icefloe.ops.parsing.features import (
    Column,
    Values,
    chained,
    check_default,
    decode,
    element_shape,
    filled,
    kind_of,
    lengths_of,
    padded,
    row_splits,
    sparse_parts,
    typed,
    values_of,
)
from icefloe.ops.string.elements import escaped, flat
from icefloe.ops.wording import dtype_name
from icefloe.proto import Example
from icefloe.shapes import Dims, shape_text


@dataclass(frozen=True, slots=True)
class Batch:
    """The features of serialized examples, and what messages call each example. single: one, and not in a vector."""

    features: list[Any]
    names: list[bytes]
    single: bool

    def place(self, key: bytes, i: int) -> str:
        """Return the beginning of a message about the feature `key` of example `i`."""
        if self.single:
            return f"Key: {escaped(key)}.  "
        return f"Name: {self.name(i)}, Key: {escaped(key)}, Index: {i}.  "

    def name(self, i: int) -> str:
        return escaped(self.names[i]) if self.names else "<unknown>"

    def column(self, key: bytes, dtype: DType, text: str) -> Column:
        """Return the values of a feature. text: how a refusal of another dtype goes on."""
        try:
            word = key.decode()
        except UnicodeDecodeError:
            return [None] * len(self.features)
        column: Column = []
        for i, features in enumerate(self.features):
            feature = features.get(word)
            try:
                column.append(values_of(feature, dtype))
            except TypeError:
                found = text.format(actual=kind_of(feature), expected=dtype_name(dtype))
                raise errors.InvalidArgumentError(f"{self.place(key, i)}Data types don't match. {found}") from None
        return column

    def sparse(self, key: bytes, dtype: DType) -> tuple[Array, Array, Array]:
        column = self.column(key, dtype, "Expected type: {expected}, Actual type: {actual}")
        if self.single:
            values = typed(column[0] or (), dtype)
            return np.arange(len(values))[:, None], values, np.array([len(values)], np.int64)
        return sparse_parts(column, dtype)

    def ragged(self, key: bytes, dtype: DType, splits: DType) -> tuple[Array, Array]:
        column = self.column(key, dtype, "Expected type: {expected}, Actual type: {actual}")
        if self.single:
            return typed(column[0] or (), dtype), np.zeros(0, splits.numpy)
        return chained(column, dtype), row_splits(lengths_of(column), splits)

    def dense(self, key: bytes, dtype: DType, sizes: Dims, default: Array) -> Array:
        column = self.column(key, dtype, "Data type: {actual} but expected type: {expected}")
        variable, fixed = element_shape(sizes)
        if variable:
            result = self._variable(key, column, dtype, fixed, default, sizes)
        else:
            result = filled(self._complete(key, column, dtype, fixed, default), fixed, dtype)
        return result[0] if self.single else result

    def _complete(self, key: bytes, column: Column, dtype: DType, sizes: tuple[int, ...], default: Array) -> Column:
        """Return the column with the default where a value is missing, every value of the right length."""
        count = math.prod(sizes)
        instead: Values = default.ravel().tolist()
        complete: Column = []
        for i, values in enumerate(column):
            if values is None:
                if not default.size:
                    where = "" if self.single else f"Name: {self.name(i)}, "
                    raise errors.InvalidArgumentError(
                        f"{where}Feature: {escaped(key)} (data type: {dtype_name(dtype)}) is required but could not be"
                        " found."
                    )
                values = instead
            if len(values) != count:
                raise errors.InvalidArgumentError(
                    f"{self.place(key, i)}Number of {dtype_name(dtype)} values != expected.  Values size: {len(values)}"
                    f" but output shape: {shape_text(sizes)}"
                )
            complete.append(values)
        return complete

    def _variable(
        self, key: bytes, column: Column, dtype: DType, inner: tuple[int, ...], default: Array, sizes: Dims
    ) -> Array:
        stride = math.prod(inner)
        for i, values in enumerate(column):
            if len(values or ()) % (stride or 1):
                if self.single:
                    raise errors.InvalidArgumentError(
                        f"Error while parsing feature with key {escaped(key)}: number of elements should be divisible"
                        f" by {stride}, found {len(values or ())} instead"
                    )
                raise errors.InvalidArgumentError(
                    f"{self.place(key, i)}Number of {dtype_name(dtype)} values is not a multiple of stride length. Saw"
                    f" {len(values or ())} values but output shape is: {shape_text(sizes)}"
                )
        return padded(column, inner, dtype, default)


def read_batch(serialized: Any, names: Any) -> Batch:
    """Return the features of a serialized example, or of a vector of them."""
    if np.ndim(serialized) > 1:
        raise errors.InvalidArgumentError(
            f"Expected serialized to be a scalar or vector, got shape: {shape_text(np.shape(serialized))}"
        )
    if np.size(names) and np.shape(names) != np.shape(serialized):
        raise errors.InvalidArgumentError(
            "Expected names have the same shape as serialized:"
            f" name.shape={shape_text(np.shape(names))}, serialized.shape={shape_text(np.shape(serialized))}"
        )
    features = [
        decode(Example, data, f"Could not parse example input, value: '{escaped(data)}'").features.feature
        for data in flat(serialized)
    ]
    return Batch(features, flat(names), not np.ndim(serialized))


def parse(
    batch: Batch,
    sparse: list[tuple[bytes, DType]],
    dense: list[tuple[bytes, DType, Dims, Array]],
    ragged: list[tuple[bytes, DType, DType]],
) -> tuple[Array, ...]:
    """Return the features of a batch: indices, then values, then sizes of all sparse ones, the dense ones, values and
    then row splits of the ragged ones.
    """
    for i, (_, dtype, sizes, default) in enumerate(dense):
        check_default(i, sizes, default, dtype)
    dense_values = [batch.dense(*feature) for feature in dense]
    sparse_tensors = [batch.sparse(*feature) for feature in sparse]
    ragged_tensors = [batch.ragged(*feature) for feature in ragged]
    return (
        *(part[i] for i in range(3) for part in sparse_tensors),
        *dense_values,
        *(part[i] for i in range(2) for part in ragged_tensors),
    )


def _keys(vector: Any, name: str, count: int) -> list[bytes]:
    if np.ndim(vector) != 1:
        raise errors.InvalidArgumentError(f"Expected {name} to be a vector, got shape: {shape_text(np.shape(vector))}")
    if len(vector) != count:
        raise errors.InvalidArgumentError(f"Expected len({name}) == {count} but got: {len(vector)}")
    return vector.tolist()


@kernel("ParseExampleV2")
def parse_example_v2(
    serialized: Any,
    names: Any,
    sparse_keys: Any,
    dense_keys: Any,
    ragged_keys: Any,
    dense_defaults: tuple[Any, ...],
    *,
    num_sparse: int,
    Tdense: tuple[DType, ...],
    sparse_types: tuple[DType, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """The named features of examples, gathered into sparse, dense and ragged tensors.

    serialized: a vector, or a scalar, which gives tensors without the dimension of examples.
    dense_defaults: what a missing dense feature is; without elements, it must not be missing.
    dense_shapes: where the first dimension is unknown, the default, a single element, pads.
    """
    return parse(
        read_batch(serialized, names),
        list(zip(_keys(sparse_keys, "sparse_keys", num_sparse), sparse_types)),
        list(zip(_keys(dense_keys, "dense_keys", len(Tdense)), Tdense, dense_shapes, map(np.asarray, dense_defaults))),
        list(zip(_keys(ragged_keys, "ragged_keys", len(ragged_value_types)), ragged_value_types, ragged_split_types)),
    )


@kernel("ParseExample")
def parse_example(
    serialized: Any,
    names: Any,
    sparse_keys: tuple[Any, ...],
    dense_keys: tuple[Any, ...],
    dense_defaults: tuple[Any, ...],
    *,
    Tdense: tuple[DType, ...],
    sparse_types: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """As ParseExampleV2, each key a tensor of its own, without ragged tensors."""
    return parse(
        read_batch(serialized, names),
        list(zip((key.item() for key in sparse_keys), sparse_types)),
        list(zip((key.item() for key in dense_keys), Tdense, dense_shapes, map(np.asarray, dense_defaults))),
        [],
    )


@kernel("ParseSingleExample")
def parse_single_example(
    serialized: Any,
    dense_defaults: tuple[Any, ...],
    *,
    sparse_keys: tuple[str | bytes, ...],
    dense_keys: tuple[str | bytes, ...],
    Tdense: tuple[DType, ...],
    sparse_types: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
) -> tuple[Array, ...]:
    """The named features of one example."""
    if np.ndim(serialized):
        raise errors.InvalidArgumentError(
            f"Expected serialized to be a scalar, got shape: {shape_text(np.shape(serialized))}"
        )
    return parse(
        read_batch(serialized, np.zeros(0, object)),
        list(zip(map(_bytes, sparse_keys), sparse_types)),
        list(zip(map(_bytes, dense_keys), Tdense, dense_shapes, map(np.asarray, dense_defaults))),
        [],
    )


def _bytes(key: str | bytes) -> bytes:
    return key if isinstance(key, bytes) else key.encode()


def _dense_dims(sizes: Dims, batch: Dims) -> Dims:
    return concatenate(batch, sizes)


@shape("ParseExampleV2")
def parse_example_v2_shape(c: ShapeContext) -> list[Dims]:
    batch = with_rank_at_most(c.shape(0), 1)
    for i in (2, 3, 4):
        with_rank(c.shape(i), 1)
    sparse, ragged = c.attr("num_sparse"), len(c.attr("ragged_value_types"))
    rank = None if batch is None else len(batch) + 1
    splits: Dims = (None,) if not batch or batch[0] is None else (batch[0] + 1,)
    if batch == ():
        splits = (0,)
    return [
        *[(None, rank)] * sparse,
        *[(None,)] * sparse,
        *[(rank,)] * sparse,
        *[_dense_dims(sizes, batch) for sizes in c.attr("dense_shapes")],
        *[(None,)] * ragged,
        *[splits] * ragged,
    ]


@shape("ParseExample")
def parse_example_shape(c: ShapeContext) -> list[Dims]:
    batch = with_rank(c.shape(0), 1)
    sparse = len(c.attr("sparse_types"))
    return [
        *[(None, 2)] * sparse,
        *[(None,)] * sparse,
        *[(2,)] * sparse,
        *[_dense_dims(sizes, batch) for sizes in c.attr("dense_shapes")],
    ]


@shape("ParseSingleExample")
def parse_single_example_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    sparse = len(c.attr("sparse_types"))
    return [
        *[(None, 1)] * sparse,
        *[(None,)] * sparse,
        *[(1,)] * sparse,
        *c.attr("dense_shapes"),
    ]
