"""The switches between TensorFlow 1 and 2. icefloe builds graphs and has TensorFlow 1's behaviour; these say so."""

from __future__ import annotations

from icefloe.graph.tensor import disable_tensor_equality
from icefloe.lib.control_flow_toggles import disable_control_flow_v2
from icefloe.lib.variable_resource import disable_resource_variables
from icefloe.shapes import disable_v2_tensorshape


def executing_eagerly() -> bool:
    """Return False: ops are added to a graph."""
    return False


def executing_eagerly_outside_functions() -> bool:
    """Return False: ops are added to a graph."""
    return False


def disable_eager_execution() -> None:
    """Do nothing: there is no eager execution."""


def disable_v2_behavior() -> None:
    """Turn off all of TensorFlow 2's behaviour that can be turned on: equality of tensors, shapes, resource variables,
    functional conditionals and loops.
    """
    disable_tensor_equality()
    disable_v2_tensorshape()
    disable_resource_variables()
    disable_control_flow_v2()
