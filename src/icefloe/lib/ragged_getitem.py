"""`ragged[...]`: Python's subscript for RaggedTensors.

Source: tensorflow/python/ops/ragged/ragged_getitem.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from icefloe import datatypes
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather as dense_gather
from icefloe.lib.array_shape import shape, size
from icefloe.lib.constants import get_static_value
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.ragged_gather import gather
from icefloe.lib.ragged_partition import maximum, minimum
from icefloe.lib.ragged_range import range as ragged_range
from icefloe.lib.ragged_tensor import RaggedTensor
from icefloe.shapes import dimension_at_index


def getitem(ragged: RaggedTensor, key: Any) -> Any:
    """Return `ragged[key]`: integers for rows and uniform dimensions, slices, `...` and None.

    Raises: ValueError for an index into a ragged dimension; TypeError, IndexError for what is no index.
    """
    scope = [ragged, *_tensors_in(key)]
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    with name_scope(None, "RaggedGetItem", scope):
        return _outer(ragged, keys)


def _tensors_in(key: Any) -> Iterator[Tensor]:
    if isinstance(key, Tensor):
        yield key
    elif isinstance(key, (list, tuple)):
        for item in key:
            yield from _tensors_in(item)
    elif isinstance(key, slice):
        yield from _tensors_in([key.start, key.stop, key.step])


def _everything(key: slice) -> bool:
    return key.start is None and key.stop is None and key.step is None


def _split_count(ragged: Any) -> Any:
    known = dimension_at_index(ragged.row_splits.shape, 0).value
    return shape(ragged.row_splits, out_type=ragged.row_splits.dtype)[0] if known is None else known


def _outer(ragged: RaggedTensor, keys: list[Any]) -> Any:
    if not keys:
        return ragged
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return _outer(ragged, _without_ellipsis(keys, ragged.shape.ndims))
    if first is None:
        inner = _outer(ragged, rest)
        return RaggedTensor.from_uniform_row_length(inner, _split_count(inner) - 1, nrows=1, validate=False)
    if isinstance(first, slice):
        rows = _slice_rows(ragged, first)
        if ragged.uniform_row_length is not None:
            rows = RaggedTensor.from_uniform_row_length(rows.values, ragged.uniform_row_length, nrows=rows.nrows())
        return _inner(rows, rest)
    starts = ragged.row_splits[:-1]
    limits = ragged.row_splits[1:]
    return ragged.values[starts[first] : limits[first]].__getitem__(rest)


def _slice_rows(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    if _everything(key):
        return ragged
    starts = ragged.row_splits[:-1][key]
    limits = ragged.row_splits[1:][key]
    zero = zeros([1], ragged.row_splits.dtype)
    if key.step is not None and (isinstance(key.step, Tensor) or key.step != 1):
        return _value_ranges(starts, limits, 1, ragged.values)
    # The zero stands in for the first start where there are no rows.
    splits = concat([zero[size(starts) :], starts[:1], limits], axis=0)
    first, last = splits[0], splits[-1]
    return RaggedTensor.from_row_splits(ragged.values[first:last], splits - first, validate=False)


def _inner(ragged: Any, keys: list[Any]) -> Any:
    """Return `ragged` with `keys` applied below its first dimension."""
    if not keys:
        return ragged
    if not isinstance(ragged, RaggedTensor):
        return ragged.__getitem__([slice(None, None, None), *keys])
    key, rest = keys[0], keys[1:]
    if key is Ellipsis:
        return _inner(ragged, _without_ellipsis(keys, ragged.values.shape.ndims))
    if key is None:
        inner = _inner(ragged, rest)
        return RaggedTensor.from_uniform_row_length(inner, 1, nrows=_split_count(inner) - 1, validate=False)
    if isinstance(key, slice):
        if _everything(key):
            return ragged.with_values(_inner(ragged.values, rest))
        columns = _slice_columns(ragged, key)
        return columns.with_values(_inner(columns.values, rest))
    length = ragged.uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    column = cast(key, length.dtype)
    said = "Index out of bounds when indexing into a ragged tensor"
    found = [
        checks.assert_greater_equal(column, -length, message=said),
        checks.assert_less(column, length, message=said),
    ]
    with control_dependencies(found):
        offset = _if_not_negative(column, lambda: column, lambda: length + column)
        return _inner(ragged.values[offset::length], rest)


def _slice_columns(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    if not all(isinstance(bound, (Tensor, int, type(None))) for bound in (key.start, key.stop)):
        raise TypeError("slice offsets must be integers or None")
    starts = ragged.row_splits[:-1]
    limits = ragged.row_splits[1:]
    step = 1 if key.step is None else key.step
    lower = _if_not_negative(step, lambda: starts, lambda: starts - 1)
    upper = _if_not_negative(step, lambda: limits, lambda: limits - 1)

    def bound(given: Any) -> Any:
        offset = cast(given, starts.dtype)
        return _if_not_negative(given, lambda: minimum(starts + offset, upper), lambda: maximum(limits + offset, lower))

    if key.start is None:
        from_ = _if_not_negative(step, lambda: starts, lambda: limits - 1)
    else:
        from_ = bound(key.start)
    if key.stop is None:
        to = _if_not_negative(step, lambda: limits, lambda: starts - 1)
    else:
        to = bound(key.stop)
    columns = _value_ranges(from_, to, key.step, ragged.values)
    if ragged.uniform_row_length is not None:
        length = ragged.uniform_row_length
        kept = size(zeros(length, dtype=datatypes.bool)[key], out_type=length.dtype)
        columns = RaggedTensor.from_uniform_row_length(columns.values, kept, ragged.nrows())
    return columns


def _without_ellipsis(keys: list[Any], ndims: int | None) -> list[Any]:
    if ndims is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    count = sum(1 for key in keys if key is not None)
    if count > ndims + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if count == ndims + 1 else [slice(None, None, None), *keys]


def _value_ranges(starts: Any, limits: Any, step: Any, values: Any) -> RaggedTensor:
    step = convert_to_tensor(1 if step is None else step, name="step")
    if not step.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    step = cast(step, starts.dtype)
    indices = ragged_range(starts, limits, step, row_splits_dtype=starts.dtype)
    if isinstance(values, RaggedTensor):
        return indices.with_values(gather(values, indices.values))
    return indices.with_values(dense_gather(values, indices.values))


def _if_not_negative(value: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    if isinstance(value, Tensor):
        known = get_static_value(value)
        if known is None:
            return cond(value >= 0, then, otherwise)
        value = known
    return then() if value >= 0 else otherwise()
