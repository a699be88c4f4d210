"""Rows of a tensor combined group by group: what segment ops, their sparse kinds and histograms share."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.ops.allocation import check_shape


def widened(dtype: np.dtype) -> np.dtype:
    """Return the dtype to accumulate in: float32 for 16-bit floats, else the dtype itself."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype


def reduce_groups(ufunc: np.ufunc, rows: Any, groups: Any, count: int, empty: Any) -> Any:
    """Return `count` rows: the i-th is `ufunc` over those of `rows` whose entry in `groups` is i, or `empty`.

    groups: an integer vector, in any order; rows with a negative entry are left out. Entries are below `count`.
    """
    to = rows.dtype
    out = np.full(check_shape((count, *rows.shape[1:]), to), empty, to)
    if groups.size and not np.all(groups[1:] >= groups[:-1]):
        order = np.argsort(groups, kind="stable")
        rows, groups = rows[order], groups[order]
    first = int(np.searchsorted(groups, 0))
    rows, groups = rows[first:], groups[first:]
    if groups.size and rows.size:
        starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
        out[groups[starts]] = ufunc.reduceat(rows, starts, axis=0, dtype=widened(to))
    return out


def sum_groups(rows: Any, groups: Any, count: int) -> Any:
    """Return `reduce_groups` of np.add, 0 where a group is empty."""
    return reduce_groups(np.add, rows, groups, count, 0)


def count_groups(groups: Any, count: int) -> Any:
    """Return how many entries of `groups`, each in [0, count), name each group, as int64."""
    return np.bincount(groups, minlength=count)[:count] if groups.size else np.zeros(count, np.int64)


def sorted_ids(ids: Any) -> int:
    """Return how many segments a vector of sorted ids makes: the last id plus 1.

    Raises: InvalidArgumentError if they are not sorted or negative.
    """
    if ids.size == 0:
        return 0
    count = int(ids[-1]) + 1
    if count <= 0:
        raise errors.InvalidArgumentError("segment ids must be >= 0")
    ends = np.flatnonzero(ids[1:] != ids[:-1])
    wrong = np.flatnonzero((ids[ends + 1] < ids[ends]) | (ids[ends] < 0) | (ids[ends] >= count))
    if wrong.size:
        last = ends[wrong[0]]
        if ids[last + 1] < ids[last]:
            raise errors.InvalidArgumentError("segment ids are not increasing")
        raise errors.InvalidArgumentError(
            f"Segment id {ids[last]} out of range [0, {count}), possibly because 'segment_ids' input is not sorted."
        )
    return count
