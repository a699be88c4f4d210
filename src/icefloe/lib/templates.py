"""`make_template`: functions that make their variables when first called and use the same ones afterwards.

Source: tensorflow/python/ops/template.py (rules and messages).
"""

from __future__ import annotations

import functools
import logging
import traceback
from collections.abc import Callable
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection_ref
from icefloe.lib.variable_scope import VariableScope, open_unused_scope, variable_scope


def make_template(
    name_: str | None,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Return `func_` as a function whose calls share the variables that it makes by `get_variable`.

    name_: of its variable scope, made unique. create_scope_now_: open the scope now, not at the first call.
    unique_name_: name to take instead, as it is. custom_getter_: of the scope. kwargs: handed on to `func_`.

    Raises: ValueError if `name_` is None.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function with a variable scope of its own. Made by `make_template`."""

    def __init__(
        self,
        name: str | None,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._name = name
        self._func = func
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._made_at = traceback.format_stack()[:-2]
        self._scope: VariableScope | None = None
        self._first_call = True
        if create_scope_now:
            self._scope = open_unused_scope(name, unique_name, custom_getter)
        # Whether a call has come to its end; until then calls from other threads may be making variables.
        self._variables_created = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function in the scope. Raises: ValueError if a later call makes trainable variables."""
        if self._scope is not None:
            with variable_scope(self._scope, reuse=not self._first_call):
                return self._call(args, kwargs)
        with variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._scope = scope
            return self._call(args, kwargs)

    def _call(self, args: Any, kwargs: Any) -> Any:
        try:
            if self._variables_created:
                return self._call_again(args, kwargs)
            if not self._first_call:
                return self._func(*args, **kwargs)
            self._first_call = False
            try:
                result = self._func(*args, **kwargs)
            except BaseException:
                self._first_call = True
                raise
            self._variables_created = True
            return result
        except Exception as error:
            first = error.args[0] if error.args else ""
            error.args = (f"{first}\n\noriginally defined at:\n{self._definition()}", *error.args[1:])
            raise

    def _call_again(self, args: Any, kwargs: Any) -> Any:
        made = len(get_collection_ref(GraphKeys.GLOBAL_VARIABLES))
        trainable = len(get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
        result = self._func(*args, **kwargs)
        new = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)[trainable:]
        hint = "perhaps you used tf.Variable when you meant tf.get_variable"
        if new:
            raise ValueError(f"Trainable variable created when calling a template after the first time, {hint}: {new}")
        others = get_collection_ref(GraphKeys.GLOBAL_VARIABLES)[made:]
        if others:
            logging.getLogger("icefloe").info(
                "New variables created when calling a template after the first time, %s: %s", hint, others
            )
        return result

    def _definition(self) -> str:
        """Return where it was made, without the frames that the present call has in common with that."""
        for i, (then, now) in enumerate(zip(self._made_at, traceback.format_stack())):
            if then != now:
                return "".join(self._made_at[i:])
        return "".join(self._made_at[-1:])

    @property
    def name(self) -> str:
        """The name asked for."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function, with the arguments given when the template was made."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The VariableScope, None before it is opened."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of that scope, None before it is opened."""
        if self._scope is None:
            return None
        # To find variables and collections by, a scope that is not the root ends in a slash.
        name = self._scope.name
        return name if not name or name[-1] == "/" else f"{name}/"

    def _of_collection(self, key: str) -> list[Any]:
        return [] if self._scope is None or not self._variables_created else self._scope.get_collection(key)

    @property
    def global_variables(self) -> list[Any]:
        """The global variables made in its scope."""
        return self._of_collection(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables made in its scope."""
        return self._of_collection(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        """The global and local variables made in its scope."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables made in its scope."""
        return self._of_collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The global variables made in its scope that are not trainable."""
        trainable = self.trainable_variables
        return [v for v in self.global_variables if not any(v is t for t in trainable)]

    @property
    def weights(self) -> list[Any]:
        """Its variables."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Any]:
        """Its trainable variables."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Its variables that are not trainable."""
        return self.non_trainable_variables

    @property
    def var_scope(self) -> VariableScope | None:
        """Deprecated spelling of `variable_scope`."""
        return self._scope
