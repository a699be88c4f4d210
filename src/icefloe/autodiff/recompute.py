"""`recompute_grad`: what a function computes is forgotten after it and computed again for its gradient.

Source: tensorflow/python/ops/custom_gradient.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from icefloe.autodiff.custom import custom_gradient
from icefloe.autodiff.walk import gradients
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.lib.nest import flatten
from icefloe.lib.variable_scope import get_variable_scope, variable_scope


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` as a function whose gradient runs the nodes of `f` a second time, from the arguments.

    So that nothing of the first time needs to be kept. Variables must be made by `get_variable`, or outside of `f`.
    """

    @custom_gradient
    def computed(*args: Any) -> Any:
        scope = get_variable_scope()
        result = f(*args)

        def grad(*dresult: Any, variables: Any = None) -> Any:
            given = [convert_to_tensor(dy) for dy in dresult]
            with control_dependencies(given):  # not before the gradient of the result is there
                inputs = [apply_op("StopGradient", apply_op("Identity", x)) for x in args]
            with variable_scope(scope, reuse=True):
                again = f(*inputs)
            variables = list(variables or ())
            made = gradients(flatten(again), [*inputs, *variables], given)
            by_input, by_variable = made[: len(inputs)], made[len(inputs) :]
            return (by_input, by_variable) if variables else by_input

        return result, grad

    return functools.wraps(f)(computed)
