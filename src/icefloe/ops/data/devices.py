"""Iterators for several devices: each takes every n-th element. All devices are the CPU here.

Source: tensorflow/core/kernels/data/multi_device_iterator_ops.cc.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.data.iterators import output_shapes_rule
from icefloe.ops.data.making import number, spec_of, text
from icefloe.resources.datasets.base import Element, Spec, as_dataset, check_shapes, check_types
from icefloe.resources.datasets.iterators import IteratorResource
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims

not_differentiable(
    "MultiDeviceIterator",
    "AnonymousMultiDeviceIterator",
    "AnonymousMultiDeviceIteratorV3",
    "MultiDeviceIteratorInit",
    "MultiDeviceIteratorGetNextFromShard",
    "MultiDeviceIteratorToStringHandle",
    "MultiDeviceIteratorFromStringHandle",
    "DeleteMultiDeviceIterator",
)

_numbers = itertools.count(1)


class MultiDeviceIterator:
    """An iterator whose elements go to `devices` shards in turn; what another shard is to get waits for it."""

    def __init__(self, devices: int, spec: Spec) -> None:
        self.devices = devices
        self.spec = spec
        self.number = next(_numbers)
        self._iterator = IteratorResource(spec)
        self._incarnation = 0
        self._waiting: list[deque[Element]] = []
        self._turn = 0
        self._lock = threading.Lock()

    def start(self, dataset: Any, run: Any) -> int:
        """Put the iterator at the dataset's start. Return the number of this beginning."""
        with self._lock:
            self._iterator.start(dataset, run)
            self._waiting = [deque() for _ in range(self.devices)]
            self._turn = 0
            self._incarnation += 1
            return self._incarnation

    def next(self, shard: int, incarnation: int, run: Any) -> Element | None:
        """Return the next element of a shard, or None at the end."""
        with self._lock:
            if incarnation != self._incarnation:
                raise errors.InvalidArgumentError(
                    f"Invalid incarnation id. Provided: {incarnation}; Expected: {self._incarnation}"
                )
            if not 0 <= shard < self.devices:
                raise errors.InvalidArgumentError(f"shard_num {shard} is not in [0, {self.devices})")
            while not self._waiting[shard]:
                element = self._iterator.next(run)
                if element is None:
                    return None
                self._waiting[self._turn].append(element)
                self._turn = (self._turn + 1) % self.devices
            return self._waiting[shard].popleft()


class _ByText:
    """Iterators by the strings that stand for their handles."""

    def __init__(self) -> None:
        self.found: weakref.WeakValueDictionary[bytes, MultiDeviceIterator] = weakref.WeakValueDictionary()


def _table(manager: ResourceManager) -> _ByText:
    return manager.lookup_or_create("", "multi-device iterators by string", _ByText, _ByText)


def _behind(handle: Any) -> MultiDeviceIterator:
    found = handle[()] if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(found, MultiDeviceIterator):
        raise errors.InvalidArgumentError(
            f"Expected the handle of a multi-device iterator, got one of {type(found).__name__}"
        )
    return found


@kernel("MultiDeviceIterator", factory=True, returns="stored")
def multi_device_iterator(
    *,
    devices: tuple[str, ...],
    shared_name: str,
    container: str,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
    node: str,
) -> Callable[[], MultiDeviceIterator]:
    spec = spec_of(output_types, output_shapes)
    return lambda: manager.lookup_or_create(
        container, shared_name or node, MultiDeviceIterator, lambda: MultiDeviceIterator(len(devices), spec)
    )


@kernel("AnonymousMultiDeviceIteratorV3", returns="stored")
def anonymous_multi_device_iterator_v3(
    *, devices: tuple[str, ...], output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> MultiDeviceIterator:
    return MultiDeviceIterator(len(devices), spec_of(output_types, output_shapes))


@kernel("AnonymousMultiDeviceIterator", returns="stored")
def anonymous_multi_device_iterator(
    *, devices: tuple[str, ...], output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> tuple[MultiDeviceIterator, Any]:
    """A handle, and what would delete it; it goes by itself when nothing refers to it."""
    made = MultiDeviceIterator(len(devices), spec_of(output_types, output_shapes))
    return made, made


@kernel("DeleteMultiDeviceIterator")
def delete_multi_device_iterator(
    multi_device_iterator: Any, iterators: tuple[Any, ...], deleter: Any, *, manager: ResourceManager
) -> tuple[()]:
    manager.forget(_behind(multi_device_iterator))
    return ()


@kernel("MultiDeviceIteratorInit", per_run=True)
def multi_device_iterator_init(dataset: Any, multi_device_iterator: Any, max_buffer_size: Any, *, run: Any) -> Any:
    """Put the iterator at the dataset's start; the number says which of its beginnings this is."""
    number(max_buffer_size, "max_buffer_size")
    return np.int64(_behind(multi_device_iterator).start(as_dataset(dataset), run))


@kernel("MultiDeviceIteratorGetNextFromShard", per_run=True, returns="stored")
def multi_device_iterator_get_next_from_shard(
    multi_device_iterator: Any, shard_num: Any, incarnation_id: Any, *, run: Any
) -> tuple[Any, ...]:
    shard, incarnation = number(shard_num, "shard_num"), number(incarnation_id, "incarnation_id")
    element = _behind(multi_device_iterator).next(shard, incarnation, run)
    if element is None:
        raise errors.OutOfRangeError("End of sequence")
    return element


@kernel("MultiDeviceIteratorToStringHandle")
def multi_device_iterator_to_string_handle(multi_device_iterator: Any, *, manager: ResourceManager) -> Any:
    found = _behind(multi_device_iterator)
    words = b"icefloe multi-device iterator %d" % found.number
    _table(manager).found[words] = found
    return np.array(words, object)


@kernel("MultiDeviceIteratorFromStringHandle", returns="stored")
def multi_device_iterator_from_string_handle(
    string_handle: Any,
    *,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> MultiDeviceIterator:
    found = _table(manager).found.get(text(string_handle, "string_handle"))
    if found is None:
        raise errors.InvalidArgumentError("string_handle is not one of a multi-device iterator of this session")
    if output_types:
        check_types(output_types, found.spec.dtypes)
    if output_shapes:
        check_shapes(output_shapes, found.spec.shapes)
    return found


shape(
    "MultiDeviceIterator",
    "AnonymousMultiDeviceIteratorV3",
    "MultiDeviceIteratorInit",
    "MultiDeviceIteratorToStringHandle",
    "MultiDeviceIteratorFromStringHandle",
)(scalar)
shape("MultiDeviceIteratorGetNextFromShard")(output_shapes_rule)


@shape("AnonymousMultiDeviceIterator")
def handle_and_deleter_shape(c: ShapeContext) -> list[Dims]:
    return [(), ()]


@shape("DeleteMultiDeviceIterator")
def no_outputs(c: ShapeContext) -> list[Dims]:
    return []
