"""Functions that add one node of a given op, made from the op table.

`op_function("Acosh", "acosh")` has the signature `acosh(x, name=None)`: the op's inputs, then the attrs that cannot
be inferred from them, those without default first, then `name`. `raw_op("Acosh")` is the same with keywords only, as
in `tf.raw_ops`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from icefloe import datatypes, opdefs
from icefloe.graph import build
from icefloe.proto import AttrValue

_SCALAR_FIELDS = {"int": "i", "float": "f", "bool": "b"}


def _default(spec: opdefs.AttrSpec) -> Any:
    """Return the default of an attr as it reads in a Python signature."""
    value: AttrValue = spec.default
    if spec.type in _SCALAR_FIELDS:
        return getattr(value, _SCALAR_FIELDS[spec.type])
    if spec.type == "string":
        return value.s.decode(errors="backslashreplace")
    if spec.type == "type":
        return datatypes.as_dtype(value.type)
    if spec.type == "list(int)":
        return list(value.list.i)
    if spec.type == "list(float)":
        return list(value.list.f)
    if spec.type == "list(type)":
        return [datatypes.as_dtype(number) for number in value.list.type]
    if spec.type.startswith("list("):
        return []
    return None


def _inferred(signature: opdefs.Signature) -> set[str]:
    """Return the attrs that the inputs determine."""
    return {name for arg in signature.inputs for name in (arg.type_attr, arg.number_attr, arg.type_list_attr) if name}


@functools.cache
def parameters(op: str) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a function that adds a node of type `op`, `name` last."""
    signature = opdefs.signature(op)
    inferred = _inferred(signature)
    attrs = [spec for spec in signature.attrs.values() if spec.name not in inferred]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return (
        *(inspect.Parameter(arg.name, kind) for arg in signature.inputs),
        *(inspect.Parameter(spec.name, kind) for spec in attrs if spec.default is None),
        *(inspect.Parameter(spec.name, kind, default=_default(spec)) for spec in attrs if spec.default is not None),
        inspect.Parameter("name", kind, default=None),
    )


def _describe(op: str, args: tuple[inspect.Parameter, ...]) -> str:
    """Return a docstring that lists inputs, attrs and outputs with their types."""
    signature = opdefs.signature(op)

    def type_of(arg: opdefs.Arg) -> str:
        kind = arg.type_attr or arg.type_list_attr or datatypes.as_dtype(arg.dtype).name
        return f"list of {kind}" if arg.is_list else kind

    inputs = {arg.name: type_of(arg) for arg in signature.inputs}
    lines = [f"Add a node of type {op}.", ""]
    for parameter in args[:-1]:
        kind = inputs.get(parameter.name) or signature.attrs[parameter.name].type
        default = "" if parameter.default is parameter.empty else f", default {parameter.default!r}"
        lines.append(f"    {parameter.name}: {kind}{default}")
    outputs = ", ".join(f"{arg.name}: {type_of(arg)}" for arg in signature.outputs)
    lines += ["", f"Returns: {outputs or 'the Operation'}."]
    return "\n".join(lines)


def op_function(op: str, name: str, module: str = "icefloe") -> Callable[..., Any]:
    """Return a function called `name` that adds a node of type `op`; arguments as `parameters` says.

    An attr that is None takes its default, as in TensorFlow's generated wrappers.
    """
    args = parameters(op)
    signature = inspect.Signature(args)
    attrs = {p.name for p in args if p.default is not p.empty and p.name != "name"}

    def function(*positional: Any, **keywords: Any) -> Any:
        try:
            given = signature.bind(*positional, **keywords).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return build.apply_op(op, **{key: v for key, v in given.items() if v is not None or key not in attrs})

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = _describe(op, args)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def raw_op(op: str) -> Callable[..., Any]:
    """Return `icefloe.raw_ops.<op>`: keywords only.

    Raises: NotFoundError if no such op is registered.
    """
    wrapped = op_function(op, op, "icefloe.raw_ops")
    args = parameters(op)
    names = [p.name for p in args]

    def function(*positional: Any, **keywords: Any) -> Any:
        if positional:
            raise TypeError(
                f"{op} only takes keyword args (possible keys: {names}). Please pass these args as kwargs instead."
            )
        return wrapped(**keywords)

    functools.update_wrapper(function, wrapped)
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=p.KEYWORD_ONLY) for p in args]
    )
    return function
