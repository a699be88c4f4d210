"""Python functions that graphs call, by token. The table holds none of them alive: the graph that uses one does."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any


class Callback:
    """A Python function in the table. gradient: what computes its gradients, if there is such."""

    __slots__ = ("__weakref__", "function", "gradient", "token")

    def __init__(self, function: Callable[..., Any], token: str) -> None:
        self.function = function
        self.token = token
        self.gradient: Callback | None = None


_callbacks: weakref.WeakValueDictionary[str, Callback] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def register(function: Callable[..., Any]) -> Callback:
    """Return a callback for `function`, under a token of its own; it is known while somebody holds it."""
    made = Callback(function, f"pyfunc_{next(_numbers)}")
    _callbacks[made.token] = made
    return made


def gradient_of(token: str) -> Callback | None:
    """Return what computes the gradients of the function of a token, or None."""
    found = _callbacks.get(token)
    return None if found is None else found.gradient


# What a function may compute by: sessions and gradients, which are above this module, put themselves here.

_evaluators: list[Callable[[Any, list[Any]], list[Any]]] = []
_differentiators: list[Callable[..., list[Any]]] = []


def provide(*, evaluate: Callable[[Any, list[Any]], list[Any]] | None = None, differentiate: Any | None = None) -> None:
    """Say by what tensors are computed, `(graph, tensors) -> values`, or gradients built, `(ys, xs, grad_ys)`."""
    if evaluate is not None:
        _evaluators[:] = [evaluate]
    if differentiate is not None:
        _differentiators[:] = [differentiate]


def evaluate(graph: Any, tensors: list[Any]) -> list[Any]:
    """Return the values of tensors of `graph`, which has no state."""
    return _evaluators[0](graph, tensors) if tensors else []


def differentiate(ys: list[Any], xs: list[Any], grad_ys: list[Any]) -> list[Any]:
    """Return the gradients of `xs`, as tensors or None."""
    return _differentiators[0](ys, xs, grad_ys)


def find(token: str) -> Callable[..., Any]:
    """Return the function of a token. Raises: ValueError, in TensorFlow's words, if there is none."""
    found = _callbacks.get(token)
    if found is None:
        raise ValueError(f"Could not find callback with key={token} in the registry.")
    return found.function
