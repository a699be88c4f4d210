"""`variable_scope` and `get_variable`: variables that are shared by name, and defaults for those made in a scope."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from icefloe import datatypes
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import get_default_graph, graph_of_inputs
from icefloe.lib.variable import VariableAggregation, VariableSynchronization
from icefloe.lib.variable_store import AUTO_REUSE, VariableStore, default_store

_SCOPES_KEY = ("__varscope",)

# What a scope gives to its variables; the arguments of `variable_scope` and `VariableScope` that have these names.
_DEFAULTS = ("initializer", "regularizer", "caching_device", "partitioner", "dtype", "use_resource")


class VariableScope:
    """Name prefix and defaults for `get_variable`.

    reuse: True, find variables and make none; AUTO_REUSE, find or make; False or None, make and find none.
    name_scope: the name scope it was opened with.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = datatypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The path of the scope, "" for the outermost."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope it was first opened with."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """True: variables are found, not made; AUTO_REUSE: found or made; False or None: made."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """The initializer of variables that are given none."""
        return self._initializer

    @property
    def dtype(self) -> Any:
        """The dtype of variables that are given none."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether variables are resources; None for the default at the time."""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """The regularizer of variables that are given none."""
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        """The device on which reads are kept, or None."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """What divides variables into parts, or None."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """What is called in place of `get_variable`, or None."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """What optimizers apply to new values, or None."""
        return self._constraint

    def reuse_variables(self) -> None:
        """Find variables and make none from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set the initializer of variables that have none of their own."""
        self._initializer = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Set the dtype of variables that have none of their own."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Set whether variables are resource variables."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Set the regularizer of variables that have none of their own."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Set where reads of variables are cached."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Set what cuts variables into parts."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Set what `get_variable` calls instead of the usual getter, which it gets as `getter`."""
        self._custom_getter = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """Return the items of a collection whose names begin with this scope's."""
        return get_default_graph().get_collection(name, f"{self._name}/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """Return this scope's trainable variables."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return this scope's global variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Return this scope's local variables."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def _with_defaults(self, options: dict[str, Any]) -> dict[str, Any]:
        for key in (*_DEFAULTS, "constraint", "custom_getter", "reuse"):
            if options.get(key) is None:
                options[key] = getattr(self, f"_{key}")
        return options

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """Return a variable of this scope from `var_store`; see `tf.get_variable`."""
        options = dict(locals())
        del options["self"], options["var_store"], options["name"]
        with name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = convert_to_tensor(initializer).dtype.base_dtype
                if found != dtype:
                    raise ValueError(f"Initializer type '{found}' and explicit dtype '{dtype}' don't match.")
            return var_store.get_variable(self._full_name(name), **self._with_defaults(options))

    def _full_name(self, name: str) -> str:
        return f"{self._name}/{name}" if self._name else name

    def get_partitioned(self, var_store: VariableStore, name: str, **options: Any) -> Any:
        """Return a partitioned variable of this scope. Raises: ValueError if no partitioner is given or set."""
        options = self._with_defaults(options)
        del options["custom_getter"]
        if options["partitioner"] is None:
            raise ValueError("No partitioner was specified")
        with name_scope(None):
            full_name = "/".join(part for part in (self._name, name) if part)
            return var_store.get_partitioned(full_name, **options)

    def _inner(self, reuse: Any, name: str, original_name_scope: str, **given: Any) -> VariableScope:
        """Return a scope with this one's defaults, and those given."""
        inner = VariableScope(
            reuse,
            name=name,
            name_scope=original_name_scope,
            custom_getter=_nested_getter(given.pop("custom_getter"), self._custom_getter),
            constraint=given.pop("constraint"),
        )
        for key in _DEFAULTS:
            setattr(inner, f"_{key}", getattr(self, f"_{key}") if given[key] is None else given[key])
        return inner


def _nested_getter(inner: Any, outer: Any) -> Any:
    if inner is None or outer is None:
        return outer if inner is None else inner

    def nested(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return nested


class _OpenScopes(threading.local):
    """The current scope of a graph, and how often each name was opened, which makes default names unique."""

    def __init__(self) -> None:
        super().__init__()
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}

    def close_inside(self, name: str) -> None:
        """Forget how often scopes inside `name` were opened."""
        for key in self.counts:
            if key.startswith(f"{name}/"):
                self.counts[key] = 0

    def unique(self, prefix: str) -> str:
        """Return `prefix`, with the first `_1`, `_2`, ... that makes it a scope not opened yet."""
        base = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(base):
            return prefix
        i = 1
        while self.counts.get(f"{base}_{i}"):
            i += 1
        return f"{prefix}_{i}"


def _open_scopes() -> _OpenScopes:
    stored = get_default_graph().get_collection_ref(_SCOPES_KEY)
    if not stored:
        stored.append(_OpenScopes())
    return stored[0]


def get_variable_scope() -> VariableScope:
    """Return the current variable scope."""
    return _open_scopes().current


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Return the variable of this name in the current scope, made or, where the scope says reuse, found.

    initializer: a tensor, or a callable (shape, dtype); default the scope's, then glorot_uniform of floats, else zeros.
    regularizer: a function of the variable whose result goes into REGULARIZATION_LOSSES. partitioner: makes a
    PartitionedVariable. Other arguments as for `tf.Variable`.

    Raises: ValueError where reuse, shape, dtype or initializer do not fit.
    """
    return get_variable_scope().get_variable(default_store(), **locals())


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Return a variable as `get_variable` does, not trainable and in LOCAL_VARIABLES too."""
    options = dict(locals())
    options["collections"] = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    options["trainable"] = False
    return get_variable(**options)


def get_partitioned_variable(
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Any,
    trainable: bool,
    partitioner: Any,
    collections: Any,
) -> Any:
    """Return a partitioned variable of the current scope. Raises: ValueError if the scope has a custom getter."""
    options = dict(locals())
    scope = get_variable_scope()
    if scope.custom_getter is not None:
        raise ValueError(
            "Private access to _get_partitioned_variable is not allowed when a custom getter is set.  Current "
            f"custom getter: {scope.custom_getter}.  It is likely that you're using "
            "create_partitioned_variables.  If so, consider instead using get_variable with a non-empty "
            "partitioner parameter instead."
        )
    modes: dict[str, Any] = {"synchronization": VariableSynchronization.AUTO, "aggregation": VariableAggregation.NONE}
    return scope.get_partitioned(default_store(), **options, validate_shape=True, **modes)


class variable_scope:
    """A context in which `get_variable` prefixes names with a scope and uses its defaults; entering returns the
    VariableScope.

    name_or_scope: a name, a VariableScope to open again, or None for `default_name` made unique. values: tensors
    whose graph is used.
    reuse: True, AUTO_REUSE, or None or False for the outer scope's. auxiliary_name_scope: False opens no name scope.
    Other arguments are defaults for variables, see `get_variable`.

    Raises: TypeError, ValueError for arguments of another kind.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._given = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._auxiliary = auxiliary_name_scope
        self._graph = graph_of_inputs(list(values or []))
        # Set when first entered; entering again opens the same scope.
        self._name_scope: str | None = None
        self._scope: VariableScope | None = None
        self._stack: list[tuple[VariableScope, contextlib.ExitStack]] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._graph.as_default())
            scope = self._enter_name_scope(stack)
            stack.enter_context(self._opened(scope))
            assert self._scope is not None
            self._stack.append((self._scope, stack.pop_all()))
        return self._scope

    def __exit__(self, *exc: Any) -> None:
        entered, stack = self._stack[-1]
        if _open_scopes().current is not entered:
            raise RuntimeError("Improper nesting of variable_scope.")
        self._stack.pop()
        stack.__exit__(*exc)

    def _enter_name_scope(self, stack: contextlib.ExitStack) -> str:
        wanted = self._name_or_scope
        if wanted is not None and not isinstance(wanted, (VariableScope, str)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if wanted is None and self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not self._auxiliary:
            current = self._graph.get_name_scope()
            return stack.enter_context(self._graph.name_scope(f"{current}/" if current else current))
        if wanted is None:
            name: str = self._default_name or ""
        else:
            name = wanted if isinstance(wanted, str) else wanted.name.split("/")[-1]
        return stack.enter_context(self._graph.name_scope(name)) if name else ""

    @contextlib.contextmanager
    def _opened(self, entered: str) -> Iterator[None]:
        scopes = _open_scopes()
        old = scopes.current
        wanted = self._name_or_scope
        again = isinstance(wanted, VariableScope)
        if again:
            if self._scope is None:
                original = wanted.original_name_scope
                self._scope = wanted._inner(self._reuse or wanted.reuse, wanted.name, original, **self._given)
            name = wanted.name
        else:
            if wanted is None:
                wanted = scopes.unique(self._default_name or "")
            name = f"{old.name}/{wanted}" if old.name else wanted
            original = entered or wanted if self._auxiliary else entered
            self._scope = old._inner(self._reuse or old.reuse, name, original, **self._given)
        scope = self._scope
        scopes.counts[name] = scopes.counts.get(name, 0) + 1
        kept = dict(scopes.counts) if again else None
        scopes.current = scope
        try:
            yield
        finally:
            if kept is not None:
                scopes.counts = kept
            else:
                scopes.close_inside(name)
            scopes.current = old


def open_unused_scope(default_name: str, name: str | None, custom_getter: Any) -> VariableScope:
    """Open a scope of this name, or of `default_name` made unique, without a name scope; close and return it."""
    opened = variable_scope(name, default_name, custom_getter=custom_getter)
    with opened._opened(""):
        assert opened._scope is not None
        return opened._scope


@contextlib.contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """Deprecated spelling of `variable_scope`."""
    with variable_scope(**locals()) as scope:
        yield scope


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A context in which `variable_creator(next_creator, **arguments)` makes what `tf.Variable` and `get_variable`
    ask for.
    """
    with get_default_graph()._variable_creator_scope(variable_creator):
        yield


def no_regularizer(_: Any) -> None:
    """Regularize nothing, in a scope that has a regularizer."""
