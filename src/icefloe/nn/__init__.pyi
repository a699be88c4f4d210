# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.nn_sampling import all_candidate_sampler as all_candidate_sampler
from icefloe.lib.nn_top_k import approx_max_k as approx_max_k
from icefloe.lib.nn_top_k import approx_min_k as approx_min_k
from icefloe.lib.nn_convolution import atrous_conv2d as atrous_conv2d
from icefloe.lib.nn_transposed import atrous_conv2d_transpose as atrous_conv2d_transpose
from icefloe.lib.nn_pooling import avg_pool as avg_pool
from icefloe.lib.nn_pooling import avg_pool1d as avg_pool1d
from icefloe.lib.nn_pooling import avg_pool as avg_pool2d
from icefloe.lib.nn_pooling import avg_pool3d as avg_pool3d
from icefloe.lib.nn_pooling import avg_pool_v2 as avg_pool_v2
from icefloe.lib.nn_normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from icefloe.lib.nn_normalization import batch_normalization as batch_normalization
from icefloe.lib.nn_activations import bias_add as bias_add
from icefloe.lib.rnn_dynamic import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from icefloe.lib.nn_ctc import collapse_repeated as collapse_repeated
from icefloe.lib.nn_sampling import compute_accidental_hits as compute_accidental_hits
from icefloe.lib.nn_averages import compute_average_loss as compute_average_loss
from icefloe.lib.nn_convolution import conv1d as conv1d
from icefloe.lib.nn_transposed import conv1d_transpose as conv1d_transpose
from icefloe.lib.nn_convolution import conv2d as conv2d
from icefloe.lib.nn_convolution import conv2d_backprop_filter as conv2d_backprop_filter
from icefloe.lib.nn_convolution import conv2d_backprop_input as conv2d_backprop_input
from icefloe.lib.nn_transposed import conv2d_transpose as conv2d_transpose
from icefloe.lib.nn_convolution import conv3d as conv3d
from icefloe.lib.nn_transposed import conv3d_transpose as conv3d_transpose
from icefloe.lib.nn_transposed import conv_transpose as conv_transpose
from icefloe.lib.nn_convolution import convolution as convolution
from icefloe.lib.nn_activations import crelu as crelu
from icefloe.lib.nn_ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from icefloe.lib.nn_ctc import ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2
from icefloe.lib.nn_ctc import ctc_greedy_decoder as ctc_greedy_decoder
from icefloe.lib.nn_ctc import ctc_loss as ctc_loss
from icefloe.lib.nn_ctc import ctc_loss_v2 as ctc_loss_v2
from icefloe.lib.nn_ctc import ctc_unique_labels as ctc_unique_labels
from icefloe.lib.array_shape import depth_to_space as depth_to_space
from icefloe.lib.nn_depthwise import depthwise_conv2d as depthwise_conv2d
from icefloe.lib.nn_depthwise import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from icefloe.lib.nn_depthwise import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from icefloe.lib.nn_depthwise import depthwise_conv2d_native as depthwise_conv2d_native
from icefloe.lib.nn_depthwise import depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter
from icefloe.lib.nn_depthwise import depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input
from icefloe.lib.nn_pooling import dilation2d as dilation2d
from icefloe.lib.nn_activations import dropout as dropout
from icefloe.lib.rnn_dynamic import dynamic_rnn as dynamic_rnn
from icefloe.lib.nn_embedding import embedding_lookup as embedding_lookup
from icefloe.lib.nn_embedding import embedding_lookup_sparse as embedding_lookup_sparse
from icefloe.lib.nn_pooling import erosion2d as erosion2d
from icefloe.lib.nn_sampling import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from icefloe.lib.nn_pooling import fractional_avg_pool as fractional_avg_pool
from icefloe.lib.nn_pooling import fractional_max_pool as fractional_max_pool
from icefloe.lib.nn_normalization import fused_batch_norm as fused_batch_norm
from icefloe.lib.nn_top_k import in_top_k as in_top_k
from icefloe.lib.nn_normalization import l2_normalize as l2_normalize
from icefloe.lib.nn_activations import leaky_relu as leaky_relu
from icefloe.lib.nn_sampling import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from icefloe.lib.nn_losses import log_poisson_loss as log_poisson_loss
from icefloe.lib.nn_activations import log_softmax as log_softmax
from icefloe.lib.nn_sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from icefloe.lib.nn_pooling import max_pool as max_pool
from icefloe.lib.nn_pooling import max_pool1d as max_pool1d
from icefloe.lib.nn_pooling import max_pool2d as max_pool2d
from icefloe.lib.nn_pooling import max_pool3d as max_pool3d
from icefloe.lib.nn_pooling import max_pool_v2 as max_pool_v2
from icefloe.lib.nn_pooling import max_pool_with_argmax as max_pool_with_argmax
from icefloe.lib.nn_normalization import moments as moments
from icefloe.lib.nn_sampling import nce_loss as nce_loss
from icefloe.lib.nn_normalization import normalize_moments as normalize_moments
from icefloe.lib.nn_pooling import pool as pool
from icefloe.lib.rnn_dynamic import raw_rnn as raw_rnn
from icefloe.lib.nn_activations import relu6 as relu6
from icefloe.lib.nn_activations import relu_layer as relu_layer
from icefloe.nn import rnn_cell as rnn_cell
from icefloe.lib.nn_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from icefloe.lib.nn_sampling import sampled_softmax_loss as sampled_softmax_loss
from icefloe.lib.nn_averages import scale_regularization_loss as scale_regularization_loss
from icefloe.lib.nn_depthwise import separable_conv2d as separable_conv2d
from icefloe.lib.math_elementwise import sigmoid as sigmoid
from icefloe.lib.nn_losses import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from icefloe.lib.nn_activations import swish as silu
from icefloe.lib.nn_activations import softmax as softmax
from icefloe.lib.nn_losses import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from icefloe.lib.nn_losses import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from icefloe.lib.nn_activations import softplus as softplus
from icefloe.lib.array_shape import space_to_batch as space_to_batch
from icefloe.lib.array_shape import space_to_depth as space_to_depth
from icefloe.lib.nn_losses import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from icefloe.lib.rnn_static import static_bidirectional_rnn as static_bidirectional_rnn
from icefloe.lib.rnn_static import static_rnn as static_rnn
from icefloe.lib.rnn_static import static_state_saving_rnn as static_state_saving_rnn
from icefloe.lib.nn_normalization import sufficient_statistics as sufficient_statistics
from icefloe.lib.nn_activations import swish as swish
from icefloe.lib.nn_top_k import top_k as top_k
from icefloe.lib.nn_sampling import uniform_candidate_sampler as uniform_candidate_sampler
from icefloe.lib.nn_losses import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from icefloe.lib.nn_normalization import weighted_moments as weighted_moments
from icefloe.lib.nn_windows import with_space_to_batch as with_space_to_batch
from icefloe.lib.nn_activations import xw_plus_b as xw_plus_b
from icefloe.lib.math_properties import zero_fraction as zero_fraction

def conv3d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NDHWC', dilations: Any = ..., name: str | None = ...) -> Any: ...
def conv3d_backprop_filter_v2(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NDHWC', dilations: Any = ..., name: str | None = ...) -> Any: ...
def elu(features: Any, name: str | None = ...) -> Any: ...
def l2_loss(t: Any, name: str | None = ...) -> Any: ...
def local_response_normalization(input: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = ...) -> Any: ...
def lrn(input: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = ...) -> Any: ...
def quantized_avg_pool(input: Any, min_input: Any, max_input: Any, ksize: Any, strides: Any, padding: Any, name: str | None = ...) -> Any: ...
def quantized_conv2d(input: Any, filter: Any, min_input: Any, max_input: Any, min_filter: Any, max_filter: Any, strides: Any, padding: Any, out_type: Any = ..., dilations: Any = ..., name: str | None = ...) -> Any: ...
def quantized_max_pool(input: Any, min_input: Any, max_input: Any, ksize: Any, strides: Any, padding: Any, name: str | None = ...) -> Any: ...
def quantized_relu_x(features: Any, max_value: Any, min_features: Any, max_features: Any, out_type: Any = ..., name: str | None = ...) -> Any: ...
def relu(features: Any, name: str | None = ...) -> Any: ...
def selu(features: Any, name: str | None = ...) -> Any: ...
def softsign(features: Any, name: str | None = ...) -> Any: ...
def tanh(x: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "avg_pool_v2",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "bidirectional_dynamic_rnn",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv2d_transpose",
    "conv3d",
    "conv3d_backprop_filter",
    "conv3d_backprop_filter_v2",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_beam_search_decoder_v2",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_loss_v2",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "dilation2d",
    "dropout",
    "dynamic_rnn",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "fused_batch_norm",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_v2",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "quantized_avg_pool",
    "quantized_conv2d",
    "quantized_max_pool",
    "quantized_relu_x",
    "raw_rnn",
    "relu",
    "relu6",
    "relu_layer",
    "rnn_cell",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "uniform_candidate_sampler",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "xw_plus_b",
    "zero_fraction",
]
