"""A tensor's shape read, and changed without moving an element: Dims, Reshape, ExpandDims, Squeeze, Bitcast."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank, with_rank_at_least
from icefloe.ops.array.values import Array, boxed, product, sizes_of, unboxed
from icefloe.shapes import Dims, shape_text


def _shape_vector(x: Any, out_type: DType) -> Array:
    return np.array(boxed(x).shape, out_type.numpy)


@kernel("Shape")
def shape_of(x: Any, *, out_type: DType) -> Array:
    return _shape_vector(x, out_type)


@kernel("ShapeN")
def shape_n(inputs: tuple[Any, ...], *, out_type: DType) -> tuple[Array, ...]:
    return tuple(_shape_vector(x, out_type) for x in inputs)


@shape("Shape", "ShapeN")
def shape_of_shape(c: ShapeContext) -> list[Dims]:
    return [(None,) if (s := c.shape(i)) is None else (len(s),) for i in range(c.num_inputs)]


@kernel("Size")
def size_of(x: Any, *, out_type: DType) -> Array:
    return np.array(boxed(x).size, out_type.numpy)


@kernel("Rank")
def rank_of(x: Any) -> Array:
    return np.array(boxed(x).ndim, np.int32)


shape("Size", "Rank")(scalar)


@kernel("Reshape", returns=("view", 0))
def reshape(x: Any, sizes: Any) -> Any:
    """The elements of `x` in order in the shape `sizes`, one of which may be -1: what is left over."""
    a = boxed(x)
    if np.ndim(sizes) > 1:
        raise errors.InvalidArgumentError(f"sizes input must be 1-D, not {shape_text(np.shape(sizes))}")
    wanted = sizes_of(sizes)
    left_out = -1
    count = 1
    for i, size in enumerate(wanted):
        if size == -1:
            if left_out >= 0:
                raise errors.InvalidArgumentError(f"Only one input size may be -1, not both {left_out} and {i}")
            left_out = i
        elif size < 0:
            raise errors.InvalidArgumentError(f"Size {i} must be non-negative, not {size}")
        else:
            count *= size
    if count > 2**63 - 1:
        raise errors.InvalidArgumentError(f"Shape [{', '.join(map(str, wanted))}] has too many elements")
    if left_out >= 0:
        wanted[left_out] = _left_over(a, wanted, count)
        count = a.size
    if count != a.size:
        raise errors.InvalidArgumentError(
            f"Input to reshape is a tensor with {a.size} values, but the requested shape has {count}"
        )
    return unboxed(a.reshape(wanted))


def _left_over(a: Array, wanted: list[int], count: int) -> int:
    """Return the size that stands for -1. With zeros among the others, the input's zeros are left out in turn."""
    if count == 0:
        if a.size:
            raise errors.InvalidArgumentError(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are"
                " non-zero"
            )
        present = math.prod(size for size in a.shape if size) or 1
        others = math.prod(size for size in wanted if size > 0)
        return present // others if others and present % others == 0 else 0
    if a.size % count:
        raise errors.InvalidArgumentError(
            f"Input to reshape is a tensor with {a.size} values, but the requested shape requires a multiple of {count}"
        )
    return a.size // count


@shape("Reshape")
def reshape_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(1), 1)
    wanted = c.shape_value(1)
    if wanted is None:
        return [None]
    count = product(c.shape(0))
    known = product(tuple(size for size in wanted if size is not None)) or 0
    unknown = [i for i, size in enumerate(wanted) if size is None]
    if count is None:
        return [wanted]
    if not unknown:
        if known != count:
            raise errors.InvalidArgumentError(
                f"Cannot reshape a tensor with {count} elements to shape {shape_text(wanted)} ({known} elements)"
            )
    elif len(unknown) == 1 and known:
        if count % known:
            raise errors.InvalidArgumentError(
                f"Cannot reshape a tensor with {count} elements to shape {shape_text(wanted)}:"
                f" Dimension size must be evenly divisible by {known} but is {count}"
            )
        return [tuple(count // known if size is None else size for size in wanted)]
    return [wanted]


@kernel("ExpandDims", returns=("view", 0))
def expand_dims(x: Any, dim: Any) -> Any:
    """`x` with a dimension of 1 inserted before `dim`; -1 means after the last."""
    a = boxed(x)
    if np.size(dim) != 1:
        raise errors.InvalidArgumentError("'dim' must be a tensor with a single value")
    axis = _insertion(int(np.ravel(dim)[0]), a.ndim)
    return a.reshape(*a.shape[:axis], 1, *a.shape[axis:])


def _insertion(axis: int, rank: int) -> int:
    if not -rank - 1 <= axis <= rank:
        raise errors.InvalidArgumentError(f"Tried to expand dim index {axis} for tensor with {rank} dimensions.")
    return axis if axis >= 0 else axis + rank + 1


@shape("ExpandDims")
def expand_dims_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    dim = c.constant(1)
    if known is None:
        return [None]
    if dim is None:
        return [(None,) * (len(known) + 1)]
    if dim.size != 1:
        raise errors.InvalidArgumentError(f"'dim' input must be a tensor with a single value: got {dim.size} values")
    value = int(dim.ravel()[0])
    if not -len(known) - 1 <= value <= len(known):
        raise errors.InvalidArgumentError(f"dim {value} not in the interval [{-len(known) - 1}, {len(known)}].")
    axis = _insertion(value, len(known))
    return [(*known[:axis], 1, *known[axis:])]


@kernel("Squeeze", returns=("view", 0))
def squeeze(x: Any, *, squeeze_dims: tuple[int, ...]) -> Any:
    """`x` without its dimensions of size 1: those of `squeeze_dims`, or all if there are none."""
    a = boxed(x)
    return unboxed(a.reshape(_squeezed(a.shape, squeeze_dims)))


def _squeezed(sizes: tuple[Any, ...], dims: tuple[int, ...]) -> tuple[Any, ...]:
    rank = len(sizes)
    if not dims:
        return tuple(size for size in sizes if size != 1)
    dropped = set()
    for dim in dims:
        if not -rank <= dim < rank:
            raise errors.InvalidArgumentError(f"Tried to squeeze dim index {dim} for tensor with {rank} dimensions.")
        dropped.add(dim % rank)
    for i in sorted(dropped):
        if sizes[i] not in (1, None):
            raise errors.InvalidArgumentError(f"Can not squeeze dim[{i}], expected a dimension of 1, got {sizes[i]}")
    return tuple(size for i, size in enumerate(sizes) if i not in dropped)


@shape("Squeeze")
def squeeze_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    dims = c.attr("squeeze_dims")
    if known is None or (not dims and None in known):
        return [None]
    return [_squeezed(known, dims)]


@kernel("Bitcast", factory=True, returns=("view", 0))
def bitcast(*, T: DType, type: DType) -> Any:
    """The bytes of `x` read as another dtype: a smaller one adds a last dimension, a larger one takes it away."""
    source, target = T.numpy, type.numpy
    if source.itemsize >= target.itemsize:
        ratio = source.itemsize // target.itemsize

        def narrow(x: Any) -> Array:
            flat = np.ascontiguousarray(x).reshape(-1).view(target)
            return flat.reshape(*np.shape(x), ratio) if ratio > 1 else flat.reshape(np.shape(x))

        return narrow
    ratio = target.itemsize // source.itemsize

    def widen(x: Any) -> Array:
        if np.ndim(x) < 1 or x.shape[-1] != ratio:
            raise errors.InvalidArgumentError(f"Cannot bitcast from {T.as_datatype_enum} to {type.as_datatype_enum}")
        return np.ascontiguousarray(x).reshape(-1).view(target).reshape(x.shape[:-1])

    return widen


@shape("Bitcast")
def bitcast_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    source, target = c.dtype(0).size, c.attr("type").size
    if known is None or source == target:
        return [known]
    if source > target:
        return [(*known, source // target)]
    ratio = target // source
    known = with_rank_at_least(known, 1)
    assert known is not None
    if known[-1] not in (ratio, None):
        numbers = f"{c.dtype(0).as_datatype_enum} to {c.attr('type').as_datatype_enum}"
        raise errors.InvalidArgumentError(
            f"Cannot bitcast from {numbers} due to shape. {known[-1]} does not match {ratio}"
        )
    return [known[:-1]]
