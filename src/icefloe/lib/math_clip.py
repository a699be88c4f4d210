"""Clipping of values and of norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_join import stack
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import rank, size
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range as range_
from icefloe.lib.math_reduce import reduce_sum


def _values(t: Any, name: str) -> Tensor:
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t: Any, values: Tensor) -> Any:
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Return `t` with each element brought between the two bounds. Raises: ValueError if a bound broadcasts `t`."""
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = _values(t, "t")
        below = apply_op("Minimum", values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        result = apply_op("Maximum", below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(result.shape)
        return _like(t, result)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return `t` scaled down where its L2 norm, over `axes` or whole, exceeds `clip_norm`."""
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values = _values(t, "t")
        if np.isscalar(clip_norm):
            clip_norm = 0 if clip_norm < 0 else clip_norm  # type: ignore[operator]
        else:
            clip_norm = cast(apply_op("Maximum", clip_norm, 0), values.dtype)
        squares = reduce_sum(values * values, axes, keepdims=True)
        positive = squares > 0
        safe = where(positive, squares, ones_like(squares))
        norm = where(positive, apply_op("Sqrt", safe), squares)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        result = apply_op("Identity", scaled / apply_op("Maximum", norm, clip_norm), name=scope)
        return _like(t, result)


def _listed(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """Return the L2 norm of all tensors together; None entries are left out. Raises: TypeError if it is no sequence."""
    t_list = _listed(t_list)
    with name_scope(name, "global_norm", t_list):
        values = [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(t_list)]
        halves = []
        for v in values:
            if v is not None:
                with colocate_with(v):
                    halves.append(apply_op("L2Loss", v))
        half = reduce_sum(stack(halves))
        return apply_op("Sqrt", half * constant(2.0, dtype=half.dtype), name="global_norm")


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Return the tensors scaled so that their common norm is at most `clip_norm`, and that norm before.

    use_norm: the norm where it is known. None entries stay None. Raises: TypeError if `t_list` is no sequence.
    """
    t_list = _listed(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        finite = clip_norm * apply_op("Minimum", 1.0 / use_norm, constant(1.0, dtype=use_norm.dtype) / clip_norm)
        scale = finite + (use_norm - use_norm)  # NaN where the norm is infinite
        values = [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(t_list)]
        clipped: list[Any] = []
        for i, (t, v) in enumerate(zip(t_list, values)):
            if v is None:
                clipped.append(None)
                continue
            with colocate_with(v):
                clipped.append(_like(t, apply_op("Identity", v * cast(scale, v.dtype), name=f"{scope}_{i}")))
    return clipped, use_norm


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Return `t` scaled down where its L2 norm divided by its number of elements exceeds `clip_norm`."""
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = cast(size(t), datatypes.float32)
        inverse = apply_op("Rsqrt", reduce_sum(t * t, range_(rank(t))))
        scaled = t * clip_norm
        factor = apply_op("Minimum", inverse * count, constant(1.0) / clip_norm)
        return apply_op("Identity", scaled * factor, name=scope)
