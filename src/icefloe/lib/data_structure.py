"""Elements of datasets: nests of tensors, sparse tensors and datasets, and the tensors that carry them.

Source: tensorflow/python/data/util/structure.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import SparseTensorSpec, TensorSpec, TypeSpec, type_spec_from_value
from icefloe.lib import data_nest as nest
from icefloe.shapes import TensorShape


def normalize_element(element: Any) -> Any:
    """Return an element with its leaves as tensors, sparse tensors and datasets."""
    leaves = nest.flatten(element)
    with name_scope("normalize_element"):
        made = [_normalized(leaf, i) for i, leaf in enumerate(leaves)]
    return nest.pack_sequence_as(element, made)


def _normalized(leaf: Any, i: int) -> Any:
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor.from_value(leaf)
    if isinstance(leaf, SparseTensor) or isinstance(getattr(leaf, "element_spec", None), (TypeSpec, tuple, dict)):
        return leaf
    if isinstance(getattr(leaf, "_type_spec", None), TypeSpec) and not isinstance(leaf, Tensor):
        return leaf
    return convert_to_tensor(leaf, name=f"component_{i}")


def spec_of(value: Any) -> Any:
    """Return the nest of specs of an element. Raises: TypeError if a leaf can be none."""
    leaves = [type_spec_from_value(leaf) for leaf in nest.flatten(value)]
    return nest.pack_sequence_as(value, leaves)


def flat_specs(spec: Any) -> list[TensorSpec]:
    """Return the specs of the tensors that carry an element."""
    return [leaf.box_spec() for leaf in nest.flatten(spec)]


def flat_types(spec: Any) -> list[Any]:
    """Return the dtypes of the tensors that carry an element."""
    return [leaf.dtype for leaf in flat_specs(spec)]


def flat_shapes(spec: Any) -> list[TensorShape]:
    """Return the static shapes of the tensors that carry an element."""
    return [leaf.shape for leaf in flat_specs(spec)]


def to_tensors(spec: Any, value: Any) -> list[Tensor]:
    """Return the tensors that carry an element. Raises: ValueError, TypeError if it is not of this structure."""
    nest.assert_same_structure(spec, value)
    return [_boxed(leaf_spec, leaf) for leaf_spec, leaf in zip(nest.flatten(spec), nest.flatten(value))]


def _boxed(spec: TypeSpec, leaf: Any) -> Tensor:
    if isinstance(spec, TensorSpec):
        return convert_to_tensor(leaf, dtype=spec.dtype)
    return spec.box(leaf)


def to_row_tensors(spec: Any, value: Any) -> list[Tensor]:
    """Return tensors whose rows carry the rows of an element."""
    return [leaf_spec.box_rows(leaf) for leaf_spec, leaf in zip(nest.flatten(spec), nest.flatten(value))]


def from_tensors(spec: Any, tensors: Sequence[Any]) -> Any:
    """Return the element that these tensors carry."""
    leaves = [leaf.unbox(tensor) for leaf, tensor in zip(nest.flatten(spec), tensors, strict=True)]
    return nest.pack_sequence_as(spec, leaves)


# What TensorFlow 1 says of elements instead of specs: three nests.


def legacy_types(spec: Any) -> Any:
    """Return the nest of dtypes; a leaf that has none stands for itself."""
    return nest.map_structure(lambda leaf: getattr(leaf, "dtype", leaf), spec)


def legacy_shapes(spec: Any) -> Any:
    """Return the nest of shapes; a leaf that has none stands for itself."""
    return nest.map_structure(lambda leaf: getattr(leaf, "shape", leaf), spec)


def legacy_classes(spec: Any) -> Any:
    """Return the nest of classes; a leaf that says more than its class stands for itself."""
    return nest.map_structure(lambda leaf: _legacy_class(leaf), spec)


def _legacy_class(leaf: Any) -> Any:
    if isinstance(leaf, TensorSpec):
        return Tensor
    return SparseTensor if isinstance(leaf, SparseTensorSpec) else leaf


def from_legacy(types: Any, shapes: Any, classes: Any) -> Any:
    """Return the nest of specs of three nests."""
    flat = zip(
        nest.flatten(types),
        nest.flatten(nest.map_up_to(types, lambda s: s, shapes)),
        nest.flatten(nest.map_up_to(types, lambda c: c, classes)),
        strict=True,
    )
    return nest.pack_sequence_as(types, [_from_legacy_leaf(*each) for each in flat])


def _from_legacy_leaf(dtype: Any, shape: Any, cls: Any) -> TypeSpec:
    if isinstance(cls, TypeSpec):
        return cls
    if isinstance(cls, type) and issubclass(cls, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if isinstance(cls, type) and issubclass(cls, Tensor):
        return TensorSpec(shape, dtype)
    raise TypeError(
        f"Could not build a structure for output class {cls}. Make sure any component class in `output_classes` "
        "inherits from one of the following classes: `tf.TypeSpec`, `tf.sparse.SparseTensor`, `tf.Tensor`, "
        "`tf.TensorArray`."
    )
