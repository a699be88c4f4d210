"""Python functions that graphs call, by token. The table holds none of them alive: the graph that uses one does."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any


class Callback:
    """A Python function in the table."""

    __slots__ = ("__weakref__", "function", "token")

    def __init__(self, function: Callable[..., Any], token: str) -> None:
        self.function = function
        self.token = token


_callbacks: weakref.WeakValueDictionary[str, Callback] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def register(function: Callable[..., Any]) -> Callback:
    """Return a callback for `function`, under a token of its own; it is known while somebody holds it."""
    made = Callback(function, f"pyfunc_{next(_numbers)}")
    _callbacks[made.token] = made
    return made


def find(token: str) -> Callable[..., Any]:
    """Return the function of a token. Raises: ValueError, in TensorFlow's words, if there is none."""
    found = _callbacks.get(token)
    if found is None:
        raise ValueError(f"Could not find callback with key={token} in the registry.")
    return found.function
