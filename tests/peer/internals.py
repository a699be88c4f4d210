"""Names that are not public in TensorFlow but that its own tests use, each standing for an object of icefloe.

Support for running those tests unchanged against icefloe (`docs/conformance.md`); nothing in the library imports it.
A name is looked up as `module__name` first, then as `name`; ELSEWHERE says in which module of icefloe an object is
and what it is called there, and is imported when asked for.
"""

from __future__ import annotations

import importlib as _importlib
from typing import Any as _Any
from weakref import WeakKeyDictionary as _WeakKeyDictionary

import ml_dtypes as _ml_dtypes
from tests.peer.elsewhere import ELSEWHERE

from icefloe import datatypes as _datatypes
from icefloe import stacks as _stacks
from icefloe.graph.default_graph import name_scope as _name_scope
from icefloe.graph.graph import Graph as _Graph
from icefloe.graph.graph import get_default_graph as _get_default_graph
from icefloe.graph.operation import Operation as _Operation
from icefloe.process_options import OPTIONS as _OPTIONS
from icefloe.proto import DataType as _DataType
from icefloe.proto import NodeDef as _NodeDefMessage
from icefloe.saver.saver import Saver as _Saver
from icefloe.session import BaseSession as _BaseSession
from icefloe.shapes import dimension_value as _dimension_value

dtypes__TF_VALUE_DTYPES = frozenset(
    dtype
    for dtype in map(_datatypes.as_dtype, _DataType.values()[1:])
    if dtype.base_dtype == dtype and dtype.is_numpy_compatible
)
dtypes___TYPE_TO_STRING = {
    number: _datatypes.as_dtype(number).name for number in _DataType.values() if number not in (0, 100)
}


def __getattr__(name: str) -> _Any:
    place = ELSEWHERE.get(name)
    if place is None:
        if name.startswith("dtypes___np_"):
            return getattr(_ml_dtypes, name.removeprefix("dtypes___np_"))
        raise AttributeError(name)
    module, _, attribute = place.partition(":")
    if not module.startswith("tests."):
        module = f"icefloe.{module}"
    return getattr(_importlib.import_module(module), attribute)


# framework/ops.py


def ops___NodeDef(op_type: _Any, name: _Any, attrs: _Any = None) -> _Any:
    """Return a NodeDef."""
    node = _NodeDefMessage(op=op_type, name=name)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    return node


ops___default_graph_stack = _stacks.GRAPHS


class stack___default_session_stack:
    """The stack of default sessions."""

    reset = staticmethod(_stacks.SESSIONS.reset)
    get_default = staticmethod(_stacks.SESSIONS.top)


def ops__name_scope_v2(name: str) -> _Any:
    """Return a name scope that may be entered several times."""
    return _ScopeOfV2(name)


class _ScopeOfV2:
    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")  # noqa: TRY004 (as TensorFlow)
        self._name = name
        self._entered: list[_Any] = []

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        scope = _name_scope(self._name)
        self._entered.append(scope)
        return scope.__enter__()

    def __exit__(self, *exc_info: _Any) -> None:
        self._entered.pop().__exit__(*exc_info)


class _PendingOperation:
    """What TensorFlow's C layer holds of a node before the Python layer knows it: its parts."""

    def __init__(self, graph: _Graph, node_def: _Any, inputs: _Any, control_inputs: _Any) -> None:
        self._parts = (graph, node_def, inputs, control_inputs)
        _pending.setdefault(graph, []).append(self)

    def create(self) -> _Operation:
        """Add the node to its graph."""
        graph, node_def, inputs, control_inputs = self._parts
        _pending[graph].remove(self)
        graph.unique_name(node_def.name)
        return _Operation.from_node_def(node_def, graph, list(inputs), control_inputs=control_inputs)


_pending: _Any = _WeakKeyDictionary()
ops___create_c_op = _PendingOperation
# The methods by which TensorFlow's Python layer takes over nodes that its C layer made.
_Graph._create_op_from_tf_operation = lambda self, c_op: c_op.create()  # type: ignore[attr-defined]
_Graph._add_new_tf_operations = lambda self: [c_op.create() for c_op in list(_pending[self])]  # type: ignore[attr-defined]


def ops__get_gradient_function(op: _Operation) -> _Any:
    """Return the gradient rule of a node."""
    rule_of = _importlib.import_module("icefloe.autodiff.registration").rule_of
    return rule_of(op)


# training/saver.py


def _add_collection_def(self: _Any, meta_graph_def: _Any, key: _Any, export_scope: str | None = None) -> None:
    from icefloe.meta_graph.collections import add_collection_def

    add_collection_def(meta_graph_def, key, _get_default_graph(), export_scope)


_Saver._add_collection_def = _add_collection_def  # type: ignore[attr-defined]


# data/ops/iterator_ops.py


def iterator_ops___IteratorSaveable(iterator_resource: _Any, name: str, policy: int = 2) -> _Any:
    """Return what a Saver keeps of an iterator, under a name."""
    from icefloe.lib.data_iterator import _iterator_saveable
    from icefloe.lib.saveable import SaveableObject, SaveSpec

    made = _iterator_saveable(SaveableObject, SaveSpec)(iterator_resource, policy)
    made.name = made.specs[0].name = name
    return made


# client/session.py

# The config of a session that was made without one.
_BaseSession._config = property(lambda self: _OPTIONS.to_proto())  # type: ignore[attr-defined]


# client/device_lib.py


def device_lib__list_local_devices(session_config: _Any = None) -> _Any:
    """Return the devices of a session."""
    from icefloe.session import Session

    with Session(graph=_Graph(), config=session_config) as session:
        return session.list_devices()


# ops/resource_variable_ops.py


def resource_variable_ops__variable_shape(handle: _Any, out_type: _Any = None) -> _Any:
    """Return the shape of the variable behind a handle, as a tensor."""
    from icefloe.graph.build import apply_op

    return apply_op("VariableShape", handle, **({} if out_type is None else {"out_type": out_type}))


# ops/control_flow_ops.py


def control_flow_ops___Identity(tensor: _Any, name: str | None = None) -> _Any:
    """Return a tensor or composite again, by reference if it is one."""
    from icefloe.lib.control_flow_values import same_value

    return same_value(tensor, name)


def control_flow_ops___Enter(
    tensor: _Any, frame_name: str, is_constant: bool = False, parallel_iterations: int = 10, **options: _Any
) -> _Any:
    """Return a tensor or composite in the loop of this frame."""
    from icefloe.lib.control_flow_values import enter

    return enter(tensor, frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, **options)


# framework/graph_to_function_def.py


def graph_to_function_def(graph: _Any, operations: _Any, inputs: _Any, outputs: _Any, out_names: _Any = None) -> _Any:
    """Return some operations of a graph as a FunctionDef."""
    from icefloe.graph.function_def import to_function_def

    arguments = {tensor.op for tensor in inputs}
    operations = [op for op in operations if op not in arguments]
    return to_function_def(graph, "_", inputs, outputs, operations=operations, output_names=out_names or ())


# ops/variables.py


def variables___try_guard_against_uninitialized_dependencies(name: str, initial_value: _Any) -> _Any:
    """Return the initial value with its variables' initialized values in their places."""
    from icefloe.lib.variable_dependencies import without_uninitialized

    return without_uninitialized(initial_value, name)


# framework/tensor_util.py


def tensor_util__ShapeEquals(tensor_proto: _Any, shape: _Any) -> bool:
    """Whether a TensorProto has this shape."""
    shape = [dim.size for dim in shape.dim] if hasattr(shape, "dim") else shape
    return tuple(dim.size for dim in tensor_proto.tensor_shape.dim) == tuple(shape)


# ops/shape_util.py


def shape_util__shape_tensor(shape: _Any) -> _Any:
    """Return a shape as a tensor."""
    from icefloe.graph.conversion import convert_to_tensor

    if isinstance(shape, (tuple, list)):
        shape = tuple(map(_dimension_value, shape))
        return convert_to_tensor(shape, dtype=None if shape else _datatypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


# framework/func_graph.py


def func_graph__func_graph_from_py_func(name: str, python_func: _Any, args: _Any, kwargs: _Any) -> _Any:
    """Return the graph of what a Python function builds."""
    from icefloe.graph.func_graph import FuncGraph

    graph = FuncGraph(name)
    with graph.as_default():
        graph.structured_outputs = python_func(*args, **kwargs)
    return graph


for _installed in ("substitutes", "test_kernels"):
    _importlib.import_module(f"tests.peer.{_installed}").install()
