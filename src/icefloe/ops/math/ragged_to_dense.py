"""RaggedTensorToTensor: a ragged tensor in any row partition, laid out in a dense one.

Source: tensorflow/core/kernels/ragged_tensor_to_tensor_op.cc, tensorflow/core/util/ragged_to_dense_util.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text
from icefloe.ops.allocation import check_shape
from icefloe.ops.math.row_partition import positions

Function = Callable[..., Any]


def _kinds(types: tuple[str, ...]) -> list[str]:
    """Return the kinds of the partitions of the axes, from the outermost; FIRST_DIM_SIZE is checked and left out.

    Raises: InvalidArgumentError for unknown kinds, or an order that makes no ragged tensor.
    """
    for kind in types:
        if kind not in ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_LENGTHS", "ROW_SPLITS", "ROW_LIMITS", "ROW_STARTS"):
            raise errors.InvalidArgumentError(f"Unknown string for partition info type: {kind}")
    kinds = list(types[1:] if types[:1] == ("FIRST_DIM_SIZE",) else types)
    for kind in kinds:
        if kind not in ("VALUE_ROWIDS", "ROW_SPLITS"):
            raise errors.InvalidArgumentError(f"Unsupported row partition type: {kind}")
    return kinds


def _row_lengths(kind: str, partition: Any, rows: int | None) -> tuple[Any, int]:
    """Return how many values each row has, and how many rows there are; `rows` is their number where it is known."""
    if kind == "ROW_SPLITS":
        if np.any(partition[1:] < partition[:-1]) or (partition.size and partition[0] != 0):
            raise errors.InvalidArgumentError("Invalid row split size.")
        count = max(partition.size - 1, 0)
        if rows is not None and rows != count:
            raise errors.InvalidArgumentError(f"Invalid row split size: expected {rows + 1}, got {partition.size}")
        return np.diff(partition), count
    if rows is None:
        raise errors.InvalidArgumentError("A partition by row ids needs the number of rows")
    if partition.size and (partition.min() < 0 or partition.max() >= rows):
        raise errors.InvalidArgumentError(f"Row ids must be in [0, {rows}), got {partition.tolist()[:10]}")
    if np.any(partition[1:] < partition[:-1]):
        raise errors.InvalidArgumentError("Row ids must not decrease")
    return np.bincount(partition, minlength=rows), rows


@kernel("RaggedTensorToTensor", factory=True)
def ragged_tensor_to_tensor(*, row_partition_types: tuple[str, ...]) -> Function:
    """Return a dense tensor with each row's values at its start, the rest filled with the default.

    shape: a vector with -1 for sizes to be found, or the scalar -1; values beyond a given size are left out.

    Raises: InvalidArgumentError where shape, values, default and partitions do not fit.
    """
    kinds = _kinds(row_partition_types)
    sized = row_partition_types[:1] == ("FIRST_DIM_SIZE",)

    def to_dense(wanted: Any, values: Any, default: Any, partitions: tuple[Any, ...]) -> Any:
        rows: int | None = None
        if sized:
            rows = int(np.ravel(partitions[0])[0]) if np.size(partitions[0]) else None
            check_shape((rows or 0,), np.dtype(np.int64))
        elif partitions and np.size(partitions[0]) == 0:
            raise errors.InvalidArgumentError("Invalid first partition input. Tensor requires at least one element.")
        flat = [np.ravel(p).astype(np.int64) for p in partitions[1 if sized else 0 :]]
        sizes: list[int] = []
        columns: list[Any] = []
        for kind, partition in zip(kinds, flat):
            lengths, count = _row_lengths(kind, partition, rows)
            if not sizes:
                sizes.append(count)
                columns = [np.arange(count)]
            columns = [np.repeat(column, lengths) for column in columns]
            columns.append(positions(np.zeros(count, np.int64), lengths))
            sizes.append(int(lengths.max(initial=0)))
            rows = len(columns[0])
        if rows is not None and np.ndim(values) and rows > len(values):
            raise errors.InvalidArgumentError(f"The partitions have {rows} values, but there are {len(values)}")
        sizes += np.shape(values)[1:]
        out_shape = _output_shape(wanted, sizes, len(kinds), np.shape(values))
        _check_default(np.shape(default), np.shape(values))
        out = np.empty(check_shape(out_shape, values.dtype), values.dtype)
        out[...] = default
        inside = np.ones(rows or 0, bool)
        for column, size in zip(columns, out_shape):
            inside &= column < size
        out[tuple(column[inside] for column in columns)] = values[: rows or 0][inside]
        return out

    return to_dense


def _output_shape(wanted: Any, sizes: list[int], ragged: int, value_shape: tuple[int, ...]) -> list[int]:
    if np.ndim(wanted) == 0:
        if wanted != -1:
            raise errors.InvalidArgumentError("The only valid scalar shape tensor is the fully unknown shape -1.")
        return sizes
    given = wanted.tolist()
    for size in given:
        if size < -1:
            raise errors.InvalidArgumentError(f"Dimension {size} must be >= -1")
    text = shape_text(tuple(None if n < 0 else n for n in given))
    if len(given) != len(sizes):
        raise errors.InvalidArgumentError(
            f"rt_input.shape and shape={text} are incompatible: rt_input.rank = {ragged + len(value_shape)} "
            f"but shape.rank = {len(given)}"
        )
    for i in range(ragged + 1, len(sizes)):
        if given[i] not in (-1, sizes[i]):
            raise errors.InvalidArgumentError(
                f"rt_input.shape and shape={text} are incompatible: rt_input.shape[{i}] = {sizes[i]} "
                f"but shape[{i}] = {given[i]}"
            )
    return [found if asked < 0 else asked for asked, found in zip(given, sizes)]


def _check_default(default: Sequence[int | None], values: Sequence[int | None]) -> None:
    problem = ""
    if len(default) >= len(values):
        problem = f"default_value.rank = {len(default)}  must be less than rt_input.flat_values.rank = {len(values)}"
    else:
        for i, (n, m) in enumerate(zip(default, values[len(values) - len(default) :])):
            if n not in (1, m):
                at = i + len(values) - len(default)
                problem = f"default_value.shape[{i}] = {n} but rt_input.flat_values.shape[{at}] = {m}"
    if problem:
        raise errors.InvalidArgumentError(
            f"default_value.shape={shape_text(tuple(default))} and "
            f"rt_input.flat_values.shape={shape_text(tuple(values))} are incompatible: {problem}"
        )


@shape("RaggedTensorToTensor")
def ragged_tensor_to_tensor_shape(c: ShapeContext) -> list[Any]:
    """The wanted sizes, and those of the values' inner axes."""
    types = c.attr("row_partition_types")
    ragged = len(_kinds(types))
    wanted, values = c.shape_value(0), c.shape(1)
    if values is not None and not values:
        raise errors.InvalidArgumentError("rt_input.flat_values must have rank at least 1")
    default = c.shape(2)
    if values is not None and default is not None and None not in (*values, *default):
        _check_default(default, values)
    known = None if values is None else (*(None,) * (ragged + 1), *values[1:])
    if wanted is None:
        return [known]
    if known is None:
        return [wanted]
    if len(wanted) != len(known):
        raise errors.InvalidArgumentError(
            f"rt_input.shape and shape={shape_text(wanted)} are incompatible: rt_input.rank = {len(known)} "
            f"but shape.rank = {len(wanted)}"
        )
    for i, (asked, has) in enumerate(zip(wanted, known)):
        if asked is not None and has is not None and asked != has:
            raise errors.InvalidArgumentError(
                f"rt_input.shape and shape={shape_text(wanted)} are incompatible: rt_input.shape[{i}] = {has} "
                f"but shape[{i}] = {asked}"
            )
    return [tuple(has if asked is None else asked for asked, has in zip(wanted, known))]
