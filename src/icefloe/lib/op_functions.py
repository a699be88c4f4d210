"""Functions that add one node of a given op, made from the op table.

`op_function("Acosh", "acosh")` has the signature `acosh(x, name=None)`: the op's inputs, then the attrs that cannot
be inferred from them, those without default first, then `name`. `raw_op("Acosh")` is the same with keywords only, as
in `tf.raw_ops`.
"""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, opdefs
from icefloe.graph import build
from icefloe.shapes import dims_from_proto

# Arguments that have another name in Python than in the op table: op -> table's name -> Python's.
_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
_RENAMED: dict[str, dict[str, str]] = {
    **{op: {"reduction_indices": "axis"} for op in _REDUCTIONS},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}
# Defaults that differ from the op table's.
_DEFAULTS = {("SdcaOptimizer", "adaptative"): True, ("SdcaOptimizerV2", "adaptive"): True}


def python_name(op: str, name: str) -> str:
    """Return what an input or attr of the op table is called as an argument."""
    name = _RENAMED.get(op, {}).get(name, name)
    return f"{name}_" if keyword.iskeyword(name) else name


def _default(spec: opdefs.AttrSpec) -> Any:
    """Return the default of an attr as it reads in a Python signature."""
    value = spec.default
    assert value is not None
    if spec.type == "int":
        return value.i
    if spec.type == "bool":
        return value.b
    if spec.type == "float":
        return _shortest(value.f)
    if spec.type == "shape":
        dims = dims_from_proto(value.shape)
        return None if dims is None else list(dims)
    if spec.type == "string":
        return value.s.decode(errors="backslashreplace")
    if spec.type == "type":
        return datatypes.as_dtype(value.type)
    if spec.type == "list(int)":
        return list(value.list.i)
    if spec.type == "list(float)":
        return [_shortest(number) for number in value.list.f]
    if spec.type == "list(type)":
        return [datatypes.as_dtype(number) for number in value.list.type]
    if spec.type.startswith("list("):
        return []
    return None


def _shortest(value: float) -> float:
    """Return the float32 `value` as it is written: 0.1, not 0.10000000149011612."""
    return float(str(np.float32(value)))


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

    def parameter(name: str, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
        return inspect.Parameter(python_name(op, name), kind, default=_DEFAULTS.get((op, name), default))

    return (
        *(parameter(arg.name) for arg in signature.inputs),
        *(parameter(spec.name) for spec in attrs if spec.default is None),
        *(parameter(spec.name, _default(spec)) for spec in attrs if spec.default is not None),
        parameter("name", None),
    )


def _describe(op: str, args: tuple[inspect.Parameter, ...]) -> str:
    """Return a docstring that lists inputs, attrs and outputs with their types."""
    signature = opdefs.signature(op)

    def type_of(arg: opdefs.Arg) -> str:
        kind = arg.type_attr or arg.type_list_attr or datatypes.as_dtype(arg.dtype).name
        return f"list of {kind}" if arg.is_list else kind

    kinds = {python_name(op, spec.name): spec.type for spec in signature.attrs.values()}
    kinds.update({python_name(op, arg.name): type_of(arg) for arg in signature.inputs})
    lines = [f"Add a node of type {op}.", ""]
    for parameter in args[:-1]:
        kind = kinds[parameter.name]
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
    in_table = {new: old for old, new in _RENAMED.get(op, {}).items()}
    forced = {attr: default for (of, attr), default in _DEFAULTS.items() if of == op}

    def function(*positional: Any, **keywords: Any) -> Any:
        try:
            given = signature.bind(*positional, **keywords).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return build.apply_op(op, **{**forced, **{in_table.get(key, key): value for key, value in given.items()}})

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
