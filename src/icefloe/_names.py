"""The public names: which module and attribute each stands for, and how a namespace looks them up when first asked.

`TABLE[namespace][module]`, from `_top_names`, `_space_names`, `_kind_names` and `_layer_names`, is a text of names,
`name` or `name=attribute`; namespace "" is `icefloe` itself. Four modules are not modules:

    op      the attribute is an op's name: a function that adds such a node, with the op's own signature
    proto   a message class
    module  a module below icefloe
    top     the attribute is a name of icefloe itself

`fixtures/make/public_names.py` writes the `.pyi` files from these tables.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any

from icefloe import _kind_names, _layer_names, _space_names, _top_names

TABLE: dict[str, dict[str, str]] = {
    "": _top_names.NAMES,
    **_space_names.NAMES,
    **_kind_names.NAMES,
    **_layer_names.NAMES,
}

_Entry = tuple[str, str]


@functools.cache
def entries(namespace: str) -> dict[str, _Entry]:
    """Return the names of a namespace and, for each, its module and attribute as `TABLE` has them."""
    found: dict[str, _Entry] = {}
    for module, words in TABLE[namespace].items():
        for word in words.split():
            name, _, attribute = word.partition("=")
            if module == "top":
                found[name] = entries("")[attribute or name]
            else:
                found[name] = (module, attribute or name)
    return found


def resolve(namespace: str, name: str, entry: _Entry) -> Any:
    """Return the object that a name stands for, importing its module."""
    module, attribute = entry
    if module == "module":
        return importlib.import_module(f"icefloe.{namespace}.{attribute}" if namespace else f"icefloe.{attribute}")
    from icefloe.lib.linear_operator_dispatch import for_linear_operators
    from icefloe.lib.ragged_dispatch import for_ragged

    if module == "op":
        from icefloe.lib.op_functions import op_function

        made = op_function(attribute, name, f"icefloe.{namespace}" if namespace else "icefloe")
    else:
        made = getattr(importlib.import_module(f"icefloe.{module}"), attribute)
    return for_linear_operators(module, attribute, for_ragged(module, attribute, made))


def _instead(namespace: str, name: str, scope: dict[str, Any]) -> str:
    """Return what there is instead of a name of TensorFlow that is missing; Python itself suggests near names.

    A module that is not imported yet is asked for like a name, and must not wait for advice that no one reads.
    """
    if name.startswith("_") or PathFinder.find_spec(f"{scope['__name__']}.{name}", scope.get("__path__", [])):
        return ""
    text = importlib.import_module("icefloe.scripts.advice").stands_for(f"{namespace}.{name}".lstrip("."))
    return f": {text}" if text else ""


def lazy(namespace: str, scope: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of the module whose globals are `scope`."""

    def get(name: str) -> Any:
        entry = None if name.startswith("__") else entries(namespace).get(name)
        if entry is None:
            raise AttributeError(
                f"module {scope['__name__']!r} has no attribute {name!r}{_instead(namespace, name, scope)}"
            )
        value = scope[name] = resolve(namespace, name, entry)
        return value

    def listing() -> list[str]:
        return sorted({*scope, *entries(namespace)})

    return get, listing, sorted(entries(namespace))
