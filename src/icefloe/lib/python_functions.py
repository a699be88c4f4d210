"""Python functions as parts of a graph.

Source: tensorflow/python/ops/script_ops.py (names and rules).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from icefloe.datatypes import as_dtype
from icefloe.graph.build import apply_op
from icefloe.graph.func_graph import FunctionBody
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.resources import python_functions

_KEPT = "_python_functions"


def py_func(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """Return what `func` makes of the values of `inp`: a tensor, or a list of them where `Tout` is one.

    func: takes numpy arrays and returns as many as `Tout` has dtypes. It runs in this process, and the graph is of no
    use in another. stateful: whether it may have effects or give other results for the same values.

    Raises: ValueError if `func` is not callable.
    """
    if not callable(func):
        raise ValueError(  # noqa: TRY004 (TensorFlow's class)
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )
    is_many = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(t) for t in (Tout if is_many else [Tout])]
    callback = python_functions.register(func)
    _keep(get_default_graph(), callback)
    op = "PyFunc" if stateful else "PyFuncStateless"
    result = apply_op(op, input=list(inp), token=callback.token, Tout=dtypes, name=name)
    return result if is_many else result[0]


def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True, name: str | None = None
) -> Any:
    """Return what `py_func` does; without `func` and `inp` a decorator that makes a function of tensors.

    Raises: TypeError where an argument is missing.
    """
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'\n  If using `numpy_function` as a decorator, set `Tout`\n  **by name** "
            "above the function:\n  `@numpy_function(Tout=tout)`"
        )
    if func is None:
        if inp is not None:
            raise TypeError("Don't set the `inp` argument when using `numpy_function` as a decorator (`func=None`).")
        return lambda function: _decorated(function, Tout, stateful, name)
    if inp is None:
        raise TypeError(
            "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n  function), "
            "unless you use `numpy_function` as a decorator (`func=None`)."
        )
    return py_func(func, inp, Tout, stateful, name)


def _decorated(function: Callable[..., Any], Tout: Any, stateful: bool, name: str | None) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return py_func(function, args, Tout, stateful, name)

    return call


def _keep(graph: Graph, callback: python_functions.Callback) -> None:
    """Let a callback live as long as the graph around all functions."""
    while isinstance(graph, FunctionBody):
        graph = graph.outer_graph
    kept = graph.__dict__.setdefault(_KEPT, [])
    kept.append(callback)
