"""Assignments to variables, and to the references that a graph without variable objects has."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import expand_dims, reshape, shape


def _is_ref(ref: Any) -> bool:
    return ref.dtype._is_ref_dtype


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Return an assignment of `value` to a variable, as its new value.

    validate_shape, use_locking: of references only.
    """
    if _is_ref(ref):
        return apply_op("Assign", ref, value, validate_shape=validate_shape, use_locking=use_locking, name=name)
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Return an addition of `value` to a variable, as its new value."""
    if _is_ref(ref):
        return apply_op("AssignAdd", ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Return a subtraction of `value` from a variable, as its new value."""
    if _is_ref(ref):
        return apply_op("AssignSub", ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Return the value of a variable before it is raised by 1; running it fails with OutOfRangeError at `limit`."""
    if _is_ref(ref):
        return apply_op("CountUpTo", ref, limit=limit, name=name)
    return apply_op("ResourceCountUpTo", ref.handle, limit=limit, T=ref.dtype, name=name)


def _scatter(kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
    if _is_ref(ref):
        return apply_op(f"Scatter{kind}", ref, indices, updates, use_locking=use_locking, name=name)
    return ref._scatter(kind, indices, updates, use_locking, name)


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Return an assignment of `updates` to the rows `indices` of a variable."""
    return _scatter("Update", ref, indices, updates, use_locking, name)


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return an addition of `updates` to the rows `indices` of a variable; rows named twice get both."""
    return _scatter("Add", ref, indices, updates, use_locking, name)


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return a subtraction of `updates` from the rows `indices` of a variable."""
    return _scatter("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return a multiplication of the rows `indices` of a variable by `updates`."""
    return _scatter("Mul", ref, indices, updates, use_locking, name)


def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return a division of the rows `indices` of a variable by `updates`."""
    return _scatter("Div", ref, indices, updates, use_locking, name)


def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return the maximum of the rows `indices` of a variable and `updates`, stored."""
    return _scatter("Max", ref, indices, updates, use_locking, name)


def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return the minimum of the rows `indices` of a variable and `updates`, stored."""
    return _scatter("Min", ref, indices, updates, use_locking, name)


def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Return an assignment of `updates` at the index vectors `indices` of a variable."""
    return _scatter("NdUpdate", ref, indices, updates, use_locking, name)


def scatter_nd_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return an addition of `updates` at the index vectors `indices` of a variable."""
    return _scatter("NdAdd", ref, indices, updates, use_locking, name)


def scatter_nd_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Return a subtraction of `updates` at the index vectors `indices` of a variable."""
    return _scatter("NdSub", ref, indices, updates, use_locking, name)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Return an assignment of `updates` to `ref[i.., indices[i.., j]]`, all axes of `indices` but the last being
    batch axes.

    Raises: ValueError if the rank of `indices` is unknown.
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        indices_shape = shape(indices)
        ndims = indices.shape.rank
        if ndims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        last = expand_dims(indices, axis=-1)
        columns = []
        for axis in range(ndims - 1):
            size = indices_shape[axis]
            column_shape: list[Any] = [1] * (ndims + 1)
            column_shape[axis] = size
            numbers = reshape(apply_op("Range", 0, size, 1), column_shape)
            if numbers.dtype.base_dtype != last.dtype:
                numbers = apply_op("Cast", numbers, DstT=last.dtype)
            columns.append(numbers * ones_like(last))
        columns.append(last)
        return scatter_nd_update(ref, concat(columns, axis=-1), updates, use_locking=use_locking)
