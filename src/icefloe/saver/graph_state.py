"""Which variables of a graph have a value in a session, and giving initial values to some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from icefloe import errors, resources
from icefloe.graph.collections import GraphKeys
from icefloe.graph.operation import Operation
from icefloe.resources.variable import ResourceVariable
from icefloe.saver.variable_nodes import variables_of


def is_initialized(sess: Any, op: Operation) -> bool:
    """Whether the variable of a node has a value in a session; True where the session does not tell."""
    inner = sess._tf_sess() if hasattr(sess, "_tf_sess") else sess  # of a session that is wrapped in others
    manager = getattr(inner, "_manager", None)
    if manager is None:
        return True
    cls = ResourceVariable if op.type == "VarHandleOp" else resources.Variable
    name = op.kernel_attr("shared_name") or op.name
    try:
        cell = manager.lookup(op.kernel_attr("container"), name, cls)
    except errors.NotFoundError:
        return False
    return bool(cell.initialized)


def uninitialized(sess: Any) -> list[str]:
    """Return the names of the graph's variables that have no value in a session, in the order of the graph."""
    return [v.name for v in variables_of(sess.graph) if not is_initialized(sess, v.op)]


def run_initializers(sess: Any, variables: Iterable[Operation]) -> list[str]:
    """Run the initialisers of those nodes that have one; return their names."""
    wanted = set(variables)
    if not wanted:
        return []
    found = {v.op: v.initializer for v in variables_of(sess.graph) if v.op in wanted and v.initializer is not None}
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for item in sess.graph.get_collection(key):
            op = getattr(item, "op", None)
            if op in wanted and getattr(item, "initializer", None) is not None:
                found[op] = item.initializer  # an initialiser may have been put in the place of the first
    sess.run([found[op] for op in found])
    return [op.name for op in found]


def present_values(sess: Any, variables: Sequence[Operation]) -> list[np.ndarray[Any, Any]]:
    """Return the values of the variables of nodes.

    Raises: FailedPreconditionError if one has no value, or the graph nowhere reads it.
    """
    values = {v.op: v.value for v in variables_of(sess.graph)}
    tensors = []
    for op in variables:
        value = values.get(op)
        if value is None:
            raise errors.FailedPreconditionError("the graph nowhere reads this variable", node=op.name)
        tensors.append(value)
    return list(sess.run(tensors))
