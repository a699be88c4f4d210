"""The public names: which module and attribute each stands for, and how a namespace looks them up when first asked.

`TABLE[namespace][module]` is a text of names, `name` or `name=attribute`; namespace "" is `icefloe` itself. Three
modules are not modules:

    op      the attribute is an op's name: a function that adds such a node, with the op's own signature
    proto   a message class
    module  a module below icefloe
    top     the attribute is a name of icefloe itself

`fixtures/make/public_names.py` writes the `.pyi` files from this table.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

TABLE: dict[str, dict[str, str]] = {
    "": {
        "module": """
            errors proto raw_ops bitwise compat dtypes gfile image initializers io linalg logging lookup losses manip
            math nest nn quantization queue random sets signal sparse spectral strings summary train
        """,
        "_version": "VERSION GIT_VERSION",
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
        "shapes": """
            Dimension TensorShape dimension_at_index dimension_value disable_v2_tensorshape enable_v2_tensorshape
        """,
        "errors": "OpError",
        "session": "Session InteractiveSession Config get_default_session",
        "load": "load_graph save_graph",
        "saver.graph_variables": "initializers_of saver_for variables_of",
        "identification": "identify",
        "checkpoint": "open_checkpoint save_checkpoint",
        "proto": """
            AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage MetaGraphDef
            NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata TensorInfo
        """,
        "datatypes": """
            DType as_dtype QUANTIZED_DTYPES bfloat16 bool complex128 complex64 double float16 float32 float64 half int16
            int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
        """,
        "lib.behavior": """
            executing_eagerly executing_eagerly_outside_functions disable_eager_execution disable_v2_behavior
        """,
        "lib.control_flow_toggles": "control_flow_v2_enabled disable_control_flow_v2 enable_control_flow_v2",
        "lib.control_flow_cond": "cond",
        "lib.control_flow_while": "while_loop",
        "lib.control_flow_case": "case switch_case",
        "graph.type_specs": "IndexedSlicesSpec SparseTensorSpec TensorSpec TypeSpec type_spec_from_value",
        "lib.messages": "get_logger",
        "lib.scopes": "init_scope",
        "lib.constants": "get_static_value is_tensor is_symbolic_tensor",
        "lib.array_create": """
            zeros ones zeros_like ones_like fill placeholder placeholder_with_default one_hot sequence_mask meshgrid
        """,
        "lib.array_sparse": "sparse_placeholder",
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
        "lib.tensor_array": "TensorArray",
        "lib.strings": """
            string_join string_split string_to_hash_bucket string_to_number substr=substr_deprecated reduce_join
            regex_replace
        """,
        "lib.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
        "lib.variable": "Variable VariableAggregation VariableSynchronization",
        "lib.variable_resource": """
            enable_resource_variables disable_resource_variables resource_variables_enabled
        """,
        "lib.variable_store": "AUTO_REUSE",
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
    },
    "bitwise": {
        "op": """
            bitwise_and=BitwiseAnd bitwise_or=BitwiseOr bitwise_xor=BitwiseXor invert=Invert left_shift=LeftShift
            right_shift=RightShift
        """,
    },
    "dtypes": {
        "datatypes": """
            DType as_dtype QUANTIZED_DTYPES bfloat16 bool complex128 complex64 double float16 float32 float64 half int16
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
            non_max_suppression_with_scores sample_distorted_bounding_box
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
    "gfile": {
        "lib.files": """
            Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs MkDir Open=GFile
            Remove Rename Stat Walk
        """,
    },
    "io": {
        "module": "gfile",
        "lib.image_files": "decode_image encode_png is_jpeg",
        "saver.meta_files": "write_graph",
        "lib.parsing": "parse_sequence_example",
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
    "io.gfile": {
        "lib.files": """
            GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename
            rmtree stat walk
        """,
    },
    "linalg": {
        "lib.linalg": """
            adjoint cholesky_solve eye logdet eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals lstsq=matrix_solve_ls
            norm svd tridiagonal_matmul triangular_solve=matrix_triangular_solve
        """,
        "lib.linalg_factors": """
            lu_matrix_inverse lu_reconstruct lu_solve matrix_rank pinv tridiagonal_solve
        """,
        "lib.array_diagonal": "diag=matrix_diag diag_part=matrix_diag_part set_diag=matrix_set_diag tensor_diag_part",
        "lib.math_matrix": "matvec",
        "lib.nn_normalization": "l2_normalize normalize",
        "top": "einsum global_norm matmul matrix_transpose tensordot trace transpose=matrix_transpose",
        "op": """
            band_part=MatrixBandPart cholesky=Cholesky cross=Cross det=MatrixDeterminant inv=MatrixInverse
            logm=MatrixLogarithm lu=Lu qr=Qr slogdet=LogMatrixDeterminant solve=MatrixSolve sqrtm=MatrixSquareRoot
            tensor_diag=Diag
        """,
    },
    "logging": {
        "lib.messages": """
            DEBUG ERROR FATAL INFO WARN TaskLevelStatusMessage debug error fatal flush get_verbosity info log
            log_every_n log_first_n log_if set_verbosity vlog warn warning
        """,
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
    "losses": {
        "lib.losses": """
            Reduction add_loss compute_weighted_loss get_losses get_regularization_loss get_regularization_losses
            get_total_loss mean_pairwise_squared_error
        """,
        "lib.losses_pairs": """
            absolute_difference cosine_distance hinge_loss huber_loss log_loss mean_squared_error sigmoid_cross_entropy
            softmax_cross_entropy sparse_softmax_cross_entropy
        """,
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
    "nn": {
        "lib.nn_activations": """
            crelu leaky_relu log_softmax relu6 relu_layer silu=swish swish softmax softplus xw_plus_b bias_add dropout
        """,
        "lib.nn_convolution": """
            conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv3d convolution atrous_conv2d
        """,
        "lib.nn_transposed": """
            conv1d_transpose conv2d_transpose conv3d_transpose conv_transpose atrous_conv2d_transpose
        """,
        "lib.nn_depthwise": """
            depthwise_conv2d depthwise_conv2d_native separable_conv2d depthwise_conv2d_backprop_filter
            depthwise_conv2d_backprop_input
            depthwise_conv2d_native_backprop_filter=depthwise_conv2d_backprop_filter
            depthwise_conv2d_native_backprop_input=depthwise_conv2d_backprop_input
        """,
        "lib.nn_windows": "with_space_to_batch",
        "lib.nn_pooling": """
            avg_pool avg_pool2d=avg_pool avg_pool_v2 avg_pool1d avg_pool3d max_pool max_pool_v2 max_pool1d max_pool2d
            max_pool3d max_pool_with_argmax pool fractional_avg_pool fractional_max_pool dilation2d erosion2d
        """,
        "lib.nn_normalization": """
            batch_normalization batch_norm_with_global_normalization fused_batch_norm l2_normalize moments
            normalize_moments sufficient_statistics weighted_moments
        """,
        "lib.nn_losses": """
            log_poisson_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits
            softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits
            weighted_cross_entropy_with_logits
        """,
        "lib.nn_embedding": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
        "lib.nn_ctc": """
            collapse_repeated ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder ctc_loss
        """,
        "lib.math_properties": "zero_fraction",
        "lib.nn_top_k": "approx_max_k approx_min_k in_top_k top_k",
        "lib.nn_sampling": """
            all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler
            learned_unigram_candidate_sampler log_uniform_candidate_sampler nce_loss sampled_softmax_loss
            uniform_candidate_sampler
        """,
        "top": "depth_to_space sigmoid space_to_batch space_to_depth tanh",
        "op": """
            conv3d_backprop_filter=Conv3DBackpropFilterV2 conv3d_backprop_filter_v2=Conv3DBackpropFilterV2 elu=Elu
            l2_loss=L2Loss local_response_normalization=LRN lrn=LRN quantized_avg_pool=QuantizedAvgPool
            quantized_conv2d=QuantizedConv2D quantized_max_pool=QuantizedMaxPool quantized_relu_x=QuantizedReluX
            relu=Relu selu=Selu softsign=Softsign
        """,
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
    "strings": {
        "lib.strings": """
            format=string_format join=string_join length=string_length reduce_join regex_full_match regex_replace
            split=strings_split substr to_hash_bucket=string_to_hash_bucket to_number=string_to_number
            unsorted_segment_join
        """,
        "op": """
            as_string=AsString lower=StringLower strip=StringStrip to_hash_bucket_fast=StringToHashBucketFast
            to_hash_bucket_strong=StringToHashBucketStrong unicode_script=UnicodeScript
            unicode_transcode=UnicodeTranscode upper=StringUpper
        """,
    },
    "compat": {
        "module": "v1",
        "lib.text": "as_bytes as_str as_str_any as_text path_to_bytes path_to_str",
        "top": "dimension_at_index dimension_value",
    },
    "summary": {
        "proto": "SummaryDescription TaggedRunMetadata",
        "lib.summaries": """
            audio get_summary_description histogram image merge merge_all scalar tensor_summary text
        """,
        "top": "Event SessionLog Summary",
    },
    "queue": {"top": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"},
    "train": {
        "proto": """
            BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef SaverDef
            SequenceExample
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
        "lib.moving_averages": "ExponentialMovingAverage",
        "lib.global_step": """
            assert_global_step create_global_step get_global_step get_or_create_global_step global_step
        """,
        "op": "sdca_fprint=SdcaFprint sdca_optimizer=SdcaOptimizer sdca_shrink_l1=SdcaShrinkL1",
    },
}

_Entry = tuple[str, str]


@functools.cache
def entries(namespace: str) -> dict[str, _Entry]:
    """Return the names of a namespace and, for each, its module and attribute as `TABLE` has them."""
    found: dict[str, _Entry] = {}
    for module, words in TABLE[namespace].items():
        for word in words.split():
            name, _, attribute = word.partition("=")
            if module == "top":
                found[name] = entries("")[attribute or name]
            else:
                found[name] = (module, attribute or name)
    return found


def resolve(namespace: str, name: str, entry: _Entry) -> Any:
    """Return the object that a name stands for, importing its module."""
    module, attribute = entry
    if module == "op":
        from icefloe.lib.op_functions import op_function

        return op_function(attribute, name, f"icefloe.{namespace}" if namespace else "icefloe")
    if module == "module":
        return importlib.import_module(f"icefloe.{namespace}.{attribute}" if namespace else f"icefloe.{attribute}")
    return getattr(importlib.import_module(f"icefloe.{module}"), attribute)


def lazy(namespace: str, scope: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of the module whose globals are `scope`."""

    def get(name: str) -> Any:
        entry = None if name.startswith("__") else entries(namespace).get(name)
        if entry is None:
            raise AttributeError(f"module {scope['__name__']!r} has no attribute {name!r}")
        value = scope[name] = resolve(namespace, name, entry)
        return value

    def listing() -> list[str]:
        return sorted({*scope, *entries(namespace)})

    return get, listing, sorted(entries(namespace))
