"""Gradient rules of images that are scaled and moved."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import concat, expand_dims, ones_like, reshape, shape_of


@gradient("ScaleAndTranslate")
def scale_and_translate(op: Operation, grad: Tensor) -> list[Any]:
    image, _size, scale, translation = op.inputs
    attrs = {name: op.get_attr(name) for name in ("kernel_type", "antialias")}
    return [apply_op("ScaleAndTranslateGrad", grad, image, scale, translation, **attrs), None, None, None]


def _inverted(transforms: Tensor) -> Tensor:
    """Return the inverses of projective maps, given as all elements of their matrices but the last, which is 1."""
    rows = expand_dims(transforms, 0) if transforms.shape.rank == 1 else transforms
    matrices = reshape(concat([rows, ones_like(rows[:, :1])], 1), [-1, 3, 3])
    flat = reshape(apply_op("MatrixInverse", matrices), [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def _projected(op: Operation, grad: Tensor, *fill: float) -> Tensor:
    image, transforms = op.inputs[:2]
    attrs = {name: op.get_attr(name) for name in ("interpolation", "fill_mode")}
    return apply_op(op.type, grad, _inverted(transforms), shape_of(image)[1:3], *fill, **attrs)


@gradient("ImageProjectiveTransformV2")
def projective_transform(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient goes through the inverse map, as in TensorFlow; this is no exact derivative."""
    return [_projected(op, grad), None, None]


@gradient("ImageProjectiveTransformV3")
def filled_projective_transform(op: Operation, grad: Tensor) -> list[Any]:
    """As of `projective_transform`, with 0 from outside."""
    return [_projected(op, grad, 0.0), None, None, None]
