"""Python functions as parts of a graph.

Source: tensorflow/python/ops/script_ops.py (names and rules).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import as_dtype
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.func_graph import FunctionBody
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.tensor import Tensor
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


class Value(np.ndarray):
    """An array that a function of `py_function` gets, with the methods that TensorFlow's eager tensors have."""

    def numpy(self) -> Any:
        """Return the array itself, or what a scalar holds."""
        plain = self.view(np.ndarray)
        return plain[()] if plain.ndim == 0 else plain


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Return what `func` makes of the values of `inp`: a tensor, or a list of them where `Tout` is one.

    func: takes arrays, which have a method `numpy()`, and may compute by numpy or by functions of icefloe; tensors that
    it returns are computed when it does. Without `func` and `inp` a decorator. There is a gradient where all of it is
    computed by functions of icefloe; variables of the graph cannot be used inside.

    Raises: TypeError where an argument is missing.
    """
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'\n  If using tf.py_function as a decorator, set `Tout`\n  **by name** "
            "above the function:\n  `@tf.py_function(Tout=tout)`"
        )
    if func is None:
        if inp is not None:
            raise TypeError("Don't set the `inp` argument when using `py_function` as a decorator (`func=None`).")

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def call(*args: Any) -> Any:
                return py_function(function, args, Tout, name)

            return call

        return decorator
    if inp is None:
        raise TypeError(
            "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n  function), "
            "unless you use `tf.py_function` as a decorator(`func=None`)."
        )
    is_many = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(t) for t in (Tout if is_many else [Tout])]
    inputs = [convert_to_tensor(x) for x in inp]
    forward, backward = _EagerCall(func, dtypes), _EagerGradient(func, [x.dtype for x in inputs])
    callback = python_functions.register(forward)
    callback.gradient = python_functions.register(backward)
    _keep(get_default_graph(), callback)
    result = apply_op("EagerPyFunc", input=inputs, token=callback.token, is_async=False, Tout=dtypes, name=name)
    made: Any = result if is_many else result[0] if dtypes else result
    return made


class _EagerCall:
    """Calls a function with arrays, in a graph of its own, and computes the tensors that it returns."""

    def __init__(self, func: Callable[..., Any], dtypes: Sequence[Any]) -> None:
        self.func, self.dtypes = func, dtypes

    def __call__(self, *values: Any) -> list[Any]:
        with Graph().as_default() as graph:
            returned = self.func(*(_as_value(value) for value in values))
            if returned is None:
                return []
            results = list(returned) if isinstance(returned, (list, tuple)) else [returned]
            tensors = [i for i, result in enumerate(results) if isinstance(result, Tensor)]
            computed = python_functions.evaluate(graph, [results[i] for i in tensors])
        for i, value in zip(tensors, computed):
            results[i] = value
        return [
            value if dtype.name in ("string", "resource", "variant") else np.asarray(value, dtype.as_numpy_dtype)
            for value, dtype in zip(results, self.dtypes)
        ]


class _EagerGradient:
    """Computes a function's gradients from its arguments and the gradients of its results, by building it again."""

    def __init__(self, func: Callable[..., Any], dtypes: Sequence[Any]) -> None:
        self.func, self.dtypes = func, dtypes

    def __call__(self, *values: Any) -> list[Any]:
        count = len(self.dtypes)
        with Graph().as_default() as graph:
            inputs = [convert_to_tensor(value, dtype) for value, dtype in zip(values, self.dtypes)]
            try:
                returned = self.func(*inputs)
            except (AttributeError, TypeError) as error:
                raise errors.UnimplementedError(
                    f"the gradient of py_function: its function does not work on tensors: {error}",
                    hint="compute by functions of icefloe, not by numpy, and without numpy()",
                ) from error
            results = list(returned) if isinstance(returned, (list, tuple)) else [returned]
            pairs = [(y, dy) for y, dy in zip(results, values[count:]) if isinstance(y, Tensor)]
            if not pairs:
                raise errors.UnimplementedError(
                    "the gradient of py_function: the function returns no tensor, so what it computes has no gradient",
                    hint="compute by functions of icefloe, not by numpy",
                )
            made = python_functions.differentiate([y for y, _ in pairs], inputs, [dy for _, dy in pairs])
            known = [i for i, grad in enumerate(made) if grad is not None]
            computed = python_functions.evaluate(graph, [convert_to_tensor(made[i]) for i in known])
        found = dict(zip(known, computed))
        return [found[i] if i in found else np.zeros_like(np.asarray(values[i])) for i in range(count)]


def _as_value(value: Any) -> Any:
    return np.asarray(value).view(Value)


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
