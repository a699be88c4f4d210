"""Staging ops. A node finds its area by shared name or its own name; it has no handle.

Source: tensorflow/core/kernels/stage_op.cc, map_stage_op.cc (checks and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, unknown
from icefloe.resources import ResourceManager
from icefloe.resources.staging import Buffer, StagingMap
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text

Waiting = Generator[Pending, None, Any]


def _own(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([value.copy() if isinstance(value, np.ndarray) else value for value in values])


def _buffer(
    capacity: int, memory_limit: int, container: str, shared_name: str, manager: ResourceManager, node: str
) -> Buffer:
    return manager.lookup_or_create(container, shared_name or node, Buffer, lambda: Buffer(capacity, memory_limit))


@kernel("Stage", waits=True)
def stage(
    values: tuple[Any, ...],
    *,
    capacity: int,
    memory_limit: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Waiting:
    found = _buffer(capacity, memory_limit, container, shared_name, manager, node)
    yield from found.put(_own(values)).outcome()
    return ()


def _checked(values: tuple[Any, ...], dtypes: tuple[DType, ...]) -> tuple[Any, ...]:
    if len(values) != len(dtypes):
        raise errors.InvalidArgumentError(f"Mismatch stage/unstage: {len(values)} vs. {len(dtypes)}")
    return values


@kernel("Unstage", waits=True)
def unstage(
    *,
    dtypes: tuple[DType, ...],
    capacity: int,
    memory_limit: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Waiting:
    found = _buffer(capacity, memory_limit, container, shared_name, manager, node)
    return _checked((yield from found.get().outcome()), dtypes)


@kernel("StagePeek", waits=True, returns="stored")
def stage_peek(
    index: Any,
    *,
    dtypes: tuple[DType, ...],
    capacity: int,
    memory_limit: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Waiting:
    if np.ndim(index):
        raise errors.InvalidArgumentError("index must be scalar")
    found = _buffer(capacity, memory_limit, container, shared_name, manager, node)
    return _checked((yield from found.peek(int(index)).outcome()), dtypes)


@kernel("StageSize")
def stage_size(
    *, capacity: int, memory_limit: int, container: str, shared_name: str, manager: ResourceManager, node: str
) -> np.int32:
    return np.int32(_buffer(capacity, memory_limit, container, shared_name, manager, node).size)


@kernel("StageClear")
def stage_clear(
    *, capacity: int, memory_limit: int, container: str, shared_name: str, manager: ResourceManager, node: str
) -> tuple[()]:
    _buffer(capacity, memory_limit, container, shared_name, manager, node).clear()
    return ()


shape("Stage", "Unstage", "StagePeek", "StageClear")(unknown)
shape("StageSize")(scalar)


# Maps. Ordered ones and others are apart, also where they have one name.


class _Ordered(StagingMap):
    pass


def _map_finder(
    kind: type[StagingMap],
    dtypes: tuple[DType, ...],
    capacity: int,
    memory_limit: int,
    container: str,
    name: str,
    manager: ResourceManager,
) -> Callable[[], StagingMap]:
    def make() -> StagingMap:
        return kind(len(dtypes), capacity, memory_limit, kind is _Ordered)

    return lambda: manager.lookup_or_create(container, name, kind, make)


def _indices(indices: Any) -> list[int]:
    found: list[int] = np.reshape(indices, -1).tolist()
    return found


def _key(key: Any) -> int:
    if np.ndim(key):
        raise errors.InvalidArgumentError(f"key must be an int64 scalar: {shape_text(np.shape(key))}")
    return int(key)


def _put(find: Callable[[], StagingMap]) -> Callable[..., Waiting]:
    def put(key: Any, indices: Any, values: tuple[Any, ...]) -> Waiting:
        found = find()
        if not np.size(key):
            raise errors.InvalidArgumentError("key must not be empty")
        if np.size(key) != 1:
            raise errors.InvalidArgumentError(
                f"key must be an int64 scalar, got tensor with shape: {shape_text(np.shape(key))}"
            )
        numbers = _indices(indices)
        if numbers and len(numbers) != len(values):
            raise errors.InvalidArgumentError(f"Expected a value for each of {len(numbers)} indices, got {len(values)}")
        yield from found.put(int(np.reshape(key, ())), numbers, _own(values)).outcome()
        return ()

    return put


def _check_outputs(values: tuple[Any, ...], dtypes: tuple[DType, ...]) -> tuple[Any, ...]:
    if len(values) != len(dtypes):
        raise errors.InvalidArgumentError(f"output/indices size mismatch: {len(dtypes)} vs. {len(values)}")
    return values


def _pop(find: Callable[[], StagingMap], dtypes: tuple[DType, ...]) -> Callable[..., Waiting]:
    def pop(key: Any, indices: Any) -> Waiting:
        return _check_outputs((yield from find().pop(_key(key), _indices(indices)).outcome()), dtypes)

    return pop


def _peek(find: Callable[[], StagingMap], dtypes: tuple[DType, ...]) -> Callable[..., Waiting]:
    def peek(key: Any, indices: Any) -> Waiting:
        return _check_outputs((yield from find().peek(_key(key), _indices(indices)).outcome()), dtypes)

    return peek


def _pop_any(find: Callable[[], StagingMap], dtypes: tuple[DType, ...]) -> Callable[..., Waiting]:
    def pop_any(indices: Any) -> Waiting:
        key, values = yield from find().pop_any(_indices(indices)).outcome()
        return (key, *_check_outputs(values, dtypes))

    return pop_any


def _clear(find: Callable[[], StagingMap], dtypes: tuple[DType, ...]) -> Callable[[], tuple[()]]:
    def clear() -> tuple[()]:
        find().clear()
        return ()

    return clear


def _register(prefix: str, kind: type[StagingMap], op: str, make: Callable[..., Any], *, waits: bool) -> None:
    def factory(
        *,
        dtypes: tuple[DType, ...],
        capacity: int,
        memory_limit: int,
        container: str,
        shared_name: str,
        manager: ResourceManager,
        node: str,
    ) -> Callable[..., Any]:
        find = _map_finder(kind, dtypes, capacity, memory_limit, container, shared_name or node, manager)
        return make(find, dtypes)

    returns = "stored" if op == "Peek" else "fresh"
    kernel(f"{prefix}{op}", factory=True, waits=waits, returns=returns)(factory)  # type: ignore[arg-type]


for _prefix, _kind in (("Map", StagingMap), ("OrderedMap", _Ordered)):
    _register(_prefix, _kind, "Stage", lambda find, dtypes: _put(find), waits=True)
    _register(_prefix, _kind, "Unstage", _pop, waits=True)
    _register(_prefix, _kind, "Peek", _peek, waits=True)
    _register(_prefix, _kind, "UnstageNoKey", _pop_any, waits=True)
    _register(_prefix, _kind, "Size", lambda find, dtypes: lambda: np.int32(find().size), waits=False)
    _register(
        _prefix, _kind, "IncompleteSize", lambda find, dtypes: lambda: np.int32(find().incomplete_size), waits=False
    )
    _register(_prefix, _kind, "Clear", _clear, waits=False)
    shape(f"{_prefix}Unstage", f"{_prefix}Peek", f"{_prefix}UnstageNoKey")(unknown)
    shape(f"{_prefix}Size", f"{_prefix}IncompleteSize")(scalar)


@shape("MapStage", "OrderedMapStage", "MapClear", "OrderedMapClear")
def nothing(c: ShapeContext) -> list[Dims]:
    return []
