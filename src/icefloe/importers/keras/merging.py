"""Layers of several inputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_join import concat
from icefloe.lib.math_matrix import tensordot
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.nn_normalization import l2_normalize


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _folded(combine: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def build(c: LayerContext, *inputs: Tensor) -> Tensor:
        return functools.reduce(combine, _same_rank(list(inputs)))

    return build


def _same_rank(inputs: list[Tensor]) -> list[Tensor]:
    """Return inputs with dimensions of one after the batch, so that all have the largest rank."""
    ranks = [x.shape.rank for x in inputs]
    if None in ranks or len(set(ranks)) == 1:
        return inputs
    most = max(r for r in ranks if r is not None)
    made = []
    for x, rank in zip(inputs, ranks):
        for _ in range(most - (rank or 0)):
            x = _op("ExpandDims", x, 1)
        made.append(x)
    return made


layer("Add")(_folded(lambda a, b: a + b))
layer("Subtract")(_folded(lambda a, b: a - b))
layer("Multiply")(_folded(lambda a, b: a * b))
layer("Maximum")(_folded(lambda a, b: _op("Maximum", a, b)))
layer("Minimum")(_folded(lambda a, b: _op("Minimum", a, b)))


@layer("Average")
def average(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Return the mean of all inputs."""
    total = functools.reduce(lambda a, b: a + b, _same_rank(list(inputs)))
    return total / float(len(inputs))


@layer("Concatenate")
def concatenate(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Join inputs along an axis."""
    return concat(list(inputs), int(c.get("axis", -1)))


@layer("Dot")
def dot(c: LayerContext, a: Tensor, b: Tensor) -> Tensor:
    """Return products of the examples of two inputs along an axis of each."""
    axes = c.get("axes")
    first, second = (axes, axes) if isinstance(axes, int) else axes
    if c.get("normalize", False):
        a, b = l2_normalize(a, axis=first), l2_normalize(b, axis=second)
    if a.shape.rank == 2 and b.shape.rank == 2:
        return reduce_sum(a * b, 1, keepdims=True)
    if a.shape.rank not in (2, 3) or b.shape.rank not in (2, 3):
        raise c.refuse("inputs of more than 3 dimensions")
    narrow_a, narrow_b = a.shape.rank == 2, b.shape.rank == 2
    a = _op("ExpandDims", a, 1) if narrow_a else a
    b = _op("ExpandDims", b, 2) if narrow_b else b
    left = first if not narrow_a else 2
    right = second if not narrow_b else 1
    y = _op("BatchMatMulV2", a, b, adj_x=left % 3 == 1, adj_y=right % 3 == 2)
    if narrow_a:
        y = _op("Squeeze", y, squeeze_dims=[1])
    return _op("Squeeze", y, squeeze_dims=[y.shape.rank - 1 if y.shape.rank else 1]) if narrow_b else y


@layer("Merge")
def merge(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Combine inputs as Keras 1 did, by the setting `mode`."""
    mode = c.get("mode", "sum")
    if mode == "concat":
        return concat(list(inputs), int(c.get("concat_axis", -1)))
    combine = {"sum": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": lambda a, b: _op("Maximum", a, b)}.get(mode)
    if mode == "ave":
        return average(c, *inputs)
    if mode == "dot":
        return tensordot(inputs[0], inputs[1], axes=c.get("dot_axes", 1))
    if combine is None:
        raise c.refuse(f"mode {mode!r}")
    return functools.reduce(combine, inputs)
