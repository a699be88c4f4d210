"""Iterators over datasets: nodes that draw the next element, in each run anew.

Source: tensorflow/python/data/ops/iterator_ops.py, dataset_ops.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.seeds import get_seed, set_random_seed
from icefloe.graph.tensor import Tensor
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.defun import Defun
from icefloe.shapes import TensorShape, as_shape

_GLOBAL_ITERATORS = "iterators"
_MANY_CALLS = 32


class Iterator:
    """A position in the elements of a dataset.

    Made by `make_one_shot_iterator`, `make_initializable_iterator`, `Iterator.from_structure` and
    `Iterator.from_string_handle`.
    """

    def __init__(
        self, iterator_resource: Tensor, initializer: Any, output_types: Any, output_shapes: Any, output_classes: Any
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle: Tensor = apply_op("IteratorToStringHandle", iterator_resource)
        self._calls = 0
        get_default_graph().add_to_collection(_GLOBAL_ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """Return an iterator without a dataset, which `make_initializer` gives it."""
        types, shapes, classes = _legacy(output_types, output_shapes, output_classes)
        spec = structure.from_legacy(types, shapes, classes)
        handle = apply_op(
            "IteratorV2",
            container="",
            shared_name=shared_name or "",
            output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec),
        )
        return Iterator(handle, None, types, shapes, classes)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Return the iterator that a string stands for, which may be another in each run; see `string_handle`."""
        types, shapes, classes = _legacy(output_types, output_shapes, output_classes)
        spec = structure.from_legacy(types, shapes, classes)
        handle = apply_op(
            "IteratorFromStringHandleV2",
            convert_to_tensor(string_handle, dtype=datatypes.string),
            output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec),
        )
        return Iterator(handle, None, types, shapes, classes)

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator. Raises: ValueError if it starts by itself or has no dataset."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        operation: Operation = self._initializer
        return operation

    def make_initializer(self, dataset: Dataset, name: str | None = None) -> Operation:
        """Return an operation that starts this iterator on `dataset`. Raises: TypeError if its elements do not fit."""
        with name_scope(name, "make_initializer") as scope:
            for what, mine, theirs in (
                ("classes", self.output_classes, dataset.output_classes),
                ("types", self.output_types, dataset.output_types),
                ("shapes", self.output_shapes, dataset.output_shapes),
            ):
                nest.assert_same_structure(mine, theirs)
                for a, b in zip(nest.flatten(mine), nest.flatten(theirs)):
                    if not (a.is_compatible_with(b) if isinstance(a, TensorShape) else a == b):
                        word = "shapes compatible with" if what == "shapes" else what
                        raise TypeError(
                            f"Expected output {word} {mine!r} but got dataset with output {what} {theirs!r}."
                        )
        with colocate_with(self._iterator_resource):
            made: Operation = apply_op("MakeIterator", dataset._variant_tensor, self._iterator_resource, name=scope)
        return made

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element: another one in each run, but the same wherever it is used in one.

        A run raises OutOfRangeError at the end.
        """
        self._calls += 1
        if self._calls > _MANY_CALLS:
            warnings.warn(
                "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that "
                "`Iterator.get_next()` is being called inside a training loop, which will cause gradual slowdown and "
                "eventual resource exhaustion. If this is the case, restructure your code to call "
                "`next_element = iterator.get_next()` once outside the loop, and use `next_element` as the input to "
                "some computation that is invoked inside the loop.",
                stacklevel=2,
            )
        spec = self._element_spec
        with colocate_with(self._iterator_resource):
            tensors = apply_op(
                "IteratorGetNext",
                self._iterator_resource,
                output_types=structure.flat_types(spec),
                output_shapes=structure.flat_shapes(spec),
                name=name,
            )
            return structure.from_tensors(spec, tensors)

    def get_next_as_optional(self) -> Any:
        """Return the next element, or nothing at the end, as an Optional."""
        from icefloe.lib.data_optional import get_next_as_optional

        return get_next_as_optional(self)

    def string_handle(self, name: str | None = None) -> Tensor:
        """Return a string that stands for this iterator; see `from_string_handle`."""
        if name is None:
            return self._string_handle
        made: Tensor = apply_op("IteratorToStringHandle", self._iterator_resource, name=name)
        return made

    @property
    def element_spec(self) -> Any:
        """The nest of TypeSpecs of an element."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The nest of dtypes of an element."""
        return structure.legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The nest of shapes of an element."""
        return structure.legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The nest of classes of an element."""
        return structure.legacy_classes(self._element_spec)


def _legacy(types: Any, shapes: Any, classes: Any) -> tuple[Any, Any, Any]:
    types = nest.map_structure(datatypes.as_dtype, types)
    if shapes is None:
        shapes = nest.map_structure(lambda _: TensorShape(None), types)
    else:
        shapes = nest.map_up_to(types, as_shape, shapes)
    if classes is None:
        classes = nest.map_structure(lambda _: Tensor, types)
    return types, shapes, classes


def _check_graph(dataset: Dataset) -> None:
    """Raises: ValueError if a dataset, or one it is made from, is of another graph."""
    current = get_default_graph()
    pending, seen = [dataset], set[int]()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if each._graph is not current:
            raise ValueError(
                f"The graph {current} of the iterator is different from the graph {each._graph} the dataset: "
                f"{each._variant_tensor} was created in. Make sure that the dataset is created in the same graph as "
                "the iterator."
            )
        pending += each._inputs()


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """Return an iterator that starts by itself, once.

    Raises: ValueError if the dataset depends on something stateful, such as a variable, or on a placeholder.
    """
    _check_graph(dataset)
    graph_seed, op_seed = get_seed(None)
    allowed = [op for op in _stateful_inputs(dataset) if "Dataset" in op.type or "SeedGenerator" in op.type]

    def _make_dataset() -> Tensor:
        if graph_seed is not None and op_seed is not None:
            set_random_seed((graph_seed + 87654321 * op_seed) % (2**63 - 1))
        variant: Tensor = dataset._variant_tensor
        return variant

    function = Defun(capture_by_value=True, allowlisted_stateful_ops=allowed)(_make_dataset)
    try:
        function.add_to_graph(get_default_graph())
    except ValueError as error:
        if "Cannot capture a stateful node" not in str(error):
            raise
        raise ValueError(
            f"{error}: A likely cause of this error is that the dataset for which you are calling "
            "`make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or "
            "`tf.lookup.StaticHashTable`, which is not supported. Use `make_initializable_iterator()` instead."
        ) from None
    with colocate_with(dataset._variant_tensor):
        handle = apply_op("OneShotIterator", dataset_factory=function, **_flat_structure(dataset))
        return Iterator(handle, None, dataset.output_types, dataset.output_shapes, dataset.output_classes)


def _stateful_inputs(dataset: Dataset) -> list[Operation]:
    """Return the stateful operations that a dataset is made of."""
    pending, seen, found = [dataset._variant_tensor.op], set[int](), []
    while pending:
        op = pending.pop()
        if op._id in seen:
            continue
        seen.add(op._id)
        if op.signature is not None and op.signature.is_stateful:
            found.append(op)
        pending += [tensor.op for tensor in op.inputs]
    return found


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """Return an iterator that starts when its `initializer` is run. shared_name: iterators of one name are one."""
    _check_graph(dataset)
    with colocate_with(dataset._variant_tensor):
        handle = apply_op("IteratorV2", container="", shared_name=shared_name or "", **_flat_structure(dataset))
        start = apply_op("MakeIterator", dataset._variant_tensor, handle)
        return Iterator(handle, start, dataset.output_types, dataset.output_shapes, dataset.output_classes)


def _flat_structure(dataset: Dataset) -> dict[str, Any]:
    spec = dataset.element_spec
    return {"output_types": structure.flat_types(spec), "output_shapes": structure.flat_shapes(spec)}


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """Return the nest of dtypes of the elements of a dataset or iterator."""
    return structure.legacy_types(dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """Return the nest of shapes of the elements of a dataset or iterator."""
    return structure.legacy_shapes(dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """Return the nest of classes of the elements of a dataset or iterator."""
    return structure.legacy_classes(dataset_or_iterator.element_spec)


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """Return what a Saver takes to save an iterator's position."""
    from icefloe.lib.saveable import SaveableObject, SaveSpec

    policy = {"warn": 0, "ignore": 1, "fail": 2}.get(external_state_policy or "fail", 2)
    return _iterator_saveable(SaveableObject, SaveSpec)(iterator._iterator_resource, policy)


def _iterator_saveable(base: Any, spec: Any) -> Callable[[Tensor, int], Any]:
    class IteratorSaveable(base):  # type: ignore[misc]
        """An iterator's position."""

        def __init__(self, resource: Tensor, policy: int) -> None:
            state = apply_op("SerializeIterator", resource, external_state_policy=policy)
            name = resource.name
            super().__init__(resource, [spec(state, "", f"{name}_STATE", device=resource.device)], name)

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Operation:
            with colocate_with(self.op):
                made: Operation = apply_op("DeserializeIterator", self.op, restored_tensors[0])
                return made

    return IteratorSaveable
