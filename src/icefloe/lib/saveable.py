"""What an object tells a Saver about itself: tensors to save, and how to take them back."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.tensor import Tensor
from icefloe.lib.variable import Variable


class SaveSpec:
    """One tensor of a SaveableObject.

    tensor: the tensor, or a function that adds the nodes that make it; then dtype and device must be given.
    slice_spec: `shape_and_slice` of the whole that it is a part of, or "".
    """

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: str | None = None) -> None:
        if callable(tensor) and not isinstance(tensor, Variable) and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must be provided."
            )
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype: datatypes.DType = datatypes.as_dtype(tensor.dtype if dtype is None else dtype)
        self.device: str = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        if callable(self._tensor) and not isinstance(self._tensor, Variable):
            return self._tensor()
        return self._tensor


class SaveableObject:
    """Base of what can be saved: subclasses give `specs` and override `restore`.

    op: the object that is saved, to tell two from one; None where there is none.
    """

    def __init__(self, op: Any, specs: list[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self) -> str:
        return self.specs[0].device

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        """Add nodes that give the object the values `restored_tensors`, reshaped to `restored_shapes` unless None.

        Returns the operation or tensor to run.
        """
        raise ValueError("Calling an abstract method.")
