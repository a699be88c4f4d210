"""Modules named `tensorflow...` whose names are icefloe's, and the finder that makes them when they are imported.

`install()` puts the finder first on `sys.meta_path`: from then on a TensorFlow that is installed is never imported. The
modules are of their own and hold no objects of their own; icefloe's modules stay as they are.

    tensorflow, tensorflow.compat.v1          the public names, and public namespaces as modules below
    tensorflow.python.<package>.<module>      what `names.internal` finds
    tensorflow.core.<package>.<name>_pb2      message classes; some are below tensorflow.python
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from icefloe.scripts import advice, names

_CORE = re.compile(r"core|core(\.[a-z_]+)+|(core|python)(\.[a-z_]+)*\.\w+_pb2")
# Top-level names by which a module of TensorFlow says what it is.
_OWN = ("__version__", "__git_version__", "__compiler_version__", "__all__")


def kind_of(path: str) -> str | None:
    """Return what a module's name below `tensorflow` stands for, or None if there is no such module.

    path: without the leading `tensorflow.`; "" is `tensorflow` itself.
    """
    if names.namespace_module(path) is not None:
        return "public"
    if path == "python" or (path.startswith("python.") and names.is_module(path.removeprefix("python."))):
        return "internal"
    return "messages" if _CORE.fullmatch(path) else None


class Facade(ModuleType):
    """A module of TensorFlow as icefloe has it. A name is looked up when first asked for.

    Raises: AttributeError that says what there is instead of a missing name.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in _OWN:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = self.__name__.partition(".")[2]
        try:
            value = _find(path, name)
        except AttributeError:
            whole = f"{path}.{name}".lstrip(".")
            text = f"module {self.__name__!r} has no attribute {name!r} in icefloe: {advice.for_name(whole)}"
            raise AttributeError(text, name=name, obj=self) from None
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        path = self.__name__.partition(".")[2]
        kind = kind_of(path)
        if kind == "public":
            module = names.namespace_module(path)
            assert module is not None
            return sorted({*vars(self), *dir(importlib.import_module(module))})
        return sorted({*vars(self), *names.listed().get(path.removeprefix("python."), ())})


def _find(path: str, name: str) -> Any:
    """Return the object of a name of the module `path`. Raises: AttributeError if icefloe has none."""
    below = f"{path}.{name}".lstrip(".")
    if not name.startswith("_") and kind_of(below) is not None and not _is_object(path, name):
        return importlib.import_module(f"tensorflow.{below}")
    kind = kind_of(path)
    if kind == "public":
        return _public(path, name)
    if kind == "internal":
        return names.internal(path.removeprefix("python").lstrip("."), name)
    from icefloe import proto

    return getattr(proto, name)


def _is_object(path: str, name: str) -> bool:
    """Whether a module of TensorFlow has an object by the name of a module below it."""
    return path.startswith("python.") and name in names.listed().get(path.removeprefix("python."), ())


def _public(path: str, name: str) -> Any:
    if name in ("__version__", "__git_version__", "__compiler_version__"):
        if path not in ("", "compat.v1"):
            raise AttributeError(name)
        return names.public(name.strip("_").upper())
    if name == "__all__":
        module = names.namespace_module(path)
        assert module is not None
        return list(importlib.import_module(module).__all__)
    return names.public(f"{path}.{name}".removeprefix("compat.v1.").lstrip("."))


class _Finder(MetaPathFinder, Loader):
    """Finds every module called `tensorflow` and those below it, and no other finder does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top, _, below = fullname.partition(".")
        if top != "tensorflow" or kind_of(below) is None:
            return None  # modules below are looked for in the facade's `__path__`, which is empty
        return ModuleSpec(fullname, self, origin="icefloe", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Facade(spec.name, "TensorFlow's names, as icefloe has them.")

    def exec_module(self, module: ModuleType) -> None:
        if names.namespace_module(module.__name__.partition(".")[2]) == "icefloe":
            import icefloe

            module.__file__ = icefloe.__file__


_FINDER = _Finder()


def install() -> None:
    """Answer imports of TensorFlow with icefloe's names from now on. What is imported of a real one is put away."""
    if _FINDER in sys.meta_path:
        return
    sys.meta_path.insert(0, _FINDER)
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name == "tensorflow" or name.startswith("tensorflow.")]:
        del sys.modules[name]
