"""`tensor[...]`: Python's subscript as a StridedSlice op, or a Boolean mask as a gather.

Source: tensorflow/python/ops/tensor_getitem_override.py, array_ops.py (nodes and names).
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from icefloe import datatypes, shapes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor

_INDEX_TYPES = (datatypes.int16, datatypes.int32, datatypes.int64)
_BAD_INDEX = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
    "valid indices"
)


def _check_index(index: Any) -> None:
    if isinstance(index, (numbers.Integral, shapes.Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    try:
        fits = dtype is not None and datatypes.as_dtype(dtype).base_dtype in _INDEX_TYPES
    except TypeError:
        fits = False
    if not fits or (index.shape and len(index.shape) == 1):
        raise TypeError(f"{_BAD_INDEX}, got {index!r}")


def _is_given(bound: Any) -> bool:
    return bound is not None and not (isinstance(bound, shapes.Dimension) and bound.value is None)


def _slice_dtype(bounds: tuple[Any, ...]) -> datatypes.DType | None:
    """Return the widest dtype of the tensors among the bounds of a slice, or None if there is none."""
    kinds = {bound.dtype.base_dtype for bound in bounds if isinstance(bound, Tensor)}
    return next((t for t in (datatypes.int64, datatypes.int32, datatypes.int16) if t in kinds), None)


class _Spec:
    """A subscript taken apart: bounds of each of its items, and the masks of StridedSlice."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)

    def add(self, item: Any) -> None:
        """Take the next item. Raises: TypeError if it is no index."""
        if isinstance(item, slice):
            self._add_slice(item)
        elif item is Ellipsis:
            self._append(0, 0, 1, "ellipsis_mask")
        elif item is None:
            self._append(0, 0, 1, "new_axis_mask")
        else:
            _check_index(item)
            stride: Any = 1
            if isinstance(item, Tensor) and item.dtype.base_dtype in (datatypes.int16, datatypes.int64):
                self._append(item, item + 1, stride, "shrink_axis_mask")
                self.strides[-1] = constant(1, dtype=item.dtype.base_dtype)
            else:
                self._append(item, item + 1, stride, "shrink_axis_mask")

    def _append(self, begin: Any, end: Any, stride: Any, mask: str | None = None) -> None:
        if mask is not None:
            self.masks[mask] |= 1 << len(self.begin)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _add_slice(self, item: slice) -> None:
        dtype = _slice_dtype((item.start, item.stop, item.step))

        def bound(value: Any, default: int, mask: str | None) -> Any:
            if _is_given(value):
                _check_index(value)
                return value
            if mask is not None:
                self.masks[mask] |= 1 << len(self.begin)
            return default if dtype is None else constant(default, dtype=dtype)

        begin = bound(item.start, 0, "begin_mask")
        end = bound(item.stop, 0, "end_mask")
        self._append(begin, end, bound(item.step, 1, None))


def _is_mask(spec: Any) -> bool:
    return (
        isinstance(spec, bool)
        or (isinstance(spec, Tensor) and spec.dtype.base_dtype == datatypes.bool)
        or (isinstance(spec, np.ndarray) and spec.dtype == np.bool_)
    )


def getitem(tensor: Any, slice_spec: Any) -> Tensor:
    """Return `tensor[slice_spec]`: integers, slices, `...`, None for a new axis, integer tensors, or a Boolean mask.

    Raises: TypeError if an item is none of these.
    """
    tensor = convert_to_tensor(tensor)
    if _is_mask(slice_spec):
        return boolean_mask(tensor, slice_spec)
    spec = _Spec()
    for item in slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]:
        spec.add(item)
    with name_scope(None, "strided_slice", [tensor, *spec.begin, *spec.end, *spec.strides]) as scope:
        if not spec.begin:
            packed = [constant([], dtype=datatypes.int32)] * 3
        else:
            packed = [_stacked(bounds) for bounds in (spec.begin, spec.end, spec.strides)]
            if any(p.dtype.base_dtype == datatypes.int64 for p in packed):
                packed = [
                    p if p.dtype.base_dtype == datatypes.int64 else apply_op("Cast", p, DstT=datatypes.int64)
                    for p in packed
                ]
        return apply_op("StridedSlice", tensor, *packed, **spec.masks, name=scope)


def _stacked(bounds: list[Any]) -> Tensor:
    try:
        return convert_to_tensor(bounds, name="stack")
    except (TypeError, ValueError):
        # TensorFlow converts the first one by itself, for its rank; the node stays.
        convert_to_tensor(bounds[0], name="stack")
        return apply_op("Pack", bounds, name="stack")


def _shape_of(tensor: Tensor) -> Tensor:
    """Return the shape of `tensor`: a constant where it is known."""
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), dtype=datatypes.int32, name="Shape")
    return apply_op("Shape", tensor)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask") -> Tensor:
    """Return the elements, or rows, of `tensor` where `mask` is true; its shape is a prefix of the tensor's.

    Raises: ValueError if the rank of the mask is 0 or not known, or the shapes do not fit.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        rank = mask.shape.ndims
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is "
                "ok, but shape=None is not."
            )
        tensor.shape[:rank].assert_is_compatible_with(mask.shape)
        leading = apply_op("Prod", getitem(_shape_of(tensor), slice(0, rank)), [0])
        before = getitem(_shape_of(tensor), slice(None, 0))
        after = getitem(_shape_of(tensor), slice(rank, None))
        shape = apply_op(
            "ConcatV2", [before, convert_to_tensor([leading], name="concat/values_1"), after], 0, name="concat"
        )
        rows = apply_op("Reshape", tensor, shape)
        first = tensor.shape[:rank].num_elements()
        rows.set_shape(shapes.TensorShape([first]).concatenate(tensor.shape[rank:]))
        chosen = apply_op("Where", apply_op("Reshape", mask, [-1]))
        return apply_op("GatherV2", rows, apply_op("Squeeze", chosen, squeeze_dims=[1]), 0)
