"""Ops that take elements of a tensor by position, by condition or by value."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape, shape, shape_internal, squeeze
from icefloe.lib.constants import get_static_value, hinted, is_tensor
from icefloe.lib.nest import is_composite, map_structure
from icefloe.shapes import TensorShape, as_shape


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Return the block of `input_` of shape `size` (-1: to the end) that begins at `begin`."""
    return apply_op("Slice", input_, begin, size, name=name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `input_[begin:end:strides]` with the bit masks of the StridedSlice op.

    var: a variable; the result then has a method `assign(value)` that writes the slice of it.
    """
    if strides is None:
        strides = ones_like(begin)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    result = apply_op("StridedSlice", input_, begin, end, strides, name=name, **masks)
    if var is not None:
        scope = name

        def assign(val: Any, name: str | None = None) -> Any:
            return var._strided_slice_assign(begin, end, strides, val, name or f"{scope}_assign", **masks)

        result.assign = assign
    return result


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Return the slices of `params` along `axis` (default `batch_dims`) at `indices`; validate_indices has no
    effect.
    """
    if axis is None:
        axis = batch_dims
    if get_static_value(axis) != 0:
        return apply_op("GatherV2", params, indices, axis, batch_dims=batch_dims, name=name)
    if getattr(type(params), "gathers_itself", False):
        return params.sparse_read(indices, name=name)
    return apply_op("GatherV2", params, indices, axis, name=name)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: Any = 0, bad_indices_policy: str = ""
) -> Tensor:
    """Return the elements or slices of `params` at the index vectors in the last axis of `indices`."""
    known = get_static_value(batch_dims)
    if known is not None:
        batch_dims = int(np.asarray(known).item())  # a vector of one will do
    if batch_dims != 0:
        from icefloe.lib.array_batch_gather import batch_gather_nd

        return batch_gather_nd(params, indices, batch_dims, name, bad_indices_policy)
    if bad_indices_policy in ("", "DEFAULT") and getattr(type(params), "gathers_itself", False):
        return params.gather_nd(indices, name=name)
    return apply_op("GatherNd", params, indices, bad_indices_policy=bad_indices_policy, name=name)


def boolean_mask(tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None) -> Tensor:
    """Return the parts of `tensor` where `mask` is True; mask's axes stand for those of `tensor` from `axis` on.

    Raises: ValueError if the mask is a scalar, of unknown rank, or does not fit.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        mask_shape, tensor_shape = mask.shape, tensor.shape
        ndims = mask_shape.rank
        if ndims == 0:
            raise ValueError("mask cannot be scalar.")
        if ndims is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
                "shape=[None] is ok, but shape=None is not."
            )
        axis = 0 if axis is None else axis
        known_axis = get_static_value(axis)
        if known_axis is not None:
            axis = int(known_axis)
            tensor_shape[axis : axis + ndims].assert_is_compatible_with(mask_shape)
        leading = apply_op("Prod", shape(tensor)[axis : axis + ndims], [0])
        flat = concat([shape(tensor)[:axis], [leading], shape(tensor)[axis + ndims :]], 0)
        tensor = reshape(tensor, flat)
        if known_axis is not None:
            first = tensor_shape[axis : axis + ndims].num_elements()
            tensor.set_shape(
                as_shape(tensor_shape[:axis])
                .concatenate(TensorShape([first]))
                .concatenate(tensor_shape[axis + ndims :])
            )
        mask = reshape(mask, [-1])
        return gather(tensor, squeeze(where_v2(mask), axis=[1]), axis=axis)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Return x where `condition` holds, else y; without x and y, the index vectors where it holds.

    x and y have one shape; condition has it too, or is a vector of their first axis, or a scalar.

    Raises: ValueError if only one of x and y is given.
    """
    return _where("Select", condition, x, y, name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Return what `where` does, with condition, x and y broadcast."""
    return _where("SelectV2", condition, x, y, name)


def _where(op: str, condition: Any, x: Any, y: Any, name: str | None) -> Tensor:
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = hinted(condition, datatypes.bool, name="condition")
            return apply_op("Where", condition, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return apply_op(op, condition, x, y, name=name)


def unique(x: Any, out_idx: Any = datatypes.int32, name: str | None = None) -> Any:
    """Return `(y, idx)`: the distinct elements of a vector in order of appearance, and for each element its place in
    y.
    """
    return apply_op("Unique", x, out_idx=out_idx, name=name)


def unique_with_counts(x: Any, out_idx: Any = datatypes.int32, name: str | None = None) -> Any:
    """Return `(y, idx, count)`: as `unique`, and how often each element occurs."""
    return apply_op("UniqueWithCounts", x, out_idx=out_idx, name=name)


def setdiff1d(x: Any, y: Any, index_dtype: Any = datatypes.int32, name: str | None = None) -> Any:
    """Return `(out, idx)`: the elements of vector x that are not in y, and where they are in x."""
    return apply_op("ListDiff", x, y, out_idx=index_dtype, name=name)


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Return IndexedSlices without the slices whose index is in `mask_indices`."""
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        out, to_gather = apply_op("ListDiff", a.indices, mask_indices)
        return IndexedSlices(gather(a.values, to_gather, name=scope), out, a.dense_shape)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Return `input` with, for each i along batch_axis, its first seq_lengths[i] elements along seq_axis reversed."""
    seq_axis = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = renamed("batch_axis", batch_axis, "batch_dim", batch_dim)
    return apply_op(
        "ReverseSequence",
        input,
        seq_lengths,
        seq_dim=seq_axis,
        batch_dim=0 if batch_axis is None else batch_axis,
        name=name,
    )


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = datatypes.int32,
    name: str | None = None,
) -> Tensor:
    """Return where `values` would go in `sorted_sequence`, row by row along the last axis.

    side: "left", before equal elements, or "right", after them. Raises: ValueError for another side.
    """
    width = shape_internal(sorted_sequence)[-1]
    count = shape_internal(values)[-1]
    rows = reshape(sorted_sequence, [-1, width])
    value_rows = reshape(values, [-1, count])
    ops = {"left": "LowerBound", "right": "UpperBound"}
    if side not in ops:
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    found = apply_op(ops[side], rows, value_rows, out_type=out_type, name=name)
    return reshape(found, shape_internal(values))


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None, constant_values: Any = 0
) -> Tensor:
    """Return `tensor` with paddings[i] = (before, after) elements added along axis i.

    mode: CONSTANT (filled with `constant_values`), REFLECT or SYMMETRIC, in either case. Raises: ValueError for
    another mode.
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        plain = not is_tensor(constant_values) and np.ndim(constant_values) == 0
        if plain and constant_values == np.zeros_like(constant_values):
            result = apply_op("Pad", tensor, paddings, name=name)
        else:
            result = apply_op("PadV2", tensor, paddings, constant_values, name=name)
    elif mode in ("REFLECT", "SYMMETRIC"):
        result = apply_op("MirrorPad", tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    source = result.op.inputs[0].shape
    if source.rank is not None and not result.shape.is_fully_defined():
        known = get_static_value(paddings, partial=True) if isinstance(paddings, Tensor) else paddings
        if isinstance(known, (list, tuple, np.ndarray)):
            result.set_shape([_padded(size, pair) for size, pair in zip(source.as_list(), known)])
    return result


def _padded(size: int | None, pair: Any) -> int | None:
    """Return `size` plus both paddings, or None where one of the three is not a plain number."""
    numbers: list[Any] = [size, *pair] if isinstance(pair, (list, tuple, np.ndarray)) else [None]
    if all(isinstance(n, (int, np.integer)) for n in numbers):
        return int(sum(numbers))
    return None


def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Return `input`, a tensor or composite; gradients treat it as a constant."""
    if is_composite(input):
        return map_structure(stop_gradient, input, expand_composites=True)
    return apply_op("StopGradient", input, name=name)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """Return `tensor` with `updates` at the index vectors `indices`."""
    return apply_op("TensorScatterUpdate", tensor, indices, updates, name=name)


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance") -> Tensor:
    """Return the Levenshtein distances of two SparseTensors of sequences. Raises: TypeError if they are none."""
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not hasattr(value, "dense_shape") or not hasattr(value, "indices"):
            raise TypeError(f"{what} must be a SparseTensor.")
    return apply_op(
        "EditDistance",
        hypothesis.indices,
        hypothesis.values,
        hypothesis.dense_shape,
        truth.indices,
        truth.values,
        truth.dense_shape,
        normalize=normalize,
        name=name,
    )


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Return an 8-byte hash of each row of `data`, uint8 [rows, 8]."""
    return apply_op("Fingerprint", data, method, name=name)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Return `input`, promising that its value never changes."""
    return apply_op("GuaranteeConst", input, name=name)
