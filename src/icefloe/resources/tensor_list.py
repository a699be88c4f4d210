"""`TensorList`: what a variant tensor holds as a list of tensors. A value: what changes it returns another."""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources import elements
from icefloe.resources.persistent import PersistentVector
from icefloe.shapes import Dims, shape_text

_EMPTY = PersistentVector()


class TensorList:
    """A list of tensors of one dtype.

    element_shape: what each element's shape fits. max_num_elements: -1 where any number may be pushed.
    items: arrays, scalar variants as bare objects, or None where nothing was set: zeros, once they are asked for.
    """

    __slots__ = ("element_dtype", "element_shape", "items", "max_num_elements")

    type_name = "tensorflow::TensorList"

    def __init__(
        self,
        element_dtype: DType,
        element_shape: Dims,
        items: PersistentVector = _EMPTY,
        max_num_elements: int = -1,
    ) -> None:
        self.element_dtype = element_dtype
        self.element_shape = element_shape
        self.items = items
        self.max_num_elements = max_num_elements

    def __repr__(self) -> str:
        return f"<TensorList of {len(self.items)} {self.element_dtype.name} {shape_text(self.element_shape)}>"

    def with_items(self, items: PersistentVector) -> TensorList:
        """Return a list of this kind that holds `items`."""
        return TensorList(self.element_dtype, self.element_shape, items, self.max_num_elements)

    def zeros_like(self) -> TensorList:
        """Return a list of zeros in the shapes of these elements."""
        return TensorList(self.element_dtype, self.element_shape, self.items.mapped(elements.zeros_like))

    def __add__(self, other: TensorList) -> TensorList:
        """Return the list of sums. Raises: InvalidArgumentError if dtype, shape or length differ."""
        if self.element_dtype != other.element_dtype:
            raise errors.InvalidArgumentError(
                "Trying to add two lists of tensors of different dtypes. "
                f"One is {self.element_dtype.name} and the other is {other.element_dtype.name}"
            )
        if not elements.fits(self.element_shape, other.element_shape):
            raise errors.InvalidArgumentError(
                "Trying to add two lists of tensors with incompatible element shapes. "
                f"One is {shape_text(self.element_shape)} and the other is {shape_text(other.element_shape)}"
            )
        if len(self.items) != len(other.items):
            raise errors.InvalidArgumentError(
                "Trying to add two lists of tensors with different lengths. "
                f"One is {len(self.items)} and the other is {len(other.items)}"
            )
        items = self.items.combined(other.items, elements.add)
        return TensorList(self.element_dtype, elements.merged(self.element_shape, other.element_shape), items)

    def element(self, index: int, asked: Dims) -> Any:
        """Return an element; zeros where none was set.

        asked: what is known of its shape beside the list's and that of the other elements.

        Raises: InvalidArgumentError if none was set and the shape is not known.
        """
        found = self.items[index]
        if found is not None:
            return found
        shape = elements.merged(asked, self.element_shape)
        if not elements.is_known(shape):
            for other in self.items.present():
                shape = elements.merged(shape, elements.shape_of(other))
        if shape is None or None in shape:
            raise errors.InvalidArgumentError(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{shape_text(shape)} and no list element is set."
            )
        return elements.zeros(tuple([int(n) for n in shape if n is not None]), self.element_dtype)
