"""MapDefun: a function called for each row of its arguments. Source: kernels/data/experimental/map_defun_op.cc."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.allocation import check_shape
from icefloe.resources.datasets.components import row, stack
from icefloe.resources.elements import fits, shape_of
from icefloe.shapes import Dims, shape_text

not_differentiable("MapDefun")


@kernel("MapDefun", per_run=True, returns="stored")
def map_defun(
    arguments: tuple[Any, ...],
    captured_inputs: tuple[Any, ...],
    *,
    f: Callable[..., list[Any]],
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    run: Any,
) -> tuple[Any, ...]:
    """The results of `f(*rows, *captured_inputs)` for all rows of the arguments, stacked.

    Raises: InvalidArgumentError for a scalar argument, arguments of different lengths, results of other shapes.
    """
    if not arguments:
        raise errors.InvalidArgumentError("Must have at least one input.")
    shapes = [shape_of(a) for a in arguments]
    if not all(shapes):
        raise errors.InvalidArgumentError("All inputs must have rank at least 1.")
    sizes = {s[0] for s in shapes}
    if len(sizes) > 1:
        raise errors.InvalidArgumentError("All inputs must have the same dimension 0.")
    rows = []
    for i in range(sizes.pop()):
        run.check()
        results = f([*[row(a, i) for a in arguments], *captured_inputs], run)
        for j, (result, expected) in enumerate(zip(results, output_shapes, strict=True)):
            if not fits(expected, shape_of(result)):
                raise errors.InvalidArgumentError(
                    f"Output of MapDefun: output {j} has shape {shape_text(shape_of(result))}, expected "
                    f"{shape_text(expected)}"
                )
        rows.append(results)
    if not rows:
        return tuple([_nothing(dtype, dims) for dtype, dims in zip(output_types, output_shapes)])
    return tuple([stack(column, j) for j, column in enumerate(zip(*rows))])


def _nothing(dtype: DType, dims: Dims) -> Any:
    if dims is None or None in dims:
        raise errors.InvalidArgumentError(
            f"Output shapes must be fully defined where there are no rows, got {shape_text(dims)}"
        )
    sizes = check_shape((0, *[n or 0 for n in dims]), dtype.numpy)
    return np.zeros(sizes, dtype.numpy)


@shape("MapDefun")
def map_defun_shape(c: ShapeContext) -> list[Dims]:
    size: int | None = None
    for i in c.group("arguments"):
        dims = c.shape(i)
        if dims is not None and not dims:
            raise errors.InvalidArgumentError("All inputs must have rank at least 1.")
        first = dims[0] if dims else None
        if size is not None and first is not None and size != first:
            raise errors.InvalidArgumentError("All inputs must have the same dimension 0.")
        size = first if size is None else size
    return [None if dims is None else (size, *dims) for dims in c.attr("output_shapes")]
