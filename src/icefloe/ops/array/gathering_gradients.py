"""Gradient rules of gathering and scattering by index."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    cast,
    concat,
    expand_dims,
    gather,
    range_to,
    rank_of,
    reshape,
    shape_of,
    size_of,
    transpose,
    variable_shape,
    zeros_like,
)


def _rows(grad: Any, indices: Tensor, params_shape: Tensor, size: Tensor) -> IndexedSlices:
    """Return the gradient of gathered rows as slices. size: the number of indices, as a vector."""
    values = reshape(grad, concat([size, params_shape[1:]]))
    return IndexedSlices(values, reshape(indices, size), params_shape)


@gradient("Gather")
def gathered(op: Operation, grad: Any) -> list[Any]:
    """IndexedSlices: the gradient at the rows that were gathered."""
    params, indices = op.inputs
    with colocate_with(params):
        size = shape_of(params)
    return [_rows(grad, indices, size, expand_dims(size_of(indices), 0)), None]


@gradient("ResourceGather")
def gathered_of_variable(op: Operation, grad: Any) -> tuple[Any, None]:
    """IndexedSlices: the gradient at the rows that were gathered."""
    handle, indices = op.inputs
    size = variable_shape(handle)
    return _rows(grad, indices, size, expand_dims(size_of(indices), 0)), None


@gradient("GatherV2")
def gathered_along(op: Operation, grad: Any) -> list[Any]:
    """IndexedSlices along axis 0; along another, the gradient summed where it came from."""
    params, indices, axis = op.inputs
    with colocate_with(params):
        size = shape_of(params)
    batch_dims = int(op.get_attr("batch_dims"))
    if batch_dims < 0:
        if indices.shape.rank is None:
            raise ValueError(
                "Currently, it is unsupported to take the gradient of tf.gather when batch_dims < 0 and the rank of "
                "the indices is unknown. Please pass a positive batch_dims or use tf.ensure_shape to update the shape "
                f"of indices when calling tf.gather. Got batch_dims={batch_dims} and indices={indices}"
            )
        batch_dims += indices.shape.rank
    known = constant_value(axis)
    length = expand_dims(size_of(indices), 0)
    if known is not None and int(known) == 0:
        return [_rows(grad, indices, size, length), None, None]
    outer, inner = size[:axis], size[axis:][1:]
    values_shape = concat([outer, [-1], inner])
    count, axis_count = size_of(values_shape), size_of(outer)
    batch = range_to(batch_dims)
    between = range_to(axis_count, batch_dims)
    behind = range_to(count, axis_count + 1)
    values = reshape(grad, values_shape)
    order = concat([batch, [axis_count], between, behind])
    values = transpose(values, order)
    made = _summed(gather(size, order), values, indices, batch_dims, size[axis])
    back = concat([batch, between + 1, [batch_dims], behind])
    return [reshape(transpose(made, back), shape_of(params)), None, None]


def _summed(params_shape: Tensor, values: Any, indices: Tensor, batch_dims: int, count: Any) -> Tensor:
    """Return the sum of `values` at `indices`, along the first axis behind `batch_dims` batch axes."""
    length = expand_dims(size_of(indices), 0)
    if not batch_dims:
        return apply_op("UnsortedSegmentSum", values, reshape(indices, length), count)
    size = shape_of(values)
    outer, inner = size[:batch_dims], size[batch_dims:][1:]
    flat = concat([[-1], inner])
    count = count * apply_op("Prod", outer, [0])
    indices = reshape(_numbered(params_shape, indices, batch_dims), length)
    made = apply_op("UnsortedSegmentSum", reshape(values, flat), indices, count)
    return reshape(made, concat([outer, flat]))


def _numbered(params_shape: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Return indices that count on over the batches."""
    kind = indices.dtype.base_dtype
    sizes = cast(params_shape, kind)
    step: Any = constant(1, dtype=kind, shape=[])
    rank = rank_of(indices)
    for dim in range(batch_dims, 0, -1):
        step = step * sizes[dim]
        numbers = range_to(sizes[dim - 1], constant(0, kind), constant(1, kind)) * step
        ones_before = constant([1] * (dim - 1), datatypes.int32, shape=[dim - 1])
        behind = apply_op("Tile", [1], apply_op("Pack", [rank - dim]))
        here = apply_op("Pack", [params_shape[dim - 1]])
        indices = indices + reshape(numbers, concat([ones_before, here, behind]))
    return indices


def _policy(op: Operation) -> dict[str, Any]:
    """Return what is to be done about indices out of range, where the op says so."""
    return {"bad_indices_policy": op.get_attr("bad_indices_policy")} if op.has_attr("bad_indices_policy") else {}


def _nd(op: Operation, grad: Any, indices: Tensor, size: Tensor) -> Any:
    if indices.shape.rank == 2 and indices.shape.as_list()[-1] == 1:
        return IndexedSlices(grad, apply_op("Squeeze", indices, squeeze_dims=[-1]), size)
    return apply_op("ScatterNd", indices, grad, size, **_policy(op))


@gradient("GatherNd")
def gathered_nd(op: Operation, grad: Any) -> list[Any]:
    """The gradient scattered where it came from; IndexedSlices where whole rows were gathered."""
    params, indices = op.inputs
    return [_nd(op, grad, indices, shape_of(params, indices.dtype)), None]


@gradient("ResourceGatherNd")
def gathered_nd_of_variable(op: Operation, grad: Any) -> list[Any]:
    """As of GatherNd, for a variable."""
    handle, indices = op.inputs
    return [_nd(op, grad, indices, variable_shape(handle, indices.dtype)), None]


@gradient("ScatterNd")
def scattered(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient at the places that were written."""
    return [None, apply_op("GatherNd", grad, op.inputs[0]), None]


@gradient("TensorScatterUpdate")
def scatter_update(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient where nothing was written, and where something was."""
    indices = op.inputs[1]
    updates = apply_op("GatherNd", grad, indices)
    kept = apply_op("TensorScatterUpdate", apply_op("Identity", grad), indices, zeros_like(op.inputs[2]))
    return [kept, None, updates]


@gradient("TensorScatterAdd", "TensorScatterSub")
def scatter_add(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, and that at the places that were added to."""
    updates = apply_op("GatherNd", grad, op.inputs[1])
    kept = apply_op("Identity", grad)
    return [kept, None, -updates if op.type == "TensorScatterSub" else updates]


@gradient("ScatterNdNonAliasingAdd")
def scatter_add_copy(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, and that at the places that were added to."""
    return [grad, None, apply_op("GatherNd", grad, op.inputs[1])]


@gradient("TensorScatterMin", "TensorScatterMax")
def scatter_extreme(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient in equal parts for those that have the value that came out."""
    x, indices, y = op.inputs
    output = op.outputs[0]
    by_x = cast(apply_op("Equal", x, output), grad.dtype)
    policy = _policy(op)
    by_y = cast(apply_op("Equal", y, apply_op("GatherNd", output, indices, **policy)), grad.dtype)
    total = by_x + apply_op("ScatterNd", indices, by_y, shape_of(x, indices.dtype), **policy)
    return [grad * by_x / total, None, apply_op("GatherNd", grad / total, indices, **policy) * by_y]
