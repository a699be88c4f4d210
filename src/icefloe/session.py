"""`Session`: runs a graph and owns its state.

    with icefloe.Session(graph=g) as sess:
        y = sess.run("y:0", {"x:0": [1.0, 2.0]})

A session plans each set of fetches and feeds once and keeps the plan. It may be used from several threads, also while
other runs are under way; no lock is held while ops run. It neither pickles nor survives `fork`: a child process makes a
session of its own.

Source: tensorflow/python/client/session.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from icefloe import errors, stacks
from icefloe.graph import collector
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.resources import ResourceManager, python_functions
from icefloe.resources.manager import DEFAULT_CONTAINER
from icefloe.runtime import feeds, plan
from icefloe.runtime.bind import Scope
from icefloe.runtime.cache import Cache
from icefloe.runtime.context import RunContext, Sleepers
from icefloe.runtime.devices import DeviceAttributes as DeviceAttributes
from icefloe.runtime.fetches import Structure
from icefloe.runtime.fetches import (
    register_session_run_conversion_functions as register_session_run_conversion_functions,
)
from icefloe.runtime.functions import Library
from icefloe.runtime.handles import Partial, PartialHandle
from icefloe.runtime.observing import Observer
from icefloe.runtime.program import Program
from icefloe.runtime.settings import Config as Config
from icefloe.runtime.settings import checked_config, checked_target, unknown_target

if TYPE_CHECKING:
    from icefloe.runtime import partial, watching
    from icefloe.runtime.servers import LocalServer

# Plans kept, and how many steps they may have in all.
_MAX_PLANS = 500
_MAX_STEPS = 2_000_000
_MAX_STRUCTURES = 1000

_forks = itertools.count(1)
_generation = 0


def _count_fork() -> None:
    global _generation
    _generation = next(_forks)


os.register_at_fork(after_in_child=_count_fork)


class BaseSession:
    """What `Session` and `InteractiveSession` have in common."""

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        """target: empty, or that of a `train.Server`, whose resources the session then shares.
        graph: the default graph if None. config: a `Config`, a ConfigProto, or None: that of the server.

        Raises: TypeError in TensorFlow's words for arguments of another type; NotFoundError for another target.
        """
        self._closed = True  # until everything below is there
        if graph is None:
            graph = get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._target = checked_target(target)
        self._settings, self._add_shapes = checked_config(config)
        self._graph = graph
        self._server = _server(self._target)
        if self._server is not None:
            if config is None:
                self._settings = self._server.settings
            self._manager = self._server.manager.with_files(self._settings.files, self._settings.allow_files)
        elif self._target in (b"", b"local"):
            self._manager = ResourceManager(self._settings.files, self._settings.allow_files)
        else:
            raise unknown_target(self._target)
        self._manager.seed = self._settings.seed
        self._library = Library(graph, self._manager, self._settings.engine, protects=self._settings.debug_aliasing)
        self._scope = Scope(self._manager, self._library, threads=self._settings.intra_op_parallelism_threads)
        self._programs: Cache[Program] = Cache(_MAX_PLANS, _MAX_STEPS)
        self._partial_plans: Cache[partial.PartialPlan] = Cache(_MAX_PLANS, _MAX_STEPS)
        self._partial_runs: weakref.WeakValueDictionary[str, PartialHandle] = weakref.WeakValueDictionary()
        self._partial_count = itertools.count()
        self._sleepers = Sleepers()
        self._structures: dict[Any, tuple[Any, Structure]] = {}
        self._generation = _generation
        self._closed = False

    def __repr__(self) -> str:
        name = f"icefloe.{type(self).__name__}"
        return f"<{name}, closed>" if self._closed else f"<{name} of {self._graph!r}>"

    @property
    def graph(self) -> Graph:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def(add_shapes=self._add_shapes)

    @property
    def sess_str(self) -> bytes:
        """The target: empty, or that of a server."""
        return self._target

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices: one CPU, or as many as the config says."""
        return [
            DeviceAttributes(f"/job:localhost/replica:0/task:0/device:CPU:{i}", "CPU", 0, i + 1)
            for i in range(self._settings.cpu_devices)
        ]

    def as_default(self) -> contextlib.AbstractContextManager[Any]:
        """Make this the default session of the thread inside a `with` block; it stays open afterwards."""
        return stacks.SESSIONS.using(self)

    def close(self) -> None:
        """Release variables, other resources and unfinished partial runs. Runs under way may still finish.

        A server's resources stay.
        """
        if self._closed:
            return
        self._closed = True
        self._sleepers.wake()
        for handle in list(self._partial_runs.values()):
            handle.run.release()
        self._programs.clear()
        self._partial_plans.clear()
        self._structures.clear()
        if self._server is None:
            self._manager.clear()

    def run(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Run what `fetches` needs, each op once, and return the values in the structure of `fetches`.

        fetches: a tensor, an operation (its value is None), the name of one, a variable, or any nesting of lists,
        tuples, namedtuples, dicts, attrs classes and dataclasses of these.
        feed_dict: values to use instead of tensors' own: tensor, tensor name or SparseTensor -> value.
        options: a RunOptions message; its `timeout_in_ms` bounds how long the run may take.
        run_metadata: a RunMetadata message, which is filled with what `options` and the session's config ask for.

        Values are numpy arrays of the caller's own, numpy scalars for rank 0, bytes for a scalar string.

        Raises: RuntimeError if the session is closed; TypeError, ValueError for fetches and feeds that make no sense;
        OpError subclasses for what goes wrong in the run.
        """
        self._check_usable()
        if feed_dict:
            fed, values = feeds.expand(self._graph, _checked_feed_dict(feed_dict))
        else:
            fed, values = [], []
        run_metadata = run_metadata or None
        if run_metadata is not None and not hasattr(run_metadata, "step_stats"):
            got = type(run_metadata).__name__
            raise TypeError(f"Argument `run_metadata` must be a RunMetadata message, but got {got!r}")
        structure = self._structure(fetches)
        if not structure.elements:
            return structure.rebuild(())
        program = self._program(structure, fed)
        if run_metadata is None and not self._settings.check_numerics:
            return structure.rebuild(program.run(values, self._context(options)))
        from icefloe.runtime import watching

        run = watching.run(program, values, self._context, options, run_metadata, self._settings)
        return structure.rebuild(run)

    def trace(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None
    ) -> Generator[tuple[str, list[Any], float], None, Any]:
        """Run `fetches` step by step: yield the name of each node that has run, its outputs' values, and the seconds.

        Nodes run as they stand in the graph, those of loops in each iteration, those of functions under the path of
        their call. The run goes on only as far as the generator is asked for more; it returns what `run` does. Values
        are the caller's own; that of an output in the branch not taken is None.

        Raises: as `run`, here or from the generator.
        """
        self._check_usable()
        fed, values = feeds.expand(self._graph, _checked_feed_dict(feed_dict or {}))
        structure = self._structure(fetches)
        program = self._program(structure, fed)
        from icefloe.runtime import watching

        return watching.trace(program, values, self._context, options, structure.rebuild)

    def explain(self, fetches: Any, feeds: Any = None) -> str:
        """Return as text what running `fetches` takes: the nodes in order, and those that do not run at all.

        feeds: the keys to be fed, or a `feed_dict`; placeholders that are needed besides count as fed. Nothing runs.

        Raises: as `run`.
        """
        from icefloe.runtime import explaining

        self._check_usable()
        keys = feeds_of(self._graph, list(feeds) if isinstance(feeds, Mapping) else feeds)
        structure = self._structure(fetches)
        keys += explaining.placeholders(structure.tensors, structure.targets, keys)
        return explaining.explain(self._program(structure, keys))

    def stats(self) -> watching.SessionStats:
        """Return how many plans the session holds, how often they were used, and the bytes of its variables."""
        from icefloe.runtime import watching

        partial_runs = [handle.run for handle in list(self._partial_runs.values())]
        return watching.session_stats(self._programs, self._partial_plans, partial_runs, self._manager)

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Return a function that runs `fetches` with its arguments as values for the keys in `feed_list`.

        Its plan is made and compiled now. accept_options: let the function take `options` and `run_metadata`.

        Raises: TypeError if `feed_list` is no list; what `run` raises for the fetches. A call raises what `run` does.
        """
        self._check_usable()
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")
        keys = list(feed_list or ())
        structure = self._structure(fetches)
        if all(isinstance(key, Tensor) and key.graph is self._graph for key in keys) and structure.elements:
            # What is wrong with it a call tells, as in TensorFlow: one that is never made does no harm.
            with contextlib.suppress(errors.OpError):
                self._program(structure, keys).compile()

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            return self.run(fetches, dict(zip(keys, values)), options, run_metadata)

        if accept_options:
            return call
        return lambda *values: call(*values)

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., list[Any]]:
        """Return a function of values for the `feed` names of a CallableOptions, which returns those of its `fetch`."""
        options = callable_options
        fetches = [*options.fetch, *[self._graph.get_operation_by_name(name) for name in options.target]]
        call = self.make_callable(fetches, list(options.feed), accept_options=True)
        count = len(options.fetch)

        def run(*values: Any, run_metadata: Any = None) -> list[Any]:
            found: list[Any] = call(*values, options=options.run_options, run_metadata=run_metadata)
            return found[:count]

        return run

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> PartialHandle:
        """Return a handle for running `fetches` in parts by `partial_run`.

        feeds: the tensors to be fed in some part; all else that is fed must be known now.

        Raises: as `run`; InvalidArgumentError if there is nothing to fetch.
        """
        from icefloe.runtime import partial

        self._check_usable()
        keys = feeds_of(self._graph, feeds)
        structure = self._structure(fetches)
        if not structure.elements:
            raise errors.InvalidArgumentError("Must specify at least one target to fetch or execute.")
        key = self._key(structure, keys)
        shared = self._partial_plans.get(
            key,
            lambda: partial.PartialPlan(
                plan.build(structure.tensors, structure.targets, keys),
                self._scope,
                node_by_node=self._settings.check_numerics,
            ),
            lambda made: len(made.plan.steps),
        )
        names = [",".join(e.name for e in part) for part in (keys, structure.tensors, structure.targets)]
        handle = PartialHandle(f"{names[0]}->{names[1]}/{names[2]}/1/;{next(self._partial_count)}")
        handle.run = partial.PartialRun(shared)
        self._partial_runs[str(handle)] = handle
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Feed and fetch a part of what `partial_run_setup` declared and return the values as `run` does.

        Each op runs once per handle, as soon as the feeds it depends on are there.

        Raises: InvalidArgumentError for a feed or fetch that was not declared, comes twice or too early, and for a
        handle that is used up or not of this session. After such a refusal the handle is as before.
        """
        self._check_usable()
        if feed_dict:
            fed, values = feeds.expand(self._graph, _checked_feed_dict(feed_dict))
        else:
            fed, values = [], []
        structure = self._structure(fetches)
        known = self._partial_runs.get(handle) if isinstance(handle, str) else None
        if known is None:
            from icefloe.runtime import partial

            raise errors.InvalidArgumentError(partial.UNKNOWN_HANDLE)
        if not structure.elements and not fed:
            return structure.rebuild(())
        observer = None
        if self._settings.check_numerics:
            from icefloe.runtime.numerics import NumericsCheck

            observer = NumericsCheck()
        return structure.rebuild(known.run.step(structure.elements, fed, values, self._context(None, observer)))

    def partial(self, fetches: Any, feeds: Any = None) -> Partial:
        """Return a context manager for a partial run, which is released at the end of the block."""
        return Partial(self, self.partial_run_setup(fetches, feeds))

    def _context(self, options: Any, observer: Observer | None = None) -> RunContext:
        timeout = self._settings.operation_timeout_in_ms
        if options:  # as in TensorFlow anything that is false is none
            asked = getattr(options, "timeout_in_ms", None)
            if asked is None:
                raise TypeError(f"Argument `options` must be a RunOptions message, but got {type(options).__name__!r}")
            timeout = asked if asked > 0 else timeout
        deadline = time.monotonic() + timeout / 1000 if timeout > 0 else None
        return RunContext(self, self._is_closed, deadline, self._sleepers, observer)

    def _is_closed(self) -> bool:
        return self._closed

    def _check_usable(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._generation != _generation:
            raise RuntimeError("This Session belongs to the parent process: make one in the child after fork().")
        if not self._graph.node_count:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")

    def _structure(self, fetches: Any) -> Structure:
        kind = type(fetches)
        key: Any
        if kind is Tensor or kind is Operation:
            key = id(fetches)
        elif kind is str:
            key = fetches
        elif (kind is list or kind is tuple) and all(type(f) is Tensor or type(f) is Operation for f in fetches):
            key = (kind, *map(id, fetches))
        else:
            return Structure(self._graph, fetches, self)
        known = self._structures.get(key)
        if known is not None:
            return known[1]
        made = Structure(self._graph, fetches, self)
        if len(self._structures) >= _MAX_STRUCTURES:
            self._structures.clear()
        # The fetches are kept too, so that no other object can get their ids.
        self._structures[key] = tuple(fetches) if kind is list else fetches, made
        return made

    def _key(self, structure: Structure, fed: Sequence[Tensor]) -> tuple[Any, ...]:
        # The plan keeps these tensors and operations, so that no other object can get their ids.
        return (tuple(map(id, structure.elements)), tuple(map(id, fed)), self._graph.mutations)

    def _program(self, structure: Structure, fed: Sequence[Tensor]) -> Program:
        def make() -> Program:
            with collector.paused():
                made = plan.build(structure.tensors, structure.targets, fed)
                return Program(made, self._scope, self._settings.engine)

        return self._programs.get(self._key(structure, fed), make, lambda made: len(made.plan.steps))

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: it holds state and functions; pickle its graph")


feeds_of = feeds.keys_of


def _server(target: bytes) -> LocalServer | None:
    if not target:
        return None
    from icefloe.runtime import servers

    return servers.find(target)


class Session(BaseSession):
    """A class for running operations of a graph, which owns variables and other state.

    Used in a `with` block it and its graph are the defaults there, and it is closed at the end.
    """

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        """target: empty, or that of a `train.Server`. graph: the default graph if None.
        config: a `Config`, a ConfigProto, or None.
        """
        super().__init__(target, graph, config)
        self._entered: contextlib.ExitStack | None = None

    def __enter__(self) -> Session:
        if self._entered is not None:
            raise RuntimeError(
                "Session context managers are not re-entrant. "
                "Use `Session.as_default()` if you want to enter a session multiple times."
            )
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._graph.as_default())
            stack.enter_context(self.as_default())
            self._entered = stack.pop_all()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        entered, self._entered = self._entered, None
        try:
            if entered is not None:
                entered.__exit__(*exc_info)
        finally:
            self.close()

    @staticmethod
    def reset(target: Any, containers: Sequence[str] | None = None, config: Any = None) -> None:
        """Empty the containers, by default the default one, of the server `target`.

        Raises: NotFoundError if there is no such server; without target nothing is done: sessions own their containers.
        """
        name = checked_target(target)
        server = _server(name)
        if server is not None:
            for container in containers or (DEFAULT_CONTAINER,):
                server.manager.clear(container)
        elif name not in (b"", b"local"):
            raise unknown_target(name)


class InteractiveSession(BaseSession):
    """A session that is the default from its construction until `close`."""

    _active_session_count = 0
    _lock = threading.Lock()

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        """target: empty, or that of a `train.Server`. graph: the default graph if None.
        config: a `Config`, a ConfigProto, or None.
        """
        super().__init__(target, graph, config)
        with InteractiveSession._lock:
            if InteractiveSession._active_session_count > 0:
                import logging

                logging.getLogger("icefloe").error(
                    "An interactive session is already active. This can cause out-of-memory errors or some other "
                    "unexpected errors (due to the unpredictable timing of garbage collection) in some cases. You must "
                    "explicitly call `InteractiveSession.close()` to release resources held by the other session(s). "
                    "Please use `tf.Session()` if you intend to productionize."
                )
            InteractiveSession._active_session_count += 1
        stacks.SESSIONS.push(self)
        self._explicit_graph = graph
        if graph is not None:
            stacks.GRAPHS.push(graph)

    def close(self) -> None:
        """Close the session; it is no default any more."""
        if self._closed:
            return
        super().close()
        with InteractiveSession._lock:
            InteractiveSession._active_session_count -= 1
        # Others may have been pushed since; taking this one out does not ask for nesting.
        _take_out(stacks.SESSIONS, self)
        if self._explicit_graph is not None:
            _take_out(stacks.GRAPHS, self._explicit_graph)

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()


def _take_out(stack: stacks.DefaultStack[Any], item: object) -> None:
    for i in range(len(stack.stack) - 1, -1, -1):
        if stack.stack[i] is item:
            del stack.stack[i]
            return


def get_default_session() -> Any:
    """Return the default session of the thread, or None."""
    return stacks.SESSIONS.top()


def _checked_feed_dict(feed_dict: Any) -> Mapping[Any, Any]:
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"Argument `feed_dict` must be a dictionary, but got {type(feed_dict).__name__!r}")
    return feed_dict


def _evaluate(graph: Graph, tensors: list[Tensor]) -> list[Any]:
    with Session(graph=graph) as session:
        return list(session.run(tensors))


python_functions.provide(evaluate=_evaluate)
