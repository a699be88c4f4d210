"""`tf.test.StubOutForTesting`: attributes that are others for the time of a test."""

from __future__ import annotations

import inspect
from typing import Any


class StubOutForTesting:
    """Replaces attributes of modules, classes and objects, and puts the former ones back: by hand or as a context."""

    def __init__(self) -> None:
        self._smart: list[tuple[Any, str, Any]] = []
        self._plain: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Put all back that was there before."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replace an attribute where it is looked up: in an object's class, the one that `obj` has it from.

        Raises: AttributeError if there is none of this name.
        """
        place = obj
        if not (inspect.ismodule(obj) or (not inspect.isclass(obj) and attr_name in vars(obj))):
            if not hasattr(obj, attr_name):
                raise AttributeError("Attribute not found.")
            place = obj if inspect.isclass(obj) else type(obj)
        self._smart.append((place, attr_name, _former(place, attr_name)))
        setattr(place, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Put back what `SmartSet` replaced."""
        _put_back(self._smart)

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute of `parent` itself. Raises: AttributeError if there is none of this name."""
        self._plain.append((parent, child_name, _former(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Put back what `Set` replaced."""
        _put_back(self._plain)


_ABSENT = object()


def _former(place: Any, name: str) -> Any:
    """Return what to put back: a static or class method as such, and nothing at all where a base has the attribute."""
    getattr(place, name)
    return vars(place).get(name, _ABSENT)


def _put_back(replaced: list[tuple[Any, str, Any]]) -> None:
    while replaced:
        place, name, former = replaced.pop()
        if former is _ABSENT:
            delattr(place, name)
        else:
            setattr(place, name, former)
