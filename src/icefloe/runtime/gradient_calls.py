"""What a SymbolicGradient node calls: the gradient of a function, built when it is first called."""

from __future__ import annotations

from icefloe.graph.function_graph import FunctionBody, function_attrs, instantiate
from icefloe.graph.graph import Graph
from icefloe.proto import AttrValue, NameAttrList

GRADIENT = "SymbolicGradient"


def gradient_of(function: NameAttrList) -> NameAttrList:
    """Return what names the gradient of `function`, for `body_of`."""
    return NameAttrList(name=GRADIENT, attr={"f": AttrValue(func=function)})


def body_of(library: Graph, function: NameAttrList) -> FunctionBody:
    """Return the body of a function of the library, or of the gradient of one.

    Raises: NotFoundError if there is no such function; what `instantiate` and `gradient_body` raise.
    """
    if function.name == GRADIENT and GRADIENT not in library.functions:
        # Training is not what most runs do: the rules are imported when they are needed.
        from icefloe.autodiff.functions import gradient_body

        return gradient_body(library, function.attr["f"].func)
    name, attrs = function_attrs(function)
    return instantiate(library, name, attrs)
