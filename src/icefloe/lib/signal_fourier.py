"""Fourier transforms of real signals and over many axes: lengths told from shapes, inputs padded to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_select import gather, pad, where
from icefloe.lib.array_shape import rank, shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.math_range import roll

_COMPLEX = {datatypes.float32: datatypes.complex64, datatypes.float64: datatypes.complex128}
_REAL = {value: key for key, value in _COMPLEX.items()}


def _real(tensor: Any) -> Tensor:
    tensor = convert_to_tensor(tensor, preferred_dtype=datatypes.float32)
    if tensor.dtype not in _COMPLEX:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {tensor}")
    return tensor


def _complex(tensor: Any) -> Tensor:
    tensor = convert_to_tensor(tensor, preferred_dtype=datatypes.complex64)
    if tensor.dtype not in _REAL:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {tensor}")
    return tensor


def _length_forward(tensor: Tensor, axes: int) -> Tensor:
    static = tensor.shape[-axes:]
    if not static.is_fully_defined():
        return shape(tensor)[-axes:]
    return convert_to_tensor(static.as_list(), datatypes.int32)


def _length_back(tensor: Tensor, axes: int) -> Tensor:
    static = tensor.shape[-axes:]
    if not static.is_fully_defined():
        sizes = unstack(shape(tensor)[-axes:])
        sizes[-1] = apply_op("Maximum", 0, 2 * (sizes[-1] - 1))
        return stack(sizes)
    return _even_length(static.as_list())


def _even_length(sizes: Any) -> Tensor:
    if sizes:
        sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    return convert_to_tensor(sizes, datatypes.int32)


def _padded(tensor: Tensor, axes: Any, length: Tensor, back: bool = False) -> Tensor:
    """Return `tensor` padded with zeros so that it has at least `length` elements along its last axes."""
    wanted = constant_value_as_shape(length)
    dims = tensor.shape
    if dims.rank is not None and 0 in dims.as_list():
        return tensor
    if wanted.is_fully_defined() and dims.rank is not None:
        sizes: Any = wanted.as_list()
        have = dims[-len(sizes) :]
        if have.is_fully_defined():
            if back:
                sizes[-1] = sizes[-1] // 2 + 1
            paddings = [[0, max(size - old, 0)] for size, old in zip(sizes, have.as_list())]
            if not any(after for _, after in paddings):
                return tensor
            return pad(tensor, [[0, 0]] * max(dims.rank - len(sizes), 0) + paddings)
    ndims = rank(tensor)
    inner = shape(tensor)[-axes:]
    outer = zeros([apply_op("Maximum", 0, ndims - axes)], length.dtype)
    if back:
        length = concat([length[:-1], length[-1:] // 2 + 1], 0)
    after = concat([outer, apply_op("Maximum", 0, length - inner)], 0)
    return pad(tensor, stack([zeros_like(after), after], axis=1))


def _static_or(length: Tensor) -> Any:
    static = get_static_value(length)
    return length if static is None else static


def _forward(op: str, axes: int, default: str) -> Callable[..., Tensor]:
    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, default, [input_tensor, fft_length]) as name:
            tensor = _real(input_tensor)
            tensor.shape.with_rank_at_least(axes)
            if fft_length is None:
                length = _length_forward(tensor, axes)
            else:
                length = convert_to_tensor(fft_length, datatypes.int32)
            padded = _padded(tensor, axes, length)
            return apply_op(op, padded, _static_or(length), Tcomplex=_COMPLEX[tensor.dtype], name=name)

    return _named(transform, default, f"Return the `{op}` of a real tensor, padded or cut to `fft_length` if given.")


def _back(op: str, axes: int, default: str) -> Callable[..., Tensor]:
    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, default, [input_tensor, fft_length]) as name:
            tensor = convert_to_tensor(input_tensor, preferred_dtype=datatypes.complex64)
            tensor.shape.with_rank_at_least(axes)
            tensor = _complex(tensor)
            if fft_length is None:
                length = _length_back(tensor, axes)
            else:
                length = convert_to_tensor(fft_length, datatypes.int32)
            padded = _padded(tensor, axes, length, back=True)
            return apply_op(op, padded, _static_or(length), Treal=_REAL[tensor.dtype], name=name)

    return _named(transform, default, f"Return the real `{op}` of a complex tensor, of `fft_length` if given.")


def _over_axes(op: str, default: str) -> Callable[..., Tensor]:
    inverse, real = op.startswith("I"), "R" in op
    convert = (
        (_complex if inverse else _real)
        if real
        else lambda x: convert_to_tensor(x, preferred_dtype=datatypes.complex64)
    )

    def transform(
        input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
    ) -> Tensor:
        with name_scope(name, default, [input_tensor, fft_length, axes]) as name:
            if not isinstance(input_tensor, Tensor):
                input_tensor = convert(input_tensor)
            axes = convert_to_tensor(np.arange(input_tensor.shape.rank) if axes is None else axes, datatypes.int32)
            count = axes.shape.as_list()[0]
            tensor = convert(input_tensor)
            tensor.shape.with_rank_at_least(count)
            if fft_length is not None:
                length = convert_to_tensor(fft_length, datatypes.int32)
            elif real and inverse:
                length = _even_length(tensor.shape.as_list())
            else:
                length = shape(tensor)[-len(tensor.shape) :]
            kind = {"Tcomplex": _COMPLEX[tensor.dtype]} if real and not inverse else {}
            if real and inverse:
                kind = {"Treal": _REAL[tensor.dtype]}
            padded = _padded(tensor, count, length, back=real and inverse)
            length = _static_or(length)
            return apply_op(op, _scaled(padded, length, norm, inverse), length, axes, **kind, name=name)

    return _named(transform, default, f"Return the `{op}` over `axes`; `norm` is backward (default), forward or ortho.")


def _scaled(tensor: Any, length: Any, norm: str | None, inverse: bool) -> Any:
    if norm in (None, "backward"):
        return tensor
    count: Any = 1
    for size in length:
        count *= size
    if norm == "ortho":
        count = np.sqrt(count)
    elif norm != "forward":
        return tensor
    return tensor * count if inverse else tensor / count


def _named(function: Callable[..., Tensor], name: str, doc: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


rfft = _forward("RFFT", 1, "rfft")
rfft2d = _forward("RFFT2D", 2, "rfft2d")
rfft3d = _forward("RFFT3D", 3, "rfft3d")
irfft = _back("IRFFT", 1, "irfft")
irfft2d = _back("IRFFT2D", 2, "irfft2d")
irfft3d = _back("IRFFT3D", 3, "irfft3d")
fftnd = _over_axes("FFTND", "fftnd")
ifftnd = _over_axes("IFFTND", "ifftnd")
rfftnd = _over_axes("RFFTND", "rfftnd")
irfftnd = _over_axes("IRFFTND", "irfftnd")


def _shifted(x: Any, axes: Any, name: str | None, default: str, half: Callable[[Tensor], Tensor]) -> Tensor:
    with name_scope(name, default) as name:
        x = convert_to_tensor(x)
        if axes is None:
            axes = tuple(range(x.shape.rank or 0))
            shift = half(shape(x))
        elif isinstance(axes, int):
            shift = half(shape(x)[axes])
        else:
            ndims = rank(x)
            axes = where(apply_op("Less", axes, 0), axes + ndims, axes)
            shift = half(gather(shape(x), axes))
        return roll(x, shift, axes, name)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Return `x` with the zero frequency moved to the middle of `axes`, default all."""
    return _shifted(x, axes, name, "fftshift", lambda sizes: sizes // 2)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Return `x` with the zero frequency moved from the middle of `axes`, default all, to the front."""
    return _shifted(x, axes, name, "ifftshift", lambda sizes: -(sizes // 2))
