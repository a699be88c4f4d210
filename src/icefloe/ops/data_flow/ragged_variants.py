"""Ragged tensors as variants: RaggedTensorToVariant, RaggedTensorFromVariant and the gradient of the first.

Source: tensorflow/core/kernels/ragged_tensor_to_variant_op.cc, ragged_tensor_from_variant_op.cc.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, boxed, unboxed
from icefloe.ops.data_flow.handles import describe
from icefloe.ops.wording import dtype_name, numpy_name
from icefloe.resources import elements
from icefloe.resources.variants import Ragged
from icefloe.shapes import Dims, shape_text

# Into variants


def _check_splits(splits: Any, last: int | None) -> None:
    """Check row splits; `last` is what they must end with, None for any."""
    if np.ndim(splits) != 1:
        raise errors.InvalidArgumentError(
            f"Invalid ragged splits: ragged splits must be rank 1 but is rank {np.ndim(splits)}"
        )
    if not len(splits):
        raise errors.InvalidArgumentError(
            "Invalid ragged splits: ragged splits must have at least one splits, but is empty"
        )
    if splits[0] != 0:
        raise errors.InvalidArgumentError(
            f"Invalid ragged splits: first element of ragged splits  must be 0 but is {splits[0]}"
        )
    falls = np.flatnonzero(splits[1:] < splits[:-1])
    if len(falls):
        j = int(falls[0]) + 1
        raise errors.InvalidArgumentError(
            "Invalid ragged splits: ragged splits must be monotonically increasing, but "
            f"ragged_splits[{j}]={splits[j]} is smaller than row_splits[{j - 1}]={splits[j - 1]}"
        )
    if last is not None and splits[-1] != last:
        raise errors.InvalidArgumentError(
            "Invalid ragged splits: last element of ragged splits must be the number of ragged "
            f"values({last}) but is {splits[-1]}"
        )


@kernel("RaggedTensorToVariant", returns="stored")
def ragged_tensor_to_variant(
    rt_nested_splits: tuple[Array, ...], rt_dense_values: Any, *, Tvalues: DType, batched_input: bool
) -> Any:
    """The ragged tensor as one variant, or with `batched_input` its rows as a vector of them."""
    splits, values = rt_nested_splits, rt_dense_values
    if splits and not np.ndim(values):
        raise errors.InvalidArgumentError(
            "Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is 0."
        )
    for i, inner in reversed(list(enumerate(splits))):
        after = splits[i + 1] if i + 1 < len(splits) else None
        _check_splits(inner, np.shape(values)[0] if after is None else np.size(after) - 1)
    whole = Ragged(splits, values, Tvalues)
    if not batched_input:
        return whole
    parts = _rows(whole)
    made = np.empty(len(parts), object)
    for i, part in enumerate(parts):
        made[i] = part
    return made


def _rows(whole: Ragged) -> list[Ragged]:
    values = boxed(whole.values)
    if not whole.splits:
        if not values.ndim:
            raise errors.InvalidArgumentError("Can't unbatch rank-0 tensor.")
        return [
            Ragged((), unboxed(values[i : i + 1].reshape(values.shape[1:])), whole.dtype) for i in range(len(values))
        ]
    found = []
    top = whole.splits[0].tolist()
    for start, stop in itertools.pairwise(top):
        inner = []
        for splits in whole.splits[1:]:
            part = splits[start : stop + 1]
            inner.append(part - part[0])
            start, stop = int(part[0]), int(part[-1])
        found.append(Ragged(tuple(inner), values[start:stop], whole.dtype))
    return found


@shape("RaggedTensorToVariant")
def ragged_tensor_to_variant_shape(c: ShapeContext) -> list[Dims]:
    ranks = c.attr("RAGGED_RANK")
    dims = with_rank_at_least(c.shape(ranks), 1)
    for i in range(ranks):
        with_rank(c.shape(i), 1)
    if not c.attr("batched_input"):
        return [()]
    if not ranks:
        return [None if dims is None else (dims[0],)]
    first = c.shape(0)
    return [(None if not first or first[0] is None else first[0] - 1,)]


# Out of variants


@kernel("RaggedTensorFromVariant", returns="stored")
def ragged_tensor_from_variant(
    encoded_ragged: Any, *, input_ragged_rank: int, output_ragged_rank: int, Tvalues: DType, Tsplits: DType
) -> tuple[Any, ...]:
    """Row splits and values of the ragged tensor in a scalar variant, or of one whose outer dimensions are those of a
    tensor of variants.
    """
    encoded = boxed(encoded_ragged)
    rank = input_ragged_rank
    if rank == -1:
        rank = output_ragged_rank - encoded.ndim
        if output_ragged_rank == 0 and rank < 0:
            rank = 0
        if rank < 0:
            raise errors.InvalidArgumentError(
                "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
                f"output_ragged_rank: {output_ragged_rank}, encoded_variant.dims(): {encoded.ndim}, inferred "
                f"input_ragged_rank: {rank}"
            )
    if (output_ragged_rank or rank) and output_ragged_rank != encoded.ndim + rank:
        raise errors.InvalidArgumentError(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: "
            f"{output_ragged_rank}, input_ragged_rank: {rank}, encoded_variant.dims(): {encoded.ndim}."
        )
    parts = []
    for i, item in enumerate(encoded.reshape(-1).tolist()):
        _check_part(i, item, rank, output_ragged_rank, Tvalues, Tsplits)
        parts.append(item)
    if not encoded.ndim:
        return *parts[0].splits, parts[0].values
    if not output_ragged_rank:
        return (_stacked(parts, Tvalues),)
    return _nested(parts, encoded.shape, rank, Tvalues, Tsplits)


def _check_part(i: int, item: Any, rank: int, output_rank: int, dtype: DType, splits_dtype: DType) -> None:
    if not isinstance(item, Ragged):
        raise errors.InvalidArgumentError(
            f"Input Variant element at index {i} doesn't hold a RaggedTensorVariant: Variant<type: {describe(item)}>"
        )
    if len(item.splits) != rank:
        raise errors.InvalidArgumentError(
            f"Encoded input RaggedTensorVariant has ragged_rank={len(item.splits)}.  Expected ragged_rank={rank}."
        )
    if item.dtype != dtype:
        raise errors.InvalidArgumentError(
            f"Expected values Tensor dtype: {dtype_name(dtype)}, found: {dtype_name(item.dtype)}"
        )
    if not elements.shape_of(item.values) and output_rank:
        raise errors.InvalidArgumentError(
            f"Ragged values must have rank >= 1; encoded scalar element at index {i} has values Tensor: {item.values!r}"
        )
    for splits in item.splits:
        if splits.dtype != splits_dtype.numpy:
            raise errors.InvalidArgumentError(
                f"Expected row_splits Tensor dtype: {dtype_name(splits_dtype)}, found: {numpy_name(splits.dtype)}"
            )
        if splits.ndim != 1 or not len(splits):
            raise errors.InvalidArgumentError(
                f"Ragged splits must have rank 1; encoded scalar element at index {i} has splits Tensor {splits!r}"
            )


def _stacked(parts: list[Ragged], dtype: DType) -> Any:
    if not parts:
        return elements.zeros((0,), dtype)
    first = elements.shape_of(parts[0].values)
    for i, part in enumerate(parts):
        got = elements.shape_of(part.values)
        if got != first:
            raise errors.InvalidArgumentError(
                "All flat_values must have compatible shapes.  Shape at index 0: "
                f"{shape_text(first)}.  Shape at index {i}: {shape_text(got)}"
            )
    check_shape((len(parts), *first), dtype.numpy)
    return elements.stacked([part.values for part in parts], first, dtype)


def _nested(
    parts: list[Ragged], sizes: tuple[int, ...], rank: int, dtype: DType, splits_dtype: DType
) -> tuple[Any, ...]:
    splits = []
    for size, inner in itertools.pairwise(sizes):
        splits.append(np.arange(size + 1, dtype=splits_dtype.numpy) * inner)
    lengths = [len(part.splits[0]) - 1 if rank else len(part.values) for part in parts]
    splits.append(np.cumsum([0, *lengths], dtype=splits_dtype.numpy))
    for level in range(rank):
        pieces = [np.zeros(1, splits_dtype.numpy)]
        last = splits_dtype.numpy.type(0)
        for part in parts:
            pieces.append(part.splits[level][1:] + last)
            last = last + part.splits[level][-1] if len(part.splits[level]) > 1 else last
        splits.append(np.concatenate(pieces))
    return *splits, _joined(parts, dtype)


def _joined(parts: list[Ragged], dtype: DType) -> Any:
    """Return all values, one after the other. Without parts their inner shape is not known: a vector of none."""
    if not parts:
        return elements.zeros((0,), dtype)
    first = elements.shape_of(parts[0].values)
    for i, part in enumerate(parts):
        got = elements.shape_of(part.values)
        if len(got) != len(first):
            raise errors.InvalidArgumentError(
                "Rank of values must match for all components; values shape at index 0: "
                f"{shape_text(first)}, values shape at index {i}: {shape_text(got)}"
            )
    for i, part in enumerate(parts):
        got = elements.shape_of(part.values)
        if got[1:] != first[1:]:
            raise errors.InvalidArgumentError(
                f"All flat_values must have compatible shapes.  Shape at index 0: {shape_text(first[1:])}.  Shape at "
                f"index {i}: {shape_text(got[1:])}.  If you are using tf.map_fn, then you may need to specify an "
                "explicit fn_output_signature with appropriate ragged_rank, and/or convert output tensors to "
                "RaggedTensors."
            )
    return np.concatenate([part.values for part in parts])


@shape("RaggedTensorFromVariant")
def ragged_tensor_from_variant_shape(c: ShapeContext) -> list[Dims]:
    rank, output_rank = c.attr("input_ragged_rank"), c.attr("output_ragged_rank")
    if rank >= 0 and c.shape(0) is not None:
        with_rank(c.shape(0), output_rank - rank)
    return [*[(None,)] * output_rank, None]


@kernel("RaggedTensorToVariantGradient")
def ragged_tensor_to_variant_gradient(
    encoded_ragged_grad: Any, row_splits: Array, dense_values_shape: Array, *, Tvalues: DType
) -> Any:
    """The gradient of the values, out of those of the variants; what is no ragged tensor stands for zeros."""
    dims = check_shape(dense_values_shape.tolist(), Tvalues.numpy)
    if np.ndim(row_splits):
        _check_splits(row_splits, None)
    items = boxed(encoded_ragged_grad).reshape(-1).tolist()
    splits: list[int] = np.ravel(row_splits).tolist()
    pieces = []
    for i, item in enumerate(items):
        if isinstance(item, Ragged):
            pieces.append(item.values)
            continue
        if i + 1 >= len(splits) or not dims:
            raise errors.InvalidArgumentError(f"There is no row {i} in row_splits of {len(splits)} elements")
        pieces.append(elements.zeros((splits[i + 1] - splits[i], *dims[1:]), Tvalues))
    if len(pieces) == 1:
        return np.copy(pieces[0])
    parts = [np.ravel(piece) for piece in pieces]
    if sum(map(len, parts)) != math.prod(dims):
        raise errors.InvalidArgumentError(
            f"The gradients have {sum(map(len, parts))} elements, expected {shape_text(dims)}"
        )
    return np.concatenate(parts).reshape(dims) if parts else elements.zeros(dims, Tvalues)


@shape("RaggedTensorToVariantGradient")
def ragged_tensor_to_variant_gradient_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape_value(2)]
