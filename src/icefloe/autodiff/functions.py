"""Gradients of functions of a graph's library.

A call's gradient is a SymbolicGradient node (`walk` makes it); what such a node runs is made here: the function of the
library that was named as the gradient, or the body with the gradients' nodes added.

Source: tensorflow/core/common_runtime/gradients.cc (SymbolicGradient's meaning).
"""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.autodiff.walk import gradients
from icefloe.graph.func_graph import placeholder
from icefloe.graph.function_graph import FunctionBody, function_attrs, instantiate
from icefloe.graph.graph import Graph
from icefloe.lib.array_create import zeros_like
from icefloe.ops.gradient_nodes import dense


def gradient_body(library: Graph, function: Any) -> FunctionBody:
    """Return what computes the gradients of `function`, a NameAttrList: of its arguments and its results' gradients.

    Raises: NotFoundError if there is no such function; InvalidArgumentError if the one that was named gives another
    number of results; UnimplementedError if an op of its body has no gradient rule.
    """
    name, attrs = function_attrs(function)
    body = instantiate(library, name, attrs)
    named = library._function_gradients.get(name)
    if named is not None:
        given_body = instantiate(library, named, attrs)
        if len(given_body.outputs) != len(body.inputs):
            raise errors.InvalidArgumentError(
                f"SymGrad expects to return {len(body.inputs)} gradients but get {len(given_body.outputs)} instead: "
                f"function {named!r}, the gradient of {name!r}"
            )
        return given_body
    with body.graph.as_default():
        given = [placeholder(body.graph, y.dtype, None, f"grad_{i}") for i, y in enumerate(body.outputs)]
        for grad, y in zip(given, body.outputs):
            grad.set_shape(y.shape)
        try:
            made = gradients(list(body.outputs), list(body.inputs), given)
        except LookupError as error:
            raise errors.UnimplementedError(f"function {name!r}: {error}") from None
        results = [zeros_like(x) if grad is None else dense(grad) for grad, x in zip(made, body.inputs)]
    return FunctionBody(name, body.graph, (*body.inputs, *given), tuple(results), ())
