"""Gradient rules of images that are scaled and moved."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor


@gradient("ScaleAndTranslate")
def scale_and_translate(op: Operation, grad: Tensor) -> list[Any]:
    image, _size, scale, translation = op.inputs
    attrs = {name: op.get_attr(name) for name in ("kernel_type", "antialias")}
    return [apply_op("ScaleAndTranslateGrad", grad, image, scale, translation, **attrs), None, None, None]
