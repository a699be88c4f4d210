"""Gradient rules of Fourier transforms: the inverse transform, scaled."""

from __future__ import annotations

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, product_of, shape_of


def _size(grad: Tensor, op: Operation) -> Tensor:
    """Return how many elements a transform takes, as a real number."""
    rank = 2 if op.type.endswith("2D") else 3 if op.type.endswith("3D") else 1
    kind = datatypes.float32 if grad.dtype == datatypes.complex64 else datatypes.float64
    return cast(product_of(shape_of(grad)[-rank:]), kind)


@gradient("FFT", "FFT2D", "FFT3D")
def forward(op: Operation, grad: Tensor) -> Tensor:
    """The inverse transform times the number of elements."""
    size = cast(_size(grad, op), grad.dtype)
    return apply_op(f"I{op.type}", grad) * size


@gradient("IFFT", "IFFT2D", "IFFT3D")
def inverse(op: Operation, grad: Tensor) -> Tensor:
    """The transform divided by the number of elements."""
    scale = cast(1.0 / _size(grad, op), grad.dtype)
    return apply_op(op.type[1:], grad) * scale
