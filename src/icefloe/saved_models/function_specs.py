"""FunctionSpecs: what a SavedModel says of the Python function behind a function: its arguments and their defaults.

Source: tensorflow/core/function/polymorphism/function_type.py, tensorflow/python/saved_model/function_serialization.py.
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, type_spec_from_value
from icefloe.lib.concrete_functions import ConcreteFunction
from icefloe.lib.trace_keys import Leaf, leaves_of, rebuilt
from icefloe.lib.traced_functions import TracedFunction
from icefloe.proto import FunctionSpec
from icefloe.saved_models.structures import encode

FullArgSpec = namedtuple("FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations")

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _full_arg_spec(parameters: inspect.Signature) -> FullArgSpec:
    found = list(parameters.parameters.values())
    positional = [p for p in found if p.kind in _BY_POSITION]
    only = [p for p in found if p.kind is p.KEYWORD_ONLY]
    rest = {p.kind: p.name for p in found}
    defaults = tuple(p.default for p in positional if p.default is not p.empty)
    only_defaults = {p.name: p.default for p in only if p.default is not p.empty}
    return FullArgSpec(
        [p.name for p in positional],
        rest.get(inspect.Parameter.VAR_POSITIONAL),
        rest.get(inspect.Parameter.VAR_KEYWORD),
        defaults or None,
        [p.name for p in only],
        only_defaults or None,
        {},
    )


def spec_of_function(function: TracedFunction) -> FunctionSpec:
    """Return the FunctionSpec of a function. Raises: UnimplementedError for a default that a file has no place for."""
    return FunctionSpec(
        fullargspec=encode(_full_arg_spec(function._parameters)), input_signature=encode(function.input_signature)
    )


def spec_of_trace(concrete: ConcreteFunction, function: TracedFunction | None) -> FunctionSpec:
    """Return the FunctionSpec of what was built for one kind of arguments: they are named one by one.

    function: that which it was built from, where that is known.
    """
    full = FullArgSpec([], None, None, None, [], None, {}) if function is None else _full_arg_spec(function._parameters)
    names = list(full.args)
    names += [f"{full.varargs}_{i}" for i in range(len(concrete._args) - len(names))] if full.varargs else []
    names += _names_of(concrete)[len(names) :]
    spec = FullArgSpec(names[: len(concrete._args)], None, None, None, sorted(concrete._kwargs), None, {})
    takes_nothing = not concrete._args and not concrete._kwargs
    return FunctionSpec(fullargspec=encode(spec), input_signature=encode(() if takes_nothing else None))


def _names_of(concrete: ConcreteFunction) -> list[str]:
    """Return names for the positional arguments, from the names of the tensors in them."""
    found = [leaves_of(value) for value in concrete._args]
    names = [leaves[0].name if leaves else f"arg_{i}" for i, leaves in enumerate(found)]
    return [name if names.index(name) == i else f"{name}_{i}" for i, name in enumerate(names)]


def keywords_of(concrete: ConcreteFunction) -> list[str]:
    """Return the names of the tensors that a function takes, each once."""
    names: list[str] = []
    for leaf in concrete._leaves:
        for spec in leaf.spec.flatten():
            base = spec.name or leaf.name
            name, number = base, 0
            while name in names:
                number += 1
                name = f"{base}_{number}"
            names.append(name)
    return names


def tensor_specs(concrete: ConcreteFunction) -> dict[str, TensorSpec]:
    """Return the specs of the tensors that a function takes, by their names, without those of composite tensors."""
    flat = [leaf.spec for leaf in concrete._leaves for _ in leaf.spec.flatten()]
    named = zip(keywords_of(concrete), flat, strict=True)
    return {name: TensorSpec(spec.shape, spec.dtype, name) for name, spec in named if isinstance(spec, TensorSpec)}


def structured_inputs(concrete: ConcreteFunction) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what a function takes as a file holds it: `(args, kwargs)` with a spec for each tensor, named by its
    place where it has no name of its own.
    """
    names = _names_of(concrete)

    def spec(value: Any, place: str) -> Any:
        if not isinstance(value, Leaf):
            return value
        found = value.spec
        return TensorSpec(found.shape, found.dtype, found.name or place) if isinstance(found, TensorSpec) else found

    args = tuple(rebuilt(value, name, spec) for name, value in zip(names, concrete._args, strict=True))
    return args, {key: rebuilt(value, key, spec) for key, value in concrete._kwargs.items()}


def structured_outputs(value: Any, path: tuple[str, ...] = ()) -> Any:
    """Return what a function returned as a file holds it: a spec for each tensor, named by its place."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        name = "_".join(path) if path and not path[0].isdigit() else "_".join(("tensor", *path)) if path else "unknown"
        return TensorSpec(value.shape, value.dtype.base_dtype, name)
    if isinstance(value, dict):
        return {key: structured_outputs(value[key], (*path, str(key))) for key in value}
    if isinstance(value, (list, tuple)):
        parts = [structured_outputs(item, (*path, str(i))) for i, item in enumerate(value)]
        if isinstance(value, list):
            return parts
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return type_spec_from_value(value)
