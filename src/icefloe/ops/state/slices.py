"""Parts of variables read and assigned: gathers from resource variables, strided slice assignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import find_kernel, kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, unchanged, with_rank_at_least
from icefloe.ops.array.strides import Masks, check_entries, index_of
from icefloe.ops.state.existence import existing
from icefloe.ops.state.shapes import handle_shape
from icefloe.resources import ResourceVariable, Variable
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]


def _kernel_of(op: str) -> Callable[..., Any]:
    found = find_kernel(op)
    assert found is not None
    return found.function


@kernel("ResourceGather", factory=True)
def resource_gather(*, batch_dims: int) -> Callable[..., Any]:
    """The rows of a variable that `indices` names, as GatherV2 on axis 0 picks them; `batch_dims` go together."""
    gather = _kernel_of("GatherV2")
    axis = np.int32(batch_dims)

    def run(cell: ResourceVariable, indices: Any) -> Any:
        params = existing(cell)
        if not params.ndim:
            raise errors.InvalidArgumentError("params must be at least 1 dimensional")
        return gather(params, indices, axis, batch_dims=batch_dims)

    return run


@shape("ResourceGather")
def resource_gather_shape(c: ShapeContext) -> list[Dims]:
    params, indices = with_rank_at_least(handle_shape(c, 0, "dtype"), 1), c.shape(1)
    if params is None:
        return [None]
    batch = c.attr("batch_dims")
    if indices is None:
        return [None]
    return [(*params[:batch], *indices[batch:], *params[batch + 1 :])]


@kernel("ResourceGatherNd", factory=True)
def resource_gather_nd() -> Callable[..., Any]:
    gather = _kernel_of("GatherNd")
    return lambda cell, indices: gather(existing(cell), indices, bad_indices_policy="")


@shape("ResourceGatherNd")
def resource_gather_nd_shape(c: ShapeContext) -> list[Dims]:
    params, indices = handle_shape(c, 0, "dtype"), with_rank_at_least(c.shape(1), 1)
    if params is None or indices is None or indices[-1] is None:
        return [None]
    return [concatenate(indices[:-1], params[indices[-1] :])]


def _assigner(masks: Masks) -> Callable[[Array, Any, Any, Any, Any], None]:
    def assign(array: Array, begin: Any, end: Any, strides: Any, value: Any) -> None:
        check_entries(np.shape(begin), np.shape(end), np.shape(strides))
        layout = masks.layout(array.ndim, len(begin))
        part = array[index_of(array.shape, layout, masks, begin.tolist(), end.tolist(), strides.tolist())]
        size = np.shape(value)
        # numpy would also take leading dimensions of 1 that the slice does not have.
        if len(size) > part.ndim or any(n not in (1, m) for n, m in zip(reversed(size), reversed(part.shape))):
            raise errors.InvalidArgumentError(
                f"Cannot broadcast input shape {shape_text(size)} into final shape {shape_text(part.shape)}"
            )
        part[...] = value

    return assign


@kernel("StridedSliceAssign", factory=True, takes_refs=True, returns="stored")
def strided_slice_assign(
    *, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Callable[..., Variable]:
    """`variable[slices] = value`, the value broadcast to the slice."""
    assign = _assigner(Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))

    def run(cell: Variable, begin: Any, end: Any, strides: Any, value: Any) -> Variable:
        cell.update(lambda array: assign(array, begin, end, strides, value))
        return cell

    return run


shape("StridedSliceAssign")(unchanged)


@kernel("ResourceStridedSliceAssign", factory=True)
def resource_strided_slice_assign(
    *, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> Callable[..., tuple[()]]:
    assign = _assigner(Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask))

    def run(cell: ResourceVariable, begin: Any, end: Any, strides: Any, value: Any) -> tuple[()]:
        existing(cell)
        cell.update(lambda array: assign(array, begin, end, strides, value))
        return ()

    return run
