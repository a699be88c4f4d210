"""Names: what may be one, scopes that prefix them, and how a name that is taken gets a number."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from typing import Any

VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class ThreadState(threading.local):
    """What each thread that builds a graph has of its own."""

    name_stack = ""
    variable_creators: tuple[Any, ...] = ()


class NameScopes:
    """The part of a Graph that gives out names.

    Names differ by more than case: `A` after `a` becomes `A_1`, so that they could be files of a file system that
    ignores case.
    """

    _thread_local: ThreadState
    _lock: threading.RLock
    _names: dict[str, int] | None
    _by_name: dict[str, Any]

    def _names_in_use_map(self) -> dict[str, int]:
        """Return how often each name, in lower case, was asked for; gathered late for a graph from a file."""
        if self._names is None:
            self._names = dict.fromkeys((name.lower() for name in self._by_name), 1)
        return self._names

    @property
    def _names_in_use(self) -> dict[str, int]:
        return self._names_in_use_map()

    @property
    def _name_stack(self) -> str:
        return self._thread_local.name_stack

    @_name_stack.setter
    def _name_stack(self, value: str) -> None:
        self._thread_local.name_stack = value

    def get_name_scope(self) -> str:
        """Return the current name scope, without a slash at its end; empty at the root."""
        return self._thread_local.name_stack

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return `name` in the current scope, with `_1`, `_2`, ... where it is taken.

        mark_as_used: with False, only say what the name would be.
        """
        stack = self._thread_local.name_stack
        if stack:
            name = f"{stack}/{name}"
        with self._lock:
            return self._numbered(name, mark_as_used)

    def _numbered(self, name: str, mark_as_used: bool) -> str:
        names = self._names_in_use_map()
        key = name.lower()
        count = names.get(key, 0)
        if mark_as_used:
            names[key] = count + 1
        if not count:
            return name
        numbered = key
        while numbered in names:
            numbered = f"{key}_{count}"
            count += 1
        if mark_as_used:
            # The next one starts counting here, so that n equal names take n steps, not n².
            names[key] = count
            names[numbered] = 1
        return f"{name}_{count - 1}"

    def _enter_scope(self, name: Any) -> tuple[str, str]:
        """Return (scope without slash, scope as `name_scope` gives it) of a scope to enter. Raises: ValueError."""
        if not name:
            return "", ""
        if isinstance(name, bytes):
            name = name.decode()
        if self._thread_local.name_stack:
            if not VALID_SCOPE_NAME.match(name):
                raise ValueError(
                    f"'{name}' is not a valid scope name. A scope name has to match the following pattern: "
                    f"{VALID_SCOPE_NAME.pattern}"
                )
        elif not VALID_OP_NAME.match(name):
            raise ValueError(
                f"'{name}' is not a valid root scope name. A root scope name has to match the following pattern: "
                f"{VALID_OP_NAME.pattern}"
            )
        if name[-1] == "/":
            return name[:-1], name
        scope = self.unique_name(name)
        return scope, scope + "/"

    @contextlib.contextmanager
    def name_scope(self, name: Any) -> Iterator[str]:
        """Prefix the names of ops made inside the block; gives the scope with a slash at its end.

        A name with a slash at its end is taken as it stands, so a scope can be entered again. None or "" leaves all
        scopes.

        Raises: ValueError if it is no valid name.
        """
        state = self._thread_local
        old = state.name_stack
        state.name_stack, given = self._enter_scope(name)
        try:
            yield given
        finally:
            state.name_stack = old


def name_from_scope_name(name: str) -> str:
    """Return a scope without the slash at its end."""
    return name[:-1] if name and name[-1] == "/" else name


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """Return `name` without `export_scope` in front, also after `^` or `loc:@`."""
    if not export_scope:
        return name
    scope = re.escape(name_from_scope_name(export_scope))
    return re.sub(rf"([\^]|loc:@|^){scope}[\/]+(.*)", r"\1\2", _text(name), count=1)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """Return `name` with `import_scope` in front, also after `^` or `loc:@`."""
    if not import_scope:
        return name
    scope = name_from_scope_name(import_scope)
    return re.sub(r"([\^]|loc:@|^)(.*)", lambda m: f"{m[1]}{scope}/{m[2]}", _text(name), count=1)


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name
