"""Discrete cosine transforms, on the Fourier transforms of real signals."""

from __future__ import annotations

import builtins
import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import pad
from icefloe.lib.array_shape import expand_dims, shape
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import complex, real, rsqrt, sqrt
from icefloe.lib.math_range import range
from icefloe.lib.signal_fourier import irfft, rfft


def _check(tensor: Any, kind: Any, n: Any, axis: Any, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        last = tensor.shape[-1]
        if last.value is not None and last.value < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Return the cosine transform of type 1, 2, 3 or 4 along the last axis, cut or padded to `n`.

    Raises: ValueError for another type or norm; NotImplementedError for another axis.
    """
    _check(input, type, n, axis, norm)
    return _transform(input, type, n, norm, name)


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Return the inverse of `dct` but for its scale. Raises: as `dct`."""
    _check(input, type, n, axis, norm)
    return _transform(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name)


def _last(tensor: Tensor) -> Any:
    return tensor.shape[-1].value or shape(tensor)[-1]


def _transform(tensor: Any, kind: int, n: Any, norm: str | None, name: str | None) -> Tensor:
    with name_scope(name, "dct", [tensor]):
        tensor = convert_to_tensor(tensor)
        zero = convert_to_tensor(0.0, dtype=tensor.dtype)
        size = _last(tensor)
        if n is not None:
            tensor = _resized(tensor, n, size)
        size = _last(tensor)
        scale = cast(size, tensor.dtype)
        if kind == 1:
            return real(rfft(concat([tensor, tensor[..., -2:0:-1]], axis=-1)))
        if kind == 2:
            return _type2(tensor, zero, size, scale, norm)
        if kind == 3:
            return _type3(tensor, zero, size, scale, norm)
        odd = _transform(tensor, 2, 2 * size, None, None)[..., 1::2]
        if norm == "ortho":
            odd *= math.sqrt(0.5) * rsqrt(scale)
        return odd


def _resized(tensor: Tensor, n: Any, size: Any) -> Tensor:
    """Return `tensor` with `n` elements along its last axis, which has `size`."""

    def shortened() -> Tensor:
        return tensor[..., 0:n]

    def lengthened() -> Tensor:
        paddings: list[Any] = [[0, 0] for _ in builtins.range(len(tensor.shape))]
        paddings[-1][1] = n - size
        return pad(tensor, convert_to_tensor(paddings, dtype=datatypes.int32))

    if isinstance(size, Tensor):
        resized: Tensor = cond(n <= size, shortened, lengthened)
        return resized
    return shortened() if n <= size else lengthened()


def _weights(first: Tensor, others: Tensor, size: Any) -> Tensor:
    return pad(expand_dims(first, 0), [[0, size - 1]], constant_values=others)


def _type2(tensor: Tensor, zero: Tensor, size: Any, scale: Tensor, norm: str | None) -> Tensor:
    turn = 2.0 * apply_op("Exp", complex(zero, -range(scale) * math.pi * 0.5 / scale))
    result = real(rfft(tensor, fft_length=[2 * size])[..., :size] * turn)
    if norm == "ortho":
        first = 0.5 * rsqrt(scale)
        result *= _weights(first, first * math.sqrt(2.0), size)
    return result


def _type3(tensor: Tensor, zero: Tensor, size: Any, scale: Tensor, norm: str | None) -> Tensor:
    if norm == "ortho":
        first = sqrt(scale)
        tensor *= _weights(first, first * math.sqrt(0.5), size)
    else:
        tensor *= scale
    turn = 2.0 * apply_op("Exp", complex(zero, range(scale) * math.pi * 0.5 / scale))
    return real(irfft(turn * complex(tensor, zero), fft_length=[2 * size]))[..., :size]
