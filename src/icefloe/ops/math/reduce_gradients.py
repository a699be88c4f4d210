"""Gradient rules of reductions along axes and of running sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    cast,
    concat,
    conj,
    expand_dims,
    gather,
    kept_shape,
    product_of,
    range_to,
    rank_of,
    reshape,
    select,
    shape_of,
    size_of,
    transpose,
)


def _kept_and_multiples(sizes: list[Any], axes: Any) -> tuple[list[int], list[int]]:
    """Return the shape of a reduction that keeps its axes, and how often each is repeated.

    As in TensorFlow, nodes that compute the latter are made the first time a graph needs it, though nothing uses them:
    later nodes have the same names so.
    """
    known = get_default_graph().__dict__.setdefault("_reduced_shapes", {})
    key = tuple(sizes), tuple(axes.reshape(-1).tolist())
    if key not in known:
        kept = np.array(sizes, np.int64)
        kept[axes.reshape(-1)] = 1
        kept_list: list[int] = kept.tolist()
        least = apply_op("Maximum", kept_list, 1)
        apply_op("FloorDiv", sizes, least, name="floordiv")
        known[key] = kept_list, (np.array(sizes) // np.maximum(kept, 1)).tolist()
    found: tuple[list[int], list[int]] = known[key]
    return found


def _spread(op: Operation, grad: Tensor) -> Tensor:
    """Return the gradient of a sum: each element's, in the shape of the input."""
    x, axes = op.inputs
    known_axes = constant_value(axes)
    if x.shape.rank is not None and known_axes is not None:
        sizes = x.shape.as_list()
        if np.array_equal(known_axes, np.arange(len(sizes))):
            grad = reshape(grad, [1] * len(sizes) if sizes else np.zeros(0, np.int32))
            whole = constant(sizes, datatypes.int32) if None not in sizes else shape_of(x)
            return apply_op("Tile", grad, whole)
        if None not in sizes:
            kept, multiples = _kept_and_multiples(sizes, known_axes)
            return apply_op("Tile", reshape(grad, kept), multiples)
    size = shape_of(x)
    if not op.get_attr("keep_dims"):
        with colocate_with(size):
            kept_size = kept_shape(size, axes)
        grad = reshape(grad, kept_size)
    return apply_op("BroadcastTo", grad, size)


@gradient("Sum")
def total(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient for each element that was summed."""
    return [_spread(op, grad), None]


@gradient("Mean")
def mean(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """As of a sum, divided by the number of elements."""
    spread = _spread(op, grad)
    x, y = op.inputs[0], op.outputs[0]
    if x.shape.is_fully_defined() and y.shape.is_fully_defined():
        count = (x.shape.num_elements() or 0) // max(y.shape.num_elements() or 0, 1)
        factor = constant(count, dtype=spread.dtype)
    else:
        size = shape_of(x)
        rank = size_of(size)
        axes = cast(op.inputs[1], rank.dtype)
        axes = (axes + rank) % rank
        factor = product_of(gather(size, axes))
    return spread / cast(factor, spread.dtype), None


@gradient("Max", "Min")
def extreme(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient in equal parts for the elements that have the extreme value."""
    x, axes = op.inputs
    size, y = shape_of(x), op.outputs[0]
    if op.get_attr("keep_dims"):
        kept = shape_of(y)
    else:
        kept = kept_shape(size, axes)
        y, grad = reshape(y, kept), reshape(grad, kept)
    chosen = cast(apply_op("Equal", y, x), grad.dtype)
    count = reshape(apply_op("Sum", chosen, axes), kept)
    return [chosen / count * grad, None]


@gradient("Prod")
def product(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The gradient times the product of all other elements, computed from both sides so that zeros do no harm."""
    x = op.inputs[0]
    size = shape_of(x)
    axes = reshape(op.inputs[1], [-1])
    if not op.get_attr("keep_dims"):
        grad = reshape(grad, kept_shape(size, op.inputs[1]))
    grad = apply_op("BroadcastTo", grad, size)
    rank = rank_of(x)
    axes = cast(axes, rank.dtype)
    reduced = (axes + rank) % rank
    other = apply_op("ListDiff", range_to(rank), reduced)[0]
    perm = concat([reduced, other])
    lengths = [product_of(gather(size, part)) for part in (reduced, other)]
    permuted = transpose(x, perm)
    permuted_size = shape_of(permuted)
    flat = reshape(permuted, lengths)
    left = apply_op("Cumprod", flat, 0, exclusive=True, name="Cumprod")
    right = apply_op("Cumprod", flat, 0, exclusive=True, reverse=True)
    others = reshape(conj(left) * conj(right), permuted_size)
    out = grad * transpose(others, apply_op("InvertPermutation", perm))
    return reshape(out, size), None


@gradient("EuclideanNorm")
def euclidean_norm(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The element divided by the norm."""
    x, y = op.inputs[0], op.outputs[0]
    if not op.get_attr("keep_dims"):
        kept = kept_shape(shape_of(x), op.inputs[1])
        y, grad = reshape(y, kept), reshape(grad, kept)
    return x / (y / grad), None


not_differentiable("All", "Any")


@gradient("ArgMax", "ArgMin")
def positions(op: Operation, grad: Any) -> list[None]:
    """Positions pass no gradient."""
    return [None, None]


# Running sums and products


@gradient("Cumsum")
def running_sum(op: Operation, grad: Tensor) -> list[Any]:
    """The running sum of the gradient from the other end."""
    return [_back(op, "Cumsum", grad), None]


def _back(op: Operation, function: str, x: Tensor) -> Tensor:
    return apply_op(function, x, op.inputs[1], exclusive=op.get_attr("exclusive"), reverse=not op.get_attr("reverse"))


@gradient("Cumprod")
def running_product(op: Operation, grad: Tensor) -> list[Any]:
    """From the running product; zero where an element is zero."""
    x, axis = op.inputs
    same = {name: op.get_attr(name) for name in ("exclusive", "reverse")}
    out = _back(op, "Cumsum", apply_op("Cumprod", x, axis, **same) * grad)
    return [apply_op("DivNoNan", out, x, name="div_no_nan"), None]


@gradient("CumulativeLogsumexp")
def running_log_sum(op: Operation, grad: Tensor) -> list[Any]:
    """Computed in logarithms, for the positive and the negative part of the gradient apart."""
    x, y = op.inputs[0], op.outputs[0]
    least = constant(grad.dtype.min, dtype=grad.dtype)
    positive = select(grad > 0, apply_op("Log", grad), least)
    negative = select(grad < 0, apply_op("Log", -grad), least)
    parts = [apply_op("Exp", _back(op, "CumulativeLogsumexp", part - y) + x) for part in (positive, negative)]
    return [parts[0] - parts[1], None]


@gradient("NthElement")
def nth_element(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient in equal parts for the elements that have the value."""
    x = op.inputs[0]
    chosen = cast(apply_op("Equal", expand_dims(op.outputs[0], -1), x), grad.dtype)
    count = expand_dims(apply_op("Sum", chosen, -1), -1)
    return [chosen / count * expand_dims(grad, -1), None]
