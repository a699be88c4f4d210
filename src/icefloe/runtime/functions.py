"""The functions of a graph's library, as callables for the kernels that call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.proto import NameAttrList
from icefloe.resources import ResourceManager


class Library:
    """Runs the functions of `graph` on the state in `manager`."""

    def __init__(self, graph: Graph, manager: ResourceManager) -> None:
        self._graph = graph
        self._manager = manager

    def callable(self, function: NameAttrList, node: str) -> Callable[[Sequence[Any]], list[Any]]:
        """Return `function` as a callable that takes and returns a list of values. node: the node that calls it."""
        raise errors.UnimplementedError(f"function {function.name!r} cannot be called yet")
