"""Integer tensors that point into other tensors: checked, and flattened to row numbers. Registers nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.ops.array.values import Array


def check_range(indices: Array, limit: int, name: str = "indices") -> None:
    """Raise InvalidArgumentError naming the first of `indices` that is not in [0, limit)."""
    if not indices.size:
        return
    if indices.min() >= 0 and indices.max() < limit:
        return
    bad = (indices < 0) | (indices >= limit)
    at = int(np.argmax(bad))
    where = f"[{','.join(str(int(i)) for i in np.unravel_index(at, indices.shape))}]" if indices.ndim else ""
    raise errors.InvalidArgumentError(f"{name}{where} = {indices.reshape(-1)[at]} is not in [0, {limit})")


def flat_rows(vectors: Array, sizes: tuple[int, ...]) -> tuple[Array, Any]:
    """Return the row number of each of `vectors` in a table of shape `sizes`, and which of them point nowhere.

    vectors: [n, len(sizes)].
    The second is None where all point into the table, else a bool for each; the row of one that does not is 0.
    """
    rows = np.zeros(len(vectors), np.int64)
    bad: Any = None
    for column, size in zip(vectors.T, sizes):
        if column.size and (column.min() < 0 or column.max() >= size):
            wrong = (column < 0) | (column >= size)
            bad = wrong if bad is None else bad | wrong
        rows *= size
        rows += column.astype(np.int64)
    if bad is not None:
        rows[bad] = 0
    return rows, bad
