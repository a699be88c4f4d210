"""Dimensions of RaggedTensors: tiled, added, removed, reversed, counted.

Source: tensorflow/python/ops/ragged/ragged_array_ops.py, ragged_squeeze_op.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import array_create, array_shape
from icefloe.lib.arguments import renamed
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather
from icefloe.lib.checks import Assert
from icefloe.lib.constants import convert_to_int_tensor, get_static_value
from icefloe.lib.control import with_dependencies
from icefloe.lib.math_elementwise import equal
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_all
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_partition import lengths_to_splits, repeat_ranges
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Return `input` repeated along each axis."""
    with name_scope(name, "RaggedTile", [input, multiples]):
        ragged = as_tensor_or_ragged(input, name="input")
        if not isinstance(ragged, RaggedTensor):
            return apply_op("Tile", ragged, multiples, name=name)
        multiples = convert_to_int_tensor(multiples, name="multiples", dtype=ragged.row_splits.dtype)
        multiples.shape.assert_has_rank(1)
        known = get_static_value(multiples)
        values = _tiled_values(ragged, multiples, known)
        return RaggedTensor.from_nested_row_splits(values, _tiled_splits(ragged, multiples, known), validate=False)


def _tiled_values(ragged: RaggedTensor, multiples: Tensor, known: Any) -> Tensor:
    ragged_rank = ragged.ragged_rank
    nested = ragged.nested_row_splits
    ids = range(nested[-1][-1])
    before: Any = None
    for axis in builtins.range(ragged_rank, 0, -1):
        splits = nested[axis - 1]
        if before is not None:
            splits = gather(before * multiples[axis + 1], splits)
        if known is None or known[axis] != 1:
            ids = repeat_ranges(ids, splits, multiples[axis])
        before = splits
    values = gather(ragged.flat_values, ids)
    repeats = concat([multiples[:1], multiples[ragged_rank + 1 :]], axis=0)
    return apply_op("Tile", values, repeats)


def _tiled_splits(ragged: RaggedTensor, multiples: Tensor, known: Any) -> list[Tensor]:
    ragged_rank = ragged.ragged_rank
    nested = ragged.nested_row_splits
    projected = [{i: splits} for i, splits in enumerate(nested)]
    for source in builtins.range(ragged_rank):
        for target in builtins.range(source + 1, ragged_rank - 1):
            projected[source][target] = gather(nested[target], projected[source][target - 1])
    result = []
    for axis in builtins.range(ragged_rank):
        lengths = nested[axis][1:] - nested[axis][:-1]
        lengths = lengths * multiples[axis + 1]
        repeats: Any = 1
        for d in builtins.range(axis - 1, -1, -1):
            if known is None or known[d + 1] != 1:
                splits = projected[d][axis - 1] * repeats
                lengths = repeat_ranges(lengths, splits, multiples[d + 1])
            repeats = repeats * multiples[d + 1]
        result.append(lengths_to_splits(apply_op("Tile", lengths, multiples[:1])))
    return result


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return `input` with a new axis of size 1. Raises: ValueError if `axis` is none of it."""
    axis = dim if dim is not None else axis
    with name_scope(name, "RaggedExpandDims", [input]):
        ragged = as_tensor_or_ragged(input, name="input")
        if not isinstance(ragged, RaggedTensor):
            return array_shape.expand_dims(ragged, axis)
        ndims = None if ragged.shape.ndims is None else ragged.shape.ndims + 1
        axis = positive_axis(axis, ndims, ndims_name="rank(input)")
        if axis == 0:
            return RaggedTensor.from_uniform_row_length(ragged, ragged.nrows(), nrows=1, validate=False)
        if axis == 1:
            return RaggedTensor.from_uniform_row_length(ragged, 1, nrows=ragged.nrows(), validate=False)
        if isinstance(ragged.values, RaggedTensor):
            return ragged.with_values(expand_dims(ragged.values, axis - 1))
        return ragged.with_values(array_shape.expand_dims(ragged.values, axis - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Return `input` without the axes named, each of size 1. Raises: ValueError, TypeError if none is named."""
    axis = renamed("axis", axis, "squeeze_dims", squeeze_dims)
    with name_scope(name, "RaggedSqueeze", [input]):
        ragged = as_tensor_or_ragged(input)
        if not isinstance(ragged, RaggedTensor):
            return array_shape.squeeze(ragged, axis, name)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(d, int) for d in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        axes = [positive_axis(d, ragged.shape.ndims, f"axis[{i}]", "rank(input)") for i, d in enumerate(axes)]
        dense = [d - ragged.ragged_rank for d in axes if d > ragged.ragged_rank]
        rows = {d for d in axes if d <= ragged.ragged_rank}
        found = []
        one = constant(1, dtype=ragged.row_splits.dtype)
        for i, lengths in enumerate(ragged.nested_row_lengths(), 1):
            if i in rows:
                said = f"the given axis (axis = {i}) is not squeezable!"
                found.append(Assert(reduce_all(equal(lengths, one)), [said]))
        if 0 in rows:
            two = constant(2, dtype=datatypes.int32)
            said = "the given axis (axis = 0) is not squeezable!"
            found.append(Assert(equal(array_shape.size(ragged.row_splits), two), [said]))
        values = with_dependencies(found, ragged.flat_values)
        if dense:
            values = array_shape.squeeze(values, dense)
        splits = [s for i, s in enumerate(ragged.nested_row_splits, 1) if i not in rows]
        if splits and 0 in rows:
            splits.pop(0)
        values = RaggedTensor.from_nested_row_splits(values, splits)
        if set(builtins.range(ragged.ragged_rank + 1)) <= rows:
            return array_shape.squeeze(values, [0], name)
        return values


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Return `tensor` reversed along the axes, which are known. Raises: TypeError if they are not."""
    said = "`axis` must be a list of int or a constant tensorwhen reversing axes in a ragged tensor"
    with name_scope(name, "Reverse", [tensor, axis]):
        if isinstance(axis, Tensor):
            known = get_static_value(axis)
            if known is None:
                raise TypeError(said)
            axis = known.tolist()
        elif not (isinstance(axis, (list, tuple)) and all(isinstance(dim, int) for dim in axis)):
            raise TypeError(said)
        ragged = as_tensor_or_ragged(tensor, name="tensor")
        axes = [positive_axis(d, ragged.shape.rank, f"axis[{i}]", "rank(tensor)") for i, d in enumerate(axis)]
        slices = [slice(None)] * (max(axes) + 1 if axes else 0)
        for dim in axes:
            slices[dim] = slice(None, None, -1)
        return ragged[tuple(slices)]


def size(input: Any, name: str | None = None, out_type: Any = datatypes.int32) -> Tensor:
    """Return the number of values."""
    return array_shape.size(as_tensor_or_ragged(input).flat_values, out_type=out_type, name=name)


def rank(input: Any, name: str | None = None) -> Any:
    """Return the number of dimensions."""
    with name_scope(name, "RaggedRank", [input]):
        ragged = as_tensor_or_ragged(input)
        return ragged.ragged_rank + array_shape.rank(ragged.flat_values)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Return vectors that are on at their index. Raises: ValueError if `axis` is a ragged one."""
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).")
        axis -= indices.ragged_rank
    with name_scope(name, "RaggedOneHot", [indices, depth, on_value, off_value, axis]):
        ragged = as_tensor_or_ragged(indices, name="indices")
        made = array_create.one_hot(ragged.flat_values, depth, on_value, off_value, axis, dtype, name)
        return ragged.with_flat_values(made)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return the values in a shape of their own."""
    values = as_tensor_or_ragged(tensor, name="tensor").values
    return array_shape.reshape(values, shape)
