"""An initializer that reads a stored matrix whose rows or columns belong to the words of a vocabulary, and puts them in
the order of another one. Words that are new, and buckets for unknown words, get values of another initializer.

Source: tensorflow/python/training/checkpoint_ops.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from icefloe import datatypes
from icefloe.graph import build
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib import math_range
from icefloe.lib.initializers import Zeros
from icefloe.lib.variable_store import PartitionInfo

Initializer = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the new matrix.

    size: of its vocabulary. old_vocab, new_vocab: paths of files of one word a line; None where the words and their
    order stay. old_size: how many words of the old one count, -1 for all. buckets: how many follow for unknown words.
    """

    size: int
    old_vocab: Any = None
    new_vocab: Any = None
    old_size: int = -1
    buckets: int = 0

    @property
    def total(self) -> int:
        return self.size + self.buckets


@dataclass(frozen=True, slots=True)
class RemappedMatrix:
    """An initializer of a variable, or of a part of one that is cut along rows, of shape [rows.total, columns.total].

    path, name: of the stored float32 matrix. initializer: gives values for what is not stored, of a shape that it gets;
    zeros by default. max_rows_in_memory: an argument of the op, without effect.

    Raises: TypeError if `initializer` cannot be called.
    """

    path: str
    name: str
    rows: Axis
    columns: Axis
    initializer: Initializer | None = None
    max_rows_in_memory: int = -1

    def __post_init__(self) -> None:
        if self.initializer is not None and not callable(self.initializer):
            raise TypeError(
                f"initializer must be callable, instead of being {self.initializer} of type {type(self.initializer)}."
            )

    def __call__(
        self, shape: Sequence[int], dtype: Any = datatypes.float32, partition_info: PartitionInfo | None = None
    ) -> Any:
        """Return the initial value.

        Raises: TypeError for another dtype than float32; ValueError for another shape, or if no axis has vocabularies
        or one has a single one.
        """
        if dtype != datatypes.float32:
            raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
        shape = list(shape)
        self._check(shape)
        offset = 0 if partition_info is None else partition_info.single_offset(shape)
        if offset + shape[0] > self.rows.total:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {offset} rows have already been initialized, "
                f"which would exceed expected total row count of new_row_vocab_size ({self.rows.size}) + "
                f"num_row_oov_buckets ({self.rows.buckets}) = {self.rows.total}."
            )
        buckets = min(shape[0], max(0, offset + shape[0] - self.rows.size))
        if offset > self.rows.size:
            if shape[0] != buckets:
                raise ValueError(
                    "Partitioned variable offset is greater than new vocab size and not operating on OOV-only "
                    "partition."
                )
            return self._fresh(shape)
        return self._remapped(offset, shape[0] - buckets, buckets)

    def _check(self, shape: list[int]) -> None:
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {shape}")
        if shape[0] <= 0:
            raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {shape}")
        if shape[1] != self.columns.total:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({self.columns.size}) + num_col_oov_buckets "
                f"({self.columns.buckets}) = {self.columns.total}, but received shape: {shape}"
            )
        for kind, axis in (("row", self.rows), ("column", self.columns)):
            if axis.buckets < 0:
                raise ValueError(f"num_{kind[:3]}_oov_buckets must be >= 0, but received {axis.buckets}")
            if bool(axis.old_vocab) != bool(axis.new_vocab):
                short = kind[:3]
                raise ValueError(
                    f"old_{short}_vocab_file and new_{short}_vocab_file must both be specified or left unspecified. "
                    f"old_{short}_vocab_file='{axis.old_vocab}', new_{short}_vocab_file='{axis.new_vocab}'"
                )
        if not (self.rows.old_vocab or self.columns.old_vocab):
            raise ValueError(
                "Must provide either row or column vocab files. If no remapping is necessary, consider using "
                "`tf.contrib.framework.init_from_checkpoint` instead."
            )

    def _fresh(self, shape: Any) -> Any:
        return (self.initializer or Zeros())(shape)

    def _remapped(self, offset: int, count: int, buckets: int) -> Tensor:
        """Return `count` rows from `offset` on, then `buckets` rows for unknown words."""
        width = self.columns.size
        rows_present: Any = count
        columns_present: Any = width
        if self.rows.new_vocab:
            rows, rows_present = build.apply_op(
                "GenerateVocabRemapping",
                self.rows.new_vocab,
                self.rows.old_vocab,
                new_vocab_offset=offset,
                num_new_vocab=count,
                old_vocab_size=self.rows.old_size,
            )
        else:
            rows = math_range.range(offset, offset + count, dtype=datatypes.int64)
        columns: Any = []
        if self.columns.new_vocab:
            columns, columns_present = build.apply_op(
                "GenerateVocabRemapping",
                self.columns.new_vocab,
                self.columns.old_vocab,
                new_vocab_offset=0,
                num_new_vocab=width,
            )
        missing = count * width - rows_present * columns_present
        matrix: Tensor = build.apply_op(
            "LoadAndRemapMatrix",
            self.path,
            self.name,
            rows,
            columns,
            self._fresh([missing, 1]),
            num_rows=count,
            num_cols=width,
            max_rows_in_memory=self.max_rows_in_memory,
        )
        if buckets > 0:
            matrix = _joined(matrix, self._fresh([buckets, width]), 0)
        if self.columns.buckets > 0:
            matrix = _joined(matrix, self._fresh([count + buckets, self.columns.buckets]), 1)
        return matrix


def _joined(first: Tensor, second: Any, axis: int) -> Tensor:
    joined: Tensor = build.apply_op("ConcatV2", [first, convert_to_tensor(second)], axis, name="concat")
    return joined
