"""Gradient rules of reductions over segments."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    cast,
    concat,
    expand_dims,
    gather,
    ones,
    ones_like,
    rank_of,
    reshape,
    select,
    shape_of,
    zeros_like,
)


@gradient("SegmentSum")
def segment_sum(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """Each element has the gradient of its segment."""
    return gather(grad, op.inputs[1]), None


@gradient("SegmentMean")
def segment_mean(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """As of a sum, divided by the size of the segment."""
    data, ids = op.inputs
    rank, size = rank_of(data), shape_of(ids)
    rest = ones(expand_dims(rank - 1, 0), size.dtype)
    counted = apply_op("SegmentSum", ones(concat([size, rest]), grad.dtype), ids)
    return gather(grad / counted, ids), None


@gradient("SegmentMin", "SegmentMax")
def segment_extreme(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The gradient in equal parts for the elements that have the extreme value."""
    data, ids = op.inputs
    zeros = zeros_like(data)
    chosen = apply_op("Equal", data, gather(op.outputs[0], ids))
    count = apply_op("SegmentSum", cast(chosen, grad.dtype), ids)
    return select(chosen, gather(grad / count, ids), zeros), None


@gradient("SegmentProd")
def segment_product(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The gradient times the product of the others."""
    data, ids = op.inputs
    return _product(op, grad, ids, ids, lambda x: apply_op("SegmentSum", x, ids), data, "SegmentProd", ())


@gradient("UnsortedSegmentProd")
def unsorted_segment_product(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """The gradient times the product of the others; none where the segment's number is negative."""
    data, ids, count = op.inputs
    clipped = apply_op("Maximum", ids, zeros_like(ids))
    made = _product(
        op,
        grad,
        ids,
        clipped,
        lambda x: apply_op("UnsortedSegmentSum", x, ids, count),
        data,
        "UnsortedSegmentProd",
        (count,),
    )
    return (*made, None)


def _product(
    op: Operation, grad: Tensor, ids: Tensor, at: Tensor, total: Any, data: Tensor, prod: str, more: tuple[Any, ...]
) -> tuple[Any, None]:
    is_zero = apply_op("Equal", data, 0)
    zeros = total(apply_op("Cast", is_zero, DstT=datatypes.int32))
    grad = select(zeros > 1, zeros_like(grad), grad)
    non_zero = select(is_zero, ones_like(data), data)
    product = apply_op(prod, non_zero, ids, *more)
    others = gather(op.outputs[0], at) / non_zero
    partial = select(is_zero, gather(product, at), others)
    gathered = gather(grad, at) if at is ids else _without_negatives(grad, ids)[0]
    return gathered * partial, None


def _without_negatives(params: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rows of `params` at `ids`, zero where an id is negative, and where none is."""
    gathered = gather(params, apply_op("Maximum", ids, zeros_like(ids)))
    positive = apply_op("GreaterEqual", ids, 0)
    size = shape_of(positive)
    rest = ones([rank_of(gathered) - rank_of(positive)], size.dtype)
    positive = reshape(positive, concat([size, rest]))
    whole = ones_like(gathered, datatypes.bool)
    positive = apply_op("LogicalAnd", positive, whole, name="and")
    return select(positive, gathered, zeros_like(gathered)), positive


@gradient("UnsortedSegmentSum")
def unsorted_segment_sum(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """Each element has the gradient of its segment; none where the segment's number is negative."""
    return _without_negatives(grad, op.inputs[1])[0], None, None


@gradient("UnsortedSegmentMin", "UnsortedSegmentMax")
def unsorted_segment_extreme(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """The gradient in equal parts for the elements that have the extreme value."""
    data, ids, count = op.inputs
    outputs, positive = _without_negatives(op.outputs[0], ids)
    chosen = apply_op("LogicalAnd", apply_op("Equal", data, outputs), positive)
    shared = apply_op("UnsortedSegmentSum", cast(chosen, grad.dtype), ids, count)
    gathered, _ = _without_negatives(grad / shared, ids)
    return select(chosen, gathered, zeros_like(gathered)), None, None


_KINDS = ("Sum", "Mean", "SqrtN")


@gradient(*(f"SparseSegment{kind}{tail}" for kind in _KINDS for tail in ("", "WithNumSegments")))
def sparse_segment(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """As an op of its own computes it; IndexedSlices where the op asks for that."""
    name = f"{op.type.removesuffix('WithNumSegments')}Grad"
    data, indices, ids = op.inputs[:3]
    rest = (None,) * (len(op.inputs) - 1)
    size = shape_of(data)
    if op.has_attr("sparse_gradient") and op.get_attr("sparse_gradient"):
        values, rows = apply_op(f"{name}V2", grad, indices, ids, size[0])
        return (IndexedSlices(values, rows, size), *rest)
    return (apply_op(name, grad, indices, ids, size[0]), *rest)
