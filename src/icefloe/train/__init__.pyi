# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.optimizers.descent import AdadeltaOptimizer as AdadeltaOptimizer
from icefloe.optimizers.descent import AdagradDAOptimizer as AdagradDAOptimizer
from icefloe.optimizers.descent import AdagradOptimizer as AdagradOptimizer
from icefloe.optimizers.adam import AdamOptimizer as AdamOptimizer
from icefloe.proto import BytesList as BytesList
from icefloe.training.checkpoint import Checkpoint as Checkpoint
from icefloe.training.checkpoint_manager import CheckpointManager as CheckpointManager
from icefloe.training.checkpoint_options import CheckpointOptions as CheckpointOptions
from icefloe.training.hooks_saving import CheckpointSaverHook as CheckpointSaverHook
from icefloe.training.hooks_saving import CheckpointSaverListener as CheckpointSaverListener
from icefloe.training.session_creators import ChiefSessionCreator as ChiefSessionCreator
from icefloe.proto import ClusterDef as ClusterDef
from icefloe.training.cluster import ClusterSpec as ClusterSpec
from icefloe.training.coordinator import Coordinator as Coordinator
from icefloe.proto import Example as Example
from icefloe.lib.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from icefloe.proto import Feature as Feature
from icefloe.proto import FeatureList as FeatureList
from icefloe.proto import FeatureLists as FeatureLists
from icefloe.proto import Features as Features
from icefloe.training.hooks_stopping import FeedFnHook as FeedFnHook
from icefloe.training.hooks_stopping import FinalOpsHook as FinalOpsHook
from icefloe.proto import FloatList as FloatList
from icefloe.optimizers.descent import FtrlOptimizer as FtrlOptimizer
from icefloe.training.hooks_stopping import GlobalStepWaiterHook as GlobalStepWaiterHook
from icefloe.optimizers.descent import GradientDescentOptimizer as GradientDescentOptimizer
from icefloe.proto import Int64List as Int64List
from icefloe.proto import JobDef as JobDef
from icefloe.training.hooks_reporting import LoggingTensorHook as LoggingTensorHook
from icefloe.training.coordinator import LooperThread as LooperThread
from icefloe.optimizers.descent import MomentumOptimizer as MomentumOptimizer
from icefloe.training.monitored_session import MonitoredSession as MonitoredSession
from icefloe.training.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
from icefloe.training.hooks_stopping import NanLossDuringTrainingError as NanLossDuringTrainingError
from icefloe.training.hooks_stopping import NanTensorHook as NanTensorHook
from icefloe.saver.inspection import new_checkpoint_reader as NewCheckpointReader
from icefloe.optimizers.optimizer import Optimizer as Optimizer
from icefloe.training.hooks_reporting import ProfilerHook as ProfilerHook
from icefloe.optimizers.descent import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from icefloe.optimizers.descent import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from icefloe.lib.queue_runner import QueueRunner as QueueRunner
from icefloe.optimizers.descent import RMSPropOptimizer as RMSPropOptimizer
from icefloe.saver.saver import Saver as Saver
from icefloe.proto import SaverDef as SaverDef
from icefloe.training.scaffold import Scaffold as Scaffold
from icefloe.training.hooks_timing import SecondOrStepTimer as SecondOrStepTimer
from icefloe.proto import SequenceExample as SequenceExample
from icefloe.training.server import Server as Server
from icefloe.proto import ServerDef as ServerDef
from icefloe.training.session_creators import SessionCreator as SessionCreator
from icefloe.training.session_manager import SessionManager as SessionManager
from icefloe.training.session_run_hook import SessionRunArgs as SessionRunArgs
from icefloe.training.session_run_hook import SessionRunContext as SessionRunContext
from icefloe.training.session_run_hook import SessionRunHook as SessionRunHook
from icefloe.training.session_run_hook import SessionRunValues as SessionRunValues
from icefloe.training.monitored_session import SingularMonitoredSession as SingularMonitoredSession
from icefloe.training.hooks_reporting import StepCounterHook as StepCounterHook
from icefloe.training.hooks_stopping import StopAtStepHook as StopAtStepHook
from icefloe.training.hooks_reporting import SummarySaverHook as SummarySaverHook
from icefloe.training.supervisor import Supervisor as Supervisor
from icefloe.training.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from icefloe.training.warm_start import VocabInfo as VocabInfo
from icefloe.training.session_creators import WorkerSessionCreator as WorkerSessionCreator
from icefloe.lib.queue_runner import add_queue_runner as add_queue_runner
from icefloe.lib.global_step import assert_global_step as assert_global_step
from icefloe.training.basic_loops import basic_train_loop as basic_train_loop
from icefloe.lib.input_batches import batch as batch
from icefloe.lib.input_batches import batch_join as batch_join
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
from icefloe.training.init_from_checkpoint import init_from_checkpoint as init_from_checkpoint
from icefloe.lib.input import input_producer as input_producer
from icefloe.lib.learning_rates import inverse_time_decay as inverse_time_decay
from icefloe.checkpoint.state_file import latest_checkpoint as latest_checkpoint
from icefloe.lib.input import limit_epochs as limit_epochs
from icefloe.lib.learning_rates import linear_cosine_decay as linear_cosine_decay
from icefloe.saver.inspection import list_variables as list_variables
from icefloe.saver.inspection import load_checkpoint as load_checkpoint
from icefloe.saver.inspection import load_variable as load_variable
from icefloe.lib.input import match_filenames_once as match_filenames_once
from icefloe.lib.input_batches import maybe_batch as maybe_batch
from icefloe.lib.input_batches import maybe_batch_join as maybe_batch_join
from icefloe.lib.input_batches import maybe_shuffle_batch as maybe_shuffle_batch
from icefloe.lib.input_batches import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from icefloe.lib.learning_rates import natural_exp_decay as natural_exp_decay
from icefloe.lib.learning_rates import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from icefloe.lib.learning_rates import piecewise_constant as piecewise_constant
from icefloe.lib.learning_rates import piecewise_constant as piecewise_constant_decay
from icefloe.lib.learning_rates import polynomial_decay as polynomial_decay
from icefloe.train import queue_runner as queue_runner
from icefloe.lib.input import range_input_producer as range_input_producer
from icefloe.saver.state import remove_checkpoint as remove_checkpoint
from icefloe.training.device_setter import replica_device_setter as replica_device_setter
from icefloe.lib.input_batches import shuffle_batch as shuffle_batch
from icefloe.lib.input_batches import shuffle_batch_join as shuffle_batch_join
from icefloe.lib.input import slice_input_producer as slice_input_producer
from icefloe.training.queue_runner import start_queue_runners as start_queue_runners
from icefloe.lib.input import string_input_producer as string_input_producer
from icefloe.training.event_files import summary_iterator as summary_iterator
from icefloe.saver.state import update_checkpoint_state as update_checkpoint_state
from icefloe.training.warm_start import warm_start as warm_start
from icefloe.saver.meta_files import write_graph as write_graph

def sdca_fprint(input: Any, name: str | None = ...) -> Any: ...
def sdca_optimizer(sparse_example_indices: Any, sparse_feature_indices: Any, sparse_feature_values: Any, dense_features: Any, example_weights: Any, example_labels: Any, sparse_indices: Any, sparse_weights: Any, dense_weights: Any, example_state_data: Any, loss_type: Any, l1: Any, l2: Any, num_loss_partitions: Any, num_inner_iterations: Any, adaptative: Any = True, name: str | None = ...) -> Any: ...
def sdca_shrink_l1(weights: Any, l1: Any, l2: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "ChiefSessionCreator",
    "ClusterDef",
    "ClusterSpec",
    "Coordinator",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FeedFnHook",
    "FinalOpsHook",
    "FloatList",
    "FtrlOptimizer",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "Int64List",
    "JobDef",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NewCheckpointReader",
    "Optimizer",
    "ProfilerHook",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "QueueRunner",
    "RMSPropOptimizer",
    "Saver",
    "SaverDef",
    "Scaffold",
    "SecondOrStepTimer",
    "SequenceExample",
    "Server",
    "ServerDef",
    "SessionCreator",
    "SessionManager",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "Supervisor",
    "SyncReplicasOptimizer",
    "VocabInfo",
    "WorkerSessionCreator",
    "add_queue_runner",
    "assert_global_step",
    "basic_train_loop",
    "batch",
    "batch_join",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "export_meta_graph",
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "init_from_checkpoint",
    "input_producer",
    "inverse_time_decay",
    "latest_checkpoint",
    "limit_epochs",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "queue_runner",
    "range_input_producer",
    "remove_checkpoint",
    "replica_device_setter",
    "sdca_fprint",
    "sdca_optimizer",
    "sdca_shrink_l1",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
    "summary_iterator",
    "update_checkpoint_state",
    "warm_start",
    "write_graph",
]
