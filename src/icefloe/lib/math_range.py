"""Sequences of numbers, running sums, and counts of values."""

from __future__ import annotations

import builtins
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor, register_tensor_conversion_function
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import slice, where_v2
from icefloe.lib.array_shape import broadcast_dynamic_shape, expand_dims, reshape, shape
from icefloe.lib.constants import convert_to_int_tensor
from icefloe.lib.math_cast import cast

_NUMBER_ORDER = [
    datatypes.int32,
    datatypes.int64,
    datatypes.float16,
    datatypes.bfloat16,
    datatypes.float32,
    datatypes.float64,
]


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range") -> Tensor:
    """Return start, start + delta, ... below `limit`; with one argument, 0 up to it.

    dtype: default the widest of the arguments' dtypes. Raises: TypeError if they have no common one.
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        bounds = []
        for value, what in ((start, "start"), (limit, "limit"), (delta, "delta")):
            is_tensor = isinstance(value, Tensor)
            bounds.append(value if is_tensor else convert_to_tensor(value, dtype=dtype, name=what))
        if dtype is None:
            found = [bound.dtype.base_dtype for bound in bounds]
            if any(d not in _NUMBER_ORDER for d in found):
                raise TypeError(f"range: expected dtypes among {_NUMBER_ORDER}, got {found}")
            dtype = max(found, key=_NUMBER_ORDER.index)
        return apply_op("Range", *(cast(bound, dtype) for bound in bounds), name=scope)


def _convert_range(value: builtins.range, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    return range(value.start, value.stop, value.step, dtype=dtype, name=name)


register_tensor_conversion_function(builtins.range, _convert_range)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Return `num` evenly spaced values from `start` to `stop`, both included, along a new `axis`."""
    with name_scope(name, "linspace", [start, stop]):
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, name="stop", dtype=start.dtype)
        count = convert_to_int_tensor(num, name="num")
        cast(count, start.dtype)
        common = broadcast_dynamic_shape(shape(start), shape(stop))
        start = apply_op("BroadcastTo", start, common)
        stop = apply_op("BroadcastTo", stop, common)
        first = expand_dims(start, axis=axis)
        last = expand_dims(stop, axis=axis)
        full = shape(first)
        ndims = shape(full)[0]
        place = where_v2(axis >= 0, axis, ndims + axis)
        inner_count = apply_op("Maximum", count - 2, 0)
        steps = apply_op("Maximum", count - 1, 1)
        delta = (last - first) / cast(steps, last.dtype)
        first = cast(first, delta.dtype)
        last = cast(last, delta.dtype)
        end = where_v2(count >= 0, steps, -1)
        inner = cast(range(1, end, dtype=datatypes.int64), delta.dtype)
        mask = apply_op("Equal", place, range(ndims))
        inner_shape = where_v2(mask, inner_count, 1)
        inner = reshape(inner, inner_shape)
        middle = first + delta * inner
        joined = concat((first, middle, last), axis=place)
        begin = zeros_like(full)
        size = concat((full[0:place], reshape(count, [1]), full[place + 1 :]), axis=0)
        return slice(joined, begin, size)


def _scan(op: str, scope: str, x: Any, axis: Any, exclusive: bool, reverse: bool, name: str | None) -> Tensor:
    with name_scope(name, scope, [x]) as full:
        x = convert_to_tensor(x, name="x")
        return apply_op(op, x, axis, exclusive=exclusive, reverse=reverse, name=full)


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Return the running sum along `axis`; exclusive: element i is the sum of those before it; reverse: from the
    end.
    """
    return _scan("Cumsum", "Cumsum", x, axis, exclusive, reverse, name)


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Return the running product along `axis`; arguments as for `cumsum`."""
    return _scan("Cumprod", "Cumprod", x, axis, exclusive, reverse, name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Return the running log(sum(exp(x))) along `axis`; arguments as for `cumsum`."""
    return _scan("CumulativeLogsumexp", "CumulativeLogsumexp", x, axis, exclusive, reverse, name)


def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = datatypes.float32, name: str | None = None
) -> Tensor:
    """Return points of the Sobol sequence, [num_results, dim]."""
    with name_scope(name, "sobol", [dim, num_results, skip]):
        return apply_op("SobolSample", dim, num_results, skip, dtype=dtype)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return `input` with its elements moved by `shift` along `axis`, those pushed out coming in at the other end."""
    return apply_op("Roll", input, shift, axis, name=name)
