"""Gradient rule of Einsum: for each operand, an Einsum of the gradient and the other one."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import concat, conj, kept_shape, ones, reshape, shape_of

_DOTS = "..."


@gradient("Einsum")
def einsum(op: Operation, grad: Tensor) -> Any:
    """Labels that only one operand has are summed: their gradient is spread over these axes."""
    left, output = op.get_attr("equation").decode().split("->")
    if len(op.inputs) == 1:
        size = shape_of(op.inputs[0])
        summed = set(left) - set(output + _DOTS)
        if not summed:
            return apply_op("Einsum", [grad], equation=f"{output}->{left}")
        return _spread(grad, output, left, size, summed)
    x_labels, y_labels = left.split(",")
    if _DOTS in output:
        x_labels += "" if _DOTS in x_labels else _DOTS
        y_labels += "" if _DOTS in y_labels else _DOTS
    x, y = op.inputs
    if grad.dtype.is_complex:
        x, y = conj(x), conj(y)
    x_size, y_size = shape_of(x), shape_of(y)
    gx = _of_operand(grad, y, x_size, x_labels, y_labels, output)
    gy = _of_operand(grad, x, y_size, y_labels, x_labels, output)
    if _DOTS not in output:
        return gx, gy
    (x_start, x_end), (y_start, y_end) = _dots(x_labels), _dots(y_labels)
    known = x.shape.is_fully_defined() and y.shape.is_fully_defined()
    if known and x.shape.as_list()[x_start:x_end] == y.shape.as_list()[y_start:y_end]:
        return gx, gy
    rx, ry = apply_op("BroadcastGradientArgs", x_size[x_start:x_end], y_size[y_start:y_end])
    return (
        reshape(apply_op("Sum", gx, x_start + rx), x_size),
        reshape(apply_op("Sum", gy, y_start + ry), y_size),
    )


def _of_operand(grad: Tensor, other: Tensor, size: Tensor, labels: str, other_labels: str, output: str) -> Tensor:
    summed = set(labels) - set(output + other_labels + ".")
    left = "".join(s for s in labels if s not in summed)
    made = apply_op("Einsum", [grad, other], equation=f"{output},{other_labels}->{left}")
    return _spread(made, left, labels, size, summed) if summed else made


def _spread(grad: Tensor, output: str, labels: str, size: Tensor, summed: set[str]) -> Tensor:
    """Return the gradient with the axes of the labels in `summed`, along which it is the same."""
    names = "".join(sorted(summed))
    axes = [_axis(labels, s) for s in names]
    repeated = len(set(labels)) + len(set(output)) < len(labels) + len(output)
    if not repeated and "".join(s for s in labels if s not in summed) == output:
        return apply_op("BroadcastTo", reshape(grad, kept_shape(size, constant(axes, datatypes.int32))), size)
    dims = apply_op("Pack", [size[axis] for axis in axes])
    flat = concat([ones(constant([len(names)]), datatypes.int32), shape_of(grad)])
    wide = apply_op("BroadcastTo", reshape(grad, flat), concat([dims, shape_of(grad)]))
    return apply_op("Einsum", [wide], equation=f"{names}{output}->{labels}")


def _axis(labels: str, label: str) -> int:
    """Return the axis of a label: counted from the end where it stands behind the dots."""
    before, _, behind = labels.partition(_DOTS)
    return before.index(label) if label in before else behind.index(label) - len(behind)


def _dots(labels: str) -> tuple[int, int | None]:
    """Return where the axes that the dots stand for begin and end."""
    start = labels.find(_DOTS)
    if start < 0:
        return 0, 0
    behind = len(labels) - start - len(_DOTS)
    return start, -behind if behind else None
