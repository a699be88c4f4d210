"""A Saver for any graph that was loaded, also for one without collections."""

from __future__ import annotations

import weakref
from typing import Any

from icefloe import errors
from icefloe.graph import build
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph
from icefloe.graph.tensor import Tensor
from icefloe.proto import SaverDef
from icefloe.saver.saver import Saver
from icefloe.saver.variable_nodes import GraphVariable, variables_of

# What a `.meta` said of the Saver of the graph that was loaded from it.
_SAVER_DEFS: weakref.WeakKeyDictionary[Graph, SaverDef] = weakref.WeakKeyDictionary()


def remember_saver_def(graph: Graph, saver_def: SaverDef) -> None:
    """Note which save and restore nodes `graph` has."""
    _SAVER_DEFS[graph] = saver_def


def known_saver_def(graph: Graph) -> SaverDef | None:
    """Return the SaverDef that was noted for `graph`, or None."""
    return _SAVER_DEFS.get(graph)


def _readable(graph: Graph, variable: GraphVariable) -> Tensor:
    if variable.value is not None:
        return variable.value
    with graph.as_default(), graph.name_scope(f"{variable.name}/Read/"):
        return build.apply_op("ReadVariableOp", variable.op.outputs[0], dtype=variable.op.kernel_attr("dtype"))


def saver_for(graph: Graph, **options: Any) -> Saver:
    """Return a Saver for `graph`: that which its `.meta` named, else a new one for all its variables.

    options: arguments of a new `Saver`.

    Raises: FailedPreconditionError if the graph has no variables.
    """
    known = known_saver_def(graph)
    if known is not None and not options:
        return Saver(saver_def=known)
    with graph.as_default():
        variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        extra = graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
        if variables or extra:
            return Saver([*variables, *extra], **options)
        named = {v.name: _readable(graph, v) for v in variables_of(graph)}
        if not named:
            raise errors.FailedPreconditionError("the graph has no variables to save or restore")
        return Saver(named, **options)
