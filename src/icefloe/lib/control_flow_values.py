"""Structured values on their way through conditionals and loops, which carry tensors only.

A resource variable goes as its value, a TensorArray as its flow, a SparseTensor or IndexedSlices as its tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from icefloe.graph import control_flow_ops
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.scopes import ControlDependencies
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import identity, same
from icefloe.lib.nest import flatten, is_composite, map_structure, pack_sequence_as


def _is_resource_variable(value: Any) -> bool:
    return hasattr(type(value), "read_value") and isinstance(getattr(value, "_handle", None), Tensor)


def is_tensor_array(value: Any) -> bool:
    """Whether `value` is a TensorArray."""
    return hasattr(type(value), "flow") and hasattr(type(value), "with_flow")


def variables_to_tensors(structure: Any) -> Any:
    """Return a structure with the values of its resource variables in their places."""
    return map_structure(lambda x: convert_to_tensor(x) if _is_resource_variable(x) else x, structure)


def to_flow(value: Any) -> Any:
    """Return the flow of a TensorArray, all else as it is."""
    return value.flow if is_tensor_array(value) else value


def from_flow(template: Any, tensor: Any) -> Any:
    """Return `tensor` as a TensorArray like `template`, if that is one."""
    return template.with_flow(tensor) if is_tensor_array(template) else tensor


def flat_tensors(structure: Any) -> list[Any]:
    """Return the tensors that a structure consists of, down to those of its composites and TensorArrays."""
    return [to_flow(item) for item in flatten(structure, expand_composites=True)]


def pack_tensors(structure: Any, tensors: Iterable[Any]) -> Any:
    """Return a structure like `structure`, TensorArrays and composites included, that consists of `tensors`."""
    like = flatten(structure, expand_composites=True)
    items = [from_flow(template, tensor) for template, tensor in zip(like, tensors)]
    return pack_sequence_as(structure, items, expand_composites=True)


def to_tensor_or_composite(value: Any) -> Any:
    """Return composites and TensorArrays as they are, all else as a tensor."""
    return value if is_composite(value) or is_tensor_array(value) else convert_to_tensor(value)


# Nodes for tensors and composites


def _each(function: Callable[..., Any], value: Any, **options: Any) -> Any:
    if not is_composite(value):
        return function(value, **options)
    options.pop("name", None)
    parts = flatten(value, expand_composites=True)
    return pack_sequence_as(value, [function(part, **options) for part in parts], expand_composites=True)


def enter(value: Any, frame_name: str, name: str | None = None, **options: Any) -> Any:
    """Return a tensor or composite in the loop of this frame; see `graph.control_flow_ops.enter`."""
    return _each(control_flow_ops.enter, value, frame_name=frame_name, name=name, **options)


def leave(value: Any, name: str | None = None) -> Any:
    """Return a tensor or composite of a loop outside of it."""
    return _each(control_flow_ops.leave, value, name=name)


def next_iteration(value: Any, name: str | None = None) -> Any:
    """Return a tensor or composite of a loop in its next iteration."""
    return _each(control_flow_ops.next_iteration, value, name=name)


def same_value(value: Any, name: str | None = None) -> Any:
    """Return a tensor or composite through Identity nodes, RefIdentity for references."""
    return _each(lambda part, name=None: same(convert_to_tensor(part, as_ref=True), name), value, name=name)


def switch(data: Any, pred: Any, name: str | None = None) -> Any:
    """Return a tensor or composite as (output_false, output_true), alive where `pred` says so."""
    if not is_composite(data):
        return control_flow_ops.switch(data, pred, name)
    pairs = [control_flow_ops.switch(part, pred) for part in flatten(data, expand_composites=True)]
    return tuple(pack_sequence_as(data, [pair[i] for pair in pairs], expand_composites=True) for i in (0, 1))


def merge(inputs: Sequence[Any], name: str | None = None) -> Any:
    """Return (output, value_index): the one of `inputs`, tensors or composites of one kind, that is alive.

    Tensors among IndexedSlices become IndexedSlices of all their rows.

    Raises: ValueError if one is None; TypeError or ValueError if their kinds do not go together.
    """
    if not any(is_composite(value) for value in inputs):
        return control_flow_ops.merge(inputs, name)
    if all(isinstance(value, (IndexedSlices, Tensor)) for value in inputs):
        inputs = as_indexed_slices_list(inputs)
    for value in inputs:
        if not is_composite(value):
            raise TypeError(f"Type {type(value)} not supported")
    parts = [flatten(value, expand_composites=True) for value in inputs]
    if len({len(group) for group in parts}) > 1:
        raise ValueError(f"The merge inputs do not consist of the same number of tensors: {inputs}")
    merged = [control_flow_ops.merge(group) for group in zip(*parts)]
    packed = pack_sequence_as(inputs[0], [pair[0] for pair in merged], expand_composites=True)
    return packed, merged[0][1]


def as_indexed_slices_list(inputs: Sequence[Any]) -> list[IndexedSlices]:
    """Return tensors and IndexedSlices as IndexedSlices whose indices are all of one type."""
    from icefloe.lib.math_cast import cast

    outputs = [as_indexed_slices(value) for value in inputs]
    if all(value.indices.dtype.name == outputs[0].indices.dtype.name for value in outputs):
        return outputs
    return [
        IndexedSlices(value.values, cast(value.indices, "int64"), value.dense_shape)
        if value.indices.dtype.name == "int32"
        else value
        for value in outputs
    ]


def as_indexed_slices(value: Any) -> IndexedSlices:
    """Return a tensor as the IndexedSlices of all its rows."""
    from icefloe.lib.array_shape import shape_internal
    from icefloe.lib.math_range import range as range_

    if isinstance(value, IndexedSlices):
        return value
    if not isinstance(value, Tensor):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(value)}.")
    sizes = shape_internal(value, optimize=False)
    return IndexedSlices(value, range_(0, sizes[0]), sizes)


class summaries_run:
    """Let summaries made in a block be computed with its results; alone they would be dead or of one iteration only.

    After the block `new` holds them, and the collection of summaries is what it was before.
    """

    def __enter__(self) -> summaries_run:
        self._collection = get_default_graph().get_collection_ref(GraphKeys._SUMMARY_COLLECTION)
        self._before = list(self._collection)
        self.new: list[Any] = []
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.new = self._collection[len(self._before) :]
        if self.new:
            self._collection[:] = self._before

    def waited_for(self) -> ControlDependencies:
        """Make ops of a block wait for the new summaries."""
        return control_dependencies(self.new)

    def after(self, structure: Any) -> Any:
        """Return `structure` through Identity nodes that wait for the new summaries."""
        if not self.new:
            return structure
        with self.waited_for():
            return map_structure(lambda x: x if is_tensor_array(x) else identity(x), structure)
