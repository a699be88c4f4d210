# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.data_arguments import AUTOTUNE as AUTOTUNE
from icefloe.lib.data_options import AutoShardPolicy as AutoShardPolicy
from icefloe.lib.data_options import AutotuneAlgorithm as AutotuneAlgorithm
from icefloe.lib.data_options import AutotuneOptions as AutotuneOptions
from icefloe.lib.data_experimental import counter_v1 as Counter
from icefloe.lib.data_readers import CsvDataset as CsvDataset
from icefloe.lib.data_tables import DatasetInitializer as DatasetInitializer
from icefloe.lib.data_spec import DatasetSpec as DatasetStructure
from icefloe.lib.data_options import DistributeOptions as DistributeOptions
from icefloe.lib.data_options import ExternalStatePolicy as ExternalStatePolicy
from icefloe.lib.data_arguments import INFINITE as INFINITE_CARDINALITY
from icefloe.lib.data_options import OptimizationOptions as OptimizationOptions
from icefloe.lib.data_optional import Optional as Optional
from icefloe.lib.data_optional import OptionalSpec as OptionalStructure
from icefloe.lib.data_experimental import ragged_tensor_structure as RaggedTensorStructure
from icefloe.lib.data_experimental import random_dataset as RandomDataset
from icefloe.lib.data_functional import Reducer as Reducer
from icefloe.lib.data_experimental import SHARD_HINT as SHARD_HINT
from icefloe.lib.data_options import ServiceOptions as ServiceOptions
from icefloe.lib.data_experimental import sparse_tensor_structure as SparseTensorStructure
from icefloe.lib.data_readers import SqlDataset as SqlDataset
from icefloe.graph.type_specs import TypeSpec as Structure
from icefloe.lib.data_experimental import TFRecordWriter as TFRecordWriter
from icefloe.lib.data_experimental import tensor_array_structure as TensorArrayStructure
from icefloe.lib.data_experimental import tensor_structure as TensorStructure
from icefloe.lib.data_options import ThreadingOptions as ThreadingOptions
from icefloe.lib.data_arguments import UNKNOWN as UNKNOWN_CARDINALITY
from icefloe.lib.data_experimental import assert_cardinality as assert_cardinality
from icefloe.lib.data_experimental import bucket_by_sequence_length as bucket_by_sequence_length
from icefloe.lib.data_experimental import cardinality as cardinality
from icefloe.lib.data_choice import choose_from_datasets as choose_from_datasets
from icefloe.lib.data_experimental import copy_to_device as copy_to_device
from icefloe.lib.data_experimental import dense_to_ragged_batch as dense_to_ragged_batch
from icefloe.lib.data_experimental import dense_to_sparse_batch as dense_to_sparse_batch
from icefloe.lib.data_experimental import enumerate_dataset as enumerate_dataset
from icefloe.lib.data_experimental import from_list as from_list
from icefloe.lib.data_experimental import from_variant as from_variant
from icefloe.lib.data_optional import get_next_as_optional as get_next_as_optional
from icefloe.lib.data_experimental import get_single_element as get_single_element
from icefloe.lib.data_experimental import get_structure as get_structure
from icefloe.lib.data_experimental import group_by_reducer as group_by_reducer
from icefloe.lib.data_experimental import grouped_by_window as group_by_window
from icefloe.lib.data_experimental import ignore_errors as ignore_errors
from icefloe.lib.data_tables import index_table_from_dataset as index_table_from_dataset
from icefloe.lib.data_examples import make_batched_features_dataset as make_batched_features_dataset
from icefloe.lib.data_csv import make_csv_dataset as make_csv_dataset
from icefloe.lib.data_iterator import make_saveable_from_iterator as make_saveable_from_iterator
from icefloe.lib.data_experimental import map_and_batch as map_and_batch
from icefloe.lib.data_experimental import map_and_batch as map_and_batch_with_legacy_function
from icefloe.lib.data_experimental import pad_to_cardinality as pad_to_cardinality
from icefloe.lib.data_experimental import parallel_interleave as parallel_interleave
from icefloe.lib.data_examples import parse_example_dataset as parse_example_dataset
from icefloe.lib.data_experimental import prefetch_to_device as prefetch_to_device
from icefloe.lib.data_experimental import rebatched as rebatch
from icefloe.lib.data_experimental import rejection_resample as rejection_resample
from icefloe.lib.data_choice import sample_from_datasets as sample_from_datasets
from icefloe.lib.data_experimental import scanned as scan
from icefloe.lib.data_experimental import shuffle_and_repeat as shuffle_and_repeat
from icefloe.lib.data_experimental import snapshot as snapshot
from icefloe.lib.data_tables import table_from_dataset as table_from_dataset
from icefloe.lib.data_experimental import taken_while as take_while
from icefloe.lib.data_experimental import to_variant as to_variant
from icefloe.lib.data_experimental import unbatched as unbatch
from icefloe.lib.data_experimental import unique as unique


__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DatasetStructure",
    "DistributeOptions",
    "ExternalStatePolicy",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "OptionalStructure",
    "RaggedTensorStructure",
    "RandomDataset",
    "Reducer",
    "SHARD_HINT",
    "ServiceOptions",
    "SparseTensorStructure",
    "SqlDataset",
    "Structure",
    "TFRecordWriter",
    "TensorArrayStructure",
    "TensorStructure",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "map_and_batch_with_legacy_function",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rebatch",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]
