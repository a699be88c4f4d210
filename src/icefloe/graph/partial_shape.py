"""Vectors read as shapes, as far as they are known without running the graph: `[?, 3]` out of `tf.stack([n, 3])`.

Source: tensorflow/core/common_runtime/eval_const_tensor.cc, tensorflow/python/framework/tensor_util.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe import datatypes, errors, shapes
from icefloe.graph.constant_value import constant_value, known_value
from icefloe.shapes import Dims

if TYPE_CHECKING:
    from icefloe.graph.tensor import Tensor

# How many ConcatV2 and StridedSlice ops may stand in a row before a shape counts as unknown.
_MAX_DEPTH = 50
_SIZES = (datatypes.int32, datatypes.int64)


def known_shape(tensor: Tensor) -> Dims:
    """Return what is known of `tensor`, an integer vector, read as a shape; a scalar -1 is an unknown rank.

    Raises: InvalidArgumentError if it is known and no shape.
    """
    dims = tensor._static_dims()
    if dims is not None and len(dims) == 0:
        value = known_value(tensor)
        if value is not None and int(value) != -1:
            raise errors.InvalidArgumentError(
                "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  "
                f"Saw value: {int(value)}"
            )
        return None
    if dims is not None and len(dims) != 1:
        raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(dims)}")
    return _read(tensor, 0)


def _read(tensor: Tensor, depth: int) -> Dims:
    """Read a vector as a shape through Shape, VariableShape, Pack, ConcatV2, StridedSlice, Cast and Identity."""
    op = tensor.op
    steps = 0
    while op.type in ("Identity", "StopGradient", "Snapshot") or (
        op.type == "Cast" and op.inputs[0].dtype.base_dtype in _SIZES
    ):
        tensor = op.inputs[0]
        op = tensor.op
        steps += 1
        if steps > 1000:
            return None
    if op.type == "Shape":
        return op.inputs[0]._static_dims()
    if op.type == "ShapeN":
        return op.inputs[tensor.value_index]._static_dims()
    if op.type == "VariableShape":
        return _behind(op.inputs[0])
    value = known_value(tensor)
    if value is not None:
        return _sizes(value.ravel().tolist())
    if depth < _MAX_DEPTH:
        if op.type == "Pack" and op.kernel_attr("axis") == 0:
            return _sizes([_known_size(t) for t in op.inputs])
        if op.type == "ConcatV2":
            return _joined([_read(t, depth + 1) for t in op.inputs[:-1]])
        if op.type == "StridedSlice":
            return _sliced(tensor, depth + 1)
    return _unknown_sizes(tensor)


def _behind(handle: Tensor) -> Dims:
    """Return the shape of the variable behind a handle."""
    handle._static_dims()  # with it comes what lies behind
    return handle._handle_data[0][1] if handle._handle_data else None


def _unknown_sizes(tensor: Tensor) -> Dims:
    dims = tensor._static_dims()
    return None if dims is None or len(dims) != 1 or dims[0] is None or dims[0] > 255 else (None,) * dims[0]


def _known_size(tensor: Tensor) -> int | None:
    value = known_value(tensor)
    return None if value is None or np.size(value) != 1 else int(np.reshape(value, ()))


def _sizes(values: list[int | None]) -> Dims:
    for v in values:
        if v is not None and v < -1:
            raise errors.InvalidArgumentError(f"Invalid value in tensor used for shape: {v}")
    return tuple([None if v is None or v < 0 else v for v in values])


def _joined(parts: list[Dims]) -> Dims:
    result: tuple[int | None, ...] = ()
    for part in parts:
        if part is None:
            return None
        result += part
    return result


def _bounds(tensor: Tensor) -> tuple[Any, Any, int] | None:
    op = tensor.op
    found = [known_value(t) for t in op.inputs[1:4]]
    if any(v is None or np.size(v) != 1 for v in found):
        return None
    if op.kernel_attr("ellipsis_mask") or op.kernel_attr("new_axis_mask"):
        return None
    begin, end, stride = (int(np.reshape(v, ())) for v in found)  # type: ignore[arg-type]
    return (
        None if op.kernel_attr("begin_mask") & 1 else begin,
        None if op.kernel_attr("end_mask") & 1 else end,
        stride,
    )


def _sliced(tensor: Tensor, depth: int) -> Dims:
    bounds = _bounds(tensor)
    if bounds is None or bounds[2] == 0 or tensor.op.kernel_attr("shrink_axis_mask"):
        return _unknown_sizes(tensor)
    whole = _vector(tensor.op.inputs[0], depth)
    return _unknown_sizes(tensor) if whole is None else whole[bounds[0] : bounds[1] : bounds[2]]


def _vector(tensor: Tensor, depth: int) -> Dims:
    dims = tensor._static_dims()
    return _read(tensor, depth) if dims is not None and len(dims) == 1 else None


def constant_value_as_shape(tensor: Tensor) -> shapes.TensorShape:
    """Return what is known of an integer vector read as a shape.

    Raises: ValueError for a scalar that is not known to be -1.
    """
    if tensor._static_dims() == ():
        value = constant_value(tensor)
        if value is None:
            raise ValueError(
                "Received a scalar with unknown value as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        if value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        return shapes.unknown_shape()
    return shapes.TensorShape(_told(tensor, 0))


def _told(tensor: Tensor, depth: int) -> Dims:
    """Read a vector as a shape by the rules of TensorFlow's Python layer, which are fewer than those of `known_shape`.

    Constants are told through `constant_value`, after which they cannot be fed.
    """
    dims = tensor.shape.with_rank(1).as_list()
    if dims == [0]:
        return ()
    op = tensor.op
    if depth < _MAX_DEPTH:
        if op.type == "Shape":
            return op.inputs[0]._static_dims()
        if op.type == "Cast":
            whole = _told(op.inputs[0], depth + 1)
            return whole if whole is None or tensor.dtype in _SIZES else (None,) * len(whole)
        if op.type == "Pack":
            values = [constant_value(t) for t in op.inputs]
            return tuple([None if v is None or v < 0 else int(v) for v in values])
        if op.type in ("Concat", "ConcatV2"):
            inputs = op.inputs[1:] if op.type == "Concat" else op.inputs[:-1]
            return _joined([_told(t, depth + 1) for t in inputs])
        if op.type == "StridedSlice":
            bounds = _told_bounds(tensor)
            if bounds is not None:
                whole = _told(op.inputs[0], depth + 1)
                return None if whole is None else whole[bounds]
    value = constant_value(tensor)
    if value is not None:
        return tuple([None if size < 0 else size for size in value.tolist()])
    return None if dims[0] is None else (None,) * dims[0]


def _told_bounds(tensor: Tensor) -> slice | None:
    op = tensor.op
    if any(op.kernel_attr(mask) for mask in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")):
        return None
    found = [constant_value(t) for t in op.inputs[1:4]]
    if any(v is None or np.size(v) != 1 for v in found) or op.inputs[0].shape.rank != 1:
        return None
    begin, end, stride = (int(v[0]) for v in found)
    if stride == 0:
        return None
    return slice(None if op.kernel_attr("begin_mask") else begin, None if op.kernel_attr("end_mask") else end, stride)
