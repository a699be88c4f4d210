"""`TensorArray`: tensors written and read by index during one run, each index once. The arrays of gradients add up.

Only indices that were written take memory, whatever the size.

Source: tensorflow/core/kernels/tensor_array.h (rules and messages).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources import elements
from icefloe.shapes import Dims, shape_text

_count = itertools.count()


class _Slot:
    """An index that was written.

    value: None stands for zeros of `shape`. own: whether `value` is memory of this array's own, so that it may be
    added to in place.
    """

    __slots__ = ("cleared", "own", "read", "shape", "value")

    def __init__(self, value: Any, shape: tuple[int, ...]) -> None:
        self.value = value
        self.shape = shape
        self.read = False
        self.cleared = False
        self.own = False


class TensorArray:
    """An array of tensors.

    name: as messages call it; a number is added that tells arrays apart. size: the number of indices.
    element_shape: what each element's shape fits. identical_element_shapes: the first element decides it.
    dynamic_size: whether writing past the end makes the array larger.
    clear_after_read: whether an index can be read only once.
    """

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        element_shape: Dims = None,
        *,
        identical_element_shapes: bool = False,
        dynamic_size: bool = False,
        clear_after_read: bool = True,
    ) -> None:
        self.name = f"{name}_{next(_count)}"
        self.dtype = dtype
        self.element_shape = element_shape
        self.identical_element_shapes = identical_element_shapes
        self.dynamic_size = dynamic_size
        self.clear_after_read = clear_after_read
        self.is_gradient = False
        # The size that an unpack or split gave; -1 before any.
        self._marked_size = -1
        self._size = size
        self._slots: dict[int, _Slot] = {}
        self._closed = False
        self._aggregated = False
        self._gradients: dict[str, TensorArray] = {}

    def __repr__(self) -> str:
        return f"<TensorArray {self.name!r} of {self._size} {self.dtype.name}>"

    def _check_open(self) -> None:
        if self._closed:
            raise errors.InvalidArgumentError(f"TensorArray {self.name} has already been closed.")

    @property
    def size(self) -> int:
        """The number of indices. Raises: InvalidArgumentError if the array is closed."""
        self._check_open()
        return self._size

    @property
    def packed_size(self) -> int:
        """The number of indices that packing or concatenating all elements reads."""
        return self._marked_size if self.is_gradient else self.size

    def mark_size(self, size: int) -> None:
        """Record that an unpack or split filled so many indices."""
        self._check_open()
        if not self.is_gradient:
            self._marked_size = size

    def narrow(self, shape: Dims) -> None:
        """Add to what is known of the elements' shape. Raises: InvalidArgumentError if it contradicts."""
        self.element_shape = elements.merged(self.element_shape, shape)

    def close(self) -> None:
        """Drop all elements; reading and writing fail from now on."""
        self._slots.clear()
        self._closed = True

    # Writing

    def write(self, index: int, value: Any) -> None:
        """Set the element at `index`, or in an array of gradients add to it.

        Raises: InvalidArgumentError if the index is out of range, was written or read before, or the shape does not
        fit.
        """
        self._check_open()
        if index < 0 or (not self.dynamic_size and index >= self._size):
            raise errors.InvalidArgumentError(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not resizeable and size is: "
                f"{self._size}"
            )
        self._size = max(self._size, index + 1)
        shape = elements.shape_of(value)
        if not elements.fits(self.element_shape, shape):
            raise self._refusal(
                index,
                f"because the value shape is {shape_text(shape)} which is incompatible with the TensorArray's inferred "
                f"element shape: {shape_text(self.element_shape)} (consider setting infer_shape=False).",
            )
        if self.identical_element_shapes and not elements.is_known(self.element_shape):
            self.element_shape = shape
        slot = self._slots.get(index)
        if slot is None:
            self._slots[index] = _Slot(value, shape)
            return
        if slot.read:
            raise self._refusal(index, "because it has already been read.")
        if not self.is_gradient:
            raise self._refusal(index, "because it has already been written to.")
        self._aggregate(index, slot, value, shape)

    def _refusal(self, index: int, why: str) -> errors.InvalidArgumentError:
        return errors.InvalidArgumentError(
            f"TensorArray {self.name}: Could not write to TensorArray index {index} {why}"
        )

    def _aggregate(self, index: int, slot: _Slot, value: Any, shape: tuple[int, ...]) -> None:
        if shape != slot.shape:
            raise errors.InvalidArgumentError(
                f"TensorArray {self.name}: Could not aggregate to TensorArray index {index} because the existing shape "
                f"is {shape_text(slot.shape)} but the new input shape is {shape_text(shape)}."
            )
        if slot.value is None or 0 in shape:
            slot.value = value
            return
        if slot.own and isinstance(slot.value, np.ndarray):
            np.add(slot.value, value, out=slot.value)
        else:
            slot.value = elements.add(slot.value, value)
            slot.own = isinstance(slot.value, np.ndarray) and not slot.value.dtype.hasobject
        self._aggregated = True

    # Reading

    def read(self, index: int) -> Any:
        """Return the element at `index`; where none was written zeros, if the shape is known.

        Raises: InvalidArgumentError if the index is out of range, the shape is not known, or the element was read
        before and reading clears.
        """
        self._check_open()
        if index < 0 or (not self.is_gradient and index >= self._size):
            raise errors.InvalidArgumentError(f"Tried to read from index {index} but array size is: {self._size}")
        slot = self._slots.get(index)
        if slot is None:
            slot = self._slots[index] = _Slot(None, self._shape_of_unwritten(index))
            self._size = max(self._size, index + 1)
        if slot.cleared:
            raise errors.InvalidArgumentError(
                f"TensorArray {self.name}: Could not read index {index} twice because it was cleared after a previous "
                "read (perhaps try setting clear_after_read = false?)."
            )
        if slot.value is None:
            if self.dtype.numpy.hasobject or self.dtype.is_quantized:
                raise errors.InvalidArgumentError(f"tensor_array::TensorSetZero type not supported: {self.dtype.name}")
            slot.value = elements.zeros(slot.shape, self.dtype)
        value = slot.value
        if self.clear_after_read:
            slot.value = None
            slot.cleared = True
        slot.read = True
        return value

    def _shape_of_unwritten(self, index: int) -> tuple[int, ...]:
        dims = self.element_shape
        if dims is None or None in dims:
            raise errors.InvalidArgumentError(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  Furthermore, the element "
                f"shape is not fully defined: {shape_text(dims)}.  It is possible you are working with a resizeable "
                "TensorArray and stop_gradients is not allowing the gradients to be written.  If you set the full "
                "element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned "
                "instead of incurring this error."
            )
        return tuple([n or 0 for n in dims])

    # Gradients

    def gradient(self, source: str, prefix: tuple[int, ...] | None = None) -> TensorArray:
        """Return the array that gradients of this one are added up in; each `source` has its own.

        prefix: dimensions that its elements have in front of this one's.

        Raises: InvalidArgumentError if this is such an array itself, or several writes to one index were added up.
        """
        if self.is_gradient:
            raise errors.InvalidArgumentError(f"Wrong input container. _tensor_array_grads{self.name}")
        # From now on a write past the end would be one that no gradient is known of.
        self.dynamic_size = False
        size = self.size
        if self._aggregated:
            raise errors.InvalidArgumentError(
                f"Unable to create a gradients TensorArray for {self.name}.  Perhaps you used the "
                "multiple_writes_aggregate flag on a previous write?  Gradient calculation is impossible when multiple "
                "writes are performed to the same index."
            )
        found = self._gradients.get(source)
        if found is None:
            shape = self.element_shape
            if prefix is not None and shape is not None:
                shape = prefix + shape
            found = TensorArray(
                self.name, self.dtype, size, shape, identical_element_shapes=self.identical_element_shapes
            )
            found.name = f"{self.name}@{source}"
            found.is_gradient = True
            found._marked_size = self._marked_size
            for index, slot in self._slots.items():
                found._slots[index] = _Slot(None, (prefix or ()) + slot.shape)
            self._gradients[source] = found
        return found
