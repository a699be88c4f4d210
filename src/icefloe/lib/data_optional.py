"""`tf.data.experimental.Optional`: several tensors, or nothing. Source: tensorflow/python/data/ops/optional_ops.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure


class Optional:
    """A value of a known structure, or nothing."""

    def __init__(self, variant_tensor: Tensor, element_spec: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Return an optional that holds `value`, a nest of tensors."""
        with name_scope("optional") as scope, name_scope("value"):
            spec = structure.spec_of(value)
            tensors = structure.to_tensors(spec, value)
        return Optional(apply_op("OptionalFromValue", tensors, name=scope), spec)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Return an optional that holds nothing."""
        return Optional(apply_op("OptionalNone"), element_spec)

    none_from_structure = empty

    @property
    def element_spec(self) -> Any:
        """The nest of TypeSpecs of the value."""
        return self._element_spec

    value_structure = element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """Return whether there is a value."""
        with colocate_with(self._variant_tensor):
            found: Tensor = apply_op("OptionalHasValue", self._variant_tensor, name=name)
            return found

    def get_value(self, name: str | None = None) -> Any:
        """Return the value. A run raises InvalidArgumentError if there is none."""
        spec = self._element_spec
        with name_scope(name, "OptionalGetValue") as scope, colocate_with(self._variant_tensor):
            tensors = apply_op(
                "OptionalGetValue",
                self._variant_tensor,
                output_types=structure.flat_types(spec),
                output_shapes=structure.flat_shapes(spec),
                name=scope,
            )
            return structure.from_tensors(spec, tensors)


class OptionalSpec(TypeSpec):
    """What is known of an optional: the structure of its value."""

    value_type = Optional

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """Return the spec of an optional."""
        return OptionalSpec(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __hash__(self) -> int:
        return hash(tuple(nest.flatten(self._element_spec)))

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return (self.box_spec(),)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return (value._variant_tensor,)

    def _from_components(self, components: Sequence[Any]) -> Any:
        return Optional(components[0], self._element_spec)

    def box(self, value: Any) -> Tensor:
        tensor: Tensor = value._variant_tensor
        return tensor

    def unbox(self, tensor: Tensor) -> Any:
        return Optional(tensor, self._element_spec)

    def box_spec(self) -> TensorSpec:
        return TensorSpec([], datatypes.variant)


def get_next_as_optional(iterator: Any) -> Optional:
    """Return the next element of an iterator; nothing at the end."""
    spec = iterator.element_spec
    variant = apply_op(
        "IteratorGetNextAsOptional",
        iterator._iterator_resource,
        output_types=structure.flat_types(spec),
        output_shapes=structure.flat_shapes(spec),
    )
    return Optional(variant, spec)
