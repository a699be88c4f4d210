"""Ops that initialise a graph as a whole, to be a SavedModel's main op.

Source: tensorflow/python/saved_model/main_op_impl.py.
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.lib.control import group
from icefloe.lib.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)


def main_op() -> Operation:
    """Return an operation that initialises all global and local variables and all tables."""
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Operation:
    """Return an operation that does what `main_op` does, and then `restore_op_name`: an operation, or its name, which
    TensorFlow does not take.
    """
    if isinstance(restore_op_name, str):
        restore_op_name = get_default_graph().as_graph_element(restore_op_name)
    with control_dependencies([main_op()]):
        return group(restore_op_name)
