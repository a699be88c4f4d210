"""Transformations that put elements together to batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import variant
from icefloe.resources.datasets.base import (
    Context,
    Dataset,
    Element,
    Ending,
    Iterator,
    OneInput,
    Spec,
)
from icefloe.resources.datasets.components import padded, stack_elements
from icefloe.resources.elements import shape_of
from icefloe.resources.variants import TensorVariant
from icefloe.shapes import Dims, shape_text


class Batch(OneInput):
    """Each `size` elements as one; the last ones, too, unless `drop_remainder`.

    Raises: InvalidArgumentError unless `size` is positive.
    """

    kind = "Batch"

    def __init__(self, source: Dataset, size: int, drop_remainder: bool, spec: Spec | None = None) -> None:
        if size <= 0:
            raise errors.InvalidArgumentError("Batch size must be greater than zero.")
        first = size if drop_remainder else None
        shapes = tuple([None if s is None else (first, *s) for s in source.spec.shapes])
        super().__init__(source, spec or Spec(source.spec.dtypes, shapes))
        self.size = size
        self.drop_remainder = drop_remainder

    def __repr__(self) -> str:
        return f"{self.kind}DatasetV2Op({self.size})::Dataset"

    def iterator(self, context: Context) -> Iterator:
        return _BatchIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        return size if size < 0 else size // self.size + (size % self.size > 0 and not self.drop_remainder)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        first = index * self.size
        last = min(first + self.size, self.source.cardinality(context))
        return self.combine([self.source.get(i, context) for i in range(first, last)])

    def indexing_problem(self) -> str | None:
        found = self.source.indexing_problem()
        if found is None and not self.drop_remainder:
            return (
                "FAILED_PRECONDITION: BatchDataset does not support random access of tf.data datasets unless "
                "`drop_remainder` is set to true."
            )
        return found

    def combine(self, elements: Sequence[Element]) -> Element:
        """Return elements as one."""
        return stack_elements(elements)


class _BatchIterator(Ending):
    def __init__(self, dataset: Batch, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._dataset = dataset
        self._context = context

    def next(self) -> Element | None:
        source, size = self.source, self._dataset.size
        if source is None:
            return None
        elements: list[Element] = []
        while len(elements) < size:
            element = source.next()
            if element is None:
                self.source = None
                if not elements or self._dataset.drop_remainder:
                    return None
                break
            elements.append(element)
            if not len(elements) & 0xFF:
                self._context.check()
        return self._dataset.combine(elements)


class PaddedBatch(Batch):
    """Each `size` elements as one, each component padded to `shapes`, where an unknown size is that of the largest.

    check: raises an error for a shape and dtype that the memory cannot hold.

    Raises: InvalidArgumentError for shapes and values that do not fit the dataset's components.
    """

    kind = "PaddedBatch"

    def __init__(
        self,
        source: Dataset,
        size: int,
        shapes: Sequence[Any],
        values: Sequence[Any],
        drop_remainder: bool,
        check: Callable[[tuple[int, ...], np.dtype[Any]], object],
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self._check = check
        count = len(source.spec.dtypes)
        if len(shapes) != count:
            raise errors.InvalidArgumentError(
                f"Number of padded shapes ({len(shapes)}) must match the number of components in the input dataset's "
                f"elements ({count})"
            )
        if len(values) != count:
            raise errors.InvalidArgumentError(
                f"Number of padding values ({len(values)}) must match the number of components in the input dataset's "
                f"elements ({count})"
            )
        for i, (value, dtype) in enumerate(zip(values, source.spec.dtypes)):
            if shape_of(value) != ():
                raise errors.InvalidArgumentError(
                    f"All padding values must be scalars; got shape {shape_text(shape_of(value))} for component {i}"
                )
            got = getattr(value, "dtype", dtype.numpy)
            if got != dtype.numpy:
                raise errors.InvalidArgumentError(
                    f"Mismatched type between padding value {i} and input dataset's component {i}: "
                    f"{got.name} vs. {dtype.name}"
                )
        self._values = values
        self._shapes: list[Dims] = []
        for i, shape in enumerate(shapes):
            if np.ndim(shape) != 1:
                raise errors.InvalidArgumentError(
                    f"All padded shapes must be vectors; got shape {shape_text(np.shape(shape))} for component {i}"
                )
            if any(n < -1 for n in shape):
                raise errors.InvalidArgumentError(f"Sizes in a padded shape must be >= -1, got {list(map(int, shape))}")
            self._shapes.append(tuple([None if n == -1 else int(n) for n in shape]))

    def get(self, index: int, context: Context) -> Element:
        return Dataset.get(self, index, context)

    def indexing_problem(self) -> str | None:
        return Dataset.indexing_problem(self)

    def combine(self, elements: Sequence[Element]) -> Element:
        columns = []
        for i, (column, shape) in enumerate(zip(zip(*elements), self._shapes)):
            assert shape is not None
            sizes = [shape_of(value) for value in column]
            for size in sizes:
                if len(size) != len(shape):
                    raise errors.InvalidArgumentError(
                        "All elements in a batch must have the same rank as the padded shape for component"
                        f"{i}: expected rank {len(shape)} but got element with rank {len(size)}"
                    )
            target = tuple([max(s[d] for s in sizes) if n is None else n for d, n in enumerate(shape)])
            self._check((len(column), *target), self.source.spec.dtypes[i].numpy)
            columns.append(padded(column, target, self._values[i], self.source.spec.dtypes[i].numpy))
        return tuple(columns)


class DenseToSparseBatch(Batch):
    """Each `size` elements, tensors of one component, as one sparse tensor: a vector of its indices, values and shape
    as variants.

    row_shape: that of the sparse tensor's rows, where an unknown size is that of the largest.
    """

    kind = "DenseToSparseBatch"

    def __init__(self, source: Dataset, size: int, row_shape: Dims) -> None:
        if len(source.spec.dtypes) != 1:
            raise errors.InvalidArgumentError("DenseToSparseBatchDataset only supports inputs with a single component.")
        assert row_shape is not None
        super().__init__(source, size, False, Spec((variant,), ((3,),)))
        self._row_shape = row_shape

    def get(self, index: int, context: Context) -> Element:
        return Dataset.get(self, index, context)

    def indexing_problem(self) -> str | None:
        return Dataset.indexing_problem(self)

    def combine(self, elements: Sequence[Element]) -> Element:
        rows = [np.asarray(element[0]) for element in elements]
        sizes = []
        for row_ in rows:
            if row_.ndim != len(self._row_shape):
                raise errors.InvalidArgumentError(
                    f"Input element had shape ({shape_text(row_.shape)}) that is incompatible with the row shape "
                    f"({shape_text(self._row_shape)})."
                )
            if any(n is not None and size > n for n, size in zip(self._row_shape, row_.shape)):
                raise errors.DataLossError(
                    f"Input element had shape ({shape_text(row_.shape)}) that is larger than the row shape "
                    f"({shape_text(self._row_shape)})."
                )
            sizes.append(row_.shape)
        shape = [max(s[d] for s in sizes) if n is None else n for d, n in enumerate(self._row_shape)]
        indices = []
        for i, row_ in enumerate(rows):
            places = np.indices(row_.shape, np.int64).reshape(row_.ndim, -1).T
            indices.append(np.hstack([np.full((len(places), 1), i, np.int64), places]))
        values = np.concatenate([row_.reshape(-1) for row_ in rows])
        packed = np.empty(3, object)
        for i, part in enumerate((np.concatenate(indices), values, np.array([len(rows), *shape], np.int64))):
            packed[i] = TensorVariant(part)
        return (packed,)
