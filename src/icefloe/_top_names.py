"""The names of icefloe itself; see `_names`."""

NAMES: dict[str, str] = {
    "module": """
        errors proto raw_ops app audio bitwise ckpt compat config data debugging distributions dtypes
        feature_column flags gfile graph_util graphs image initializers io layers linalg logging lookup losses
        manip math metrics nest nn python_io quantization queue ragged random resource_loader saved_model sets
        signal sparse spectral strings summary sysconfig test timeline train version
    """,
    "_version": "COMPILER_VERSION GIT_VERSION VERSION",
    "graph.graph": """
        Graph get_default_graph reset_default_graph GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER
        GRAPH_DEF_VERSION_MIN_PRODUCER
    """,
    "graph.operation": "Operation",
    "graph.tensor": "Tensor disable_tensor_equality enable_tensor_equality",
    "graph.indexed_slices": "IndexedSlices convert_to_tensor_or_indexed_slices",
    "graph.sparse_tensor": "SparseTensor SparseTensorValue convert_to_tensor_or_sparse_tensor",
    "graph.device_spec": "DeviceSpec",
    "graph.collections": "GraphKeys",
    "graph.conversion": "constant convert_to_tensor register_tensor_conversion_function",
    "graph.tensor_proto": "make_ndarray make_tensor_proto",
    "graph.import_graph": "import_graph_def",
    "graph.default_graph": """
        name_scope op_scope control_dependencies device container colocate_with add_to_collection add_to_collections
        get_collection get_collection_ref
    """,
    "graph.seeds": "get_seed set_random_seed",
    "autodiff.walk": "UnconnectedGradients gradients",
    "autodiff.second_derivatives": "hessians",
    "autodiff.aggregation": "AggregationMethod",
    "autodiff.custom": "custom_gradient grad_pass_through",
    "autodiff.registration": """
        NoGradient=not_differentiable NotDifferentiable=not_differentiable RegisterGradient
        no_gradient=not_differentiable
    """,
    "shapes": """
        Dimension TensorShape dimension_at_index dimension_value disable_v2_tensorshape enable_v2_tensorshape
    """,
    "errors": "OpError",
    "session": "Session InteractiveSession Config get_default_session",
    "load": "load_graph save_graph",
    "saved_models.command_inputs": "saved_model_inputs=command_inputs",
    "saved_models.describing": "describe_saved_model",
    "saved_models.showing": "scan_saved_model show_saved_model",
    "saved_models.loading": "LoadedModel load_saved_model",
    "saver.graph_variables": "saver_for",
    "saver.variable_nodes": "initializers_of variables_of",
    "identification": "identify",
    "checkpoint": "open_checkpoint save_checkpoint",
    "checkpoint.distributed.saving": "save_dask",
    "scripts.running": "exec_script",
    "proto": """
        AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage MetaGraphDef
        NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata TensorInfo
    """,
    "datatypes": """
        as_dtype QUANTIZED_DTYPES bfloat16 bool complex128 complex64 double float16 float32 float64 half int16
        int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
    """,
    "lib.behavior": """
        CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD executing_eagerly executing_eagerly_outside_functions
        disable_eager_execution disable_v2_behavior enable_eager_execution enable_v2_behavior load_file_system_library
        load_library load_op_library
    """,
    "lib.own_kernels": "register_kernel register_op",
    "lib.control_flow_toggles": "control_flow_v2_enabled disable_control_flow_v2 enable_control_flow_v2",
    "lib.control_flow_cond": "cond",
    "lib.control_flow_while": "while_loop",
    "lib.control_flow_case": "case switch_case",
    "lib.functional": "foldl foldr scan",
    "lib.map_fn": "map_fn",
    "lib.module": "Module",
    "graph.type_specs": """
        DType IndexedSlicesSpec NoneTensorSpec SparseTensorSpec TensorSpec TypeSpec type_spec_from_value
    """,
    "lib.messages": "get_logger",
    "lib.scopes": "init_scope",
    "lib.constants": "get_static_value is_tensor is_symbolic_tensor",
    "lib.array_create": """
        zeros ones zeros_like ones_like fill placeholder placeholder_with_default one_hot sequence_mask meshgrid
    """,
    "lib.array_sparse": "sparse_placeholder",
    "lib.ragged_tensor": "RaggedTensor",
    "lib.ragged_spec": "RaggedTensorSpec",
    "lib.array_shape": """
        newaxis reshape shape shape_n size rank expand_dims squeeze transpose matrix_transpose
        broadcast_dynamic_shape broadcast_static_shape required_space_to_batch_paddings space_to_batch
        batch_to_space space_to_depth depth_to_space
    """,
    "lib.array_join": "concat stack unstack split parallel_stack",
    "lib.array_select": """
        slice strided_slice gather gather_nd boolean_mask where where_v2 unique unique_with_counts setdiff1d
        sparse_mask reverse_sequence searchsorted pad stop_gradient tensor_scatter_nd_update
        tensor_scatter_update=tensor_scatter_nd_update edit_distance fingerprint guarantee_const
    """,
    "lib.array_diagonal": """
        diag_part=tensor_diag_part matrix_diag matrix_diag_part matrix_set_diag
    """,
    "lib.array_batch_gather": "batch_gather repeat",
    "lib.math_elementwise": """
        abs accumulate_n add add_n angle ceil complex conj div div_no_nan divide equal exp floor floordiv imag
        log_sigmoid logical_xor multiply not_equal pow real round rsqrt scalar_mul sigmoid sign sqrt subtract
        truediv acos
    """,
    "lib.math_cast": """
        cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64
    """,
    "lib.math_reduce": """
        reduce_sum reduce_mean reduce_prod reduce_min reduce_max reduce_all reduce_any reduce_logsumexp
        count_nonzero trace argmax argmin
    """,
    "lib.math_range": "range linspace lin_space=linspace cumsum cumprod roll",
    "lib.math_matrix": "matmul tensordot einsum",
    "lib.math_clip": "clip_by_value clip_by_norm clip_by_average_norm clip_by_global_norm global_norm",
    "lib.math_segment": """
        unsorted_segment_mean unsorted_segment_sqrt_n sparse_segment_sum sparse_segment_mean sparse_segment_sqrt_n
        bincount histogram_fixed_width histogram_fixed_width_bins sort argsort
    """,
    "lib.math_properties": "is_non_decreasing is_strictly_increasing",
    "lib.math_special": "lbeta",
    "lib.parsing": """
        decode_csv decode_json_example decode_raw parse_example parse_single_example parse_single_sequence_example
        serialize_tensor
    """,
    "lib.parsing_features": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
    "lib.sparse_convert": """
        deserialize_many_sparse serialize_many_sparse serialize_sparse sparse_tensor_to_dense sparse_to_dense
    """,
    "lib.sparse_layout": """
        sparse_concat sparse_fill_empty_rows sparse_merge sparse_reorder sparse_reset_shape sparse_reshape
        sparse_retain sparse_slice sparse_split sparse_to_indicator sparse_transpose
    """,
    "lib.sparse_arithmetic": """
        sparse_add sparse_maximum sparse_minimum sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum
        sparse_reduce_sum_sparse sparse_softmax sparse_tensor_dense_matmul
    """,
    "lib.confusion": "confusion_matrix",
    "lib.image_boxes": "extract_image_patches",
    "lib.linalg": """
        eye matrix_triangular_solve cholesky_solve matrix_solve_ls self_adjoint_eig self_adjoint_eigvals svd norm
    """,
    "lib.checks": """
        Assert assert_equal assert_none_equal assert_less assert_less_equal assert_greater assert_greater_equal
        assert_negative assert_positive assert_non_negative assert_non_positive assert_near assert_rank
        assert_rank_at_least assert_rank_in assert_integer assert_type assert_scalar assert_proper_iterable
        assert_same_float_dtype is_numeric_tensor ensure_shape
    """,
    "lib.control": "no_op group tuple identity add_check_numerics_ops verify_tensor_all_finite",
    "lib.printing": "Print print",
    "lib.quantization": "quantize quantize_v2 dequantize",
    "lib.random_draws": """
        random_normal random_uniform truncated_normal random_shuffle multinomial random_gamma random_poisson
        random_crop
    """,
    "lib.initializers": """
        zeros_initializer=Zeros ones_initializer=Ones constant_initializer=Constant
        random_uniform_initializer=RandomUniform random_normal_initializer=RandomNormal
        truncated_normal_initializer=TruncatedNormal uniform_unit_scaling_initializer=UniformUnitScaling
        variance_scaling_initializer=VarianceScaling orthogonal_initializer=Orthogonal
        glorot_uniform_initializer=GlorotUniform glorot_normal_initializer=GlorotNormal
    """,
    "lib.tensor_array": "TensorArray TensorArraySpec",
    "lib.strings": """
        string_join string_split string_to_hash_bucket string_to_number substr=substr_deprecated reduce_join
        regex_replace
    """,
    "lib.data_flow": "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator",
    "lib.python_functions": "numpy_function py_func py_function",
    "lib.critical_section": "CriticalSection",
    "lib.vectorization": "nondifferentiable_batch_function vectorized_map",
    "autodiff.recompute": "recompute_grad",
    "autodiff.tape": "GradientTape",
    "lib.data_optional": "OptionalSpec",
    "lib.traced_functions": "function",
    "lib.wrapped_functions": "wrap_function",
    "lib.readers": """
        FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TextLineReader TFRecordReader WholeFileReader
    """,
    "lib.session_tensors": "delete_session_tensor get_session_handle get_session_tensor",
    "lib.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "lib.variable": "Variable VariableAggregation VariableSynchronization",
    "lib.variable_resource": """
        enable_resource_variables disable_resource_variables resource_variables_enabled
    """,
    "lib.variable_store": "AUTO_REUSE",
    "lib.templates": "make_template",
    "lib.variable_scope": """
        VariableScope variable_scope variable_op_scope get_variable get_local_variable get_variable_scope
        no_regularizer variable_creator_scope
    """,
    "lib.variable_partitioned": """
        create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner
        variable_axis_size_partitioner
    """,
    "lib.variable_lists": """
        all_variables global_variables local_variables model_variables trainable_variables moving_average_variables
        variables_initializer initialize_variables global_variables_initializer initialize_all_variables
        local_variables_initializer initialize_local_variables tables_initializer initialize_all_tables
        is_variable_initialized assert_variables_initialized report_uninitialized_variables
    """,
    "lib.assignments": """
        assign assign_add assign_sub count_up_to scatter_update scatter_add scatter_sub scatter_mul scatter_div
        scatter_max scatter_min scatter_nd_update scatter_nd_add scatter_nd_sub batch_scatter_update
    """,
    "op": """
        acosh=Acosh approx_top_k=ApproxTopK arg_max=ArgMax arg_min=ArgMin as_string=AsString asin=Asin asinh=Asinh
        atan=Atan atan2=Atan2 atanh=Atanh batch_to_space_nd=BatchToSpaceND betainc=Betainc bitcast=Bitcast
        broadcast_to=BroadcastTo check_numerics=CheckNumerics check_pinned=CheckPinned cholesky=Cholesky conv=Conv
        conv2d_backprop_filter_v2=Conv2DBackpropFilterV2 conv2d_backprop_input_v2=Conv2DBackpropInputV2 cos=Cos
        cosh=Cosh cross=Cross decode_base64=DecodeBase64 decode_compressed=DecodeCompressed diag=Diag
        digamma=Digamma dynamic_partition=DynamicPartition dynamic_stitch=DynamicStitch encode_base64=EncodeBase64
        erf=Erf erfc=Erfc expm1=Expm1 extract_volume_patches=ExtractVolumePatches
        fake_quant_with_min_max_args=FakeQuantWithMinMaxArgs
        fake_quant_with_min_max_args_gradient=FakeQuantWithMinMaxArgsGradient
        fake_quant_with_min_max_vars=FakeQuantWithMinMaxVars
        fake_quant_with_min_max_vars_gradient=FakeQuantWithMinMaxVarsGradient
        fake_quant_with_min_max_vars_per_channel=FakeQuantWithMinMaxVarsPerChannel
        fake_quant_with_min_max_vars_per_channel_gradient=FakeQuantWithMinMaxVarsPerChannelGradient fft=FFT
        fft2d=FFT2D fft3d=FFT3D fftnd=FFTND floor_div=FloorDiv floormod=FloorMod greater=Greater
        greater_equal=GreaterEqual identity_n=IdentityN ifft=IFFT ifft2d=IFFT2D ifft3d=IFFT3D ifftnd=IFFTND
        igamma=Igamma igammac=Igammac invert_permutation=InvertPermutation irfftnd=IRFFTND is_finite=IsFinite
        is_inf=IsInf is_nan=IsNan less=Less less_equal=LessEqual lgamma=Lgamma log=Log log1p=Log1p
        logical_and=LogicalAnd logical_not=LogicalNot logical_or=LogicalOr matching_files=MatchingFiles
        matrix_band_part=MatrixBandPart matrix_determinant=MatrixDeterminant matrix_inverse=MatrixInverse
        matrix_solve=MatrixSolve matrix_square_root=MatrixSquareRoot maximum=Maximum minimum=Minimum mod=FloorMod
        negative=Neg parse_tensor=ParseTensor polygamma=Polygamma qr=Qr quantized_concat=QuantizedConcat
        ragged_fill_empty_rows=RaggedFillEmptyRows ragged_fill_empty_rows_grad=RaggedFillEmptyRowsGrad
        random_index_shuffle=RandomIndexShuffle read_file=ReadFile realdiv=RealDiv reciprocal=Reciprocal
        reverse=ReverseV2 reverse_v2=ReverseV2 rfftnd=RFFTND rint=Rint scatter_nd=ScatterNd segment_max=SegmentMax
        segment_mean=SegmentMean segment_min=SegmentMin segment_prod=SegmentProd segment_sum=SegmentSum sin=Sin
        sinh=Sinh space_to_batch_nd=SpaceToBatchND sparse_matmul=SparseMatMul square=Square
        squared_difference=SquaredDifference string_strip=StringStrip
        string_to_hash_bucket_fast=StringToHashBucketFast string_to_hash_bucket_strong=StringToHashBucketStrong
        tan=Tan tanh=Tanh tensor_scatter_add=TensorScatterAdd tensor_scatter_nd_add=TensorScatterAdd
        tensor_scatter_nd_max=TensorScatterMax tensor_scatter_nd_min=TensorScatterMin
        tensor_scatter_nd_sub=TensorScatterSub tensor_scatter_sub=TensorScatterSub tile=Tile timestamp=Timestamp
        truncatediv=TruncateDiv truncatemod=TruncateMod unravel_index=UnravelIndex
        unsorted_segment_max=UnsortedSegmentMax unsorted_segment_min=UnsortedSegmentMin
        unsorted_segment_prod=UnsortedSegmentProd unsorted_segment_sum=UnsortedSegmentSum write_file=WriteFile
        zeta=Zeta
    """,
}
