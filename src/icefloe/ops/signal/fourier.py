"""Discrete Fourier transforms over the last one, two or three axes: complex, and of real data.

Source: tensorflow/core/kernels/fft_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank, with_rank_at_least
from icefloe.ops.allocation import check_shape

Function = Callable[..., Any]


def _check_rank(x: Any, rank: int) -> None:
    if np.ndim(x) < rank:
        raise errors.InvalidArgumentError(f"Input must have rank of at least {rank} but got: {shape_text(np.shape(x))}")


def _complex(op: str, transform: Function, rank: int) -> None:
    axes = tuple(range(-rank, 0))

    def prepare(*, Tcomplex: DType) -> Function:
        to = Tcomplex.numpy

        def run(x: Any) -> Any:
            _check_rank(x, rank)
            return transform(x, axes=axes).astype(to, copy=False) if x.size else np.zeros(x.shape, to)

        return run

    def rule(c: ShapeContext) -> list[Any]:
        return [with_rank_at_least(c.shape(0), rank)]

    kernel(op, factory=True)(prepare)
    shape(op)(rule)


def _lengths(fft_length: Any, rank: int) -> tuple[int, ...]:
    if np.shape(fft_length) != (rank,):
        raise errors.InvalidArgumentError(f"fft_length must have shape [{rank}]")
    for i, n in enumerate(fft_length):
        if n < 0:
            raise errors.InvalidArgumentError(f"fft_length[{i}] must >= 0, but got: {n}")
    return tuple(map(int, fft_length))


def _check_types(way: str, given: DType, to: DType) -> None:
    """Raises: InvalidArgumentError unless real and complex numbers are of one precision."""
    if given.size * 2 != to.size and to.size * 2 != given.size:
        raise errors.InvalidArgumentError(
            f"Wrong types for {way} real FFT: in={given.as_datatype_enum} out={to.as_datatype_enum}"
        )


def _half(n: int) -> int:
    """Return how many coefficients of a real signal of length n there are: the rest are their conjugates."""
    return n // 2 + 1 if n else 0


def _cropped(x: Any, lengths: tuple[int, ...]) -> Any:
    """Return x with its last axes cut to `lengths`. Raises: InvalidArgumentError if one is shorter."""
    _check_rank(x, len(lengths))
    have = x.shape[len(x.shape) - len(lengths) :]
    if 0 not in x.shape:
        for i, (n, size) in enumerate(zip(lengths, have)):
            if size < n:
                axis = len(x.shape) - len(lengths) + i
                raise errors.InvalidArgumentError(
                    f"Input dimension {axis} must have length of at least {n} but got: {size}"
                )
    return x[(..., *(slice(n) for n in lengths))]


def _real(op: str, rank: int) -> None:
    axes = tuple(range(-rank, 0))

    def prepare(*, Treal: DType, Tcomplex: DType) -> Function:
        _check_types("forward", Treal, Tcomplex)
        to = Tcomplex.numpy

        def run(x: Any, fft_length: Any) -> Any:
            lengths = _lengths(fft_length, rank)
            cropped = _cropped(x, lengths)
            if not cropped.size or 0 in lengths:
                out = (*x.shape[: x.ndim - rank], *lengths[:-1], _half(lengths[-1]))
                return np.zeros(check_shape(out, to), to)
            return np.fft.rfftn(cropped, axes=axes).astype(to, copy=False)

        return run

    kernel(op, factory=True)(prepare)
    shape(op)(_rule(rank, _half))


def _inverse_real(op: str, rank: int) -> None:
    axes = tuple(range(-rank, 0))

    def prepare(*, Treal: DType, Tcomplex: DType) -> Function:
        _check_types("backward", Tcomplex, Treal)
        to = Treal.numpy

        def run(x: Any, fft_length: Any) -> Any:
            lengths = _lengths(fft_length, rank)
            cropped = _cropped(x, (*lengths[:-1], _half(lengths[-1])))
            if not cropped.size or 0 in lengths:
                return np.zeros(check_shape((*x.shape[: x.ndim - rank], *lengths), to), to)
            return np.fft.irfftn(cropped, s=lengths, axes=axes).astype(to, copy=False)

        return run

    kernel(op, factory=True)(prepare)
    shape(op)(_rule(rank, lambda n: n))


def _rule(rank: int, last: Callable[[int], int]) -> Callable[[ShapeContext], list[Any]]:
    """Return the rule of transforms with an input that gives the lengths; `last` maps that of the last axis."""

    def rule(c: ShapeContext) -> list[Any]:
        x = with_rank_at_least(c.shape(0), rank)
        (given,) = with_rank(c.shape(1), 1)
        if given not in (None, rank):
            raise errors.InvalidArgumentError(f"Dimension must be {rank} but is {given}")
        if x is None:
            return [None]
        lengths = c.constant(1)
        if lengths is None:
            return [(*x[: len(x) - rank], *(None,) * rank)]
        sizes = [max(int(n), 0) for n in lengths]
        return [(*x[: len(x) - rank], *sizes[:-1], last(sizes[-1]))]

    return rule


for _suffix, _rank in (("", 1), ("2D", 2), ("3D", 3)):
    _complex(f"FFT{_suffix}", np.fft.fftn, _rank)
    _complex(f"IFFT{_suffix}", np.fft.ifftn, _rank)
    _real(f"RFFT{_suffix}", _rank)
    _inverse_real(f"IRFFT{_suffix}", _rank)
