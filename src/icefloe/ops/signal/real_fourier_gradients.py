"""Gradient rules of Fourier transforms of real data, of which half the coefficients are there."""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import known_value
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import cast, concat, conj, ones, product_of, range_to, rank_of, reshape, shape_of


def _size(x: Tensor, rank: int, dtype: datatypes.DType) -> Tensor:
    return cast(product_of(shape_of(x)[-rank:]), dtype)


def _signs(length: Tensor, dtype: datatypes.DType) -> Tensor:
    """Return 1, -1, 1, ... of that length."""
    return cast(1 - 2 * (range_to(length) % 2), dtype)


def _twiddles(length: Tensor, dtype: datatypes.DType) -> Tensor:
    """Return the matrix of the transform along an axis of that length."""
    row = apply_op("Tile", apply_op("ExpandDims", range_to(length), 0), apply_op("Pack", [length, 1]))
    column = apply_op("Transpose", row, [1, 0])
    return apply_op("Exp", (-2j * math.pi) * cast(row * column, dtype) / cast(length, dtype))


def _once(op: Operation, grad: Tensor, is_even: Tensor, size: Tensor) -> Tensor:
    """Return what the coefficients that have no conjugate give in excess: the first, for even lengths the last."""
    first, last = grad[..., 0:1], grad[..., -1:]
    if not op.type.endswith("2D"):
        return first + is_even * last * _signs(size[-1], grad.dtype)
    turns = _twiddles(size[-2], grad.dtype)
    before = concat([ones([rank_of(first) - 2], datatypes.int32), shape_of(turns)])
    turns = apply_op("Tile", reshape(turns, before), concat([shape_of(first)[:-2], [1, 1]]))
    by_last = apply_op("BatchMatMulV2", turns, conj(last))
    times = concat([ones([rank_of(grad) - 1], datatypes.int32), apply_op("Pack", [size[-1]])])
    by_last = apply_op("Tile", by_last, times) * _signs(size[-1], grad.dtype)
    return apply_op("BatchMatMulV2", turns, conj(first)) + is_even * by_last


@gradient("RFFT", "RFFT2D")
def real_transform(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Half the inverse transform times the number of elements, and half of what is there once only."""
    x, length = op.inputs
    rank = 2 if op.type.endswith("2D") else 1
    kind = grad.dtype.real_dtype
    size = shape_of(x)
    is_even = cast(1 - (length[-1] % 2), grad.dtype)
    extra = apply_op("Real", _once(op, grad, is_even, size), Tout=kind)
    inverse = apply_op(f"I{op.type}", grad, length, Treal=kind)
    return 0.5 * (inverse * _size(x, rank, kind) + extra), None


@gradient("IRFFT", "IRFFT2D")
def inverse_real_transform(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """The transform, scaled; coefficients that stand for two count twice."""
    rank = 2 if op.type.endswith("2D") else 1
    kind = grad.dtype
    length: Any = op.inputs[1]
    known = known_value(length)
    to = datatypes.complex64 if kind == datatypes.float32 else datatypes.complex128
    last = shape_of(op.inputs[0])[-1]
    is_odd = length[-1] % 2 if known is None else int(known[-1]) % 2
    inner = apply_op("Pack", [last - 2 + is_odd])
    tail = [1 - is_odd] if known is not None else apply_op("Pack", [1 - is_odd])
    mask = concat([[1.0], 2.0 * ones(inner, kind), ones(tail, kind)])
    scale = apply_op("Reciprocal", _size(grad, rank, kind))
    transform = apply_op(op.type[1:], grad, length, Tcomplex=to)
    return transform * cast(scale * mask, to), None
