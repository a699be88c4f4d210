"""Parts of a tensor by position: Slice, StridedSlice and its gradient and update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.strides import Entry, Masks, check_entries, index_of, sliced_shape
from icefloe.ops.array.values import Array, boxed, sizes_of, unboxed, zeros
from icefloe.shapes import Dims, shape_text


@kernel("Slice", returns=("view", 0))
def slice_of(x: Any, begin: Any, size: Any) -> Array:
    """`size[i]` elements from `begin[i]` on in dimension i; a size of -1 means all that follow."""
    a = boxed(x)
    _check_vectors(np.shape(begin), np.shape(size), a.ndim)
    index = []
    for i, (b, n, limit) in enumerate(zip(begin.tolist(), size.tolist(), a.shape)):
        if not 0 <= b <= limit:
            raise errors.InvalidArgumentError(f"Expected begin[{i}] in [0, {limit}], but got {b}")
        if n == -1:
            n = limit - b
        if not 0 <= n <= limit - b:
            raise errors.InvalidArgumentError(f"Expected size[{i}] in [0, {limit - b}], but got {n}")
        index.append(slice(b, b + n))
    return a[tuple(index)] if index else a


def _check_vectors(begin: tuple[int, ...], size: tuple[int, ...], rank: int) -> None:
    if begin != (rank,) or size != (rank,):
        raise errors.InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {rank}, but got shapes"
            f" {shape_text(begin)} and {shape_text(size)} instead."
        )


@shape("Slice")
def slice_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    begin, size = c.constant(1), c.constant(2)
    for i in (1, 2):
        vector = c.shape(i)
        if vector is not None and len(vector) != 1:
            raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(vector)}")
        if known is None and vector is not None and vector[0] is not None:
            known = (None,) * vector[0]
        if known is not None and vector is not None and vector[0] not in (None, len(known)):
            raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {vector[0]} and {len(known)}")
    if known is None:
        return [None]
    wanted = c.shape_value(2) if size is None else tuple(size.tolist())
    result: list[int | None] = []
    # Whether the part lies inside of the whole TensorFlow finds out when the op runs.
    for i, limit in enumerate(known):
        b = None if begin is None else int(begin[i])
        n = None if wanted is None else wanted[i]
        if n == -1:
            n = None if limit is None or b is None else limit - b
            if n is not None and n < 0:
                raise errors.InvalidArgumentError(f"Subtracting begin {b} from dimension {limit} gives less than 0")
        elif n is not None and n < 0:
            raise errors.InvalidArgumentError(f"Invalid value in tensor used for shape: {n}")
        elif n is None and limit == 0:
            n = 0
        result.append(n)
    return [tuple(result)]


def _indexer(masks: Masks) -> Callable[[tuple[int, ...], Any, Any, Any], tuple[Any, ...]]:
    """Return a function from a shape and begin, end, strides to numpy's index; it keeps the layouts it has met."""
    layouts: dict[tuple[int, int], list[Entry]] = {}

    def index(sizes: tuple[int, ...], begin: Any, end: Any, strides: Any) -> tuple[Any, ...]:
        check_entries(np.shape(begin), np.shape(end), np.shape(strides))
        key = len(sizes), len(begin)
        layout = layouts.get(key)
        if layout is None:
            layout = layouts[key] = masks.layout(*key)
        return index_of(sizes, layout, masks, begin.tolist(), end.tolist(), strides.tolist())

    return index


@kernel("StridedSlice", factory=True, returns=("view", 0))
def strided_slice(
    *, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Callable[..., Any]:
    """Python's `x[...]` of slices, elements, new axes and an ellipsis; see `icefloe.ops.array.strides`."""
    index = _indexer(Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))

    def run(x: Any, begin: Any, end: Any, strides: Any) -> Any:
        a = boxed(x)
        return unboxed(a[index(a.shape, begin, end, strides)])

    return run


@kernel("StridedSliceGrad", factory=True)
def strided_slice_grad(
    *, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Callable[..., Any]:
    """Zeros of shape `sizes` with `dy` where the strided slice of such a tensor reads."""
    index = _indexer(Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))

    def run(sizes: Any, begin: Any, end: Any, strides: Any, dy: Any) -> Array:
        if np.ndim(sizes) != 1:
            raise errors.InvalidArgumentError(f"shape must be 1-D, got shape.shape = {shape_text(np.shape(sizes))}")
        dy = np.asarray(dy)
        result = zeros(check_shape(sizes_of(sizes), dy.dtype), dy.dtype)
        part = result[index(result.shape, begin, end, strides)]
        if part.shape != dy.shape:
            raise errors.InvalidArgumentError(
                f"shape of dy was {shape_text(dy.shape)} instead of {shape_text(part.shape)}"
            )
        part[...] = dy
        return result

    return run


@kernel("TensorStridedSliceUpdate", factory=True)
def tensor_strided_slice_update(
    *, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Callable[..., Any]:
    """A copy of `x` whose strided slice holds `value`, broadcast to it."""
    index = _indexer(Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))

    def run(x: Any, begin: Any, end: Any, strides: Any, value: Any) -> Array:
        result = np.array(x)
        part = result[index(result.shape, begin, end, strides)]
        size = np.shape(value)
        # numpy would also take leading dimensions of 1 that the slice does not have.
        if part.shape != size and (
            sum(n != 1 for n in size) > part.ndim
            or any(n not in (1, m) for n, m in zip(reversed(size), reversed(part.shape)))
        ):
            raise errors.InvalidArgumentError(
                f"Cannot broadcast input shape {shape_text(size)} into final shape {shape_text(part.shape)}"
            )
        part[...] = value
        return result

    return run


def _attr_masks(c: ShapeContext) -> Masks:
    return Masks(*(c.attr(f"{name}_mask") for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")))


@shape("StridedSlice")
def strided_slice_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    entries = None
    for i in (1, 2, 3):
        vector = c.shape(i)
        if vector is None:
            continue
        if len(vector) != 1:
            raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(vector)}")
        if vector[0] is not None:
            if entries not in (None, vector[0]):
                raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {entries} and {vector[0]}")
            entries = vector[0]
    if known is None or entries is None:
        return [None]
    return [sliced_shape(known, entries, _attr_masks(c), c.constant(1), c.constant(2), c.constant(3))]


@shape("StridedSliceGrad")
def strided_slice_grad_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape_value(0)]


@shape("TensorStridedSliceUpdate")
def tensor_strided_slice_update_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(0)]
