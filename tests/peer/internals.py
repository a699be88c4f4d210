"""Names that are not public in TensorFlow but that its own tests use, each standing for an object of icefloe.

Support for running those tests unchanged against icefloe (`docs/conformance.md`); nothing in the library imports it.
A name is looked up as `module__name` first, then as `name`; ELSEWHERE says in which module of icefloe an object is
and what it is called there, and is imported when asked for.
"""

from __future__ import annotations

import importlib as _importlib
from typing import Any as _Any
from weakref import WeakKeyDictionary as _WeakKeyDictionary

import numpy as _np

from icefloe import datatypes as _datatypes
from icefloe import stacks as _stacks
from icefloe.graph.default_graph import name_scope as _name_scope
from icefloe.graph.graph import Graph as _Graph
from icefloe.graph.indexed_slices import IndexedSlicesValue as _IndexedSlicesValue
from icefloe.graph.operation import Operation as _Operation
from icefloe.proto import DataType as _DataType
from icefloe.proto import NodeDef as _NodeDefMessage

ELSEWHERE = {
    # framework
    "freeze_graph__freeze_graph": "tests.peer.graph_tools:freeze_graph",
    "freeze_graph__freeze_graph_with_def_protos": "tests.peer.graph_tools:freeze_graph_with_def_protos",
    "strip_unused_lib__strip_unused_from_files": "tests.peer.graph_tools:strip_unused_from_files",
    "optimize_for_inference_lib__fold_batch_norms": "tests.peer.graph_tools:fold_batch_norms",
    "optimize_for_inference_lib__fuse_decomposed_batch_norm": "tests.peer.graph_tools:fuse_decomposed_batch_norm",
    "optimize_for_inference_lib__fuse_resize_and_conv": "tests.peer.graph_tools:fuse_resize_and_conv",
    "optimize_for_inference_lib__convert_placeholder_to_const": "tests.peer.graph_tools:convert_placeholder_to_const",
    "optimize_for_inference_lib__values_from_const": "tests.peer.graph_tools:values_from_const",
    "optimize_for_inference_lib__optimize_for_inference": "tests.peer.graph_tools:optimize_for_inference",
    "graph_util__graph_defs_equal": "transforms.subgraphs:graph_defs_equal",
    "ops__NotDifferentiable": "autodiff.registration:not_differentiable",
    "ops__RegisterGradient": "autodiff.registration:RegisterGradient",
    "device__merge_device": "graph.device_spec:merge_device",
    "ops__get_name_scope": "graph.default_graph:get_name_scope",
    "ops__get_current_name_scope": "graph.default_graph:get_name_scope",
    "ops__strip_name_scope": "graph.naming:strip_name_scope",
    "ops__prepend_name_scope": "graph.naming:prepend_name_scope",
    "ops__has_default_graph": "graph.graph:has_default_graph",
    "function__Defun": "lib.defun:Defun",
    "function___DefinedFunction": "lib.defun:DefinedFunction",
    "function___from_definition": "lib.defun_library:from_definition",
    "function__from_library": "lib.defun_library:from_library",
    "function__get_extra_args": "lib.defun_library:get_extra_args",
    "function__get_extra_inputs": "lib.defun_library:get_extra_inputs",
    "function__get_extra_vars": "lib.defun_library:get_extra_vars",
    "tensor_util__constant_value_as_shape": "graph.partial_shape:constant_value_as_shape",
    "meta_graph__export_scoped_meta_graph": "tests.peer.meta_graphs:export_scoped_meta_graph",
    "meta_graph__import_scoped_meta_graph": "tests.peer.meta_graphs:import_scoped_meta_graph",
    "meta_graph__copy_scoped_meta_graph": "tests.peer.meta_graphs:copy_scoped_meta_graph",
    "meta_graph__create_meta_graph_def": "meta_graph.export:create_meta_graph_def",
    "meta_graph__stripped_op_list_for_graph": "meta_graph.op_list:stripped_op_list_for_graph",
    "meta_graph__ops_used_by_graph_def": "meta_graph.op_list:ops_used_by_graph_def",
    "meta_graph__add_collection_def": "meta_graph.collections:add_collection_def",
    "op_def_library__apply_op": "graph.build:apply_op",
    # client
    "session___DeviceAttributes": "session:DeviceAttributes",
    "session__register_session_run_conversion_functions": "session:register_session_run_conversion_functions",
    # ops
    "control_flow_ops__with_dependencies": "lib.control:with_dependencies",
    "control_flow_ops__switch": "lib.control_flow_values:switch",
    "control_flow_ops__merge": "lib.control_flow_values:merge",
    "control_flow_ops__exit": "lib.control_flow_values:leave",
    "control_flow_ops___NextIteration": "lib.control_flow_values:next_iteration",
    "control_flow_ops___SwitchRefOrTensor": "graph.control_flow_ops:switch_colocated",
    "control_flow_ops__XLAControlFlowContext": "graph.control_flow_context:XLAControlFlowContext",
    "data_flow_ops__GPUCompatibleFIFOQueue": "lib.queues:FIFOQueue",
    "tensor_array_grad___GetGradSource": "ops.data_flow.tensor_arrays_gradients:_source",
    "indexed_slices__IndexedSlicesValue": "graph.indexed_slices:IndexedSlicesValue",
    "state_ops__is_variable_initialized": "lib.variable_lists:is_variable_initialized",
    "array_ops__batch_gather_nd": "lib.array_batch_gather:batch_gather_nd",
    "variables__PartitionedVariable": "lib.variable_partitioned:PartitionedVariable",
    "variable_scope___get_default_variable_store": "lib.variable_store:default_store",
    "variable_scope___PartitionInfo": "lib.variable_store:PartitionInfo",
    "variable_scope__variable_creator_scope": "lib.variable_scope:variable_creator_scope",
    # saving
    "checkpoint_management__meta_graph_filename": "saver.state:meta_graph_filename",
    "checkpoint_management__update_checkpoint_state_internal": "tests.peer.meta_graphs:update_checkpoint_state",
    "checkpoint_ops___load_and_remap_matrix": "tests.peer.warm_starts:load_and_remap_matrix",
    "checkpoint_ops___load_and_remap_matrix_initializer": "tests.peer.warm_starts:load_and_remap_matrix_initializer",
    "checkpoint_ops___load_embedding_initializer": "tests.peer.warm_starts:load_embedding_initializer",
    "warm_starting_util___warm_start_var_with_vocab": "tests.peer.warm_starts:warm_start_var_with_vocab",
    "warm_starting_util___get_var_info": "tests.peer.warm_starts:get_var_info",
    "warm_starting_util___infer_var_name": "training.warm_start:_name",
    "warm_starting_util__VocabInfo": "training.warm_start:VocabInfo",
    "warm_starting_util__warm_start": "training.warm_start:warm_start",
    "checkpoint_utils__wait_for_new_checkpoint": "saver.inspection:wait_for_new_checkpoint",
    "saver__BaseSaverBuilder": "saver.builder:BaseSaverBuilder",
    "saver__BulkSaverBuilder": "saver.builder:BulkSaverBuilder",
    "variables___all_saveable_objects": "saver.saver:_all_saveable_objects",
    # training
    "monitored_session___WrappedSession": "training.wrapped_sessions:WrappedSession",
    "monitored_session___RecoverableSession": "training.wrapped_sessions:RecoverableSession",
    "monitored_session___CoordinatedSession": "training.wrapped_sessions:CoordinatedSession",
    "monitored_session___HookedSession": "training.wrapped_sessions:HookedSession",
    "training_util___increment_global_step": "lib.global_step:increment_global_step",
    "training_util___get_or_create_global_step_read": "lib.global_step:get_or_create_global_step_read",
    "saver___get_saver_or_default": "training.scaffold:saver_or_default",
    "session_manager___ready": "training.session_manager:is_ready",
    "moving_averages__assign_moving_average": "lib.moving_averages:assign_moving_average",
    "moving_averages__weighted_moving_average": "lib.moving_averages:weighted_moving_average",
    "resources__register_resource": "training.shared_resources:register_resource",
    "checkpoint__Checkpoint": "training.checkpoint:Checkpoint",
    "builder___SavedModelBuilder": "tests.peer.saved_models:SignatureSavedModelBuilder",
    "builder_impl___SavedModelBuilder": "tests.peer.saved_models:SignatureSavedModelBuilder",
    "loader_impl__SavedModelLoader": "saved_models.loader:SavedModelLoader",
    "loader_impl__parse_saved_model": "saved_models.loader:parse_saved_model",
    "autotrackable__AutoTrackable": "tests.peer.saved_model_cli:AutoTrackable",
    "def_function__function": "lib.traced_functions:function",
    "saved_model_cli__flags": "tests.peer.saved_model_cli:flags",
    "saved_model_cli__create_parser": "tests.peer.saved_model_cli:create_parser",
    "saved_model_cli__show": "tests.peer.saved_model_cli:show",
    "saved_model_cli__run": "tests.peer.saved_model_cli:run",
    "saved_model_cli__scan": "tests.peer.saved_model_cli:scan",
    "saved_model_cli___print_tensor_info": "tests.peer.saved_model_cli:print_tensor_info",
    "saved_model_cli__preprocess_inputs_arg_string": "saved_models.command_inputs:file_inputs",
    "saved_model_cli__preprocess_input_exprs_arg_string": "tests.peer.saved_model_cli:preprocess_input_exprs_arg_string",
    "saved_model_cli__preprocess_input_examples_arg_string": "saved_models.command_inputs:example_inputs",
    "saved_model_cli__load_inputs_from_input_arg_string": "saved_models.command_inputs:command_inputs",
    "loader_impl__get_train_op": "tests.peer.saved_models:get_train_op",
    "constants__INIT_OP_SIGNATURE_KEY": "saved_models.constants:INIT_OP_SIGNATURE_KEY",
    "constants__TRAIN_OP_KEY": "saved_models.constants:TRAIN_OP_KEY",
    "constants__TRAIN_OP_SIGNATURE_KEY": "saved_models.constants:TRAIN_OP_SIGNATURE_KEY",
}


# Element types that are not public by their names, and those of references.
ELSEWHERE.update((f"dtypes__{_name}", f"datatypes:{_name}") for _name in dir(_datatypes) if not _name.startswith("_"))
dtypes__TF_VALUE_DTYPES = frozenset(
    dtype for dtype in map(_datatypes.as_dtype, _DataType.values()[1:]) if dtype.base_dtype == dtype
)


def __getattr__(name: str) -> _Any:
    place = ELSEWHERE.get(name)
    if place is None:
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


# platform/test.py


def test__create_local_cluster(num_workers: int, num_ps: int, **unused: _Any) -> _Any:
    """Return servers of this process, for the workers and the parameter servers."""
    from icefloe.training.server import Server

    return [[Server.create_local_server() for _ in range(n)] for n in (num_workers, num_ps)]


# framework/graph_to_function_def.py


def graph_to_function_def(graph: _Any, operations: _Any, inputs: _Any, outputs: _Any, out_names: _Any = None) -> _Any:
    """Return some operations of a graph as a FunctionDef."""
    from icefloe.graph.function_def import to_function_def

    arguments = {tensor.op for tensor in inputs}
    operations = [op for op in operations if op not in arguments]
    return to_function_def(graph, "_", inputs, outputs, operations=operations, output_names=out_names or ())


# ops/gradient_checker_v2.py


def gradient_checker_v2___to_numpy(value: _Any) -> _Any:
    """Return a fetched gradient as an array, IndexedSlices as the array that they are rows of."""
    if not isinstance(value, _IndexedSlicesValue):
        return value
    dense = _np.zeros(value.dense_shape, value.values.dtype)
    _np.add.at(dense, value.indices, value.values)
    return dense


# ops/variables.py


def variables___try_guard_against_uninitialized_dependencies(name: str, initial_value: _Any) -> _Any:
    """Return the initial value with its variables' initialized values in their places."""
    from icefloe.lib.variable_dependencies import without_uninitialized

    return without_uninitialized(initial_value, name)


_importlib.import_module("tests.peer.substitutes").install()
