"""The functions of a graph's library, as callables for the kernels that call them.

A function is instantiated, planned and bound when it is first called, so that recursion ends where calls do. Each place
that calls it has a body of its own: state of its nodes (random streams, variables without a shared name) goes by the
path of the call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from icefloe import errors
from icefloe.graph import function_graph
from icefloe.graph.graph import Graph
from icefloe.proto import NameAttrList
from icefloe.resources import ResourceManager
from icefloe.runtime import plan
from icefloe.runtime.bind import Scope
from icefloe.runtime.program import Program


class Library:
    """Runs the functions of `graph` on the state in `manager`."""

    def __init__(self, graph: Graph, manager: ResourceManager, engine: str = "auto") -> None:
        self.graph = graph
        self.manager = manager
        self.engine = engine
        self._callees: dict[tuple[bytes, str], Callee] = {}

    def callable(self, function: NameAttrList, path: str) -> Callable[..., list[Any]]:
        """Return `function` as a callable: (values, context of the run) -> values.

        path: that of the call, before the names of the function's nodes.
        """
        key = function.SerializeToString(deterministic=True), path
        found = self._callees.get(key)
        if found is None:
            found = self._callees.setdefault(key, Callee(self, function, path))
        return found


class Callee:
    """A function as one place calls it."""

    def __init__(self, library: Library, function: NameAttrList, path: str) -> None:
        self._library = library
        self._function = function
        self._path = path
        self._program: Program | None = None
        self._order: tuple[int, ...] = ()
        self._arguments = 0
        self._lock = threading.RLock()

    def __call__(self, values: Sequence[Any], context: Any = None) -> list[Any]:
        """Return the function's results for these arguments.

        Raises: NotFoundError if the library has no such function; InvalidArgumentError for another number of arguments;
        what its nodes raise.
        """
        program = self._program or self._prepare()
        if len(values) != self._arguments:
            raise errors.InvalidArgumentError(
                f"function {self._function.name!r} takes {self._arguments} arguments, got {len(values)}"
            )
        results = program.call(values, context)
        return [results[i] for i in self._order]

    def _prepare(self) -> Program:
        with self._lock:
            if self._program is None:
                name, attrs = function_graph.function_attrs(self._function)
                body = function_graph.instantiate(self._library.graph, name, attrs)
                distinct = {id(tensor): tensor for tensor in body.outputs}
                places = {key: i for i, key in enumerate(distinct)}
                self._order = tuple([places[id(tensor)] for tensor in body.outputs])
                self._arguments = len(body.inputs)
                scope = Scope(self._library.manager, self._library, f"{self._path}/")
                built = plan.build(list(distinct.values()), body.must_run, body.inputs)
                self._program = Program(built, scope, self._library.engine)
            return self._program
