"""The functions of a graph's library, as callables for the kernels that call them.

A function is instantiated, planned and bound when it is first called, so that recursion ends where calls do. Each place
that calls it has a body of its own: state of its nodes (random streams, variables without a shared name) goes by the
path of the call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from icefloe import errors
from icefloe.graph import registry
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import NameAttrList
from icefloe.resources import ResourceManager
from icefloe.runtime import keeping, plan
from icefloe.runtime.bind import Scope
from icefloe.runtime.program import Program

if TYPE_CHECKING:
    from icefloe.graph import function_graph
    from icefloe.runtime.function_loops import Built


class Library:
    """Runs the functions of `graph` on the state in `manager`."""

    def __init__(self, graph: Graph, manager: ResourceManager, engine: str = "auto", *, protects: bool = False) -> None:
        """engine: as in `Program`. protects: give kernels inputs that they cannot write to; see `aliasing`."""
        self.protects = protects
        self.graph = graph
        self.manager = manager
        self.engine = engine
        self._callees: dict[tuple[bytes, str, tuple[bool, ...] | None, bool], Callee] = {}
        self._may_wait: dict[bytes, bool] = {}
        self._makes_variants: dict[tuple[str, ...], bool] = {}

    def callable(
        self, function: NameAttrList, path: str, wanted: tuple[bool, ...] | None = None, *, lowered: bool = False
    ) -> Callable[..., list[Any]]:
        """Return `function` as a callable; see `bind.Functions`."""
        key = function.SerializeToString(deterministic=True), path, wanted, lowered
        found = self._callees.get(key)
        if found is None:
            found = self._callees.setdefault(key, Callee(self, function, path, wanted, lowered))
        return found

    def loop(self, op: Operation, condition: Any, body: Any) -> Callable[..., tuple[Any, ...]]:
        """Return the kernel of a loop over callables of this library; see `bind.Functions`."""
        from icefloe.runtime.function_loops import FunctionLoop

        return FunctionLoop(op, condition, body, self.engine)

    def may_wait(self, function: NameAttrList) -> bool:
        """Return whether a node of `function`, or of what that calls, may have to wait for another step or thread."""
        key = function.SerializeToString(deterministic=True)
        found = self._may_wait.get(key)
        if found is None:
            found = self._may_wait[key] = any(map(_waits, self._ops_below(function)))
        return found

    def makes_variants(self, function: NameAttrList) -> bool:
        """Return whether a node of `function`, or of what that calls, makes lists, datasets or other variants."""
        key = function.name, *_named(function.attr)
        found = self._makes_variants.get(key)
        if found is None:
            found = self._makes_variants[key] = any(map(keeping.makes_variants, self._ops_below(function)))
        return found

    def _ops_below(self, function: NameAttrList) -> Iterator[str]:
        """Yield the op types in the bodies that a call of `function` may run."""
        left = [function.name, *_named(function.attr)]
        seen: set[str] = set()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            body = self.graph.functions.get(name)
            if body is None:
                yield name
                continue
            for node in body.node_def:
                left.append(node.op)
                left += _named(node.attr)


def _named(attrs: Mapping[str, Any]) -> list[str]:
    """Return the names of the functions in attrs."""
    return [f.name for value in attrs.values() for f in (value.func, *value.list.func) if f.name]


def _keeps_state(op_type: str) -> bool:
    """Return whether a node of this type has something of its own from call to call, such as a random stream."""
    kernel = registry.find_kernel(op_type)
    return kernel is not None and "manager" in kernel.attrs and "node" in kernel.attrs


def _waits(op_type: str) -> bool:
    kernel = registry.find_kernel(op_type)
    return kernel is not None and (kernel.waits or kernel.blocks)


class Callee:
    """A function as one place calls it."""

    def __init__(
        self, library: Library, function: NameAttrList, path: str, wanted: tuple[bool, ...] | None, lowered: bool
    ) -> None:
        self._library = library
        self._function = function
        self._path = path
        self._wanted = wanted
        self._lowered = lowered
        self._program: Program | None = None
        self._built: Built | None = None
        # For each result its place among the program's, or None where it is not wanted.
        self._order: tuple[int | None, ...] = ()
        self._is_direct = False
        self._arguments = 0
        self._keeps: bool | None = None
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
        if self._is_direct:
            return results
        return [None if i is None else results[i] for i in self._order]

    @property
    def definition(self) -> tuple[NameAttrList, Graph]:
        """The function's name and attrs, and the graph whose library has it."""
        return self._function, self._library.graph

    def separate(self, forks: dict[int, Any]) -> Callee:
        """Return this function with streams and states of its nodes that are shared with what `forks` was given to.

        forks: empty at first. A function whose nodes keep nothing from call to call is returned as it is.
        """
        library = self._library
        if self._keeps is None:
            self._keeps = any(map(_keeps_state, library._ops_below(self._function)))
        if not self._keeps:
            return self
        fork = forks.get(id(library))
        if fork is None:
            fork = forks[id(library)] = Library(
                library.graph, library.manager.fork(), library.engine, protects=library.protects
            )
        name = self._function.name
        made = fork.callable(self._function, name, self._wanted, lowered=self._lowered)
        assert isinstance(made, Callee)
        return made

    def _prepare(self) -> Program:
        with self._lock:
            if self._program is None:
                built = self.built()
                self._order = built.order
                self._is_direct = built.order == tuple(range(len(built.plan.fetches)))
                self._arguments = len(built.plan.feeds)
                self._program = Program(built.plan, built.scope, self._library.engine)
            return self._program

    def built(self) -> Built:
        """Return the plan of a call. Raises: as `__call__`."""
        with self._lock:
            if self._built is None:
                from icefloe.runtime.function_loops import Built
                from icefloe.runtime.gradient_calls import body_of

                body = body_of(self._library.graph, self._function)
                wanted = self._wanted or (True,) * len(body.outputs)
                distinct = {id(tensor): tensor for tensor, keep in zip(body.outputs, wanted) if keep}
                places = {key: i for i, key in enumerate(distinct)}
                order = tuple([places[id(tensor)] if keep else None for tensor, keep in zip(body.outputs, wanted)])
                scope = Scope(self._library.manager, self._library, f"{self._path}/")
                made = plan.build(list(distinct.values()), self._targets(body), body.inputs)
                self._built = Built(made, scope, order)
            return self._built

    def _targets(self, body: function_graph.FunctionBody) -> list[Operation]:
        if not self._lowered:
            return list(body.must_run)
        controls = set(self._library.graph.functions[body.name].control_ret.values())
        return [op for op in body.must_run if op.name in controls]


def evaluate(graph: Graph, fetches: Sequence[Tensor], manager: ResourceManager, context: Any) -> list[Any]:
    """Return the values of tensors of `graph` on the resources in `manager`; its nodes' streams are its own."""
    manager = manager.fork()
    scope = Scope(manager, Library(graph, manager))
    return Program(plan.build(list(fetches), [], []), scope).call([], context)
