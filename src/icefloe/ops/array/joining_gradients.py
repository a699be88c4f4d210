"""Gradient rules of joining, splitting, padding, repeating, slicing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.control_flow_nodes import output_context
from icefloe.graph.conversion import constant
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    cast,
    concat,
    gather,
    range_to,
    rank_of,
    reshape,
    shape_of,
    shapes_of,
    size_of,
    stack,
    transpose,
    zeros_like,
)


@gradient("Pack")
def pack(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, unpacked."""
    return list(apply_op("Unpack", grad, num=op.get_attr("N"), axis=op.get_attr("axis"), name="unstack"))


@gradient("Unpack")
def unpack(op: Operation, *grads: Tensor) -> Tensor:
    """The gradients, packed."""
    return apply_op("Pack", list(grads), axis=op.get_attr("axis"), name="stack")


@gradient("ConcatV2")
def concatenated(op: Operation, grad: Any) -> list[Any]:
    """The parts of the gradient."""
    return [*_parts(op.inputs[-1], list(op.inputs[:-1]), grad), None]


@gradient("Concat")
def concatenated_v1(op: Operation, grad: Any) -> list[Any]:
    """The parts of the gradient."""
    return [None, *_parts(op.inputs[0], list(op.inputs[1:]), grad)]


def _parts(axis: Tensor, values: list[Tensor], grad: Any) -> list[Any]:
    if len(values) == 1:
        return [grad]
    if isinstance(grad, IndexedSlices):
        return _parts_of_slices(axis, values, grad)
    if axis.op.type == "Const" and output_context(axis.op) is not output_context(grad.op):
        # The gradient may be in a loop that the axis is not in.
        axis = constant(constant_value(axis), dtype=axis.dtype)
    axis = axis % rank_of(values[0])
    sizes = _shapes(values)
    if len(sizes) > 16:
        lengths = apply_op(
            "Squeeze",
            apply_op("Slice", apply_op("Pack", sizes, axis=1, name="stack"), [axis, 0], [1, -1]),
        )
        return list(apply_op("SplitV", grad, lengths, axis, num_split=len(sizes), name="split"))
    offsets = apply_op("ConcatOffset", axis, sizes)
    return [apply_op("Slice", grad, begin, size) for begin, size in zip(offsets, sizes)]


def _shapes(values: list[Tensor]) -> list[Tensor]:
    """Return the shapes as constants if all are known, else from one node."""
    sizes = []
    for value in values:
        size = shape_of(value)
        if size.op.type != "Const":
            return shapes_of(*values)
        sizes.append(size)
    return sizes


def _parts_of_slices(axis: Tensor, values: list[Tensor], grad: IndexedSlices) -> list[Any]:
    known = constant_value(axis)
    if known is None:
        raise ValueError("Can only compute IndexedSlices gradient with statically-known concat_dim")
    where = int(known)
    if where < 0:
        if values[0].shape.rank is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value rank is "
                "statically-known."
            )
        where += values[0].shape.rank
    sizes = [shape_of(value) for value in values]
    made = []
    if where > 0:
        begin: Any = zeros_like(sizes[0])
        rank = values[0].shape.rank
        if rank is None:
            mask: Any = apply_op("OneHot", where, shape_of(sizes[0])[0], constant(1), constant(0))
        else:
            mask = np.zeros(rank, np.int32)
            mask[where] = 1
        for size in sizes:
            part = apply_op("Slice", grad.values, begin, concat([[-1], size[1:]]))
            made.append(IndexedSlices(part, grad.indices, size))
            begin = begin + size * mask
        return made
    start: Any = constant(0, dtype=grad.indices.dtype)
    for size in sizes:
        end = start + cast(size[0], grad.indices.dtype)
        inside = apply_op("LogicalAnd", grad.indices >= start, grad.indices < end)
        chosen = apply_op("Squeeze", apply_op("Where", inside), squeeze_dims=[1])
        made.append(IndexedSlices(gather(grad.values, chosen), gather(grad.indices, chosen) - start, size))
        start = end
    return made


@gradient("Split")
def split(op: Operation, *grads: Tensor) -> tuple[None, Any]:
    """The gradients, joined."""
    return None, concat(grads, op.inputs[0])


@gradient("SplitV")
def split_by_sizes(op: Operation, *grads: Tensor) -> list[Any]:
    """The gradients, joined."""
    return [concat(grads, op.inputs[2]), None, None]


@gradient("Slice")
def sliced(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """The gradient, padded with zeros."""
    x, begin = op.inputs[:2]
    rank = rank_of(x)
    size = shape_of(op.outputs[0], begin.dtype)
    column = stack([rank, 1])
    before = reshape(begin, column)
    after = reshape(shape_of(x, begin.dtype) - size - begin, column)
    return apply_op("Pad", grad, concat([before, after], 1)), None, None


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _masks(op: Operation) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in _MASKS}


@gradient("StridedSlice")
def strided(op: Operation, grad: Tensor) -> tuple[Any, None, None, None]:
    """The gradient, put back among zeros."""
    where = list(op.inputs[1:])
    size = shape_of(op.inputs[0], where[0].dtype)
    known = [constant_value(t) for t in (size, *where)]
    parts = [t if value is None else value for t, value in zip((size, *where), known)]
    return apply_op("StridedSliceGrad", *parts, grad, **_masks(op)), None, None, None


@gradient("StridedSliceGrad")
def strided_grad(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The slice of the gradient."""
    made = apply_op("StridedSlice", grad, *op.inputs[1:4], name="strided_slice", **_masks(op))
    return None, None, None, None, made


@gradient("TensorStridedSliceUpdate")
def strided_update(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient where it was not updated, and its slice for the values, summed over what was broadcast."""
    where = op.inputs[1:4]
    dy = apply_op("StridedSlice", grad, *where, name="strided_slice", **_masks(op))
    dx = apply_op("TensorStridedSliceUpdate", grad, *where, zeros_like(dy), **_masks(op))
    size = shape_of(dy, where[0].dtype)
    value_size = shape_of(op.inputs[4], size.dtype)
    axes = apply_op("BroadcastGradientArgs", size, value_size)[1]
    return dx, None, None, None, reshape(apply_op("Sum", dy, axes, keep_dims=True), value_size)


@gradient("Pad", "PadV2")
def padded(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient without the padding."""
    x, paddings = op.inputs[:2]
    before = apply_op("Slice", paddings, [0, 0], stack([rank_of(x), 1]))
    begin = reshape(before, [-1])
    made = apply_op("Slice", grad, begin, shape_of(x, begin.dtype))
    return (made, *[None] * (len(op.inputs) - 1))


@gradient("MirrorPad", "MirrorPadGrad")
def mirrored(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient with the mirrored parts added to what they mirror; of that, the gradient padded."""
    back = "MirrorPadGrad" if op.type == "MirrorPad" else "MirrorPad"
    return [apply_op(back, grad, op.inputs[1], mode=op.get_attr("mode")), None]


@gradient("Tile")
def tiled(op: Operation, grad: Any) -> list[Any]:
    """The sum over the repetitions."""
    x, multiples = op.inputs
    size = shape_of(x, multiples.dtype)
    pairs = apply_op("Pack", [multiples, size], name="stack")
    split_size = reshape(transpose(pairs, [1, 0]), [-1])
    axes = range_to(size_of(split_size), 0, 2)
    if isinstance(grad, IndexedSlices):
        rows = cast(size[0], grad.indices.dtype)
        grad = apply_op("UnsortedSegmentSum", grad.values, grad.indices % rows, rows)
        split_size = concat([[1], split_size[1:]])
    made = apply_op("Sum", reshape(grad, split_size), axes)
    made.set_shape(x.shape)
    return [made, None]


@gradient("BroadcastTo")
def broadcast(op: Operation, grad: Tensor) -> list[Any]:
    """The sum over the axes along which it was broadcast."""
    x, target = op.inputs
    size = shape_of(x, target.dtype)
    known = constant_value(target)
    if known is not None:
        target = constant(known, dtype=target.dtype)
    axes = apply_op("BroadcastGradientArgs", target, size)[1]
    return [reshape(apply_op("Sum", grad, axes, keep_dims=True), size), None]


@gradient("SpaceToBatch", "BatchToSpace")
def blocks(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, put back."""
    back = "BatchToSpace" if op.type == "SpaceToBatch" else "SpaceToBatch"
    return [apply_op(back, grad, op.inputs[1], block_size=op.get_attr("block_size")), None]


@gradient("SpaceToBatchND", "BatchToSpaceND")
def blocks_nd(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, put back."""
    back = "BatchToSpaceND" if op.type == "SpaceToBatchND" else "SpaceToBatchND"
    return [apply_op(back, grad, op.inputs[1], op.inputs[2]), None, None]


@gradient("SpaceToDepth", "DepthToSpace")
def depth(op: Operation, grad: Tensor) -> Tensor:
    """The gradient, put back."""
    back = "DepthToSpace" if op.type == "SpaceToDepth" else "SpaceToDepth"
    attrs = {name: op.get_attr(name) for name in ("block_size", "data_format")}
    if attrs["data_format"] == b"NCHW_VECT_C":
        raise ValueError(f"Cannot compute {op.type} gradient with NCHW_VECT_C. NCHW_VECT_C requires qint8 data type.")
    return apply_op(back, grad, **attrs)


@gradient("DynamicPartition")
def partitioned(op: Operation, *grads: Tensor) -> list[Any]:
    """The gradients, stitched together where they came from."""
    data, partitions = op.inputs
    size = shape_of(partitions)
    total = apply_op("Prod", size, [0])
    numbers = reshape(range_to(total), size)
    places = apply_op("DynamicPartition", numbers, partitions, num_partitions=op.get_attr("num_partitions"))
    made = apply_op("DynamicStitch", places, list(grads))
    return [reshape(made, shape_of(data)), None]


@gradient("DynamicStitch", "ParallelDynamicStitch")
def stitched(op: Operation, grad: Any) -> list[Any]:
    """The rows of the gradient that each part went to."""
    count = len(op.inputs) // 2
    if isinstance(grad, IndexedSlices):
        grad = apply_op("UnsortedSegmentSum", grad.values, grad.indices, shape_of(op.outputs[0])[0])
    places = [cast(op.inputs[i], datatypes.int32) for i in range(count)]
    return [*[None] * count, *(gather(grad, place) for place in places)]


@gradient("ExtractImagePatches")
def patches(op: Operation, grad: Tensor) -> list[Any]:
    """Each element's share of the gradient, found by the patches of the elements' numbers."""
    batch, rows, cols, channels = apply_op("Unpack", shape_of(op.inputs[0], datatypes.int64), num=4)
    out_rows, out_cols = apply_op("Unpack", shape_of(op.outputs[0], datatypes.int64)[1:3], num=2)
    _, height, width, _ = op.get_attr("ksizes")
    count = rows * cols
    one = constant(1, datatypes.int64)
    numbers = apply_op("Range", one, count + 1, one)
    numbers = reshape(apply_op("Cast", numbers, DstT=datatypes.float32), apply_op("Pack", [one, rows, cols, one]))
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "rates", "padding")}
    places = apply_op("Cast", apply_op("ExtractImagePatches", numbers, **attrs), DstT=datatypes.int64)
    wide = reshape(grad, apply_op("Pack", [batch, out_rows, out_cols, height, width, channels]))
    flat = reshape(transpose(wide, [1, 2, 3, 4, 0, 5]), apply_op("Pack", [-one, batch * channels]))
    made = apply_op("UnsortedSegmentSum", flat, reshape(places, [-1]) - 1, count)
    made = reshape(made, apply_op("Pack", [rows, cols, batch, channels]))
    return [transpose(made, [2, 0, 1, 3])]
