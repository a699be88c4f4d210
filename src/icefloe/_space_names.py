"""The names of the namespaces below icefloe; see `_names`."""

NAMES: dict[str, dict[str, str]] = {
    "app": {"scripts.app": "flags run"},
    "audio": {
        "op": "decode_wav=DecodeWav encode_wav=EncodeWav",
    },
    "bitwise": {
        "op": """
            bitwise_and=BitwiseAnd bitwise_or=BitwiseOr bitwise_xor=BitwiseXor invert=Invert left_shift=LeftShift
            right_shift=RightShift
        """,
    },
    "ckpt": {
        "checkpoint.listing": "cat ls read_part scopes split_index tree",
        "checkpoint.converting.conversion": "convert",
        "checkpoint.editing.averaging": "average AverageReport",
        "checkpoint.editing.casting": "cast CastReport",
        "checkpoint.editing.extracting": "extract ExtractReport",
        "checkpoint.editing.merging": "merge MergeReport",
        "checkpoint.editing.renaming": "RenameReport",
        "checkpoint.editing.resharding": "reshard ReshardReport",
        "checkpoint.editing.resizing": "resize ResizeReport",
        "checkpoint.editing.setting": "set=set_values read_value SetReport",
        "checkpoint.editing.slimming": "slim SlimReport",
        "transforms.checkpoint_names": "rename",
        "checkpoint.checking.diff": "diff",
        "checkpoint.checking.rescue": "rescue",
        "checkpoint.checking.stats": "stats",
        "checkpoint.checking.verify": "verify",
        "checkpoint.report": "report",
        "checkpoint.distributed.saving": "save_dask",
        "checkpoint.keeping.clean": "clean",
        "checkpoint.keeping.prune": "prune",
        "checkpoint.keeping.state": "state",
    },
    "config": {
        "module": "experimental optimizer threading",
        "lib.process_config": """
            LogicalDevice LogicalDeviceConfiguration PhysicalDevice functions_run_eagerly
            experimental_functions_run_eagerly=functions_run_eagerly
            experimental_run_functions_eagerly=run_functions_eagerly get_logical_device_configuration
            get_soft_device_placement get_visible_devices list_logical_devices list_physical_devices
            run_functions_eagerly set_logical_device_configuration set_soft_device_placement set_visible_devices
        """,
    },
    "config.experimental": {
        "lib.process_config": """
            VirtualDeviceConfiguration=LogicalDeviceConfiguration enable_op_determinism
            enable_tensor_float_32_execution get_device_details get_memory_growth
            get_virtual_device_configuration=get_logical_device_configuration get_visible_devices
            list_logical_devices list_physical_devices set_memory_growth
            set_virtual_device_configuration=set_logical_device_configuration set_visible_devices
            tensor_float_32_execution_enabled
        """,
        "lib.debugging_options": """
            disable_mlir_bridge enable_mlir_bridge get_device_policy get_memory_info get_memory_usage
            get_synchronous_execution reset_memory_stats set_device_policy set_synchronous_execution
        """,
    },
    "config.optimizer": {
        "lib.process_config": """
            get_experimental_options=get_optimizer_experimental_options get_jit=get_optimizer_jit
            set_experimental_options=set_optimizer_experimental_options set_jit=set_optimizer_jit
        """,
    },
    "config.threading": {
        "lib.process_config": """
            get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads
            set_intra_op_parallelism_threads
        """,
    },
    "data": {
        "module": "experimental",
        "lib.data_arguments": "AUTOTUNE INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "lib.data_dataset": "Dataset",
        "lib.data_spec": "DatasetSpec",
        "lib.data_options": "Options ThreadingOptions",
        "lib.data_iterator": """
            Iterator get_output_classes=get_legacy_output_classes get_output_shapes=get_legacy_output_shapes
            get_output_types=get_legacy_output_types make_initializable_iterator make_one_shot_iterator
        """,
        "lib.data_readers": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
    },
    "data.experimental": {
        "lib.data_arguments": "AUTOTUNE INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "lib.data_spec": "DatasetStructure=DatasetSpec",
        "lib.data_options": """
            AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions ExternalStatePolicy OptimizationOptions
            ServiceOptions ThreadingOptions
        """,
        "graph.type_specs": "Structure=TypeSpec",
        "lib.data_iterator": "make_saveable_from_iterator",
        "lib.data_optional": "Optional OptionalStructure=OptionalSpec get_next_as_optional",
        "lib.data_readers": "CsvDataset SqlDataset",
        "lib.data_csv": "make_csv_dataset",
        "lib.data_examples": "make_batched_features_dataset parse_example_dataset",
        "lib.data_tables": "DatasetInitializer index_table_from_dataset table_from_dataset",
        "lib.data_choice": "choose_from_datasets sample_from_datasets",
        "lib.data_functional": "Reducer",
        "lib.data_experimental": """
            Counter=counter_v1 RandomDataset=random_dataset TFRecordWriter assert_cardinality
            bucket_by_sequence_length cardinality copy_to_device dense_to_sparse_batch enumerate_dataset from_list
            get_single_element group_by_reducer group_by_window=grouped_by_window ignore_errors map_and_batch
            map_and_batch_with_legacy_function=map_and_batch parallel_interleave prefetch_to_device rebatch=rebatched
            RaggedTensorStructure=ragged_tensor_structure SHARD_HINT SparseTensorStructure=sparse_tensor_structure
            TensorArrayStructure=tensor_array_structure TensorStructure=tensor_structure dense_to_ragged_batch
            from_variant get_structure pad_to_cardinality rejection_resample snapshot to_variant
            scan=scanned shuffle_and_repeat take_while=taken_while unbatch=unbatched unique
        """,
    },
    "debugging": {
        "top": """
            Assert assert_all_finite=verify_tensor_all_finite assert_equal assert_greater assert_greater_equal
            assert_integer assert_less assert_less_equal assert_near assert_negative assert_non_negative
            assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank
            assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar assert_type check_numerics
            is_finite is_inf is_nan is_non_decreasing is_numeric_tensor is_strictly_increasing
        """,
        "lib.shape_checks": "assert_shapes",
        "lib.debugging_options": """
            disable_check_numerics disable_traceback_filtering enable_check_numerics enable_traceback_filtering
            get_log_device_placement is_traceback_filtering_enabled set_log_device_placement
        """,
    },
    "dtypes": {
        "graph.type_specs": "DType",
        "datatypes": """
            as_dtype QUANTIZED_DTYPES bfloat16 bool complex128 complex64 double float16 float32 float64 half int16
            int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
        """,
        "top": "as_string cast complex saturate_cast",
    },
    "image": {
        "lib.image_geometry": """
            central_crop crop_to_bounding_box flip_left_right flip_up_down pad_to_bounding_box random_flip_left_right
            random_flip_up_down resize_image_with_crop_or_pad resize_with_crop_or_pad=resize_image_with_crop_or_pad
            rot90 transpose transpose_image=transpose
        """,
        "lib.image_resize": """
            ResizeMethod resize=resize_images resize_bicubic resize_bilinear resize_image_with_pad resize_images
            resize_nearest_neighbor
        """,
        "lib.image_color": """
            adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality adjust_saturation
            convert_image_dtype grayscale_to_rgb per_image_standardization random_brightness random_contrast random_hue
            random_jpeg_quality random_saturation rgb_to_grayscale rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb
        """,
        "lib.image_files": "decode_image encode_png is_jpeg",
        "lib.image_boxes": """
            combined_non_max_suppression crop_and_resize draw_bounding_boxes extract_glimpse extract_image_patches
            extract_patches generate_bounding_box_proposals non_max_suppression non_max_suppression_overlaps
            non_max_suppression_padded non_max_suppression_with_scores sample_distorted_bounding_box
        """,
        "lib.image_quality": "image_gradients psnr sobel_edges ssim ssim_multiscale total_variation",
        "top": "random_crop",
        "op": """
            decode_and_crop_jpeg=DecodeAndCropJpeg decode_bmp=DecodeBmp decode_gif=DecodeGif decode_jpeg=DecodeJpeg
            decode_jxl=DecodeJxl decode_png=DecodePng decode_webp=DecodeWebP encode_jpeg=EncodeJpeg
            extract_jpeg_shape=ExtractJpegShape hsv_to_rgb=HSVToRGB resize_area=ResizeArea rgb_to_hsv=RGBToHSV
        """,
    },
    "initializers": {
        "lib.initializers": """
            constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal he_uniform
            identity=Identity lecun_normal lecun_uniform ones=Ones orthogonal=Orthogonal random_normal=RandomNormal
            random_uniform=RandomUniform truncated_normal=TruncatedNormal uniform_unit_scaling=UniformUnitScaling
            variance_scaling=VarianceScaling zeros=Zeros
        """,
        "top": """
            global_variables=global_variables_initializer local_variables=local_variables_initializer tables_initializer
            variables=variables_initializer
        """,
    },
    "flags": {
        "scripts.flags": """
            ArgumentParser ArgumentSerializer BaseListParser BooleanFlag BooleanParser CantOpenFlagFileError
            CsvListSerializer DEFINE DEFINE_alias DEFINE_bool DEFINE_boolean DEFINE_enum DEFINE_enum_class DEFINE_flag
            DEFINE_float DEFINE_integer DEFINE_list DEFINE_multi DEFINE_multi_enum DEFINE_multi_enum_class
            DEFINE_multi_float DEFINE_multi_integer DEFINE_multi_string DEFINE_spaceseplist DEFINE_string
            DuplicateFlagError EnumClassFlag EnumClassListSerializer EnumClassParser EnumClassSerializer EnumFlag
            EnumParser Error FLAGS Flag FlagHolder FlagNameConflictsWithMethodError FlagValues FloatParser
            IllegalFlagValueError IntegerParser ListParser ListSerializer MultiEnumClassFlag MultiFlag
            UnparsedFlagAccessError UnrecognizedFlagError ValidationError WhitespaceSeparatedListParser
            adopt_module_key_flags declare_key_flag disclaim_key_flags doc_to_help flag_dict_to_args get_help_width
            mark_bool_flags_as_mutual_exclusive mark_flag_as_required mark_flags_as_mutual_exclusive
            mark_flags_as_required multi_flags_validator override_value register_multi_flags_validator
            register_validator set_default text_wrap validator
        """,
    },
    "gfile": {
        "lib.files": """
            Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs MkDir Open=GFile
            Remove Rename Stat Walk
        """,
    },
    "io": {
        "module": "gfile",
        "lib.image_files": "decode_image encode_png is_jpeg",
        "lib.input": "match_filenames_once",
        "lib.record_files": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
        "saver.meta_files": "write_graph",
        "lib.parsing": "parse_sequence_example",
        "lib.parsing_features": "RaggedFeature",
        "top": """
            FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
            SparseFeature VarLenFeature decode_base64 decode_compressed decode_csv decode_json_example decode_raw
            deserialize_many_sparse encode_base64 matching_files parse_example
            parse_single_example parse_single_sequence_example parse_tensor read_file serialize_many_sparse
            serialize_sparse serialize_tensor write_file
        """,
        "op": """
            decode_and_crop_jpeg=DecodeAndCropJpeg decode_bmp=DecodeBmp decode_gif=DecodeGif decode_jpeg=DecodeJpeg
            decode_jxl=DecodeJxl decode_png=DecodePng decode_proto=DecodeProtoV2 decode_webp=DecodeWebP
            encode_jpeg=EncodeJpeg encode_proto=EncodeProto extract_jpeg_shape=ExtractJpegShape
        """,
    },
    "python_io": {
        "lib.record_files": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
    },
    "io.gfile": {
        "lib.files": """
            GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename
            rmtree stat walk
        """,
    },
    "logging": {
        "lib.messages": """
            DEBUG ERROR FATAL INFO WARN TaskLevelStatusMessage debug error fatal flush get_verbosity info log
            log_every_n log_first_n log_if set_verbosity vlog warn warning
        """,
    },
    "graph_util": {
        "transforms.subgraphs": """
            convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes
            tensor_shape_from_node_def_name
        """,
        "graph.import_graph": "import_graph_def",
    },
    "graphs": {
        "analysis.op_coverage": "Coverage FamilyCoverage coverage",
        "analysis.graph_io": "GraphInput GraphIO GraphOutput io=graph_io",
        "analysis.graph_ops": "GraphOps MissingNode OpCount ops=graph_ops",
        "analysis.graph_dot": "dot=graph_dot",
        "analysis.graph_diff": "Change GraphDiff diff=graph_diff",
        "analysis.graph_match": "GraphMatch match=graph_match",
        "analysis.graph_costs": "GraphCosts ScopeCost costs=graph_costs",
        "transforms.freezing": "freeze",
        "transforms.stripping": "extract strip",
        "transforms.optimizing": "optimize",
        "transforms.fixing": "fix",
        "transforms.downgrading": "downgrade",
        "graph_conversion": "GraphConversion convert",
        "analysis.oldest_version": "OldestVersion VersionReason oldest_version",
        "transforms.casting": "cast=cast_constants",
        "transforms.renaming": "rename stitch",
        "transforms.external_constants": "unconst",
        "transforms.reports": "Check PassReport Transformed",
        "analysis.graph_overview": "GraphOverview SignatureRow TensorRow overview=graph_overview",
    },
    "lookup": {
        "module": "experimental",
        "lib.lookup": """
            HashTable KeyValueTensorInitializer LookupInterface StaticHashTable TextFileIdTableInitializer TextFileIndex
            TextFileInitializer TextFileStringTableInitializer
        """,
        "lib.lookup_vocabulary": """
            FastHashSpec HasherSpec IdTableWithHashBuckets StaticVocabularyTable StrongHashSpec index_table_from_file
            index_table_from_tensor index_to_string_table_from_file index_to_string_table_from_tensor
        """,
        "lib.lookup_mutable": "MutableDenseHashTable=DenseHashTable MutableHashTable",
    },
    "lookup.experimental": {
        "lib.lookup_mutable": "DenseHashTable MutableHashTable",
    },
    "manip": {
        "top": "batch_to_space_nd gather_nd reshape reverse roll scatter_nd space_to_batch_nd tile",
    },
    "math": {
        "module": "special",
        "lib.math_elementwise": """
            erfcinv erfinv multiply_no_nan ndtri polyval reciprocal_no_nan xdivy xlog1py divide_no_nan=div_no_nan
        """,
        "lib.math_reduce": "reduce_euclidean_norm reduce_std reduce_variance",
        "lib.math_properties": "is_non_decreasing is_strictly_increasing zero_fraction",
        "lib.math_range": "cumulative_logsumexp sobol_sample",
        "lib.math_special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        "lib.nn_activations": "log_softmax softmax softplus",
        "lib.nn_normalization": "l2_normalize",
        "lib.nn_top_k": "approx_max_k approx_min_k in_top_k top_k",
        "top": """
            abs accumulate_n acos acosh add add_n angle argmax argmin asin asinh atan atan2 atanh betainc bincount ceil
            confusion_matrix conj cos cosh count_nonzero cumprod cumsum digamma divide equal erf erfc exp expm1 floor
            floordiv floormod greater greater_equal igamma igammac imag invert_permutation is_finite is_inf is_nan lbeta
            less less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum
            mod multiply negative not_equal polygamma pow real reciprocal reduce_all reduce_any reduce_logsumexp
            reduce_max reduce_mean reduce_min reduce_prod reduce_sum rint round rsqrt scalar_mul segment_max
            segment_mean segment_min segment_prod segment_sum sigmoid sign sin sinh sqrt square squared_difference
            subtract tan tanh truediv unsorted_segment_max unsorted_segment_mean unsorted_segment_min
            unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum zeta
        """,
        "op": "nextafter=NextAfter softsign=Softsign xlogy=Xlogy",
    },
    "math.special": {
        "lib.math_special": """
            bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e
            bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
        """,
    },
    "nest": {
        "lib.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    },
    "quantization": {
        "lib.quantization": "dequantize quantize quantize_and_dequantize quantize_and_dequantize_v2",
        "top": """
            fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
            fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
            fake_quant_with_min_max_vars_per_channel_gradient quantized_concat
        """,
    },
    "random": {
        "lib.random_draws": """
            categorical gamma=random_gamma normal=random_normal poisson=random_poisson shuffle=random_shuffle
            uniform=random_uniform
        """,
        "lib.random_generator": "Generator create_rng_state get_global_generator set_global_generator",
        "lib.random_stateless": """
            Algorithm fold_in split stateless_binomial=stateless_random_binomial stateless_categorical
            stateless_gamma=stateless_random_gamma stateless_multinomial stateless_normal=stateless_random_normal
            stateless_parameterized_truncated_normal stateless_poisson=stateless_random_poisson
            stateless_truncated_normal stateless_uniform=stateless_random_uniform
        """,
        "lib.nn_sampling": """
            all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler
            log_uniform_candidate_sampler uniform_candidate_sampler
        """,
        "top": "get_seed multinomial set_random_seed truncated_normal",
    },
    "timeline": {"runtime.chrome_trace": "Timeline"},
    "sets": {
        "lib.sets": """
            difference=set_difference intersection=set_intersection set_difference set_intersection set_size set_union
            size=set_size union=set_union
        """,
    },
    "signal": {
        "lib.signal_fourier": """
            rfft rfft2d rfft3d irfft irfft2d irfft3d fftnd ifftnd rfftnd irfftnd fftshift ifftshift
        """,
        "lib.signal_cosine": "dct idct",
        "lib.signal_frames": "frame overlap_and_add",
        "lib.signal_windows": """
            hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window
        """,
        "lib.signal_spectrograms": """
            inverse_mdct inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix mdct
            mfccs_from_log_mel_spectrograms stft
        """,
        "top": "fft fft2d fft3d ifft ifft2d ifft3d",
    },
    "sparse": {
        "lib.sparse_convert": "eye=sparse_eye from_dense",
        "lib.sparse_layout": "expand_dims=sparse_expand_dims",
        "lib.sparse_arithmetic": """
            bincount=sparse_bincount cross=sparse_cross cross_hashed=sparse_cross_hashed
            matmul=sparse_tensor_dense_matmul sparse_dense_matmul=sparse_tensor_dense_matmul
        """,
        "top": """
            SparseConditionalAccumulator
            SparseTensor add=sparse_add concat=sparse_concat fill_empty_rows=sparse_fill_empty_rows mask=sparse_mask
            maximum=sparse_maximum merge=sparse_merge minimum=sparse_minimum placeholder=sparse_placeholder
            reduce_max=sparse_reduce_max reduce_max_sparse=sparse_reduce_max_sparse reduce_sum=sparse_reduce_sum
            reduce_sum_sparse=sparse_reduce_sum_sparse reorder=sparse_reorder reset_shape=sparse_reset_shape
            reshape=sparse_reshape retain=sparse_retain segment_mean=sparse_segment_mean
            segment_sqrt_n=sparse_segment_sqrt_n segment_sum=sparse_segment_sum slice=sparse_slice
            softmax=sparse_softmax split=sparse_split to_dense=sparse_tensor_to_dense
            to_indicator=sparse_to_indicator transpose=sparse_transpose
        """,
    },
    "spectral": {
        "lib.signal_fourier": "rfft rfft2d rfft3d irfft irfft2d irfft3d",
        "lib.signal_cosine": "dct idct",
        "top": "fft fft2d fft3d ifft ifft2d ifft3d",
    },
    "compat": {
        "module": "v1",
        "lib.text": "as_bytes as_str as_str_any as_text path_to_bytes path_to_str",
        "lib.compatibility": """
            bytes_or_text_types complex_types forward_compatibility_horizon forward_compatible integral_types real_types
        """,
        "top": "dimension_at_index dimension_value",
    },
    "summary": {
        "proto": "SummaryDescription TaggedRunMetadata",
        "lib.summaries": """
            audio get_summary_description histogram image merge merge_all scalar tensor_summary text
        """,
        "training.file_writer": "FileWriter FileWriterCache all_v2_summary_ops initialize",
        "top": "Event SessionLog Summary",
    },
    "sysconfig": {
        "scripts.places": """
            CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_build_info get_compile_flags get_include get_lib
            get_link_flags
        """,
    },
    "test": {
        "scripts.testing": """
            TestCase assert_equal_graph_def get_temp_dir gpu_device_name is_built_with_cuda is_built_with_gpu_support
            is_built_with_rocm is_built_with_xla is_cpu_target_available is_gpu_available main mock test_src_dir_path
        """,
        "scripts.gradient_checks": "compute_gradient compute_gradient_error",
        "scripts.modes": "disable_with_predicate with_eager_op_as_function",
        "scripts.benchmarks": "Benchmark benchmark_config",
        "scripts.stubs": "StubOutForTesting",
        "training.local_cluster": "create_local_cluster",
    },
    "queue": {"top": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"},
    "train": {
        "module": "queue_runner",
        "training.coordinator": "Coordinator LooperThread",
        "training.queue_runner": "start_queue_runners",
        "lib.queue_runner": "QueueRunner add_queue_runner",
        "lib.input": """
            input_producer limit_epochs match_filenames_once range_input_producer slice_input_producer
            string_input_producer
        """,
        "lib.input_batches": """
            batch batch_join maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join shuffle_batch
            shuffle_batch_join
        """,
        "proto": """
            BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef SaverDef
            SequenceExample ServerDef
        """,
        "saver.saver": "Saver",
        "saver.state": """
            checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state
            remove_checkpoint update_checkpoint_state
        """,
        "checkpoint.state_file": "latest_checkpoint",
        "saver.inspection": """
            NewCheckpointReader=new_checkpoint_reader checkpoints_iterator list_variables load_checkpoint load_variable
        """,
        "saver.meta_files": "export_meta_graph import_meta_graph write_graph",
        "lib.learning_rates": """
            cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay
            natural_exp_decay noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay=piecewise_constant
            polynomial_decay
        """,
        "training.cluster": "ClusterSpec",
        "training.server": "Server",
        "lib.moving_averages": "ExponentialMovingAverage",
        "optimizers.optimizer": "Optimizer",
        "optimizers.descent": """
            AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer FtrlOptimizer GradientDescentOptimizer
            MomentumOptimizer ProximalAdagradOptimizer ProximalGradientDescentOptimizer RMSPropOptimizer
        """,
        "optimizers.adam": "AdamOptimizer",
        "training.sync_replicas": "SyncReplicasOptimizer",
        "training.device_setter": "replica_device_setter",
        "training.session_run_hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
        "training.session_manager": "SessionManager",
        "training.scaffold": "Scaffold",
        "training.session_creators": "ChiefSessionCreator SessionCreator WorkerSessionCreator",
        "training.monitored_session": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession",
        "training.hooks_timing": "SecondOrStepTimer",
        "training.hooks_saving": "CheckpointSaverHook CheckpointSaverListener",
        "training.hooks_reporting": "LoggingTensorHook ProfilerHook StepCounterHook SummarySaverHook",
        "training.hooks_stopping": """
            FeedFnHook FinalOpsHook GlobalStepWaiterHook NanLossDuringTrainingError NanTensorHook StopAtStepHook
        """,
        "training.supervisor": "Supervisor",
        "training.basic_loops": "basic_train_loop",
        "training.event_files": "summary_iterator",
        "training.checkpoint": "Checkpoint",
        "training.checkpoint_options": "CheckpointOptions",
        "training.checkpoint_manager": "CheckpointManager",
        "training.init_from_checkpoint": "init_from_checkpoint",
        "training.warm_start": "VocabInfo warm_start",
        "lib.global_step": """
            assert_global_step create_global_step get_global_step get_or_create_global_step global_step
        """,
        "op": "sdca_fprint=SdcaFprint sdca_optimizer=SdcaOptimizer sdca_shrink_l1=SdcaShrinkL1",
    },
    "train.queue_runner": {
        "training.queue_runner": "start_queue_runners",
        "lib.queue_runner": "QueueRunner add_queue_runner",
    },
    "resource_loader": {
        "scripts.places": """
            get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource readahead_file_path
        """,
    },
    "saved_model": {
        "module": """
            builder constants loader main_op signature_constants signature_def_utils tag_constants utils
        """,
        "saved_models.assets": "Asset",
        "saved_models.builder": "Builder=SavedModelBuilder simple_save",
        "saved_models.loader": """
            contains_saved_model=maybe_saved_model_directory load maybe_saved_model_directory
        """,
        "saved_models.main_op": "main_op_with_restore",
        "saved_models.options": "SaveOptions load_v2",
        "saved_models.saving": "save",
        "saved_models.constants": """
            ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
            CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY
            GPU LEGACY_INIT_OP_KEY MAIN_OP_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS
            REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS SAVED_MODEL_FILENAME_PB
            SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING TPU TRAINING VARIABLES_DIRECTORY
            VARIABLES_FILENAME
        """,
        "saved_models.signatures": """
            build_signature_def build_tensor_info classification_signature_def get_tensor_from_tensor_info
            is_valid_signature predict_signature_def regression_signature_def
        """,
    },
    "saved_model.builder": {
        "saved_models.builder": "SavedModelBuilder",
    },
    "saved_model.loader": {
        "saved_models.loader": "load maybe_saved_model_directory",
    },
    "saved_model.main_op": {
        "saved_models.main_op": "main_op main_op_with_restore",
    },
    "saved_model.constants": {
        "saved_models.constants": """
            ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB LEGACY_INIT_OP_KEY
            MAIN_OP_KEY SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION
            VARIABLES_DIRECTORY VARIABLES_FILENAME
        """,
    },
    "saved_model.signature_constants": {
        "saved_models.constants": """
            CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES
            DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS
            REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
        """,
    },
    "saved_model.signature_def_utils": {
        "saved_models.method_names": "MethodNameUpdater",
        "saved_models.signatures": """
            build_signature_def classification_signature_def is_valid_signature predict_signature_def
            regression_signature_def
        """,
    },
    "saved_model.tag_constants": {
        "saved_models.constants": "GPU SERVING TPU TRAINING",
    },
    "saved_model.utils": {
        "saved_models.signatures": "build_tensor_info get_tensor_from_tensor_info",
    },
    "version": {
        "top": """
            COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER
            VERSION
        """,
    },
}
