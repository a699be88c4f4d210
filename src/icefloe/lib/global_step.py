"""The global step: the variable that counts training steps."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.assignments import assign_add
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.initializers import Zeros
from icefloe.lib.variable import Variable, VariableAggregation
from icefloe.lib.variable_lists import is_variable_initialized
from icefloe.lib.variable_scope import get_variable
from icefloe.shapes import TensorShape

_GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the value of the global step in a session."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """Return the global step of a graph, by collection or by its name `global_step`, or None.

    Raises: TypeError if it is no scalar integer.
    """
    graph = graph or get_default_graph()
    steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) == 1:
        found = steps[0]
    elif steps:
        raise ValueError(f"Multiple tensors in global_step collection: {steps}")
    else:
        try:
            found = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(found)
    return found


def create_global_step(graph: Graph | None = None) -> Any:
    """Return a new global step, an int64 variable that starts at 0. Raises: ValueError if the graph has one."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default() as default, default.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=datatypes.int64,
            initializer=Zeros(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Return the global step of a graph, a new one if it has none."""
    graph = graph or get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """Return a tensor of the global step's value that may be run before it is initialized; None if there is none.

    Raises: RuntimeError if the graph has several such tensors.
    """
    graph = graph or get_default_graph()
    reads = graph.get_collection(_GLOBAL_STEP_READ_KEY)
    if len(reads) > 1:
        raise RuntimeError(f"There are multiple items in collection {_GLOBAL_STEP_READ_KEY}. There should be only one.")
    if reads:
        found: Tensor = reads[0]
        return found
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default() as default, default.name_scope(None), default.name_scope(f"{step.op.name}/"):
        value = step
        if isinstance(step, Variable):
            value = cond(is_variable_initialized(step), step.read_value, lambda: step.initial_value)
        read: Tensor = value + 0
        graph.add_to_collection(_GLOBAL_STEP_READ_KEY, read)
    return read


def increment_global_step(increment: Any, graph: Graph | None = None) -> Any:
    """Return an op that adds to the global step after it has been read. Raises: ValueError if there is none."""
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    read = get_or_create_global_step_read(graph)
    scope = f"{step.op.name}/"
    with graph.as_default() as default, default.name_scope(None), default.name_scope(scope):
        after = default.control_dependencies([read])
        with after:
            return assign_add(step, increment)


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises: TypeError if it is no scalar integer tensor or variable."""
    if not (isinstance(global_step_tensor, Tensor) or hasattr(global_step_tensor, "initializer")):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor} of type '
            f"{type(global_step_tensor)}."
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape: TensorShape = global_step_tensor.get_shape()
    if shape.rank != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
