"""What the body of a function may ask while it is built, and functions made by `Defun` from messages."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.func_graph import DefunGraph
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.defun import DefinedFunction
from icefloe.proto import FunctionDef, FunctionDefLibrary


def _body_under_construction() -> DefunGraph | None:
    graph = get_default_graph()
    return graph if isinstance(graph, DefunGraph) else None


def get_extra_vars() -> list[Any]:
    """Return the variables that the function under construction has made or found so far; none outside of one."""
    body = _body_under_construction()
    return [] if body is None else body.extra_vars


def get_extra_inputs() -> list[Tensor]:
    """Return the tensors from outside that the function under construction has taken in; none outside of one."""
    body = _body_under_construction()
    return [] if body is None else body.extra_inputs


def get_extra_args() -> list[Tensor]:
    """Return the arguments that stand for `get_extra_inputs`."""
    body = _body_under_construction()
    return [] if body is None else body.extra_args


# Functions from messages


def from_definition(definition: Any, grad_func: DefinedFunction | None = None) -> DefinedFunction:
    """Return the function of a FunctionDef; what it took in from outside are arguments like the others."""
    signature = definition.signature
    result = DefinedFunction(
        None,
        [arg.name for arg in signature.input_arg],
        tuple(datatypes.as_dtype(arg.type) for arg in signature.input_arg),
        signature.name,
        grad_func,
        out_names=[arg.name for arg in signature.output_arg],
    )
    result._definition = FunctionDef.FromString(definition.SerializeToString())
    result._op_def = result._definition.signature
    return result


def from_library(library: Any) -> list[DefinedFunction]:
    """Return the functions of a FunctionDefLibrary, with their gradients.

    Raises: ValueError if a gradient names a function that is not there, or gradients go in a circle.
    """
    library = FunctionDefLibrary.FromString(library.SerializeToString())
    functions = {f.signature.name: f for f in library.function}
    for gradient in library.gradient:
        for name in (gradient.function_name, gradient.gradient_func):
            if name not in functions:
                raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef\n{library}")
    gradient_of = {g.function_name: g.gradient_func for g in library.gradient}
    users: dict[str, list[str]] = {}
    for name, gradient_name in gradient_of.items():
        users.setdefault(gradient_name, []).append(name)
    ready = [name for name in functions if name not in gradient_of]
    if functions and not ready:
        raise ValueError(f"FunctionDefLibrary contains cyclic gradient functions!\n{library}")
    made: dict[str, DefinedFunction] = {}
    while ready:
        name = ready.pop()
        gradient_func = made[gradient_of[name]] if name in gradient_of else None
        made[name] = from_definition(functions[name], gradient_func)
        ready.extend(users.get(name, ()))
    return list(made.values())
