"""The names of the namespaces that networks are made of: layers, losses, metrics, tf.nn; see `_names`."""

NAMES: dict[str, dict[str, str]] = {
    "layers": {
        "lib.layer_base": "InputSpec Layer",
        "lib.layer_core": "Dense Dropout Flatten dense dropout flatten",
        "lib.layer_convolution": "Conv1D Conv2D Conv3D conv1d conv2d conv3d",
        "lib.layer_transposed": "Conv2DTranspose Conv3DTranspose conv2d_transpose conv3d_transpose",
        "lib.layer_separable": "SeparableConv1D SeparableConv2D separable_conv1d separable_conv2d",
        "lib.layer_pooling": """
            AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D
            average_pooling1d average_pooling2d average_pooling3d max_pooling1d max_pooling2d max_pooling3d
        """,
        "lib.layer_normalization": "BatchNormalization batch_normalization",
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
    "metrics": {
        "lib.metrics_means": """
            accuracy mean mean_absolute_error mean_cosine_distance mean_iou mean_per_class_accuracy
            mean_relative_error mean_squared_error mean_tensor percentage_below root_mean_squared_error
        """,
        "lib.metrics_counts": "false_negatives false_positives precision recall true_negatives true_positives",
        "lib.metrics_thresholds": """
            auc false_negatives_at_thresholds false_positives_at_thresholds precision_at_thresholds recall_at_thresholds
            sensitivity_at_specificity specificity_at_sensitivity true_negatives_at_thresholds
            true_positives_at_thresholds
        """,
        "lib.metrics_top_k": """
            average_precision_at_k precision_at_k precision_at_top_k recall_at_k recall_at_top_k
            sparse_average_precision_at_k=average_precision_at_k sparse_precision_at_k=precision_at_k
        """,
    },
    "nn": {
        "module": "rnn_cell",
        "lib.rnn_dynamic": "bidirectional_dynamic_rnn dynamic_rnn raw_rnn",
        "lib.rnn_static": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
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
        "lib.nn_averages": "compute_average_loss scale_regularization_loss",
        "lib.nn_ctc": """
            collapse_repeated ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder ctc_loss
            ctc_loss_v2 ctc_unique_labels
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
    "nn.rnn_cell": {
        "lib.rnn_cells": "BasicLSTMCell BasicRNNCell GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell",
        "lib.rnn_wrappers": "DeviceWrapper DropoutWrapper ResidualWrapper",
    },
}
