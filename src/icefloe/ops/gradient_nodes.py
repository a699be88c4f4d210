"""What many gradient rules build: shapes, sums over what was broadcast, the nodes of common array ops.

Names of nodes are those that TensorFlow's rules give. Registers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.scopes import ControlDependencies
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import Tensor

# What a rule gets for each output and gives for each input.
Gradient = Any


def after(grad: Any) -> ControlDependencies:
    """Build what follows only where `grad` is there, so that it is not computed before it is needed."""
    return control_dependencies([grad])


def shape_of(x: Tensor, out_type: datatypes.DType = datatypes.int32) -> Tensor:
    """Return the shape of `x` as a vector: a constant where it is known."""
    with name_scope(None, "Shape", [x]) as scope:
        if x.shape.is_fully_defined():
            return constant(x.shape.as_list(), out_type, name=scope)
        return apply_op("Shape", x, out_type=out_type, name=scope)


def shapes_of(*tensors: Tensor) -> list[Tensor]:
    """Return the shapes of several tensors from one node."""
    return apply_op("ShapeN", list(tensors))


def variable_shape(handle: Tensor, out_type: datatypes.DType = datatypes.int32) -> Tensor:
    """Return the shape of the variable behind a handle: a constant where it is known."""
    known = handle_data(handle)
    dims = known[0][1] if known else None
    if dims is None or None in dims:
        return apply_op("VariableShape", handle, out_type=out_type)
    return constant(list(dims), out_type, shape=[len(dims)])


def rank_of(x: Tensor) -> Tensor:
    """Return the rank of `x`: a constant where it is known."""
    with name_scope(None, "Rank", [x]) as scope:
        if x.shape.rank is not None:
            return constant(x.shape.rank, datatypes.int32, name=scope)
        return apply_op("Rank", x, name=scope)


def size_of(x: Tensor) -> Tensor:
    """Return the number of elements of `x`: a constant where it is known."""
    with name_scope(None, "Size", [x]) as scope:
        if x.shape.is_fully_defined():
            return constant(x.shape.num_elements(), datatypes.int32, name=scope)
        return apply_op("Size", x, name=scope)


def conj(x: Tensor) -> Tensor:
    """Return the conjugate of `x`; `x` itself where it is real."""
    return apply_op("Conj", x) if x.dtype.is_complex else x


def cast(x: Tensor, dtype: datatypes.DType) -> Tensor:
    """Return `x` as `dtype`; `x` itself where it is that already."""
    return x if x.dtype.base_dtype == dtype.base_dtype else apply_op("Cast", x, DstT=dtype.base_dtype)


def zeros_like(x: Tensor) -> Tensor:
    """Return zeros of the shape and dtype of `x`: a constant where few elements are known to be needed."""
    with name_scope(None, "zeros_like", [x]) as scope:
        return _filled_like(x, 0, "ZerosLike", scope)


def ones_like(x: Tensor, dtype: datatypes.DType | None = None) -> Tensor:
    """Return ones of the shape of `x`, and of its dtype or another; True where that is bool."""
    dtype = x.dtype.base_dtype if dtype is None else dtype
    with name_scope(None, "ones_like", [x]) as scope:
        if x.shape.is_fully_defined():
            with name_scope(None, "Shape"):
                size = constant(x.shape.as_list(), datatypes.int32, shape=[len(x.shape)], name="shape_as_tensor")
        else:
            size = apply_op("Shape", x)
        return apply_op("Fill", size, constant(True if dtype.is_bool else 1, dtype=dtype), name=scope)


def _filled_like(x: Tensor, value: int, op: str, scope: str) -> Tensor:
    count = x.shape.num_elements() if x.shape.is_fully_defined() else None
    if count is None or x.dtype.base_dtype == datatypes.variant:
        return apply_op(op, x, name=scope)
    dtype = x.dtype.base_dtype
    if count < 1000:
        return constant(False if dtype.is_bool else value, dtype=dtype, shape=x.shape.as_list(), name=scope)
    size = constant(x.shape.as_list(), datatypes.int32, name="shape_as_tensor")
    return apply_op("Fill", size, constant(value, dtype=dtype), name=scope)


def ones(shape: Any, dtype: datatypes.DType) -> Tensor:
    """Return ones of a shape given as a vector."""
    with name_scope(None, "ones") as scope:
        shape = shape if isinstance(shape, Tensor) else convert_to_tensor(shape, dtype=datatypes.int32)
        return apply_op("Fill", shape, constant(1, dtype=dtype.base_dtype), name=scope)


def reshape(x: Any, shape: Any) -> Tensor:
    """Return `x`, which may be IndexedSlices, in another shape."""
    return apply_op("Reshape", dense(x), shape)


def transpose(x: Tensor, perm: Any) -> Tensor:
    """Return `x` with its axes in another order."""
    return apply_op("Transpose", x, perm, name="transpose")


def concat(values: Sequence[Any], axis: Any = 0) -> Tensor:
    """Return tensors joined along an axis."""
    return apply_op("ConcatV2", list(values), axis, name="concat")


def stack(values: Sequence[Any]) -> Tensor:
    """Return scalars as a vector; literals become constants of the dtype of the tensors."""
    dtype = next(v.dtype.base_dtype for v in values if isinstance(v, Tensor))
    with name_scope(None, "stack") as scope:
        parts = [v if isinstance(v, Tensor) else constant(v, dtype, name=str(i)) for i, v in enumerate(values)]
        return apply_op("Pack", parts, name=scope)


def product_of(x: Tensor) -> Tensor:
    """Return the product of all elements."""
    return apply_op("Prod", x, _all_axes(x))


def expand_dims(x: Tensor, axis: int) -> Tensor:
    """Return `x` with an axis of size one more."""
    return apply_op("ExpandDims", x, axis)


def gather(params: Any, indices: Any) -> Tensor:
    """Return the rows of `params` at `indices`."""
    return apply_op("GatherV2", params, indices, 0)


def select(condition: Tensor, x: Any, y: Any) -> Tensor:
    """Return elements of `x` where `condition` holds, else of `y`; all are broadcast."""
    return apply_op("SelectV2", condition, x, y)


def range_to(limit: Any, start: Any = 0, step: Any = 1) -> Tensor:
    """Return the numbers `start`, `start + step`, ... below `limit`."""
    return apply_op("Range", start, limit, step, name="range")


def sum_over(x: Tensor, axes: Any = None, keep_dims: bool = False) -> Tensor:
    """Return the sum of `x` over `axes`, or over all."""
    return apply_op("Sum", x, _all_axes(x) if axes is None else axes, keep_dims=keep_dims)


def _all_axes(x: Tensor) -> Tensor:
    return constant(np.arange(x.shape.rank, dtype=np.int32)) if x.shape.rank else range_to(rank_of(x))


def dense(grad: Any) -> Any:
    """Return IndexedSlices as a whole tensor, tensors as they are. Raises: ValueError if the shape is not known."""
    if not isinstance(grad, IndexedSlices):
        return grad
    if grad.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices without dense_shape: {grad}")
    return apply_op("UnsortedSegmentSum", grad.values, grad.indices, grad.dense_shape[0])


def kept_shape(shape: Tensor, axes: Tensor) -> Any:
    """Return the shape `shape` has after a reduction over `axes` that keeps axes of size one."""
    known, known_axes = constant_value(shape), constant_value(axes)
    if known is not None and known_axes is not None:
        kept = np.array(known, np.int32)
        kept[known_axes.astype(np.int32)] = 1
        return kept
    rank = size_of(shape)
    axes = cast(axes, datatypes.int32)
    axes = (axes + rank) % rank
    count = shape_of(axes)
    return apply_op("DynamicStitch", [range_to(rank), axes], [shape, ones(count, shape.dtype)])


# Broadcasting


def same_known_shape(*tensors: Any) -> bool:
    """Whether all are tensors of one fully known shape."""
    if not all(isinstance(t, Tensor) for t in tensors):
        return False
    first = tensors[0].shape
    return first.is_fully_defined() and all(t.shape.rank == first.rank and t.shape == first for t in tensors)


def unbroadcast(x: Tensor, y: Tensor, gx: Any, gy: Any) -> tuple[Any, Any]:
    """Return gradients of `op(x, y)` summed over the axes along which `x` and `y` were broadcast."""
    if gx is None and gy is None:
        return None, None
    x_shape, y_shape = shape_of(x), shape_of(y)
    known = _broadcast_axes(x, y)
    if known is None:
        made = apply_op("BroadcastGradientArgs", x_shape, y_shape)
        return _summed(gx, x_shape, made[0]), _summed(gy, y_shape, made[1])
    x_axes, y_axes = known
    shorter = (x.shape.rank or 0) - (y.shape.rank or 0)
    if x_axes or shorter < 0:
        gx = _summed(gx, x_shape, x_axes)
    if y_axes or shorter > 0:
        gy = _summed(gy, y_shape, y_axes)
    return gx, gy


def _summed(grad: Any, shape: Tensor, axes: Any) -> Any:
    if grad is None:
        return None
    return reshape(apply_op("Sum", dense(grad), axes, keep_dims=True), shape)


def _broadcast_axes(x: Tensor, y: Tensor) -> tuple[list[int], list[int]] | None:
    """Return the axes of the result over which the gradients of `x` and `y` are summed; None if they are not known."""
    if x.shape.rank is None or y.shape.rank is None:
        return None
    shapes = x.shape.as_list(), y.shape.as_list()
    rank = max(map(len, shapes))
    sizes: list[list[int | None]] = [[*[1] * (rank - len(shape)), *shape] for shape in shapes]
    x_axes: list[int] = []
    y_axes: list[int] = []
    for axis, (a, b) in enumerate(zip(*sizes)):
        if a == 1 and b != 1:
            x_axes.append(axis)
        elif b == 1 and a != 1:
            y_axes.append(axis)
        elif a is None or b is None:
            return None
    return x_axes, y_axes
