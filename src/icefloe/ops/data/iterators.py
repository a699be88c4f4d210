"""Iterators: their handles, what starts them and draws from them, and their positions in checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.data.making import spec_of, text
from icefloe.ops.data.positions import from_variant, to_variant
from icefloe.resources.datasets.base import as_dataset, check_shapes, check_types
from icefloe.resources.datasets.flattening import single_dataset
from icefloe.resources.datasets.iterators import HandleTable, IteratorResource
from icefloe.resources.manager import ResourceManager
from icefloe.resources.variants import Optional
from icefloe.shapes import Dims

not_differentiable(
    "Iterator",
    "IteratorV2",
    "OneShotIterator",
    "AnonymousIterator",
    "AnonymousIteratorV2",
    "AnonymousIteratorV3",
    "DeleteIterator",
    "MakeIterator",
    "IteratorGetNext",
    "IteratorGetNextSync",
    "IteratorGetNextAsOptional",
    "IteratorToStringHandle",
    "IteratorFromStringHandle",
    "IteratorFromStringHandleV2",
    "SerializeIterator",
    "DeserializeIterator",
    "IteratorGetDevice",
    "ExperimentalIteratorGetDevice",
)


def iterator_of(handle: Any) -> IteratorResource:
    """Return the iterator of a handle. Raises: InvalidArgumentError if it is one of something else."""
    found = handle[()] if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(found, IteratorResource):
        raise errors.InvalidArgumentError(
            f"Trying to access a handle's resource using the wrong type: expected an iterator, got "
            f"{type(found).__name__}"
        )
    return found


# Handles


@kernel("Iterator", "IteratorV2", factory=True, returns="stored")
def iterator_handle(
    *,
    shared_name: str,
    container: str,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
    node: str,
) -> Callable[[], IteratorResource]:
    spec = spec_of(output_types, output_shapes)

    def run() -> IteratorResource:
        return manager.lookup_or_create(
            container, shared_name or node, IteratorResource, lambda: IteratorResource(spec)
        )

    return run


@kernel("OneShotIterator", factory=True, returns="stored", per_run=True)
def one_shot_iterator(
    *,
    dataset_factory: Any,
    container: str,
    shared_name: str,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
    node: str,
) -> Callable[..., IteratorResource]:
    """An iterator over the dataset that `dataset_factory` makes, at the first run; if that fails, always the same
    error."""
    spec = spec_of(output_types, output_shapes)
    name = shared_name or node

    def call(*, run: Any) -> IteratorResource:
        made: _OneShot = manager.lookup_or_create(container, name, _OneShot, lambda: _OneShot(spec))
        return made.started(dataset_factory, run)

    return call


class _OneShot:
    def __init__(self, spec: Any) -> None:
        self._iterator = IteratorResource(spec)
        self._is_started = False
        self._error: errors.OpError | None = None
        self._lock = threading.Lock()

    def started(self, factory: Any, run: Any) -> IteratorResource:
        with self._lock:
            if self._error is not None:
                raise self._error
            if not self._is_started:
                try:
                    self._iterator.start(single_dataset(factory((), run)), run)
                except errors.OpError as error:
                    self._error = error
                    raise
                self._is_started = True
        return self._iterator


@kernel("AnonymousIterator", "AnonymousIteratorV3", returns="stored")
def anonymous_iterator(*, output_types: Sequence[DType], output_shapes: Sequence[Dims]) -> IteratorResource:
    return IteratorResource(spec_of(output_types, output_shapes))


@kernel("AnonymousIteratorV2", returns="stored")
def anonymous_iterator_v2(
    *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> tuple[IteratorResource, Any]:
    """A handle, and what would delete it; it goes by itself when nothing refers to it."""
    made = IteratorResource(spec_of(output_types, output_shapes))
    return made, made


@kernel("DeleteIterator")
def delete_iterator(handle: Any, deleter: Any, *, manager: ResourceManager) -> tuple[()]:
    manager.forget(iterator_of(handle))
    return ()


def _handles(manager: ResourceManager) -> HandleTable:
    return manager.lookup_or_create("", "iterators by string", HandleTable, HandleTable)


@kernel("IteratorToStringHandle")
def iterator_to_string_handle(resource_handle: Any, *, manager: ResourceManager) -> Any:
    return np.array(_handles(manager).text(iterator_of(resource_handle)), object)


@kernel("IteratorFromStringHandle", "IteratorFromStringHandleV2", returns="stored")
def iterator_from_string_handle(
    string_handle: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> IteratorResource:
    found = _handles(manager).find(text(string_handle, "string_handle"))
    spec = found.output_spec()
    if output_types:
        check_types(output_types, spec.dtypes)
    if output_shapes:
        check_shapes(output_shapes, spec.shapes)
    return found


@kernel("IteratorGetDevice", "ExperimentalIteratorGetDevice")
def iterator_get_device(resource: Any) -> Any:
    iterator_of(resource)
    return np.array(b"/job:localhost/replica:0/task:0/device:CPU:0", object)


# Elements


@kernel("MakeIterator", per_run=True)
def make_iterator(dataset: Any, iterator: Any, *, run: Any) -> tuple[()]:
    """Put the iterator at the dataset's first element."""
    iterator_of(iterator).start(as_dataset(dataset), run)
    return ()


@kernel("IteratorGetNext", "IteratorGetNextSync", per_run=True, returns="stored")
def iterator_get_next(iterator: Any, *, run: Any) -> tuple[Any, ...]:
    element = iterator_of(iterator).next(run)
    if element is None:
        raise errors.OutOfRangeError("End of sequence")
    return element


@kernel("IteratorGetNextAsOptional", per_run=True, returns="stored")
def iterator_get_next_as_optional(
    iterator: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims], run: Any
) -> Optional:
    """The next element, or nothing at the end."""
    element = iterator_of(iterator).next(run)
    if element is None:
        return Optional(None)
    return Optional(element, tuple(output_types))


# Positions


@kernel("SerializeIterator", per_run=True)
def serialize_iterator(resource_handle: Any, *, run: Any) -> Any:
    """The iterator's position, a vector of one variant."""
    found = np.empty(1, object)
    found[0] = to_variant(iterator_of(resource_handle).save(run))
    return found


@kernel("DeserializeIterator", per_run=True)
def deserialize_iterator(resource_handle: Any, serialized: Any, *, run: Any) -> tuple[()]:
    """Put the iterator at a position saved before."""
    items = np.asarray(serialized, object).reshape(-1)
    if len(items) != 1:
        raise errors.InvalidArgumentError(f"expected one variant with an iterator's state, got {len(items)}")
    iterator_of(resource_handle).restore(from_variant(items[0]), run)
    return ()


# Shapes


@shape("IteratorGetNext", "IteratorGetNextSync")
def output_shapes_rule(c: ShapeContext) -> list[Dims]:
    """What the attr says."""
    given: Sequence[Dims] = c.attr("output_shapes")
    if len(given) != c.num_outputs:
        raise errors.InvalidArgumentError("`output_shapes` must be the same length as `output_types`")
    return list(given)


shape(
    "Iterator",
    "IteratorV2",
    "OneShotIterator",
    "AnonymousIterator",
    "AnonymousIteratorV3",
    "IteratorToStringHandle",
    "IteratorFromStringHandle",
    "IteratorFromStringHandleV2",
    "IteratorGetNextAsOptional",
    "IteratorGetDevice",
    "ExperimentalIteratorGetDevice",
)(scalar)


@shape("AnonymousIteratorV2")
def handle_and_deleter_shape(c: ShapeContext) -> list[Dims]:
    return [(), ()]


@shape("SerializeIterator")
def serialize_iterator_shape(c: ShapeContext) -> list[Dims]:
    return [(None,)]
