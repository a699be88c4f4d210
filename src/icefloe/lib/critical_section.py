"""`CriticalSection`: functions of which only one at a time runs, whoever calls them.

Source: tensorflow/python/ops/critical_section_ops.py (nodes, rules, messages).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import (
    add_to_collections,
    colocate_with,
    control_dependencies,
    get_collection,
    name_scope,
)
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import group, identity
from icefloe.lib.control import tuple as tuple_of
from icefloe.lib.control_flow_values import is_tensor_array
from icefloe.lib.nest import flatten, map_structure, pack_sequence_as
from icefloe.lib.scopes import init_scope

_SECTIONS = "critical_sections"
_EXECUTIONS = "critical_section_executions"


class _Entered(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []


_ENTERED = _Entered()


@dataclass(frozen=True)
class _ExecutionSignature:
    """One call of a section: the lock's op, the section's handle, and what resources it uses."""

    op: Operation
    handle: Tensor
    resources: list[Tensor]
    exclusive_resource_access: bool


class CriticalSection:
    """A lock that a session holds while it runs what `execute` was given.

    shared_name: the sections of this name are one; by default the node's name.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def and name is not None:
            raise ValueError(
                f"Arguments critical_section_def={critical_section_def} and shared_name={shared_name} are mutually "
                "exclusive. Please only specify one of them."
            )
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with name_scope(name, "CriticalSection", []) as scope:
            with init_scope():
                container = get_default_graph()._container or ""
                shared_name = scope if shared_name is None else shared_name
                self._handle: Tensor = apply_op("MutexV2", shared_name=shared_name, container=container, name=scope)
            self._signature = container, shared_name or id(self._handle), _place(self._handle.op)
        add_to_collections(_SECTIONS, self)

    @property
    def name(self) -> str:
        """The name of the lock's node."""
        return self._handle.op.name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """Return what `fn` returns; its nodes run while no other call of this section does.

        exclusive_resource_access: no other section may use the same resources.

        Raises: ValueError if `fn` enters the section again, or another section uses the same resources.
        """
        with name_scope(name, "critical_section_execute", []):
            with _inside(self._signature):
                lock = apply_op("MutexLock", self._handle)
                graph = get_default_graph()
                before = set(graph.get_operations())
                with control_dependencies([lock]):
                    result = fn()
                created = set(graph.get_operations()) - before
            _wait_for_inputs(created, lock.op)
            resources = list({id(x): x for op in created for x in op.inputs if x.dtype.name == "resource"}.values())
            self._check(resources, exclusive_resource_access)
            flat = [_same(x) for x in flatten(result)]
            with control_dependencies(flat):
                with colocate_with(self._handle):
                    consumed = apply_op("ConsumeMutexLock", lock)
                result = pack_sequence_as(result, tuple_of(flatten(result)))
            with control_dependencies([consumed]):
                outputs = map_structure(_same, result)
            add_to_collections(
                _EXECUTIONS, _ExecutionSignature(lock.op, self._handle, resources, exclusive_resource_access)
            )
            return outputs

    def _is_own(self, handle: Tensor) -> bool:
        if handle.op.type != "MutexV2":
            return False
        name = handle.op.get_attr("shared_name")
        return bool(name) and name == self._handle.op.get_attr("shared_name") and _place(handle.op) == self._place()

    def _place(self) -> Any:
        return _place(self._handle.op)

    def _check(self, resources: Iterable[Tensor], exclusive: bool) -> None:
        if any(self._is_own(x) for x in resources):
            raise ValueError(
                f"Attempting to lock a CriticalSection in which we are already running (signature={self._signature}). "
                "This is illegal and may cause deadlocks."
            )
        used = {id(x): x for x in resources}
        for other in get_collection(_EXECUTIONS):
            if self._is_own(other.handle) or not (exclusive or other.exclusive_resource_access):
                continue
            both = [used[id(x)] for x in other.resources if id(x) in used]
            if both:
                raise ValueError(
                    f"This execution would access resources: {both}. Either this lock (CriticalSection: "
                    f"{self._handle}) or lock '{other}' (CriticalSection: {other.handle}) requested exclusive resource "
                    "access of this resource. Did you mean to call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )


def _place(op: Operation) -> Any:
    return op.device or (op.get_attr("_class") if op.has_attr("_class") else None)


@contextlib.contextmanager
def _inside(signature: Any) -> Iterator[None]:
    if signature in _ENTERED.stack:
        raise ValueError(
            f"Attempting to lock a CriticalSection (signature={signature}) in which we are already running. This is "
            "illegal and may cause deadlocks."
        )
    _ENTERED.stack.append(signature)
    try:
        yield
    finally:
        _ENTERED.stack.pop()


def _wait_for_inputs(created: set[Operation], lock: Operation) -> None:
    """Take the lock only once what the section needs from outside is there."""
    needed = {x.op for op in created for x in op.inputs} | {source for op in created for source in op.control_inputs}
    needed -= created | {lock, *lock.control_inputs, *(x.op for x in lock.inputs)}
    if needed:
        lock._add_control_input(group(*needed))


def _same(x: Any) -> Any:
    if is_tensor_array(x):
        return x.identity()
    return group(x) if isinstance(x, Operation) else identity(x)
