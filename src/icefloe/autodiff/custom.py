"""Functions that bring their own gradient.

Source: tensorflow/python/ops/custom_gradient.py (nodes, messages).
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

from icefloe.autodiff.registration import RegisterGradient
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.nest import flatten, pack_sequence_as
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import trainable_variables

_NUMBERS = itertools.count()


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator of a function that returns (result, grad_fn).

    `grad_fn(*grads)` returns the gradients of the arguments; where the function uses trainable variables it takes
    `variables=` too and returns (gradients of the arguments, gradients of the variables).

    Raises: ValueError if keyword arguments are given; TypeError if variables are used and `grad_fn` does not take them.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when eager execution is "
                "enabled."
            )
        return _apply(f, args)

    return decorated


def _apply(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    name = f"CustomGradient-{next(_NUMBERS)}"
    inputs = [convert_to_tensor(x) for x in flatten(list(args))]
    result, grad_fn = f(*pack_sequence_as(list(args), inputs))
    results = [convert_to_tensor(x) for x in flatten(result)]
    variables = _variables_between(inputs, results)
    takes = "variables" in inspect.signature(grad_fn).parameters
    if variables and not takes and not _takes_anything(grad_fn):
        raise TypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must accept a 'variables' "
            "keyword argument."
        )
    handles = [_handle(v) for v in variables]

    @RegisterGradient(name)
    def rule(op: Operation, *grads: Any) -> list[Any]:
        wanted = grads[: len(results)]
        if not variables:
            return [*[None] * len(results), *_listed(grad_fn(*wanted))]
        by_input, by_variable = grad_fn(*wanted, variables=variables)
        if len(by_variable) != len(variables):
            raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        return [*[None] * len(results), *_listed(by_input), *by_variable]

    with get_default_graph().gradient_override_map({"IdentityN": name}):
        made = apply_op("IdentityN", [*results, *inputs, *handles])
    return pack_sequence_as(result, list(made[: len(results)]))


def _takes_anything(function: Callable[..., Any]) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


def _listed(grads: Any) -> list[Any]:
    return [grads] if grads is None or isinstance(grads, Tensor) else list(grads)


def _handle(variable: Variable) -> Tensor:
    handle = getattr(variable, "handle", None)
    return handle if isinstance(handle, Tensor) else variable._ref()


def _variables_between(inputs: list[Tensor], results: list[Tensor]) -> list[Variable]:
    """Return the trainable variables that the results depend on otherwise than through the inputs."""
    ends = {x.op for x in inputs}
    seen: set[Operation] = set()
    queue = collections.deque(x.op for x in results)
    while queue:
        op = queue.popleft()
        if op in seen or op in ends:
            continue
        seen.add(op)
        queue.extend(x.op for x in op.inputs)
    return [v for v in trainable_variables() if _handle(v).op in seen]


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` with the gradient of the identity."""

    @custom_gradient
    def passing(x: Any) -> Any:
        return f(x), lambda *grads: grads[0]

    return passing
