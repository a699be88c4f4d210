"""Datasets made of tensors: as one element, by slices, as ranges and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, int64
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, Spec, State
from icefloe.resources.datasets.components import row
from icefloe.resources.elements import shape_of
from icefloe.shapes import shape_text

_MAX_INT64 = (1 << 63) - 1


class _Counted(Iterator):
    """An iterator over what a dataset's `at` gives for 0 .. size - 1."""

    def __init__(self, dataset: Any, size: int) -> None:
        self._at = dataset.at
        self._size = size
        self._position = 0

    def next(self) -> Element | None:
        position = self._position
        if position >= self._size:
            return None
        self._position = position + 1
        return self._at(position)

    def save(self) -> State:
        return {"next": self._position}

    def restore(self, state: State) -> None:
        self._position = int(state["next"])


class _Indexed(Dataset):
    """A dataset that computes its element `at` any index below `size`."""

    size: int

    def at(self, index: int) -> Element:
        raise NotImplementedError

    def iterator(self, context: Context) -> Iterator:
        return _Counted(self, self.size)

    def cardinality(self, context: Context | None = None) -> int:
        return self.size

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.at(index)

    def indexing_problem(self) -> str | None:
        return None


class Tensors(_Indexed):
    """One element, the given tensors."""

    kind = "Tensor"
    size = 1

    def __init__(self, components: Element, dtypes: tuple[DType, ...]) -> None:
        super().__init__(Spec(dtypes, tuple([shape_of(c) for c in components])))
        self._components = components

    def at(self, index: int) -> Element:
        return self._components


class Slices(_Indexed):
    """The rows of the given tensors.

    Raises: InvalidArgumentError for a scalar, or tensors with other numbers of rows.
    """

    kind = "TensorSlice"

    def __init__(self, components: Element, dtypes: tuple[DType, ...]) -> None:
        shapes = [shape_of(c) for c in components]
        if not all(shapes):
            raise errors.InvalidArgumentError("All components must be at least 1-dimensional")
        if len({s[0] for s in shapes}) > 1:
            raise errors.InvalidArgumentError("All components must have the same size in the 0th dimension")
        super().__init__(Spec(dtypes, tuple([s[1:] for s in shapes])))
        self._components = components
        self.size = shapes[0][0]

    def at(self, index: int) -> Element:
        return tuple([row(c, index) for c in self._components])


class SparseSlices(_Indexed):
    """The rows of a sparse tensor, as (indices, values, dense shape).

    Raises: InvalidArgumentError for parts that do not belong together; UnimplementedError for rows out of order.
    """

    kind = "SparseTensorSlice"

    def __init__(self, indices: Any, values: Any, dense_shape: Any, dtype: DType) -> None:
        for what, rank, value in (("indices", 2, indices), ("values", 1, values), ("shape", 1, dense_shape)):
            if np.ndim(value) != rank:
                noun = "matrix" if rank == 2 else "vector"
                raise errors.InvalidArgumentError(f"Input {what} must be a {noun}. Got: {shape_text(np.shape(value))}")
        count, rank = indices.shape
        if len(values) != count:
            raise errors.InvalidArgumentError(
                f"Number of values must match first dimension of indices. Got {len(values)} values, indices shape: "
                f"{shape_text(indices.shape)}"
            )
        if len(dense_shape) != rank:
            raise errors.InvalidArgumentError(
                "Number of dimensions must match second dimension of indices. Got "
                f"{len(dense_shape)} dimensions, indices shape: {shape_text(indices.shape)}"
            )
        if not len(dense_shape):
            raise errors.InvalidArgumentError("The shape argument requires at least one element.")
        if np.any(dense_shape < 0):
            raise errors.InvalidArgumentError(f"Shape {dense_shape.tolist()} has a negative size")
        rows = indices[:, 0] if count else np.zeros(0, np.int64)
        if (count and rows[0] < 0) or np.any(np.diff(rows) < 0):
            raise errors.UnimplementedError(
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not "
                "currently supported."
            )
        super().__init__(Spec((int64, dtype, int64), ((None, rank - 1), (None,), (rank - 1,))))
        self.size = int(dense_shape[0])
        self._rows = rows
        self._indices = indices[:, 1:]
        self._values = values
        self._shape = dense_shape[1:]

    def at(self, index: int) -> Element:
        first, last = np.searchsorted(self._rows, (index, index + 1))
        return self._indices[first:last], self._values[first:last], self._shape


class Range(_Indexed):
    """start, start + step, ... up to, not including, stop; as `dtype`.

    Raises: InvalidArgumentError for a step of 0.
    """

    kind = "Range"

    def __init__(self, start: int, stop: int, step: int, dtype: DType = int64) -> None:
        if step == 0:
            raise errors.InvalidArgumentError("step must be a non-zero integer.")
        super().__init__(Spec((dtype,), ((),)))
        self._range = range(start, stop, step)
        self.size = min(-(-(stop - start) // step), _MAX_INT64) if (stop > start) == (step > 0) else 0
        self.size = max(self.size, 0)
        self._type = dtype.numpy.type
        self._start, self._step = start, step

    def __repr__(self) -> str:
        return f"RangeDatasetOp({self._start}, {self._range.stop}, {self._step})::Dataset"

    def at(self, index: int) -> Element:
        return (self._type(self._start + index * self._step),)


class Elements(_Indexed):
    """Elements that are there: what a window or a group holds."""

    kind = "Window"

    def __init__(self, elements: Sequence[Element], spec: Spec) -> None:
        super().__init__(spec)
        self.elements = elements
        self.size = len(elements)

    def at(self, index: int) -> Element:
        return self.elements[index]


class List(Elements):
    """Elements that were given one by one."""

    kind = "List"
