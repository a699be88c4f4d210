"""Several tensors made one, and one made several: Concat, Pack, Split, Unpack."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.array.values import Array, boxed, sizes_of, unboxed
from icefloe.shapes import Dims, shape_text


def _concatenate(axis: Any, values: tuple[Any, ...]) -> Array:
    if np.size(axis) != 1 or np.ndim(axis) > 1:
        raise errors.InvalidArgumentError(
            f"axis tensor should be a scalar integer, but got shape {shape_text(np.shape(axis))}"
        )
    arrays = [boxed(v) for v in values]
    first = arrays[0]
    wanted = int(np.ravel(axis)[0])
    dim = wanted + first.ndim if wanted < 0 else wanted
    if not first.ndim:
        raise errors.InvalidArgumentError("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not 0 <= dim < first.ndim:
        raise errors.InvalidArgumentError(
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), but got {wanted}"
        )
    for i, a in enumerate(arrays[1:], 1):
        if a.ndim != first.ndim:
            raise errors.InvalidArgumentError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = {shape_text(first.shape)} vs."
                f" shape[{i}] = {shape_text(a.shape)}"
            )
        for d in range(a.ndim):
            if d != dim and a.shape[d] != first.shape[d]:
                raise errors.InvalidArgumentError(
                    f"ConcatOp : Dimension {d} in both shapes must be equal: shape[0] = {shape_text(first.shape)} vs."
                    f" shape[{i}] = {shape_text(a.shape)}"
                )
    return np.concatenate(arrays, dim)


@kernel("Concat")
def concat(axis: Any, values: tuple[Any, ...]) -> Array:
    return _concatenate(axis, values)


@kernel("ConcatV2")
def concat_v2(values: tuple[Any, ...], axis: Any) -> Array:
    """`values` one after the other along `axis`; all other dimensions agree."""
    return _concatenate(axis, values)


def _concatenated_shape(shapes: list[Dims], axis: Array | None) -> Dims:
    rank = next((len(s) for s in shapes if s is not None), None)
    if rank == 0:
        raise errors.InvalidArgumentError("Can't concatenate scalars (use tf.stack instead)")
    if rank is not None:
        shapes = [s if s is None else with_rank(s, rank) for s in shapes]
    if axis is None:
        return None if rank is None else (None,) * rank
    dim = int(axis.ravel()[0])
    least = dim + 1 if dim >= 0 else -dim
    joined: Dims = None
    total: int | None = 0
    for s in shapes:
        if s is None:
            total = None
            continue
        if len(s) < least:
            raise errors.InvalidArgumentError(f"Shape must be at least rank {least} but is rank {len(s)}")
        where = dim % len(s)
        total = None if total is None or s[where] is None else total + (s[where] or 0)
        joined = merge(joined, (*s[:where], None, *s[where + 1 :]))
    if joined is None:
        return None
    where = dim % len(joined)
    return (*joined[:where], total, *joined[where + 1 :])


@shape("Concat")
def concat_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return [_concatenated_shape([c.shape(i) for i in c.group("values")], c.constant(0))]


@shape("ConcatV2")
def concat_v2_shape(c: ShapeContext) -> list[Dims]:
    axis = c.num_inputs - 1
    with_rank(c.shape(axis), 0)
    return [_concatenated_shape([c.shape(i) for i in c.group("values")], c.constant(axis))]


@kernel("ConcatOffset")
def concat_offset(axis: Any, shapes: tuple[Array, ...]) -> tuple[Array, ...]:
    """For each of `shapes`, where a tensor of that shape begins in the concatenation along `axis`."""
    first = shapes[0]
    if np.ndim(axis):
        raise errors.InvalidArgumentError(
            f"Concat dim tensor should be a scalar integer, but got shape {shape_text(np.shape(axis))}"
        )
    for i, s in enumerate(shapes):
        if s.ndim != 1:
            raise errors.InvalidArgumentError(f"input {i} should be a vector, but got shape {shape_text(s.shape)}")
    dim = int(np.ravel(axis)[0])
    dims = first.size
    where = dim + dims if dim < 0 else dim
    if not 0 <= where < dims:
        raise errors.InvalidArgumentError(f"Concat dim is out of range: {dim} vs. {dims}")
    offsets = []
    offset = 0
    for i, s in enumerate(shapes):
        if s.size != dims:
            raise errors.InvalidArgumentError(f"input {i} should contain {dims} elements, but got {s.size}")
        for j in range(dims):
            if j != where and s[j] != first[j]:
                raise errors.InvalidArgumentError(
                    f"All dimensions except {where} must match. Input {i} has shape [{' '.join(map(str, s.tolist()))}]"
                    f" and doesn't match input 0 with shape [{' '.join(map(str, first.tolist()))}]."
                )
        at = np.zeros(dims, first.dtype)
        at[where] = offset
        offset += int(s[where])
        offsets.append(at)
    return tuple(offsets)


@shape("ConcatOffset")
def concat_offset_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(i) for i in c.group("shape")]


@kernel("Pack")
def pack(values: tuple[Any, ...], *, axis: int) -> Array:
    """`values`, all of one shape, stacked along a new dimension `axis`."""
    first = boxed(values[0])
    rank = first.ndim + 1
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(f"axis = {axis} not in [{-rank}, {rank})")
    arrays = [first]
    for i, value in enumerate(values[1:], 1):
        a = boxed(value)
        if a.shape != first.shape:
            raise errors.InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {shape_text(first.shape)} != values[{i}].shape ="
                f" {shape_text(a.shape)}"
            )
        arrays.append(a)
    if rank == 1 and first.dtype != object:
        return np.array(arrays, first.dtype)
    return np.stack(arrays, axis % rank)


@shape("Pack")
def pack_shape(c: ShapeContext) -> list[Dims]:
    one: Dims = None
    for i in range(c.num_inputs):
        one = merge(one, c.shape(i))
    if one is None:
        return [None]
    axis = _new_axis(c.attr("axis"), len(one) + 1)
    return [(*one[:axis], c.num_inputs, *one[axis:])]


def _new_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    return axis % rank


@kernel("ParallelConcat")
def parallel_concat(values: tuple[Any, ...], *, shape: Dims) -> Array:
    """`values`, each with a first dimension of 1, below one another: `shape` in all."""
    for i, value in enumerate(values):
        if not value.ndim or value.shape[0] != 1 or (shape is not None and value.shape[1:] != shape[1:]):
            raise errors.InvalidArgumentError(
                f"Input {i} of shape {shape_text(value.shape)} does not fit the output {shape_text(shape)}:"
                " its first dimension must be 1, the others the output's"
            )
    return np.concatenate(values)


@shape("ParallelConcat")
def parallel_concat_shape(c: ShapeContext) -> list[Dims]:
    wanted: Dims = c.attr("shape")
    if wanted is None or None in wanted:
        raise errors.InvalidArgumentError("shape attr must be fully defined.")
    if not wanted:
        raise errors.InvalidArgumentError("size of first dimension unknown")
    for i in range(c.num_inputs):
        one = c.shape(i)
        if one is not None and (not one or one[0] not in (1, None)):
            raise errors.InvalidArgumentError(f"Size of first dimension must be 1, got {shape_text(one)}")
        merge(one, (1, *wanted[1:]))
    if wanted[0] != c.num_inputs:
        raise errors.InvalidArgumentError(f"First dimension of the output must be {c.num_inputs}, got {wanted[0]}")
    return [wanted]


@kernel("Unpack", returns=("view", 0))
def unpack(value: Any, *, num: int, axis: int) -> tuple[Any, ...]:
    """The `num` slices of `value` along `axis`, without that dimension."""
    if not -value.ndim <= axis < value.ndim:
        raise errors.InvalidArgumentError(f"axis = {axis} not in [{-value.ndim}, {value.ndim})")
    axis %= value.ndim
    if value.shape[axis] != num:
        raise errors.InvalidArgumentError(
            f"Input shape axis {axis} must equal {num}, got shape {shape_text(value.shape)}"
        )
    before = (slice(None),) * axis
    parts = [value[(*before, i, Ellipsis)] for i in range(num)]
    if value.ndim == 1:
        return tuple(unboxed(part) for part in parts)
    return tuple(parts)


@shape("Unpack")
def unpack_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    num = c.num_outputs
    if known is None:
        return [None] * num
    axis = c.attr("axis")
    if not -len(known) <= axis < len(known):
        raise errors.InvalidArgumentError(f"Invalid axis: {axis}; must be in [{-len(known)},{len(known)})")
    axis %= len(known)
    if known[axis] not in (num, None):
        raise errors.InvalidArgumentError(f"Dimension must be {num} but is {known[axis]}")
    return [(*known[:axis], *known[axis + 1 :])] * num


def _split_axis(x: Array, axis: int) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise errors.InvalidArgumentError(
            f"-input rank(-{x.ndim}) <= split_dim < input rank ({x.ndim}), but got {axis}"
        )
    return axis % x.ndim


def _cut(x: Array, axis: int, sizes: list[int]) -> tuple[Array, ...]:
    before = (slice(None),) * axis
    parts = []
    start = 0
    for size in sizes:
        parts.append(x[(*before, slice(start, start + size))])
        start += size
    return tuple(parts)


@kernel("Split", returns=("view", 1))
def split(dim: Any, x: Any, *, num_split: int) -> tuple[Array, ...]:
    """`x` in `num_split` equal parts along `dim`."""
    a = boxed(x)
    if np.ndim(dim):
        raise errors.InvalidArgumentError(f"split_dim must be a scalar but has rank {np.ndim(dim)}")
    axis = _split_axis(a, int(dim))
    if a.shape[axis] % num_split:
        raise errors.InvalidArgumentError(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} (size ="
            f" {a.shape[axis]}) and num_split {num_split}"
        )
    return _cut(a, axis, [a.shape[axis] // num_split] * num_split)


# `Split` takes its data as input 1.
@shape("Split")
def split_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(1)
    num = c.num_outputs
    dim = c.constant(0)
    if known is None:
        return [None] * num
    if dim is None:
        return [(None,) * len(known)] * num
    axis = int(dim.ravel()[0])
    if not -len(known) <= axis < len(known):
        raise errors.InvalidArgumentError(
            f"Dimension size, given by scalar input {axis}, must be in range [-{len(known)}, {len(known)})"
        )
    axis %= len(known)
    size = known[axis]
    if size is not None:
        if size % num:
            raise errors.InvalidArgumentError(f"Dimension size must be evenly divisible by {num} but is {size}")
        size //= num
    return [(*known[:axis], size, *known[axis + 1 :])] * num


@kernel("SplitV", returns=("view", 0))
def split_v(x: Any, sizes: Any, dim: Any, *, num_split: int) -> tuple[Array, ...]:
    """`x` in parts of the given `sizes` along `dim`; one size may be -1: what is left over."""
    a = boxed(x)
    if np.ndim(sizes) != 1 or np.size(sizes) != num_split:
        raise errors.InvalidArgumentError(
            "size of the split_tensor must be 1-D and have the same elements as outputs got"
            f" {np.ndim(sizes)} -D and {np.size(sizes)} elements"
        )
    if np.size(dim) != 1:
        raise errors.InvalidArgumentError(
            f"split_dim_tensor must have exactly one element, got shape {shape_text(np.shape(dim))}"
        )
    if num_split == 1:  # the whole, whatever the sizes say: TensorFlow looks no further
        return (a,)
    axis = _split_axis(a, int(np.ravel(dim)[0]))
    return _cut(a, axis, _resolved(sizes_of(sizes), a.shape[axis]))


def _resolved(wanted: list[int], size: int) -> list[int]:
    missing = [i for i, n in enumerate(wanted) if n == -1]
    if len(missing) > 1:
        raise errors.InvalidArgumentError("There can only be one -1 in the input.")
    total = sum(n for n in wanted if n != -1)
    if (total > size) if missing else (total != size):
        raise errors.InvalidArgumentError(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less"
            f" than the size of the input along split_dim if not fully specified.  Got: {total}"
        )
    if missing:
        wanted[missing[0]] = size - total
    for i, n in enumerate(wanted):
        if n < 0:
            raise errors.InvalidArgumentError(f"Split size at index {i} must be >= 0. Got: {n}")
    return wanted


@shape("SplitV")
def split_v_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    num = c.num_outputs
    dim, sizes = c.constant(2), c.constant(1)
    if dim is not None:
        with_rank(c.shape(2), 0)
    if known is None:
        return [None] * num
    if not known:
        raise errors.InvalidArgumentError("Can't split scalars")
    if dim is None:
        # One part is the whole, whichever the dimension.
        return [known] if num == 1 else [(None,) * len(known)] * num
    axis = int(dim.ravel()[0])
    if not -len(known) <= axis < len(known):
        raise errors.InvalidArgumentError(
            f"Dimension size, given by scalar input {axis}, must be in range [-{len(known)}, {len(known)})"
        )
    axis %= len(known)
    parts: list[int | None]
    if sizes is None:
        parts = [known[axis]] if num == 1 else [None] * num
    elif known[axis] is None:
        parts = [None if n < 0 else n for n in sizes.tolist()]
    else:
        parts = [*_resolved(sizes.tolist(), known[axis] or 0)]
    return [(*known[:axis], n, *known[axis + 1 :]) for n in parts]
