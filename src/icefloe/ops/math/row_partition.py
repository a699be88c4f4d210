"""Row partitions of ragged tensors: splits, checked, and what is derived from them.

A ragged tensor's row i is values[splits[i]:splits[i + 1]]; splits start with 0, never fall, and end with the number of
values. Nested splits go from the outermost axis inwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors


def positions(starts: Any, lengths: Any) -> Any:
    """Return the concatenation of start, start + 1, ... of each row: what rows of these lengths hold."""
    total = int(np.sum(lengths))
    ends = np.cumsum(lengths)
    return np.arange(total) - np.repeat(ends - lengths - starts, lengths)


def row_of_each(lengths: Any) -> Any:
    """Return for each value the number of its row."""
    return np.repeat(np.arange(len(lengths)), lengths)


def splits_of(lengths: Any, dtype: np.dtype) -> Any:
    """Return the splits of rows of these lengths."""
    out = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=out[1:])
    return out


def check_nested_splits(nested: Sequence[Any], values: int) -> None:
    """Check splits against each other and the number of values.

    Raises: InvalidArgumentError where a ragged tensor cannot be so.
    """
    for level, splits in enumerate(nested):
        if splits.size == 0:
            raise errors.InvalidArgumentError("ragged splits may not be empty.")
        if splits[0] != 0:
            raise errors.InvalidArgumentError("First value of ragged splits must be 0.")
        falls = np.flatnonzero(splits[1:] < splits[:-1])
        if falls.size:
            at = int(falls[0])
            raise errors.InvalidArgumentError(
                f"Ragged splits should be non decreasing, but we got {splits[at]} followed by {splits[at + 1]}"
            )
        inner = nested[level + 1].size - 1 if level + 1 < len(nested) else values
        if splits[-1] != inner:
            raise errors.InvalidArgumentError(
                "Final value of ragged splits must match the length the corresponding ragged values."
            )
