# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.variable_store import AUTO_REUSE as AUTO_REUSE
from icefloe.autodiff.aggregation import AggregationMethod as AggregationMethod
from icefloe.lib.checks import Assert as Assert
from icefloe.proto import AttrValue as AttrValue
from icefloe._version import COMPILER_VERSION as COMPILER_VERSION
from icefloe.lib.behavior import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from icefloe.lib.behavior import CXX_VERSION as CXX_VERSION
from icefloe.lib.data_flow import ConditionalAccumulator as ConditionalAccumulator
from icefloe.lib.data_flow import ConditionalAccumulatorBase as ConditionalAccumulatorBase
from icefloe.session import Config as Config
from icefloe.proto import ConfigProto as ConfigProto
from icefloe.lib.critical_section import CriticalSection as CriticalSection
from icefloe.graph.type_specs import DType as DType
from icefloe.graph.device_spec import DeviceSpec as DeviceSpec
from icefloe.shapes import Dimension as Dimension
from icefloe.proto import Event as Event
from icefloe.lib.queues import FIFOQueue as FIFOQueue
from icefloe.lib.parsing_features import FixedLenFeature as FixedLenFeature
from icefloe.lib.parsing_features import FixedLenSequenceFeature as FixedLenSequenceFeature
from icefloe.lib.readers import FixedLengthRecordReader as FixedLengthRecordReader
from icefloe._version import GIT_VERSION as GIT_VERSION
from icefloe.proto import GPUOptions as GPUOptions
from icefloe.graph.graph import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from icefloe.graph.graph import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from icefloe.graph.graph import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from icefloe.autodiff.tape import GradientTape as GradientTape
from icefloe.graph.graph import Graph as Graph
from icefloe.proto import GraphDef as GraphDef
from icefloe.graph.collections import GraphKeys as GraphKeys
from icefloe.proto import GraphOptions as GraphOptions
from icefloe.proto import HistogramProto as HistogramProto
from icefloe.lib.readers import IdentityReader as IdentityReader
from icefloe.graph.indexed_slices import IndexedSlices as IndexedSlices
from icefloe.graph.type_specs import IndexedSlicesSpec as IndexedSlicesSpec
from icefloe.session import InteractiveSession as InteractiveSession
from icefloe.lib.readers import LMDBReader as LMDBReader
from icefloe.saved_models.loading import LoadedModel as LoadedModel
from icefloe.proto import LogMessage as LogMessage
from icefloe.lib.behavior import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from icefloe.proto import MetaGraphDef as MetaGraphDef
from icefloe.lib.module import Module as Module
from icefloe.proto import NameAttrList as NameAttrList
from icefloe.autodiff.registration import not_differentiable as NoGradient
from icefloe.proto import NodeDef as NodeDef
from icefloe.graph.type_specs import NoneTensorSpec as NoneTensorSpec
from icefloe.autodiff.registration import not_differentiable as NotDifferentiable
from icefloe.errors import OpError as OpError
from icefloe.graph.operation import Operation as Operation
from icefloe.proto import OptimizerOptions as OptimizerOptions
from icefloe.lib.data_optional import OptionalSpec as OptionalSpec
from icefloe.lib.queues import PaddingFIFOQueue as PaddingFIFOQueue
from icefloe.lib.printing import Print as Print
from icefloe.lib.queues import PriorityQueue as PriorityQueue
from icefloe.datatypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from icefloe.lib.queues import QueueBase as QueueBase
from icefloe.lib.ragged_tensor import RaggedTensor as RaggedTensor
from icefloe.lib.ragged_spec import RaggedTensorSpec as RaggedTensorSpec
from icefloe.lib.queues import RandomShuffleQueue as RandomShuffleQueue
from icefloe.lib.readers import ReaderBase as ReaderBase
from icefloe.autodiff.registration import RegisterGradient as RegisterGradient
from icefloe.proto import RunMetadata as RunMetadata
from icefloe.proto import RunOptions as RunOptions
from icefloe.session import Session as Session
from icefloe.proto import SessionLog as SessionLog
from icefloe.lib.data_flow import SparseConditionalAccumulator as SparseConditionalAccumulator
from icefloe.lib.parsing_features import SparseFeature as SparseFeature
from icefloe.graph.sparse_tensor import SparseTensor as SparseTensor
from icefloe.graph.type_specs import SparseTensorSpec as SparseTensorSpec
from icefloe.graph.sparse_tensor import SparseTensorValue as SparseTensorValue
from icefloe.proto import Summary as Summary
from icefloe.proto import SummaryMetadata as SummaryMetadata
from icefloe.lib.readers import TFRecordReader as TFRecordReader
from icefloe.graph.tensor import Tensor as Tensor
from icefloe.lib.tensor_array import TensorArray as TensorArray
from icefloe.lib.tensor_array import TensorArraySpec as TensorArraySpec
from icefloe.proto import TensorInfo as TensorInfo
from icefloe.shapes import TensorShape as TensorShape
from icefloe.graph.type_specs import TensorSpec as TensorSpec
from icefloe.lib.readers import TextLineReader as TextLineReader
from icefloe.graph.type_specs import TypeSpec as TypeSpec
from icefloe.autodiff.walk import UnconnectedGradients as UnconnectedGradients
from icefloe._version import VERSION as VERSION
from icefloe.lib.parsing_features import VarLenFeature as VarLenFeature
from icefloe.lib.variable import Variable as Variable
from icefloe.lib.variable import VariableAggregation as VariableAggregation
from icefloe.lib.variable_scope import VariableScope as VariableScope
from icefloe.lib.variable import VariableSynchronization as VariableSynchronization
from icefloe.lib.readers import WholeFileReader as WholeFileReader
from icefloe.lib.math_elementwise import abs as abs
from icefloe.lib.math_elementwise import accumulate_n as accumulate_n
from icefloe.lib.math_elementwise import acos as acos
from icefloe.lib.math_elementwise import add as add
from icefloe.lib.control import add_check_numerics_ops as add_check_numerics_ops
from icefloe.lib.math_elementwise import add_n as add_n
from icefloe.graph.default_graph import add_to_collection as add_to_collection
from icefloe.graph.default_graph import add_to_collections as add_to_collections
from icefloe.lib.variable_lists import all_variables as all_variables
from icefloe.lib.math_elementwise import angle as angle
from icefloe import app as app
from icefloe.lib.math_reduce import argmax as argmax
from icefloe.lib.math_reduce import argmin as argmin
from icefloe.lib.math_segment import argsort as argsort
from icefloe.datatypes import as_dtype as as_dtype
from icefloe.lib.checks import assert_equal as assert_equal
from icefloe.lib.checks import assert_greater as assert_greater
from icefloe.lib.checks import assert_greater_equal as assert_greater_equal
from icefloe.lib.checks import assert_integer as assert_integer
from icefloe.lib.checks import assert_less as assert_less
from icefloe.lib.checks import assert_less_equal as assert_less_equal
from icefloe.lib.checks import assert_near as assert_near
from icefloe.lib.checks import assert_negative as assert_negative
from icefloe.lib.checks import assert_non_negative as assert_non_negative
from icefloe.lib.checks import assert_non_positive as assert_non_positive
from icefloe.lib.checks import assert_none_equal as assert_none_equal
from icefloe.lib.checks import assert_positive as assert_positive
from icefloe.lib.checks import assert_proper_iterable as assert_proper_iterable
from icefloe.lib.checks import assert_rank as assert_rank
from icefloe.lib.checks import assert_rank_at_least as assert_rank_at_least
from icefloe.lib.checks import assert_rank_in as assert_rank_in
from icefloe.lib.checks import assert_same_float_dtype as assert_same_float_dtype
from icefloe.lib.checks import assert_scalar as assert_scalar
from icefloe.lib.checks import assert_type as assert_type
from icefloe.lib.variable_lists import assert_variables_initialized as assert_variables_initialized
from icefloe.lib.assignments import assign as assign
from icefloe.lib.assignments import assign_add as assign_add
from icefloe.lib.assignments import assign_sub as assign_sub
from icefloe import audio as audio
from icefloe.lib.array_batch_gather import batch_gather as batch_gather
from icefloe.lib.assignments import batch_scatter_update as batch_scatter_update
from icefloe.lib.array_shape import batch_to_space as batch_to_space
from icefloe.datatypes import bfloat16 as bfloat16
from icefloe.lib.math_segment import bincount as bincount
from icefloe import bitwise as bitwise
from icefloe.datatypes import bool as bool
from icefloe.lib.array_select import boolean_mask as boolean_mask
from icefloe.lib.array_shape import broadcast_dynamic_shape as broadcast_dynamic_shape
from icefloe.lib.array_shape import broadcast_static_shape as broadcast_static_shape
from icefloe.lib.control_flow_case import case as case
from icefloe.lib.math_cast import cast as cast
from icefloe.lib.math_elementwise import ceil as ceil
from icefloe.lib.linalg import cholesky_solve as cholesky_solve
from icefloe import ckpt as ckpt
from icefloe.lib.math_clip import clip_by_average_norm as clip_by_average_norm
from icefloe.lib.math_clip import clip_by_global_norm as clip_by_global_norm
from icefloe.lib.math_clip import clip_by_norm as clip_by_norm
from icefloe.lib.math_clip import clip_by_value as clip_by_value
from icefloe.graph.default_graph import colocate_with as colocate_with
from icefloe import compat as compat
from icefloe.lib.math_elementwise import complex as complex
from icefloe.datatypes import complex128 as complex128
from icefloe.datatypes import complex64 as complex64
from icefloe.lib.array_join import concat as concat
from icefloe.lib.control_flow_cond import cond as cond
from icefloe import config as config
from icefloe.lib.confusion import confusion_matrix as confusion_matrix
from icefloe.lib.math_elementwise import conj as conj
from icefloe.graph.conversion import constant as constant
from icefloe.lib.initializers import Constant as constant_initializer
from icefloe.graph.default_graph import container as container
from icefloe.graph.default_graph import control_dependencies as control_dependencies
from icefloe.lib.control_flow_toggles import control_flow_v2_enabled as control_flow_v2_enabled
from icefloe.graph.conversion import convert_to_tensor as convert_to_tensor
from icefloe.graph.indexed_slices import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from icefloe.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from icefloe.lib.math_reduce import count_nonzero as count_nonzero
from icefloe.lib.assignments import count_up_to as count_up_to
from icefloe.lib.variable_partitioned import create_partitioned_variables as create_partitioned_variables
from icefloe.lib.math_range import cumprod as cumprod
from icefloe.lib.math_range import cumsum as cumsum
from icefloe.autodiff.custom import custom_gradient as custom_gradient
from icefloe import data as data
from icefloe import debugging as debugging
from icefloe.lib.parsing import decode_csv as decode_csv
from icefloe.lib.parsing import decode_json_example as decode_json_example
from icefloe.lib.parsing import decode_raw as decode_raw
from icefloe.lib.session_tensors import delete_session_tensor as delete_session_tensor
from icefloe.lib.array_shape import depth_to_space as depth_to_space
from icefloe.lib.quantization import dequantize as dequantize
from icefloe.saved_models.describing import describe_saved_model as describe_saved_model
from icefloe.lib.sparse_convert import deserialize_many_sparse as deserialize_many_sparse
from icefloe.graph.default_graph import device as device
from icefloe.lib.array_diagonal import tensor_diag_part as diag_part
from icefloe.shapes import dimension_at_index as dimension_at_index
from icefloe.shapes import dimension_value as dimension_value
from icefloe.lib.control_flow_toggles import disable_control_flow_v2 as disable_control_flow_v2
from icefloe.lib.behavior import disable_eager_execution as disable_eager_execution
from icefloe.lib.variable_resource import disable_resource_variables as disable_resource_variables
from icefloe.graph.tensor import disable_tensor_equality as disable_tensor_equality
from icefloe.lib.behavior import disable_v2_behavior as disable_v2_behavior
from icefloe.shapes import disable_v2_tensorshape as disable_v2_tensorshape
from icefloe import distributions as distributions
from icefloe.lib.math_elementwise import div as div
from icefloe.lib.math_elementwise import div_no_nan as div_no_nan
from icefloe.lib.math_elementwise import divide as divide
from icefloe.datatypes import double as double
from icefloe import dtypes as dtypes
from icefloe.lib.array_select import edit_distance as edit_distance
from icefloe.lib.math_matrix import einsum as einsum
from icefloe.lib.control_flow_toggles import enable_control_flow_v2 as enable_control_flow_v2
from icefloe.lib.behavior import enable_eager_execution as enable_eager_execution
from icefloe.lib.variable_resource import enable_resource_variables as enable_resource_variables
from icefloe.graph.tensor import enable_tensor_equality as enable_tensor_equality
from icefloe.lib.behavior import enable_v2_behavior as enable_v2_behavior
from icefloe.shapes import enable_v2_tensorshape as enable_v2_tensorshape
from icefloe.lib.checks import ensure_shape as ensure_shape
from icefloe.lib.math_elementwise import equal as equal
from icefloe import errors as errors
from icefloe.scripts.running import exec_script as exec_script
from icefloe.lib.behavior import executing_eagerly as executing_eagerly
from icefloe.lib.behavior import executing_eagerly_outside_functions as executing_eagerly_outside_functions
from icefloe.lib.math_elementwise import exp as exp
from icefloe.lib.array_shape import expand_dims as expand_dims
from icefloe.lib.image_boxes import extract_image_patches as extract_image_patches
from icefloe.lib.linalg import eye as eye
from icefloe import feature_column as feature_column
from icefloe.lib.array_create import fill as fill
from icefloe.lib.array_select import fingerprint as fingerprint
from icefloe.lib.variable_partitioned import fixed_size_partitioner as fixed_size_partitioner
from icefloe import flags as flags
from icefloe.datatypes import float16 as float16
from icefloe.datatypes import float32 as float32
from icefloe.datatypes import float64 as float64
from icefloe.lib.math_elementwise import floor as floor
from icefloe.lib.math_elementwise import floordiv as floordiv
from icefloe.lib.functional import foldl as foldl
from icefloe.lib.functional import foldr as foldr
from icefloe.lib.traced_functions import function as function
from icefloe.lib.array_select import gather as gather
from icefloe.lib.array_select import gather_nd as gather_nd
from icefloe.graph.default_graph import get_collection as get_collection
from icefloe.graph.default_graph import get_collection_ref as get_collection_ref
from icefloe.graph.graph import get_default_graph as get_default_graph
from icefloe.session import get_default_session as get_default_session
from icefloe.lib.variable_scope import get_local_variable as get_local_variable
from icefloe.lib.messages import get_logger as get_logger
from icefloe.graph.seeds import get_seed as get_seed
from icefloe.lib.session_tensors import get_session_handle as get_session_handle
from icefloe.lib.session_tensors import get_session_tensor as get_session_tensor
from icefloe.lib.constants import get_static_value as get_static_value
from icefloe.lib.variable_scope import get_variable as get_variable
from icefloe.lib.variable_scope import get_variable_scope as get_variable_scope
from icefloe import gfile as gfile
from icefloe.lib.math_clip import global_norm as global_norm
from icefloe.lib.variable_lists import global_variables as global_variables
from icefloe.lib.variable_lists import global_variables_initializer as global_variables_initializer
from icefloe.lib.initializers import GlorotNormal as glorot_normal_initializer
from icefloe.lib.initializers import GlorotUniform as glorot_uniform_initializer
from icefloe.autodiff.custom import grad_pass_through as grad_pass_through
from icefloe.autodiff.walk import gradients as gradients
from icefloe import graph_util as graph_util
from icefloe import graphs as graphs
from icefloe.lib.control import group as group
from icefloe.lib.array_select import guarantee_const as guarantee_const
from icefloe.datatypes import half as half
from icefloe.autodiff.second_derivatives import hessians as hessians
from icefloe.lib.math_segment import histogram_fixed_width as histogram_fixed_width
from icefloe.lib.math_segment import histogram_fixed_width_bins as histogram_fixed_width_bins
from icefloe.identification import identify as identify
from icefloe.lib.control import identity as identity
from icefloe.lib.math_elementwise import imag as imag
from icefloe import image as image
from icefloe.graph.import_graph import import_graph_def as import_graph_def
from icefloe.lib.scopes import init_scope as init_scope
from icefloe.lib.variable_lists import initialize_all_tables as initialize_all_tables
from icefloe.lib.variable_lists import initialize_all_variables as initialize_all_variables
from icefloe.lib.variable_lists import initialize_local_variables as initialize_local_variables
from icefloe.lib.variable_lists import initialize_variables as initialize_variables
from icefloe import initializers as initializers
from icefloe.saver.variable_nodes import initializers_of as initializers_of
from icefloe.datatypes import int16 as int16
from icefloe.datatypes import int32 as int32
from icefloe.datatypes import int64 as int64
from icefloe.datatypes import int8 as int8
from icefloe import io as io
from icefloe.lib.math_properties import is_non_decreasing as is_non_decreasing
from icefloe.lib.checks import is_numeric_tensor as is_numeric_tensor
from icefloe.lib.math_properties import is_strictly_increasing as is_strictly_increasing
from icefloe.lib.constants import is_symbolic_tensor as is_symbolic_tensor
from icefloe.lib.constants import is_tensor as is_tensor
from icefloe.lib.variable_lists import is_variable_initialized as is_variable_initialized
from icefloe import layers as layers
from icefloe.lib.math_special import lbeta as lbeta
from icefloe.lib.math_range import linspace as lin_space
from icefloe import linalg as linalg
from icefloe.lib.math_range import linspace as linspace
from icefloe.lib.behavior import load_file_system_library as load_file_system_library
from icefloe.load import load_graph as load_graph
from icefloe.lib.behavior import load_library as load_library
from icefloe.lib.behavior import load_op_library as load_op_library
from icefloe.saved_models.loading import load_saved_model as load_saved_model
from icefloe.lib.variable_lists import local_variables as local_variables
from icefloe.lib.variable_lists import local_variables_initializer as local_variables_initializer
from icefloe.lib.math_elementwise import log_sigmoid as log_sigmoid
from icefloe import logging as logging
from icefloe.lib.math_elementwise import logical_xor as logical_xor
from icefloe import lookup as lookup
from icefloe import losses as losses
from icefloe.graph.tensor_proto import make_ndarray as make_ndarray
from icefloe.lib.templates import make_template as make_template
from icefloe.graph.tensor_proto import make_tensor_proto as make_tensor_proto
from icefloe import manip as manip
from icefloe.lib.map_fn import map_fn as map_fn
from icefloe import math as math
from icefloe.lib.math_matrix import matmul as matmul
from icefloe.lib.array_diagonal import matrix_diag as matrix_diag
from icefloe.lib.array_diagonal import matrix_diag_part as matrix_diag_part
from icefloe.lib.array_diagonal import matrix_set_diag as matrix_set_diag
from icefloe.lib.linalg import matrix_solve_ls as matrix_solve_ls
from icefloe.lib.array_shape import matrix_transpose as matrix_transpose
from icefloe.lib.linalg import matrix_triangular_solve as matrix_triangular_solve
from icefloe.lib.array_create import meshgrid as meshgrid
from icefloe import metrics as metrics
from icefloe.lib.variable_partitioned import min_max_variable_partitioner as min_max_variable_partitioner
from icefloe.lib.variable_lists import model_variables as model_variables
from icefloe.lib.variable_lists import moving_average_variables as moving_average_variables
from icefloe.lib.random_draws import multinomial as multinomial
from icefloe.lib.math_elementwise import multiply as multiply
from icefloe.graph.default_graph import name_scope as name_scope
from icefloe import nest as nest
from icefloe.lib.array_shape import newaxis as newaxis
from icefloe import nn as nn
from icefloe.autodiff.registration import not_differentiable as no_gradient
from icefloe.lib.control import no_op as no_op
from icefloe.lib.variable_scope import no_regularizer as no_regularizer
from icefloe.lib.vectorization import nondifferentiable_batch_function as nondifferentiable_batch_function
from icefloe.lib.linalg import norm as norm
from icefloe.lib.math_elementwise import not_equal as not_equal
from icefloe.lib.python_functions import numpy_function as numpy_function
from icefloe.lib.array_create import one_hot as one_hot
from icefloe.lib.array_create import ones as ones
from icefloe.lib.initializers import Ones as ones_initializer
from icefloe.lib.array_create import ones_like as ones_like
from icefloe.graph.default_graph import op_scope as op_scope
from icefloe.checkpoint import open_checkpoint as open_checkpoint
from icefloe.lib.initializers import Orthogonal as orthogonal_initializer
from icefloe.lib.array_select import pad as pad
from icefloe.lib.array_join import parallel_stack as parallel_stack
from icefloe.lib.parsing import parse_example as parse_example
from icefloe.lib.parsing import parse_single_example as parse_single_example
from icefloe.lib.parsing import parse_single_sequence_example as parse_single_sequence_example
from icefloe.lib.array_create import placeholder as placeholder
from icefloe.lib.array_create import placeholder_with_default as placeholder_with_default
from icefloe.lib.math_elementwise import pow as pow
from icefloe.lib.printing import print as print
from icefloe import proto as proto
from icefloe.lib.python_functions import py_func as py_func
from icefloe.lib.python_functions import py_function as py_function
from icefloe import python_io as python_io
from icefloe.datatypes import qint16 as qint16
from icefloe.datatypes import qint32 as qint32
from icefloe.datatypes import qint8 as qint8
from icefloe import quantization as quantization
from icefloe.lib.quantization import quantize as quantize
from icefloe.lib.quantization import quantize_v2 as quantize_v2
from icefloe import queue as queue
from icefloe.datatypes import quint16 as quint16
from icefloe.datatypes import quint8 as quint8
from icefloe import ragged as ragged
from icefloe import random as random
from icefloe.lib.random_draws import random_crop as random_crop
from icefloe.lib.random_draws import random_gamma as random_gamma
from icefloe.lib.random_draws import random_normal as random_normal
from icefloe.lib.initializers import RandomNormal as random_normal_initializer
from icefloe.lib.random_draws import random_poisson as random_poisson
from icefloe.lib.random_draws import random_shuffle as random_shuffle
from icefloe.lib.random_draws import random_uniform as random_uniform
from icefloe.lib.initializers import RandomUniform as random_uniform_initializer
from icefloe.lib.math_range import range as range
from icefloe.lib.array_shape import rank as rank
from icefloe import raw_ops as raw_ops
from icefloe.lib.math_elementwise import real as real
from icefloe.autodiff.recompute import recompute_grad as recompute_grad
from icefloe.lib.math_reduce import reduce_all as reduce_all
from icefloe.lib.math_reduce import reduce_any as reduce_any
from icefloe.lib.strings import reduce_join as reduce_join
from icefloe.lib.math_reduce import reduce_logsumexp as reduce_logsumexp
from icefloe.lib.math_reduce import reduce_max as reduce_max
from icefloe.lib.math_reduce import reduce_mean as reduce_mean
from icefloe.lib.math_reduce import reduce_min as reduce_min
from icefloe.lib.math_reduce import reduce_prod as reduce_prod
from icefloe.lib.math_reduce import reduce_sum as reduce_sum
from icefloe.lib.strings import regex_replace as regex_replace
from icefloe.lib.own_kernels import register_kernel as register_kernel
from icefloe.lib.own_kernels import register_op as register_op
from icefloe.graph.conversion import register_tensor_conversion_function as register_tensor_conversion_function
from icefloe.lib.array_batch_gather import repeat as repeat
from icefloe.lib.variable_lists import report_uninitialized_variables as report_uninitialized_variables
from icefloe.lib.array_shape import required_space_to_batch_paddings as required_space_to_batch_paddings
from icefloe.graph.graph import reset_default_graph as reset_default_graph
from icefloe.lib.array_shape import reshape as reshape
from icefloe.datatypes import resource as resource
from icefloe import resource_loader as resource_loader
from icefloe.lib.variable_resource import resource_variables_enabled as resource_variables_enabled
from icefloe.lib.array_select import reverse_sequence as reverse_sequence
from icefloe.lib.math_range import roll as roll
from icefloe.lib.math_elementwise import round as round
from icefloe.lib.math_elementwise import rsqrt as rsqrt
from icefloe.lib.math_cast import saturate_cast as saturate_cast
from icefloe.checkpoint import save_checkpoint as save_checkpoint
from icefloe.checkpoint.distributed.saving import save_dask as save_dask
from icefloe.load import save_graph as save_graph
from icefloe import saved_model as saved_model
from icefloe.saved_models.command_inputs import command_inputs as saved_model_inputs
from icefloe.saver.graph_variables import saver_for as saver_for
from icefloe.lib.math_elementwise import scalar_mul as scalar_mul
from icefloe.lib.functional import scan as scan
from icefloe.saved_models.showing import scan_saved_model as scan_saved_model
from icefloe.lib.assignments import scatter_add as scatter_add
from icefloe.lib.assignments import scatter_div as scatter_div
from icefloe.lib.assignments import scatter_max as scatter_max
from icefloe.lib.assignments import scatter_min as scatter_min
from icefloe.lib.assignments import scatter_mul as scatter_mul
from icefloe.lib.assignments import scatter_nd_add as scatter_nd_add
from icefloe.lib.assignments import scatter_nd_sub as scatter_nd_sub
from icefloe.lib.assignments import scatter_nd_update as scatter_nd_update
from icefloe.lib.assignments import scatter_sub as scatter_sub
from icefloe.lib.assignments import scatter_update as scatter_update
from icefloe.lib.array_select import searchsorted as searchsorted
from icefloe.lib.linalg import self_adjoint_eig as self_adjoint_eig
from icefloe.lib.linalg import self_adjoint_eigvals as self_adjoint_eigvals
from icefloe.lib.array_create import sequence_mask as sequence_mask
from icefloe.lib.sparse_convert import serialize_many_sparse as serialize_many_sparse
from icefloe.lib.sparse_convert import serialize_sparse as serialize_sparse
from icefloe.lib.parsing import serialize_tensor as serialize_tensor
from icefloe.graph.seeds import set_random_seed as set_random_seed
from icefloe.lib.array_select import setdiff1d as setdiff1d
from icefloe import sets as sets
from icefloe.lib.array_shape import shape as shape
from icefloe.lib.array_shape import shape_n as shape_n
from icefloe.saved_models.showing import show_saved_model as show_saved_model
from icefloe.lib.math_elementwise import sigmoid as sigmoid
from icefloe.lib.math_elementwise import sign as sign
from icefloe import signal as signal
from icefloe.lib.array_shape import size as size
from icefloe.lib.array_select import slice as slice
from icefloe.lib.math_segment import sort as sort
from icefloe.lib.array_shape import space_to_batch as space_to_batch
from icefloe.lib.array_shape import space_to_depth as space_to_depth
from icefloe import sparse as sparse
from icefloe.lib.sparse_arithmetic import sparse_add as sparse_add
from icefloe.lib.sparse_layout import sparse_concat as sparse_concat
from icefloe.lib.sparse_layout import sparse_fill_empty_rows as sparse_fill_empty_rows
from icefloe.lib.array_select import sparse_mask as sparse_mask
from icefloe.lib.sparse_arithmetic import sparse_maximum as sparse_maximum
from icefloe.lib.sparse_layout import sparse_merge as sparse_merge
from icefloe.lib.sparse_arithmetic import sparse_minimum as sparse_minimum
from icefloe.lib.array_sparse import sparse_placeholder as sparse_placeholder
from icefloe.lib.sparse_arithmetic import sparse_reduce_max as sparse_reduce_max
from icefloe.lib.sparse_arithmetic import sparse_reduce_max_sparse as sparse_reduce_max_sparse
from icefloe.lib.sparse_arithmetic import sparse_reduce_sum as sparse_reduce_sum
from icefloe.lib.sparse_arithmetic import sparse_reduce_sum_sparse as sparse_reduce_sum_sparse
from icefloe.lib.sparse_layout import sparse_reorder as sparse_reorder
from icefloe.lib.sparse_layout import sparse_reset_shape as sparse_reset_shape
from icefloe.lib.sparse_layout import sparse_reshape as sparse_reshape
from icefloe.lib.sparse_layout import sparse_retain as sparse_retain
from icefloe.lib.math_segment import sparse_segment_mean as sparse_segment_mean
from icefloe.lib.math_segment import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from icefloe.lib.math_segment import sparse_segment_sum as sparse_segment_sum
from icefloe.lib.sparse_layout import sparse_slice as sparse_slice
from icefloe.lib.sparse_arithmetic import sparse_softmax as sparse_softmax
from icefloe.lib.sparse_layout import sparse_split as sparse_split
from icefloe.lib.sparse_arithmetic import sparse_tensor_dense_matmul as sparse_tensor_dense_matmul
from icefloe.lib.sparse_convert import sparse_tensor_to_dense as sparse_tensor_to_dense
from icefloe.lib.sparse_convert import sparse_to_dense as sparse_to_dense
from icefloe.lib.sparse_layout import sparse_to_indicator as sparse_to_indicator
from icefloe.lib.sparse_layout import sparse_transpose as sparse_transpose
from icefloe import spectral as spectral
from icefloe.lib.array_join import split as split
from icefloe.lib.math_elementwise import sqrt as sqrt
from icefloe.lib.array_shape import squeeze as squeeze
from icefloe.lib.array_join import stack as stack
from icefloe.lib.array_select import stop_gradient as stop_gradient
from icefloe.lib.array_select import strided_slice as strided_slice
from icefloe.datatypes import string as string
from icefloe.lib.strings import string_join as string_join
from icefloe.lib.strings import string_split as string_split
from icefloe.lib.strings import string_to_hash_bucket as string_to_hash_bucket
from icefloe.lib.strings import string_to_number as string_to_number
from icefloe import strings as strings
from icefloe.lib.strings import substr_deprecated as substr
from icefloe.lib.math_elementwise import subtract as subtract
from icefloe import summary as summary
from icefloe.lib.linalg import svd as svd
from icefloe.lib.control_flow_case import switch_case as switch_case
from icefloe import sysconfig as sysconfig
from icefloe.lib.variable_lists import tables_initializer as tables_initializer
from icefloe.lib.array_select import tensor_scatter_nd_update as tensor_scatter_nd_update
from icefloe.lib.array_select import tensor_scatter_nd_update as tensor_scatter_update
from icefloe.lib.math_matrix import tensordot as tensordot
from icefloe import test as test
from icefloe import timeline as timeline
from icefloe.lib.math_cast import to_bfloat16 as to_bfloat16
from icefloe.lib.math_cast import to_complex128 as to_complex128
from icefloe.lib.math_cast import to_complex64 as to_complex64
from icefloe.lib.math_cast import to_double as to_double
from icefloe.lib.math_cast import to_float as to_float
from icefloe.lib.math_cast import to_int32 as to_int32
from icefloe.lib.math_cast import to_int64 as to_int64
from icefloe.lib.math_reduce import trace as trace
from icefloe import train as train
from icefloe.lib.variable_lists import trainable_variables as trainable_variables
from icefloe.lib.array_shape import transpose as transpose
from icefloe.lib.math_elementwise import truediv as truediv
from icefloe.lib.random_draws import truncated_normal as truncated_normal
from icefloe.lib.initializers import TruncatedNormal as truncated_normal_initializer
from icefloe.lib.control import tuple as tuple
from icefloe.graph.type_specs import type_spec_from_value as type_spec_from_value
from icefloe.datatypes import uint16 as uint16
from icefloe.datatypes import uint32 as uint32
from icefloe.datatypes import uint64 as uint64
from icefloe.datatypes import uint8 as uint8
from icefloe.lib.initializers import UniformUnitScaling as uniform_unit_scaling_initializer
from icefloe.lib.array_select import unique as unique
from icefloe.lib.array_select import unique_with_counts as unique_with_counts
from icefloe.lib.math_segment import unsorted_segment_mean as unsorted_segment_mean
from icefloe.lib.math_segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from icefloe.lib.array_join import unstack as unstack
from icefloe.lib.variable_partitioned import variable_axis_size_partitioner as variable_axis_size_partitioner
from icefloe.lib.variable_scope import variable_creator_scope as variable_creator_scope
from icefloe.lib.variable_scope import variable_op_scope as variable_op_scope
from icefloe.lib.variable_scope import variable_scope as variable_scope
from icefloe.lib.variable_lists import variables_initializer as variables_initializer
from icefloe.saver.variable_nodes import variables_of as variables_of
from icefloe.lib.initializers import VarianceScaling as variance_scaling_initializer
from icefloe.datatypes import variant as variant
from icefloe.lib.vectorization import vectorized_map as vectorized_map
from icefloe.lib.control import verify_tensor_all_finite as verify_tensor_all_finite
from icefloe import version as version
from icefloe.lib.array_select import where as where
from icefloe.lib.array_select import where_v2 as where_v2
from icefloe.lib.control_flow_while import while_loop as while_loop
from icefloe.lib.wrapped_functions import wrap_function as wrap_function
from icefloe.lib.array_create import zeros as zeros
from icefloe.lib.initializers import Zeros as zeros_initializer
from icefloe.lib.array_create import zeros_like as zeros_like
from icefloe._version import __version__ as __version__

def acosh(x: Any, name: str | None = ...) -> Any: ...
def approx_top_k(input: Any, k: Any, reduction_dimension: Any = -1, recall_target: Any = 0.95, is_max_k: Any = True, reduction_input_size_override: Any = -1, aggregate_to_topk: Any = True, name: str | None = ...) -> Any: ...
def arg_max(input: Any, dimension: Any, output_type: Any = ..., name: str | None = ...) -> Any: ...
def arg_min(input: Any, dimension: Any, output_type: Any = ..., name: str | None = ...) -> Any: ...
def as_string(input: Any, precision: Any = -1, scientific: Any = False, shortest: Any = False, width: Any = -1, fill: Any = '', name: str | None = ...) -> Any: ...
def asin(x: Any, name: str | None = ...) -> Any: ...
def asinh(x: Any, name: str | None = ...) -> Any: ...
def atan(x: Any, name: str | None = ...) -> Any: ...
def atan2(y: Any, x: Any, name: str | None = ...) -> Any: ...
def atanh(x: Any, name: str | None = ...) -> Any: ...
def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = ...) -> Any: ...
def betainc(a: Any, b: Any, x: Any, name: str | None = ...) -> Any: ...
def bitcast(input: Any, type: Any, name: str | None = ...) -> Any: ...
def broadcast_to(input: Any, shape: Any, name: str | None = ...) -> Any: ...
def check_numerics(tensor: Any, message: Any, name: str | None = ...) -> Any: ...
def check_pinned(tensor: Any, name: str | None = ...) -> Any: ...
def cholesky(input: Any, name: str | None = ...) -> Any: ...
def conv(input: Any, filter: Any, strides: Any, padding: Any, explicit_paddings: Any = ..., data_format: Any = 'CHANNELS_LAST', dilations: Any = ..., batch_dims: Any = 1, groups: Any = 1, name: str | None = ...) -> Any: ...
def conv2d_backprop_filter_v2(input: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = ..., data_format: Any = 'NHWC', dilations: Any = ..., name: str | None = ...) -> Any: ...
def conv2d_backprop_input_v2(input: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = ..., data_format: Any = 'NHWC', dilations: Any = ..., name: str | None = ...) -> Any: ...
def cos(x: Any, name: str | None = ...) -> Any: ...
def cosh(x: Any, name: str | None = ...) -> Any: ...
def cross(a: Any, b: Any, name: str | None = ...) -> Any: ...
def decode_base64(input: Any, name: str | None = ...) -> Any: ...
def decode_compressed(bytes: Any, compression_type: Any = '', name: str | None = ...) -> Any: ...
def diag(diagonal: Any, name: str | None = ...) -> Any: ...
def digamma(x: Any, name: str | None = ...) -> Any: ...
def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = ...) -> Any: ...
def dynamic_stitch(indices: Any, data: Any, name: str | None = ...) -> Any: ...
def encode_base64(input: Any, pad: Any = False, name: str | None = ...) -> Any: ...
def erf(x: Any, name: str | None = ...) -> Any: ...
def erfc(x: Any, name: str | None = ...) -> Any: ...
def expm1(x: Any, name: str | None = ...) -> Any: ...
def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: Any, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_args(inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_args_gradient(gradients: Any, inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars(inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_gradient(gradients: Any, inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_per_channel(inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_per_channel_gradient(gradients: Any, inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fft(input: Any, name: str | None = ...) -> Any: ...
def fft2d(input: Any, name: str | None = ...) -> Any: ...
def fft3d(input: Any, name: str | None = ...) -> Any: ...
def fftnd(input: Any, fft_length: Any, axes: Any, name: str | None = ...) -> Any: ...
def floor_div(x: Any, y: Any, name: str | None = ...) -> Any: ...
def floormod(x: Any, y: Any, name: str | None = ...) -> Any: ...
def greater(x: Any, y: Any, name: str | None = ...) -> Any: ...
def greater_equal(x: Any, y: Any, name: str | None = ...) -> Any: ...
def identity_n(input: Any, name: str | None = ...) -> Any: ...
def ifft(input: Any, name: str | None = ...) -> Any: ...
def ifft2d(input: Any, name: str | None = ...) -> Any: ...
def ifft3d(input: Any, name: str | None = ...) -> Any: ...
def ifftnd(input: Any, fft_length: Any, axes: Any, name: str | None = ...) -> Any: ...
def igamma(a: Any, x: Any, name: str | None = ...) -> Any: ...
def igammac(a: Any, x: Any, name: str | None = ...) -> Any: ...
def invert_permutation(x: Any, name: str | None = ...) -> Any: ...
def irfftnd(input: Any, fft_length: Any, axes: Any, Treal: Any = ..., name: str | None = ...) -> Any: ...
def is_finite(x: Any, name: str | None = ...) -> Any: ...
def is_inf(x: Any, name: str | None = ...) -> Any: ...
def is_nan(x: Any, name: str | None = ...) -> Any: ...
def less(x: Any, y: Any, name: str | None = ...) -> Any: ...
def less_equal(x: Any, y: Any, name: str | None = ...) -> Any: ...
def lgamma(x: Any, name: str | None = ...) -> Any: ...
def log(x: Any, name: str | None = ...) -> Any: ...
def log1p(x: Any, name: str | None = ...) -> Any: ...
def logical_and(x: Any, y: Any, name: str | None = ...) -> Any: ...
def logical_not(x: Any, name: str | None = ...) -> Any: ...
def logical_or(x: Any, y: Any, name: str | None = ...) -> Any: ...
def matching_files(pattern: Any, name: str | None = ...) -> Any: ...
def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = ...) -> Any: ...
def matrix_determinant(input: Any, name: str | None = ...) -> Any: ...
def matrix_inverse(input: Any, adjoint: Any = False, name: str | None = ...) -> Any: ...
def matrix_solve(matrix: Any, rhs: Any, adjoint: Any = False, name: str | None = ...) -> Any: ...
def matrix_square_root(input: Any, name: str | None = ...) -> Any: ...
def maximum(x: Any, y: Any, name: str | None = ...) -> Any: ...
def minimum(x: Any, y: Any, name: str | None = ...) -> Any: ...
def mod(x: Any, y: Any, name: str | None = ...) -> Any: ...
def negative(x: Any, name: str | None = ...) -> Any: ...
def parse_tensor(serialized: Any, out_type: Any, name: str | None = ...) -> Any: ...
def polygamma(a: Any, x: Any, name: str | None = ...) -> Any: ...
def qr(input: Any, full_matrices: Any = False, name: str | None = ...) -> Any: ...
def quantized_concat(concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any, name: str | None = ...) -> Any: ...
def ragged_fill_empty_rows(value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = ...) -> Any: ...
def ragged_fill_empty_rows_grad(reverse_index_map: Any, grad_values: Any, name: str | None = ...) -> Any: ...
def random_index_shuffle(index: Any, seed: Any, max_index: Any, rounds: Any = 4, name: str | None = ...) -> Any: ...
def read_file(filename: Any, name: str | None = ...) -> Any: ...
def realdiv(x: Any, y: Any, name: str | None = ...) -> Any: ...
def reciprocal(x: Any, name: str | None = ...) -> Any: ...
def reverse(tensor: Any, axis: Any, name: str | None = ...) -> Any: ...
def reverse_v2(tensor: Any, axis: Any, name: str | None = ...) -> Any: ...
def rfftnd(input: Any, fft_length: Any, axes: Any, Tcomplex: Any = ..., name: str | None = ...) -> Any: ...
def rint(x: Any, name: str | None = ...) -> Any: ...
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def segment_max(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_mean(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_min(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_prod(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_sum(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def sin(x: Any, name: str | None = ...) -> Any: ...
def sinh(x: Any, name: str | None = ...) -> Any: ...
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = ...) -> Any: ...
def sparse_matmul(a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, a_is_sparse: Any = False, b_is_sparse: Any = False, name: str | None = ...) -> Any: ...
def square(x: Any, name: str | None = ...) -> Any: ...
def squared_difference(x: Any, y: Any, name: str | None = ...) -> Any: ...
def string_strip(input: Any, name: str | None = ...) -> Any: ...
def string_to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = ...) -> Any: ...
def string_to_hash_bucket_strong(input: Any, num_buckets: Any, key: Any, name: str | None = ...) -> Any: ...
def tan(x: Any, name: str | None = ...) -> Any: ...
def tanh(x: Any, name: str | None = ...) -> Any: ...
def tensor_scatter_add(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tensor_scatter_sub(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def tile(input: Any, multiples: Any, name: str | None = ...) -> Any: ...
def timestamp(name: str | None = ...) -> Any: ...
def truncatediv(x: Any, y: Any, name: str | None = ...) -> Any: ...
def truncatemod(x: Any, y: Any, name: str | None = ...) -> Any: ...
def unravel_index(indices: Any, dims: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def write_file(filename: Any, contents: Any, name: str | None = ...) -> Any: ...
def zeta(x: Any, q: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "AUTO_REUSE",
    "AggregationMethod",
    "Assert",
    "AttrValue",
    "COMPILER_VERSION",
    "CXX11_ABI_FLAG",
    "CXX_VERSION",
    "ConditionalAccumulator",
    "ConditionalAccumulatorBase",
    "Config",
    "ConfigProto",
    "CriticalSection",
    "DType",
    "DeviceSpec",
    "Dimension",
    "Event",
    "FIFOQueue",
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "FixedLengthRecordReader",
    "GIT_VERSION",
    "GPUOptions",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "GradientTape",
    "Graph",
    "GraphDef",
    "GraphKeys",
    "GraphOptions",
    "HistogramProto",
    "IdentityReader",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "InteractiveSession",
    "LMDBReader",
    "LoadedModel",
    "LogMessage",
    "MONOLITHIC_BUILD",
    "MetaGraphDef",
    "Module",
    "NameAttrList",
    "NoGradient",
    "NodeDef",
    "NoneTensorSpec",
    "NotDifferentiable",
    "OpError",
    "Operation",
    "OptimizerOptions",
    "OptionalSpec",
    "PaddingFIFOQueue",
    "Print",
    "PriorityQueue",
    "QUANTIZED_DTYPES",
    "QueueBase",
    "RaggedTensor",
    "RaggedTensorSpec",
    "RandomShuffleQueue",
    "ReaderBase",
    "RegisterGradient",
    "RunMetadata",
    "RunOptions",
    "Session",
    "SessionLog",
    "SparseConditionalAccumulator",
    "SparseFeature",
    "SparseTensor",
    "SparseTensorSpec",
    "SparseTensorValue",
    "Summary",
    "SummaryMetadata",
    "TFRecordReader",
    "Tensor",
    "TensorArray",
    "TensorArraySpec",
    "TensorInfo",
    "TensorShape",
    "TensorSpec",
    "TextLineReader",
    "TypeSpec",
    "UnconnectedGradients",
    "VERSION",
    "VarLenFeature",
    "Variable",
    "VariableAggregation",
    "VariableScope",
    "VariableSynchronization",
    "WholeFileReader",
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_check_numerics_ops",
    "add_n",
    "add_to_collection",
    "add_to_collections",
    "all_variables",
    "angle",
    "app",
    "approx_top_k",
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_type",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "audio",
    "batch_gather",
    "batch_scatter_update",
    "batch_to_space",
    "batch_to_space_nd",
    "betainc",
    "bfloat16",
    "bincount",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "ceil",
    "check_numerics",
    "check_pinned",
    "cholesky",
    "cholesky_solve",
    "ckpt",
    "clip_by_average_norm",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "colocate_with",
    "compat",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "cond",
    "config",
    "confusion_matrix",
    "conj",
    "constant",
    "constant_initializer",
    "container",
    "control_dependencies",
    "control_flow_v2_enabled",
    "conv",
    "conv2d_backprop_filter_v2",
    "conv2d_backprop_input_v2",
    "convert_to_tensor",
    "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor",
    "cos",
    "cosh",
    "count_nonzero",
    "count_up_to",
    "create_partitioned_variables",
    "cross",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "decode_base64",
    "decode_compressed",
    "decode_csv",
    "decode_json_example",
    "decode_raw",
    "delete_session_tensor",
    "depth_to_space",
    "dequantize",
    "describe_saved_model",
    "deserialize_many_sparse",
    "device",
    "diag",
    "diag_part",
    "digamma",
    "dimension_at_index",
    "dimension_value",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_tensor_equality",
    "disable_v2_behavior",
    "disable_v2_tensorshape",
    "distributions",
    "div",
    "div_no_nan",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "edit_distance",
    "einsum",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_tensor_equality",
    "enable_v2_behavior",
    "enable_v2_tensorshape",
    "encode_base64",
    "ensure_shape",
    "equal",
    "erf",
    "erfc",
    "errors",
    "exec_script",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "exp",
    "expand_dims",
    "expm1",
    "extract_image_patches",
    "extract_volume_patches",
    "eye",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "feature_column",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fill",
    "fingerprint",
    "fixed_size_partitioner",
    "flags",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_default_session",
    "get_local_variable",
    "get_logger",
    "get_seed",
    "get_session_handle",
    "get_session_tensor",
    "get_static_value",
    "get_variable",
    "get_variable_scope",
    "gfile",
    "global_norm",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "grad_pass_through",
    "gradients",
    "graph_util",
    "graphs",
    "greater",
    "greater_equal",
    "group",
    "guarantee_const",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identify",
    "identity",
    "identity_n",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "igamma",
    "igammac",
    "imag",
    "image",
    "import_graph_def",
    "init_scope",
    "initialize_all_tables",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "initializers",
    "initializers_of",
    "int16",
    "int32",
    "int64",
    "int8",
    "invert_permutation",
    "io",
    "irfftnd",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_symbolic_tensor",
    "is_tensor",
    "is_variable_initialized",
    "layers",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "lin_space",
    "linalg",
    "linspace",
    "load_file_system_library",
    "load_graph",
    "load_library",
    "load_op_library",
    "load_saved_model",
    "local_variables",
    "local_variables_initializer",
    "log",
    "log1p",
    "log_sigmoid",
    "logging",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lookup",
    "losses",
    "make_ndarray",
    "make_template",
    "make_tensor_proto",
    "manip",
    "map_fn",
    "matching_files",
    "math",
    "matmul",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_inverse",
    "matrix_set_diag",
    "matrix_solve",
    "matrix_solve_ls",
    "matrix_square_root",
    "matrix_transpose",
    "matrix_triangular_solve",
    "maximum",
    "meshgrid",
    "metrics",
    "min_max_variable_partitioner",
    "minimum",
    "mod",
    "model_variables",
    "moving_average_variables",
    "multinomial",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "no_regularizer",
    "nondifferentiable_batch_function",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "op_scope",
    "open_checkpoint",
    "orthogonal_initializer",
    "pad",
    "parallel_stack",
    "parse_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "placeholder",
    "placeholder_with_default",
    "polygamma",
    "pow",
    "print",
    "proto",
    "py_func",
    "py_function",
    "python_io",
    "qint16",
    "qint32",
    "qint8",
    "qr",
    "quantization",
    "quantize",
    "quantize_v2",
    "quantized_concat",
    "queue",
    "quint16",
    "quint8",
    "ragged",
    "ragged_fill_empty_rows",
    "ragged_fill_empty_rows_grad",
    "random",
    "random_crop",
    "random_gamma",
    "random_index_shuffle",
    "random_normal",
    "random_normal_initializer",
    "random_poisson",
    "random_shuffle",
    "random_uniform",
    "random_uniform_initializer",
    "range",
    "rank",
    "raw_ops",
    "read_file",
    "real",
    "realdiv",
    "reciprocal",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_join",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "regex_replace",
    "register_kernel",
    "register_op",
    "register_tensor_conversion_function",
    "repeat",
    "report_uninitialized_variables",
    "required_space_to_batch_paddings",
    "reset_default_graph",
    "reshape",
    "resource",
    "resource_loader",
    "resource_variables_enabled",
    "reverse",
    "reverse_sequence",
    "reverse_v2",
    "rfftnd",
    "rint",
    "roll",
    "round",
    "rsqrt",
    "saturate_cast",
    "save_checkpoint",
    "save_dask",
    "save_graph",
    "saved_model",
    "saved_model_inputs",
    "saver_for",
    "scalar_mul",
    "scan",
    "scan_saved_model",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "searchsorted",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
    "sequence_mask",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "set_random_seed",
    "setdiff1d",
    "sets",
    "shape",
    "shape_n",
    "show_saved_model",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "space_to_depth",
    "sparse",
    "sparse_add",
    "sparse_concat",
    "sparse_fill_empty_rows",
    "sparse_mask",
    "sparse_matmul",
    "sparse_maximum",
    "sparse_merge",
    "sparse_minimum",
    "sparse_placeholder",
    "sparse_reduce_max",
    "sparse_reduce_max_sparse",
    "sparse_reduce_sum",
    "sparse_reduce_sum_sparse",
    "sparse_reorder",
    "sparse_reset_shape",
    "sparse_reshape",
    "sparse_retain",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
    "sparse_segment_sum",
    "sparse_slice",
    "sparse_softmax",
    "sparse_split",
    "sparse_tensor_dense_matmul",
    "sparse_tensor_to_dense",
    "sparse_to_dense",
    "sparse_to_indicator",
    "sparse_transpose",
    "spectral",
    "split",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "string_join",
    "string_split",
    "string_strip",
    "string_to_hash_bucket",
    "string_to_hash_bucket_fast",
    "string_to_hash_bucket_strong",
    "string_to_number",
    "strings",
    "substr",
    "subtract",
    "summary",
    "svd",
    "switch_case",
    "sysconfig",
    "tables_initializer",
    "tan",
    "tanh",
    "tensor_scatter_add",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tensordot",
    "test",
    "tile",
    "timeline",
    "timestamp",
    "to_bfloat16",
    "to_complex128",
    "to_complex64",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "trace",
    "train",
    "trainable_variables",
    "transpose",
    "truediv",
    "truncated_normal",
    "truncated_normal_initializer",
    "truncatediv",
    "truncatemod",
    "tuple",
    "type_spec_from_value",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uniform_unit_scaling_initializer",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "unstack",
    "variable_axis_size_partitioner",
    "variable_creator_scope",
    "variable_op_scope",
    "variable_scope",
    "variables_initializer",
    "variables_of",
    "variance_scaling_initializer",
    "variant",
    "vectorized_map",
    "verify_tensor_all_finite",
    "version",
    "where",
    "where_v2",
    "while_loop",
    "wrap_function",
    "write_file",
    "zeros",
    "zeros_initializer",
    "zeros_like",
    "zeta",
]
