"""The switches between TensorFlow 1 and 2. icefloe builds graphs and has TensorFlow 1's behaviour; these say so."""

from __future__ import annotations

from typing import Any, NoReturn

from icefloe import errors
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


# How TensorFlow's own library was built; what is compiled against it asks for these.
CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> NoReturn:
    """Raise UnimplementedError: ops are added to a graph, and a Session runs it."""
    raise errors.UnimplementedError(
        "eager execution is not available: icefloe builds and runs graphs",
        hint="build the graph first, then ask a tf.Session for values; tf.function makes functions inside of a graph",
    )


def enable_v2_behavior() -> NoReturn:
    """Raise UnimplementedError: TensorFlow 2's behaviour rests on eager execution."""
    raise errors.UnimplementedError(
        "TensorFlow 2's behaviour is not available: it rests on eager execution",
        hint="tf.enable_resource_variables, tf.enable_control_flow_v2, tf.enable_tensor_equality and "
        "tf.enable_v2_tensorshape turn on what graphs can have of it",
    )


def load_op_library(library_filename: Any) -> NoReturn:
    """Raise UnimplementedError: ops compiled for TensorFlow cannot be loaded."""
    raise errors.UnimplementedError(
        f"op library {library_filename!r} cannot be loaded: it is compiled for TensorFlow",
        hint="compute what its ops do in Python, by tf.py_func",
    )


def load_library(library_location: Any) -> NoReturn:
    """Raise UnimplementedError: libraries compiled for TensorFlow cannot be loaded."""
    raise errors.UnimplementedError(
        f"library {library_location!r} cannot be loaded: it is compiled for TensorFlow",
        hint="compute what its ops do in Python, by tf.py_func",
    )


def load_file_system_library(library_filename: Any) -> NoReturn:
    """Raise UnimplementedError: file systems compiled for TensorFlow cannot be loaded."""
    raise errors.UnimplementedError(
        f"file system {library_filename!r} cannot be loaded: it is compiled for TensorFlow",
        hint="files of this machine are read without it",
    )


for _name in (
    enable_eager_execution,
    enable_v2_behavior,
    load_op_library,
    load_library,
    load_file_system_library,
):
    vars(_name)["__unimplemented__"] = True
