"""Shapes of tensors, and ops that change the shape or the order of axes but keep the elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.shape_inference import broadcast_shapes
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_join import concat
from icefloe.lib.constants import is_tensor
from icefloe.shapes import TensorShape, as_shape

# In a subscript, a new axis: `x[:, newaxis]`.
newaxis = None


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return `tensor` with another shape; one size may be -1 and is then what remains."""
    return apply_op("Reshape", tensor, shape, name=name)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Return the shape of a tensor or SparseTensor as a vector, a constant where it is fully known.

    out_type: int32 (default) or int64.
    """
    return shape_internal(input, name, True, datatypes.int32 if out_type is None else out_type)


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """Return the shape as `shape` does; optimize: make a constant where it is known."""
    with name_scope(name, "Shape", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return apply_op("Cast", input.dense_shape, DstT=out_type or datatypes.int32)
        input = convert_to_tensor(input)
        if optimize and input.shape.is_fully_defined():
            if not out_type:
                return convert_to_tensor(input.shape)
            return constant(input.shape.as_list(), out_type, name=scope)
        return apply_op("Shape", input, out_type=out_type or datatypes.int32, name=scope)


def shape_n(input: Any, out_type: Any = datatypes.int32, name: str | None = None) -> list[Tensor]:
    """Return the shapes of several tensors."""
    return apply_op("ShapeN", input, out_type=out_type, name=name)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Return the number of elements, a constant where it is known; out_type: int32 (default) or int64."""
    out_type = datatypes.int32 if out_type is None else out_type
    with name_scope(name, "Size", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return apply_op("Prod", apply_op("Cast", input.dense_shape, DstT=out_type), 0, name=scope)
        input = convert_to_tensor(input)
        if input.shape.is_fully_defined():
            return constant(input.shape.num_elements(), out_type, name=scope)
        if input.shape.rank is not None and 0 in input.shape.as_list():
            return constant(0, out_type, name=scope)
        return apply_op("Size", input, out_type=out_type, name=scope)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes, a constant where it is known."""
    return rank_internal(input, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """Return the rank as `rank` does; optimize: make a constant where it is known."""
    with name_scope(name, "Rank", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return apply_op("Size", input.dense_shape, name=scope)
        input = convert_to_tensor(input)
        if optimize and input.shape.rank is not None:
            return constant(input.shape.rank, datatypes.int32, name=scope)
        return apply_op("Rank", input, name=scope)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Return `input` with a new axis of size 1 at `axis`. Raises: ValueError if no axis is given."""
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return apply_op("ExpandDims", input, axis, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """Return `input` without its axes of size 1, or without those in `axis`."""
    axis = renamed("axis", axis, "squeeze_dims", squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return apply_op("Squeeze", input, squeeze_dims=[] if axis is None else axis, name=name)


def transpose(a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False) -> Tensor:
    """Return `a` with its axes in the order `perm`, default reversed; conjugate: of complex numbers, conjugated."""
    with name_scope(name, "transpose", [a]) as scope:
        if not is_tensor(a):
            a = convert_to_tensor(a, name="a")
        op = "ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose"
        if perm is None:
            if a.shape.rank is None:
                perm = apply_op("Range", apply_op("Rank", a) - 1, -1, -1)
            else:
                perm = np.arange(a.shape.rank - 1, -1, -1, dtype=np.int32)
        return apply_op(op, a, perm, name=scope)


def matrix_transpose(a: Any, name: str | None = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Return `a` with its last two axes exchanged. Raises: ValueError if it is known to have fewer."""
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        ndims = a.shape.rank
        if ndims is not None:
            if ndims < 2:
                raise ValueError(
                    f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {a.shape}"
                )
            perm: Any = [*range(ndims - 2), ndims - 1, ndims - 2]
        else:
            a_rank = rank(a)
            perm = concat((apply_op("Range", 0, a_rank - 2, 1), [a_rank - 1, a_rank - 2]), 0)
        return transpose(a, perm=perm, conjugate=conjugate)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Return the shape, a vector, of the broadcast of two shapes given as vectors."""
    return apply_op("BroadcastArgs", shape_x, shape_y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Return the TensorShape of the broadcast of two. Raises: ValueError if they do not broadcast."""
    x, y = as_shape(shape_x), as_shape(shape_y)
    try:
        known = broadcast_shapes(_sizes(x), _sizes(y))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}") from None
    return TensorShape(known)


def _sizes(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape.as_list())


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Return `(paddings, crops)` that make `input_shape` divisible by `block_shape`, as space_to_batch_nd and its
    inverse want them.
    """
    from icefloe.lib.array_create import zeros
    from icefloe.lib.array_join import stack
    from icefloe.lib.constants import get_static_value

    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        input_shape = convert_to_tensor(input_shape, dtype=datatypes.int32, name="input_shape")
        block_shape = convert_to_tensor(block_shape, dtype=datatypes.int32, name="block_shape")
        block_shape.shape.assert_is_fully_defined()
        block_shape.shape.assert_has_rank(1)
        blocks = block_shape.shape.as_list()[0]
        if blocks == 0:
            return zeros([0, 2], datatypes.int32), zeros([0, 2], datatypes.int32)
        input_shape.shape.assert_is_compatible_with([blocks])
        if base_paddings is not None:
            base_paddings = convert_to_tensor(base_paddings, dtype=datatypes.int32, name="base_paddings")
            base_paddings.shape.assert_is_compatible_with([blocks, 2])
        else:
            base_paddings = zeros([blocks, 2], datatypes.int32)
        known = [get_static_value(x) for x in (block_shape, input_shape, base_paddings)]
        if all(x is not None for x in known):
            block_shape, input_shape, base_paddings = known
        pad_start = base_paddings[:, 0]
        base_end = base_paddings[:, 1]
        full = input_shape + pad_start + base_end
        extra = (block_shape - full % block_shape) % block_shape
        pad_end = base_end + extra
        paddings = stack([[pad_start[i], pad_end[i]] for i in range(blocks)], name="paddings")
        crops = stack([[0, extra[i]] for i in range(blocks)], name="crops")
        return paddings, crops


def _square_block(op: str, input: Any, block_size: Any, name: str | None, **sizes: Any) -> Tensor:
    result = apply_op(op, input, block_shape=np.array([block_size, block_size], dtype=np.int64), name=name, **sizes)
    result.set_shape(result.shape.with_rank(4))
    return result


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """Return `input` [b, h, w, c] padded and with square blocks of its pixels moved to the batch axis."""
    return _square_block(
        "SpaceToBatchND", input, renamed("block_shape", block_shape, "block_size", block_size), name, paddings=paddings
    )


def batch_to_space(input: Any, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None) -> Tensor:
    """Return the inverse of `space_to_batch`, cropped."""
    return _square_block(
        "BatchToSpaceND", input, renamed("block_shape", block_shape, "block_size", block_size), name, crops=crops
    )


def space_to_depth(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Return `input` with blocks of pixels moved to the channel axis."""
    return apply_op("SpaceToDepth", input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Return the inverse of `space_to_depth`."""
    return apply_op("DepthToSpace", input, block_size=block_size, data_format=data_format, name=name)
