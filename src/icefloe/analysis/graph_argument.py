"""What a function that is about a graph takes as one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from google.protobuf.message import Message

from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def as_graph(value: Any, function: str, argument: str) -> Graph:
    """Return the graph that was given: a Graph, or a GraphDef or MetaGraphDef message, TensorFlow's too.

    Raises: TypeError, with what to do, for anything else.
    """
    if isinstance(value, Graph):
        return value
    if isinstance(value, Message) and value.DESCRIPTOR.full_name == "tensorflow.MetaGraphDef":
        from icefloe.saver.meta_graph_bytes import graph_from_meta_graph

        return graph_from_meta_graph(value.SerializeToString(deterministic=True))
    if isinstance(value, Message) and value.DESCRIPTOR.full_name == "tensorflow.GraphDef":
        return read_graph(value)
    text = f"{function}: expected a Graph or GraphDef as {argument!r}, got {type(value).__name__}"
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        text += f"; icefloe.load_graph({value!r}) reads one from a file"
    raise TypeError(text)


def listed(given: Any) -> list[Any]:
    """Return names, tensors or operations as a list; one of them by itself is meant as a list of one, None as none.

    Raises: TypeError, with what is expected, for what is neither.
    """
    if given is None:
        return []
    if isinstance(given, (str, Tensor, Operation)):
        return [given]
    if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
        raise TypeError(f"expected names of tensors, or tensors or operations, got {given!r}")
    return list(given)


def takes_graphs(count: int = 1) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function whose first `count` parameters are graphs, to be given as `as_graph` takes them."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__
        names = code.co_varnames[:count]
        named = function.__name__.removeprefix("graph_")

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given: list[Any] = list(args)
            for place, name in enumerate(names):
                if place < len(given):
                    given[place] = as_graph(given[place], named, name)
                elif name in kwargs:
                    kwargs[name] = as_graph(kwargs[name], named, name)
            return function(*given, **kwargs)

        return called

    return decorate
