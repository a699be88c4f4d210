"""`DatasetSpec`, the type of datasets as elements of datasets and arguments of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib import data_nest as nest
from icefloe.shapes import TensorShape


class DatasetSpec(TypeSpec):
    """What is known of a dataset: the structure of its elements."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Return the spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def element_spec(self) -> Any:
        """The structure of an element."""
        return self._element_spec

    def __hash__(self) -> int:
        return hash(tuple(nest.flatten(self._element_spec)))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else spec_or_value._type_spec
        if not isinstance(other, DatasetSpec):
            return False
        try:
            nest.assert_same_structure(self._element_spec, other._element_spec)
        except (TypeError, ValueError):
            return False
        pairs = zip(nest.flatten(self._element_spec), nest.flatten(other._element_spec))
        return all(a.is_compatible_with(b) for a, b in pairs)

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return (self.box_spec(),)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return (value._variant_tensor,)

    def _from_components(self, components: Sequence[Any]) -> Any:
        return self.unbox(components[0])

    def box(self, value: Any) -> Tensor:
        tensor: Tensor = value._variant_tensor
        return tensor

    def unbox(self, tensor: Tensor) -> Any:
        from icefloe.lib.data_dataset import Dataset

        return Dataset(tensor, self._element_spec)

    def box_spec(self) -> TensorSpec:
        return TensorSpec(self._dataset_shape, datatypes.variant)
