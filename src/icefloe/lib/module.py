"""`Module`: an object that owns variables and other modules, found through its attributes.

Source: tensorflow/python/module/module.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from icefloe.graph.default_graph import name_scope
from icefloe.lib.variable import Variable

_F = TypeVar("_F", bound=Callable[..., Any])
_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


class _Scope:
    """A name scope that may be entered several times."""

    def __init__(self, scope: str) -> None:
        self.name = scope
        self._entered: list[contextlib.AbstractContextManager[str]] = []

    def __enter__(self) -> str:
        entered = name_scope(self.name)
        scope = entered.__enter__()
        self._entered.append(entered)
        return scope

    def __exit__(self, *exc_info: Any) -> None:
        self._entered.pop().__exit__(*exc_info)


class Module:
    """Base of objects that own variables, which are found in attributes, also in lists, tuples and dicts.

    name: of its scope; the class's name in snake case if None.

    Raises: ValueError if the name is no identifier.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name; for that of its scope see `name_scope`."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """The name scope of the module, to be entered by `with`, as often as wanted."""
        return _Scope(self._scope_name)

    @classmethod
    def with_name_scope(cls, method: _F) -> _F:
        """Return a method that runs in the name scope of its module."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and those it owns."""
        return tuple(found for found in _flatten(self, set()) if isinstance(found, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are trained."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are not trained."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules that it owns, and those that they own."""
        return tuple(found for found in _flatten(self, set()) if isinstance(found, Module))


def _snake_case(name: str) -> str:
    name = re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name)
    return re.sub(r"_+", "_", name).lower()


def _leaves(value: Any) -> Iterator[Any]:
    """Yield what is in nested lists, tuples and dicts, these by sorted keys where they have an order."""
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _flatten(module: Module, seen: set[int]) -> Iterator[Any]:
    """Yield the variables and modules in a module's attributes, by sorted names, each once; then what those own."""
    seen.add(id(module))
    owned = []
    attributes = vars(module)
    for key in sorted(attributes):
        for leaf in _leaves(attributes[key]):
            if isinstance(leaf, (Variable, Module)) and id(leaf) not in seen:
                seen.add(id(leaf))
                yield leaf
                if isinstance(leaf, Module):
                    owned.append(leaf)
    for inner in owned:
        yield from _flatten(inner, seen)
