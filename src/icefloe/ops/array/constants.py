"""Tensors from nothing: constants, placeholders, fills."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unchanged, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array, sizes_of, unboxed, zeros
from icefloe.ops.wording import dtype_name
from icefloe.proto import TensorProto
from icefloe.shapes import Dims, dims_from_proto, shape_text


@kernel("Const", "HostConst", returns="stored")
def constant(*, value: Array | TensorProto, dtype: DType) -> Any:
    """Return the attr `value`: a node's constant is one array for all runs. Variants come as their message.

    Raises: InvalidArgumentError if `value` is not of `dtype`.
    """
    if isinstance(value, TensorProto):
        from icefloe.ops.variants import decode_tensor

        return decode_tensor(value)
    if value.dtype != dtype.numpy:
        raise errors.InvalidArgumentError(
            f"Type mismatch between value ({dtype_name(as_dtype(value.dtype))}) and dtype ({dtype_name(dtype)})"
        )
    return value


@shape("Const", "HostConst")
def constant_shape(c: ShapeContext) -> list[Dims]:
    value = c.attr("value")
    return [dims_from_proto(value.tensor_shape) if isinstance(value, TensorProto) else np.shape(value)]


@kernel("Placeholder", "PlaceholderV2")
def placeholder(*, dtype: DType, shape: Dims, node: str) -> NoReturn:
    """Refuse: a placeholder is fed. TensorFlow's text leaves out a shape of rank 0 or unknown rank."""
    where = f" and shape {shape_text(shape)}" if shape else ""
    raise errors.InvalidArgumentError(
        f"You must feed a value for placeholder tensor {node!r} with dtype {dtype_name(dtype)}{where}"
    )


# Up to this GraphDef version a placeholder of unknown shape was written with an empty one, as a scalar is.
_SCALAR_MAY_BE_UNKNOWN = 21


@shape("Placeholder")
def placeholder_shape(c: ShapeContext) -> list[Dims]:
    shape = c.attr("shape")
    return [None if shape == () and c.graph_def_version <= _SCALAR_MAY_BE_UNKNOWN else shape]


@shape("PlaceholderV2", "FakeParam")
def attr_shape(c: ShapeContext) -> list[Dims]:
    return [c.attr("shape")]


@kernel("FakeParam")
def fake_param(*, dtype: DType, shape: Dims) -> Any:
    """A value that is never used: what the branch not taken would have put out."""
    if dtype.name in ("resource", "variant"):
        return None
    return zeros(check_shape((size or 0 for size in shape or ()), dtype.numpy), dtype.numpy)


@kernel("PlaceholderWithDefault", returns=("view", 0))
def placeholder_with_default(default: Any) -> Any:
    return default


@shape("PlaceholderWithDefault")
def placeholder_with_default_shape(c: ShapeContext) -> list[Dims]:
    merge(c.shape(0), c.attr("shape"))
    # What is fed need not have the default's shape, only the attr's.
    return [c.attr("shape")]


@kernel("Fill")
def fill(dims: Any, value: Any) -> Array:
    """A tensor of shape `dims` with `value` everywhere. `dims` may be a scalar: one dimension."""
    if np.ndim(dims) > 1:
        raise errors.InvalidArgumentError(f"dims must represent a vector, got shape {shape_text(np.shape(dims))}")
    if np.size(value) != 1 or np.ndim(value) > 1:
        raise errors.InvalidArgumentError(f"value must represent a scalar, got shape {shape_text(np.shape(value))}")
    sizes = check_shape(sizes_of(dims), value.dtype)
    if value.dtype == object:
        return np.full(sizes, value.item(), object)
    return np.full(sizes, value, value.dtype)


@shape("Fill")
def fill_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    with_rank(c.shape(1), 0)
    sizes = c.constant(0)
    if sizes is not None and np.any(sizes < 0):
        raise errors.InvalidArgumentError("Fill dimensions must be >= 0")
    return [c.shape_value(0)]


@kernel("Empty")
def empty(dims: Any, *, dtype: DType) -> Array:
    """A tensor of shape `dims`. TensorFlow leaves the memory as it is unless `init`; here it is zeros always."""
    if np.ndim(dims) != 1:
        raise errors.InvalidArgumentError(f"shape must be a vector of int32, got shape {shape_text(np.shape(dims))}")
    return zeros(check_shape(sizes_of(dims), dtype.numpy), dtype.numpy)


@shape("Empty")
def empty_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape_value(0)]


def _zeros_like_object(x: Any) -> Any:
    if isinstance(x, bytes):
        return b""
    make = getattr(x, "zeros_like", None)
    if make is None:
        raise errors.InvalidArgumentError(f"No unary variant op for ZerosLike of {type(x).__name__}")
    return make()


@kernel("ZerosLike")
def zeros_like(x: Any) -> Any:
    """Zeros, False or empty strings in the shape of `x`; of a variant what its class calls `zeros_like()`."""
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype != object:
            return np.zeros(x.shape, x.dtype)
        result = np.empty(x.shape, object)
        flat = result.reshape(-1)
        for i, item in enumerate(np.ravel(x).tolist()):
            flat[i] = _zeros_like_object(item)
        return unboxed(result)
    return _zeros_like_object(x)


@kernel("OnesLike")
def ones_like(x: Any) -> Array:
    return np.ones(x.shape, x.dtype)


shape("ZerosLike", "OnesLike")(unchanged)
