"""`function`: Python functions as functions of the graph's library, called by nodes.

    @tf.function
    def scaled(x, factor=2):
        return x * factor

    y = scaled(x)              # a PartitionedCall node

The Python function runs once for each kind of arguments: dtypes and shapes of tensors, and what else there is as it
is. Its Python code is run as it is written: an `if` on a tensor's value is an error, where TensorFlow's AutoGraph
would make a conditional of it.

Source: tensorflow/python/eager/polymorphic_function/polymorphic_function.py.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from icefloe.graph.func_graph import FuncGraph
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib.concrete_functions import ConcreteFunction, cast_to_spec, inference_name, trace_body
from icefloe.lib.function_variables import Creation
from icefloe.lib.nest import flatten
from icefloe.lib.trace_keys import Leaf, fits, key_of, leaves_of, rebuilt, relaxed, tensor_leaf
from icefloe.proto import AttrValue

_TRACED = "_traced_functions"


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Return `func` as a function whose calls are nodes; without `func`, a decorator.

    input_signature: a list of nests of TensorSpecs, one for each argument: the function is built once, for these.
    reduce_retracing: after a second kind of arguments, build for shapes that fit both. autograph, jit_compile and what
    they bring have no effect: Python code is run as it is.

    Raises: TypeError if `func` is not callable or `input_signature` is no sequence.
    """
    if func is None:
        return lambda inner: function(
            inner,
            input_signature,
            autograph,
            jit_compile,
            reduce_retracing,
            experimental_implements,
            experimental_autograph_options,
            experimental_attributes,
            experimental_relax_shapes,
            experimental_compile,
            experimental_follow_type_hints,
        )
    attributes = dict(experimental_attributes or {})
    if experimental_implements is not None:
        attributes["api_implements"] = experimental_implements
    relaxes = reduce_retracing or bool(experimental_relax_shapes)
    made = TracedFunction(func, input_signature, relaxes, attributes)
    try:
        return functools.update_wrapper(made, func)
    except AttributeError:
        return made


class TracedFunction:
    """A Python function that is traced for each kind of arguments. Made by `function`."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        reduce_retracing: bool = False,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        if isinstance(python_function, TracedFunction):
            python_function = python_function.python_function
        self._python_function = python_function
        self._name = _name_of(python_function)
        self._reduce_retracing = reduce_retracing
        self._attributes = {key: _attribute(value) for key, value in (attributes or {}).items()}
        self._bound_to: dict[int, tuple[Any, TracedFunction]] = {}
        self._traces = 0
        self._has_variables = False
        self._parameters = _parameters(python_function)
        self._input_signature = _checked_signature(input_signature)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python_function

    @property
    def name(self) -> str:
        """The Python function's name."""
        return self._name

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The specs of the arguments, where they were given."""
        return self._input_signature

    def experimental_get_tracing_count(self) -> int:
        """Return how often the Python function was run."""
        return self._traces

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Return the signatures of all that was built in the default graph, as text."""
        return "\n\n".join(concrete.pretty_printed_signature() for concrete in self._cache().values())

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        known = self._bound_to.get(id(instance))
        if known is not None and known[0]() is instance:
            return known[1]
        reference = weakref.ref(instance, functools.partial(_forget, self._bound_to, id(instance)))
        bound = TracedFunction(_method(self._python_function, reference), self._input_signature)
        bound._reduce_retracing, bound._attributes = self._reduce_retracing, self._attributes
        bound._name = self._name
        self._bound_to[id(instance)] = (reference, bound)
        return bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call to the default graph and return its results.

        Raises: TypeError if the arguments do not fit; ValueError if a call after the first makes variables.
        """
        positional, named = self._arguments(args, kwargs)
        concrete = self._concrete(positional, named)
        leaves = [leaf for value in (*positional, *named.values()) for leaf in leaves_of(value)]
        tensors: list[Tensor] = []
        for leaf in leaves:
            tensors.extend(leaf.spec.to_tensors(leaf.value))
        return concrete.call_flat(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return what is called for arguments of this kind; TensorSpecs may stand for tensors."""
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return self._concrete(*self._arguments(args, kwargs, only_specs=True))

    # Arguments

    def _arguments(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], *, only_specs: bool = False
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments by position and by keyword, defaults filled in, with Leaves for their tensors."""
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise self._misfit(str(error), args, kwargs) from None
        bound.apply_defaults()
        positional, named = _split(bound)
        names = _names(self._parameters, len(positional))
        if self._input_signature is None:
            return (
                [_with_leaves(value, name) for value, name in zip(positional, names)],
                {key: _with_leaves(value, key) for key, value in named.items()},
            )
        specs = self._input_signature
        given = list(positional[: len(specs)])
        try:
            cast = [_cast(spec, value, name, only_specs=only_specs) for spec, value, name in zip(specs, given, names)]
        except TypeError as error:
            raise self._misfit(str(error), args, kwargs) from None
        return cast + positional[len(specs) :], named

    def _misfit(self, why: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> TypeError:
        names = _names(self._parameters, len(self._input_signature or ()))
        typed = ", ".join(f"{name}: {spec!r}" for name, spec in zip(names, self._input_signature or ()))
        signature = f"({typed})" if self._input_signature is not None else str(self._parameters)
        return TypeError(
            f"Binding inputs to tf.function failed due to `{why}`. Received args: {tuple(args)} and kwargs: "
            f"{dict(kwargs)} for signature: {signature}."
        )

    # Tracing

    def _cache(self) -> dict[Any, ConcreteFunction]:
        """What was built in the default graph. The graph keeps it, so that it goes with the graph."""
        graph = get_default_graph()
        kept = graph.__dict__.setdefault(_TRACED, weakref.WeakKeyDictionary())
        found: dict[Any, ConcreteFunction] = kept.setdefault(self, {})
        return found

    def _concrete(self, args: list[Any], kwargs: dict[str, Any]) -> ConcreteFunction:
        cache = self._cache()
        graph = get_default_graph()
        device = tuple(str(function) for function in graph._device_functions_outer_to_inner)
        key = (device, tuple(key_of(value) for value in args), tuple((k, key_of(v)) for k, v in kwargs.items()))
        known = cache.get(key)
        if known is not None:
            return known
        if self._reduce_retracing:
            for other, concrete in cache.items():
                if fits(key, other):
                    return concrete
            for other in list(cache):
                wider = relaxed(other, key)
                if wider is not None:
                    args, kwargs, key = _widened(args, kwargs, wider), kwargs, wider
                    break
        cache[key] = concrete = self._traced(args, kwargs)
        return concrete

    def _traced(self, args: list[Any], kwargs: dict[str, Any]) -> ConcreteFunction:
        creation = Creation(allowed=not self._has_variables)
        concrete = self._trace(args, kwargs, creation)
        if creation.made:
            self._has_variables = True
            concrete = self._trace(args, kwargs, Creation(allowed=False))
            concrete.graph.__dict__["_made_variables"] = creation.made
        return concrete

    def _trace(self, args: list[Any], kwargs: dict[str, Any], creation: Creation) -> ConcreteFunction:
        self._traces += 1
        graph = FuncGraph(self._name)
        outer: Graph = graph.outer_graph
        with outer._variable_creator_scope(creation, priority=50):
            trace_body(graph, self._python_function, args, kwargs, orders=True)
        return ConcreteFunction(
            graph,
            inference_name(self._name),
            args,
            kwargs,
            control_outputs=graph.control_outputs,
            attributes=self._attributes,
        )


def _forget(bound_to: dict[int, Any], key: int, _: Any) -> None:
    bound_to.pop(key, None)


def _method(python_function: Callable[..., Any], reference: weakref.ref[Any]) -> Callable[..., Any]:
    """Return the method of an object that it does not keep alive."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return python_function(reference(), *args, **kwargs)

    call.__name__ = _name_of(python_function)
    signature = _parameters(python_function)
    parameters = list(signature.parameters.values())
    vars(call)["__signature__"] = signature.replace(parameters=parameters[1:])
    return call


def _parameters(python_function: Callable[..., Any]) -> inspect.Signature:
    try:
        signature = inspect.signature(python_function)
    except ValueError:  # a function written in C
        kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        return inspect.Signature([inspect.Parameter(n, k) for n, k in zip(("args", "kwargs"), kinds)])
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)


def _name_of(python_function: Any) -> str:
    inner = python_function
    while isinstance(inner, functools.partial):
        inner = inner.func
    name = getattr(inner, "__name__", type(inner).__name__)
    return "lambda" if name == "<lambda>" else str(name)


def _attribute(value: Any) -> AttrValue:
    if isinstance(value, bool):
        return AttrValue(b=value)
    if isinstance(value, int):
        return AttrValue(i=value)
    if isinstance(value, float):
        return AttrValue(f=value)
    if isinstance(value, (str, bytes)):
        return AttrValue(s=value.encode() if isinstance(value, str) else value)
    raise ValueError(f"Attribute must be bool, int, float, or str. Got {type(value)}.")


def _checked_signature(input_signature: Any) -> tuple[Any, ...] | None:
    if input_signature is None:
        return None
    if not isinstance(input_signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
    wrong = [item for item in flatten(list(input_signature)) if not isinstance(item, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{wrong} with types {[type(item) for item in wrong]}."
        )
    return tuple(input_signature)


def _split(bound: inspect.BoundArguments) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call by position, and those that go by keyword only."""
    return list(bound.args), dict(bound.kwargs)


def _names(parameters: inspect.Signature, count: int) -> list[str]:
    names: list[str] = []
    for parameter in parameters.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}_{i}" for i in range(count - len(names)))
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return [*names, *(f"arg_{i}" for i in range(len(names), count))][:count]


def _with_leaves(value: Any, name: str) -> Any:
    """Return an argument with Leaves, which all have its name, for the tensors in it."""

    def leaf(part: Any, _: str) -> Any:
        found = tensor_leaf(part, name)
        return part if found is None else found

    return rebuilt(value, name, leaf)


def _cast(spec: Any, value: Any, name: str, *, only_specs: bool) -> Any:
    """Return `value` as Leaves of the specs of an input signature."""
    if isinstance(spec, TypeSpec):
        named = getattr(spec, "name", None) or name
        if isinstance(value, TypeSpec):
            if not value.is_subtype_of(spec._without_tensor_names()) and value != spec:
                raise TypeError(f"Can not cast {value!r} to {spec._without_tensor_names()!r}")
            return Leaf(spec, None, named)
        parts = cast_to_spec(spec, value)
        return Leaf(spec, parts[0] if isinstance(spec, TensorSpec) else value, named)
    if isinstance(spec, Mapping):
        if not isinstance(value, Mapping) or set(value) != set(spec):
            raise TypeError(f"Can not cast {value!r} to {spec!r}")
        return {key: _cast(spec[key], value[key], name, only_specs=only_specs) for key in spec}
    if not isinstance(value, (list, tuple)) or len(value) != len(spec):
        raise TypeError(f"Can not cast {value!r} to {spec!r}")
    parts = [_cast(s, v, name, only_specs=only_specs) for s, v in zip(spec, value)]
    if isinstance(spec, list):
        return parts
    return type(spec)(*parts) if hasattr(spec, "_fields") else tuple(parts)


def _widened(args: list[Any], kwargs: dict[str, Any], key: Any) -> list[Any]:
    """Return the arguments with the specs of a key that knows less."""
    specs = iter(_specs(key[1]))

    def wider(value: Any, name: str) -> Any:
        return Leaf(next(specs), value.value, value.name) if isinstance(value, Leaf) else value

    return [rebuilt(value, "", wider) for value in args]


def _specs(key: Any) -> list[TypeSpec]:
    if isinstance(key, TypeSpec):
        return [key]
    return [spec for part in key for spec in _specs(part)] if isinstance(key, tuple) else []
