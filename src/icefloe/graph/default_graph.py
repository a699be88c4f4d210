"""The functions of TensorFlow 1's API that act on the default graph: scopes and collections."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from icefloe.graph.graph import get_default_graph, graph_of_inputs
from icefloe.graph.scopes import ControlDependencies


class name_scope(contextlib.AbstractContextManager[str]):
    """Prefix the names of ops made inside the block; gives the scope with a slash at its end.

    default_name: used where `name` is None. values: the tensors passed to the op; their graph becomes the default one.

    Raises: ValueError, on entering, if there is neither name, or `values` belong to several graphs.
    """

    def __init__(self, name: Any, default_name: str | None = None, values: Iterable[Any] | None = None) -> None:
        if default_name is not None and not isinstance(default_name, str):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass this into "
                "the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values
        self._stack: contextlib.ExitStack | None = None

    @property
    def name(self) -> Any:
        """The name asked for."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError(
                f"At least one of name ({self._name}) and default_name ({self._default_name}) must be provided."
            )
        graph = get_default_graph()
        with contextlib.ExitStack() as stack:
            if self._values and not graph.building_function:
                found = graph_of_inputs(list(self._values))
                if found is not graph:
                    graph = found
                    stack.enter_context(graph.as_default())
            scope = stack.enter_context(graph.name_scope(self._name))
            self._stack = stack.pop_all()
        return scope

    def __exit__(self, *exc_info: Any) -> None:
        assert self._stack is not None
        self._stack.__exit__(*exc_info)


@contextlib.contextmanager
def op_scope(values: Iterable[Any], name: Any, default_name: str | None = None) -> Iterator[str]:
    """Enter `name_scope(name, default_name, values)`, under its old name."""
    warnings.warn(
        "tf.op_scope(values, name, default_name) is deprecated, use tf.name_scope(name, default_name, values)",
        DeprecationWarning,
        stacklevel=3,
    )
    with name_scope(name, default_name=default_name, values=values) as scope:
        yield scope


def control_dependencies(control_inputs: Iterable[Any] | None) -> ControlDependencies:
    """Enter `Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: Any) -> contextlib.AbstractContextManager[None]:
    """Enter `Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> contextlib.AbstractContextManager[str]:
    """Enter `Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def colocate_with(op: Any, ignore_existing: bool = False) -> contextlib.AbstractContextManager[None]:
    """Enter `Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def get_name_scope() -> str:
    """Return the current name scope of the default graph, without a slash at its end."""
    return get_default_graph().get_name_scope()


def add_to_collection(name: Any, value: Any) -> None:
    """Append `value` to collection `name` of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: str | Iterable[Any], value: Any) -> None:
    """Append `value` to each collection of `names` of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Return a copy of collection `key` of the default graph; see `Graph.get_collection`."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """Return the list itself of collection `key` of the default graph."""
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys() -> list[str]:
    """Return the names of the default graph's collections."""
    return get_default_graph().get_all_collection_keys()
