"""Where in icefloe the objects are that TensorFlow's own tests take from inside TensorFlow, by `module__name`.

A place is `module:attribute`; modules are icefloe's unless they begin with `tests.`.
"""

from __future__ import annotations

import re as _re

from icefloe import datatypes as _datatypes
from icefloe import linalg as _linalg

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
    "errors_impl__OperatorNotAllowedInGraphError": "graph.tensor:OperatorNotAllowedInGraphError",
    "trace_type__serialize": "tests.peer.trace_types:serialize",
    "trace_type__deserialize": "tests.peer.trace_types:deserialize",
    "func_graph__FuncGraph": "graph.func_graph:FuncGraph",
    "test_util__AbstractGradientTape": "tests.peer.gradient_checks:AbstractGradientTape",
    "config__enable_op_determinism": "lib.process_config:enable_op_determinism",
    "config__disable_op_determinism": "lib.process_config:disable_op_determinism",
    "config__is_op_determinism_enabled": "lib.process_config:is_op_determinism_enabled",
    "config__enable_tensor_float_32_execution": "lib.process_config:enable_tensor_float_32_execution",
    "config__tensor_float_32_execution_enabled": "lib.process_config:tensor_float_32_execution_enabled",
    "test_util__is_xla_enabled": "scripts.testing:is_built_with_xla",
    "test_util__matmul_without_tf32": "lib.math_matrix:matmul",
    "linear_operator_util__broadcast_matrix_batch_dims": "lib.linear_operator_parts:broadcast_batches",
    "linear_operator_util__matrix_solve_with_broadcast": "lib.linear_operator_parts:solve_broadcast",
    "random_seed__DEFAULT_GRAPH_SEED": "graph.seeds:DEFAULT_GRAPH_SEED",
    # client
    "session___DeviceAttributes": "session:DeviceAttributes",
    "session__register_session_run_conversion_functions": "session:register_session_run_conversion_functions",
    "test__create_local_cluster": "training.local_cluster:create_local_cluster",
    "test_util__create_local_cluster": "training.local_cluster:create_local_cluster",
    "compat__forward_compatibility_horizon": "lib.compatibility:forward_compatibility_horizon",
    "compat__forward_compatible": "lib.compatibility:forward_compatible",
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
    "array_ops__rank_internal": "lib.array_shape:rank_internal",
    "gradient_checker_v2___to_numpy": "tests.peer.gradient_checks:to_numpy",
    "gradient_checker_v2__compute_gradient": "tests.peer.gradient_checks:compute_gradient",
    "gradient_checker_v2__max_error": "tests.peer.gradient_checks:max_error",
    "tensor_getitem_override___SLICE_TYPE_ERROR": "graph.slicing:_BAD_INDEX",
    "resources__shared_resources": "training.shared_resources:shared_resources",
    "resources__local_resources": "training.shared_resources:local_resources",
    "resources__report_uninitialized_resources": "training.shared_resources:report_uninitialized_resources",
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
    "autotrackable__AutoTrackable": "saver.trackable:Trackable",
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

# Lists of tensors.
ELSEWHERE.update(
    (f"list_ops__{_name}", f"lib.tensor_lists:{_name}")
    for _name in [
        "empty_tensor_list",
        "tensor_list_concat",
        "tensor_list_from_tensor",
        "tensor_list_gather",
        "tensor_list_get_item",
        "tensor_list_length",
        "tensor_list_pop_back",
        "tensor_list_push_back",
        "tensor_list_reserve",
        "tensor_list_scatter",
        "tensor_list_set_item",
        "tensor_list_split",
        "tensor_list_stack",
    ]
)

# Public functions and classes of matrices, which the tests take from modules of several names.
ELSEWHERE.update(
    (f"{_module}__{_name}", f"linalg:{_name}")
    for _module in ["linalg", "linalg_lib", "linalg_impl"]
    for _name in dir(_linalg)
    if not _name.startswith("_")
)
ELSEWHERE.update(
    (f"{_re.sub('(?<=[a-z])(?=[A-Z])', '_', _name).lower()}__{_name}", f"linalg:{_name}")
    for _name in dir(_linalg)
    if _name.startswith("LinearOperator")
)
