# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.optimizers.descent import AdadeltaOptimizer as AdadeltaOptimizer
from icefloe.optimizers.descent import AdagradDAOptimizer as AdagradDAOptimizer
from icefloe.optimizers.descent import AdagradOptimizer as AdagradOptimizer
from icefloe.optimizers.adam import AdamOptimizer as AdamOptimizer
from icefloe.proto import BytesList as BytesList
from icefloe.proto import ClusterDef as ClusterDef
from icefloe.training.cluster import ClusterSpec as ClusterSpec
from icefloe.proto import Example as Example
from icefloe.lib.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from icefloe.proto import Feature as Feature
from icefloe.proto import FeatureList as FeatureList
from icefloe.proto import FeatureLists as FeatureLists
from icefloe.proto import Features as Features
from icefloe.proto import FloatList as FloatList
from icefloe.optimizers.descent import FtrlOptimizer as FtrlOptimizer
from icefloe.optimizers.descent import GradientDescentOptimizer as GradientDescentOptimizer
from icefloe.proto import Int64List as Int64List
from icefloe.proto import JobDef as JobDef
from icefloe.optimizers.descent import MomentumOptimizer as MomentumOptimizer
from icefloe.saver.inspection import new_checkpoint_reader as NewCheckpointReader
from icefloe.optimizers.optimizer import Optimizer as Optimizer
from icefloe.optimizers.descent import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from icefloe.optimizers.descent import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from icefloe.optimizers.descent import RMSPropOptimizer as RMSPropOptimizer
from icefloe.saver.saver import Saver as Saver
from icefloe.proto import SaverDef as SaverDef
from icefloe.proto import SequenceExample as SequenceExample
from icefloe.training.server import Server as Server
from icefloe.proto import ServerDef as ServerDef
from icefloe.optimizers.replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from icefloe.lib.global_step import assert_global_step as assert_global_step
from icefloe.saver.state import checkpoint_exists as checkpoint_exists
from icefloe.saver.inspection import checkpoints_iterator as checkpoints_iterator
from icefloe.lib.learning_rates import cosine_decay as cosine_decay
from icefloe.lib.learning_rates import cosine_decay_restarts as cosine_decay_restarts
from icefloe.lib.global_step import create_global_step as create_global_step
from icefloe.lib.learning_rates import exponential_decay as exponential_decay
from icefloe.saver.meta_files import export_meta_graph as export_meta_graph
from icefloe.saver.state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from icefloe.saver.state import get_checkpoint_mtimes as get_checkpoint_mtimes
from icefloe.saver.state import get_checkpoint_state as get_checkpoint_state
from icefloe.lib.global_step import get_global_step as get_global_step
from icefloe.lib.global_step import get_or_create_global_step as get_or_create_global_step
from icefloe.lib.global_step import global_step as global_step
from icefloe.saver.meta_files import import_meta_graph as import_meta_graph
from icefloe.lib.learning_rates import inverse_time_decay as inverse_time_decay
from icefloe.checkpoint.state_file import latest_checkpoint as latest_checkpoint
from icefloe.lib.learning_rates import linear_cosine_decay as linear_cosine_decay
from icefloe.saver.inspection import list_variables as list_variables
from icefloe.saver.inspection import load_checkpoint as load_checkpoint
from icefloe.saver.inspection import load_variable as load_variable
from icefloe.lib.learning_rates import natural_exp_decay as natural_exp_decay
from icefloe.lib.learning_rates import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from icefloe.lib.learning_rates import piecewise_constant as piecewise_constant
from icefloe.lib.learning_rates import piecewise_constant as piecewise_constant_decay
from icefloe.lib.learning_rates import polynomial_decay as polynomial_decay
from icefloe.saver.state import remove_checkpoint as remove_checkpoint
from icefloe.saver.state import update_checkpoint_state as update_checkpoint_state
from icefloe.saver.meta_files import write_graph as write_graph

def sdca_fprint(input: Any, name: str | None = ...) -> Any: ...
def sdca_optimizer(sparse_example_indices: Any, sparse_feature_indices: Any, sparse_feature_values: Any, dense_features: Any, example_weights: Any, example_labels: Any, sparse_indices: Any, sparse_weights: Any, dense_weights: Any, example_state_data: Any, loss_type: Any, l1: Any, l2: Any, num_loss_partitions: Any, num_inner_iterations: Any, adaptative: Any = True, name: str | None = ...) -> Any: ...
def sdca_shrink_l1(weights: Any, l1: Any, l2: Any, name: str | None = ...) -> Any: ...
