"""Graphs in which each thread has scopes of its own: devices, colocation, control inputs.

Name scopes are each thread's own in every graph.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph

_STACKS = ("_device_stack", "_colocation_stack", "_control_dependencies_stack")


def _of_thread(name: str) -> property:
    def read(graph: Any) -> Any:
        own = graph._scopes_of_thread.__dict__
        if name not in own:
            # A thread begins with the scopes that were open when the graph was made so.
            own[name] = list(graph.__dict__[name])
        return own[name]

    def write(graph: Any, stack: Any) -> None:
        graph._scopes_of_thread.__dict__[name] = stack

    return property(read, write)


class ThreadScopes:
    """The class, besides its own, of a graph whose threads have scopes of their own."""

    _scopes_of_thread: threading.local


for _name in _STACKS:
    setattr(ThreadScopes, _name, _of_thread(_name))


def separate(graph: Graph) -> None:
    """Let each thread have scopes of its own in `graph`."""
    if isinstance(graph, ThreadScopes):
        return
    graph.__dict__["_scopes_of_thread"] = threading.local()
    for name in _STACKS:
        graph.__dict__[name] = list(graph.__dict__[name])
    kind = type(graph)
    graph.__class__ = type(kind.__name__, (ThreadScopes, kind), {"__module__": kind.__module__})
