"""The scope that nodes which set up state are made in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from icefloe import stacks
from icefloe.graph.graph import Graph, get_default_graph, global_default_graph


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Leave control dependencies, conditionals, loops and bodies of functions inside the block, but not name scopes.

    The default graph becomes the innermost one that is no function's body; devices stay those of the innermost graph
    that has any, or those outside of the innermost init_scope where colocation has left none.
    """
    graph = get_default_graph()
    scope = graph.get_name_scope()
    outer = _outside_of_functions(graph)
    devices = outer._device_stack
    if outer is not graph:
        outer._device_stack = _devices(outer)
    outside: list[Any] = outer.__dict__.setdefault("_devices_outside", [])
    if not outer._device_stack:
        outer._device_stack = next((stack for stack in reversed(outside) if stack), outer._device_stack)
    outside.append(outer._device_stack)
    try:
        with (
            outer.as_default(),
            outer.name_scope(f"{scope}/" if scope else None),
            outer.control_dependencies(None),
        ):
            yield
    finally:
        outside.pop()
        outer._device_stack = devices


def _outside_of_functions(graph: Graph) -> Graph:
    if not graph.building_function:
        return graph
    for candidate in reversed(stacks.GRAPHS.stack):
        if isinstance(candidate, Graph) and not candidate.building_function:
            return candidate
    return global_default_graph()


def _devices(outer: Graph) -> list[Any]:
    """Return the device scopes of the innermost graph, down to `outer`, that has any."""
    for candidate in reversed(stacks.GRAPHS.stack):
        if isinstance(candidate, Graph) and candidate._device_stack:
            return candidate._device_stack
        if candidate is outer:
            break
    return outer._device_stack
