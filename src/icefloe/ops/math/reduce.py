"""Reductions over axes given as a tensor.

16-bit floats are summed in float32 and rounded once; TensorFlow's float16 sums round (and overflow) on the way, so long
sums here are the more exact ones.
Source: tensorflow/core/kernels/reduction_ops_common.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.ops.math.axes import reduced_shape, reduction_axes

Function = Callable[..., Any]

_total: Any = np.add.reduce  # its stubs know no keepdims that is not a literal
_NARROW = (datatypes.float16, datatypes.bfloat16)


def _reduction(op: str, choose: Callable[[DType], Function]) -> None:
    """Register a reduction; `choose(T)` is called when a plan is built and returns `function(x, axes, keep_dims)`."""

    def prepare(*, T: DType, keep_dims: bool) -> Function:
        function = choose(T)

        def reduction(x: Any, axes: Any) -> Any:
            return function(x, reduction_axes(axes, np.ndim(x)), keep_dims)

        return reduction

    kernel(op, factory=True)(prepare)
    shape(op)(reduced_shape)


def _accumulating(ufunc: np.ufunc) -> Callable[[DType], Function]:
    def choose(T: DType) -> Function:
        to = T.numpy
        if T in _NARROW:
            return lambda x, axes, keep: ufunc.reduce(x, axis=axes, dtype=np.float32, keepdims=keep).astype(to)
        return lambda x, axes, keep: ufunc.reduce(x, axis=axes, dtype=to, keepdims=keep)

    return choose


_LONG_ROW = 1 << 10  # elements that one inner loop of numpy should have


def total(x: Any, axes: tuple[int, ...], dtype: np.dtype[Any], keep: bool) -> Any:
    """Return the sum of `x` over `axes`, in `dtype`.

    Sums over all but a short last axis, as that of a bias's gradient, are taken of rows side by side.
    """
    columns = x.shape[-1] if x.ndim > 1 else 0
    repeats = _LONG_ROW // columns if columns else 0
    if (
        repeats < 2
        or x.size < 16 * _LONG_ROW
        or axes != tuple(range(x.ndim - 1))
        or x.dtype.kind != "f"
        or not x.flags.c_contiguous
    ):
        return _total(x, axis=axes, dtype=dtype, keepdims=keep)
    rows = x.reshape(-1, columns)
    whole = len(rows) // repeats * repeats
    made = _total(rows[:whole].reshape(-1, repeats * columns), axis=0, dtype=dtype).reshape(repeats, columns)
    made = _total(made, axis=0) + _total(rows[whole:], axis=0, dtype=dtype)
    return made.reshape((1,) * (x.ndim - 1) + (columns,)) if keep else made


def _sum(T: DType) -> Function:
    to = T.numpy
    if T in _NARROW:
        return lambda x, axes, keep: _total(x, axis=axes, dtype=np.float32, keepdims=keep).astype(to)
    return lambda x, axes, keep: total(x, axes, to, keep)


def _extreme(ufunc: np.ufunc, empty: str) -> Callable[[DType], Function]:
    """Return a reduction with the value that no element beats as the result over no elements."""

    def choose(T: DType) -> Function:
        start = T.numpy.type({"min": -np.inf, "max": np.inf}[empty] if T.is_floating else getattr(T, empty))

        def extreme(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
            return ufunc.reduce(x, axis=axes, keepdims=keep, initial=start)

        return extreme

    return choose


def _count(x: Any, axes: tuple[int, ...]) -> int:
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


def _mean(T: DType) -> Function:
    """Integers: the sum divided, rounded toward zero; 0 over no elements, where floats give NaN."""
    to = T.numpy
    if T.is_integer:
        wide = np.uint64 if T.is_unsigned else np.int64

        def integer_mean(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
            total = np.asarray(_total(x, axis=axes, dtype=wide, keepdims=keep))
            count = wide(max(_count(x, axes), 1))
            quotient = np.abs(total) // count if T.is_unsigned else np.sign(total) * (np.abs(total) // count)
            return quotient.astype(to)

        return integer_mean
    total_type = np.dtype(np.float32) if T in _NARROW else to

    def mean(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
        sums = total(x, axes, total_type, keep)
        return np.true_divide(sums, total_type.type(_count(x, axes))).astype(to, copy=False)

    return mean


def _euclidean_norm(T: DType) -> Function:
    """The square root of the sum of squared sizes. Integers: squared and added in their own dtype, where they wrap."""
    to = T.numpy
    if T.is_integer:
        wide_int = np.uint64 if T.is_unsigned else np.int64

        def integer_norm(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
            squares = np.asarray(_total(x * x, axis=axes, dtype=to, keepdims=keep))
            roots = np.sqrt(squares.astype(np.float64))
            none = wide_int(0) if T.is_unsigned else np.int64(np.iinfo(np.int64).min if to.itemsize == 8 else T.min)
            if to.itemsize < 4:
                none = wide_int(0)  # of a negative sum, that wrapped
            return np.where(squares < 0, none, np.where(squares < 0, 0, roots).astype(wide_int)).astype(to)

        return integer_norm
    wide = {"float16": np.float32, "bfloat16": np.float32, "float32": np.float32, "complex64": np.float32}.get(T.name)

    def norm(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
        size = np.abs(x).astype(wide or np.float64, copy=False)
        return np.sqrt(_total(np.square(size), axis=axes, keepdims=keep)).astype(to)

    return norm


_reduction("Sum", _sum)
_reduction("Prod", _accumulating(np.multiply))
_reduction("Mean", _mean)
_reduction("Max", _extreme(np.maximum, "min"))
_reduction("Min", _extreme(np.minimum, "max"))
_reduction("EuclideanNorm", _euclidean_norm)


def _logical(op: str, ufunc: np.ufunc) -> None:
    def prepare(*, keep_dims: bool) -> Function:
        def reduction(x: Any, axes: Any) -> Any:
            return ufunc.reduce(x, axis=reduction_axes(axes, np.ndim(x)), dtype=np.bool_, keepdims=keep_dims)

        return reduction

    kernel(op, factory=True)(prepare)
    shape(op)(reduced_shape)


_logical("All", np.logical_and)
_logical("Any", np.logical_or)
