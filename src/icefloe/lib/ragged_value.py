"""`RaggedTensorValue`: what running a RaggedTensor gives: arrays of the values and of the rows they are divided
into.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


class RaggedTensorValue:
    """The rows `values[row_splits[i]:row_splits[i + 1]]`.

    values: an array, or another such value where several dimensions are ragged. row_splits: int32 or int64 [rows + 1].

    Raises: TypeError, ValueError if they are not that.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (
            isinstance(row_splits, (np.ndarray, np.generic))
            and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values: Any = values
        self._row_splits: Any = row_splits

    @property
    def row_splits(self) -> Any:
        """Where rows start, and where the last one ends."""
        return self._row_splits

    @property
    def values(self) -> Any:
        """The values of all rows, one after the other."""
        return self._values

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the values."""
        return self._values.dtype

    @property
    def flat_values(self) -> Any:
        """The values below all ragged dimensions."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of each ragged dimension, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of dimensions that are divided into rows."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensorValue) else 0)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, None for a ragged dimension."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    def to_list(self) -> list[Any]:
        """Return it as nested lists."""
        rows = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        splits = self._row_splits.tolist()
        return [rows[start:limit] for start, limit in itertools.pairwise(splits)]


def value_of_parts(parts: Any) -> Any:
    """Return the value that splits, outermost first, and flat values make: an array where there are no splits."""
    *splits, value = parts
    for row_splits in reversed(splits):
        value = RaggedTensorValue(value, row_splits)
    return value


def parts_of_value(value: Any, like: Any) -> list[Any]:
    """Return splits, outermost first, and flat values of what is fed for the RaggedTensor `like`.

    Raises: TypeError if `value` is no RaggedTensorValue of as many ragged dimensions.
    """
    if not isinstance(value, RaggedTensorValue) or len(value.nested_row_splits) != like.ragged_rank:
        raise TypeError(
            f"Cannot feed {value!r} for {like}: expected a RaggedTensorValue with {like.ragged_rank} ragged "
            "dimensions, as ragged.constant_value makes one"
        )
    return [*value.nested_row_splits, value.flat_values]
