"""Tensors made from a shape or a value: zeros, ones, fill, placeholders, one-hot vectors, masks, grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import expand_dims, rank, reshape, shape_internal, size
from icefloe.lib.constants import hinted, is_tensor
from icefloe.shapes import TensorShape

# TensorFlow makes a constant, not a Fill, where fewer elements than this are asked for.
_SMALL = 1000


def _small_constant(value: Any, shape: Any, dtype: Any, name: str) -> Tensor | None:
    try:
        if np.prod(shape) < _SMALL:
            return constant(value, dtype=dtype, shape=shape, name=name)
    except (NotImplementedError, TypeError):  # a shape that holds tensors or unknown sizes
        return None
    return None


def _filled(what: str, one: bool, shape: Any, dtype: Any, name: str | None) -> Tensor:
    dtype = datatypes.as_dtype(dtype).base_dtype
    with name_scope(name, what, [shape]) as scope:
        value: Any = int(one)
        if dtype.is_bool:
            value = one
        elif dtype == datatypes.string and not one:
            value = ""
        elif dtype.is_quantized:
            value = np.full([], one).astype(dtype.numpy)
        if not isinstance(shape, Tensor):
            small = _small_constant(value, shape, dtype, scope)
            if small is not None:
                return small
            try:
                shape = convert_to_tensor(TensorShape(shape))
            except (TypeError, ValueError, errors.UnimplementedError):
                shape = convert_to_tensor(shape, dtype=datatypes.int32)
        if shape.shape.rank in (None, 0):
            shape = reshape(shape, [-1])
        return fill(shape, constant(value, dtype=dtype), name=scope)


def zeros(shape: Any, dtype: Any = datatypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Return a tensor of zeros (False, empty strings). layout is accepted and must be None."""
    _no_layout(layout)
    return _filled("zeros", False, shape, dtype, name)


def ones(shape: Any, dtype: Any = datatypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Return a tensor of ones (True). layout is accepted and must be None."""
    _no_layout(layout)
    return _filled("ones", True, shape, dtype, name)


def _no_layout(layout: Any) -> None:
    if layout is not None:
        raise errors.UnimplementedError("layout: DTensor layouts are not supported")


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Return zeros of the shape and dtype of `tensor`; optimize: make a constant where the shape is known."""
    with name_scope(name, "zeros_like", [tensor]) as scope:
        if not is_tensor(tensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if optimize and tensor.shape.is_fully_defined() and tensor.dtype != datatypes.variant:
            return zeros(tensor.shape, dtype=dtype or tensor.dtype, name=scope)
        if dtype is not None and dtype not in (tensor.dtype, datatypes.variant):
            return zeros(shape_internal(tensor, optimize=optimize), dtype=dtype, name=scope)
        return apply_op("ZerosLike", tensor, name=scope)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Return ones of the shape and dtype of `tensor`; optimize: make a constant where the shape is known."""
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        ones_shape = shape_internal(tensor, optimize=optimize)
        result = ones(ones_shape, dtype=tensor.dtype if dtype is None else dtype, name=scope)
        result.set_shape(tensor.shape)
        return result


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """Return a tensor of shape `dims` whose elements are all `value`."""
    _no_layout(layout)
    return apply_op("Fill", dims, value, name=name)


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """Return a tensor that must be fed; shape: None for any."""
    return apply_op("Placeholder", dtype=dtype, shape=TensorShape(shape), name=name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor that may be fed with a value of `shape` and is `input` otherwise."""
    return apply_op("PlaceholderWithDefault", input, shape=TensorShape(shape), name=name)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor with a new axis of size `depth` that holds on_value (1) at `indices` and off_value (0) elsewhere.

    axis: where the new axis goes, default last.

    Raises: TypeError if dtypes of on_value, off_value and `dtype` differ.
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
        on = None if on_value is None else hinted(on_value, dtype)
        off = None if off_value is None else hinted(off_value, dtype)
        for what, tensor in (("on_value", on), ("off_value", off)):
            if dtype is not None and tensor is not None and tensor.dtype.base_dtype != dtype:
                raise TypeError(f"dtype {tensor.dtype.base_dtype} of {what} does not match dtype parameter {dtype}")
        if dtype is None:
            known = on if on is not None else off
            dtype = datatypes.float32 if known is None else known.dtype.base_dtype
        if on is None:
            on = convert_to_tensor(1, dtype, name="on_value")
        if off is None:
            off = convert_to_tensor(0, dtype, name="off_value")
        if on.dtype.base_dtype != off.dtype.base_dtype:
            raise TypeError(
                f"dtype {on.dtype.base_dtype} of on_value does not match dtype {off.dtype.base_dtype} of off_value"
            )
        return apply_op("OneHot", indices, depth, on, off, axis=-1 if axis is None else axis, name=scope)


def all_dimensions(x: Any) -> Tensor:
    """Return the indices of all axes of `x`, as a constant where the rank is known."""
    if isinstance(x, Tensor) and x.shape.rank is not None:
        return constant(np.arange(x.shape.rank), dtype=datatypes.int32)
    return apply_op("Range", 0, rank(x), 1)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = datatypes.bool, name: str | None = None) -> Tensor:
    """Return a tensor `lengths.shape + [maxlen]` whose row i is True in its first lengths[i] elements.

    maxlen: default the largest of `lengths`.

    Raises: ValueError if `maxlen` is no scalar.
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = apply_op("Max", lengths, all_dimensions(lengths))
            maxlen = apply_op("Maximum", constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape "
                f"'{maxlen.shape}' instead"
            )
        row = apply_op("Range", constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype))
        matrix = apply_op("Cast", expand_dims(lengths, -1), DstT=maxlen.dtype)
        result = row < matrix
        if dtype is None or result.dtype.is_compatible_with(dtype):
            return result
        return apply_op("Cast", result, DstT=dtype)


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Return N tensors of rank N that hold the coordinates of the grid spanned by N vectors.

    indexing: "xy" (default: the first two axes exchanged) or "ij". name: the name scope.

    Raises: TypeError for another keyword, ValueError for another indexing.
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    for key in kwargs:
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    with name_scope(name, "meshgrid", args):
        rank_ = len(args)
        if not rank_:
            return []

        def column(axis: int) -> tuple[int, ...]:
            return (1,) * axis + (-1,) + (1,) * (rank_ - axis - 1)

        outputs = [reshape(stack(x), column(i)) for i, x in enumerate(args)]
        sizes = [size(x) for x in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and rank_ > 1:
            outputs[0] = reshape(outputs[0], column(1))
            outputs[1] = reshape(outputs[1], column(0))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        factor = ones(sizes, dtype)
        return [x * factor for x in outputs]
